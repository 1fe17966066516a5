"""Boards drawn with box characters: the one toolkit of all text boards."""

from collections.abc import Sequence


def grid(rows: Sequence[Sequence[str]], columns: Sequence[str] = (), labels: Sequence[str] = ()) -> str:
    """Draw small boards with a frame around every cell, with names of columns above and of rows at the left."""
    wide = max(len(cell) for row in rows for cell in row)
    margin = " " * (max((len(label) for label in labels), default=-1) + 1)
    bar = "─" * (wide + 2)
    lines = [margin + " " + " ".join(f"{name:^{wide + 2}}" for name in columns)] if columns else []
    lines.append(margin + "┌" + "┬".join(bar for _ in rows[0]) + "┐")
    for number, row in enumerate(rows):
        if number:
            lines.append(margin + "├" + "┼".join(bar for _ in row) + "┤")
        label = f"{labels[number]:>{len(margin) - 1}} " if labels else ""
        lines.append(label + "│" + "│".join(f" {cell:^{wide}} " for cell in row) + "│")
    lines.append(margin + "└" + "┴".join(bar for _ in rows[0]) + "┘")
    return "\n".join(line.rstrip() for line in lines)


def field(rows: Sequence[Sequence[str]], columns: Sequence[str], labels: Sequence[str]) -> str:
    """Draw large boards, one character a cell and a frame around the whole, with names of columns and rows."""
    margin = max(len(label) for label in labels)
    wide = 2 * len(rows[0]) + 1
    lines = [" " * (margin + 2) + " " + " ".join(columns)]
    lines.append(" " * (margin + 1) + "┌" + "─" * wide + "┐")
    lines += [f"{label:>{margin}} │ {' '.join(row)} │" for label, row in zip(labels, rows, strict=True)]
    lines.append(" " * (margin + 1) + "└" + "─" * wide + "┘")
    return "\n".join(line.rstrip() for line in lines)


def beside(*pictures: str, gap: int = 4) -> str:
    """Put pictures next to each other, tops aligned."""
    blocks = [picture.split("\n") for picture in pictures]
    wides = [max(len(line) for line in block) for block in blocks]
    lines = []
    for n in range(max(len(block) for block in blocks)):
        parts = [(block[n] if n < len(block) else "").ljust(wide) for block, wide in zip(blocks, wides, strict=True)]
        lines.append((" " * gap).join(parts).rstrip())
    return "\n".join(lines)
