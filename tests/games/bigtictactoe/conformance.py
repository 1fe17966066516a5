"""BigTicTacToe is played to a full board or to the first row of five; it has no secrets."""

PRESETS: list[dict[str, object]] = [{}, {"first": True}]
