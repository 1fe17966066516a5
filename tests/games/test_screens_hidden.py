"""What interfaces are told of Rochambeau, MasterMind, Seafight and Poker: tables, properties of random games, and no secrets."""

import re
from random import Random
from typing import Any

import pytest

from arbitre.games.game import FIRST, SECOND, Awaits, Chance, Eye, Outcome, Seat, Step, other, playout
from arbitre.games.mastermind import rules as mastermind
from arbitre.games.notation import notation_of
from arbitre.games.poker import rules as poker
from arbitre.games.poker.hands import Card
from arbitre.games.poker.wire import PokerScreenWire
from arbitre.games.rochambeau import rules as rochambeau
from arbitre.games.screen import Phrase, Shown
from arbitre.games.seafight import rules as seafight
from arbitre.games.wires import screen_of
from tests.games.mastermind import conformance as codes
from tests.games.poker import conformance as cards
from tests.games.seafight import conformance as fleets

EYES: tuple[Eye, ...] = (FIRST, SECOND, "spectator", "referee")
FLEETS = ("H5A01H4A11H3A21H3A31H2A41", "V5J01V4I01V3H01V3G01V2F01")


def played(screen: Any, *turns: tuple[str, ...]) -> tuple[Any, Any]:
    """Return the states before and after the last of these turns; nature draws the lowest numbers."""
    text, state = notation_of(screen.game), screen.game.start()
    before = state
    for said in turns:
        while isinstance(phase := screen.game.phase(state), Chance):
            state = screen.game.draw(state, 0)
        assert isinstance(phase, Awaits)
        seats = sorted(phase.seats)
        moves = {seat: text.read(one, screen.game.view(state, seat)) for seat, one in zip(seats, said, strict=True)}
        before, state = state, screen.game.play(state, moves)
    return before, state


def shown(screen: Any, states: tuple[Any, Any], eye: Eye, asks: Seat | None = None) -> Shown:
    before, after = (screen.game.view(state, eye) for state in states)
    told: Shown = screen.show(after, eye, before=before, asks=asks)
    return told


# ── Rochambeau ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rounds", "moves", "gains", "asked"),
    [
        ((), (None, None), ("0", "0"), True),
        ((("rock", "paper"),), ("1", "2"), ("0", "1"), True),
        ((("scissors", "paper"), ("paper", "paper")), ("2", "2"), ("1", "0"), True),
        ((("rock", "scissors"),) * 5, ("1", "3"), ("5", "0"), False),
    ],
)
def test_rochambeau(rounds: Any, moves: Any, gains: Any, asked: bool) -> None:
    screen = screen_of(rochambeau.Rochambeau())
    told = shown(screen, played(screen, *rounds), SECOND, SECOND)
    assert told == Shown("Rochambeau", None, "Standard", moves, gains, len(rounds), SECOND if asked else None)


# ── two boards ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", [mastermind.MasterMind(), seafight.Seafight()])
def test_boards_are_prepared(game: Any) -> None:
    screen = screen_of(game)
    view = game.view(game.start(), SECOND)
    assert screen.show(view, SECOND, asks=SECOND) == Shown(
        screen.name, None, "Prepare", count=0, asks=SECOND, legend=Phrase.READY
    )
    waiting = screen.show(view, SECOND)
    assert waiting.method != "Prepare"
    assert waiting.asks is None
    assert (waiting.gains, waiting.count) == ((None, None), 0)


def test_mastermind() -> None:
    screen = screen_of(mastermind.MasterMind())
    states = played(screen, ("AABB", "CDEF"), ("CDAA",), ("AABC",))
    tray = "20CDAA***30AABC"
    assert shown(screen, states, FIRST, FIRST) == Shown("MasterMind", tray, "Standard", gains=("AABB", None), count=4, asks=FIRST)
    assert shown(screen, states, FIRST, SECOND).asks is None, "it is not his turn"
    assert shown(screen, states, SECOND).gains == (None, "CDEF")
    assert shown(screen, states, "spectator").gains == (None, None)
    assert shown(screen, states, "referee").gains == ("AABB", "CDEF")
    over = played(screen, ("AABB", "CDEF"), ("CDEF",), ("AABC",))
    for eye in EYES:
        assert shown(screen, over, eye, FIRST) == Shown("MasterMind", "40CDEF***30AABC", "End", gains=("AABB", "CDEF"), count=4)


