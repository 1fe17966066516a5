"""Elections among people with browsers: rooms with a code, each an ordinary hub (spec: rochambeau, section 3).

Somebody opens a room and gets a code of forty bits; others join with a name and the public key that their browser has made. When
the organiser starts, a `Hub` of `arbitre.elections` takes over, in strong mode: the browsers are its parties, speak its
packets, sign everything, and settle for themselves. The room relays and keeps time. It knows no secret before it is revealed,
cannot speak for anybody, and its closings are signed: two different ones convict it. In the end the browsers sign their verdicts,
which the room collects into the transcript; where too few are equal the election is undecided, and says so.

A room lives in memory and is gone when the house closes; what it came to is kept by `arbitre.elections.transcripts` before
anybody is told where.
"""

import asyncio
import base64
import io
import secrets
import unicodedata
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from arbitre.crypto.keys import KEY_BYTES, Key
from arbitre.elections.clock import clock
from arbitre.elections.hub import CHALLENGE_OCTETS, Hub, HubPlan, Stage
from arbitre.elections.terms import Mode, Terms, check_name
from arbitre.elections.transcript import write_lines
from arbitre.elections.transcripts import Transcripts
from arbitre.errors import ArbitreError, ElectionError, NotOrganiserError, PayloadError, TermsError, UnknownRoomError
from arbitre.reasons import Reason, declare
from arbitre.values import value

REASONS = declare(
    {
        "election-alone": ("fewer than two browsers answered", "moins de deux navigateurs ont répondu"),
        "election-idle": ("nothing happened here for an hour", "il ne s’est rien passé ici pendant une heure"),
        "election-house": ("the house closes", "la maison ferme"),
    }
)

ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Thirty-two characters that are not mistaken for each other: five bits each."""
CODE_LENGTH: Final = 8
MOST_ROOMS: Final = 500
ROOMS_EACH: Final = 20
"""Rooms that are not over which one connection may hold at a time: a class has one address."""
MOST_MEMBERS: Final = 64
LONGEST_NAME: Final = 40
"""Characters; what is refused says so in words."""
LONGEST_TITLE: Final = 80
MOST_TITLE_OCTETS: Final = 220
"""The name of a game has room for so many, and for what makes it unique."""
MOST_WATCHERS: Final = 200
MOST_EVENTS: Final = 4_000
LONGEST_PACKET: Final = 4_096
"""A party's packet holds one item: the longest, a verdict, has some six hundred octets."""
IDLE_SECONDS: Final = 3_600.0
"""A room in which nothing happens for so long is closed, and its code worthless."""
OVER_SECONDS: Final = 600.0
"""One that is over can still be looked at for so long; its proof for ever."""
HEARTBEAT_SECONDS: Final = 15.0


@value
class Pace:
    """The time limits of a room, in seconds."""

    gather: float = 8.0
    """How long the browsers may take to say that they are here once the organiser has started."""
    commit: float = 20.0
    reveal: float = 20.0
    delay: float = 2.0
    patience: float = 20.0
    """After so long without two browsers that answer, a room that was started is closed."""


@value
class Member:
    """Somebody in a room: `number` is the connection that the hub knows."""

    number: int
    name: str
    public: str
    guest: str


def written_code(text: str) -> str:
    """Return a code as rooms know it: capitals, without blanks and dashes, and with the letters that were meant."""
    plain = "".join(one for one in text.upper()[:64] if one.isalnum())
    return plain.translate(str.maketrans("IO10", "LQLQ")) if set(plain) - set(ALPHABET) else plain


def proper_name(text: str) -> str:
    """Return a name as it is shown: one line, no hidden characters, not longer than a line of a phone."""
    name = unicodedata.normalize("NFC", " ".join(text[:400].split()))
    if len(name) > LONGEST_NAME:
        raise ElectionError("a name has at most forty characters")
    if not name:
        raise ElectionError("a name has at least one character")
    try:
        return check_name(name)
    except TermsError:
        raise ElectionError("a name has no hidden characters") from None


