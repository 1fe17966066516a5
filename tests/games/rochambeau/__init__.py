"""Tests of games, rochambeau."""
