"""Kriegspiel: chess without seeing the other side's pieces."""
