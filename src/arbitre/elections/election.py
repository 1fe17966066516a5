"""An election among peers, from the first hello to the last attempt; without input or output.

Everybody says HELLO until all are here. Then, or when somebody's patience is over, the election begins for all: whoever
hears BEGIN, or a Commit, begins too. If the counter passes 255 the tied players commit anew, in an election of its own with
a tag of its own; the others watch it. That they tie must be certified, or else two groups could each go on by themselves. What
belongs to an attempt that has not begun here yet is kept until it does.

Whatever is heard, the clock comes first: a party that was asleep closes what is over before it hears what was queued meanwhile.
"""

import json
from collections.abc import Callable, Collection
from typing import Final

from arbitre.crypto.keys import Key
from arbitre.elections.call import MOST_ATTEMPTS, Call, read_call
from arbitre.elections.hub import LOBBY, HubParty, read_welcome
from arbitre.elections.item import HUB, Item, Kind, read_packet, write_packets
from arbitre.elections.journal import Journal, Journals, in_memory
from arbitre.elections.party import DraftParty, Happening, Party, Phase, What
from arbitre.elections.payload import Opening
from arbitre.elections.strong import StrongParty
from arbitre.elections.terms import Mode, check_name
from arbitre.elections.verdict import Verdict
from arbitre.errors import ElectionError, PayloadError, TermsError
from arbitre.reasons import Reason, read_plain

MOST_KEPT: Final = 512
"""Packets of a later attempt that are kept."""

Choose = Callable[[Call, str], Opening]
"""Makes the opening of a player for a call: the only chance there is."""


class Election:
    """What all elections have: attempts, each a `Party`."""

    def __init__(self, name: str, choose: Choose, key: Key | None = None, journals: Journals = in_memory) -> None:
        self.name = check_name(name)
        self.choose = choose
        self.key = key
        self.journals = journals
        self._journals: dict[bytes, Journal] = {}
        self.parties: list[Party] = []
        self.told: list[Happening] = []
        self.outbox: list[bytes] = []
        self.broken: Reason | None = None
        self.packets_refused = 0
        self._kept: list[tuple[bytes, str | None]] = []
        self._called = 0
        """The last attempt after which the tied were called again."""

    @property
    def party(self) -> Party | None:
        """Return the attempt that is under way, or was the last."""
        return self.parties[-1] if self.parties else None

    @property
    def verdict(self) -> Verdict | None:
        """Return the last word, certified; None while there is none."""
        verdict = self.party.verdict if self.party else None
        again = verdict is not None and verdict.void and len(self.parties) < MOST_ATTEMPTS
        return None if again else verdict

    @property
    def undecided(self) -> bool:
        """Tell whether this party ended without a certificate."""
        return self.party is not None and self.party.phase is Phase.UNDECIDED

    def finished(self, now: float) -> bool:
        """Tell whether this party may leave."""
        over = self.verdict is not None or self.undecided
        return self.broken is not None or (over and all(party.finished(now) for party in self.parties))

    def journal(self, call: Call) -> Journal:
        """Return what this party's key has signed in a call."""
        if call.tag not in self._journals:
            self._journals[call.tag] = self.journals(call.tag, self.name)
        return self._journals[call.tag]

    def close(self) -> None:
        """Let go of the journals."""
        for journal in self._journals.values():
            journal.close()

    def opened(self, call: Call) -> tuple[Opening, Journal]:
        """Return this party's choice for a call and the journal that keeps it: the one that it made before, or a new one."""
        journal = self.journal(call)
        opening = journal.opening
        if opening is None:
            opening = self.choose(call, self.name)
            journal.begin(opening)
        return opening, journal

    def enter(self, party: Party, now: float) -> None:
        """Begin an attempt."""
        if party.journal.age() > party.overdue() > 0:
            raise ElectionError("this key took part in a game of this name before, and signs nothing twice; choose another name")
        self.parties.append(party)
        party.begin(now)
        kept, self._kept = self._kept, []
        for packet, peer in kept:
            self.hear(packet, now, peer)
        self.collect(now)

    def receive(self, packet: bytes, now: float, peer: str | None = None) -> None:
        """Take in a packet, after a look at the clock; `peer` is who sent it, where the wire knows."""
        self.tick(now)
        self.hear(packet, now, peer)

    def hear(self, packet: bytes, now: float, peer: str | None = None) -> None:
        """Take in a packet."""
        raise NotImplementedError

    def dispatch(self, packet: bytes, tag: bytes, items: tuple[Item, ...], now: float, peer: str | None) -> None:
        """Give items to the attempt that they belong to, or keep them for a later one."""
        for party in self.parties:
            if party.tag == tag:
                for item in items:
                    party.receive(item, now)
                self.collect(now)
                return
        if len(self._kept) < MOST_KEPT:
            self._kept.append((packet, peer))

    def collect(self, now: float) -> None:
        """Gather what the attempts want to say and tell, and begin another if the last is void."""
        for party in list(self.parties):
            self.outbox += write_packets(party.tag, party.drain())
            self.told += party.happenings
            party.happenings.clear()
            if party.phase is Phase.BROKEN:
                self.broken = party.broken
        last = self.party
        if last is None or last.verdict is None or not last.verdict.void or self._called >= len(self.parties):
            return
        self._called = len(self.parties)
        if len(self.parties) < MOST_ATTEMPTS:
            tie = Reason("a tie for ever between %(players)s: they commit anew", players=", ".join(last.verdict.tied))
            self.told.append(Happening(What.WARNED, why=tie))
            self.again(last.verdict.tied, now)

    def again(self, tied: tuple[str, ...], now: float) -> None:
        """Let the tied players commit anew."""
        raise NotImplementedError

    def packets(self) -> list[bytes]:
        """Return what is to be sent to everybody."""
        packets, self.outbox = self.outbox, []
        return packets

    def tick(self, now: float) -> None:
        """Look at the clock."""
        for party in list(self.parties):
            party.tick(now)
        self.collect(now)

    def wake(self, now: float) -> float | None:
        """Return when to tick at the latest."""
        busy = (party.wake() for party in self.parties if not party.finished(now))
        return min((moment for moment in busy if moment is not None), default=None)

    def announce(self, octets: bytes, now: float) -> None:
        """Mix in the announced value."""
        if self.party is not None:
            self.party.announce(octets, now)
        self.collect(now)

    @property
    def awaits_value(self) -> bool:
        """Tell whether the announced value is awaited."""
        return self.party is not None and self.party.phase is Phase.VALUE


