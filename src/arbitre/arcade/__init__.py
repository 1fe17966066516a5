"""The arcade: rock, paper, scissors with commitments that nobody can take back (seed 000, spec arcade)."""
