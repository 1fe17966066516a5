"""Tests of games, bigtictactoe."""
