"""Tests of kref."""
