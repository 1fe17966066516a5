"""The rules of the games: pure functions over values, one file per game, no clock, no network, no randomness of their own."""
