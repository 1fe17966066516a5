"""People and what is theirs: accounts, engines, interfaces, classes, competitions. No HTTP in it."""
