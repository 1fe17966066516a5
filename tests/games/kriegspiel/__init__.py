"""Tests of games, kriegspiel."""
