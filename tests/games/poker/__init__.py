"""Tests of games, poker."""
