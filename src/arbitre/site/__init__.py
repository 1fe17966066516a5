"""What the site can do, without HTTP: accounts, classes, matches, competitions."""
