"""Tests of games, reversi."""
