"""Reports: octets to games and back, every refusal with its number, every answer to the letter."""

from functools import cache
from ipaddress import IPv6Address
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import MoveError, PositionError
from arbitre.games.draughts.notation import DraughtsNotation, read_fen
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Seat, playout
from arbitre.league.report import (
    HEADER,
    SIZE,
    Answer,
    Identity,
    Impossible,
    Pair,
    Played,
    Registered,
    Report,
    Unknown,
    Word,
    judge,
    mapped,
    pair_of,
    read_answer,
    read_report,
    replay,
    shown,
    write_report,
)
from tests.reasons import raises

GAME = Draughts()
BOB = mapped("192.0.2.7")


@cache
def game(seed: int) -> tuple[Move, ...]:
    """Return the moves of a random game, played to its end."""
    return tuple(move for step in playout(GAME, Random(seed)) for move in step.moves.values())


def octets(moves: tuple[Move, ...], seat: Seat = FIRST) -> bytes:
    return write_report(seat, BOB, moves)


def refused(data: bytes) -> int:
    """Return the number of the move that is refused."""
    found = read_report(data)
    assert isinstance(found, Impossible), found
    return found.number


# ── octets and games ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_capture_is_written_as_the_spec_says() -> None:
    board = read_fen("W:W26:B21,12,13")
    (move,) = [one for one in board.moves if one.end == 19]
    assert str(move) == "26x17x8x19"
    assert write_report(FIRST, BOB, [move])[HEADER:].rstrip(b"\0").hex() == "1a110893"
    assert write_report(FIRST, BOB, GAME.start().moves[:1])[HEADER:].rstrip(b"\0") == bytes([31 + 128, 26 + 128])


def test_the_header_is_colour_and_address() -> None:
    assert octets(game(1))[:HEADER].hex() == "ff" + "00" * 10 + "ffff" + "c0000207"
    assert octets(game(1), SECOND)[:HEADER].hex() == "01" + "00" * 10 + "ffff" + "c0000207"
    assert write_report(SECOND, IPv6Address("2001:db8::5"), ())[1:HEADER].hex() == "20010db8000000000000000000000005"


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_what_is_written_is_read_back(seed: int, seat: Seat) -> None:
    moves = game(seed)
    report = read_report(octets(moves, seat))
    assert isinstance(report, Report)
    assert (report.seat, report.opponent) == (seat, BOB)
    assert report.game.moves == moves
    assert [move.path for move in report.game.moves] == [move.path for move in moves]


def test_the_result_is_what_the_rules_say() -> None:
    """Random games: most are won, some last a hundred plies."""
    seen = set()
    for seed in range(60):
        last = None
        for step in playout(GAME, Random(seed)):
            last = step.after
        assert last is not None
        found = read_report(octets(game(seed)))
        assert isinstance(found, Report)
        outcome = GAME.phase(last)
        assert found.game.scores == outcome.scores  # type: ignore[union-attr]
        seen.add(found.game.scores)
    assert seen >= {(WIN, LOSS), (LOSS, WIN), (DRAW, DRAW)}


def test_addresses_have_one_form() -> None:
    assert mapped("::ffff:192.0.2.7") == mapped("192.0.2.7") == BOB
    assert mapped("fe80::1%eth0") == IPv6Address("fe80::1")
    assert shown(BOB) == "192.0.2.7"
    assert shown(mapped("2001:DB8::1")) == "2001:db8::1"


def other_paths() -> tuple[bytes, bytes]:
    """Return one game in two landing paths: a king that takes two pieces may turn on several squares between them."""
    for seed in range(300):
        board = GAME.start()
        for at, move in enumerate(game(seed)):
            if len(move.captured) == 2:
                for way in ways(board, move):
                    if way.path != move.path:
                        return octets(game(seed)), octets((*game(seed)[:at], way, *game(seed)[at + 1 :]))
            board = board.after(move)
    raise AssertionError("no game with two ways")


def ways(board: Board, move: Move) -> list[Move]:
    """Return the ways to make a capture of two pieces, by trying every square between: slow and independent."""
    found = []
    for middle in range(1, 51):
        try:
            made = DraughtsNotation(GAME).read(f"{move.start}x{middle}x{move.end}", board)
        except MoveError:
            continue
        if made == move:
            found.append(made)
    return found


