"""How the draw of a competition is settled, and how anybody checks it.

Every competition has a seed that the house cannot choose after the announcement: it is a signature of the house's key over the
competition's own code, and its commitment is published when the competition is announced, before anybody has entered. Order,
colours, byes and every match's chance come from that seed; it is opened when the last game is over.

Where the organiser wants it, the contestants settle the draw themselves (spec: rochambeau; `elections.lots`): whoever
enters may bring a Commit of his own, the house commits for the others, and when entries are closed all are opened. The order that
follows is the seeding, and the transcript is mixed into the seed: a single honest Commit is enough that nobody, the house
included, could have known the draw. Whoever brings a Commit and does not open it in time comes last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Literal

from arbitre.crypto.chain import commitment, derive
from arbitre.crypto.draws import draw
from arbitre.crypto.keys import Key
from arbitre.elections.lots import Lots, draw_lots, lot_terms
from arbitre.elections.payload import Opening, new_opening, read_commit, read_reveal, write_commit, write_reveal
from arbitre.errors import PayloadError, RecordError, UnfitError, shorten
from arbitre.records.event import canonical, read_object
from arbitre.values import value

Way = Literal["seed", "contestants"]
"""By the committed seed alone, or by the contestants' own Commits besides."""

REVEAL_SECONDS = 300
"""How long contestants who brought a Commit have for opening it when entries are closed."""


@value
class Draw:
    """The draw of one competition, as far as it has come; payloads in hexadecimal, by neutral name."""

    way: Way
    commitment: str
    """Of the house's seed."""
    closed: int = 0
    """When entries were closed; 0: they are not."""
    commits: Mapping[str, str] | None = None
    """Those that contestants brought; None where they do not settle the draw."""
    reveals: Mapping[str, str] | None = None
    transcript: str = ""
    """The proof of the order, once it is drawn."""

    def text(self) -> str:
        """Return the draw as canonical JSON."""
        return canonical(
            {
                "closed": self.closed,
                "commitment": self.commitment,
                "commits": dict(self.commits or {}),
                "reveals": dict(self.reveals or {}),
                "transcript": self.transcript,
                "way": self.way,
            }
        )

    @property
    def awaited(self) -> tuple[str, ...]:
        """Who brought a Commit and has not opened it."""
        return tuple(name for name in self.commits or {} if name not in (self.reveals or {}))

    def committed(self, purpose: str, name: str, payload: str) -> "Draw":
        """Return the draw with a Commit that a contestant brings."""
        octets = _octets(payload, "commit")
        try:
            read_commit(lot_terms(purpose), octets)
        except PayloadError as error:
            raise UnfitError("commit", "no Commit: %(why)s", why=error.why) from None
        return replace(self, commits={**(self.commits or {}), name: octets.hex()})

    def without(self, name: str) -> "Draw":
        """Return the draw without somebody's Commit: who withdrew before entries were closed."""
        return replace(self, commits={key: text for key, text in (self.commits or {}).items() if key != name})

    def revealed(self, purpose: str, name: str, payload: str) -> "Draw":
        """Return the draw with a Commit opened; whether it opens it is for the lots to judge."""
        if name not in self.awaited:
            raise UnfitError("reveal", "no Commit of this contestant waits to be opened")
        octets = _octets(payload, "reveal")
        try:
            read_reveal(lot_terms(purpose), octets)
        except PayloadError as error:
            raise UnfitError("reveal", "no Reveal: %(why)s", why=error.why) from None
        return replace(self, reveals={**(self.reveals or {}), name: octets.hex()})


def read_draw(text: str | None) -> Draw | None:
    """Return the draw that `Draw.text` wrote; None where a competition has none, or one from elsewhere."""
    if not text:
        return None
    try:
        match read_object(text):
            case {
                "closed": int(closed),
                "commitment": str(committed),
                "commits": dict(commits),
                "reveals": dict(reveals),
                "transcript": str(transcript),
                "way": "seed" | "contestants" as way,
            }:
                return Draw(way, committed, closed, commits, reveals, transcript)
    except RecordError:
        pass
    return None


def house_seed(key: Key, code: str) -> bytes:
    """Return the seed of the competition with this code: nobody knows it without the key, and it is the same each time."""
    return sha256(key.sign(b"arbitre/competition/1" + code.encode())).digest()


def seed_under(keys: Sequence[Key], code: str, committed: str) -> bytes:
    """Return the seed of a competition that was announced under one of these keys, as its commitment tells."""
    seeds = [house_seed(key, code) for key in keys]
    return next((seed for seed in seeds if commitment(seed) == committed), seeds[-1])


def new_draw(key: Key, code: str, way: Way) -> Draw:
    """Return what is published when a competition is announced."""
    return Draw(way, commitment(house_seed(key, code)))


def lots_of(purpose: str, seed: bytes, names: tuple[str, ...], drawn: Draw) -> Lots:
    """Return the order of the contestants; the house commits for whoever brought no Commit."""
    commits, reveals = {}, {}
    terms = lot_terms(purpose)
    brought = drawn.commits or {}
    for name in names:
        if name in brought:
            commits[name] = bytes.fromhex(brought[name])
            if name in (drawn.reveals or {}):
                reveals[name] = bytes.fromhex((drawn.reveals or {})[name])
        else:
            opening = _opening(purpose, seed, name)
            commits[name], reveals[name] = write_commit(terms, opening), write_reveal(terms, opening)
    return draw_lots(purpose, names, commits, reveals)


def mixed(seed: bytes, transcript: str) -> str:
    """Return the seed of the tournament, as its plan writes it: the house's own, or both together where there were lots."""
    return seed.hex() if not transcript else sha256(b"arbitre/draw/1" + seed + transcript.encode()).hexdigest()


def _opening(purpose: str, seed: bytes, name: str) -> Opening:
    terms = lot_terms(purpose)
    secret = derive(seed, f"lots/{name}")
    return new_opening(terms, name, secret, draw(derive(secret, "state"), 0, terms.states))


def _octets(text: Any, field: str) -> bytes:
    word = str(text).strip()[:2_000]
    try:
        return bytes.fromhex(word)
    except ValueError:
        raise UnfitError(field, "octets in hexadecimal, not %(word)r", word=shorten(word)) from None
