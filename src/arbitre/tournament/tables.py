"""Standings, cross table, bracket and rounds as plain text for a terminal, as wide as it is and no wider.

Columns that matter less are left out before names are cut; whatever is in a name, nothing but printable characters come out.
Who shows a table says in `said` how words are made for the reader.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from textwrap import wrap
from unicodedata import combining, east_asian_width

from arbitre.reasons import N_, Reason, Said
from arbitre.referee.verdict import Termination
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.gauntlet import Gauntlet
from arbitre.tournament.knockout import Tie
from arbitre.tournament.ledger import Entry
from arbitre.tournament.schedule import Contestant
from arbitre.tournament.sprt import Decision, SprtState
from arbitre.tournament.standings import Row
from arbitre.tournament.statistics import Estimate, difference, superiority
from arbitre.tournament.summary import Summary
from arbitre.tournament.usage import Usage
from arbitre.values import value

WIDTH = 79
SHORTEST_NAME = 8
LONGEST_APART = 24
LONGEST_TIED = 18
"""Names of a bracket: three of them and a score stand in a line."""
GAP = 2

MOST_NUMBERS = 8
"""Numbers of games that one line of faults names."""

MOST_LINES = 4
"""Lines that are told of one fault."""

FAULT_WORDS = {
    Termination.OUT_OF_TIME: N_("out of time"),
    Termination.ILLEGAL_MOVE: N_("illegal move"),
    Termination.PROTOCOL_ERROR: N_("broken protocol"),
    Termination.DISCONNECTED: N_("gone, or never there"),
}

HEADS = {
    "direct": N_("direct"),
    "sonneborn": N_("SB"),
    "buchholz": N_("BH"),
    "buchholz-cut": N_("BH-1"),
    "rate": N_("rate"),
}
"""What the columns of the tie-breaks are called; points and wins have columns of their own."""


@value
class Column:
    """One column of a table; those with the highest `spare` go first when there is no room."""

    head: str
    cells: tuple[str, ...]
    spare: int = 0
    left: bool = False

    @property
    def width(self) -> int:
        """How wide it is."""
        return max(map(columns, (self.head, *self.cells)))


# ── pieces of text ─────────────────────────────────────────────────────────────────────────────────────────────────


def points_text(points: Fraction) -> str:
    """Return points with a half as players write it."""
    whole, rest = divmod(points, 1)
    if rest == Fraction(1, 2):
        return f"{whole or ''}½"
    return str(whole) if not rest else f"{float(points):.2f}"


def elo_text(elo: float) -> str:
    """Return a difference with its sign."""
    return f"{round(elo):+d}" if math.isfinite(elo) else "+∞" if elo > 0 else "-∞"


def key_text(name: str, key: Fraction | None) -> str:
    """Return what a tie-break came to."""
    return "" if key is None else f"{float(key):.1%}" if name == "rate" else points_text(key)


def estimate_text(estimate: Estimate) -> Reason:
    """Return an estimate with its interval."""
    elo, low, high = map(elo_text, (estimate.elo, estimate.low, estimate.high))
    return Reason("Elo %(elo)s (95 %%: %(low)s to %(high)s)", elo=elo, low=low, high=high)


def printable(text: str) -> str:
    """Return a text without anything that a terminal would obey."""
    return "".join(character if character.isprintable() else "�" for character in text)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def fitted(text: str, width: int, left: bool = True) -> str:
    """Return a text cut or filled to so many columns."""
    if columns(text) > width:
        kept = ""
        for character in text:
            if columns(kept + character) > width - 1:
                break
            kept += character
        text = kept + "…"
    room = " " * (width - columns(text))
    return text + room if left else room + text


def laid_out(table: Sequence[Column], width: int = WIDTH, name: int = 1) -> str:
    """Return the lines of a table; column `name` is cut when leaving out the spare ones is not enough."""
    shown, least = list(range(len(table))), _apart(table[name].cells)
    while _total([table[at].width for at in shown], least, shown.index(name)) > width:
        spare = max((at for at in shown if table[at].spare), key=lambda at: (table[at].spare, at), default=None)
        if spare is None:
            break
        shown.remove(spare)
    widths = {at: table[at].width for at in shown}
    over = sum(widths.values()) + GAP * (len(shown) - 1) - width
    if over > 0:
        widths[name] = max(min(SHORTEST_NAME, widths[name]), widths[name] - over)
    rows = zip(*((table[at].head, *table[at].cells) for at in shown), strict=True)
    lines = []
    for row in rows:
        cells = (fitted(cell, widths[at], table[at].left) for at, cell in zip(shown, row, strict=True))
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join(lines)


def _apart(names: Sequence[str]) -> int:
    """Return how many columns names need, so that no two look the same when they are cut; few where that cannot be."""
    whole = len(set(names))
    fitting = (least for least in range(SHORTEST_NAME, LONGEST_APART) if len({fitted(one, least) for one in names}) == whole)
    return next(fitting, SHORTEST_NAME)


def _total(widths: list[int], name: int, at: int) -> int:
    return sum(widths) - widths[at] + min(name, widths[at]) + GAP * (len(widths) - 1)


# ── the tables ─────────────────────────────────────────────────────────────────────────────────────────────────────


def standings_text(summary: Summary, width: int = WIDTH, said: Said = str) -> str:
    """Return the standings."""
    rows = summary.standings.rows
    ratings = [summary.strengths.ratings[row.contestant] for row in rows]
    above = [summary.above_next(place) for place in range(len(rows))]
    faults = [sum(row.faults) for row in rows]
    table = [
        Column("#", tuple(str(row.rank) for row in rows)),
        Column(said(Reason("name")), tuple(printable(row.name) for row in rows), left=True),
    ]
    if any(row.reached for row in rows):
        reached = tuple(said(row.reached) if row.reached else "" for row in rows)
        table.append(Column(said(Reason("reached")), reached, left=True))
    table += [
        Column(said(Reason("points")), tuple(points_text(row.points) for row in rows)),
        Column(said(Reason("games")), tuple(str(row.games) for row in rows), 2),
        Column(said(Reason("won")), tuple(str(row.wins) for row in rows), 1),
        Column(said(Reason("drawn")), tuple(str(row.draws) for row in rows), 1),
        Column(said(Reason("lost")), tuple(str(row.losses) for row in rows), 1),
    ]
    for at, name in enumerate(summary.standings.order):
        if name in HEADS:
            table.append(Column(said(Reason(HEADS[name])), tuple(key_text(name, row.keys[at]) for row in rows), 4 + at))
    if any(faults):
        table.append(Column(said(Reason("faults")), tuple(map(str, faults)), 1))
    if summary.progress.entries:
        table += [
            Column("Elo", tuple(elo_text(rating.elo) for rating in ratings), 2),
            Column("±", tuple(f"{rating.error:.0f}" for rating in ratings), 2),
            Column("LOS", tuple("" if one is None else f"{one:.0%}" for one in above), 3),
        ]
    return laid_out(table, width)


def cross_text(summary: Summary, width: int = WIDTH, said: Said = str) -> str:
    """Return the cross table, or a line that says that it is too wide."""
    rows = summary.standings.rows
    table = [
        Column("", tuple(str(at + 1) for at in range(len(rows)))),
        Column(said(Reason("name")), tuple(printable(row.name) for row in rows), left=True),
    ]
    for across in range(len(rows)):
        cells = (
            "■" if at == across else "·" if cell is None else points_text(cell.points)
            for at, cell in enumerate(line[across] for line in summary.standings.cells)
        )
        table.append(Column(str(across + 1), tuple(cells)))
    table.append(Column(said(Reason("points")), tuple(points_text(row.points) for row in rows)))
    text = laid_out(table, width)
    if max(map(columns, text.splitlines())) > width:
        template = N_("the cross table of %(count)s contestants is wider than %(width)s columns: see the report")
        return said(Reason(template, count=len(rows), width=width))
    return text


def bracket_text(summary: Summary, width: int = WIDTH, said: Said = str) -> str:
    """Return the bracket of a knockout, stage by stage; empty for other formats."""
    bracket = summary.bracket()
    if bracket is None:
        return ""
    lines = []
    for stage in bracket.stages:
        lines.append(said(stage.title))
        lines += [fitted(f"  {tie_text(summary, tie, said)}", width).rstrip() for tie in stage.ties]
        lines += _byes(summary, stage.byes, width, said)
    return "\n".join(lines)


def _byes(summary: Summary, byes: Iterable[Contestant], width: int, said: Said) -> list[str]:
    idle = (said(Reason("%(name)s has a bye", name=printable(summary.name(one)))) for one in byes)
    return [fitted(f"  {one}", width).rstrip() for one in idle]


def tie_text(summary: Summary, tie: Tie, said: Said = str) -> str:
    """Return how a tie stands, in words."""
    one, other = (fitted(printable(summary.name(each)), LONGEST_TIED).rstrip() for each in (tie.one, tie.other))
    if tie.points is None:
        return f"{one} - {other}"
    score = f"{points_text(tie.points[0])} : {points_text(tie.points[1])}"
    if tie.winner is None:
        return f"{one} - {other}  {score}"
    name = one if tie.winner == tie.one else other
    return f"{one} - {other}  {score}  → {said(Reason('%(name)s, by lot', name=name)) if tie.by_lot else name}"


def verdict_text(summary: Summary, said: Said = str) -> str:
    """Return in a line or two what the first contestant's results say, where the tournament is about it.

    That is a sequential test, a gauntlet of one challenger, or a match of two.
    """
    hero = Contestant(0)
    single = isinstance(summary.plan.format, Gauntlet) and summary.plan.format.challengers == 1
    if len(summary.plan.entrants) > 2 and not single:
        return ""
    scores = summary.against(hero)
    estimate = difference(scores)
    if estimate is None:
        return ""
    found = Reason(
        "%(name)s against %(rival)s: %(estimate)s, LOS %(superiority)s",
        name=printable(summary.name(hero)),
        rival=printable(summary.name(Contestant(1))) if len(summary.plan.entrants) == 2 else Reason("the others"),
        estimate=estimate_text(estimate),
        superiority=f"{superiority(scores):.1%}",
    )
    trial = summary.progress.trial
    return said(found) if trial is None else f"{said(found)}\n{said(_tried(trial))}"


def _tried(trial: SprtState) -> Reason:
    sprt = trial.sprt
    elo = sprt.elo0 if trial.decision is Decision.FIRST else sprt.elo1
    return Reason(
        "SPRT: ratio %(ratio)s within %(lower)s to %(upper)s, %(decision)s",
        ratio=f"{trial.ratio:+.2f}",
        lower=f"{sprt.lower:.2f}",
        upper=f"{sprt.upper:.2f}",
        decision=Reason("Elo %(elo)s accepted", elo=f"{elo:g}") if trial.decided else Reason("undecided"),
    )


# ── faults ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def usage_table(rows: Sequence[tuple[Row, Usage]]) -> dict[str, list[str]]:
    """Return what the games took of each as columns under their heads; one of nothing is empty."""

    def column(of: Callable[[Usage], int]) -> list[str]:
        numbers = [of(one) for _, one in rows]
        return [str(one) for one in numbers] if any(numbers) else [""] * len(numbers)

    return {
        N_("name"): [row.name for row, _ in rows],
        N_("moves"): column(lambda one: one.moves),
        N_("refused moves"): column(lambda one: one.refused),
        N_("seconds"): [f"{one.milliseconds / 1000:.1f}" if one.milliseconds else "" for _, one in rows],
        N_("calls"): column(lambda one: one.calls),
        N_("tokens in"): column(lambda one: one.tokens_in),
        N_("tokens out"): column(lambda one: one.tokens_out),
        N_("faults"): [str(sum(row.faults) or "") for row, _ in rows],
    }


def usage_text(summary: Summary, said: Said = str) -> str:
    """Return what the games took of each, where a language model played."""
    rows = [(row, summary.usage[row.contestant]) for row in summary.standings.rows if row.contestant in summary.usage]
    if not any(one.calls for _, one in rows):
        return ""
    table = {said(Reason(head)): cells for head, cells in usage_table(rows).items() if any(cells)}
    names, *others = table.items()
    width = min(30, max(map(columns, (names[0], *names[1]))))
    heads = [fitted(names[0], width), *(head for head, _ in others)]
    lines = [
        "  ".join([fitted(printable(name), width), *(f"{cells[at]:>{columns(head)}}" for head, cells in others)])
        for at, name in enumerate(names[1])
    ]
    return "\n".join([said(Reason("what it took")), "  " + "  ".join(heads), *(f"  {line}" for line in lines)])


def faults_text(summary: Summary, width: int = WIDTH, said: Said = str) -> str:
    """Return who lost how many games by a fault of which kind, with their numbers and what was said of the first."""
    found: dict[tuple[Contestant, Termination], list[Entry]] = {}
    for entry in summary.progress.entries:
        for culprit in entry.culprits:
            found.setdefault((culprit, entry.result.termination), []).append(entry)
    lines = []
    for culprit in summary.standings.ranking:
        for kind in FAULTS:
            if games := found.get((culprit, kind)):
                told = said(_fault(kind, games))
                name = fitted(printable(summary.name(culprit)), max(SHORTEST_NAME, width - columns(told) - 4)).rstrip()
                why = printable(said(games[0].result.reason or ""))
                lines += [f"  {name}: {told}", *(f"    {line}" for line in wrap(why, width - 4)[:MOST_LINES])]
    return "\n".join([said(Reason("faults")), *lines]) if lines else ""


def _fault(kind: Termination, games: Sequence[Entry]) -> Reason:
    numbers: object = ", ".join(str(entry.fixture.number) for entry in games[:MOST_NUMBERS])
    if len(games) == 1:
        return Reason("%(fault)s, 1 game lost (number %(number)s)", fault=Reason(FAULT_WORDS[kind]), number=numbers)
    if len(games) > MOST_NUMBERS:
        numbers = Reason("%(numbers)s and %(rest)s more", numbers=numbers, rest=len(games) - MOST_NUMBERS)
    template = N_("%(fault)s, %(count)s games lost (numbers %(numbers)s)")
    return Reason(template, fault=Reason(FAULT_WORDS[kind]), count=len(games), numbers=numbers)


def never_came(summary: Summary) -> tuple[Contestant, ...]:
    """Return who lost every game because nobody was there: most often a program that was not started, or a wrong address."""
    games = summary.progress.entries
    return tuple(
        row.contestant
        for row in summary.standings.rows
        if row.games
        and all(
            entry.result.termination is Termination.DISCONNECTED and row.contestant in entry.culprits
            for entry in games
            if row.contestant in entry.fixture.seats
        )
    )
