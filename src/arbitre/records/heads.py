"""What this machine remembers of games by file: the last head it saw, wrong passwords, which game lies under which name.

A hash chain cannot show that its bearer went back to an earlier copy; a memory on the other side can. It is kept in the state
folder, one small file a game, and holds no secret: not even how long the log is, which would tell how many of the other player's
tries were refused.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as replaced
from hashlib import sha256
from pathlib import Path

from arbitre.errors import GameFileError, HouseError, refusal
from arbitre.records.locks import FileLock
from arbitre.values import value

LONGEST_DELAY = 30.0


MOST_HEADS = 500


@value
class Seen:
    """The memory of one game."""

    ply: int = 0
    heads: tuple[str, ...] = ()
    """The heads seen at this ply, the last one last."""
    failures: int = 0
    """Wrong passwords since the last right one."""
    site: str = ""
    """The address of the site that judges, if one does."""

    def fields(self) -> dict[str, object]:
        """Return what is written of it."""
        return {"failures": self.failures, "heads": list(self.heads), "ply": self.ply, "site": self.site}


def state_folder() -> Path:
    """Return the user's state folder."""
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "arbitre"


def delay(failures: int) -> float:
    """Return how many seconds the next password is kept waiting: twice as long each time, half a minute at most."""
    return 0.0 if failures <= 0 else min(LONGEST_DELAY, 0.25 * 2.0 ** min(failures - 1, 20))


class Heads:
    """The memory of all games, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "kref"

    @contextmanager
    def locked(self, game: str) -> Iterator[None]:
        """Keep other programs of this user from the same game meanwhile."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / f"{game}.lock")
        except OSError as error:
            raise HouseError(
                "cannot keep the state of games in %(folder)s: %(strerror)s", folder=self.folder, strerror=refusal(error)
            ) from None
        with lock:
            yield

    def seen(self, game: str) -> Seen:
        """Return what is remembered of a game."""
        match self._read(f"{game}.json"):
            case {"ply": int(ply), "heads": list(heads), "failures": int(failures), "site": str(site)}:
                return Seen(ply, tuple(map(str, heads)), failures, site)
            case _:
                return Seen()

    def check(self, game: str, chain: Sequence[str], ply: int, path: Path) -> None:
        """Refuse a file that does not extend what we saw, or that lies where another game lay."""
        self._check_path(game, path)
        seen = self.seen(game)
        if not seen.heads or seen.heads[-1] in chain:
            return
        if ply < seen.ply or chain[-1] in seen.heads:
            raise GameFileError(
                "%(name)s is older than the file that this machine saw last, of ply %(ply)s: "
                "use the newer one, or ask the other player for it",
                name=path.name,
                ply=seen.ply,
            )
        raise GameFileError(
            "%(name)s does not continue the game that this machine saw: somebody played on from a copy", name=path.name
        )

    def check_site(self, game: str, site: str, path: Path) -> None:
        """Refuse a file that names another site than the one that judged its game, or that lies where another game lay."""
        self._check_path(game, path)
        known = self.seen(game).site
        if known not in ("", site):
            raise GameFileError(
                "%(name)s names another site (%(site)s) than the one that judged its game before (%(known)s)",
                name=path.name,
                site=site,
                known=known,
            )

    def _check_path(self, game: str, path: Path) -> None:
        known = self._read(f"{_named(path)}.path").get("game", game)
        if known != game:
            raise GameFileError(
                "%(name)s is a file of another game (%(game)s) than the one played under this name (%(known)s): "
                "give it a name of its own",
                name=path.name,
                game=game[:8],
                known=str(known)[:8],
            )

    def remember(self, game: str, head: str, ply: int, path: Path, site: str = "") -> None:
        """Remember the head after a right password."""
        seen = self.seen(game)
        before = seen.heads if seen.ply == ply else ()
        heads = before if before[-1:] == (head,) else (*before, head)
        self._write(f"{game}.json", Seen(ply, heads[-MOST_HEADS:], site=site).fields())
        if self._read(f"{_named(path)}.path").get("game") != game:
            self._write(f"{_named(path)}.path", {"game": game, "path": str(path.absolute())})

    def paths(self) -> list[Path]:
        """Return where the games lie that were opened here with a password, the last one first."""
        found = []
        for note in self.folder.glob("*.path"):
            match self._read(note.name):
                case {"game": str(game), "path": str(path)}:
                    memory = self.folder / f"{game}.json"
                    found.append((memory.stat().st_mtime if memory.exists() else 0.0, path))
        return [Path(path) for _, path in sorted(found, reverse=True)]

    def suspect(self, game: str) -> float:
        """Count a password as wrong before it is looked at, so that nobody escapes by a kill; return how long it waits."""
        seen = self.seen(game)
        self._write(f"{game}.json", replaced(seen, failures=seen.failures + 1).fields())
        return delay(seen.failures)

    def acquit(self, game: str) -> None:
        """Take the last suspicion back, and no other: the password was not looked at."""
        seen = self.seen(game)
        self._write(f"{game}.json", replaced(seen, failures=max(0, seen.failures - 1)).fields())

    # ── of games that a site judges ────────────────────────────────────────────────────────────────────────────────

    def promise(self, game: str, request: str) -> None:
        """Keep a request until its answer is on disk: should the answer be lost, the same words are said again."""
        self._write(f"{game}.request", {"request": request}, durable=True)

    def promised(self, game: str) -> str:
        """Return the request whose answer is not on disk yet, or nothing."""
        return str(self._read(f"{game}.request").get("request", ""))

    def settle(self, game: str) -> None:
        """Forget a request: its answer is on disk, or it is of no use any more."""
        (self.folder / f"{game}.request").unlink(missing_ok=True)

    def notes(self, game: str, seat: int) -> str:
        """Return a seat's hidden guesses."""
        return str(self._read(f"{game}.notes").get(str(int(seat)), ""))

    def note(self, game: str, seat: int, hidden: str) -> None:
        """Keep a seat's hidden guesses."""
        self._write(f"{game}.notes", {**self._read(f"{game}.notes"), str(int(seat)): hidden})

    def _read(self, name: str) -> dict[str, object]:
        try:
            fields = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise HouseError(
                "the memory of a game, %(folder)s, cannot be read: %(error)s", folder=self.folder / name, error=error
            ) from None
        return fields if isinstance(fields, dict) else {}

    def _write(self, name: str, fields: dict[str, object], durable: bool = False) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # a power cut may cost the last memory, which only makes this machine less suspicious: not worth waiting for the disk
        replace(self.folder / name, json.dumps(fields) + "\n", durable=durable)


def _named(path: Path) -> str:
    return sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def replace(path: Path, text: str, durable: bool = True) -> None:
    """Write a file at once or not at all, and have it on the disk before anybody is answered."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise HouseError("cannot write %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from None
    finally:
        draft.unlink(missing_ok=True)