def test_seafight() -> None:
    screen = screen_of(seafight.Seafight())
    states = played(screen, FLEETS, ("F0",), ("A0",), ("F1",))
    first, second = ("0" * 5 + "3" + "0" * 9 + "3" + "0" * 84), "2" + "0" * 99
    mine, sunk = "H5A02H4A11H3A21H3A31H2A41", "V2F03"
    told = shown(screen, states, FIRST)
    assert told.tray == f"{first}***{second}"
    assert (told.moves, told.gains, told.count, told.method) == (("F13", None), (mine, sunk), 5, "Inverse")
    assert shown(screen, states, SECOND, SECOND).gains == (None, "V5J01V4I01V3G01V3H01V2F03")
    assert shown(screen, states, SECOND, SECOND).asks == SECOND
    assert shown(screen, states, SECOND, FIRST).asks is None, "it is not his turn"
    assert shown(screen, states, "spectator").gains == (None, sunk)


@pytest.mark.parametrize(
    ("people", "eye", "method"),
    [
        ({FIRST}, FIRST, "Inverse"),
        ({SECOND}, SECOND, "Standard"),
        ({FIRST, SECOND}, FIRST, "Double"),
        ({FIRST, SECOND}, SECOND, "Double"),
        (set(), FIRST, "Inverse"),
        (set(), SECOND, "Standard"),
        (set(), "spectator", "Double"),
        ({FIRST, SECOND}, "spectator", "Double"),
        ({FIRST}, "spectator", "Inverse"),
        ({SECOND}, "spectator", "Standard"),
        ({FIRST}, "referee", "Inverse"),
        (set(), "referee", "Double"),
    ],
)
def test_seafight_is_laid_out_for_people(people: set[Seat], eye: Eye, method: str) -> None:
    screen = screen_of(seafight.Seafight(), frozenset(people))
    assert shown(screen, played(screen, FLEETS), eye).method == method


def test_seafight_tells_every_shot_and_no_ship_afloat() -> None:
    screen = screen_of(seafight.Seafight())
    text = notation_of(screen.game)
    for step in list(playout(screen.game, Random(5)))[1:]:
        ((seat, shot),) = step.moves.items()
        over = isinstance(screen.game.phase(step.after), Outcome)
        for eye in EYES:
            told = shown(screen, (step.before, step.after), eye)
            halves = (told.tray or "").split("***")
            assert tuple(halves) == step.after.shots
            move = told.moves[seat]
            assert move is not None
            assert text.write(shot) == move[:2]
            assert halves[seat][shot] == move[2]
            assert told.moves[other(seat)] is None
            for owner in (FIRST, SECOND):
                fleet = step.after.fleets[owner]
                seen = fleet if over or eye in (owner, "referee") else fleet.sunk
                assert (told.gains[owner] or "") == str(seen)


# ── poker ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_poker_asks_for_a_total() -> None:
    screen = screen_of(poker.Poker())
    states = played(screen, ("3",), ("10",))
    told = shown(screen, states, FIRST, FIRST)
    assert told == Shown("Poker", "01001S2S3????M?3-10", moves=(None, "10"), gains=("0", "0"), count=0, asks=FIRST)
    assert shown(screen, states, SECOND, SECOND).asks is None, "it is not his turn"
    assert shown(screen, states, SECOND).tray == "01001????S4S5M?3-10"
    assert shown(screen, states, "spectator").tray == "01001????????M?3-10"
    assert shown(screen, states, "referee").tray == "01001S2S3S4S5M?3-10"


def test_a_fold_is_shown_before_the_next_hand() -> None:
    screen = screen_of(poker.Poker())
    states = played(screen, ("3",), ("0",))
    folded = Shown("Poker", "01002????????M3-0", moves=(None, "0"), gains=("2", "-2"), count=1)
    assert shown(screen, states, FIRST) == folded
    before, after = (screen.game.view(state, SECOND) for state in (states[0], dealt(screen, states[1])))
    assert screen.show(after, SECOND, before=before, asks=SECOND).tray == "02001????S4S5M2-1"
    assert screen.between(after, before) == folded
    assert screen.between(after, after) is None
    assert screen.between(after, None) is None


