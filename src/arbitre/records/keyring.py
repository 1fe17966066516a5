"""The keys we know: the referee's own, and those that somebody vouched for, one fingerprint a line, as ssh keeps known hosts.

Two files are read: `known_keys` in the data folder and `known_keys` in the user's configuration folder. A line is a fingerprint
and, after a space, a name; `#` begins a comment.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from arbitre.crypto.keys import keep
from arbitre.errors import KeyFileError

FINGERPRINT = re.compile(r"[0-9a-f]{32}")


def known_keys(folder: Path) -> Iterator[str]:
    """Return the fingerprints that we trust to have refereed."""
    own = folder / "referee.key"
    if os.path.exists(own):  # noqa: PTH110 - Path stumbles over a folder that it may not enter
        yield keep(own).fingerprint
    for path in (folder / "known_keys", configuration() / "known_keys"):
        if os.path.isfile(path):  # noqa: PTH113
            yield from read_keys(path)


def read_keys(path: Path) -> Iterator[str]:
    """Return the fingerprints of one file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFileError("cannot read known keys from %(path)s: %(error)s", path=path, error=error) from error
    for number, line in enumerate(lines, start=1):
        word = line.partition("#")[0].split(maxsplit=1)
        if not word:
            continue
        if not FINGERPRINT.fullmatch(word[0]):
            raise KeyFileError(
                "%(path)s, line %(number)s: %(word)r is no fingerprint of 32 hexadecimal digits",
                path=path,
                number=number,
                word=word[0][:40],
            )
        yield word[0]


def configuration() -> Path:
    """Return the user's configuration folder."""
    home = os.environ.get("XDG_CONFIG_HOME")
    if not home:
        try:
            home = str(Path.home() / ".config")
        except RuntimeError:  # a user without a home, as in some containers
            home = os.devnull
    return Path(home) / "arbitre"
