"""How games are written: moves, views and whole states as canonical text, readers and writers, one file per game."""
