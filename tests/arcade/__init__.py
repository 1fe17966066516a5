"""Tests of arcade."""
