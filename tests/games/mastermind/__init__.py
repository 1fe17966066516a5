"""Tests of games, mastermind."""
