"""One party of a live election, as a state machine: items and the time in, items and happenings out (seed 003, section 4.2).

::

    COMMIT ──all Commits are in, or time is up──▶ REVEAL ──all Reveals are in, or time is up──▶ SETTLED
       └────▶ ECHO (strong mode) ────▶┘              └────▶ VALUE (a value is to be announced) ──▶┘

A party never reveals before the Commit phase is closed for it. What others send too early is kept, what they send too late
or twice is not counted, what is malformed is not counted either, and each is told as a happening. This module is the draft
mode: it promises agreement only where everybody receives the same in time. `strong` and `hub` differ in who decides what
counts.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, StrEnum, auto
from hashlib import sha256
from typing import Final

from arbitre.crypto.keys import Key
from arbitre.elections.call import Call
from arbitre.elections.item import Item, Kind
from arbitre.elections.payload import Excluded, Fault, Opening, read_commit, write_commit, write_reveal
from arbitre.elections.transcript import Entry, Header
from arbitre.elections.verdict import Verdict, settle
from arbitre.errors import PayloadError, TermsError, shorten
from arbitre.values import value

TWO_COMMITS: Final = "signed two different Commits"
MOST_HAPPENINGS: Final = 10_000
"""Beyond this many, nothing more is told: a flood must not fill the memory."""
MOST_REPEATED: Final = 64
"""How many parties pass on what others said: it grows with the square of their number."""


class Phase(Enum):
    """What a party is doing."""

    COMMIT = auto()
    ECHO = auto()
    """Strong mode: everybody shows what set of Commits it holds."""
    REVEAL = auto()
    VALUE = auto()
    """All is revealed; the value that nobody knew before is awaited."""
    SETTLED = auto()
    BROKEN = auto()
    """There can be no verdict; `broken` says why."""


class What(StrEnum):
    """What kind of thing happened."""

    JOINED = "joined"
    COMMITTED = "committed"
    CLOSED = "closed"
    REVEALED = "revealed"
    EXCLUDED = "excluded"
    CONVICTED = "convicted"
    WARNED = "warned"
    SETTLED = "settled"
    BROKEN = "broken"


@value
class Happening:
    """Something worth telling."""

    what: What
    player: str = ""
    text: str = ""


class Party(ABC):
    """What all parties do alike; the subclasses decide when a phase is over and what counts."""

    def __init__(self, call: Call, players: Collection[str], name: str, opening: Opening | None, key: Key | None = None) -> None:
        """Take part as `name` with an opening, or, without one, only watch."""
        if opening is not None and name not in players:
            raise TermsError("%(name)r is not among the players", name=name)
        self.call = call
        self.tag = call.tag
        self.players = tuple(sorted(players))
        self.name = name
        self.opening = opening
        self.key = key
        self.phase = Phase.COMMIT
        self.commits: dict[str, Item] = {}
        """The Commits that count, or so far would."""
        self.reveals: dict[str, Item] = {}
        self.done: dict[str, bytes] = {}
        self.outbox: list[Item] = []
        self.happenings: list[Happening] = []
        self.verdict: Verdict | None = None
        self.broken = ""
        self.announced = b""
        self.began = self.opened = self.settled = 0.0
        self._told = 0

    # ── what the world calls ───────────────────────────────────────────────────────────────────────────────────────

    def begin(self, now: float) -> None:
        """Begin: everybody is here."""
        self.began = now
        if self.opening is not None:
            self.say(Kind.COMMIT, write_commit(self.call.terms, self.opening), now)

    def receive(self, item: Item, now: float) -> None:
        """Take in what somebody said."""
        if item.author not in self.players or item.author == self.name:
            return
        match item.kind:
            case Kind.COMMIT:
                self.heard_commit(item, now)
            case Kind.REVEAL:
                self.heard_reveal(item, now)
            case Kind.DONE:
                self.heard_done(item)
            case _:
                pass

    @abstractmethod
    def tick(self, now: float) -> None:
        """Look at the clock."""

    @abstractmethod
    def wake(self) -> float | None:
        """Return when to tick at the latest; None: no time limit."""

    def announce(self, octets: bytes, now: float) -> None:
        """Mix in the value that was announced."""
        if self.phase is Phase.VALUE:
            self.announced = octets
            self._settle(now)

    def finished(self, now: float) -> bool:
        """Tell whether this party may leave: the others have settled too, or had time enough to."""
        if self.phase is Phase.BROKEN:
            return True
        if self.phase is not Phase.SETTLED:
            return False
        return self.done.keys() >= set(self.commits) - {self.name} or now >= self.settled + 3 * self.call.delay

    def drain(self) -> list[Item]:
        """Return what is to be sent to everybody."""
        items, self.outbox = self.outbox, []
        return items

    # ── what the parts share ───────────────────────────────────────────────────────────────────────────────────────

    def say(self, kind: Kind, body: bytes, now: float) -> Item:
        """Say something, to the others and to oneself."""
        item = Item(kind, self.name, body).sign(self.tag, self.name, self.key)
        self.outbox.append(item)
        match kind:
            case Kind.COMMIT:
                self.heard_commit(item, now)
            case Kind.REVEAL:
                self.heard_reveal(item, now)
            case _:
                pass
        return item

    def tell(self, what: What, player: str = "", text: str = "") -> None:
        """Note a happening."""
        self._told += 1
        if self._told <= MOST_HAPPENINGS:
            self.happenings.append(Happening(what, player, shorten(text, 300)))

    @abstractmethod
    def heard_commit(self, item: Item, now: float) -> None:
        """Take in a Commit."""

    @abstractmethod
    def heard_reveal(self, item: Item, now: float) -> None:
        """Take in a Reveal."""

    def heard_done(self, item: Item) -> None:
        """Take in that somebody has a verdict; another one than ours is worth a warning."""
        if item.author in self.done:
            return
        self.done[item.author] = item.body
        if self.verdict is not None and item.body != summary(self.verdict):
            self.differs(item.author)

    def differs(self, author: str) -> None:
        """Take note that somebody came to another verdict."""
        self.tell(What.WARNED, author, "came to another verdict than this party")

    def well_formed(self, item: Item) -> bool:
        """Tell whether a Commit is one; what is none is discarded as if it had not been sent."""
        try:
            read_commit(self.call.terms, item.body)
        except PayloadError as error:
            self.tell(What.WARNED, item.author, f"{error}; discarded")
            return False
        return True

    def open_up(self, now: float) -> None:
        """Close the Commit phase, and reveal."""
        self.phase, self.opened = Phase.REVEAL, now
        self.tell(What.CLOSED, text=f"{len(self.commits)} of {len(self.players)} committed")
        for player in self.players:
            if player not in self.commits:
                self.tell(What.EXCLUDED, player, Fault.NO_COMMIT)
        if self.opening is not None and self.name in self.commits:
            self.say(Kind.REVEAL, write_reveal(self.call.terms, self.opening), now)

    def close(self, now: float) -> None:
        """Close the Reveal phase."""
        if self.call.terms.announced:
            self.phase = Phase.VALUE
        else:
            self._settle(now)

    def _settle(self, now: float) -> None:
        self.phase, self.settled = Phase.SETTLED, now
        self.verdict = self.judge()
        for one in self.verdict.excluded:
            self.tell(What.EXCLUDED, one.player, f"{one.fault}: {one.why}")
        digest = summary(self.verdict)
        self.outbox.append(Item(Kind.DONE, self.name, digest).sign(self.tag, self.name, self.key))
        self.tell(What.SETTLED, self.verdict.winner or "", "nobody" if self.verdict.winner is None else "")
        for author, other in self.done.items():
            if other != digest:
                self.differs(author)

    def judge(self) -> Verdict:
        """Return the verdict on what counts."""
        commits = {name: item.body for name, item in self.commits.items()}
        reveals = {name: item.body for name, item in self.reveals.items() if name in commits}
        verdict = settle(self.call.terms, commits, reveals, self.announced, self.players)
        faults = {one.player: one for one in self.convictions()}
        excluded = tuple(faults.get(one.player, one) for one in verdict.excluded)
        return Verdict(verdict.winner, verdict.rounds, excluded, verdict.tied, verdict.warnings)

    def convictions(self) -> Sequence[Excluded]:
        """Return who was convicted of more than silence: who signed two different Commits."""
        return [Excluded(author, Fault.EQUIVOCATED, TWO_COMMITS) for author in sorted(self.twice())]

    def twice(self) -> Mapping[str, Sequence[Item]]:
        """Return the different Commits of whoever signed two; where nobody signs there are none."""
        return {}

    def break_up(self, why: str) -> None:
        """Give up: there can be no verdict that all would share."""
        self.phase, self.broken = Phase.BROKEN, why
        self.tell(What.BROKEN, text=why)

    # ── the transcript ─────────────────────────────────────────────────────────────────────────────────────────────

    def header(self) -> Header:
        """Return the header of the transcript."""
        return self.call.header(self.announced)

    def entries(self) -> Iterator[Entry]:
        """Return what each party sent, as far as it counts; both Commits of whoever signed two."""
        twice = self.twice()
        for player in self.players:
            if player in twice:
                for item in twice[player]:
                    yield Entry(player, item.body, None, {"commit_signature": (item.signature(player) or b"").hex()})
                continue
            commit, reveal = self.commits.get(player), self.reveals.get(player)
            more = self.signatures(player)
            yield Entry(player, commit.body if commit else None, reveal.body if reveal else None, more or None)

    def signatures(self, player: str) -> dict[str, object]:
        """Return the signatures of a player for the transcript."""
        found: dict[str, object] = {}
        for name, item in (("commit_signature", self.commits.get(player)), ("reveal_signature", self.reveals.get(player))):
            octets = item.signature(player) if item is not None else None
            if octets is not None:
                found[name] = octets.hex()
        return found

    def notes(self) -> Iterator[Mapping[str, object]]:
        """Return what the transcript keeps besides: proofs and closings."""
        return iter(())


class DraftParty(Party):
    """A party by the letter of the draft: the first that arrives counts, until this party's own clock says stop.

    Where `repeats` is set it passes on what others said, once, when it closes a phase: in a group whose datagrams get lost,
    a party may die before it could repeat itself, and what reached one should reach all. Nobody signs in draft mode, so this
    is only for wires on which anybody could speak for anybody anyway.
    """

    repeats = False

    def heard_commit(self, item: Item, now: float) -> None:
        """Take in a Commit: the first counts."""
        held = self.commits.get(item.author)
        if held is not None:
            if held.body != item.body:
                self.tell(What.WARNED, item.author, "sent another Commit; the first counts")
            return
        if not self.well_formed(item):
            return
        if self.phase is not Phase.COMMIT:
            self.tell(What.WARNED, item.author, "committed too late")
            return
        self.commits[item.author] = item
        self.tell(What.COMMITTED, item.author)
        self.tick(now)

    def heard_reveal(self, item: Item, now: float) -> None:
        """Take in a Reveal: the first counts, and none without a Commit."""
        held = self.reveals.get(item.author)
        if held is not None:
            if held.body != item.body:
                self.tell(What.WARNED, item.author, "sent another Reveal; the first counts")
        elif item.author not in self.commits:
            self.tell(What.WARNED, item.author, "revealed without a Commit; discarded")
        elif self.phase in {Phase.COMMIT, Phase.REVEAL}:
            self.reveals[item.author] = item
            self.tell(What.REVEALED, item.author)
            self.tick(now)
        else:
            self.tell(What.WARNED, item.author, "revealed too late")

    def tick(self, now: float) -> None:
        """Close a phase when everything is in, or time is up."""
        until = self.wake()
        over = until is not None and now >= until
        if self.phase is Phase.COMMIT and (over or len(self.commits) == len(self.players)):
            self.open_up(now)
            self._repeat(self.commits)
        elif self.phase is Phase.REVEAL and (over or self.reveals.keys() >= self.commits.keys()):
            self.close(now)
            self._repeat(self.reveals)

    def _repeat(self, items: Mapping[str, Item]) -> None:
        if self.repeats and len(items) <= MOST_REPEATED:
            self.outbox += [item for author, item in sorted(items.items()) if author != self.name]

    def wake(self) -> float | None:
        """Return the deadline of the phase."""
        if self.phase is Phase.COMMIT:
            return None if self.call.commit_limit is None else self.began + self.call.commit_limit
        if self.phase is Phase.REVEAL:
            return None if self.call.reveal_limit is None else self.opened + self.call.reveal_limit
        if self.phase is Phase.SETTLED:
            return self.settled + 3 * self.call.delay
        return None


def summary(verdict: Verdict) -> bytes:
    """Return the digest of what a verdict says: who won, who is tied, who was left out."""
    out = sorted(one.player for one in verdict.excluded)
    text = repr((verdict.winner, sorted(verdict.tied), out))
    return sha256(b"arbitre/rochambeau/verdict/1" + text.encode()).digest()
