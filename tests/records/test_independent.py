"""The manual's page "Records" is complete: a verifier of chain, signatures and draws, written from it alone, accepts our records.

Nothing of the verifier itself is ours: `hashlib`, `json` and PyNaCl are all it knows. Only the tests below it make records.
"""

import json
from collections.abc import Iterator
from hashlib import sha256, shake_256
from itertools import count
from random import Random
from typing import Any

import pytest
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

CANONICAL = {"ensure_ascii": False, "separators": (",", ":"), "sort_keys": True}


def eight(number: int) -> bytes:
    return number.to_bytes(8, "big")


def draws(secret: bytes) -> Iterator[Any]:
    """Yield one function after the other, each of which draws below a number."""
    for number in count():

        def draw(below: int, label: bytes = b"arbitre/draw/1" + secret + eight(number)) -> int:
            for at in count(1):
                found = int.from_bytes(shake_256(label).digest(8 * at)[-8:], "big")
                if found < 2**64 - 2**64 % below:
                    return found % below
            raise AssertionError

        yield draw


def check(data: bytes, fingerprint: str) -> list[dict[str, Any]]:
    """Check octets as the page says; return the events."""
    *lines, seal_line = data.decode().removesuffix("\n").split("\n")
    events, seal = [json.loads(line) for line in lines], json.loads(seal_line)
    for line, value in zip([*lines, seal_line], [*events, seal], strict=True):
        assert json.dumps(value, **CANONICAL) == line, "canonical form"  # type: ignore[arg-type]
    assert all(list(event) == ["at", "kind", "seat", "text", "turn"] for event in events)
    opening = json.loads(events[0]["text"])
    assert (events[0]["kind"], events[-1]["kind"], opening["arbitre"]) == ("opened", "revealed", 2)
    seed = bytes.fromhex(events[-1]["text"])
    assert sha256(b"arbitre/seed/1" + seed).hexdigest() == opening["commitment"]
    head = bytes(32)
    for number, line in enumerate(lines):
        salt = sha256(b"arbitre/salt/1" + seed + eight(number)).digest()
        head = sha256(b"arbitre/head/1" + head + sha256(b"arbitre/leaf/1" + salt + line.encode()).digest()).digest()
    assert (seal["count"], seal["head"]) == (len(events), head.hex())
    nobody = 0xFFFFFFFF

    def signed(key: str, signature: str, kind: int, seat: int, count: int, head: bytes, rest: bytes = bytes(32)) -> None:
        opening = sha256(b"arbitre/opening/2" + lines[0].encode()).digest()
        subject = bytes([kind]) + seat.to_bytes(4, "big") + opening + eight(count) + head + rest
        VerifyKey(bytes.fromhex(key)).verify(b"arbitre/sign/2" + subject, bytes.fromhex(signature))

    assert sha256(b"arbitre/key/1" + bytes.fromhex(opening["referee"])).hexdigest()[:32] == fingerprint
    states = b"arbitre/seats/2"
    for seat, (chair, word) in enumerate(zip(opening["chairs"], seal["seats"], strict=True)):
        state = ["keyless", "signed", "declined", "silent"].index(word["state"])
        code = sha256(word["code"].encode()).digest() if word["code"] else bytes(32)
        assert (state == 0) == (chair["key"] == "")
        if state == 1:
            signed(chair["key"], word["signature"], 3, seat, len(events), head)
        if state == 2:
            signed(chair["key"], word["signature"], 4, seat, len(events), head, code)
        key = bytes.fromhex(chair["key"] or "00" * 32)
        states += bytes([state]) + key + code + bytes.fromhex(word["signature"] or "00" * 64)
    signed(opening["referee"], seal["signature"], 5, nobody, len(events), head, sha256(states).digest())
    nonces = []
    for event in events:
        if event["kind"] == "agreed":
            seat, said = event["seat"], json.loads(event["text"])
            if said["signature"]:
                salt = sha256(b"arbitre/salt/1" + seed + eight(0)).digest()
                leaf = sha256(b"arbitre/leaf/1" + salt + lines[0].encode()).digest()
                first = sha256(b"arbitre/head/1" + bytes(32) + leaf).digest()
                signed(opening["chairs"][seat]["key"], said["signature"], 2, seat, 1, first)
            if said["nonce"]:
                nonces.append((seat, nonce := bytes.fromhex(said["nonce"])))
                place = bytes.fromhex(opening["commitment"]) + sha256(opening["match"].encode()).digest()
                promise = sha256(b"arbitre/nonce/2" + place + seat.to_bytes(4, "big") + nonce).hexdigest()
                assert promise == opening["promises"][str(seat)]
    mixed = b"".join(seat.to_bytes(4, "big") + nonce for seat, nonce in sorted(nonces))
    secret = sha256(b"arbitre/mix/1" + seed + mixed).digest()
    drawn = [event["text"].split("/") for event in events if event["kind"] == "drawn"]
    for (value, below), draw in zip(drawn, draws(secret), strict=False):
        assert int(value) == draw(int(below)), "draws need no rules"
    return events