# ── refusals ───────────────────────────────────────────────────────────────────────────────────────────────────────

MOVES = game(3)
WHOLE = octets(MOVES)
END = len(WHOLE.rstrip(b"\0"))


def with_octet(at: int, octet: int) -> bytes:
    return WHOLE[:at] + bytes([octet]) + WHOLE[at + 1 :]


@pytest.mark.parametrize("colour", [0x00, 0x02, 0x80, 0xFE])
def test_a_wrong_colour_has_no_number(colour: int) -> None:
    assert read_report(with_octet(0, colour)) == Unknown()


def test_nothing_is_no_report() -> None:
    assert read_report(b"") == Unknown()
    assert refused(b"\xff") == 1, "a game that stops before its first move"


@pytest.mark.parametrize("octet", [0x00, 0x33, 0x7F, 0x80, 0xB3, 0xFF])
def test_octets_that_are_no_squares(octet: int) -> None:
    assert refused(with_octet(HEADER, octet)) == 1
    assert refused(with_octet(HEADER + 1, octet)) == 1
    assert refused(with_octet(HEADER + 2, octet)) == 2


@pytest.mark.parametrize("kept", [0, 1, 2, 17, len(MOVES) - 1])
def test_a_game_that_stops_too_early(kept: int) -> None:
    assert refused(octets(MOVES[:kept])) == kept + 1


def test_a_game_that_goes_on_after_its_end() -> None:
    extra = WHOLE[:END] + bytes([31 + 128, 26 + 128])
    assert refused(extra) == len(MOVES) + 1
    assert refused(extra + extra) == len(MOVES) + 1


def test_data_after_the_first_zero() -> None:
    assert refused(with_octet(SIZE - 1, 1)) == len(MOVES) + 1
    assert refused(octets(MOVES[:4])[:-1] + b"\x9f") == 5
    first = HEADER + 2 * 2
    assert refused(WHOLE[:first] + b"\0" + WHOLE[first:-1]) == 3


def capture_at() -> tuple[int, Move, int]:
    """Return the number of a capture of several pieces, the move, and where its octets begin."""
    for number, move in enumerate(MOVES, start=1):
        if len(move.captured) > 1:
            return number, move, len(octets(MOVES[: number - 1]).rstrip(b"\0"))
    raise AssertionError("no long capture in this game")


def test_truncated_captures() -> None:
    number, move, at = capture_at()
    size = len(move.path)
    short = bytes([move.start, move.end + 128])
    assert refused(WHOLE[:at] + short + WHOLE[at + size :]) == number, "landings left out"
    assert refused(WHOLE[: at + size - 1]) == number, "cut before the last square"
    assert refused(WHOLE[: at + size - 1] + b"\0" + WHOLE[at + size :]) == number, "its last square is nothing"
    assert refused(WHOLE[:at] + bytes([move.start + 128, move.end + 128]) + WHOLE[at + size :]) == number, "as a step"


def test_a_move_cut_by_the_end_of_the_report() -> None:
    """239 octets that never end: whatever the last move would be, it is refused."""
    assert refused(b"\xff" + bytes(16) + bytes([1]) * 239) == 1
    assert refused(b"\xff" + bytes(16) + bytes([31 + 128]) * 239) == 1


def test_any_single_move_changed_to_an_illegal_one_is_named() -> None:
    board = GAME.start()
    for number, move in enumerate(MOVES, start=1):
        wrong = Move(move.end, move.start, path=(move.end, move.start))
        assert refused(octets((*MOVES[: number - 1], wrong, *MOVES[number:]))) == number
        board = board.after(move)


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_octets_are_judged(data: bytes) -> None:
    found = read_report(data)
    assert isinstance(found, Report | Impossible | Unknown)


