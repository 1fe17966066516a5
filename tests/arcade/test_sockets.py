"""A visitor believes nobody: whatever the other end says, its own book is right, and nothing breaks it."""

import socket
import threading
from collections.abc import Callable, Sequence

import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.arcade import visitor as arcade
from arbitre.arcade.bout import Ending, Finish, Step
from arbitre.arcade.side import Throw
from arbitre.arcade.terms import FACILE, Encoding, encode
from arbitre.arcade.visitor import Player, Visitor, join, read_address
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import oakley
from arbitre.errors import PlayerGarbledError, PlayerLeftError
from arbitre.games.game import FIRST, SECOND
from tests.reasons import raises

GREETING = b"# arbitre arcade 1 record abc\n# level Difficile\n# encoding subgroup\n# checks full\n# seat joueur me against you\n"
OTHER = Key(oakley(14), mpz(77))
PKEY = f"PKEY {OTHER.h.digits(16)}\n".encode()


class Rock(Player):
    def throw(self, past: Sequence[Throw]) -> str:  # noqa: ARG002
        return "PIERRE"


def seated(greeting: bytes = GREETING) -> tuple[Visitor, bytes]:
    visitor = Visitor(Rock())
    return visitor, visitor.receive(greeting + PKEY)


def verbs(octets: bytes) -> list[str]:
    return [line.split()[0] for line in octets.decode().splitlines()]


def test_a_visitor_says_its_wishes_in_comments() -> None:
    visitor = Visitor(Rock(), level="Nightmare", language="fr")
    assert visitor.hello() == b"# name joueur\n# level Nightmare\n# language fr\n# begin\n"
    assert Visitor(Rock(), table="t").hello() == b"# name joueur\n# table t\n"


def test_a_round_from_the_joueurs_chair() -> None:
    visitor, said = seated()
    assert verbs(said) == ["PKEY", "COMMIT"]
    assert verbs(visitor.receive(b"MOVE CISEAUX\n")) == ["MOVE", "OPEN"]
    assert visitor.ledger is not None
    visitor.receive(b"OK\n")
    assert visitor.ledger.bout.scores == (1, 0)
    assert visitor.ledger.bout.step is Step.COMMIT
    assert len(visitor.fingerprint.split()) == 6


@pytest.mark.parametrize(("wrong", "last"), [(0, "OK"), (1, "REFEREE")])
def test_openings_are_checked(wrong: int, last: str) -> None:
    visitor, _ = seated(GREETING.replace(b"joueur me", b"adversaire me"))
    commitment, k = OTHER.commit(encode(Encoding.SUBGROUP, OTHER.group, Sign.PIERRE))
    assert verbs(visitor.receive(f"COMMIT {commitment.r.digits(16)} {commitment.c.digits(16)}\n".encode())) == ["MOVE"]
    assert verbs(visitor.receive(f"MOVE PIERRE\nOPEN {(k + wrong).digits(16)}\n".encode())) == [last, "COMMIT"]


def test_the_greeting_is_learned_once() -> None:
    visitor, _ = seated(GREETING.replace(b"Difficile", b"Facile").replace(b"subgroup", b"ascii").replace(b"full", b"none"))
    assert visitor.ledger is not None
    assert visitor.ledger.call.terms == FACILE
    visitor.receive(GREETING.replace(b"joueur me", b"adversaire me"))
    assert visitor.ledger.call.keeper == "joueur"
    assert visitor.ledger.call.match == "abc"


@pytest.mark.parametrize(
    ("last", "winner"),
    [
        (b"", FIRST),
        (b"# over joueur 0 0 gone: the adversaire forfeits: hung up\n", FIRST),
        (b"# over adversaire 0 0 silence: the joueur forfeits: no MOVE in time\n", SECOND),
    ],
)
def test_who_is_to_blame_when_the_line_goes_dead(last: bytes, winner: int) -> None:
    visitor, _ = seated()
    visitor.receive(last)
    visitor.lost()
    assert visitor.finish is not None
    assert (visitor.finish.winner, visitor.finish.ending) == (winner, Ending.GONE)
    assert visitor.record().seal is not None
    visitor.lost()
    assert visitor.receive(b"MOVE PIERRE\nCOMMIT 1 1\n") == b""


def test_a_record_before_the_end_is_refused() -> None:
    with pytest.raises(PlayerLeftError):
        seated()[0].record()


def test_players_must_choose_a_sign() -> None:
    class Lizard(Player):
        def throw(self, past: Sequence[Throw]) -> str:  # noqa: ARG002
            return "LÉZARD"

    visitor = Visitor(Lizard())
    with raises(PlayerGarbledError, "no-hand", given="LÉZARD"):
        visitor.receive(GREETING + PKEY)


LINES = st.sampled_from(
    [
        GREETING,
        PKEY,
        b"MOVE PIERRE\n",
        b"OK\n",
        b"REFEREE\n",
        b"OPEN 5\n",
        b"COMMIT 5 5\n",
        b"# over\n",
        b"# seat\n",
        b"x\n",
        b"\xff\n",
    ]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(LINES | st.binary(max_size=20), max_size=15))
def test_any_server_is_survived(pieces: list[bytes]) -> None:
    visitor = Visitor(Rock())
    for piece in pieces:
        visitor.receive(piece).decode("ascii")
    visitor.lost()


def served(talk: Callable[[socket.socket], None]) -> Finish:
    """Join a server that talks so."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            wire, _ = listener.accept()
            with wire:
                talk(wire)

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            return join(listener.getsockname()[:2], Rock())
        finally:
            thread.join()


def test_a_server_that_greets_nobody_is_spoken_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arcade, "GREETING_SECONDS", 0.1)

    def talk(wire: socket.socket) -> None:
        text = b""
        while b"PKEY" not in text:
            text += wire.recv(4096)

    finish = served(talk)
    assert (finish.winner, finish.ending) == (FIRST, Ending.GONE)


def test_a_server_that_turns_us_away() -> None:
    def talk(wire: socket.socket) -> None:
        wire.recv(4096)
        wire.sendall(b"# error the arcade is full\n")

    with raises(PlayerLeftError, "the arcade hung up before the match began; last heard", heard="# error the arcade is full"):
        served(talk)


def test_addresses() -> None:
    assert read_address("example.org") == ("example.org", 3232)
    assert read_address("localhost:5") == ("localhost", 5)
    assert read_address("[::1]:5") == ("::1", 5)
    assert read_address("[::1]") == ("::1", 3232)
    assert read_address(":5") == ("localhost", 5)
    for bad in ("host:", "host:x", "host:0", "host:70000"):
        with raises(PlayerLeftError, "no HOST:PORT"):
            read_address(bad)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()[:2]
    with raises(PlayerLeftError, "cannot reach"):
        join(address, Rock())
