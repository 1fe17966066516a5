"""Draughts keeps no secrets; a short limit of plies makes sure of draws."""

PRESETS: list[dict[str, object]] = [{}, {"plies": 20}]
