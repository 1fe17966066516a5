"""The games: the contract of rules, notation, wires and players, and one package for each game."""
