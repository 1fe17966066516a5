"""What all trainings share: how far a long work is, on the terminal, and the folder that it goes on in."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter


class Bar:
    """A line that is filled as parts of a work are done."""

    def __init__(self) -> None:
        self.begun = perf_counter()

    @property
    def spent(self) -> float:
        """Seconds since the work began."""
        return perf_counter() - self.begun

    def show(self, what: str, done: int, parts: int) -> None:
        """Show how many parts are done: always on a terminal, else the last one only."""
        if sys.stderr.isatty() or done == parts:
            full = 30 * done // parts
            end = "\n" if done == parts else ""
            line = f"\r{what:20} {'█' * full:·<30} {done:5}/{parts} {self.spent:5.0f} s"
            print(line, end=end, file=sys.stderr, flush=True)


def begun_with(folder: Path, asked: Mapping[str, object]) -> None:
    """Make the folder of a training, or go on in it if it was begun with the same numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings.json"
    if settings.exists() and json.loads(settings.read_text()) != asked:
        sys.exit(f"train: {folder} holds another training, {settings.read_text()}: take another folder")
    settings.write_text(json.dumps(dict(asked)))
