"""Files that the site hands out as they are: styles, modules, pictures, interfaces.

What is on the shelf is what lies in the folder, found by walking it: no path of a request ever becomes a path of the disk. A file
that changes on disk is read again, so a page can be worked on while the site runs.
"""

import mimetypes
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


class Shelf:
    """The files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[str, tuple[float, File]] = {}

    def get(self, name: str) -> File | None:
        """Return a file by its name below the folder, None if there is none."""
        path = self._find(name)
        if path is None:
            return None
        changed = path.stat().st_mtime
        kept = self._kept.get(name)
        if kept is None or kept[0] != changed:
            body = path.read_bytes()
            kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            kept = self._kept[name] = (changed, File(body, kind, sha256(body).hexdigest()[:12]))
        return kept[1]

    def mark(self, name: str) -> str:
        """Return the mark of a file, empty if there is none."""
        file = self.get(name)
        return "" if file is None else file.mark

    def _find(self, name: str) -> Path | None:
        """Return where a file lies: one step at a time, each by a name that the folder itself gives."""
        here = self.folder
        for step in name.split("/"):
            if not step or step.startswith(".") or not here.is_dir():
                return None
            found = next((one for one in here.iterdir() if one.name == step), None)
            if found is None:
                return None
            here = found
        return here if here.is_file() else None