class PeerElection(Election):
    """An election without a hub: in a multicast group, or in a mesh of connections."""

    def __init__(
        self,
        call: Call,
        name: str,
        choose: Choose,
        key: Key | None = None,
        gather: float | None = None,
        *,
        repeats: bool = False,
        journals: Journals = in_memory,
    ) -> None:
        """Call an election; `gather` is how many seconds to wait for those who are not here yet.

        `repeats`: in draft mode, pass on what others said; for wires on which anybody could speak for anybody.
        """
        super().__init__(name, choose, key, journals)
        if call.keys and name not in call.players:
            raise TermsError("%(name)r is not on the roster", name=name)
        if call.terms.mode is Mode.STRONG and (key is None or call.roster[name] != key.public):
            raise TermsError("the key of %(name)r is not the one on the roster", name=name)
        self.call = call
        self.tag = call.tag
        self.gather = gather
        self.repeats = repeats
        self.here: set[str] = {name}
        self._started: float | None = None
        self._foreign = False

    def start(self, now: float) -> None:
        """Say hello."""
        self._started = now
        self._say(Kind.HELLO)
        if self.call.players and self.journal(self.call).said:
            self._begin(now)  # again: the others have begun long since
        self._gathered(now)

    def _say(self, kind: Kind, body: bytes = b"") -> None:
        self.outbox += write_packets(self.tag, [Item(kind, self.name, body).sign(self.tag, self.name, self.key)])

    def hear(self, packet: bytes, now: float, peer: str | None = None) -> None:
        """Take in a packet; in draft mode nobody speaks for another where the wire knows who speaks."""
        try:
            tag, items = read_packet(packet)
        except PayloadError as error:
            self._refuse(error.reason)
            return
        if peer is not None and self.call.terms.mode is Mode.DRAFT and any(item.author != peer for item in items):
            self._refuse(Reason("%(peer)r speaks for somebody else", peer=peer))
            return
        lobby = [item for item in items if item.kind in {Kind.HELLO, Kind.BEGIN}] if tag == self.tag else []
        for item in lobby:
            self._heard(item, now)
        rest = tuple(item for item in items if item not in lobby)
        if not rest:
            return
        if not self.parties and tag == self.tag and any(self._genuine(item) for item in rest) and self._known():
            # somebody has begun, so everybody has
            self._begin(now)
        self.dispatch(packet, tag, rest, now, peer)

    def _refuse(self, why: Reason) -> None:
        self.packets_refused += 1
        if not self._foreign:
            self._foreign = True
            self.told.append(Happening(What.WARNED, why=Reason("refused: %(why)s", why=why)))

    def _genuine(self, item: Item) -> bool:
        """Tell whether an item is by somebody who takes part."""
        if self.call.terms.mode is Mode.STRONG:
            keys = self.call.roster
            return item.author in keys and bool(item.verified(self.tag, {item.author: keys[item.author]}).signatures)
        return item.author in (self.call.players or self.here)

    def _known(self) -> bool:
        return bool(self.call.players) or len(self.here) == self.call.parties

    def _heard(self, item: Item, now: float) -> None:
        if self.call.players and not self._genuine(item):
            return
        if self.parties:
            return
        if item.author not in self.here and (self.call.players or len(self.here) < self.call.parties):
            self.here.add(item.author)
            self.told.append(Happening(What.JOINED, item.author))
        elif item.author not in self.here:
            self._refuse(Reason("%(name)r comes too late: %(parties)s are here", name=item.author, parties=self.call.parties))
            return
        if item.kind is Kind.BEGIN:
            self._adopt(item)
            if self._known():
                self._begin(now)
        self._gathered(now)

    def _adopt(self, item: Item) -> None:
        """Learn the names of those who take part from somebody who knows them all."""
        if self.call.players:
            return
        try:
            names = json.loads(item.body)
            if isinstance(names, list) and len(names) == self.call.parties and self.name in names:
                self.here = {check_name(str(name)) for name in names}
        except (ValueError, RecursionError, TermsError):
            self._refuse(Reason("a list of names that is none"))

    def _gathered(self, now: float) -> None:
        if not self.parties and len(self.here) == self.call.parties:
            self._begin(now)

    def _begin(self, now: float) -> None:
        if self.parties:
            return
        players = self.call.players or tuple(sorted(self.here))
        self._say(Kind.BEGIN, json.dumps(sorted(players)).encode() if not self.call.players else b"")
        self.enter(self._party(self.call, players), now)

    def _party(self, call: Call, players: Collection[str]) -> Party:
        opening, journal = self.opened(call) if self.name in players else (None, None)
        if call.terms.mode is Mode.STRONG:
            return StrongParty(call, players, self.name, opening, self.key, journal)
        party = DraftParty(call, players, self.name, opening, None, journal)
        party.repeats = self.repeats
        return party

    def again(self, tied: tuple[str, ...], now: float) -> None:
        """Let the tied players commit anew, and watch if we are not among them."""
        call = self.call.again(tied, len(self.parties) + 1)
        self.enter(self._party(call, tied), now)

    def tick(self, now: float) -> None:
        """Look at the clock."""
        if not self.parties and self.gather is not None and self._started is not None and now >= self._started + self.gather:
            if self.call.players:
                self._begin(now)
            else:
                self.broken = Reason("only %(here)s of %(parties)s parties came", here=len(self.here), parties=self.call.parties)
        super().tick(now)

    def wake(self, now: float) -> float | None:
        """Return when to tick at the latest."""
        if not self.parties:
            return None if self.gather is None or self._started is None else self._started + self.gather
        return super().wake(now)


