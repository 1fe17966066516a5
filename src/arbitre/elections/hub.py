"""A hub that relays, and a party that speaks through one (spec rochambeau, section 3).

The hub chooses nothing and knows no secret: it passes on what the parties say, and when a phase is over it lists what counts
and signs the hash of the list, its *closing*. All parties judge exactly what was listed, so they agree however late a
message was. In strong mode they also echo the closing, with the hub's signature, before anybody reveals: two different
closings of one phase are the proof that the hub cheated, and end the election. No Reveal counts without its author's echo of the
same closing, so a hub that shows two sets cannot keep the echoes back. In the end every party signs its verdict, and names a
winner only with a certificate: a hub that cuts a group in two, shows different Reveals or keeps verdicts back leaves at least one
half undecided, and never two winners. A party that was cut off, or killed and started again, is let in again by its key, and
hears everything that was said; what it signed before it signs again, and nothing else. The hub can leave a party out, which that
party sees; it cannot put words into anybody's mouth.

====================  ================================================================================
hub to a new party    WELCOME: public key, challenge
party to hub          HELLO: name; in strong mode the challenge, signed
hub to all            TERMS: the call, with everybody's name and key
party, through hub    COMMIT, ECHO, REVEAL, VERDICT
hub to all            LISTING and CLOSING of the Commits, then of the Reveals
====================  ================================================================================
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from hashlib import sha256
from typing import Any, Final

from arbitre.crypto.keys import KEY_BYTES, Key, signed
from arbitre.elections.call import MOST_ATTEMPTS, MOST_PARTIES, Call
from arbitre.elections.item import HUB, STATEMENTS, TAG_OCTETS, Item, Kind, read_packet, write_packets
from arbitre.elections.party import Party, Phase, What, convicting
from arbitre.elections.payload import read_commit
from arbitre.elections.ruling import (
    COMMITS,
    DIGEST,
    REVEALS,
    Ruling,
    certified,
    listing_hash,
    read_listing,
    read_ruling,
    set_hash,
    write_listing,
)
from arbitre.elections.signed import Conviction, claim_of, notes_of, write_entry
from arbitre.elections.terms import Mode, Terms, check_name
from arbitre.elections.transcript import Entry, Header
from arbitre.elections.verdict import Verdict, settle
from arbitre.errors import PayloadError, TermsError
from arbitre.reasons import Reason, declare, plain
from arbitre.records.event import canonical
from arbitre.values import value

LOBBY: Final = bytes(TAG_OCTETS)
"""The tag of what is said before there is an election."""
CHALLENGE_OCTETS: Final = 16
VERDICT_DELAYS: Final = 4
"""After so many delays a hub waits for no more verdicts."""

REASONS = declare(
    {
        "election-begun": ("the election has begun without you", "l’élection a commencé sans vous"),
        "election-here": ("%(name)s is here already", "%(name)s est déjà là"),
        "election-roster": ("%(name)s is not on the roster", "%(name)s n’est pas sur la liste"),
        "election-full": ("the table is full", "la table est complète"),
        "election-key": ("%(name)s did not sign with the key on the roster", "%(name)s n’a pas signé avec la clé de la liste"),
        "election-name": ("that is no name", "ce n’est pas un nom"),
    }
)


class HubParty(Party):
    """A party whose sets are those that the hub closes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.hub = bytes.fromhex(self.call.hub)
        self.keys = self.call.roster
        self._held: dict[tuple[Kind, str], list[Item]] = {}
        self._listings: dict[bytes, bytes] = {}
        self._closings: dict[bytes, Item] = {}
        self._taken: list[Item] = []
        """The closings whose lists we hold in full."""
        self._closed_at = 0.0
        self._proof: Conviction | None = None

    def receive(self, item: Item, now: float) -> None:
        """Take in what the hub said or passed on."""
        if item.author == HUB:
            self._from_hub(item, now)
        elif item.author in self.players and item.author != self.name:
            if self.strong:
                item = item.verified(self.tag, {item.author: self.keys[item.author]})
                if not item.signatures:
                    return
            if item.kind is Kind.ECHO:
                self.note(item)
                self._compare(item)
            else:
                super().receive(item, now)
        self.tick(now)

    def _keep(self, item: Item) -> None:
        held = self._held.setdefault((item.kind, item.author), [])
        if len(held) < 4 and all(one.body != item.body for one in held):
            held.append(item)
        self.note(item)

    def heard_commit(self, item: Item, now: float) -> None:
        """Keep a Commit until the hub closes."""
        if self.well_formed(item):
            self._keep(item)
            self.tell(What.COMMITTED, item.author)
            self.tick(now)

    def heard_reveal(self, item: Item, now: float) -> None:
        """Keep a Reveal until the hub closes."""
        self._keep(item)
        self.tell(What.REVEALED, item.author)
        self.tick(now)

    # ── the hub's closings ─────────────────────────────────────────────────────────────────────────────────────────

    def _from_hub(self, item: Item, now: float) -> None:
        if item.kind is Kind.LISTING and len(self._listings) < 8:
            self._listings[listing_hash(self.tag, item.body)] = item.body
        elif item.kind is Kind.CLOSING:
            item = item.verified(self.tag, {HUB: self.hub})
            stage = item.body[:1]
            if not item.signatures or len(item.body) != 1 + DIGEST:
                return
            held = self._closings.setdefault(stage, item)
            if held.body != item.body:
                self._convict_hub(held, item)
            for (kind, _), echoes in tuple(self.statements.items()):  # some may have come before it
                for echo in echoes if kind is Kind.ECHO else ():
                    self._compare(echo)
        self._close_stage(now)

    def _convict_hub(self, one: Item, two: Item) -> None:
        if self._proof is None:
            self._proof = Conviction(one, two)
            self.tell(What.CONVICTED, HUB, Reason("the hub signed two different closings"))
            self.break_up(Reason("the hub is convicted: it signed two different closings"))

    def _close_stage(self, now: float) -> None:
        stage = COMMITS if self.phase is Phase.COMMIT else REVEALS if self.phase is Phase.REVEAL else b""
        closing = self._closings.get(stage)
        listing = self._listings.get(closing.body[1:]) if closing else None
        if closing is None or listing is None:
            return
        try:
            said = self._listed(Kind.COMMIT if stage == COMMITS else Kind.REVEAL, listing)
        except PayloadError as error:
            self.give_up(Reason("the hub's list is of no use: %(error)s", error=error), now)
            return
        if said is None:
            return
        self._taken.append(closing)
        if stage == REVEALS:
            self.reveals = said
            self.close(now)
            return
        self.commits = said
        if self.opening is not None and self.name not in said:
            self.tell(What.WARNED, self.name, Reason("the hub left this party's Commit out"))
        self.phase, self._closed_at = Phase.ECHO, now
        if self.strong and self.opening is not None:
            body = closing.body[1:] + (closing.signature(HUB) or b"")
            if self.say(Kind.ECHO, body, now) is None:
                self.give_up(Reason("holds other Commits than before it was started again"), now)

    def _listed(self, kind: Kind, listing: bytes) -> dict[str, Item] | None:
        """Return what is listed, from what was passed on; None while something is still missing."""
        _, listed = read_listing(listing)
        said = {}
        for author, digest in listed.items():
            if author not in self.players or (kind is Kind.REVEAL and author not in self.commits):
                raise PayloadError("listing", "%(author)r has no part in it", author=author)
            found = [item for item in self._held.get((kind, author), ()) if sha256(item.body).digest() == digest]
            if not found or (kind is Kind.REVEAL and self.strong and not self._echoed(author)):
                return None
            said[author] = found[0]
        return said

    def echo_of(self, player: str) -> Item | None:
        """Return a player's echo of the closing of the Commits that we were shown."""
        closing = self._closings.get(COMMITS)
        held = self.statements.get((Kind.ECHO, player), ()) if closing is not None else ()
        return next((one for one in held if closing is not None and one.body[:DIGEST] == closing.body[1:]), None)

    def _echoed(self, author: str) -> bool:
        return self.echo_of(author) is not None

    def _compare(self, item: Item) -> None:
        """Convict a hub that has signed another closing for whoever echoes than for us."""
        closing, signature = COMMITS + item.body[:DIGEST], item.body[DIGEST:]
        held = self._closings.get(COMMITS)
        if held is None or closing == held.body:
            return
        other = Item(Kind.CLOSING, HUB, closing, ((HUB, signature),)).verified(self.tag, {HUB: self.hub})
        if other.signatures:
            self._convict_hub(held, other)
        else:
            self.tell(What.WARNED, item.author, Reason("echoed a closing that the hub did not sign"))

    # ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

    def tick(self, now: float) -> None:
        """Reveal when the echoes are in, and give up when the hub is silent."""
        self._close_stage(now)
        if self.phase is Phase.ECHO and (
            not self.strong or all(map(self._echoed, self.commits)) or now >= self._closed_at + self.call.delay
        ):
            self.open_up(now)
            self._close_stage(now)
        until = self.wake()
        if until is not None and now >= until and self.phase in {Phase.COMMIT, Phase.REVEAL}:
            self.give_up(Reason("the hub closed nothing in time, or listed what it did not pass on"), now)
        self.end_patience(now)

    def wake(self) -> float | None:
        """Return when the hub must have closed, with time for its messages to travel."""
        call = self.call
        if self.phase is Phase.COMMIT and call.commit_limit is not None:
            return self.began + call.commit_limit + 4 * call.delay
        if self.phase is Phase.ECHO:
            return self._closed_at + call.delay
        if self.phase is Phase.REVEAL and call.reveal_limit is not None:
            return self.opened + call.reveal_limit + 6 * call.delay
        if self.phase is Phase.JUDGED:
            return self.patience()
        if self.phase is Phase.SETTLED:
            return self.settled + 3 * call.delay
        return None

    def patience(self) -> float | None:
        """Return until when a certificate is awaited: the hub closes for all at once, and waits for verdicts so long."""
        if self.call.commit_limit is None:
            return None
        slow = self.call.terms.announced
        return (super().patience() or 0.0) if slow else self.judged + (VERDICT_DELAYS + 1) * self.call.delay

    def closings(self) -> Sequence[Item]:
        """Return the hub's closings."""
        return self._taken if self.strong else []

    def convictions(self) -> Sequence[Conviction]:
        """Return who signed two things of which only one can be so; the hub too."""
        return [*super().convictions(), *([self._proof] if self._proof is not None else [])]


