"""What a Kriegspiel player believes agrees with what it was told, and with nothing else."""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import chess
import pytest

from arbitre.games.game import FIRST, SECOND, Outcome, Seat
from arbitre.games.kriegspiel.engine import Master
from arbitre.games.kriegspiel.judgement import MATE, Judge
from arbitre.games.kriegspiel.particles import Belief, Line, Particle, gained, key, likings, replies, sample
from arbitre.games.kriegspiel.placements import fits, force, opened, placed
from arbitre.games.kriegspiel.rules import TRIES, Kriegspiel, Sight, Truth, Try
from arbitre.games.kriegspiel.umpire import CHECKS, SAYS, TO_MOVE, Kind, men, opening, possible
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from tests.games.arena import ask
from tests.games.kriegspiel.conformance import resample
from tests.shared import shared

GAME = Kriegspiel()
TEXT = notation_of(GAME)


def never() -> bool:
    return False


def seen(state: Truth, seat: Seat) -> Sight:
    sight = GAME.view(state, seat)
    assert isinstance(sight, Sight)
    return sight


def wandering(random: Random, most: int) -> Iterator[tuple[Truth, Try]]:
    """A random game: each truth with what is tried in it."""
    state = GAME.start()
    while not isinstance(GAME.phase(state), Outcome) and state.turn <= most:
        move = GAME.sample(seen(state, state.mover), random)
        yield state, move
        state = GAME.play(state, {state.mover: move})


def written(line: Line | None) -> list[Try]:
    moves: list[Try] = []
    while line is not None:
        moves.append(line.move)
        line = line.before
    return moves[::-1]


def retold(particle: Particle, seat: Seat, sights: dict[int, Sight], last: int) -> None:
    """Let the umpire judge a particle's line again: he says what the seat has heard, turn by turn."""
    state = GAME.place(particle.root.copy(stack=False))
    for move in [*written(particle.line), None]:
        if state.mover == seat:
            real = sights[state.turn]
            told = seen(state, seat)
            assert told.men == real.men
            assert told.castling == real.castling
            assert opened(told.now) == opened(real.now)
            assert not any(possible(state.board, one.from_square, one.to_square) for one in real.refused)
        if move is not None:
            turn = state.turn
            state = GAME.play(state, {state.mover: move})
            assert state.turn == turn + 1, "a line has moves that are possible"
            heard = sights[last].past[turn - last]
            assert opened(state.past[-1]) == opened(heard)
            assert gained(state.past[-1]) == gained(heard)
    assert state.turn == last
    assert key(state.board) == key(particle.board)


def followed(course: Iterator[tuple[Truth, Try]], seat: Seat, belief: Belief) -> None:
    """Go with one seat through a game, and hold its belief to what it heard."""
    sights: dict[int, Sight] = {}
    luck = Random(0)
    for state, move in course:
        if state.mover != seat:
            continue
        sight = sights[state.turn] = seen(state, seat)
        belief.look(sight, never)
        belief.say(move)
        assert len(belief.particles) <= max(belief.size, 64)
        assert len({key(one.board) for one in belief.particles}) == len(belief.particles)
        assert sum(one.weight for one in belief.particles) == pytest.approx(1 if belief.particles else 0)
        for one in luck.sample(belief.particles, min(4, len(belief.particles))):
            retold(one, seat, sights, state.turn)
        if belief.complete:
            assert key(state.board) in {key(one.board) for one in belief.particles}, "a complete belief holds the truth"


@pytest.mark.parametrize("seat", [FIRST, SECOND])
@pytest.mark.parametrize("seed", range(3))
def test_each_particle_is_a_game_in_which_the_umpire_says_the_same(seed: int, seat: Seat) -> None:
    followed(wandering(Random(seed), 90), seat, Belief(Random(seed), 30, traced=True))


@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_so_it_is_in_the_games_of_another_umpire(seat: Seat) -> None:
    with shared("data/kriegspiel/ks-game_rand.jsonl").open(encoding="utf-8") as lines:
        games = [json.loads(line) for line in lines][:3]
    for one in games:
        followed(retried(one["attempts"]), seat, Belief(Random(1), 30, traced=True))