def test_a_showdown_shows_the_cards_to_everybody() -> None:
    screen = screen_of(poker.Poker())
    state = dealt(screen, played(screen, ("100",), ("100",))[1], hand=1)
    for eye in EYES:
        told = screen.show(screen.game.view(state, eye), eye)
        assert told.tray == "01009S2S3S4S5S6S7S8S9STM100-100"
        assert (told.count, told.method, told.asks) == (1, "Standard", None)


def dealt(screen: Any, state: poker.Table, hand: int = 0) -> poker.Table:
    """Let nature draw: up to the next word, or to the end of the hand of that number."""
    while isinstance(screen.game.phase(state), Chance) and not (hand and state.hand and state.hand.rank > hand):
        state = screen.game.draw(state, 0)
    return state


@pytest.mark.parametrize("seed", range(3))
def test_every_word_of_poker_is_told(seed: int) -> None:
    screen = screen_of(poker.Poker())
    assert isinstance(screen, PokerScreenWire)
    ended = 0
    for step in playout(screen.game, Random(seed)):
        told = shown(screen, (step.before, step.after), "spectator")
        assert re.fullmatch(r"\d{5}(?:[SCHD][2-9TJQKA]|\?\?){4,9}M\??\d+-\??\d+", told.tray or "")
        for seat, total in step.moves.items():
            assert told.moves[seat] == str(total)
            assert told.moves[other(seat)] is None
            over = screen.between(*(screen.game.view(state, "spectator") for state in (step.after, step.before)))
            assert (over is not None) == (step.after.hand is None or step.after.hand.rank > step.before.hand.rank)
            ended += over is not None
        if not step.moves:
            assert told.moves == (None, None)
    assert ended
    assert told.method == "End"
    assert sum(int(gain or 0) for gain in told.gains) == 0


# ── secrets ────────────────────────────────────────────────────────────────────────────────────────────────────────


def other_codes(step: Step[Any, Any], eye: Eye, random: Random) -> tuple[Any, Any]:
    after = codes.resample(mastermind.MasterMind(), step.after, eye, random)
    return mastermind.Table(after.codes if step.before.codes else None, step.before.boards), after


def other_fleets(step: Step[Any, Any], eye: Eye, random: Random) -> tuple[Any, Any]:
    after: Any = fleets.resample(seafight.Seafight(), step.after, eye, random)
    if step.before.fleets is None:
        return step.before, after
    one, two = step.before.shots
    placed = (seafight.judged(after.fleets[0], two)[0], seafight.judged(after.fleets[1], one)[0])
    return seafight.Sea(placed, step.before.shots), after


def other_cards(step: Step[Any, Any], eye: Eye, random: Random) -> tuple[Any, Any]:
    after = cards.resample(poker.Poker(), step.after, eye, random)
    if step.after.hand is None or step.before.hand.rank != step.after.hand.rank:
        return cards.resample(poker.Poker(), step.before, eye, random) if not shown_cards(step.after) else step.before, after
    holes: tuple[Card, ...] = after.holes[: len(step.before.holes)]
    return poker.Table(step.before.hand, holes, step.before.gain, step.before.past, step.before.turn), after


def shown_cards(state: poker.Table) -> bool:
    return bool(state.past[-1].shown)


@pytest.mark.parametrize(
    ("game", "another"),
    [(mastermind.MasterMind(), other_codes), (seafight.Seafight(), other_fleets), (poker.Poker(), other_cards)],
)
def test_two_truths_that_one_eye_cannot_tell_apart_look_alike_while_they_move(game: Any, another: Any) -> None:
    screen = screen_of(game)
    random = Random(8)
    changed = 0
    for step in list(playout(game, Random(2)))[:120]:
        for eye in EYES[:3]:
            states = another(step, eye, random)
            changed += states[1] != step.after
            for asks in (None, FIRST, SECOND):
                assert shown(screen, states, eye, asks) == shown(screen, (step.before, step.after), eye, asks)
            views = [[game.view(state, eye) for state in pair] for pair in (states, (step.before, step.after))]
            assert screen.between(views[0][1], views[0][0]) == screen.between(views[1][1], views[1][0])
    assert changed, "resampling never changed anything: the test proves nothing"