# ── the hub itself ─────────────────────────────────────────────────────────────────────────────────────────────────


class Stage(Enum):
    """What a hub is doing."""

    GATHER = auto()
    COMMIT = auto()
    REVEAL = auto()
    VERDICT = auto()
    """All is closed; the parties say their verdicts."""
    OVER = auto()


@value
class HubPlan:
    """How a hub holds its elections."""

    terms: Terms
    parties: int | None = None
    """How many take part; None: whoever came when the time to gather is over."""
    gather: float | None = None
    """Seconds from the first party to the beginning; None: wait until all are here."""
    commit_limit: float | None = 30.0
    reveal_limit: float | None = 30.0
    delay: float = 1.0
    keys: tuple[tuple[str, str], ...] = ()
    liars: int = 0

    def __post_init__(self) -> None:
        """Refuse a plan that would never begin."""
        if self.parties is None and self.gather is None and not self.keys:
            raise TermsError("a hub must know how many parties come, or how long to wait for them")
        if self.parties is not None and self.keys and self.parties != len(self.keys):
            raise TermsError("the roster has %(keys)s names for %(parties)s parties", keys=len(self.keys), parties=self.parties)
        if self.terms.mode is Mode.STRONG and not self.keys:
            raise TermsError("strong mode needs a roster with the key of every party")

    @property
    def expected(self) -> int | None:
        """Return how many parties make the table full."""
        return len(self.keys) or self.parties


