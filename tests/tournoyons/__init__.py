"""Tests of tournoyons."""
