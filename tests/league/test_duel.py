"""The duel: one table of cases, each fed whole, octet by octet and with octets after it; then mischief, then whole games."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import IllegalMoveError
from arbitre.games.draughts.notation import DraughtsNotation, read_fen
from arbitre.games.draughts.rules import Draughts, Move
from arbitre.league.duel import (
    GAPS,
    LONGEST_REFUSAL,
    MOST_DOUBTS,
    MOST_STRAYS,
    MOST_TRIES,
    Doubted,
    Duel,
    Ended,
    Ending,
    Event,
    Moved,
    Refused,
    Role,
    Stage,
)
from arbitre.reasons import Reason
from tests.reasons import gives, raises

GAME = Draughts()
NOTATION = DraughtsNotation(GAME)
D, A = Role.DEFENDER, Role.ATTACKER


def move(duel: Duel, text: str) -> Move:
    return NOTATION.read(text, duel.board)


def begun(role: Role, own: str = "32-28") -> Duel:
    """Return a duel in which the peer is to move: a defender has made a first move."""
    duel = Duel(role)
    if role is Role.DEFENDER:
        duel.say(move(duel, own))
        duel.outgoing()
    return duel


def short(event: Event) -> str:
    """Return an event in a few letters."""
    match event:
        case Moved(made, _, comment):
            return f"moved {made}" + (f" ({comment})" if comment else "")
        case Refused(text, _):
            return f"refused {text}"
        case Doubted():
            return "doubted"
        case Ended(ending, _):
            return f"ended {ending.value}"
    raise AssertionError(event)


CASES = [
    # framings, all seen or named by the spec
    pytest.param(D, b"19-23\0", ["moved 19-23"], b"", id="one NUL"),
    pytest.param(D, b"19-23\0\0\0", ["moved 19-23"], b"", id="a run of NULs"),
    pytest.param(D, b"19-23".ljust(100, b"\0"), ["moved 19-23"], b"", id="a block of 100"),
    pytest.param(D, b"19-23".ljust(256, b"\0"), ["moved 19-23"], b"", id="a block of 256"),
    pytest.param(D, b"19-23".ljust(1024, b"\0"), ["moved 19-23"], b"", id="a block of 1024"),
    pytest.param(D, b"19-23\n", ["moved 19-23"], b"", id="LF"),
    pytest.param(D, b"19-23\r\n", ["moved 19-23"], b"", id="CRLF"),
    pytest.param(D, b"19-23\r", ["moved 19-23"], b"", id="CR"),
    pytest.param(D, b"19-23\n\0", ["moved 19-23"], b"", id="LF and NUL"),
    pytest.param(D, b"\0\0\r\n19-23\0", ["moved 19-23"], b"", id="separators first"),
    pytest.param(A, b"32-28\0", ["moved 32-28"], b"", id="the attacker hears white's first move"),
    pytest.param(A, b"32-28 bonne chance\0", ["moved 32-28 (bonne chance)"], b"", id="a comment"),
    pytest.param(A, "32-28 où ça ?\0".encode(), ["moved 32-28 (où ça ?)"], b"", id="a comment in UTF-8"),
    pytest.param(A, b"32-28 \xff\xfe\0", ["moved 32-28 (��)"], b"", id="a comment in nothing"),
    pytest.param(A, b"  32-28  \0", ["moved 32-28"], b"", id="spaces around"),
    # words
    pytest.param(D, b"COUP INVALIDE\0", ["doubted"], b"32-28\0", id="COUP INVALIDE: our move again"),
    pytest.param(D, b"COUP INVALIDE il y a mieux\0", ["doubted"], b"32-28\0", id="COUP INVALIDE with a text"),
    pytest.param(D, b"INVALIDE\0", ["doubted"], b"32-28\0", id="the bare word"),
    pytest.param(D, b"coup invalide\0", ["doubted"], b"32-28\0", id="small letters"),
    pytest.param(D, b"COUP INVALIDE\x0019-23\0", ["doubted", "moved 19-23"], b"32-28\0", id="a doubt withdrawn"),
    pytest.param(D, b"INTERUPTION\0", ["ended their interruption"], b"", id="INTERUPTION"),
    pytest.param(D, b"INTERRUPTION\0", ["ended their interruption"], b"", id="as others spell it"),
    pytest.param(D, b"INTERUPTION plus de courant\0", ["ended their interruption"], b"", id="INTERUPTION with a text"),
    pytest.param(D, b"PERDU\0", ["ended our interruption"], b"INTERUPTION\0", id="PERDU with moves left"),
    pytest.param(D, b"EGALITE\0", ["ended our interruption"], b"INTERUPTION\0", id="EGALITE before ply 100"),
    pytest.param(D, b"BONJOUR\0", ["ended our interruption"], b"INTERUPTION\0", id="an unknown word"),
    pytest.param(D, b"COUP DE THEATRE\0", ["ended our interruption"], b"INTERUPTION\0", id="COUP and no INVALIDE"),
    pytest.param(D, b"\xff\xff\0", ["ended our interruption"], b"INTERUPTION\0", id="no text at all"),
    pytest.param(D, b"GET / HTTP/1.1\r\n", ["ended our interruption"], b"INTERUPTION\0", id="a web browser"),
    # out of turn
    pytest.param(D, b"19-23\0INTERUPTION\0", ["moved 19-23", "ended their interruption"], b"", id="INTERUPTION out of turn"),
    pytest.param(
        D, b"19-23\0PERDU\0", ["moved 19-23", "ended our interruption"], b"INTERUPTION\0", id="a move and a claim at once"
    ),
    pytest.param(D, b"19-23\x0014-19\0", ["moved 19-23"], b"", id="two moves at once: the second is overlooked"),
    pytest.param(A, b"INVALIDE\0", [], b"", id="a doubt about nothing"),
]


@pytest.mark.parametrize(("role", "data", "expected", "sent"), CASES)
class TestCases:
    def test_whole(self, role: Role, data: bytes, expected: list[str], sent: bytes) -> None:
        duel = begun(role)
        assert [short(event) for event in duel.receive(data)] == expected
        assert duel.outgoing() == sent
        assert duel.outgoing() == b""

    def test_octet_by_octet(self, role: Role, data: bytes, expected: list[str], sent: bytes) -> None:
        duel = begun(role)
        assert [short(event) for octet in data for event in duel.receive(bytes([octet]))] == expected
        assert duel.outgoing() == sent

    def test_with_the_start_of_another_word(self, role: Role, data: bytes, expected: list[str], sent: bytes) -> None:
        duel = begun(role)
        assert [short(event) for event in duel.receive(data + b"14-1")] == expected
        assert duel.outgoing() == sent

    def test_unterminated(self, role: Role, data: bytes, expected: list[str], sent: bytes) -> None:
        duel = begun(role)
        events = duel.receive(data.rstrip(b"\0\r\n"))
        for _ in range(GAPS):
            events += duel.idle()
        assert [short(event) for event in events] == expected
        assert duel.outgoing() == sent

    def test_and_then_closed(self, role: Role, data: bytes, expected: list[str], sent: bytes) -> None:
        duel = begun(role)
        events = [*duel.receive(data.rstrip(b"\0\r\n")), *duel.closed()]
        ends = [] if expected and expected[-1].startswith("ended") else ["ended closed"]
        assert [short(event) for event in events] == expected + ends
        assert duel.outgoing() == sent
        assert duel.closed() == []


def test_a_wrong_move_may_be_tried_again() -> None:
    duel = begun(D)
    assert [short(event) for event in duel.receive(b"19-20\0")] == ["refused 19-20"]
    assert duel.outgoing() == b"COUP INVALIDE\0", "and nothing else to a peer that has sent no comment"
    assert [short(event) for event in duel.receive(b"19-23\0")] == ["moved 19-23"]


@pytest.mark.parametrize(
    "before", [b"19-20 pardon\0", b"COUP INVALIDE il y a mieux\x0019-20\0"], ids=["a comment", "a text behind COUP INVALIDE"]
)
def test_a_peer_that_comments_is_told_why(before: bytes) -> None:
    duel = begun(D)
    (refused,) = (event for event in duel.receive(before) if isinstance(event, Refused))
    assert gives(refused.why, "illegal", move="19-20")
    said = duel.outgoing().removeprefix(b"32-28\0")
    assert said == f"COUP INVALIDE {refused.why}"[:LONGEST_REFUSAL].encode() + b"\0"
    duel.receive(b"19-20\0")
    assert duel.outgoing() == said, "from then on"


@pytest.mark.parametrize("word", [b"19-20", b"99-98", b"19x28", b"1x2x3x4x5x6x7x8x9x10x11x12", b"0-0"])
def test_tries_are_bounded(word: bytes) -> None:
    duel = begun(D)
    for _ in range(MOST_TRIES):
        assert all(isinstance(event, Refused) for event in duel.receive(word + b"\0"))
        assert duel.outgoing().startswith(b"COUP INVALIDE")
    assert isinstance(duel.receive(word + b"\0")[-1], Ended)
    assert duel.outgoing() == b"INTERUPTION\0"


def test_doubts_are_bounded() -> None:
    duel = begun(D)
    for _ in range(MOST_DOUBTS):
        duel.receive(b"INVALIDE\0")
        assert duel.outgoing() == b"32-28\0"
    assert isinstance(duel.receive(b"INVALIDE\0")[-1], Ended)
    assert duel.outgoing() == b"INTERUPTION\0"


def test_words_out_of_turn_are_bounded() -> None:
    duel = Duel(D)
    for _ in range(MOST_STRAYS):
        assert duel.receive(b"19-23\0") == []
    (end,) = duel.receive(b"19-23\0")
    assert isinstance(end, Ended)
    assert end.ending is Ending.OUR_INTERRUPTION


@pytest.mark.parametrize(
    "data",
    [b"x" * 10_000_000, b"32-28 " + b"bla " * 2_500_000, b"COUP INVALIDE " + b"!" * 2_000],
    ids=["ten megabytes without a separator", "an endless comment", "an endless refusal"],
)
def test_what_has_no_end_is_ended(data: bytes) -> None:
    duel = begun(A)
    (end,) = duel.receive(data)
    assert isinstance(end, Ended)
    assert gives(end.reason, "peer-word-too-long")
    assert duel.receive(data) == []


def test_a_flood_of_separators_is_nothing() -> None:
    duel = begun(A)
    assert duel.receive(bytes(1_000_000)) == []
    assert [short(event) for event in duel.receive(b"32-28\0")] == ["moved 32-28"]


def test_a_word_in_the_making_is_not_taken_for_whole() -> None:
    duel = begun(A)
    assert duel.receive(b"32-2") == []
    assert duel.idle() == []
    assert duel.receive(b"8") == []
    assert [short(event) for event in duel.idle()] == ["moved 32-28"]


def test_a_wrong_word_without_an_end_is_taken_at_last() -> None:
    duel = begun(A)
    duel.receive(b"32-2")
    assert [len(duel.idle()) for _ in range(GAPS)] == [0] * (GAPS - 1) + [1]
    assert duel.idle() == []


def test_our_own_moves_are_checked() -> None:
    duel = Duel(D)
    with pytest.raises(IllegalMoveError):
        duel.say(move(duel, "32-22"))
    assert duel.outgoing() == b""
    duel.say(move(duel, "32-28"))
    with raises(IllegalMoveError, "not-your-turn"):
        duel.say(move(duel, "19-23"))


def test_we_may_interrupt_once() -> None:
    duel = Duel(A)
    duel.interrupt(Reason("no-answer"))
    duel.interrupt(Reason("test-over"))
    assert duel.outgoing() == b"INTERUPTION\0"
    assert duel.ended == Ended(Ending.OUR_INTERRUPTION, Reason("no-answer"))


# ── the end by the rules ───────────────────────────────────────────────────────────────────────────────────────────


def placed(role: Role, fen: str) -> Duel:
    duel = Duel(role)
    duel.board = read_fen(fen)
    duel.stage = Stage.OURS if duel.board.mover == role.seat else Stage.THEIRS
    return duel


def test_whoever_has_lost_says_so() -> None:
    duel = placed(A, "W:W28:B23")
    events = duel.receive(b"28x19\0")
    assert [short(event) for event in events] == ["moved 28x19", "ended rules"]
    assert duel.outgoing() == b"PERDU\0"
    assert duel.receive(b"PERDU\0INTERUPTION\0BLA\0") == []


def test_the_winner_says_nothing_more() -> None:
    duel = placed(D, "W:W28:B23")
    duel.say(move(duel, "28x19"))
    assert duel.outgoing() == b"28x19\0"
    assert duel.stage is Stage.OVER
    assert duel.ended is not None
    assert duel.ended.ending is Ending.RULES
    assert duel.receive(b"PERDU\0") == []
    assert duel.closed() == []


def play(seed: int, plain: bool) -> tuple[Duel, Duel]:
    """Let two of ours play each other, all octets through the wire, one octet at a time or as they come."""
    random = Random(seed)
    duels = (Duel(D), Duel(A))
    while all(duel.stage is not Stage.OVER for duel in duels):
        for one, other in (duels, duels[::-1]):
            if one.stage is Stage.OURS:
                one.say(random.choice(one.board.moves))
            data = one.outgoing()
            for part in [data] if plain else [data[at : at + 1] for at in range(len(data))]:
                other.receive(part)
    return duels


@pytest.mark.parametrize("seed", range(8))
def test_two_of_ours_agree(seed: int) -> None:
    white, black = play(seed, plain=bool(seed % 2))
    assert white.moves == black.moves
    assert white.board == black.board
    assert white.ended == black.ended
    assert white.ended is not None
    assert white.ended.ending is Ending.RULES


def test_a_hundred_plies_are_a_draw() -> None:
    for seed in range(100):
        white, black = play(seed, plain=True)
        if len(white.moves) == 100 and white.ended == Ended(Ending.RULES, Reason("plies-played", plies=100)):
            assert black.ended == white.ended
            return
    raise AssertionError("no game of a hundred plies")


# ── anything at all ────────────────────────────────────────────────────────────────────────────────────────────────

WORD = st.one_of(
    st.sampled_from([b"PERDU", b"EGALITE", b"INTERUPTION", b"INVALIDE", b"COUP INVALIDE", b"32-28", b"19-23", b"14-19", b"\0"]),
    st.binary(max_size=30),
    st.from_regex(r"[0-9]{1,2}[-x][0-9]{1,2}", fullmatch=True).map(str.encode),
)


@given(
    st.lists(st.tuples(WORD, st.sampled_from([b"\0", b"\n", b"", b"\0\0"])), max_size=30), st.sampled_from(list(Role)), st.data()
)
@settings(max_examples=150, deadline=None)
def test_nothing_surprises_a_duel(words: list[tuple[bytes, bytes]], role: Role, data: st.DataObject) -> None:
    """However octets are cut, the same happens; a duel ends once, and says only words of the league."""
    stream = b"".join(word + separator for word, separator in words)
    whole, cut = begun(role), begun(role)
    expected = whole.receive(stream)
    events = []
    while stream:
        at = data.draw(st.integers(1, len(stream)))
        events += cut.receive(stream[:at])
        stream = stream[at:]
    assert events == expected
    assert cut.outgoing() == (said := whole.outgoing())
    assert sum(isinstance(event, Ended) for event in events) == (cut.stage is Stage.OVER)
    assert all(word.startswith((b"COUP INVALIDE", b"INTERUPTION", b"32-28")) for word in said.split(b"\0")[:-1])
