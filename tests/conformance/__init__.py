"""One suite over all games, and for each game a file with what only that game can tell.

`tests/conformance/<game>.py` holds `PRESETS`, the options under which the suite plays the game, and, for a game with
secrets, `resample(game, state, eye, random)`: another truth that `eye` cannot tell from `state`.
"""
