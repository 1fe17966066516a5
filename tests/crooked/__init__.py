"""Referees and players that lie: each lie is caught by the side that it cheats, in words."""