@given(st.integers(0, 40), st.integers(HEADER, SIZE - 1), st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_a_changed_octet_never_gives_the_same_game(seed: int, at: int, octet: int) -> None:
    whole = octets(game(seed))
    changed = whole[:at] + bytes([octet]) + whole[at + 1 :]
    first, second = replay(whole[HEADER:]), replay(changed[HEADER:])
    assert isinstance(first, Played)
    if isinstance(second, Played) and changed != whole:
        same = first.fingerprint == second.fingerprint
        assert same == (first.moves == second.moves), "only another landing path is the same game"


def test_the_same_game_in_other_landing_paths() -> None:
    one, two = other_paths()
    assert one != two
    first, second = read_report(one), read_report(two)
    assert isinstance(first, Report)
    assert isinstance(second, Report)
    assert first.game.fingerprint == second.game.fingerprint
    assert read_report(octets(game(5))).game.fingerprint != first.game.fingerprint  # type: ignore[union-attr]


def test_a_game_without_its_landings_cannot_be_written() -> None:
    with raises(PositionError, "every landing square"):
        write_report(FIRST, BOB, [Move(MOVES[0].start, MOVES[0].end, frozenset({MOVES[1].start, MOVES[1].end}))])


# ── answers and judgement ──────────────────────────────────────────────────────────────────────────────────────────

LINES = {
    Answer(Word.OTHERS): "ERR : partie déjà jouée par d’autres",
    Answer(Word.IMPOSSIBLE, 17): "ERR : le coup numéro 17 est impossible",
    Answer(Word.UNKNOWN): "ERR : inconnue",
    Answer(Word.AGAIN): "ACC : mais déjà enregistrée",
    Answer(Word.PENDING): "ACC : mais non confirmé",
    Answer(Word.CONFIRMED): "ACC : et confirmée",
    Answer(Word.TOMORROW): "TIM : partie déjà joué aujourd’hui, à renvoyer demain pour validation",
}


@pytest.mark.parametrize("answer", LINES, ids=lambda answer: answer.word.name)
def test_answers_to_the_letter(answer: Answer) -> None:
    assert answer.octets() == LINES[answer].encode("utf-8") + b"\0"
    assert read_answer(answer.octets()) == answer
    assert read_answer(LINES[answer].replace("’", "'").encode() + b"\n\0\0") == answer


@pytest.mark.parametrize("data", [b"", b"\0", b"ACC", b"ERR : le coup num\xc3\xa9ro 99999 est impossible\0", b"\xff" * 300])
def test_other_words_are_no_answer(data: bytes) -> None:
    assert read_answer(data) is None


A, B, X = Identity("a"), Identity("b"), Identity("x")
NONE: frozenset[Seat] = frozenset()
BY_WHITE, BY_BLACK, BY_BOTH = frozenset({FIRST}), frozenset({SECOND}), frozenset({FIRST, SECOND})


@pytest.mark.parametrize(
    ("known", "word"),
    [
        pytest.param(Registered(), Word.PENDING, id="first"),
        pytest.param(Registered(met_today=True), Word.PENDING, id="a first report never gets TIM"),
        pytest.param(Registered(versions=BY_BLACK), Word.CONFIRMED, id="second"),
        pytest.param(Registered(versions=BY_BLACK, met_today=True), Word.TOMORROW, id="second on a day with a game"),
        pytest.param(Registered(versions=BY_WHITE), Word.AGAIN, id="again before the other"),
        pytest.param(Registered(versions=BY_WHITE, met_today=True), Word.AGAIN, id="again comes before TIM"),
        pytest.param(Registered(Pair(A, B), BY_BOTH, True), Word.AGAIN, id="again after confirmation"),
        pytest.param(Registered(Pair(X, B)), Word.OTHERS, id="another pair has it"),
        pytest.param(Registered(Pair(B, A)), Word.OTHERS, id="the same two with colours exchanged are another pair"),
        pytest.param(Registered(Pair(X, B), BY_WHITE), Word.OTHERS, id="a claim that lost its game"),
        pytest.param(Registered(Pair(X, B), BY_BLACK, True), Word.OTHERS, id="others come before TIM"),
    ],
)
def test_judgement_of_white(known: Registered, word: Word) -> None:
    assert judge(FIRST, Pair(A, B), known) == Answer(word)


def test_black_is_judged_alike() -> None:
    assert judge(SECOND, Pair(A, B), Registered(versions=BY_WHITE)) == Answer(Word.CONFIRMED)
    assert judge(SECOND, Pair(A, B), Registered(versions=BY_BLACK)) == Answer(Word.AGAIN)
    assert judge(SECOND, Pair(A, A), Registered(versions=BY_WHITE)) == Answer(Word.CONFIRMED), "against oneself"
    assert pair_of(A, B, FIRST) == pair_of(B, A, SECOND) == Pair(A, B)
