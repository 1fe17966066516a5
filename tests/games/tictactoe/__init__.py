"""Tests of games, tictactoe."""
