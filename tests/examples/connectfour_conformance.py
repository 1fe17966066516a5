"""Connect Four comes from another package, `examples/connectfour`, and is held to the same promises."""

PRESETS: list[dict[str, object]] = [{}, {"columns": 12, "rows": 4}]