def retried(attempts: list[dict[str, Any]]) -> Iterator[tuple[Truth, Try]]:
    """The tries of a recorded game that are legal for us, until the positions part."""
    state = GAME.start()
    for one in attempts[:160]:
        if chess.Board(one["fen"]).board_fen() != state.board.board_fen() or isinstance(GAME.phase(state), Outcome):
            return
        move = Try(chess.Move.from_uci(one["q"][:5].lower()))
        if move in list(GAME.legal(seen(state, state.mover))):
            yield state, move
            state = GAME.play(state, {state.mover: move})


def test_a_bare_king_is_never_lost() -> None:
    """Once he is alone, the belief is complete, and stays so."""
    course: list[tuple[Truth, Try]] = []
    random = Random(4)
    gone = (SAYS[Kind.PIECE_GONE][FIRST],) * 7 + (SAYS[Kind.PAWN_GONE][FIRST],) * 8
    state = GAME.place(chess.Board("8/8/8/3k4/8/8/8/QR2K3 w - - 0 2"), past=(gone, ()))
    while not isinstance(GAME.phase(state), Outcome) and state.turn < 60:
        move = GAME.sample(seen(state, state.mover), random)
        course.append((state, move))
        state = GAME.play(state, {state.mover: move})
    belief = Belief(random, 100)
    for truth, move in course:
        if truth.mover == FIRST:
            belief.look(seen(truth, FIRST), never)
            belief.say(move)
            assert belief.complete
            assert key(truth.board) in {key(one.board) for one in belief.particles}


@pytest.mark.parametrize("seed", range(4))
def test_who_comes_late_thinks_of_positions_that_agree_with_the_turn(seed: int) -> None:
    """The view alone is enough: pieces are as many as announced, and the umpire would say and refuse the same."""
    found = 0
    for state, _ in list(wandering(Random(seed), 120))[5::17]:
        sight = seen(state, state.mover)
        belief = Belief(Random(1), 30)
        belief.look(sight, never)
        left = force(sight)
        truly = men(state.board, state.mover != FIRST)
        assert (left.pawns, left.others) == (truly.pawns.bit_count(), truly.all.bit_count() - truly.pawns.bit_count())
        for one in belief.particles:
            assert fits(one.board, sight)
            assert men(one.board, state.mover == FIRST) == sight.men
            theirs = men(one.board, state.mover != FIRST)
            assert theirs.all.bit_count() == left.pawns + left.others
            assert theirs.kings.bit_count() == 1
            assert not theirs.pawns & (chess.BB_RANK_1 | chess.BB_RANK_8)
        found += bool(belief.particles)
    assert found


def story(particles: list[Particle]) -> list[tuple[object, float]]:
    return [(key(one.board), one.weight) for one in particles]


@pytest.mark.parametrize("seed", range(3))
def test_two_truths_that_look_the_same_give_the_same_belief(seed: int) -> None:
    """Nothing but the seat's view goes into it: another truth behind the view changes neither belief nor choice."""
    random = Random(seed)
    differ = 0
    for state, _ in list(wandering(Random(seed), 60))[3::9]:
        another = resample(GAME, state, state.mover, random)
        assert GAME.view(another, state.mover) == GAME.view(state, state.mover)
        differ += key(another.board) != key(state.board)
        beliefs, moves = [], []
        for truth in (state, another):
            bot = Small(Random(7))
            moves.append(ask(GAME, bot, truth, truth.mover, turn=truth.turn))
            beliefs.append(story(bot.belief.particles))
        assert beliefs[0] == beliefs[1]
        assert moves[0] == moves[1]
    assert differ


