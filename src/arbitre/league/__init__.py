"""The draughts league: attacker and defender robots, and a registrar that judges their reports (seed 002, spec draughts)."""
