"""A hub that relays, and a party that speaks through one (spec rochambeau, section 3).

The hub chooses nothing and knows no secret: it passes on what the parties say, and when a phase is over it lists what counts
and signs the digest of the list, its *closing*. All parties settle exactly what was listed, so they agree however late a
message was. In strong mode they also echo the closing, with the hub's signature, before anybody reveals: two different
closings of one phase are the proof that the hub cheated, and end the election. No Reveal counts without its author's echo of the
same closing, so a hub that shows two sets cannot keep the echoes back; and whoever is shown other Reveals signs another verdict.
A hub can still leave a party out, which that party sees; it cannot put words into anybody's mouth, because the parties sign.

====================  ================================================================================
hub to a new party    WELCOME: public key, challenge
party to hub          HELLO: name; in strong mode the challenge, signed
hub to all            TERMS: the call, with everybody's name and key
party, through hub    COMMIT, ECHO, REVEAL, DONE
hub to all            LISTING and CLOSING of the Commits, then of the Reveals
====================  ================================================================================
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from hashlib import sha256
from typing import Any, Final

from arbitre.crypto.keys import KEY_BYTES, Key, signed
from arbitre.elections.call import MOST_ATTEMPTS, MOST_PARTIES, Call
from arbitre.elections.item import HUB, TAG_OCTETS, Item, Kind, read_packet, write_packets
from arbitre.elections.party import TWO_COMMITS, Party, Phase, What
from arbitre.elections.payload import Excluded, Fault, read_commit
from arbitre.elections.terms import Mode, Terms, check_name
from arbitre.elections.transcript import Entry, Header
from arbitre.elections.verdict import Verdict, settle
from arbitre.errors import PayloadError, TermsError
from arbitre.values import value

LOBBY: Final = bytes(TAG_OCTETS)
"""The tag of what is said before there is an election."""
CHALLENGE_OCTETS: Final = 16
COMMITS, REVEALS = b"\1", b"\2"
"""Which phase a closing closes."""


def write_listing(stage: bytes, said: Mapping[str, bytes]) -> bytes:
    """Return the list of authors, each with the digest of what it said."""
    rows = ((name.encode(), sha256(said[name]).digest()) for name in sorted(said))
    return stage + struct.pack(">H", len(said)) + b"".join(bytes([len(name)]) + name + digest for name, digest in rows)


def read_listing(body: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the stage of a list and the digest for each author."""
    listed: dict[str, bytes] = {}
    at = 3
    for _ in range(int.from_bytes(body[1:3], "big")):
        size = body[at] if at < len(body) else 0
        name, digest = body[at + 1 : at + 1 + size], body[at + 1 + size : at + 33 + size]
        at += 33 + size
        if len(digest) < 32 or not size:
            raise PayloadError("listing", "cut off")
        try:
            listed[name.decode()] = digest
        except UnicodeDecodeError:
            raise PayloadError("listing", "a name is not UTF-8") from None
    if at != len(body) or body[:1] not in {COMMITS, REVEALS}:
        raise PayloadError("listing", "%(body)s octets of stage %(body2)s", body=len(body), body2=body[:1].hex())
    return body[:1], listed


