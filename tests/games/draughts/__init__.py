"""Tests of games, draughts."""
