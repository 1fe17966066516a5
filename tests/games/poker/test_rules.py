"""Poker as a table of cases: who speaks, how much he must say, what a fold, a match and a showdown do."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import IllegalMoveError
from arbitre.games.game import FIRST, SECOND, Awaits, Chance, Outcome, Seat, playout
from arbitre.games.poker.hands import Card
from arbitre.games.poker.notation import NUMBERS, PokerNotation
from arbitre.games.poker.rules import Hand, Poker, Stakes, Table, Total, flaw, own
from arbitre.reasons import Reason
from tests.reasons import gives, raises

GAME = Poker()
TEXT = PokerNotation(GAME)

DEAL = "SA SK C7 D2"
FLOP = "HK H9 C3"
TURN = "S4"
RIVER = "DJ"
"""The first player has two kings, the second nothing."""


def after(script: str, state: Table | None = None) -> Table:
    """Return the table after the cards and totals of a script, each dealt or said when it is its turn."""
    now = GAME.start() if state is None else state
    for word in script.split():
        phase = GAME.phase(now)
        if word in NUMBERS:
            assert isinstance(phase, Chance), f"no card is due at {word}"
            now = GAME.draw(now, place(now, NUMBERS[word]))
        else:
            assert isinstance(phase, Awaits), f"nobody speaks at {word}"
            (seat,) = phase.seats
            GAME.check(GAME.view(now, seat), Total(int(word)))
            now = GAME.play(now, {seat: Total(int(word))})
    return now


def place(table: Table, card: Card) -> int:
    """Return the number of a card among those not yet dealt."""
    assert table.hand is not None
    taken = table.holes + table.hand.board
    assert card not in taken
    return card - sum(other < card for other in taken)


def hand(table: Table) -> Hand:
    assert table.hand is not None
    return table.hand


# ── betting ────────────────────────────────────────────────────────────────────────────────────────────────────────

CALL = f"{DEAL} 3 3 {FLOP}"
CALLS = f"{CALL} 4 4 {TURN} 5 5 {RIVER}"

BETS = [
    # the first player deals: he opens before the flop, the second player afterwards
    (f"{DEAL}", FIRST, 1, 3, 1, "the dealer opens with at least 3"),
    (f"{DEAL} 3", SECOND, 2, 3, 2, "the other matches or raises"),
    (f"{DEAL} 50", SECOND, 2, 50, 2, "the other matches or raises any bet"),
    (f"{DEAL} 3 4", FIRST, 1, 4, 3, "a raise returns to step 1, where matching is enough"),
    (f"{DEAL} 3 4 5", SECOND, 2, 5, 4, "a raise of the raise goes on to step 2"),
    (f"{DEAL} 3 4 5 6", FIRST, 1, 6, 5, "and back to step 1"),
    (f"{CALL}", SECOND, 3, 4, 4, "the second speaks twice running: the turn advances by two"),
    (f"{DEAL} 3 4 4 {FLOP}", SECOND, 3, 5, 4, "the first matches a raise: the turn advances by one"),
    (f"{DEAL} 3 4 5 5 {FLOP}", SECOND, 3, 6, 6, "the second matches a raise and opens the flop"),
    (f"{CALL} 4", FIRST, 4, 4, 5, "the dealer answers on the flop"),
    (f"{CALL} 4 5", SECOND, 3, 5, 6, "a raise returns to step 3"),
    (f"{CALL} 4 5 9", FIRST, 4, 9, 7, "a raise of the raise goes on to step 4"),
    (f"{CALL} 4 5 5 {TURN}", SECOND, 5, 6, 8, "matching the raise opens the next round, again by the second"),
    (f"{CALL} 4 4 {TURN}", SECOND, 5, 5, 6, "the second opens the turn"),
    (f"{CALL} 4 4 {TURN} 5", FIRST, 6, 5, 7, "the dealer answers on the turn"),
    (f"{CALL} 4 4 {TURN} 5 6", SECOND, 5, 6, 8, "a raise returns to step 5"),
    (f"{CALLS}", SECOND, 7, 6, 8, "the second opens the river"),
    (f"{CALLS} 6", FIRST, 8, 6, 9, "the dealer answers on the river"),
    (f"{CALLS} 6 7", SECOND, 7, 7, 10, "a raise returns to step 7"),
    # the limit
    (f"{DEAL} 100", SECOND, 2, 100, 2, "a hundred leaves the choice to match or fold"),
    (f"{DEAL} 99 100", FIRST, 1, 100, 3, "also for the opener who is raised to it"),
    (f"{DEAL} 99 99 {FLOP}", SECOND, 3, 100, 4, "the opener at 99 has one bet left"),
    # the second player deals the second hand
    (f"{DEAL} 0 {DEAL}", SECOND, 1, 3, 2, "the second hand is the second player's deal"),
    (f"{DEAL} 3 0 {DEAL}", SECOND, 1, 3, 4, "who folds and deals next speaks twice"),
    (f"{DEAL} 0 {DEAL} 3 3 {FLOP}", FIRST, 3, 4, 5, "the first player opens the flop of the second's deal"),
    (f"{DEAL} 0 {DEAL} 3 3 {FLOP} 4 5", FIRST, 3, 5, 7, "and answers a raise at step 3"),
    (f"{DEAL} 0 {DEAL} 0 {DEAL}", FIRST, 1, 3, 3, "the third hand is the first player's again"),
]


@pytest.mark.parametrize(("script", "seat", "step", "least", "turn"), [pytest.param(*bet[:5], id=bet[5]) for bet in BETS])
def test_who_speaks_and_how_much(script: str, seat: Seat, step: int, least: int, turn: int) -> None:
    table = after(script)
    assert GAME.phase(table) == Awaits(frozenset({seat}), turn)
    assert hand(table).step == step
    assert list(GAME.legal(GAME.view(table, seat))) == [0, *range(least, 101)]
    assert list(GAME.legal(GAME.view(table, Seat(1 - seat)))) == []
    with pytest.raises(IllegalMoveError) as caught:
        GAME.check(GAME.view(table, seat), Total(least - 1))
    assert caught.value.why.code in ("must-exceed", "must-match")


@pytest.mark.parametrize(
    ("script", "eye", "move", "why"),
    [
        (DEAL, FIRST, 2, Reason("must-exceed", total=2)),
        (DEAL, FIRST, 1, Reason("must-exceed", total=2)),
        (f"{DEAL} 3", SECOND, 2, Reason("must-match", total=3)),
        (CALL, SECOND, 3, Reason("must-exceed", total=3)),
        (f"{CALL} 4 9", SECOND, 8, Reason("must-match", total=9)),
        (DEAL, FIRST, 101, Reason("too-much", most=100)),
        (DEAL, FIRST, -1, Reason("too-much", most=100)),
        (DEAL, SECOND, 3, "not-your-turn"),
        (DEAL, "spectator", 3, "not-your-turn"),
        ("SA SK C7", FIRST, 3, "dealing"),
        (f"{DEAL} 3 3 HK", SECOND, 4, "dealing"),
        (f"{DEAL} 100 100", FIRST, 0, "dealing"),
    ],
)
def test_illegal_totals_say_why(script: str, eye: Seat, move: int, why: str | Reason) -> None:
    view = GAME.view(after(script), eye)
    assert Total(move) not in list(GAME.legal(view))
    with raises(IllegalMoveError, why):
        GAME.check(view, Total(move))


@pytest.mark.parametrize(
    ("script", "step", "gain"),
    [
        (f"{DEAL}", 1, -1),
        (f"{DEAL} 3", 2, 2),
        (f"{DEAL} 3 50", 1, -3),
        (f"{DEAL} 3 50 60", 2, 50),
        (f"{CALL}", 3, 3),
        (f"{CALL} 4", 4, -3),
        (f"{CALL} 4 5", 3, 4),
        (f"{CALL} 4 4 {TURN}", 5, 4),
        (f"{CALL} 4 4 {TURN} 5", 6, -4),
        (f"{CALLS}", 7, 5),
        (f"{CALLS} 100", 8, -5),
        (f"{CALLS} 6 100", 7, 6),
        (f"{DEAL} 99 100", 1, -99),
    ],
)
def test_who_folds_loses_what_he_had_staked(script: str, step: int, gain: int) -> None:
    before = after(script)
    assert hand(before).step == step
    table = after("0", before)
    assert table.gain == gain
    assert hand(table) == Hand(2, 0, (), ((2, 1),)), "a folded hand is no showdown"
    assert table.past[-1].folder == hand(before).speaker
    assert table.past[-1].shown == (), "nobody shows his cards"


# ── showdowns ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("script", "stake"),
    [
        (f"{CALLS} 6 6", 6),
        (f"{CALLS} 6 9 9", 9),
        (f"{CALLS} 100 100", 100),
        (f"{DEAL} 100 100 {FLOP} {TURN} {RIVER}", 100),
        (f"{DEAL} 3 100 100 {FLOP} {TURN} {RIVER}", 100),
        (f"{CALL} 100 100 {TURN} {RIVER}", 100),
        (f"{CALL} 4 4 {TURN} 5 100 100 {RIVER}", 100),
    ],
)
def test_a_showdown_pays_the_loser_s_stake(script: str, stake: int) -> None:
    table = after(script)
    assert table.gain == stake
    assert hand(table) == Hand(2, 1, (), ((2, 1),))
    past = table.past[-1]
    assert (past.shown, past.folder, past.gain) == (tuple(NUMBERS[name] for name in DEAL.split()), None, stake)
    assert len(past.hand.board) == 5
    for eye in (FIRST, SECOND, "spectator"):
        assert GAME.view(table, Seat(eye) if isinstance(eye, int) else "spectator").past[-1] == past, "everybody sees it"


@pytest.mark.parametrize(
    ("deal", "board", "gain"),
    [
        ("SA SK C7 D2", "HK H9 C3 S4 DJ", 100),
        ("C7 D2 SA SK", "HK H9 C3 S4 DJ", -100),
        ("SA S2 HA H3", "CK CQ CJ CT C9", 0),
        ("SA S2 HA H3", "CK DQ C9 D8 C7", 0),
        ("SA S3 HA H2", "CK DQ D4 D8 C4", 0),
        ("SA SJ HA HT", "CK DQ D4 D8 C4", 0),
        ("SA SJ HA HT", "CK D9 D3 D8 C4", 100),
    ],
)
def test_the_better_hand_wins_and_equal_hands_win_nothing(deal: str, board: str, gain: int) -> None:
    table = after(f"{deal} 100 100 {board}")
    assert table.gain == gain
    assert hand(table).showdowns == 1, "a showdown that nobody wins counts"


def test_no_word_is_said_when_both_have_staked_all() -> None:
    table = after(f"{DEAL} 100 100")
    assert hand(table).step == 9
    for left in (48, 47, 46, 45, 44):
        assert GAME.phase(table) == Chance(left, hidden=True)
        table = GAME.draw(table, 0)
    assert GAME.phase(table) == Chance(52, hidden=True), "the next hand is dealt from a full deck"
    assert after(DEAL, table).turn == 4, "turn 2 was the second player's word, and he deals"


def test_every_card_that_is_left_can_be_drawn_and_no_other() -> None:
    for script in ("", "SA", "SA SK C7", f"{DEAL} 3 3", f"{DEAL} 3 3 {FLOP} 4 4"):
        table = after(script)
        phase = GAME.phase(table)
        assert isinstance(phase, Chance)
        taken = set(table.holes + hand(table).board)
        nexts = [GAME.draw(table, n) for n in range(phase.below)]
        cards = [(now.holes + hand(now).board)[-1] for now in nexts]
        assert sorted(cards) == [card for card in range(52) if card not in taken]


# ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────

SHOW = f"{DEAL} 100 100 {FLOP} {TURN} {RIVER}"


@pytest.mark.parametrize(
    ("start", "script", "scores", "reason", "tally"),
    [
        ("12111--------M2-1 -5 -", SHOW, (1, 0), Reason("more-chips-showdowns"), (95, -95)),
        ("12111--------M2-1 -200 -", SHOW, (0, 1), Reason("more-chips-showdowns"), (-100, 100)),
        ("12111--------M2-1 -100 -", SHOW, (0.5, 0.5), Reason("equal-chips-showdowns"), (0, 0)),
        ("99001--------M1-2 7 -", f"{DEAL} 0", (1, 0), Reason("more-chips-hands", seat=0), (6, -6)),
        ("99001--------M1-2 1 -", f"{DEAL} 0", (0.5, 0.5), Reason("equal-chips-hands"), (0, 0)),
        ("99101--------M1-2 0 -", SHOW, (1, 0), Reason("more-chips-hands", seat=0), (100, -100)),
        ("99111--------M1-2 0 -", SHOW, (1, 0), Reason("more-chips-showdowns"), (100, -100)),
    ],
)
def test_the_end(start: str, script: str, scores: tuple[float, float], reason: Reason, tally: tuple[int, int]) -> None:
    table = after(script, TEXT.read_state(start))
    end = GAME.phase(table)
    assert isinstance(end, Outcome)
    assert tuple(map(float, end.scores)) == scores
    assert end.tally == tally
    assert gives(end.reason, reason)
    for eye in (FIRST, SECOND):
        assert list(GAME.legal(GAME.view(table, eye))) == []
        with raises(IllegalMoveError, "game-over"):
            GAME.check(GAME.view(table, eye), Total(0))


@pytest.mark.parametrize(
    ("start", "script"),
    [
        ("98111--------M2-1 0 -", f"{DEAL} 0"),
        ("12111--------M2-1 0 -", f"{DEAL} 0"),
        ("12101--------M2-1 0 -", SHOW),
    ],
)
def test_not_yet_the_end(start: str, script: str) -> None:
    assert isinstance(GAME.phase(after(script, TEXT.read_state(start))), Chance)


def test_twelve_showdowns_from_the_start() -> None:
    table = GAME.start()
    for number in range(12):
        assert hand(table).showdowns == number
        table = after(SHOW, table)
    end = GAME.phase(table)
    assert isinstance(end, Outcome)
    assert end.tally == (1200, -1200)


def test_ninety_nine_folds_from_the_start() -> None:
    table = GAME.start()
    for number in range(99):
        assert GAME.phase(after(DEAL, table)) == Awaits(frozenset({Seat(number % 2)}), number + 1)
        table = after(f"{DEAL} 0", table)
    end = GAME.phase(table)
    assert isinstance(end, Outcome)
    assert end.tally == (-1, 1), "the first player dealt, and lost one chip, once more often"


# ── secrets ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_player_sees_his_own_cards_and_a_spectator_none() -> None:
    table = after(f"{CALL} 4")
    names = {name: GAME.view(table, eye).cards for name, eye in (("first", FIRST), ("second", SECOND))}
    assert names == {"first": table.holes[:2], "second": table.holes[2:]}
    assert GAME.view(table, "spectator").cards == ()
    assert GAME.view(table, "referee").cards == table.holes
    assert not GAME.secret(table, FIRST), "bets are heard by everybody"


def test_no_player_misses_a_hand() -> None:
    """Whoever is asked finds in his view every hand that ended since he last spoke."""
    for seed in range(20):
        heard = {FIRST: 0, SECOND: 0}
        for step in playout(GAME, Random(seed)):
            for seat in step.moves:
                view = GAME.view(step.before, seat)
                assert view.hand is not None
                told = [one.hand.rank for one in view.past]
                assert set(range(max(heard[seat], 1), view.hand.rank)) <= set(told)
                heard[seat] = view.hand.rank


# ── what always holds ──────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_what_always_holds(seed: int) -> None:
    turn = 0
    gain = 0
    for step in playout(GAME, Random(seed)):
        before, now = step.before, step.after
        assert before.hand is not None
        assert flaw(before.hand) is None
        if step.moves:
            ((seat, total),) = step.moves.items()
            assert before.turn > turn
            assert before.turn % 2 == 1 - seat, "odd turns are the first player's"
            turn = before.turn
            assert len(before.hand.board) in (0, 3, 4, 5)
            assert len(set(before.holes + before.hand.board)) == 4 + len(before.hand.board)
            assert total == 0 or before.hand.stakes[seat] < total <= 100
        if now.hand is None or now.hand.rank > before.hand.rank:
            gain += now.past[-1].gain
            assert abs(now.past[-1].gain) <= min(now.past[-1].hand.stakes), "nobody loses more than the other dared"
        else:
            assert all(old <= new for old, new in zip(before.hand.stakes, now.hand.stakes, strict=True))
            assert max(now.hand.stakes) <= 100
        assert now.gain == gain, "every chip that one wins the other loses"
    end = GAME.phase(now)
    assert isinstance(end, Outcome)
    assert sum(end.tally) == 0


def reachable(hand: Hand) -> Iterator[Stakes]:
    """Yield every pair of totals that bets within the current round can lead to while somebody is to speak, or all is staked."""
    seen: set[Stakes] = set()
    todo = [hand]
    while todo:
        now = todo.pop()
        if now.stakes in seen:
            continue
        seen.add(now.stakes)
        yield now.stakes
        speaker = now.speaker
        if speaker is None:
            continue
        for total in range(now.least, 101):
            one, two = now.stakes
            stakes = (total, two) if speaker == FIRST else (one, total)
            if stakes[0] != stakes[1] or total == 100:
                todo.append(Hand(now.rank, 0, now.board, (*now.rounds[:-1], stakes)))


FIVE = tuple(map(Card, range(5)))


@pytest.mark.parametrize(
    "start",
    [
        Hand(1, 0, (), ((1, 2),)),
        Hand(2, 0, (), ((2, 1),)),
        Hand(1, 0, FIVE[:3], ((3, 3), (3, 3))),
        Hand(2, 0, FIVE[:4], ((3, 3), (60, 60), (60, 60))),
        Hand(1, 0, FIVE, ((3, 3), (60, 60), (99, 99), (99, 99))),
    ],
)
def test_a_position_is_refused_exactly_when_no_bets_lead_to_it(start: Hand) -> None:
    found = set(reachable(start))
    for one, two in product(range(102), repeat=2):
        stakes = (one, two)
        hand = Hand(start.rank, 0, start.board, (*start.rounds[:-1], stakes))
        # A hundred each on the river is a showdown already, no position to play on from.
        possible = stakes in found and (stakes != (100, 100) or len(start.board) < 5)
        assert (flaw(hand) is None) == possible, stakes


def test_own_cards() -> None:
    holes = tuple(map(Card, (1, 2, 3)))
    assert [own(holes, eye) for eye in (FIRST, SECOND)] == [holes[:2], holes[2:]]
