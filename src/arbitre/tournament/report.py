"""The report of a tournament: one HTML file without scripts, downloads or links to anywhere, to be kept, mailed and printed.

What comes from players, their names and the reasons of the referee, is text and stays text: everything passes through `escape`.
"""

from collections.abc import Iterable
from dataclasses import fields

from arbitre.referee.clock import write_clock
from arbitre.tournament.charts import course_chart, escape, ratings_chart, terminations_chart
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.ledger import Entry
from arbitre.tournament.schedule import Format
from arbitre.tournament.style import STYLE
from arbitre.tournament.summary import Summary
from arbitre.tournament.tables import HEADS, elo_text, key_text, points_text, tie_text, verdict_text

MOST_CROSSED = 60
"""A larger cross table cannot be read."""

MOST_LISTED = 5_000
"""Games; what is beyond is in the store, and in `--json`."""

MOST_FAULTS = 200


def report(summary: Summary) -> str:
    """Return the report as one HTML document."""
    title = escape(summary.plan.name)
    parts = [_head(summary), _voice(summary), _standings(summary)]
    if summary.progress.entries:
        parts += [
            _section(
                "Strength",
                ratings_chart(summary).svg(),
                "Maximum likelihood over all games; the bars hold the truth 19 times in 20.",
            ),
            _cross(summary),
            _bracket(summary),
            _section("Course", course_chart(summary).svg(), "Points above half of the games played, in the order of the games."),
            _section("Ends", terminations_chart(summary).svg()),
            _faults(summary),
            _games(summary),
        ]
    body = "\n".join(part for part in parts if part)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )


def format_text(held: Format) -> str:
    """Return the format in words, with its options."""
    options = [(field.name, getattr(held, field.name)) for field in fields(held)]  # type: ignore[arg-type]
    words = [
        f"{name} {'yes' if option else 'no'}" if isinstance(option, bool) else f"{name} {option}" for name, option in options
    ]
    return f"{held.name} ({', '.join(words)})"


def _head(summary: Summary) -> str:
    plan = summary.plan
    facts = {
        "game": plan.game.name,
        "format": format_text(plan.format),
        "contestants": str(len(plan.entrants)),
        "clock": write_clock(plan.clock),
        "state": summary.state,
        **summary.notes,
    }
    if summary.progress.over:
        facts["seed"] = plan.seed
    cells = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(text)}</dd></div>" for key, text in facts.items())
    return f"<h1>{escape(plan.name)}</h1>\n<dl>{cells}</dl>"


def _voice(summary: Summary) -> str:
    lines = verdict_text(summary).splitlines()
    return "\n".join(f'<p class="referee"><b>verdict</b> {escape(line)}</p>' for line in lines)


def _section(title: str, body: str, note: str = "") -> str:
    after = f'<p class="note">{escape(note)}</p>' if note else ""
    return f"<section><h2>{escape(title)}</h2>{body}{after}</section>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    """Return a table; cells are HTML already."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _standings(summary: Summary) -> str:
    rows = summary.standings.rows
    ratings = [summary.strengths.ratings[row.contestant] for row in rows]
    above = [summary.above_next(place) for place in range(len(rows))]
    table: dict[str, list[str]] = {
        "#": [str(row.rank) for row in rows],
        "name": [escape(row.name) for row in rows],
        "reached": [escape(str(row.reached or "")) for row in rows],
        "points": [f"<b>{points_text(row.points)}</b>" for row in rows],
        "games": [str(row.games) for row in rows],
        "won": [str(row.wins) for row in rows],
        "drawn": [str(row.draws) for row in rows],
        "lost": [str(row.losses) for row in rows],
        "byes": [str(row.byes or "") for row in rows],
    }
    for at, name in enumerate(summary.standings.order):
        if name in HEADS:
            table[HEADS[name]] = [key_text(name, row.keys[at]) for row in rows]
    table["faults"] = [str(sum(row.faults) or "") for row in rows]
    if summary.progress.entries:
        table["Elo"] = [elo_text(rating.elo) for rating in ratings]
        table["±"] = [f"{rating.error:.0f}" for rating in ratings]
        table["LOS"] = ["" if one is None else f"{one:.0%}" for one in above]
    shown = {head: cells for head, cells in table.items() if any(cells)}
    note = "LOS: how likely it is that this contestant is stronger than the next one. Equal numbers share a place."
    return _section("Standings", _table(shown, zip(*shown.values(), strict=True), "standings"), note)