class HubElection(Election):
    """An election through a hub, which says what is played and with whom."""

    def __init__(
        self,
        name: str,
        choose: Choose,
        key: Key | None = None,
        check: Callable[[Call], None] | None = None,
        hub_key: bytes | None = None,
        journals: Journals = in_memory,
    ) -> None:
        """Join as `name`; `check` raises if a call is not to this party's liking, `hub_key` is the only hub it trusts."""
        super().__init__(name, choose, key, journals)
        self.check = check
        self.hub_key = hub_key
        self.greeted = False

    def hear(self, packet: bytes, now: float, peer: str | None = None) -> None:
        """Take in a packet from the hub."""
        try:
            tag, items = read_packet(packet)
            if tag != LOBBY:
                self.dispatch(packet, tag, items, now, peer)
                return
            for item in items:
                self._lobby(item, now)
        except (PayloadError, ElectionError, TermsError) as error:
            self.broken = error.reason

    def _lobby(self, item: Item, now: float) -> None:
        if item.author != HUB:
            return
        if item.kind is Kind.REFUSED:
            self.broken = Reason("the hub refuses: %(why)s", why=_refusal(item.body))
        elif item.kind is Kind.WELCOME and not self.greeted:
            public, challenge = read_welcome(item)
            if self.hub_key is not None and public != self.hub_key:
                raise ElectionError("this is another hub than the one whose key was given")
            self.hub_key, self.greeted = public, True
            hello = Item(Kind.HELLO, self.name, challenge).sign(LOBBY, self.name, self.key)
            self.outbox += write_packets(LOBBY, [hello])
        elif item.kind is Kind.TERMS and self.hub_key is not None:
            if not item.verified(LOBBY, {HUB: self.hub_key}).signatures:
                raise ElectionError("the terms are not signed by the hub")
            self._called_by_hub(item, now)

    def _called_by_hub(self, item: Item, now: float) -> None:
        call = read_call(item.body)
        if call.hub != (self.hub_key or b"").hex():
            raise ElectionError("the terms name another hub")
        if not self.parties:
            if self.check is not None:
                self.check(call)
            if self.name not in call.players:
                raise ElectionError("the hub began without this party")
        elif self.party is not None and not (
            self.party.verdict is not None and call.players == tuple(sorted(self.party.verdict.tied))
        ):
            raise ElectionError("the hub calls for Commits again, but there is no tie")
        opening, journal = self.opened(call) if self.name in call.players else (None, None)
        self.enter(HubParty(call, call.players, self.name, opening, self.key, journal), now)

    def again(self, tied: tuple[str, ...], now: float) -> None:
        """Wait for the hub to call the tied players."""


def _refusal(body: bytes) -> Reason:
    """Return why a hub refuses somebody; what is no code of ours is quoted."""
    try:
        found = read_plain(json.loads(body[:2_000]))
    except (ValueError, RecursionError):
        found = None
    return found if found is not None and found.proper else Reason("quoted", text=body[:200].decode(errors="replace"))