# ── records to check ───────────────────────────────────────────────────────────────────────────────────────────────

from arbitre.crypto.statements import SeatState  # noqa: E402 - what is above knows nothing of ours
from arbitre.games.game import Chance  # noqa: E402
from arbitre.records.event import Kind, write_reason  # noqa: E402
from arbitre.records.record import Word  # noqa: E402
from tests.referee.tables import KEY, Hearing, make_match, random_hearing  # noqa: E402
from tests.referee.test_verify import sealed_with, signed_by_a_player  # noqa: E402


@pytest.mark.parametrize("name", ["tictactoe", "rochambeau", "mastermind", "seafight", "kriegspiel", "reversi"])
def test_records_without_chance(name: str) -> None:
    check(random_hearing(make_match(name, clock="1m+100ms"), Random(4)).record().text().encode(), KEY.fingerprint)


@pytest.mark.parametrize("state", [SeatState.SIGNED, SeatState.DECLINED, SeatState.SILENT])
def test_signatures_of_players(state: SeatState) -> None:
    hearing, word = signed_by_a_player(state)
    data = sealed_with(hearing, word, Word())
    check(data, KEY.fingerprint)
    lie = sealed_with(hearing, Word(SeatState.SIGNED, "00" * 64), Word())
    with pytest.raises(BadSignatureError):
        check(lie, KEY.fingerprint)


@pytest.mark.parametrize("nonces", [{}, {0: b"\x11" * 32}, {0: b"\x11" * 32, 1: b"\x22" * 32}], ids=["none", "one", "two"])
def test_draws(nonces: dict[int, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every integer of nature's follows from seed and nonces, in the order and below the numbers that the rules ask for."""
    match = make_match("poker", nonces=nonces)
    asked: list[int] = []
    phase = type(match.game).phase

    def watched(game: Any, state: Any) -> Any:
        found = phase(game, state)
        if isinstance(found, Chance):
            asked.append(found.below)
        return found

    monkeypatch.setattr(type(match.game), "phase", watched)
    hearing = Hearing(match)
    for seat, nonce in nonces.items():
        hearing.agree(seat, nonce)
    random = Random(2)
    while hearing.affairs.questions and len(hearing.events) < 400:
        (seat, question), *_ = hearing.affairs.questions.items()
        hearing.say(seat, match.notation.write(match.game.sample(question.view, random)))
    if hearing.affairs.verdict is None:
        hearing.hear(Kind.ABANDONED, text=write_reason("enough"))
    events = check(hearing.record().text().encode(), KEY.fingerprint)
    found = [int(event["text"].partition("/")[2]) for event in events if event["kind"] == "drawn"]
    assert len(found) > 20
    assert found == asked
