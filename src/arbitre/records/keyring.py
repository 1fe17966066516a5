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

KEY_FILE = re.compile(r"referee(?:-([1-9][0-9]{0,8}))?\.key")
"""The referee's first key, and with a number those that came after it."""


def key_file(folder: Path, number: int) -> Path:
    """Return the file of the referee's key of a number, from 1."""
    return folder / ("referee.key" if number == 1 else f"referee-{number}.key")


def key_numbers(folder: Path) -> list[int]:
    """Return the numbers of the referee's keys in a folder, in their order."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - Path stumbles over a folder that it may not enter
    except OSError:
        return []
    return sorted(int(found[1] or 1) for name in names if (found := KEY_FILE.fullmatch(name)))


def known_keys(folder: Path) -> Iterator[str]:
    """Return the fingerprints that we trust to have refereed."""
    for number in key_numbers(folder):
        yield keep(key_file(folder, number)).fingerprint
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
