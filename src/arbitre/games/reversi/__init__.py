"""Reversi: outflank and turn the other side's discs."""
