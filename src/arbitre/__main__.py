"""`python -m arbitre` is `arbitre`."""

from arbitre.cli import main

main()