class HubParty(Party):
    """A party whose sets are those that the hub closes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.hub = bytes.fromhex(self.call.hub)
        self.keys = self.call.roster
        self.strong = self.call.terms.mode is Mode.STRONG
        self._held: dict[tuple[Kind, str], list[Item]] = {}
        self._listings: dict[bytes, bytes] = {}
        self._closings: dict[bytes, Item] = {}
        self._echoes: dict[str, Item] = {}
        self._closed_at = 0.0
        self._proof: tuple[Mapping[str, object], ...] = ()

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
                self._heard_echo(item)
            else:
                super().receive(item, now)
        self.tick(now)

    def _keep(self, item: Item) -> None:
        held = self._held.setdefault((item.kind, item.author), [])
        if len(held) < 4 and all(one.body != item.body for one in held):
            held.append(item)
            if len(held) == 2 and item.kind is Kind.COMMIT and self.strong:
                self.tell(What.CONVICTED, item.author, "signed two different Commits")

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
            self._listings[sha256(item.body).digest()] = item.body
        elif item.kind is Kind.CLOSING:
            item = item.verified(self.tag, {HUB: self.hub})
            stage = item.body[:1]
            if not item.signatures or len(item.body) != 33:
                return
            held = self._closings.setdefault(stage, item)
            if held.body != item.body:
                self._convict_hub(held, item)
            for echo in tuple(self._echoes.values()):  # some may have come before it
                self._compare(echo)
        self._close_stage(now)

    def _convict_hub(self, one: Item, two: Item) -> None:
        proof = [{"closing": item.body.hex(), "signature": (item.signature(HUB) or b"").hex()} for item in (one, two)]
        self._proof = ({"convicted": "hub", "of": Fault.EQUIVOCATED.value, "proof": proof},)
        self.tell(What.CONVICTED, "hub", "signed two different closings")
        self.break_up("the hub is convicted: it signed two different closings")

    def _close_stage(self, now: float) -> None:
        stage = COMMITS if self.phase is Phase.COMMIT else REVEALS if self.phase is Phase.REVEAL else b""
        closing = self._closings.get(stage)
        listing = self._listings.get(closing.body[1:]) if closing else None
        if closing is None or listing is None:
            return
        try:
            said = self._listed(Kind.COMMIT if stage == COMMITS else Kind.REVEAL, listing)
        except PayloadError as error:
            self.break_up(f"the hub's list is of no use: {error}")
            return
        if said is None:
            return
        if stage == REVEALS:
            self.reveals = said
            self.close(now)
            return
        self.commits = said
        if self.opening is not None and self.name not in said:
            self.tell(What.WARNED, self.name, "the hub left this party's Commit out")
        self.phase, self._closed_at = Phase.ECHO, now
        if self.strong and self.opening is not None:
            self._echoes[self.name] = self.say(Kind.ECHO, closing.body + (closing.signature(HUB) or b""), now)

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

    def _echoed(self, author: str) -> bool:
        """Tell whether somebody has signed the closing of the Commits that we were shown."""
        echo, closing = self._echoes.get(author), self._closings.get(COMMITS)
        return echo is not None and closing is not None and echo.body[:33] == closing.body

    def _heard_echo(self, item: Item) -> None:
        self._echoes.setdefault(item.author, item)
        self._compare(item)

    def _compare(self, item: Item) -> None:
        """Convict a hub that has signed another closing for whoever echoes than for us."""
        closing, signature = item.body[:33], item.body[33:]
        held = self._closings.get(closing[:1])
        if held is None or closing == held.body:
            return
        other = Item(Kind.CLOSING, HUB, closing, ((HUB, signature),)).verified(self.tag, {HUB: self.hub})
        if other.signatures:
            self._convict_hub(held, other)
        else:
            self.tell(What.WARNED, item.author, "echoed a closing that the hub did not sign")

    def differs(self, author: str) -> None:
        """Break off: whoever revealed, and signs another verdict, was shown other Reveals, or lies."""
        if self.strong and author in self.reveals:
            self.break_up(f"{author} signed another verdict: the hub showed other Reveals there, or {author} lies")
        else:
            super().differs(author)

    # ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

    def tick(self, now: float) -> None:
        """Reveal when the echoes are in, and give up when the hub is silent."""
        self._close_stage(now)
        if self.phase is Phase.ECHO and (
            not self.strong or self._echoes.keys() >= self.commits.keys() or now >= self._closed_at + self.call.delay
        ):
            self.open_up(now)
            self._close_stage(now)
        until = self.wake()
        if until is not None and now >= until and self.phase in {Phase.COMMIT, Phase.REVEAL}:
            self.break_up("the hub closed nothing in time, or listed what it did not pass on")

    def wake(self) -> float | None:
        """Return when the hub must have closed, with time for its messages to travel."""
        call = self.call
        if self.phase is Phase.COMMIT and call.commit_limit is not None:
            return self.began + call.commit_limit + 4 * call.delay
        if self.phase is Phase.ECHO:
            return self._closed_at + call.delay
        if self.phase is Phase.REVEAL and call.reveal_limit is not None:
            return self.opened + call.reveal_limit + 6 * call.delay
        if self.phase is Phase.SETTLED:
            return self.settled + 3 * call.delay
        return None

    def twice(self) -> Mapping[str, Sequence[Item]]:
        """Return the different Commits that the hub passed on of whoever signed two."""
        return {
            author: items[:2]
            for (kind, author), items in self._held.items()
            if kind is Kind.COMMIT and len(items) > 1 and author not in self.commits and self.strong
        }

    def notes(self) -> Iterator[Mapping[str, object]]:
        """Return the hub's closings, and the proof against it if there is one."""
        for stage, closing in sorted(self._closings.items()):
            signature = (closing.signature(HUB) or b"").hex()
            yield {
                "closing": closing.body.hex(),
                "signature": signature,
                "listing": self._listings.get(closing.body[1:], stage).hex(),
            }
        yield from self._proof


