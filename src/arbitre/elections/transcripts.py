"""Transcripts of finished elections, kept as files of the data folder under names that nobody guesses.

A transcript is the whole proof: `arbitre verify FILE` needs nothing else. Each is a file of JSON lines in the folder
`elections`; it appears whole or not at all, and is on disk before its name is told.

Where several nodes share a database a transcript is kept there first: each of them hands it out, from a file that it makes when
somebody asks.
"""

import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arbitre.elections.journal import sync
from arbitre.elections.lots import Lots, draw_lots, draw_lots_here
from arbitre.elections.verdict import Payloads
from arbitre.errors import HouseError, UnknownRecordError, refusal, shorten
from arbitre.values import value

if TYPE_CHECKING:
    from arbitre.records.store import Store

FOLDER: Final = "elections"
MOST_KEPT: Final = 50_000
"""Transcripts of one house; whoever wants more moves some away."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@value
class KeptLots:
    """An order that contestants drew for themselves, and the name under which its proof is kept."""

    lots: Lots
    name: str


class Transcripts:
    """The transcripts of a data folder, or of the nodes that share a store."""

    def __init__(self, data: Path, store: "Store | None" = None) -> None:
        self.folder = data / FOLDER
        self._backend = store.backend if store is not None and store.place.database else None
        """What other nodes read too."""

    def keep(self, transcript: bytes) -> str:
        """Keep a transcript; return its name when it is on disk."""
        name = secrets.token_hex(10)
        if self._backend is not None:
            self.share(name, transcript)
        self._write(name, transcript)
        return name

    def share(self, name: str, transcript: bytes) -> None:
        """Keep a transcript for other nodes too, where there may be some."""
        if self._backend is None:
            return
        if int(self._backend.rows("SELECT count(*) FROM proofs", ())[0][0]) >= MOST_KEPT:
            raise self._full("the database")
        query = (
            "INSERT INTO proofs (name, transcript) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET transcript = EXCLUDED.transcript"
        )
        self._backend.transact(lambda execute: execute(query, (name, transcript)))

    def _write(self, name: str, transcript: bytes) -> None:
        """Write the file of a transcript, whole or not at all."""
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if sum(1 for _ in os.scandir(self.folder)) >= MOST_KEPT:
                raise self._full(self.folder)
            draft = self.folder / f".{name}.{secrets.token_hex(4)}"
            with draft.open("wb") as file:
                file.write(transcript)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(self.folder / f"{name}.jsonl")
            sync(self.folder)
        except OSError as error:
            raise HouseError("the transcript of an election cannot be kept: %(strerror)s", strerror=refusal(error)) from error

    @staticmethod
    def _full(where: object) -> HouseError:
        return HouseError("%(most_kept)s transcripts are kept already in %(folder)s", most_kept=MOST_KEPT, folder=where)

    def path(self, name: str) -> Path:
        """Return where a transcript lies; `UnknownRecordError` where there is none of that name."""
        path = self.folder / f"{name}.jsonl"
        if not NAME.fullmatch(name) or not (path.is_file() or self._fetched(name)):
            raise UnknownRecordError("no election is kept under %(name)r", name=shorten(name))
        return path

    def _fetched(self, name: str) -> bool:
        """Make the file of a transcript that another node has kept; tell whether there is one."""
        rows = [] if self._backend is None else self._backend.rows("SELECT transcript FROM proofs WHERE name = ?", (name,))
        for (transcript,) in rows:
            self._write(name, bytes(transcript))
        return bool(rows)

    def draw(self, purpose: str, players: Sequence[str], commits: Payloads, reveals: Payloads) -> KeptLots:
        """Settle seats, colours, seeding or a draw from the contestants' own Commits and Reveals, and keep the proof.

        The one call for whoever holds a competition: `lots.order`, `lots.deal(…)` and `lots.pairs()` say who gets what, and the
        site shows the proof at `/elections/records/NAME`. The contestants make their payloads under `lot_terms(purpose)`.
        """
        lots = draw_lots(purpose, players, commits, reveals)
        return KeptLots(lots, self.keep(lots.transcript.encode()))

    def draw_here(self, purpose: str, players: Sequence[str]) -> KeptLots:
        """Draw an order on this machine, which plays all contestants, and keep the proof of the arithmetic."""
        lots = draw_lots_here(purpose, players, secrets.token_bytes, secrets.randbelow)
        return KeptLots(lots, self.keep(lots.transcript.encode()))
