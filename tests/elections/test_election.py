"""Rooms without browsers: the parties are the house's own, so whatever a room relays is judged by a second implementation."""

import asyncio
import base64
import secrets
import stat
from pathlib import Path

import pytest

from arbitre.crypto.keys import Key
from arbitre.elections.call import Call
from arbitre.elections.clock import clock
from arbitre.elections.election import HubElection
from arbitre.elections.payload import Opening, new_opening
from arbitre.elections.proof import Finding, verify_source
from arbitre.elections.rooms import ALPHABET, CODE_LENGTH, IDLE_SECONDS, MOST_MEMBERS, Elections, Pace, Room, written_code
from arbitre.elections.transcript import open_source
from arbitre.elections.transcripts import Transcripts
from arbitre.errors import ElectionError, UnknownRecordError
from arbitre.reasons import Reason
from arbitre.referee.verify import Proof
from tests.reasons import raises

HOUSE = Key(bytes(32))


def choose(call: Call, name: str) -> Opening:
    return new_opening(call.terms, name, secrets.token_bytes(32), secrets.randbelow(call.terms.states))


class Phone:
    """A browser in a room; it falls silent after so many packets."""

    def __init__(self, room: Room, name: str, packets: int = 100) -> None:
        self.room, self.name, self.packets = room, name, packets
        key = Key(secrets.token_bytes(32))
        self.party = HubElection(name, choose, key, hub_key=HOUSE.public)
        room.join(f"browser of {name}", name, key.public.hex())

    async def live(self) -> None:
        ticking = asyncio.ensure_future(self.tick())
        try:
            await self.listen()
        finally:
            ticking.cancel()

    async def tick(self) -> None:
        while True:
            await asyncio.sleep(0.02)
            self.party.tick(clock())
            self.party.collect(clock())
            self.speak()

    async def listen(self) -> None:
        async for _, event in self.room.watch(0):
            if event is not None and event["type"] == "packet" and event["to"] in (None, self.name):
                self.party.receive(base64.b64decode(event["packet"]), clock())
                self.party.collect(clock())
                self.speak()

    def speak(self) -> None:
        outbox, self.party.outbox = self.party.outbox, []
        for packet in outbox:
            if self.packets:
                self.packets -= 1
                self.room.receive(f"browser of {self.name}", packet)


def rooms(folder: Path) -> Elections:
    return Elections(Transcripts(folder), lambda: HOUSE, Pace(1.0, 1.0, 1.0, 0.2))


def hold(folder: Path, silent: dict[str, int]) -> tuple[Finding, list[Phone]]:
    """Hold an election; return what its transcript proves."""

    async def scene() -> tuple[str, list[Phone]]:
        elections = rooms(folder)
        room = elections.open("who goes", "browser of Ada", "here")
        phones = [Phone(room, name, packets) for name, packets in silent.items()]
        elections.start(room, "browser of Ada")
        await asyncio.wait_for(asyncio.gather(*(phone.live() for phone in phones)), 30)
        await elections.close()
        return room.record, phones

    name, phones = asyncio.run(scene())
    with open_source(Transcripts(folder).path(name)) as source:
        return verify_source(source), phones


def test_everybody_agrees_and_everything_is_signed(tmp_path: Path) -> None:
    finding, phones = hold(tmp_path, {"Ada": 100, "Bob": 100, "Zoé": 100})
    assert finding.standing is Proof.INTACT
    assert finding.verdict is not None
    winners = {phone.party.verdict.winner for phone in phones if phone.party.verdict is not None}
    assert winners == {finding.verdict.winner}


@pytest.mark.parametrize(("packets", "fault"), [(0, "no-commit"), (1, "no-commit"), (2, "no-reveal"), (3, "no-reveal")])
def test_whoever_falls_silent_is_named(tmp_path: Path, packets: int, fault: str) -> None:
    """After nothing, the hello, the Commit or the echo."""
    finding, _ = hold(tmp_path, {"Ada": 100, "Bob": 100, "Gone": packets})
    assert finding.verdict is not None
    assert [(one.player, one.fault) for one in finding.verdict.excluded] == [("Gone", fault)]
    assert finding.verdict.winner in ("Ada", "Bob")


def test_a_room_without_answers_is_closed(tmp_path: Path) -> None:
    async def scene() -> None:
        elections = rooms(tmp_path)
        elections.pace = Pace(0.05, 0.1, 0.1, 0.1, patience=0.2)
        room = elections.open("who goes", "a", "here")
        for name in "ab":
            room.join(name, name, "ab" * 32)
        elections.start(room, "a")
        events = [event async for _, event in room.watch(0)]
        assert events[-1] == {"type": "closed", "why": Reason("election-alone")}

    asyncio.run(scene())


def test_codes_names_and_bounds(tmp_path: Path) -> None:
    async def scene() -> None:
        elections = rooms(tmp_path)
        room = elections.open("  what\n to  choose ", "a", "here")
        assert room.title == "what to choose"
        assert len(ALPHABET) ** CODE_LENGTH >= 2**40
        assert elections.room(f" {room.code[:4].lower()}-{room.code[4:]} ") is room
        assert written_code("") == ""
        for number in range(MOST_MEMBERS):
            room.join(str(number), f"person {number}", "ab" * 32)
        with raises(ElectionError, "full"):
            room.join("one more", "one more", "ab" * 32)
        room.join("0", "another name", "ab" * 32)
        room.leave("1")
        assert [one.name for one in room.members.values()][:2] == ["another name", "person 2"]
        with raises(ElectionError, "already"):
            room.join("1", "PERSON 2", "ab" * 32)
        with raises(ElectionError, "no part"):
            room.receive("0", b"")
        room.touched -= IDLE_SECONDS + 1
        with raises(ElectionError, "no room"):
            elections.room(room.code)

    asyncio.run(scene())


def test_transcripts_are_private_whole_and_found_by_name_alone(tmp_path: Path) -> None:
    kept = Transcripts(tmp_path)
    name = kept.keep(b"{}\n")
    assert kept.path(name).read_bytes() == b"{}\n"
    assert len(name) >= 16
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700
    assert [one.name for one in kept.folder.iterdir()] == [f"{name}.jsonl"]
    for wrong in ("", ".", "..", f"../elections/{name}", f"{name}.jsonl", f".{name}", "x" * 200, "\0"):
        with pytest.raises(UnknownRecordError):
            kept.path(wrong)
