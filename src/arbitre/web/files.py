"""Files that the site hands out as they are: styles, modules, pictures, interfaces.

What is on the shelf is what lies in its folders, found by walking them: no path of a request ever becomes a path of the disk.
Where several have a file of the same name the first counts. A file that changes on disk is read again, so a page can be worked
on while the site runs.
"""

import mimetypes
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from arbitre.values import value

KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


@value
class File:
    """One file as it is sent."""

    body: bytes
    kind: str
    mark: str
    """The start of its hash: a new mark is a new file."""


def made(body: bytes, suffix: str) -> File:
    """Return a file of this kind with these octets."""
    kind = KINDS.get(suffix) or mimetypes.guess_type(f"file{suffix}")[0] or "application/octet-stream"
    return File(body, kind, sha256(body).hexdigest()[:12])


class Shelf:
    """The files below some folders: its own, and those that `more` names when one is asked for."""

    def __init__(self, folder: Path, more: Callable[[], Iterable[Path]] = tuple) -> None:
        self.folder = folder
        self.more = more
        self._kept: dict[str, tuple[float, File]] = {}

    def get(self, name: str) -> File | None:
        """Return a file by its name below the folder, None if there is none."""
        path = next((found for root in (self.folder, *self.more()) if (found := self._find(root, name))), None)
        if path is None:
            return None
        changed = path.stat().st_mtime
        kept = self._kept.get(name)
        if kept is None or kept[0] != changed:
            body = path.read_bytes()
            kept = self._kept[name] = (changed, made(body, path.suffix))
        return kept[1]

    def mark(self, name: str) -> str:
        """Return the mark of a file, empty if there is none."""
        file = self.get(name)
        return "" if file is None else file.mark

    @staticmethod
    def _find(root: Path, name: str) -> Path | None:
        """Return where a file lies: one step at a time, each by a name that the folder itself gives."""
        here = root
        for step in name.split("/"):
            if not step or step.startswith(".") or not here.is_dir():
                return None
            found = next((one for one in here.iterdir() if one.name == step), None)
            if found is None:
                return None
            here = found
        return here if here.is_file() else None
