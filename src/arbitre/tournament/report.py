"""The report of a tournament: one HTML file without scripts, downloads or links to anywhere, to be kept, mailed and printed.

What comes from players, their names and the reasons of the referee, is text and stays text: everything passes through `escape`.
Who writes one says in `said` how words are made for its readers.
"""

from collections.abc import Iterable
from dataclasses import fields

from arbitre.reasons import N_, Reason, Said
from arbitre.referee.clock import write_clock
from arbitre.referee.verdict import ending
from arbitre.tournament.charts import COURSE, ENDS, STRENGTH, course_chart, escape, ratings_chart, terminations_chart
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.ledger import Entry
from arbitre.tournament.schedule import Format
from arbitre.tournament.style import STYLE
from arbitre.tournament.summary import Summary
from arbitre.tournament.tables import HEADS, elo_text, key_text, points_text, tie_text, usage_table, verdict_text

MOST_CROSSED = 60
"""A larger cross table cannot be read."""

MOST_LISTED = 5_000
"""Games; what is beyond is in the store, and in `--json`."""

MOST_FAULTS = 200


def report(summary: Summary, said: Said = str, language: str = "en") -> str:
    """Return the report as one HTML document."""
    title = escape(summary.plan.name)
    parts = [_head(summary, said), _voice(summary, said), _standings(summary, said)]
    if summary.progress.entries:
        likely = said(Reason("Maximum likelihood over all games; the bars hold the truth 19 times in 20."))
        above = said(Reason("Points above half of the games played, in the order of the games."))
        parts += [
            _section(said(Reason("Strength")), ratings_chart(summary).svg(said(Reason(STRENGTH))), likely),
            _cross(summary, said),
            _bracket(summary, said),
            _section(said(Reason("Course")), course_chart(summary).svg(said(Reason(COURSE))), above),
            _section(said(Reason("Ends")), terminations_chart(summary, said).svg(said(Reason(ENDS)))),
            _usage(summary, said),
            _faults(summary, said),
            _games(summary, said),
        ]
    body = "\n".join(part for part in parts if part)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )


def format_text(held: Format) -> str:
    """Return the format with its options, as plans call them."""
    options = [(field.name, getattr(held, field.name)) for field in fields(held)]  # type: ignore[arg-type]
    words = [
        f"{name} {'yes' if option else 'no'}" if isinstance(option, bool) else f"{name} {option}" for name, option in options
    ]
    return f"{held.name} ({', '.join(words)})"


def _head(summary: Summary, said: Said) -> str:
    plan = summary.plan
    facts = {
        N_("game"): plan.game.name,
        N_("format"): format_text(plan.format),
        N_("contestants"): str(len(plan.entrants)),
        N_("clock"): write_clock(plan.clock),
        N_("state"): said(summary.state),
        **summary.notes,
    }
    if summary.progress.over:
        facts[N_("seed")] = plan.seed
    cells = "".join(f"<div><dt>{escape(said(Reason(key)))}</dt><dd>{escape(text)}</dd></div>" for key, text in facts.items())
    return f"<h1>{escape(plan.name)}</h1>\n<dl>{cells}</dl>"


def _voice(summary: Summary, said: Said) -> str:
    label = escape(said(Reason("verdict")))
    lines = verdict_text(summary, said).splitlines()
    return "\n".join(f'<p class="referee"><b>{label}</b> {escape(line)}</p>' for line in lines)


def _section(title: str, body: str, note: str = "") -> str:
    after = f'<p class="note">{escape(note)}</p>' if note else ""
    return f"<section><h2>{escape(title)}</h2>{body}{after}</section>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    """Return a table; cells are HTML already."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _standings(summary: Summary, said: Said) -> str:
    rows = summary.standings.rows
    ratings = [summary.strengths.ratings[row.contestant] for row in rows]
    above = [summary.above_next(place) for place in range(len(rows))]
    table: dict[str, list[str]] = {
        "#": [str(row.rank) for row in rows],
        N_("name"): [escape(row.name) for row in rows],
        N_("reached"): [escape(said(row.reached)) if row.reached else "" for row in rows],
        N_("points"): [f"<b>{points_text(row.points)}</b>" for row in rows],
        N_("games"): [str(row.games) for row in rows],
        N_("won"): [str(row.wins) for row in rows],
        N_("drawn"): [str(row.draws) for row in rows],
        N_("lost"): [str(row.losses) for row in rows],
        N_("byes"): [str(row.byes or "") for row in rows],
    }
    for at, name in enumerate(summary.standings.order):
        if name in HEADS:
            table[HEADS[name]] = [key_text(name, row.keys[at]) for row in rows]
    table[N_("faults")] = [str(sum(row.faults) or "") for row in rows]
    if summary.progress.entries:
        table["Elo"] = [elo_text(rating.elo) for rating in ratings]
        table["±"] = [f"{rating.error:.0f}" for rating in ratings]
        table["LOS"] = ["" if one is None else f"{one:.0%}" for one in above]
    shown = {said(Reason(head)): cells for head, cells in table.items() if any(cells)}
    note = said(Reason("LOS: how likely it is that this contestant is stronger than the next one. Equal numbers share a place."))
    return _section(said(Reason("Standings")), _table(shown, zip(*shown.values(), strict=True), "standings"), note)