def test_moves_that_nobody_heard_leave_no_trace() -> None:
    """Black plays other moves in two games; White hears the same words, believes the same and tries the same."""
    games = []
    for quiet in (["a7a6", "h7h6", "b8c6"], ["h7h6", "g8f6", "a7a6"]):
        state, bot, told = GAME.start(), Small(Random(3)), []
        for reply in quiet:
            for text in ({1: "g1f3", 3: "b1c3", 5: "e2e3"}[state.turn],):
                ask(GAME, bot, state, FIRST, turn=state.turn)
                told.append((GAME.view(state, FIRST), story(bot.belief.particles)))
                bot.belief.say(Try(chess.Move.from_uci(text)))
                state = GAME.play(state, {FIRST: Try(chess.Move.from_uci(text))})
            state = GAME.play(state, {SECOND: Try(chess.Move.from_uci(reply))})
        games.append(told)
    assert games[0] == games[1]


class Small(Master):
    size = 40
    judged = 8


def test_words_that_no_umpire_would_say_are_answered_too() -> None:
    """A view may be forged; there is a bound to the search for positions, and always a try."""
    state: Any = TEXT.read_state("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    sight = seen(state, FIRST)
    checks = tuple(SAYS[kind][FIRST] for kind in CHECKS)
    everything = tuple(one for one in GAME.legal(sight))
    gone = (SAYS[Kind.PIECE_GONE][FIRST],) * 20 + (SAYS[Kind.PROMOTES][SECOND],) * 3
    for forged in (
        replace(sight, now=(*checks, TO_MOVE[FIRST][16])),
        replace(sight, now=()),
        replace(sight, refused=everything),
        replace(sight, past=(gone,)),
    ):
        bot = Small(Random(1))
        looks = 0

        def look() -> bool:
            nonlocal looks
            looks += 1
            return False

        bot.belief.look(forged, look)
        assert looks < 20 * bot.size
        assert all(fits(one.board, forged) for one in bot.belief.particles)
        assert TEXT.read(bot.move(Position(GAME, TEXT, FIRST, 3, forged)), forged) in everything


def test_a_belief_in_a_hurry_is_small_but_sound() -> None:
    course = list(wandering(Random(2), 40))
    belief = Belief(Random(2), 50)
    for number, (state, move) in enumerate(course):
        if state.mover == FIRST:
            belief.look(seen(state, FIRST), lambda late=number % 3: not late)  # type: ignore[misc]
            belief.say(move)
            for one in belief.particles:
                assert men(one.board, white=True) == seen(state, FIRST).men
                assert opened(seen(GAME.place(one.board), FIRST).now) == opened(state.now)


def test_another_game_is_another_story() -> None:
    """A player who is shown a turn that does not follow begins anew."""
    belief = Belief(Random(1), 20)
    first = GAME.start()
    belief.look(seen(first, FIRST), never)
    belief.say(TRIES[chess.E2][chess.E4])
    later, _ = list(wandering(Random(9), 30))[-1]
    if later.mover != FIRST:
        later, _ = next(pair for pair in reversed(list(wandering(Random(9), 30))) if pair[0].mover == FIRST)
    belief.look(seen(later, FIRST), never)
    assert not belief.complete
    assert all(fits(one.board, seen(later, FIRST)) for one in belief.particles)


def test_a_pawn_is_believed_to_take_where_one_can() -> None:
    """A pawn and a knight can take on d4; the pawn's capture was announced."""
    board = chess.Board("4k3/8/2n5/2p5/3N4/8/8/4K3 b - - 0 1")
    listed, total = replies(board, chess.BB_D4, 0, likings(2), promotes=False)
    liked = dict(listed)
    assert liked.keys() == {TRIES[chess.C5][chess.D4], TRIES[chess.C6][chess.D4]}
    assert liked[TRIES[chess.C5][chess.D4]] > 0.5 * total > liked[TRIES[chess.C6][chess.D4]]


@pytest.mark.parametrize(("queen", "likely"), [("3q4/8", False), ("8/q7", True)], ids=["guarded", "not guarded"])
def test_what_is_not_taken_back_is_believed_to_stand_where_nobody_guards(queen: str, likely: bool) -> None:
    """A rook that has just taken on d5 is there still after the reply."""
    board = chess.Board(f"{queen}/7k/3R4/8/8/8/4K3 b - - 0 1")
    listed, total = replies(board, 0, chess.BB_D5, likings(2), promotes=False)
    assert (sum(liked for _, liked in listed) > 0.5 * total) == likely


@pytest.mark.parametrize(("pawn", "over"), [("P", True), ("1", False)])
def test_a_position_in_which_the_game_is_over_is_not_believed_in(pawn: str, over: bool) -> None:
    board = chess.Board(f"7k/8/8/8/8/8/5PP{pawn}/r5K1 w - - 0 1")
    sight = Sight(FIRST, men(board, white=True), 0, (), opening(board), (), 1)
    assert board.is_checkmate() == over
    assert fits(board, sight) != over


def test_samples_follow_the_weights() -> None:
    boards = [chess.Board() for _ in range(3)]
    particles = [Particle(board, weight, board) for board, weight in zip(boards, (0.5, 0.3, 0.2), strict=True)]
    drawn = sample(particles, 1000, Random(1))
    assert [one.weight for one in drawn] == pytest.approx([0.5, 0.3, 0.2], abs=0.002)


def judged(fen: str) -> Judge:
    board = chess.Board(fen)
    sight = seen(GAME.place(board), FIRST if board.turn else SECOND)
    return Judge(sight, [Particle(board, 1.0, board)], certain=True)


@pytest.mark.parametrize(
    ("fen", "better", "worse"),
    [
        ("7k/8/6K1/8/8/8/1Q6/8 w - - 0 1", "b2b8", "b2b3"),
        ("7k/8/6K1/8/8/8/1Q6/8 w - - 0 1", "b2f2", "b2b3"),
        ("4k3/8/2p5/3p4/4P3/8/8/3QK3 w - - 0 1", "e4d5", "d1d5"),
        ("4k3/8/8/3p4/4P3/8/8/3QK3 w - - 0 1", "d1d5", "d1d4"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a7a8n"),
        ("r3k3/8/1p6/8/8/8/8/R3K3 w - - 0 1", "a1a8", "a1a5"),
    ],
    ids=["mate", "no stalemate", "the cheap piece takes", "what is free is taken", "a queen", "not before a pawn"],
)
def test_judgement(fen: str, better: str, worse: str) -> None:
    judge = judged(fen)
    one, two = (judge.judge(Try(chess.Move.from_uci(text))) for text in (better, worse))
    assert one.chance == two.chance == 1
    assert one.worth > two.worth


def test_a_try_is_judged_where_it_can_be_made() -> None:
    """A pawn's capture is possible in one of two positions; there it mates nobody, but wins a rook."""
    sight = seen(GAME.place(chess.Board("4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1")), FIRST)
    boards = [placed(sight, {chess.E8: chess.KING, square: chess.ROOK}) for square in (chess.D5, chess.H5)]
    judge = Judge(sight, [Particle(board, 0.5, board) for board in boards], certain=False)
    verdict = judge.judge(TRIES[chess.E4][chess.D5])
    assert verdict.chance == pytest.approx(0.5)
    assert judge.judge(TRIES[chess.E4][chess.E5]).worth + 3 < verdict.worth < MATE
    assert judge.judge(TRIES[chess.E4][chess.F5]).chance == 0


@pytest.mark.parametrize("dead", [True, False])
def test_a_game_that_goes_on_is_not_a_dead_position(dead: bool) -> None:
    """Two bishops are left: where dead positions are drawn, the other one stands on squares of the other colour."""
    game = Kriegspiel(dead=dead)
    gone = (SAYS[Kind.PIECE_GONE][FIRST],) * 6 + (SAYS[Kind.PAWN_GONE][FIRST],) * 8
    board = chess.Board("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 9")
    sight = seen(game.place(board, past=(gone, ())), FIRST)
    belief = Belief(Random(1), 200)
    belief.dead = dead
    belief.look(sight, lambda: False)
    alike = [one for one in belief.particles if one.board.is_insufficient_material()]
    assert belief.particles
    assert bool(alike) != dead
