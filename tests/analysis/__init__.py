"""Analyses: pure, of what a seat could know, and caught where they are forged."""
