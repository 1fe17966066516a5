"""Tests of the kernel of five in a row."""
