"""The best poker player: its tree is legal betting, real hands find their way in it, and what it learned is played."""

from random import Random

import pytest

from arbitre.games.engine import Budget
from arbitre.games.game import FIRST, SECOND, Awaits, Chance, Outcome
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.games.poker.betting import Node, Word, nearest, reached, tree
from arbitre.games.poker.blueprint import GROUPS, blueprint, outlook, preflop_group
from arbitre.games.poker.engine import ANY, Expert, Odds, equity, homeward
from arbitre.games.poker.hands import DECK, Card
from arbitre.games.poker.rules import HANDS, MOST, Hand, Poker, Table, TableView, Total
from tests.games.arena import ask
from tests.games.poker.test_engine import cards

GAME = Poker()


def test_every_word_of_the_tree_is_legal() -> None:
    """Each node is a state of a real hand, and what follows it is what the rules say."""
    board = tuple(map(Card, range(10, 15)))

    def check(node: Node, rounds: tuple[tuple[int, int], ...]) -> None:
        hand = Hand(board=board[: (0, 3, 4, 5)[node.round]], rounds=rounds)
        state = Table(hand, tuple(map(Card, range(4))))
        phase = GAME.phase(state)
        assert isinstance(phase, Awaits)
        speaker = FIRST if node.dealer else SECOND
        assert phase.seats == {speaker}
        assert (hand.stakes[speaker], hand.stakes[1 - speaker]) == (node.own, node.facing)
        assert node.totals[0] == hand.least
        for total, following in zip(node.totals, node.next, strict=True):
            GAME.check(GAME.view(state, speaker), Total(total))
            after = GAME.play(state, {speaker: Total(total)})
            if following is None:
                assert after.hand is None or after.hand.rank == 2 or after.hand.stakes == (MOST, MOST)
            else:
                assert after.hand is not None
                check(following, after.hand.rounds)

    check(tree()[-1], ((1, 2),))


def test_each_node_and_group_has_something_to_say() -> None:
    learned = blueprint()
    for node in tree():
        groups = 169 if node.round == 0 else GROUPS
        assert all(sum(learned.weights(node, group)) > 0 for group in range(groups))


def test_sizes_of_the_tree_are_taken_for_themselves_and_a_raise_never_for_a_call() -> None:
    for node in tree():
        for nth, total in enumerate(node.totals):
            assert nearest(node, Word(node.round, total, node.facing), Random(1)) == nth
        if len(node.totals) > 1 and node.totals[0] == node.facing:
            for total in range(node.facing + 1, MOST + 1):
                assert nearest(node, Word(node.round, total, node.facing), Random(total)) > 0


def test_a_size_in_between_is_taken_for_both() -> None:
    root = tree()[-1]
    taken = [nearest(root, Word(0, 6, 2), Random(luck)) for luck in range(200)]
    assert {1, 2} == set(taken)
    assert taken.count(2) < taken.count(1)


@pytest.mark.parametrize("seed", range(20))
def test_what_was_said_is_found_again_in_the_totals(seed: int) -> None:
    """A player who sits at the table from the beginning knows every word of a hand, his own and the other's."""
    luck = Random(seed)
    bots = [Expert(Random(1)), Expert(Random(2))]
    state: Table = GAME.start()
    said: list[Word] = []
    while not isinstance(phase := GAME.phase(state), Outcome):
        if isinstance(phase, Chance):
            state = GAME.draw(state, luck.randrange(phase.below))
            continue
        (seat,) = phase.seats
        hand = state.hand
        assert hand is not None
        if hand.rank != bots[seat].rank and len(hand.rounds) == 1 and hand.opening:
            said = []
        bots[seat].listen(hand, seat)
        assert bots[seat].words == said
        rank, facing = len(hand.rounds) - 1, hand.stakes[1 - seat]
        view = GAME.view(state, seat)
        total = GAME.sample(view, luck) if luck.random() < 0.5 else Total(hand.least)
        if total:
            said.append(Word(rank, int(total), facing))
            bots[seat].words.append(said[-1])
        state = GAME.play(state, {seat: total})


