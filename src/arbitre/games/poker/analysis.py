"""Poker judged: a word that the learned strategy says too is no mistake; another costs what it brings less.

What the house's best player would say, and how often, it has learned against itself (`blueprint`). Whatever it says with these
cards at least one time in ten is right, for to say always the same would tell the cards. What another word costs is reckoned in
chips: the cards of the other are taken to be those that his words suggest, and the rest of the hand is dealt many times.
"""

from collections.abc import Iterator, Sequence
from random import Random

from arbitre.games.analysis import ENDLESS, HALF, WHOLE, Analyst, Course, Judgement, Ply, share
from arbitre.games.game import FIRST, other
from arbitre.games.poker.betting import Node, Word, reached
from arbitre.games.poker.blueprint import blueprint
from arbitre.games.poker.engine import Expert, Odds, band, equity, homeward, scaled
from arbitre.games.poker.rules import MOST, Hand, Table
from arbitre.reasons import Reason

OFTEN = 0.1
"""What is said so often with the same cards is right."""
FEWEST, EACH = 50, 100
"""Deals of the rest of a hand at least, and nodes for each."""
FINE = 1000
SIZES = (0, 0.04, 0.1, 0.2, 0.4, 0.7, 1)
SWING = 150
"""So many chips ahead, a player has as good as won."""


class PokerAnalyst(Analyst):
    """Compares words by what they bring in chips, and with what was learned."""

    measure = Reason("share of the chips of a hand")
    wins = False
    unit = Reason("chips")
    name = "poker, blueprint"
    parts = (
        *(f"arbitre.games.poker:{name}.py" for name in ("analysis", "betting", "blueprint", "engine", "hands", "rules")),
        "arbitre.games.poker:blueprint.xz",
    )
    usual = 20_000

    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Judge words by what their seat has seen of the hand."""
        for at in wanted:
            yield self._word(at, course)

    def _word(self, at: int, course: Course) -> Judgement:
        ply, random = course[at], self.effort.random(at)
        view = self.game.view(ply.before, ply.seat)
        hand: Hand = view.hand
        worths = self._worths(view, hand, ply, random)
        said = int(ply.move)
        learned = self._learned(at, course, hand, random)
        best = max(learned, key=lambda total: learned[total]) if learned else max(worths, key=lambda total: worths[total])
        gain = view.gain if ply.seat == FIRST else -view.gain
        home = gain > homeward(hand, ply.seat) and said == 0
        right = home or said == best or self._agrees(said, hand, learned)
        played = worths[said]
        top = played if right else max(played, worths.get(best, played), *worths.values())
        if not right and learned and worths.get(best, played) <= played:
            top = played  # the learned word is taken for no better here: who said the other lost nothing
        text = self.notation.write(best if top > played else ply.move)
        return Judgement(
            chips(top), chips(played), self._standing(ply), text, (text,), solved=False, lost=max(0, round(FINE * (top - played)))
        )

    def _worths(self, view: object, hand: Hand, ply: Ply, random: Random) -> dict[int, float]:
        """Return what some totals bring, the one that was said among them."""
        mine, theirs = hand.stakes[ply.seat], hand.stakes[other(ply.seat)]
        number = max(FEWEST, self.effort.nodes // EACH)
        deals = Odds(view, hand).deals(number, band(hand, ply.seat), random, ENDLESS)  # type: ignore[arg-type]
        player = Expert(random)
        totals = {hand.least + round(size * (MOST - hand.least)) for size in SIZES} | ({int(ply.move)} - {0})
        worths: dict[int, float] = {0: float(-mine)}
        for total in sorted(totals):
            raised = total > theirs
            worths[total] = player.worth(deals, total, theirs)[1] if raised else (2 * equity(deals) - 1) * total
        return worths

    def _learned(self, at: int, course: Course, hand: Hand, random: Random) -> dict[int, float]:
        """Return how often the learned strategy says which total here; nothing where the hand has left its tree."""
        ply = course[at]
        expert = Expert(random)
        first = at
        while first and _rank(course[first - 1].before) == hand.rank:
            first -= 1
        for before in course[first:at]:
            if before.seat == ply.seat:
                seen: Hand = self.game.view(before.before, ply.seat).hand
                expert.listen(seen, ply.seat)
                facing = seen.stakes[other(ply.seat)]
                expert.words.append(Word(len(seen.rounds) - 1, int(before.move), facing))
        expert.listen(hand, ply.seat)
        node = reached(expert.words, len(hand.rounds) - 1, random)
        if node is None or node.round != len(hand.rounds) - 1 or node.dealer != (ply.seat == hand.dealer):
            return {}
        view = self.game.view(ply.before, ply.seat)
        weights = blueprint().weights(node, expert.group(view, hand))
        return self._often(node, hand, ply, weights)

    def _often(self, node: Node, hand: Hand, ply: Ply, weights: bytes) -> dict[int, float]:
        facing, total = hand.stakes[other(ply.seat)], max(1, sum(weights))
        often: dict[int, float] = {}
        for said, weight in zip((0, *node.totals), weights, strict=True):
            real = scaled(said, node, facing, hand.least)
            often[real] = often.get(real, 0.0) + weight / total
        return often

    def _agrees(self, said: int, hand: Hand, learned: dict[int, float]) -> bool:
        """Tell whether the learned strategy says the like often enough: to fold, to call, or to raise about so much."""
        if said == 0 or said == max(hand.stakes):
            return learned.get(said, 0.0) >= OFTEN
        near = min((total for total in learned if total > max(hand.stakes)), key=lambda total: abs(total - said), default=None)
        return near is not None and learned[near] >= OFTEN

    def _standing(self, ply: Ply) -> int:
        state: Table = ply.after
        return share(state.gain, SWING) if state.gain else HALF


def _rank(state: Table) -> int:
    return state.hand.rank if state.hand is not None else 0


def chips(worth: float) -> int:
    """Return what a word brings as a share: all the chips of a hand lost, nothing; all won, everything."""
    return max(0, min(WHOLE, HALF + round(HALF * worth / MOST)))
