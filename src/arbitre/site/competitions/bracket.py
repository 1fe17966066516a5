"""The bracket of a knockout as a page draws it: a tree from left to right, whose boxes stand between those that lead to them.

Stages that are to come are drawn empty, so that one sees from the first day who can meet whom, and when.
"""

from collections.abc import Mapping
from typing import Any

from arbitre.reasons import Reason
from arbitre.tournament.knockout import TITLES, BracketRound, Tie, places_of
from arbitre.tournament.schedule import Contestant
from arbitre.tournament.summary import Summary
from arbitre.tournament.tables import points_text

Slot = Tie | Contestant | None
"""Two who play, one who has a bye, or nobody yet."""


def tree(summary: Summary, games: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return the stages of a knockout with their boxes in the order of the tree; empty: it is none.

    `games` are the matches of fixtures that were begun; each box has its own, in their order.
    """
    found = summary.bracket()
    if found is None or not found.stages:
        return []
    slots = [_first(summary, found.stages[0]), *(list[Slot](stage.ties) for stage in found.stages[1:])]
    titles = [stage.title for stage in found.stages]
    while titles[-1] != TITLES[1]:  # its length does not tell: beside a final the third place may be played for
        slots.append([None] * (-(-len(slots[-1]) // 2)))
        titles.append(TITLES.get(len(slots[-1]), Reason("round of %(n)s", n=2 * len(slots[-1]))))
    return [
        {"title": title, "slots": [_box(summary, games, slot) for slot in column]}
        for title, column in zip(titles, slots, strict=True)
    ]


def _first(summary: Summary, stage: BracketRound) -> list[Slot]:
    """Return the first stage with byes at their places: where the bracket put them."""
    places = places_of(summary.plan.schedule.field)
    ties = {tie.one: tie for tie in stage.ties}
    return [
        ties[one] if one is not None and other is not None else one if other is None else other
        for one, other in zip(places[::2], places[1::2], strict=True)
    ]


def _box(summary: Summary, games: Mapping[int, str], slot: Slot) -> dict[str, Any]:
    if slot is None:
        return {"sides": [], "by_lot": False, "bye": False, "matches": []}
    if not isinstance(slot, Tie):
        alone = [{"name": summary.name(slot), "points": "", "won": True}]
        return {"sides": alone, "by_lot": False, "bye": True, "matches": []}
    points = ("", "") if slot.points is None else tuple(map(points_text, slot.points))
    sides = [
        {"name": summary.name(one), "points": score, "won": slot.winner == one}
        for one, score in zip((slot.one, slot.other), points, strict=True)
    ]
    met = {slot.one, slot.other}  # two meet in one tie of a knockout
    fixtures = (one for each in summary.progress.rounds for one in each.fixtures if set(one.seats) == met)
    matches = [games[one.number] for one in fixtures if one.number in games]
    return {"sides": sides, "by_lot": slot.by_lot, "bye": False, "matches": matches}
