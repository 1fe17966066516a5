"""One party of a live election, as a state machine: items and the time in, items and happenings out (seed 003, section 4.2).

::

    COMMIT ──all Commits are in, or time is up──▶ REVEAL ──all Reveals are in, or time is up──▶ JUDGED
       └────▶ ECHO (strong mode) ────▶┘              └────▶ VALUE (a value is to be announced) ──▶┘
    JUDGED ──enough equal verdicts, a certificate──▶ SETTLED
       └────time is up──▶ UNDECIDED ──a certificate comes late──▶ SETTLED

A party never reveals before the Commit phase is closed for it. What others send too early is kept, what they send too late
or twice is not counted, what is malformed is not counted either, and each is told as a happening. When it has a verdict it says
so, once, and names a winner only with a certificate (`ruling`): whoever was paused or cut off takes that of the others, or ends
undecided, but never names another winner. In draft mode the same rule holds without signatures: it saves from pauses and broken
cables, not from lies.

This module is the draft mode; `strong` and `hub` differ in who decides what counts.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, StrEnum, auto
from typing import Final

from arbitre.crypto.keys import Key
from arbitre.elections.call import Call
from arbitre.elections.item import STATEMENTS, Item, Kind
from arbitre.elections.journal import Journal
from arbitre.elections.payload import Excluded, Fault, Opening, read_commit, write_commit, write_reveal
from arbitre.elections.ruling import COMMITS, REVEALS, Ruling, certified, read_ruling, set_hash
from arbitre.elections.signed import Conviction, claim_of, notes_of, write_entry
from arbitre.elections.terms import Mode
from arbitre.elections.transcript import Entry, Header
from arbitre.elections.verdict import Verdict, settle
from arbitre.errors import PayloadError, TermsError
from arbitre.reasons import Reason
from arbitre.values import value

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
    JUDGED = auto()
    """It has said its verdict, or can have none of its own; a certificate is awaited."""
    SETTLED = auto()
    """It holds a certificate."""
    UNDECIDED = auto()
    """No certificate came in time; one may still come."""
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
    UNDECIDED = "undecided"
    BROKEN = "broken"


@value
class Happening:
    """Something worth telling."""

    what: What
    player: str = ""
    why: Reason | None = None


class Party(ABC):
    """What all parties do alike; the subclasses decide when a phase is over and what counts."""

    def __init__(
        self,
        call: Call,
        players: Collection[str],
        name: str,
        opening: Opening | None,
        key: Key | None = None,
        journal: Journal | None = None,
    ) -> None:
        """Take part as `name` with an opening, or, without one, only watch; `journal` is what the key signed before."""
        if opening is not None and name not in players:
            raise TermsError("%(name)r is not among the players", name=name)
        self.call = call
        self.tag = call.tag
        self.strong = call.terms.mode is Mode.STRONG
        self.players = tuple(sorted(players, key=str.encode))
        self.name = name
        self.opening = opening
        self.key = key
        self.journal = journal or Journal()
        self.phase = Phase.COMMIT
        self.commits: dict[str, Item] = {}
        """The Commits that count, or so far would."""
        self.reveals: dict[str, Item] = {}
        self.statements: dict[tuple[Kind, str], list[Item]] = {}
        """What each author has said, at most two different things of a kind: two convict, where parties sign."""
        self.outbox: list[Item] = []
        self.happenings: list[Happening] = []
        self.found: Verdict | None = None
        """What follows from what this party holds."""
        self.verdict: Verdict | None = None
        """What a certificate says; None while there is none."""
        self.certificate: tuple[Item, ...] = ()
        self.broken: Reason | None = None
        self.announced = b""
        self.began = self.opened = self.judged = self.settled = 0.0
        self._told = 0

    # ── what the world calls ───────────────────────────────────────────────────────────────────────────────────────

    def begin(self, now: float) -> None:
        """Begin, or go on: everybody is here."""
        self.began = now - self.journal.age()
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
            case Kind.VERDICT:
                self.heard_verdict(item, now)
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
            self._judge(now)

    def finished(self, now: float) -> bool:
        """Tell whether this party may leave: the others have settled too, or had time enough to."""
        if self.phase is not Phase.SETTLED:
            return self.phase in {Phase.BROKEN, Phase.UNDECIDED}
        heard = {author for kind, author in self.statements if kind is Kind.VERDICT}
        return heard >= set(self.commits) - {self.name} or now >= self.settled + 3 * self.call.delay

    def drain(self) -> list[Item]:
        """Return what is to be sent to everybody."""
        items, self.outbox = self.outbox, []
        return items

    # ── what the parts share ───────────────────────────────────────────────────────────────────────────────────────

    def say(self, kind: Kind, body: bytes, now: float) -> Item | None:
        """Say something, to the others and to oneself; nothing, where this key has signed another of its kind."""
        item = self.journal.sign(Item(kind, self.name, body), self.tag, self.key)
        if item is None:
            self.tell(
                What.WARNED, self.name, Reason("signed something else before it was started again, and signs nothing twice")
            )
            return None
        self.outbox.append(item)
        self.note(item)
        match kind:
            case Kind.COMMIT:
                self.heard_commit(item, now)
            case Kind.REVEAL:
                self.heard_reveal(item, now)
            case _:
                pass
        return item

    def note(self, item: Item) -> bool:
        """Remember what its author has said; tell whether it is new. In strong mode only what its author signed comes here."""
        held = self.statements.setdefault((item.kind, item.author), [])
        if len(held) >= (2 if self.strong else 1) or any(one.body == item.body for one in held):
            return False
        signature = item.signature(item.author)
        held.append(Item(item.kind, item.author, item.body, ((item.author, signature),) if signature else ()))
        if len(held) > 1 and item.kind in STATEMENTS:
            self.tell(What.CONVICTED, item.author, Reason("signed two different ones: %(kind)s", kind=item.kind.name.lower()))
        return True

    def tell(self, what: What, player: str = "", why: Reason | None = None) -> None:
        """Note a happening."""
        self._told += 1
        if self._told <= MOST_HAPPENINGS:
            self.happenings.append(Happening(what, player, why))

    @abstractmethod
    def heard_commit(self, item: Item, now: float) -> None:
        """Take in a Commit."""

    @abstractmethod
    def heard_reveal(self, item: Item, now: float) -> None:
        """Take in a Reveal."""

    def heard_verdict(self, item: Item, now: float) -> None:
        """Take in somebody's verdict."""
        if self.note(item):
            if self.found is not None and item.body != self.ruling(self.found).octets():
                self.tell(What.WARNED, item.author, Reason("came to another verdict than this party"))
            self._certify(now)

    def well_formed(self, item: Item) -> bool:
        """Tell whether a Commit is one; what is none is discarded as if it had not been sent."""
        try:
            read_commit(self.call.terms, item.body)
        except PayloadError as error:
            self.tell(What.WARNED, item.author, Reason("%(error)s; discarded", error=error))
            return False
        return True

    def open_up(self, now: float) -> None:
        """Close the Commit phase, and reveal."""
        self.phase, self.opened = Phase.REVEAL, self.opening_time(now)
        counted = Reason("%(commits)s of %(parties)s committed", commits=len(self.commits), parties=len(self.players))
        self.tell(What.CLOSED, why=counted)
        for player in self.players:
            if player not in self.commits:
                self.tell(What.EXCLUDED, player, Reason(Fault.NO_COMMIT.value))
        if self.opening is not None and self.name in self.commits:
            self.say(Kind.REVEAL, write_reveal(self.call.terms, self.opening), now)

    def opening_time(self, now: float) -> float:
        """Return from when the limit of the Reveals runs."""
        return now

    def close(self, now: float) -> None:
        """Close the Reveal phase."""
        if self.call.terms.announced:
            self.phase = Phase.VALUE
        else:
            self._judge(now)

    # ── the verdict ────────────────────────────────────────────────────────────────────────────────────────────────

    def _judge(self, now: float) -> None:
        self.phase, self.judged = Phase.JUDGED, now
        self.found = self.judge()
        for one in self.found.excluded:
            self.tell(What.EXCLUDED, one.player, Reason(one.fault.value))
        if self.opening is not None:
            self.say(Kind.VERDICT, self.ruling(self.found).octets(), now)
        self._certify(now)

    def judge(self) -> Verdict:
        """Return the verdict on what counts."""
        commits = {name: item.body for name, item in self.commits.items()}
        reveals = {name: item.body for name, item in self.reveals.items() if name in commits}
        verdict = settle(self.call.terms, commits, reveals, self.announced, self.players)
        return convicting(verdict, self.convictions())

    def ruling(self, verdict: Verdict) -> Ruling:
        """Return what this party signs for a verdict."""
        commits, reveals = (
            set_hash(self.tag, stage, {name: item.body for name, item in items.items() if name in self.commits})
            for stage, items in ((COMMITS, self.commits), (REVEALS, self.reveals))
        )
        return Ruling(commits, reveals, self.announced, verdict.winner)

    def give_up(self, why: Reason, now: float) -> None:
        """Have no verdict of one's own; that of the others may still come."""
        self.phase, self.judged = Phase.JUDGED, now
        self.tell(What.WARNED, self.name, why)
        self._certify(now)

    def _certify(self, now: float) -> None:
        """Settle, if enough have signed the same verdict."""
        if self.phase not in {Phase.JUDGED, Phase.UNDECIDED}:
            return
        said = {author: held[0] for (kind, author), held in self.statements.items() if kind is Kind.VERDICT and len(held) == 1}
        body = certified({author: item.body for author, item in said.items()}, self.call.quorum)
        verdict = None if body is None else self._certified(body)
        if verdict is None:
            return
        self.verdict = verdict
        self.certificate = tuple(item for _, item in sorted(said.items()) if item.body == body)
        self.phase, self.settled = Phase.SETTLED, now
        self.tell(What.SETTLED, verdict.winner or "", None if verdict.winner else Reason("nobody"))
        self.pass_on([item for item in self.certificate if item.author != self.name])

    def _certified(self, body: bytes) -> Verdict | None:
        """Return the verdict of a certificate: our own, or, of whoever was cut off, the winner alone."""
        if self.found is not None and body == self.ruling(self.found).octets():
            return self.found
        try:
            winner = read_ruling(body).winner
        except PayloadError:
            return None
        if winner not in self.players:
            return None  # whether nobody won there, or some tied and commit anew, a certificate does not say
        self.tell(What.WARNED, self.name, Reason("held other Commits or Reveals than the others; the winner is theirs"))
        return Verdict(winner, (), ())

    def pass_on(self, items: Sequence[Item]) -> None:  # noqa: B027 - of use on some wires only
        """Say again what others said, where that is of use."""

    def patience(self) -> float | None:
        """Return until when a certificate is awaited: until everybody had time to close both phases, and to say so."""
        commit, reveal = self.call.commit_limit, self.call.reveal_limit
        if commit is None or reveal is None:
            return None
        value_ = commit + reveal if self.call.terms.announced else 0.0
        return max(self.judged, self.began + commit + reveal + self.windows()) + value_ + 3 * self.call.delay

    def windows(self) -> float:
        """Return how many seconds both phases may be longer than their limits."""
        return 0.0

    def end_patience(self, now: float) -> None:
        """End undecided when no certificate came in time."""
        until = self.patience() if self.phase is Phase.JUDGED else None
        if until is not None and now >= until:
            self.phase = Phase.UNDECIDED
            self.tell(What.UNDECIDED)

    def overdue(self) -> float:
        """Return after how many seconds nothing of this call can be taken up again."""
        return (self.call.commit_limit or 0.0) + (self.call.reveal_limit or 0.0) + self.windows() + 3 * self.call.delay

    def break_up(self, why: Reason) -> None:
        """Break off: somebody is convicted of what cannot be repaired."""
        self.phase, self.broken = Phase.BROKEN, why
        self.tell(What.BROKEN, why=why)

    # ── the transcript ─────────────────────────────────────────────────────────────────────────────────────────────

    def convictions(self) -> Sequence[Conviction]:
        """Return who signed two things of which only one can be so, with both."""
        if not self.strong:
            return ()
        return [Conviction(*held) for (kind, _), held in self.statements.items() if kind in STATEMENTS and len(held) > 1]

    def header(self) -> Header:
        """Return the header of the transcript."""
        return self.call.header(self.announced)

    def entries(self) -> Iterator[Entry]:
        """Return what each party sent, as far as it counts."""
        for player in self.players:
            said = self._counting(player)
            if self.strong:
                yield write_entry(player, said)
            else:
                commit, reveal = said.get(Kind.COMMIT), said.get(Kind.REVEAL)
                yield Entry(player, commit.body if commit else None, reveal.body if reveal else None)

    def _counting(self, player: str) -> dict[Kind, Item]:
        """Return what counts of a player: its payloads in the sets, its echo of our set, its verdict."""
        ruling = b"" if self.found is None else self.ruling(self.found).octets()
        verdicts = self.statements.get((Kind.VERDICT, player), ())
        found = {
            Kind.COMMIT: self.commits.get(player),
            Kind.ECHO: self.echo_of(player),
            Kind.REVEAL: self.reveals.get(player) if player in self.commits else None,
            Kind.VERDICT: next((one for one in verdicts if one.body == ruling), next(iter(verdicts), None)),
        }
        return {kind: item for kind, item in found.items() if item is not None}

    def echo_of(self, player: str) -> Item | None:
        """Return a player's echo of the Commits that count."""
        body = set_hash(self.tag, COMMITS, {name: item.body for name, item in self.commits.items()})
        held = self.statements.get((Kind.ECHO, player), ())
        return next((item for item in held if item.body[: len(body)] == body), None)

    def closings(self) -> Sequence[Item]:
        """Return the hub's closings, where there is a hub."""
        return ()

    def notes(self) -> Iterator[Mapping[str, object]]:
        """Return what the transcript keeps besides: closings and proofs."""
        return notes_of(self.closings(), self.convictions())

    def claim(self) -> dict[str, object] | None:
        """Return what the transcript claims: nothing, where there is no certificate, or one of other sets than these."""
        if self.verdict is None or self.verdict is not self.found:
            return None
        body = self.ruling(self.verdict).octets()
        signed = [
            name for (kind, name), held in self.statements.items() if kind is Kind.VERDICT and body in [one.body for one in held]
        ]
        return claim_of(self.verdict, self.convictions(), signed if self.strong else None)


