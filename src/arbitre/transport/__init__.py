"""What carries a player's words: processes and their pipes."""
