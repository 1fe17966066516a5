"""Rochambeau hides nothing: what is about to be shown is not in a state."""

PRESETS: list[dict[str, object]] = [
    {},
    {"states": 5, "players": 3, "goal": 3},
    {"players": 8, "goal": 32, "limit": 20},
    {"states": 7, "players": 7, "goal": 0},
]
