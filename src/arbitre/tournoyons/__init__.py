"""Tournoyons: engines called by address, interfaces, external referees (seed 004, spec tournoyons)."""
