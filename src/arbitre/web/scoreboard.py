"""How a competition stands, in the visitor's words and for spreadsheets (`site.competitions.scoreboard` finds it out)."""

from math import isfinite
from typing import Any

from arbitre.site.competitions.coming import Coming, Next
from arbitre.site.competitions.honours import Feat, Honours
from arbitre.site.competitions.scoreboard import Board
from arbitre.tournament.charts import COURSE, STRENGTH
from arbitre.values import value
from arbitre.web.sheets import Sheet
from arbitre.web.telling import N_
from arbitre.words import Words

DAY = 24 * 3600
"""What comes later than that has a date, and no seconds that run down."""

SHOWN = {
    STRENGTH: N_("Elo, 0 the mean of the field; the bars hold the truth 19 times in 20"),
    COURSE: N_("points above half of the games, over time"),
}
"""What the charts show, in words that the catalogue knows."""

TIES = {
    "direct": (N_("direct"), N_("Points against those with as many points")),
    "sonneborn": (N_("SB"), N_("Sonneborn-Berger: the points of whom one beat, and half of those of whom one drew with")),
    "buchholz": (N_("BH"), N_("Buchholz: the points of all whom one met")),
    "buchholz-cut": (N_("BH-1"), N_("Buchholz without the weakest")),
    "rate": (N_("rate"), N_("The share of the points that could be won")),
}
"""What the columns of tie-breaks are called, and what they say."""


def charts_in(words: Words, board: Board) -> list[tuple[str, str]]:
    """Return each chart for a page and for a phone, told in the visitor's language."""
    told = [one.svg(words(SHOWN[one.title])) for one in board.charts]
    return list(zip(told[::2], told[1::2], strict=True))


def awards_in(words: Words, board: Board, honours: Honours) -> list[dict[str, Any]]:
    """Return who is honoured for what, in the visitor's language, and where to see it."""
    return [
        {
            "entry": board.entries[one.contestant],
            "words": _feat(words, one.feat, one.number, "" if one.against is None else board.entries[one.against].name),
            "match": one.match,
        }
        for one in honours.awards
    ]


COMING = {
    Next.ENTRIES: N_("until entries are taken"),
    Next.BEGINS: N_("until it begins"),
    Next.ARRIVAL: N_("for %(names)s to come"),
    Next.ROUND: N_("at most, to the end of the round"),
}
"""What time runs down to."""


@value
class Countdown:
    """What comes next, in somebody's words: seconds that run down, or about how long, and to what."""

    seconds: int | None
    about: str
    words: str


def coming_in(words: Words, found: Coming | None) -> Countdown | None:
    """Return what comes next in the visitor's language."""
    if found is None:
        return None
    if not found.exact:
        minutes = words(N_("about %(minutes)s min"), minutes=max(1, round(found.seconds / 60)))
        return Countdown(None, minutes, words(N_("to the end of the round")))
    if found.seconds >= DAY:
        return None
    return Countdown(found.seconds, "", words(COMING[found.what], names=", ".join(found.names)))


def _feat(words: Words, feat: Feat, count: int, name: str) -> str:
    number = words.number
    match feat:
        case Feat.QUICKEST:
            return number("quickest win, in %(count)s move", "quickest win, in %(count)s moves", count)
        case Feat.LONGEST:
            return number("longest game, %(count)s move, against %(name)s", "longest game, %(count)s moves, against %(name)s",
                          count, name=name)  # fmt: skip
        case Feat.SURPRISE:
            return number("biggest surprise: beats %(name)s, %(count)s place above",
                          "biggest surprise: beats %(name)s, %(count)s places above", count, name=name)  # fmt: skip
        case Feat.FLAWLESS:
            return number("%(count)s game without a single fault", "%(count)s games without a single fault", count)


# ── for spreadsheets ───────────────────────────────────────────────────────────────────────────────────────────────

STANDING_HEADS = (
    N_("rank"), N_("name"), N_("identifier"), N_("points"), N_("games"), N_("Won"), N_("Drawn"), N_("Lost"), N_("byes"),
    N_("faults"), N_("elo"), N_("error"),
)  # fmt: skip
GAME_HEADS = (
    N_("match"), N_("round"), N_("first"), N_("second"), N_("score first"), N_("score second"), N_("end"), N_("reason"),
    N_("address"),
)  # fmt: skip


def standings_csv(board: Board, sheet: Sheet) -> str:
    """Return the standings as CSV."""

    def line(place: int) -> list[object]:
        row = board.summary.standings.rows[place]
        rating, entry = board.summary.strengths.ratings[row.contestant], board.entries[row.contestant]
        counts = (row.games, row.wins, row.draws, row.losses, row.byes, sum(row.faults))
        strength = [sheet.number(one) if row.games and isfinite(one) else "" for one in (round(rating.elo), round(rating.error))]
        return [row.rank, entry.name, entry.neutral, sheet.number(row.points), *counts, *strength]

    return sheet.text(STANDING_HEADS, map(line, range(len(board.summary.standings.rows))))


def games_csv(board: Board, public: str, sheet: Sheet) -> str:
    """Return the games as CSV."""
    rows = (
        [
            entry.fixture.number,
            entry.fixture.round,
            *(board.summary.name(one) for one in entry.fixture.seats),
            *map(sheet.number, entry.scores),
            sheet.words.of(entry.result.termination),
            sheet.words.of(entry.result.reason),
            f"{public}/games/{board.games[entry.fixture.number]}",
        ]
        for entry in board.summary.progress.entries
    )
    return sheet.text(GAME_HEADS, rows)