def _cross(summary: Summary) -> str:
    rows = summary.standings.rows
    if len(rows) > MOST_CROSSED:
        return _section("Cross table", "", f"{len(rows)} contestants are too many for a cross table.")
    heads = ["", "name", *(str(at + 1) for at in range(len(rows))), "points"]
    lines = []
    for at, row in enumerate(rows):
        cells = []
        for across, cell in enumerate(summary.standings.cells[at]):
            if at == across:
                cells.append('<i class="self">■</i>')
            elif cell is None:
                cells.append('<i class="none">·</i>')
            else:
                kind = "good" if 2 * cell.points > cell.games else "bad" if 2 * cell.points < cell.games else "even"
                cells.append(f'<span class="{kind}">{points_text(cell.points)}</span><small>/{cell.games}</small>')
        lines.append([str(at + 1), escape(row.name), *cells, f"<b>{points_text(row.points)}</b>"])
    return _section(
        "Cross table", _table(heads, lines, "cross"), "Points of the row against the column, and the number of games."
    )


def _bracket(summary: Summary) -> str:
    bracket = summary.bracket()
    if bracket is None:
        return ""
    stages = []
    for stage in bracket.stages:
        ties = "".join(f"<li>{escape(tie_text(summary, tie))}</li>" for tie in stage.ties)
        byes = "".join(f"<li>{escape(summary.name(one))} has a bye</li>" for one in stage.byes)
        stages.append(f"<div><h3>{escape(str(stage.title))}</h3><ul>{ties}{byes}</ul></div>")
    return _section("Bracket", f'<div class="bracket">{"".join(stages)}</div>')


def _faults(summary: Summary) -> str:
    guilty = [entry for entry in summary.progress.entries if entry.result.termination in FAULTS]
    if not guilty:
        return ""
    rest = f"and {len(guilty) - MOST_FAULTS} more" if len(guilty) > MOST_FAULTS else ""
    return _section("Faults", "".join(_fault(summary, entry) for entry in guilty[:MOST_FAULTS]), rest)


def _fault(summary: Summary, entry: Entry) -> str:
    who = " and ".join(escape(summary.name(one)) for one in entry.culprits) or "nobody"
    kind = escape(entry.result.termination.value.replace("-", " "))
    where = f"game {entry.fixture.number}, round {entry.fixture.round}"
    return f'<p class="referee"><b>{kind}</b> {who}, {where}: {escape(str(entry.result.reason or ""))}</p>'


def _games(summary: Summary) -> str:
    titles = {each.number: str(each.draft.title) for each in summary.progress.rounds}
    rows = (
        [
            str(entry.fixture.number),
            escape(titles[entry.fixture.round]),
            *(escape(summary.name(one)) for one in entry.fixture.seats),
            " : ".join(map(points_text, entry.scores)),
            escape(entry.result.termination.value.replace("-", " ")),
            escape(str(entry.result.reason or "")),
        ]
        for entry in summary.progress.entries[:MOST_LISTED]
    )
    table = _table(["game", "round", "first seat", "second seat", "score", "end", "reason"], rows, "games")
    count = len(summary.progress.entries)
    note = f"The first {MOST_LISTED} of {count} games." if count > MOST_LISTED else ""
    return _section("Games", f"<details><summary>{count} games</summary>{table}</details>", note)
