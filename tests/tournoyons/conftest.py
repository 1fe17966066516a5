"""Tested on the loop that the site runs; the programs of an added game are there for tests that ask."""

from tests.added import example, pawns
from tests.loop import as_the_site_runs_them

__all__ = ["as_the_site_runs_them", "example", "pawns"]