def _cross(summary: Summary, said: Said) -> str:
    rows, title = summary.standings.rows, said(Reason("Cross table"))
    if len(rows) > MOST_CROSSED:
        return _section(title, "", said(Reason("%(count)s contestants are too many for a cross table.", count=len(rows))))
    heads = ["", said(Reason("name")), *(str(at + 1) for at in range(len(rows))), said(Reason("points"))]
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
    note = said(Reason("Points of the row against the column, and the number of games."))
    return _section(title, _table(heads, lines, "cross"), note)


def _bracket(summary: Summary, said: Said) -> str:
    bracket = summary.bracket()
    if bracket is None:
        return ""
    stages = []
    for stage in bracket.stages:
        idle = (said(Reason("%(name)s has a bye", name=summary.name(one))) for one in stage.byes)
        lines = (*(tie_text(summary, tie, said) for tie in stage.ties), *idle)
        items = "".join(f"<li>{escape(line)}</li>" for line in lines)
        stages.append(f"<div><h3>{escape(said(stage.title))}</h3><ul>{items}</ul></div>")
    return _section(said(Reason("Bracket")), f'<div class="bracket">{"".join(stages)}</div>')


def _usage(summary: Summary, said: Said) -> str:
    """Return what the games took of each, where anybody comes from outside."""
    rows = [(row, summary.usage[row.contestant]) for row in summary.standings.rows if row.contestant in summary.usage]
    if not rows:
        return ""
    table = usage_table(rows)
    shown = {said(Reason(head)): [escape(cell) for cell in cells] for head, cells in table.items() if any(cells)}
    note = said(Reason("Time is the clock's where one runs, else what players say; tokens and calls are what they say."))
    return _section(said(Reason("What it took")), _table(shown, zip(*shown.values(), strict=True), "standings"), note)


def _faults(summary: Summary, said: Said) -> str:
    guilty = [entry for entry in summary.progress.entries if entry.result.termination in FAULTS]
    if not guilty:
        return ""
    rest = said(Reason("and %(count)s more", count=len(guilty) - MOST_FAULTS)) if len(guilty) > MOST_FAULTS else ""
    return _section(said(Reason("Faults")), "".join(_fault(summary, entry, said) for entry in guilty[:MOST_FAULTS]), rest)


def _fault(summary: Summary, entry: Entry, said: Said) -> str:
    told = Reason(
        "%(who)s, game %(number)s, round %(round)s: %(why)s",
        who=", ".join(summary.name(one) for one in entry.culprits) or Reason("nobody"),
        number=entry.fixture.number,
        round=entry.fixture.round,
        why=entry.result.reason or "",
    )
    return f'<p class="referee"><b>{escape(_end(entry, said))}</b> {escape(said(told))}</p>'


def _end(entry: Entry, said: Said) -> str:
    return said(ending(entry.result.termination))


def _games(summary: Summary, said: Said) -> str:
    titles = {each.number: said(each.draft.title) for each in summary.progress.rounds}
    rows = (
        [
            str(entry.fixture.number),
            escape(titles[entry.fixture.round]),
            *(escape(summary.name(one)) for one in entry.fixture.seats),
            " : ".join(map(points_text, entry.scores)),
            escape(_end(entry, said)),
            escape(said(entry.result.reason or "")),
        ]
        for entry in summary.progress.entries[:MOST_LISTED]
    )
    heads = (N_("game"), N_("round"), N_("first seat"), N_("second seat"), N_("score"), N_("end"), N_("reason"))
    table = _table([said(Reason(head)) for head in heads], rows, "games")
    count = len(summary.progress.entries)
    note = said(Reason("The first %(most)s of %(count)s games.", most=MOST_LISTED, count=count)) if count > MOST_LISTED else ""
    shown = escape(said(Reason("%(count)s games", count=count)))
    return _section(said(Reason("Games")), f"<details><summary>{shown}</summary>{table}</details>", note)