# ── the hub itself ─────────────────────────────────────────────────────────────────────────────────────────────────


class Stage(Enum):
    """What a hub is doing."""

    GATHER = auto()
    COMMIT = auto()
    REVEAL = auto()
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
        self.header: Header | None = None
        self.entries: list[Entry] = []
        self.outbox: list[tuple[int | None, bytes]] = []
        """To one connection, or to all that are seated."""
        self.dismissed: set[int] = set()
        self._challenges: dict[int, bytes] = {}
        self._said: dict[tuple[Kind, str], list[Item]] = {}
        self._opened = 0.0
        self._first = 0.0
        self._since = 0.0
        self._listed: frozenset[str] = frozenset()
        self._closing = b""
        """The closing of the Commits with our signature, as it is echoed."""

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
        """Take in a packet; `PayloadError` for what is none."""
        tag, items = read_packet(packet)
        for item in items:
            if tag == LOBBY and item.kind is Kind.HELLO:
                self._join(connection, item, now)
            elif self.call is not None and tag == self.call.tag and self.seats.get(connection) == item.author:
                self._pass_on(item)
        self.tick(now)

    def _join(self, connection: int, item: Item, now: float) -> None:
        why = self._objection(connection, item)
        if why:
            self._send(connection, LOBBY, Item(Kind.REFUSED, HUB, why.encode()))
            self.dismissed.add(connection)
            return
        if not self.seats:
            self._first = now
        self.seats[connection] = item.author

    def _objection(self, connection: int, item: Item) -> str:
        """Return why somebody cannot take part; empty if he can."""
        try:
            name = check_name(item.author)
        except TermsError as error:
            return str(error)
        roster = dict(self.plan.keys)
        if self.stage is not Stage.GATHER:
            return "the election has begun without you"
        if name in self.seats.values() or connection in self.seats:
            return f"{name!r} is here already"
        if roster and name not in roster:
            return f"{name!r} is not on the roster"
        if len(self.seats) >= (self.plan.expected or MOST_PARTIES):
            return "the table is full"
        if roster.get(name):
            signature = item.signature(name) or b""
            if item.body != self._challenges.get(connection) or not signed(
                bytes.fromhex(roster[name]), item.statement(LOBBY), signature
            ):
                return f"{name!r} did not sign with the key on the roster"
        return ""

    def _pass_on(self, item: Item) -> None:
        """Relay what a party says, each thing once; a second Commit only as evidence."""
        assert self.call is not None  # noqa: S101 - nothing is passed on before the call
        strong = self.call.terms.mode is Mode.STRONG
        said = self._said.setdefault((item.kind, item.author), [])
        if item.kind not in {Kind.COMMIT, Kind.ECHO, Kind.REVEAL, Kind.DONE} or any(one.body == item.body for one in said):
            return
        if strong:
            item = item.verified(self.call.tag, {item.author: self.call.roster[item.author]})
        if len(said) >= (2 if strong and item.kind is Kind.COMMIT else 1) or (strong and not item.signatures):
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
        return any(one.body == self._closing for one in self._said.get((Kind.ECHO, author), ()))

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

    def _begin(self, now: float) -> None:
        keys = self.plan.keys or tuple((name, "") for name in sorted(self.seats.values()))
        plan = self.plan
        self.call = Call(
            plan.terms, len(keys), plan.commit_limit, plan.reveal_limit, plan.delay, None, keys, self.key.public.hex()
        )
        self._call(now)

    def _call(self, now: float) -> None:
        """Call for Commits."""
        assert self.call is not None  # noqa: S101 - there is one
        self._said.clear()
        self.stage, self._since = Stage.COMMIT, now
        body = json.dumps(self.call.fields(), sort_keys=True).encode()
        self._send(None, LOBBY, Item(Kind.TERMS, HUB, body).sign(LOBBY, HUB, self.key))

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
        # whoever signed two different Commits is not listed at all
        said = {author: items[0].body for (what, author), items in self._said.items() if what is kind and len(items) == 1}
        listing = write_listing(stage, said)
        closing = Item(Kind.CLOSING, HUB, stage + sha256(listing).digest()).sign(self.call.tag, HUB, self.key)
        self._send(None, self.call.tag, Item(Kind.LISTING, HUB, listing), closing)
        if stage == COMMITS:
            self._closing = closing.body + (closing.signature(HUB) or b"")
            self._listed, self.stage, self._since = frozenset(said), Stage.REVEAL, now
        else:
            self._conclude(now)

    def _counted(self, kind: Kind) -> dict[str, Item]:
        """Return what was listed, by author."""
        said = {author: items[0] for (what, author), items in self._said.items() if what is kind and items}
        return {author: item for author, item in said.items() if author in self._listed}

    def _entries(self, call: Call) -> Iterator[Entry]:
        """Return the lines of the transcript; both Commits of whoever signed two."""
        reveals = self._counted(Kind.REVEAL)
        for name in call.players:
            reveal = reveals.get(name)
            said: list[Item | None] = [*self._said.get((Kind.COMMIT, name), ())]
            for commit in said or [None]:
                more = {}
                for label, item in (("commit_signature", commit), ("reveal_signature", reveal)):
                    signature = item.signature(name) if item is not None else None
                    if signature is not None:
                        more[label] = signature.hex()
                yield Entry(name, commit.body if commit else None, reveal.body if reveal else None, more or None)

    def _conclude(self, now: float) -> None:
        assert self.call is not None  # noqa: S101 - there is one
        self.stage = Stage.OVER
        if self.call.terms.announced:
            # the value is not the hub's to know; the parties settle by themselves
            return
        commits, reveals = (
            {name: item.body for name, item in self._counted(kind).items()} for kind in (Kind.COMMIT, Kind.REVEAL)
        )
        verdict = settle(self.call.terms, commits, reveals, players=self.call.players)
        twice = {name for name in self.call.players if len(self._said.get((Kind.COMMIT, name), ())) > 1}
        excluded = [
            Excluded(one.player, Fault.EQUIVOCATED, TWO_COMMITS) if one.player in twice else one for one in verdict.excluded
        ]
        self.verdict = Verdict(verdict.winner, verdict.rounds, excluded, verdict.tied, verdict.warnings)
        self.header, self.entries = self.call.header(), list(self._entries(self.call))
        if self.verdict.void and self.attempt < MOST_ATTEMPTS:
            self.attempt += 1
            self.call = self.call.again(self.verdict.tied, self.attempt)
            self._call(now)


def read_welcome(item: Item) -> tuple[bytes, bytes]:
    """Return the hub's public key and the challenge."""
    if len(item.body) != KEY_BYTES + CHALLENGE_OCTETS:
        raise PayloadError("welcome", "%(body)s octets", body=len(item.body))
    return item.body[:KEY_BYTES], item.body[KEY_BYTES:]