def test_whoever_sits_down_late_still_finds_a_place_in_the_tree() -> None:
    late = Expert(Random(1))
    late.listen(Hand(board=cards("2c7d9h"), rounds=((6, 6), (6, 12))), FIRST)
    assert late.words == [Word(0, 6, 2), Word(0, 6, 6), Word(1, 12, 6)]
    node = reached(late.words, 1, Random(1))
    assert node is not None
    assert (node.round, node.dealer) == (1, True)


def test_a_word_between_two_sizes_is_taken_for_the_same_throughout_a_hand() -> None:
    taken = set()
    for seed in range(40):
        bot = Expert(Random(seed))
        bot.listen(Hand(board=cards("2c7d9h"), rounds=((4, 4), (4, 6))), FIRST)
        first, again = (reached(bot.words, 1, Random(bot.luck)) for _ in range(2))
        bot.random.random()  # whatever else it draws meanwhile
        bot.listen(Hand(board=cards("2c7d9hJs"), rounds=((4, 4), (6, 6), (6, 6))), FIRST)
        assert first is again
        assert first is not None
        later = reached(bot.words, 1, Random(bot.luck))
        assert later is None or later.facing >= first.facing
        taken.add(first.facing)
    assert len(taken) == 2


@pytest.mark.parametrize(
    ("hole", "board", "share", "within"),
    [
        ("AcAd", "AhAs2c2d3h", 1.0, 0.0),
        ("2c3d", "AhAsAcAdKh", 0.5, 0.0),
        ("AcAd", "AhAs2c", 1.0, 0.02),
    ],
    ids=["nothing beats it", "everybody shares", "four aces on the flop"],
)
def test_cards_are_looked_at(hole: str, board: str, share: float, within: float) -> None:
    mean, square = outlook(cards(hole), cards(board), Random(1))
    assert mean == pytest.approx(share, abs=within + 1e-9)
    assert mean * mean - 0.01 <= square <= mean + 1e-9


@pytest.mark.parametrize("flop", ["AhKsQd", "7h7s2c", "8c9cTd", "4c5d6h"])
def test_the_mean_is_what_deals_give(flop: str) -> None:
    """Two ways to count the same: within three standard deviations of both."""
    hand = Hand(board=cards(flop), rounds=((3, 3), (3, 3)))
    view = GAME.view(Table(hand, (*cards("7d6c"), *cards("AsAd"))), FIRST)
    mean, _ = outlook(view.cards, hand.board, Random(1))
    assert mean == pytest.approx(equity(Odds(view, hand).deals(3_000, ANY, Random(1), Budget(None))), abs=0.09)


def test_before_the_flop_there_are_169_groups() -> None:
    groups = [preflop_group((one, two)) for one in range(DECK) for two in range(one)]
    assert sorted(set(groups)) == list(range(169))
    assert sorted({groups.count(group) for group in range(169)}) == [4, 6, 12]


def test_who_is_ahead_by_more_than_all_blinds_folds() -> None:
    """And who is ahead by just so much does not: the game could still end even."""
    hand = Hand(rank=HANDS)
    holes = (*cards("AcAd"), *cards("7c2d"))
    assert homeward(hand, FIRST) == 1
    for gain, folds in ((2, True), (1, False)):
        state = Table(hand, holes, gain=gain)
        assert (ask(GAME, Expert(Random(1)), state, FIRST) == 0) is folds
    assert homeward(Hand(), FIRST) == 1 + 49 * 2 + 49
    assert homeward(Hand(rank=2, rounds=((2, 1),)), FIRST) == 2 + 49 + 48 * 2


def test_after_more_raises_than_the_tree_has_it_still_answers() -> None:
    """One chip at a time, as often as may be."""
    bot = Expert(Random(1))
    notation = notation_of(GAME)
    holes = (*cards("AcAd"), *cards("7c2d"))
    for total in range(3, 30, 2):
        hand = Hand(rounds=((total - 1 if total > 3 else 1, total if total > 3 else 2),))
        view: TableView = GAME.view(Table(hand, holes), FIRST)
        chosen = bot.choose(Position(GAME, notation, FIRST, 1, view), Budget(None))
        GAME.check(view, chosen)
