"""Added games of one board hide nothing; whatever a referee says, they walk to an end."""

PRESETS: list[dict[str, object]] = [{"key": "Nim"}, {"key": "Duel", "simultaneous": True, "board": "000-000"}]
