"""Elections on real wires: one party's loop, and the hub that listens.

The loop knows no rule: it carries packets between a channel and an `Election`, and looks at the clock when the election asks
it to, and whenever something comes: on a clock that also runs while the machine sleeps, where there is one.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from arbitre.crypto.keys import Key, signed
from arbitre.elections import Mode, Opening, Terms, Verdict, new_opening
from arbitre.elections.call import Call
from arbitre.elections.clock import clock
from arbitre.elections.election import Choose, Election, PeerElection
from arbitre.elections.hub import CHALLENGE_OCTETS, Hub, HubPlan, Stage
from arbitre.elections.party import Happening, Party
from arbitre.elections.repeat import SESSION_OCTETS, Repeater
from arbitre.elections.terms import NONCE_OCTETS
from arbitre.elections.transcript import Entry, Header, write_lines
from arbitre.elections.transport import Address, Allowance, Channel, hang_up, read_frame, write_frame
from arbitre.errors import ElectionError, PayloadError, UndecidedError, refusal

IDLE_SECONDS: Final = 0.5
LEAST_SECONDS: Final = 0.002
LINGER_SECONDS: Final = 5.0
"""How long a hub stays for those who have not read its last word."""
MOST_STRANGERS: Final = 256
"""Connections to a hub beyond those that are seated."""
WELCOME_SECONDS: Final = 60.0
"""How long somebody may stay at a hub without saying hello."""

Tell = Callable[[Happening], None]
Ask = Callable[[], Awaitable[bytes]]


def choosing(state: int | None = None) -> Choose:
    """Return a chooser with true chance; `state` is chosen the first time if it is given."""
    given = [state]

    def choose(call: Call, name: str) -> Opening:
        wanted = given.pop() if given else None
        terms = call.terms
        chosen = terms.least_state + secrets.randbelow(terms.states - terms.least_state) if wanted is None else wanted
        return new_opening(terms, name, secrets.token_bytes(NONCE_OCTETS), chosen)

    return choose


def repeater(call: Call, name: str, key: Key | None) -> Repeater:
    """Return the repeater of a party in a group; in strong mode its acknowledgements are signed."""
    session = secrets.token_bytes(SESSION_OCTETS)
    if call.terms.mode is Mode.DRAFT or key is None:
        return Repeater(name, session, call.parties - 1)
    keys, label = call.roster, b"arbitre/rochambeau/acks/1" + call.tag

    def check(author: str, octets: bytes, signature: bytes) -> bool:
        return author in keys and signed(keys[author], label + octets, signature)

    return Repeater(name, session, call.parties - 1, lambda octets: key.sign(label + octets), check)


async def take_part(election: Election, channel: Channel, tell: Tell | None = None, ask: Ask | None = None) -> Verdict:
    """Hold an election to its end; return the verdict, or raise `ElectionError` if there can be none.

    `UndecidedError` where no certificate came: others may have one, but this party names nobody.

    `ask` fetches the announced value, where the terms have one.
    """
    await channel.open()
    try:
        if isinstance(election, PeerElection):
            election.start(clock())
        asked: asyncio.Task[bytes] | None = None
        while True:
            now = clock()
            for packet in election.packets():
                channel.send(packet)
            channel.tick(now)
            for happening in _drain(election):
                if tell is not None:
                    tell(happening)
            if election.broken is not None:
                await _last_words(channel)
                raise ElectionError(election.broken)
            if election.verdict is not None and (election.finished(now) or channel.lost is not None):
                return election.verdict
            if election.undecided and election.finished(now):
                await _last_words(channel)
                raise UndecidedError("undecided: too few signed the same verdict in time, so this party names nobody")
            if channel.lost is not None and channel.inbox.empty():
                raise ElectionError(channel.lost) if election.party is None else UndecidedError(channel.lost)
            if election.awaits_value and ask is not None and asked is None:
                asked = asyncio.ensure_future(ask())
            if asked is not None and asked.done() and election.awaits_value:
                election.announce(asked.result(), clock())
                continue
            await _listen(election, channel, asked)
            election.tick(clock())
    finally:
        election.close()
        await channel.close()


def _drain(election: Election) -> list[Happening]:
    told, election.told = election.told, []
    return told


async def _listen(election: Election, channel: Channel, asked: "asyncio.Task[bytes] | None") -> None:
    """Wait for packets until something is due."""
    now = clock()
    moments = [moment for moment in (election.wake(now), channel.wake()) if moment is not None]
    wait = min([max(moment - now, LEAST_SECONDS) for moment in moments] + [0.05 if asked else IDLE_SECONDS])
    try:
        packet, peer = await asyncio.wait_for(channel.inbox.get(), wait)
    except TimeoutError:
        return
    while True:
        if packet:
            election.receive(packet, clock(), peer)
        if channel.inbox.empty():
            return
        packet, peer = channel.inbox.get_nowait()


async def _last_words(channel: Channel) -> None:
    """Let what was said last go out: a proof against somebody is of use to the others."""
    until = clock() + 0.5
    while clock() < until and not channel.quiet():
        channel.tick(clock())
        await asyncio.sleep(0.05)


def write_transcript(path: Path, party: Party) -> None:
    """Keep what a party holds, with its verdict."""
    _write(path, party.header(), party.entries(), party.notes(), party.claim())


def _write(path: Path, header: Header, entries: Iterable[Entry], notes: Iterable[Mapping[str, object]], claim: object) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            write_lines(file, header, entries, notes, claim)
        draft.replace(path)
    except OSError as error:
        raise ElectionError("cannot write %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error
    finally:
        draft.unlink(missing_ok=True)


def write_hub_transcript(path: Path, hub: Hub) -> None:
    """Keep what a hub passed on, with the verdict."""
    if hub.header is not None:
        _write(path, hub.header, hub.entries(), hub.notes(), hub.claim())


# ── the hub ────────────────────────────────────────────────────────────────────────────────────────────────────────


class HubServer:
    """A hub that listens, and holds one election after the other."""

    def __init__(self, plan: HubPlan, key: Key, here: Address, tell: Callable[[Stage, int], None] | None = None) -> None:
        self.plan = plan
        self.key = key
        self.here = here
        self.tell = tell
        self.ports: list[Address] = []
        self.hub = self._fresh()
        self._writers: dict[int, asyncio.StreamWriter] = {}
        self._number = 0
        self._server: asyncio.Server | None = None
        self._allowance = Allowance()
        self._stirred = asyncio.Event()

    def _fresh(self) -> Hub:
        """Return a hub for the next election, under a name that was never used."""
        terms = self.plan.terms
        name = f"{terms.game or 'rochambeau'}-{secrets.token_hex(8)}"
        game = Terms(terms.states, terms.hash, terms.mode, name, terms.announced, terms.commit_type, terms.reveal_type)
        plan = self.plan
        limits = (plan.commit_limit, plan.reveal_limit, plan.delay)
        return Hub(HubPlan(game, plan.parties, plan.gather, *limits, plan.keys, plan.liars), self.key)

    async def open(self) -> None:
        """Listen."""
        try:
            self._server = await asyncio.start_server(self._serve, self.here.host or None, self.here.port)
        except OSError as error:
            raise ElectionError("cannot listen at %(here)s: %(strerror)s", here=self.here, strerror=refusal(error)) from error
        self.ports = [Address(*one.getsockname()[:2]) for one in self._server.sockets]

    async def close(self) -> None:
        """Hang up on everybody."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers.values()):
            await hang_up(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Listen to one connection."""
        if len(self._writers) - len(self.hub.seats) >= MOST_STRANGERS:
            await hang_up(writer)
            return
        self._number += 1
        number = self._number
        self._writers[number] = writer
        hub = self.hub
        hub.connect(number, secrets.token_bytes(CHALLENGE_OCTETS))
        self._flush()
        try:
            while True:
                wait = None if number in hub.seats else WELCOME_SECONDS
                packet = await asyncio.wait_for(read_frame(reader), wait)
                if not self._allowance.take(number, clock()):
                    break
                hub.receive(number, packet, clock())
                self._flush()
                if number in hub.dismissed:
                    break
        except (EOFError, PayloadError, TimeoutError):
            pass
        finally:
            hub.disconnect(number, clock())
            self._writers.pop(number, None)
            self._flush()
            await hang_up(writer)

    def _flush(self) -> None:
        for number, packet in self.hub.outbox:
            for one in [number] if number is not None else list(self.hub.seats):
                writer = self._writers.get(one)
                if writer is not None and not write_frame(writer, packet):
                    writer.close()
        self.hub.outbox.clear()
        self._stirred.set()

    async def hold(self) -> Hub:
        """Hold one election to its end; return the hub as it was then."""
        seen = Stage.GATHER
        while seen is not Stage.OVER:
            now = clock()
            self.hub.tick(now)
            self._flush()
            self._stirred.clear()
            if self.hub.stage is not seen:
                seen = self.hub.stage
                if self.tell is not None:
                    self.tell(seen, len(self.hub.seats))
                continue
            wake = self.hub.wake()
            wait = IDLE_SECONDS if wake is None else min(max(wake - now, LEAST_SECONDS), IDLE_SECONDS)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), wait)
        done = self.hub
        until = clock() + LINGER_SECONDS + done.plan.delay
        while done.seats and clock() < until:
            self._flush()
            await asyncio.sleep(0.02)
        leftover = [self._writers[number] for number in done.seats if number in self._writers]
        self.hub = self._fresh()
        for writer in leftover:
            await hang_up(writer)
        return done
