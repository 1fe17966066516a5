"""A party of an election in a room of a site: it commits, checks and settles for itself (spec: rochambeau, section 3).

    with Client("http://127.0.0.1:8000", token) as site:
        room = site.open_room("Who brings the cake")
        …  # others join with the code
        print(take_part(site, room["code"], "Ada", start=3).winner)

The key is made here and stays here. What the room relays is judged by the same code as everywhere: a hub that shows two things to
two people, or leaves somebody's word out, is found out, and a winner is named only with a certificate.
`site.transcript(held.record)` is the room's proof, which `arbitre verify` reads.
"""

import base64
import queue
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from arbitre.client.site import Client
from arbitre.client.wire import part
from arbitre.crypto.keys import Key
from arbitre.elections.call import Call
from arbitre.elections.clock import clock
from arbitre.elections.election import HubElection
from arbitre.elections.payload import Opening, new_opening
from arbitre.elections.terms import NONCE_OCTETS
from arbitre.elections.verdict import Verdict
from arbitre.errors import ElectionError, SiteError, UndecidedError
from arbitre.reasons import Reason, read_plain
from arbitre.values import value

TICK_SECONDS = 0.05


@value
class Held:
    """An election that was held."""

    verdict: Verdict
    """By our own account, and certified."""
    record: str
    """The name under which the site keeps the proof."""

    @property
    def winner(self) -> str | None:
        """Who was chosen."""
        return self.verdict.winner


def choose(call: Call, name: str) -> Opening:
    """Choose by true chance."""
    terms = call.terms
    state = terms.least_state + secrets.randbelow(terms.states - terms.least_state)
    return new_opening(terms, name, secrets.token_bytes(NONCE_OCTETS), state)


def take_part(
    site: Client, code: str, name: str, *, start: int = 0, tell: Callable[[dict[str, Any]], None] | None = None
) -> Held:
    """Take part in the election of a room; return what it came to by our own account.

    `start` lets the election begin as soon as so many are in the room, where this token opened it; 0: somebody else starts it.
    `tell` hears every event of the room.
    """
    key = Key(secrets.token_bytes(32))
    room = site.ask("POST", f"/api/elections/rooms/{part(code)}/join", {"name": name, "key": key.public.hex()})
    party = _Party(
        site, f"/api/elections/rooms/{room['code']}", HubElection(room["name"], choose, key, hub_key=bytes.fromhex(room["hub"]))
    )
    events: queue.Queue[dict[str, Any] | SiteError | None] = queue.Queue()
    ear = threading.Thread(target=_listen, args=(site.twin(), room["code"], events), name="election", daemon=True)
    ear.start()
    started = False
    while True:
        try:
            event = events.get(timeout=TICK_SECONDS)
        except queue.Empty:
            party.tick()
            continue
        if isinstance(event, SiteError):
            raise event
        if event is None:
            raise ElectionError("the room was closed without a word")
        if tell is not None:
            tell(event)
        if event["type"] == "people" and start and not started and len(event["people"]) >= start:
            started = True
            site.start_room(room["code"])
        elif event["type"] == "packet" and event["to"] in (None, room["name"]):
            party.hear(base64.b64decode(event["packet"]))
        elif event["type"] == "closed":
            why = read_plain(event["why"]) or Reason("quoted", text=event["line"])
            raise ElectionError("the room was closed: %(event)s", event=why)
        elif event["type"] == "over":
            return party.held(event)


class _Party:
    """Our side of an election: what it hears, and what it says by requests."""

    def __init__(self, site: Client, where: str, election: HubElection) -> None:
        self.site = site
        self.where = where
        self.election = election

    def hear(self, packet: bytes) -> None:
        self.election.receive(packet, clock())
        self.tick()

    def tick(self) -> None:
        self.election.tick(clock())
        self.election.collect(clock())
        for packet in self.election.packets():
            self.site.ask("POST", f"{self.where}/packet", {"packet": base64.b64encode(packet).decode()})
        if self.election.broken is not None:
            raise ElectionError(self.election.broken)

    def held(self, over: dict[str, Any]) -> Held:
        """Return the verdict that we hold a certificate for; `UndecidedError` without one.

        `ElectionError` where the room claims another.
        """
        verdict = self.election.verdict
        if verdict is None:
            raise UndecidedError("the room says that it is over, and too few verdicts were relayed: we name nobody")
        if verdict.winner != over["winner"]:
            raise ElectionError(
                "the room claims that %(over)s won, by our account %(winner)s did", over=over["winner"], winner=verdict.winner
            )
        return Held(verdict, over["record"])


def _listen(site: Client, code: str, events: "queue.Queue[dict[str, Any] | SiteError | None]") -> None:
    """Pass the events of a room on, in a thread of its own: the party must look at its clock meanwhile."""
    try:
        for event in site.room_events(code):
            events.put(event)
    except SiteError as error:
        events.put(error)
    finally:
        with suppress(OSError):
            site.close()
        events.put(None)
