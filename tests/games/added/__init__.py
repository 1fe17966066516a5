"""Tests of games, added."""