class Room:
    """One group, from the lobby to the proof. Whoever watches gets the same log, from any place on."""

    def __init__(self, code: str, title: str, organiser: str, owner: str, pace: Pace) -> None:
        self.code = code
        self.title = title
        self.organiser = organiser
        """The browser that opened it and may start it."""
        self.owner = owner
        """The connection it was opened from, which has only so many."""
        self.pace = pace
        self.members: dict[str, Member] = {}
        """By the browser's identity."""
        self.hub: Hub | None = None
        self.log: list[Mapping[str, Any]] = []
        self.over = False
        self.dismissed = False
        """Whether whoever watches is sent away: the house is about to close."""
        self.record = ""
        self.touched = clock()
        self.watchers = 0
        self._numbers = 0
        self._changed = asyncio.Event()

    def tell(self, **event: Any) -> None:
        """Add an event to the log."""
        self.log.append(event)
        self.stir()

    def stir(self) -> None:
        """Wake whoever waits for something to happen here."""
        self.touched = clock()
        self._changed.set()
        self._changed = asyncio.Event()

    # ── the lobby ──────────────────────────────────────────────────────────────────────────────────────────────────

    def join(self, guest: str, name: str, public: str) -> Member:
        """Let a browser in under a name, or under a new name or key while it is in the lobby."""
        if self.hub is not None or self.over:
            raise ElectionError("this election has begun without you; you can watch it")
        name = proper_name(name)
        if any(one.name.casefold() == name.casefold() for one in self.members.values() if one.guest != guest):
            raise ElectionError("somebody here has this name already; take another")
        if guest not in self.members and len(self.members) >= MOST_MEMBERS:
            raise ElectionError("this room is full")
        if len(public) != 2 * KEY_BYTES or not set(public) <= set("0123456789abcdef"):
            raise ElectionError("a key has 64 hexadecimal digits")
        if len(self.log) > MOST_EVENTS:
            raise ElectionError("too much has happened in this room; open another")
        before = self.members.get(guest)
        self._numbers += 1
        self.members[guest] = member = Member(self._numbers if before is None else before.number, name, public, guest)
        self._tell_people()
        return member

    def leave(self, guest: str) -> None:
        """Let somebody go before it has begun."""
        if self.hub is None and self.members.pop(guest, None) is not None:
            self._tell_people()

    def _tell_people(self) -> None:
        self.tell(type="people", people=[one.name for one in self.members.values()])

    # ── the election ───────────────────────────────────────────────────────────────────────────────────────────────

    def start(self, guest: str, key: Key) -> Hub:
        """Begin: from now on the roster is fixed."""
        if guest != self.organiser:
            raise NotOrganiserError("whoever opened the room starts it")
        if self.hub is not None:
            raise ElectionError("this election has begun already")
        if len(self.members) < 2:
            raise ElectionError("an election needs two people at least")
        keys = tuple(sorted((one.name, one.public) for one in self.members.values()))
        terms = Terms(mode=Mode.STRONG, game=f"{self.title} ({secrets.token_hex(8)})")
        pace = self.pace
        self.hub = Hub(HubPlan(terms, None, pace.gather, pace.commit, pace.reveal, pace.delay, keys), key)
        self.tell(type="begun", people=[name for name, _ in keys], limits=[pace.gather, pace.commit, pace.reveal])
        for one in self.members.values():
            self.hub.connect(one.number, secrets.token_bytes(CHALLENGE_OCTETS))
        self.relay()
        return self.hub

    def hear(self, guest: str, text: str) -> None:
        """Take in what a browser says, in base64."""
        try:
            packet = base64.b64decode(text, validate=True)
        except ValueError:  # also what is not ASCII
            raise ElectionError("a packet is sent in base64") from None
        self.receive(guest, packet)

    def receive(self, guest: str, packet: bytes) -> None:
        """Take in what a browser says."""
        member = self.members.get(guest)
        if member is None or self.hub is None:
            raise ElectionError("you take no part in this election")
        if len(packet) > LONGEST_PACKET:
            raise ElectionError("a packet of %(packet)s octets", packet=len(packet))
        if self.hub.stage is Stage.OVER:
            return
        try:
            self.hub.receive(member.number, packet, clock())
        except PayloadError as error:
            raise ElectionError("that is no packet: %(error)s", error=error) from None
        self.relay()

    def relay(self) -> None:
        """Pass on what the hub has to say."""
        assert self.hub is not None  # noqa: S101 - it has begun
        names = {one.number: one.name for one in self.members.values()}
        outbox, self.hub.outbox = self.hub.outbox, []
        for connection, packet in outbox:
            to = None if connection is None else names.get(connection)
            self.tell(type="packet", to=to, packet=base64.b64encode(packet).decode())
        self.stir()

    async def run(self, keep: Callable[[bytes], str]) -> None:
        """Keep time until it is over, then keep the transcript and say where it is."""
        hub = self.hub
        assert hub is not None  # noqa: S101 - it has begun
        patience = clock() + self.pace.patience
        while hub.stage is not Stage.OVER:
            until = hub.wake()
            rest = 1.0 if until is None else min(max(until - clock(), 0.01), 1.0)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), rest)
            hub.tick(clock())
            if hub.outbox:
                self.relay()
            if hub.stage is Stage.GATHER and clock() > patience:
                self.close(Reason("election-alone"))
                return
        try:
            self.record = await asyncio.to_thread(keep, self.transcript())
        except ArbitreError as error:
            self.close(error.reason)
            return
        self.over = True
        winner = None if hub.verdict is None else hub.verdict.winner
        self.tell(type="over", record=self.record, winner=winner, decided=hub.verdict is not None)

    def transcript(self) -> bytes:
        """Return the proof: the roster, what everybody signed, the closings, the verdict."""
        hub = self.hub
        if hub is None or hub.header is None:
            raise ElectionError("there is no verdict yet")
        buffer = io.BytesIO()
        write_lines(buffer, hub.header, hub.entries(), hub.notes(), hub.claim())
        return buffer.getvalue()

    def close(self, why: Reason) -> None:
        """End without a result; whoever shows it says why in the reader's words."""
        if not self.over:
            self.over = True
            self.tell(type="closed", why=why)

    def dismiss(self) -> None:
        """Send away whoever watches."""
        self.dismissed = True
        self.stir()

    def check_watchers(self) -> None:
        """Refuse one more who watches, where there are enough."""
        if self.watchers >= MOST_WATCHERS:
            raise ElectionError("too many are watching this room")

    async def watch(self, after: int) -> AsyncGenerator[tuple[int, Mapping[str, Any] | None], None]:
        """Yield the events behind a number as they come, and None now and then while nothing does.

        Whoever waits here waits in his own task, so that he can leave at any moment.
        """
        self.check_watchers()
        self.watchers += 1
        try:
            at = max(0, after)
            while True:
                while at < len(self.log):
                    yield at, self.log[at]
                    at += 1
                if self.over or self.dismissed:
                    return
                try:
                    await asyncio.wait_for(self._changed.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield at, None
        finally:
            self.watchers -= 1


class Elections:
    """The rooms of a house."""

    def __init__(self, transcripts: Transcripts, key: Callable[[], Key], pace: Pace | None = None) -> None:
        self.transcripts = transcripts
        self.pace = pace or Pace()
        self.rooms: dict[str, Room] = {}
        self._key = key
        self._running: set[asyncio.Task[None]] = set()

    def open(self, title: str, organiser: str, owner: str) -> Room:
        """Open a room; `owner` is the connection of whoever asks."""
        self._sweep()
        title = unicodedata.normalize("NFC", " ".join(title[:400].split()))
        if not title or len(title) > LONGEST_TITLE or not title.isprintable() or len(title.encode()) > MOST_TITLE_OCTETS:
            raise ElectionError("say in a few words what is to be chosen")
        held = sum(room.owner == owner and not room.over for room in self.rooms.values())
        if len(self.rooms) >= MOST_ROOMS or held >= ROOMS_EACH:
            raise ElectionError("too many rooms are open; wait until one of yours is over or forgotten")
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
        self.rooms[code] = room = Room(code, title, organiser, owner, self.pace)
        return room

    def room(self, text: str) -> Room:
        """Return the room of a code."""
        self._sweep()
        room = self.rooms.get(written_code(text))
        if room is None:
            raise UnknownRoomError("no room has this code: it is mistyped, or the room is closed")
        return room

    def start(self, room: Room, guest: str) -> None:
        """Let a room's election begin."""
        room.start(guest, self._key())
        task = asyncio.get_running_loop().create_task(room.run(self.transcripts.keep))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _sweep(self) -> None:
        """Forget rooms in which nothing has happened for long."""
        now = clock()
        for code, room in list(self.rooms.items()):
            if now - room.touched > (OVER_SECONDS if room.over else IDLE_SECONDS):
                room.close(Reason("election-idle"))
                del self.rooms[code]

    def dismiss(self) -> None:
        """Send away whoever watches a room: the house is about to close."""
        for room in self.rooms.values():
            room.dismiss()

    async def close(self) -> None:
        """Break off what is going on: the house closes."""
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for room in self.rooms.values():
            room.close(Reason("election-house"))
