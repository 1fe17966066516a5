"""Loops that keep something going: a tournament, listeners."""
