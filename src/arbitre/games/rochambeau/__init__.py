"""Rochambeau: rock, paper, scissors, for any number of states and players."""
