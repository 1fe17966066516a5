"""Seafight: two hidden fleets fire at each other."""
