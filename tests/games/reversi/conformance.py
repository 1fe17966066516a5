"""Reversi has no options and no secrets."""

PRESETS: list[dict[str, object]] = [{}]
