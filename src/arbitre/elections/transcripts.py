"""Transcripts of finished elections, kept as files of the data folder under names that nobody guesses.

A transcript is the whole proof: `arbitre verify FILE` needs nothing else. Each is a file of JSON lines in the folder
`elections`; it appears whole or not at all, and is on disk before its name is told.
"""

import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arbitre.elections.journal import sync
from arbitre.elections.lots import Lots, draw_lots, draw_lots_here
from arbitre.elections.verdict import Payloads
from arbitre.errors import HouseError, UnknownRecordError, refusal, shorten
from arbitre.values import value

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
    """The transcripts of a data folder."""

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER

    def keep(self, transcript: bytes) -> str:
        """Keep a transcript; return its name when it is on disk."""
        name = secrets.token_hex(10)
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if sum(1 for _ in os.scandir(self.folder)) >= MOST_KEPT:
                raise HouseError(
                    "%(most_kept)s transcripts are kept already in %(folder)s", most_kept=MOST_KEPT, folder=self.folder
                )
            draft = self.folder / f".{name}"
            with draft.open("wb") as file:
                file.write(transcript)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(self.folder / f"{name}.jsonl")
            sync(self.folder)
        except OSError as error:
            raise HouseError("the transcript of an election cannot be kept: %(strerror)s", strerror=refusal(error)) from error
        return name

    def path(self, name: str) -> Path:
        """Return where a transcript lies; `UnknownRecordError` where there is none of that name."""
        path = self.folder / f"{name}.jsonl"
        if not NAME.fullmatch(name) or not path.is_file():
            raise UnknownRecordError("no election is kept under %(name)r", name=shorten(name))
        return path

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