class Hub:
    """One election at a hub; connections are numbers, packets are octets, time is an argument."""

    def __init__(self, plan: HubPlan, key: Key) -> None:
        self.plan = plan
        self.key = key
        self.stage = Stage.GATHER
        self.seats: dict[int, str] = {}
        """Who is on which connection."""
        self.call: Call | None = None
        self.attempt = 1
        self.verdict: Verdict | None = None
        """What the parties certified; None while, or if, they did not."""
        self.header: Header | None = None
        """Of the transcript of the last attempt, as soon as it is closed."""
        self.outbox: list[tuple[int | None, bytes]] = []
        """To one connection, or to all that are seated."""
        self.dismissed: set[int] = set()
        self._challenges: dict[int, bytes] = {}
        self._lists: list[Item] = []
        """What was listed at each closing."""
        self._said: dict[tuple[Kind, str], list[Item]] = {}
        self._opened = 0.0
        self._first = 0.0
        self._since = 0.0
        self._listed: frozenset[str] = frozenset()
        self._closings: list[Item] = []
        self._certified = b""
        """The verdict that enough parties said."""

    def connect(self, connection: int, challenge: bytes) -> None:
        """Greet a new connection; `challenge` are fresh random octets."""
        self._challenges[connection] = challenge
        self._send(connection, LOBBY, Item(Kind.WELCOME, HUB, self.key.public + challenge))

    def disconnect(self, connection: int, now: float) -> None:
        """Somebody is gone: nothing more is to be expected from him."""
        self._challenges.pop(connection, None)
        self.seats.pop(connection, None)
        self.tick(now)

    def receive(self, connection: int, packet: bytes, now: float) -> None:
        """Take in a packet; `PayloadError` for what is none. The clock comes first: what was queued meanwhile is late."""
        tag, items = read_packet(packet)
        self.tick(now)
        for item in items:
            if tag == LOBBY and item.kind is Kind.HELLO:
                self._join(connection, item, now)
            elif self.call is not None and tag == self.call.tag and self.seats.get(connection) == item.author:
                self._pass_on(item)
        self.tick(now)

    def _join(self, connection: int, item: Item, now: float) -> None:
        why = self._objection(connection, item)
        if why is not None:
            self._send(connection, LOBBY, Item(Kind.REFUSED, HUB, canonical(plain(why)).encode()))
            self.dismissed.add(connection)
            return
        if self.stage is not Stage.GATHER:
            self._return(connection, item.author)
            return
        if not self.seats:
            self._first = now
        self.seats[connection] = item.author

    def _return(self, connection: int, name: str) -> None:
        """Let somebody who was gone go on: on this connection now, and with everything that was said so far."""
        call = self.call
        assert call is not None  # noqa: S101 - it has begun
        for old in [one for one, seated in self.seats.items() if seated == name]:
            del self.seats[old]
            self.dismissed.add(old)
        self.seats[connection] = name
        self._send(connection, LOBBY, Item(Kind.TERMS, HUB, call.octets()).sign(LOBBY, HUB, self.key))
        said = {kind: [one for (what, _), items in self._said.items() if what is kind for one in items] for kind in STATEMENTS}
        closed = [*zip(self._lists, self._closings, strict=True), (), ()]
        before, after = closed[:2]
        told = [*said[Kind.COMMIT], *before, *said[Kind.ECHO], *said[Kind.REVEAL], *after, *said[Kind.VERDICT]]
        self._send(connection, call.tag, *told)

    def _objection(self, connection: int, item: Item) -> Reason | None:
        """Return why somebody cannot take part; None if he can."""
        try:
            name = check_name(item.author)
        except TermsError:
            return Reason("election-name")
        roster = dict(self.plan.keys)
        if self.stage is not Stage.GATHER:
            return None if self._returns(connection, item) else Reason("election-begun")
        if name in self.seats.values() or connection in self.seats:
            return Reason("election-here", name=name)
        if roster and name not in roster:
            return Reason("election-roster", name=name)
        if len(self.seats) >= (self.plan.expected or MOST_PARTIES):
            return Reason("election-full")
        if roster.get(name) and not self._proves(connection, item, roster[name]):
            return Reason("election-key", name=name)
        return None

    def _proves(self, connection: int, item: Item, key: str) -> bool:
        """Tell whether somebody signed our challenge with the key of his name."""
        signature = item.signature(item.author) or b""
        return item.body == self._challenges.get(connection) and signed(bytes.fromhex(key), item.statement(LOBBY), signature)

    def _returns(self, connection: int, item: Item) -> bool:
        """Tell whether this is a party of the election that goes on, by its key: it was cut off, or started again."""
        if self.call is None or self.call.terms.mode is not Mode.STRONG or self.stage is Stage.OVER or connection in self.seats:
            return False
        key = self.call.roster.get(item.author) if item.author in self.call.players else None
        return key is not None and self._proves(connection, item, key.hex())

    def _pass_on(self, item: Item) -> None:
        """Relay what a party says, each thing once; a second of its kind only as evidence."""
        assert self.call is not None  # noqa: S101 - nothing is passed on before the call
        strong = self.call.terms.mode is Mode.STRONG
        said = self._said.setdefault((item.kind, item.author), [])
        if item.kind not in STATEMENTS or any(one.body == item.body for one in said):
            return
        if strong:
            item = item.verified(self.call.tag, {item.author: self.call.roster[item.author]})
        if len(said) >= (2 if strong else 1) or (strong and not item.signatures):
            return
        if item.kind is Kind.COMMIT and (self.stage is not Stage.COMMIT or not self._well_formed(item)):
            return
        if item.kind is Kind.REVEAL and (self.stage is not Stage.REVEAL or item.author not in self._listed):
            return
        if strong and item.kind is Kind.REVEAL and not self._has_echoed(item.author):
            return  # nobody would count it
        said.append(item)
        self._send(None, self.call.tag, item)

    def _has_echoed(self, author: str) -> bool:
        return self._echo(author) is not None

    def _echo(self, author: str) -> Item | None:
        """Return the echo of our closing of the Commits that somebody signed."""
        closing = self._closings[0].body[1:] if self._closings else b"?"
        return next((one for one in self._said.get((Kind.ECHO, author), ()) if one.body[:DIGEST] == closing), None)

    def _well_formed(self, item: Item) -> bool:
        assert self.call is not None  # noqa: S101 - as above
        try:
            read_commit(self.call.terms, item.body)
        except PayloadError:
            return False
        return True

    def _send(self, connection: int | None, tag: bytes, *items: Item) -> None:
        self.outbox += [(connection, packet) for packet in write_packets(tag, items)]

    # ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

    def wake(self) -> float | None:
        """Return when to tick at the latest."""
        if self.stage is Stage.GATHER:
            return None if self.plan.gather is None or not self.seats else self._first + self.plan.gather
        limit = self.plan.commit_limit if self.stage is Stage.COMMIT else self.plan.reveal_limit
        if self.stage is Stage.OVER or limit is None:
            return None
        if self.stage is Stage.VERDICT:
            # whoever must fetch an announced value first takes his time
            return None if self.plan.terms.announced else self._since + VERDICT_DELAYS * self.plan.delay
        return self._since + limit + (self.plan.delay if self.stage is Stage.REVEAL else 0.0)

    def tick(self, now: float) -> None:
        """Begin when everybody is here, and close a phase when everything is in or time is up."""
        until = self.wake()
        over = until is not None and now >= until
        if self.stage is Stage.GATHER:
            full = self.plan.expected is not None and len(self.seats) >= self.plan.expected
            if full or (over and len(self.seats) >= 2):
                self._begin(now)
        elif self.stage is Stage.COMMIT and (over or self._complete(Kind.COMMIT)):
            self._close(COMMITS, now)
        elif self.stage is Stage.REVEAL and (over or self._complete(Kind.REVEAL)):
            self._close(REVEALS, now)
        elif self.stage is Stage.VERDICT and (over or self._complete(Kind.VERDICT)):
            self._conclude(now)

    def _begin(self, now: float) -> None:
        keys = self.plan.keys or tuple((name, "") for name in sorted(self.seats.values()))
        plan = self.plan
        limits = (plan.commit_limit, plan.reveal_limit, plan.delay)
        self.call = Call(plan.terms, len(keys), *limits, None, keys, self.key.public.hex(), plan.liars)
        self._call(now)

    def _call(self, now: float) -> None:
        """Call for Commits."""
        assert self.call is not None  # noqa: S101 - there is one
        self._said.clear()
        self._closings.clear()
        self._lists.clear()
        self.stage, self._since = Stage.COMMIT, now
        self._send(None, LOBBY, Item(Kind.TERMS, HUB, self.call.octets()).sign(LOBBY, HUB, self.key))

    def _complete(self, kind: Kind) -> bool:
        """Tell whether nothing more can come: everybody has said it, or is gone."""
        assert self.call is not None  # noqa: S101 - there is one
        awaited = set(self.call.players) & set(self.seats.values())
        if kind is Kind.REVEAL:
            awaited &= self._listed
        return all(self._said.get((kind, player)) for player in awaited)

    def _close(self, stage: bytes, now: float) -> None:
        assert self.call is not None  # noqa: S101 - there is one
        kind = Kind.COMMIT if stage == COMMITS else Kind.REVEAL
        # whoever signed two different Commits is not listed at all; of Reveals the first counts
        said = {
            author: items[0].body
            for (what, author), items in self._said.items()
            if what is kind and items and (len(items) == 1 or kind is Kind.REVEAL)
        }
        closing = Item(Kind.CLOSING, HUB, stage + set_hash(self.call.tag, stage, said)).sign(self.call.tag, HUB, self.key)
        self._closings.append(closing)
        self._lists.append(Item(Kind.LISTING, HUB, write_listing(stage, said)))
        self._send(None, self.call.tag, self._lists[-1], closing)
        if stage == COMMITS:
            self._listed, self.stage, self._since = frozenset(said), Stage.REVEAL, now
        else:
            self.stage, self._since = Stage.VERDICT, now
            self.header = self.call.header()

    def _counted(self, kind: Kind) -> dict[str, Item]:
        """Return what was listed, by author."""
        said = {author: items[0] for (what, author), items in self._said.items() if what is kind and items}
        return {author: item for author, item in said.items() if author in self._listed}

    def _verdicts(self) -> dict[str, Item]:
        """Return the verdicts of those who said one, and no other."""
        return {author: items[0] for (what, author), items in self._said.items() if what is Kind.VERDICT and len(items) == 1}

    def _verdict(self, name: str) -> Item | None:
        """Return the verdict of somebody: the certified one, if he signed it."""
        said = self._said.get((Kind.VERDICT, name), ())
        return next((one for one in said if one.body == self._certified), next(iter(said), None))

    def entries(self) -> Iterator[Entry]:
        """Return the lines of the transcript."""
        call = self.call
        assert call is not None  # noqa: S101 - there is one
        commits, reveals = self._counted(Kind.COMMIT), self._counted(Kind.REVEAL)
        for name in sorted(call.players, key=str.encode):
            found = {
                Kind.COMMIT: commits.get(name),
                Kind.ECHO: self._echo(name),
                Kind.REVEAL: reveals.get(name),
                Kind.VERDICT: self._verdict(name),
            }
            said = {kind: item for kind, item in found.items() if item is not None}
            if call.terms.mode is Mode.STRONG:
                yield write_entry(name, said)
            else:
                commit, reveal = said.get(Kind.COMMIT), said.get(Kind.REVEAL)
                yield Entry(name, commit.body if commit else None, reveal.body if reveal else None)

    def _convictions(self) -> list[Conviction]:
        return [Conviction(*items) for (what, _), items in self._said.items() if what in STATEMENTS and len(items) > 1]

    def notes(self) -> Iterator[Mapping[str, object]]:
        """Return the lines of the transcript between the parties and the verdict."""
        strong = self.call is not None and self.call.terms.mode is Mode.STRONG
        return notes_of(self._closings, self._convictions()) if strong else iter(())

    def claim(self) -> dict[str, object] | None:
        """Return what the transcript claims; nothing where the parties certified nothing."""
        if self.verdict is None or self.call is None:
            return None
        strong = self.call.terms.mode is Mode.STRONG
        said = {name: self._verdict(name) for name in self.call.players}
        signers = [name for name, item in said.items() if item is not None and item.body == self._certified]
        return claim_of(self.verdict, self._convictions(), signers if strong else None)

    def _conclude(self, now: float) -> None:
        """End, or call the tied again: what the parties certified holds, if it follows from what was listed."""
        call = self.call
        assert call is not None  # noqa: S101 - there is one
        self.stage = Stage.OVER
        body = certified({name: item.body for name, item in self._verdicts().items()}, call.quorum)
        if body is None:
            return
        self._certified = body
        try:
            announced = read_ruling(body).announced
        except PayloadError:
            return
        commits, reveals = (
            {name: item.body for name, item in self._counted(kind).items()} for kind in (Kind.COMMIT, Kind.REVEAL)
        )
        found = settle(call.terms, commits, reveals, announced, call.players)
        first, second = (closing.body[1:] for closing in self._closings)
        if Ruling(first, second, announced, found.winner).octets() != body:
            return
        self.verdict = convicting(found, self._convictions())
        self.header = call.header(announced)
        if self.verdict.void and self.attempt < MOST_ATTEMPTS:
            self.attempt += 1
            self.call, self.verdict = call.again(found.tied, self.attempt), None
            self._call(now)


def read_welcome(item: Item) -> tuple[bytes, bytes]:
    """Return the hub's public key and the challenge."""
    if len(item.body) != KEY_BYTES + CHALLENGE_OCTETS:
        raise PayloadError("welcome", "%(body)s octets", body=len(item.body))
    return item.body[:KEY_BYTES], item.body[KEY_BYTES:]
