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


def check(data: bytes, fingerprint: str) -> tuple[list[dict[str, Any]], Iterator[Any]]:
    """Check octets as the page says; return the events and the draws that the seed gives."""
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
    signed = b"arbitre/seal/1" + eight(seal["count"]) + head
    referee, *players = seal["signatures"]
    assert (referee["by"], sha256(b"arbitre/key/1" + bytes.fromhex(referee["key"])).hexdigest()[:32]) == (-1, fingerprint)
    under = b""
    for one in players:
        assert one["key"] == opening["chairs"][one["by"]]["key"]
        VerifyKey(bytes.fromhex(one["key"])).verify(signed, bytes.fromhex(one["signature"]))
        under += eight(one["by"]) + bytes.fromhex(one["key"]) + bytes.fromhex(one["signature"])
    VerifyKey(bytes.fromhex(referee["key"])).verify(signed + under, bytes.fromhex(referee["signature"]))
    nonces = sorted((event["seat"], bytes.fromhex(event["text"])) for event in events if event["kind"] == "nonce")
    for seat, nonce in nonces:
        assert sha256(b"arbitre/nonce/1" + nonce).hexdigest() == opening["promises"][str(seat)]
    mixed = b"".join(seat.to_bytes(4, "big") + nonce for seat, nonce in nonces)
    return events, draws(sha256(b"arbitre/mix/1" + seed + mixed).digest())


# ── records to check ───────────────────────────────────────────────────────────────────────────────────────────────

from arbitre.crypto.draws import promise  # noqa: E402 - what is above knows nothing of ours
from arbitre.games.game import Chance  # noqa: E402
from arbitre.records.event import Kind, write_reason  # noqa: E402
from tests.referee.tables import KEY, Hearing, make_match, random_hearing  # noqa: E402
from tests.referee.test_verify import signed_by_a_player  # noqa: E402


@pytest.mark.parametrize("name", ["tictactoe", "rochambeau", "mastermind", "seafight", "kriegspiel", "reversi"])
def test_records_without_chance(name: str) -> None:
    check(random_hearing(make_match(name, clock="1m+100ms"), Random(4)).record().text().encode(), KEY.fingerprint)


def test_signatures_of_players() -> None:
    data = signed_by_a_player()
    check(data, KEY.fingerprint)
    with pytest.raises(BadSignatureError):
        check(data[: data.index(b',{"by":0')] + data[data.rindex(b"]}") :], KEY.fingerprint)


@pytest.mark.parametrize("nonces", [{}, {0: b"\x11" * 32}, {0: b"\x11" * 32, 1: b"\x22" * 32}], ids=["none", "one", "two"])
def test_draws(nonces: dict[int, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every integer of nature's follows from seed and nonces, in the order and below the numbers that the rules ask for."""
    promises = {seat: promise(nonce) for seat, nonce in nonces.items()}
    match = make_match("poker", promises=promises)
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
        hearing.hear(Kind.NONCE, seat, nonce.hex())
    random = Random(2)
    while hearing.affairs.questions and len(hearing.events) < 400:
        (seat, question), *_ = hearing.affairs.questions.items()
        hearing.say(seat, match.notation.write(match.game.sample(question.view, random)))
    if hearing.affairs.verdict is None:
        hearing.hear(Kind.ABANDONED, text=write_reason("enough"))
    events, drawn = check(hearing.record().text().encode(), KEY.fingerprint)
    found = [int(event["text"]) for event in events if event["kind"] == "drawn"]
    assert len(found) > 20
    assert found == [next(drawn)(below) for below in asked]
