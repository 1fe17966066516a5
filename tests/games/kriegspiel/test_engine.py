"""The Kriegspiel players know what they were told."""

from random import Random
from typing import Any

import chess
import pytest

from arbitre.games.game import FIRST, SECOND, Awaits
from arbitre.games.kriegspiel.engine import Camp, Player, Quarry, Umpired, board, covered, moved
from arbitre.games.kriegspiel.rules import DRAW, TRIES, Kriegspiel, Sight, Try
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from tests.games.arena import ask

GAME = Kriegspiel()
TEXT = notation_of(GAME)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_announced_captures_are_tried_first_and_none_twice(number: int) -> None:
    """Two pawn captures are announced; the tries before the right one are refused and not repeated."""
    make = levels("kriegspiel")[number - 1]
    for luck in range(4):
        state: Any = TEXT.read_state("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
        bot = make(Random(luck))
        tried: list[Try] = []
        while state.turn == 3:
            move = ask(GAME, bot, state, FIRST, turn=3)
            assert move not in tried
            tried.append(move)
            state = GAME.play(state, {FIRST: move})
        assert tried[-1] == TRIES[chess.E4][chess.D5]


def test_what_was_taken_is_taken_back() -> None:
    state: Any = TEXT.read_state("rnbqkbnr/ppp1pppp/8/3p4/8/2N5/PPPPPPPP/R1BQKBNR w KQkq - 0 2")
    bot = Player(Random(1))
    view = GAME.view(state, FIRST)
    assert isinstance(view, Sight)
    bot.look(view)
    push = TRIES[chess.E2][chess.E4]
    bot.last, bot.after = push, moved(board(view.men, white=True), push)
    state = GAME.play(state, {FIRST: push})
    state = GAME.play(state, {SECOND: TRIES[chess.D5][chess.E4]})
    move = ask(GAME, bot, state, FIRST, turn=state.turn)
    assert move == TRIES[chess.C3][chess.E4], "the knight takes on e4"


def test_the_king_is_always_where_he_is_believed_to_be() -> None:
    """A bare king wanders at random; the belief never loses him."""
    random = Random(3)
    for luck in range(6):
        state: Any = TEXT.read_state("8/8/8/3k4/8/8/8/QR2K3 w - - 0 1")
        bot = Player(Random(luck))
        for _ in range(40):
            phase = GAME.phase(state)
            if not isinstance(phase, Awaits):
                break
            if state.mover == FIRST:
                sight = GAME.view(state, FIRST)
                assert isinstance(sight, Sight)
                bot.look(sight)
                assert bot.quarry.squares >> state.board.king(chess.BLACK) & 1
                move = ask(GAME, bot, state, FIRST, turn=phase.turn)
            else:
                move = Try(random.choice(list(state.board.legal_moves)))
            state = GAME.play(state, {state.mover: move})


def test_mate_is_seen_and_stalemate_avoided() -> None:
    """The king is known to stand on h8."""
    quarry = Quarry()
    quarry.squares = chess.BB_H8
    own = chess.Board("8/8/6K1/8/8/8/1Q6/8 w - - 0 1")
    mate, stalemate, wait = (quarry.squeeze(moved(own, TRIES[chess.B2][to])) for to in (chess.B8, chess.B3, chess.F2))
    assert mate > wait > stalemate


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize(("own", "accepts"), [("8/8", True), ("8/5n2", True), ("8/5nn1", False), ("8/p7", False)])
def test_a_draw_is_accepted_by_whoever_cannot_win_any_more(number: int, own: str, accepts: bool) -> None:
    state: Any = TEXT.read_state(f"4k3/{own}/8/8/8/R7/4K3 w - - 0 1")
    state = GAME.play(GAME.play(state, {FIRST: DRAW}), {FIRST: TRIES[chess.A2][chess.A3]})
    bot = levels("kriegspiel")[number - 1](Random(number))
    assert (ask(GAME, bot, state, SECOND, turn=state.turn) == DRAW) == accepts


def test_castling_moves_the_rook_too() -> None:
    own = chess.Board("8/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert moved(own, TRIES[chess.E1][chess.G1]).board_fen() == "8/8/8/8/8/8/8/R4RK1"
    assert moved(own, TRIES[chess.E1][chess.C1]).board_fen() == "8/8/8/8/8/8/8/2KR3R"
    assert covered(own) >> chess.D1 & 1


def test_a_bot_that_comes_late_plays_on() -> None:
    """It has heard nothing of the turns before, and none of its own moves was made."""
    state: Any = TEXT.read_state("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    for make in levels("kriegspiel"):
        bot = make(Random(0))
        assert isinstance(bot, Umpired)
        ask(GAME, bot, state, FIRST, turn=3)
        assert bot.fallen == 0
    view = GAME.view(state, FIRST)
    assert isinstance(view, Sight)
    assert Camp(view, 0).bites
