"""Tests of games, pente."""
