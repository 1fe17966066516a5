"""Tests of games, seafight."""
