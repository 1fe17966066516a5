"""Poker has no options. It keeps the hole cards secret, and never keeps the cards that are still to come."""

from random import Random

from arbitre.games.game import Eye
from arbitre.games.poker.hands import DECK, Card
from arbitre.games.poker.rules import Poker, Table

PRESETS: list[dict[str, object]] = [{}]


def resample(_: Poker, truth: Table, eye: Eye, random: Random) -> Table:
    """Deal the hole cards that `eye` has not seen anew, from the cards it has not seen."""
    if truth.hand is None:
        return truth
    kept = {n for n in range(4) if eye not in ("spectator", "referee") and n // 2 == eye}
    seen = {card for n, card in enumerate(truth.holes) if n in kept} | set(truth.hand.board)
    left = [Card(card) for card in range(DECK) if card not in seen]
    fresh = random.sample(left, len(truth.holes))
    holes = tuple(card if n in kept else fresh[n] for n, card in enumerate(truth.holes))
    return Table(truth.hand, holes, truth.gain, truth.past, truth.turn)