def convicting(verdict: Verdict, convictions: Sequence[Conviction]) -> Verdict:
    """Return the verdict with those whose Commits do not count because they signed two."""
    twice = {one.author for one in convictions if one.one.kind is Kind.COMMIT}
    excluded = tuple(
        Excluded(one.player, Fault.EQUIVOCATED, Reason("signed two different Commits"))
        if one.player in twice and one.fault is Fault.NO_COMMIT
        else one
        for one in verdict.excluded
    )
    return Verdict(verdict.winner, verdict.rounds, excluded, verdict.tied, verdict.warnings)


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
                self.tell(What.WARNED, item.author, Reason("sent another Commit; the first counts"))
            return
        if not self.well_formed(item):
            return
        if self.phase is not Phase.COMMIT:
            self.tell(What.WARNED, item.author, Reason("committed too late"))
            return
        self.commits[item.author] = item
        self.tell(What.COMMITTED, item.author)
        self.tick(now)

    def heard_reveal(self, item: Item, now: float) -> None:
        """Take in a Reveal: the first counts, and none without a Commit."""
        held = self.reveals.get(item.author)
        if held is not None:
            if held.body != item.body:
                self.tell(What.WARNED, item.author, Reason("sent another Reveal; the first counts"))
        elif item.author not in self.commits:
            self.tell(What.WARNED, item.author, Reason("revealed without a Commit; discarded"))
        elif self.phase in {Phase.COMMIT, Phase.REVEAL}:
            self.reveals[item.author] = item
            self.tell(What.REVEALED, item.author)
            self.tick(now)
        else:
            self.tell(What.WARNED, item.author, Reason("revealed too late"))

    def tick(self, now: float) -> None:
        """Close a phase when everything is in, or time is up."""
        until = self.wake()
        over = until is not None and now >= until
        if self.phase is Phase.COMMIT and (over or len(self.commits) == len(self.players)):
            self.open_up(now)
            self.pass_on([item for author, item in sorted(self.commits.items()) if author != self.name])
            over = (until := self.wake()) is not None and now >= until
        if self.phase is Phase.REVEAL and (over or self.reveals.keys() >= self.commits.keys()):
            self.close(now)
            self.pass_on([item for author, item in sorted(self.reveals.items()) if author != self.name])
        self.end_patience(now)

    def opening_time(self, now: float) -> float:
        """Return from when the limit of the Reveals runs: whoever slept past that of the Commits has no more time for it."""
        return now if self.call.commit_limit is None else min(now, self.began + self.call.commit_limit)

    def pass_on(self, items: Sequence[Item]) -> None:
        """Say again what others said, on wires where anybody could."""
        if self.repeats and len(self.players) <= MOST_REPEATED:
            self.outbox += items

    def wake(self) -> float | None:
        """Return the deadline of the phase."""
        if self.phase is Phase.COMMIT:
            return None if self.call.commit_limit is None else self.began + self.call.commit_limit
        if self.phase is Phase.REVEAL:
            return None if self.call.reveal_limit is None else self.opened + self.call.reveal_limit
        if self.phase is Phase.JUDGED:
            return self.patience()
        if self.phase is Phase.SETTLED:
            return self.settled + 3 * self.call.delay
        return None
