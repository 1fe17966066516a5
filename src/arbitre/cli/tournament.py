"""`arbitre tournament`: bots, engines of the house and start positions, from the first pairing to the report."""

import asyncio
import gc
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from arbitre import __version__
from arbitre.cli import codes
from arbitre.cli.language import language
from arbitre.cli.options import GameName, callback_option, data_option, json_option, open_switchboard, read_options, within
from arbitre.cli.speech import MisuseError, numbered, phrase, said, tell
from arbitre.errors import TournamentError, UnknownRecordError, refusal
from arbitre.games.catalogue import game as game_called
from arbitre.hall import Hall, results_of, usage_in
from arbitre.players import Contestant, Setting, is_called, is_outside, read_contestant, refuse_starts
from arbitre.reasons import N_
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.tournament.config import DOUBLE, FITTING, FORMATS, TournamentPlan, plan_of, read_kept_plan, read_plan, usual_name
from arbitre.tournament.described import added_keys
from arbitre.tournament.openings import read_openings
from arbitre.tournament.report import report as report_page
from arbitre.tournament.schedule import Result
from arbitre.tournament.summary import Summary, summarise, to_json
from arbitre.tournament.tables import (
    bracket_text,
    cross_text,
    faults_text,
    never_came,
    printable,
    standings_text,
    usage_text,
    verdict_text,
)
from arbitre.transport.stdio import ProcessLimits, Sandbox

if TYPE_CHECKING:
    from arbitre.tournoyons.player import Switchboard

REFRESH_SECONDS = 0.5

PLAIN = (
    "game", "games", "cycles", "rounds", "clock", "turns", "agree", "seed", "concurrency", "name", "format", "referee", "records",
)  # fmt: skip
"""Options that are keys of a plan as they stand."""


spread_option = click.option("--spread", is_flag=True, help="Let workers play the games: arbitre worker, with this --database.")


@click.group()
def tournament() -> None:
    """Let bots compete: run, resume, show, report, judge."""


@tournament.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="[PLAN.toml]")
@click.option("--game", type=GameName(), help="What is played.")
@click.option(
    "--player",
    "players",
    multiple=True,
    metavar="[NAME=]PLAYER",
    help="house:GAME/LEVEL, random, py:FILE[:CLASS], cmd:COMMAND, hub:COMMAND or http://…; once for each.",
)
@click.option("--referee", metavar="URL", help="The referee of an added game, who knows its rules.")
@click.option(
    "--added",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="An added game, as `arbitre site added show NAME --json` describes it; in place of --game and its options.",
)
@click.option("--format", type=click.Choice([*FORMATS, DOUBLE, FITTING]), help="How it is held [default: round-robin].")
@click.option("--games", type=int, help="Games of each pairing; colours alternate.")
@click.option("--cycles", type=int, help="How often everybody meets everybody.")
@click.option("--rounds", type=int, help="Rounds of a Swiss.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--start", "starts", multiple=True, metavar="POSITION", help="A start position; once for each.")
@click.option(
    "--openings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Start positions from a file: one to a line, a position or the moves that lead to it.",
)
@click.option("--time", "clock", metavar="LIMIT", help="5s/move, 60s+1s, 10m or none [default: none].")
@click.option("--refusals", metavar="N", help="Illegal moves that are forgiven in a game, or `any` [default: 0].")
@click.option("--turns", type=int, help="A game is adjudicated a draw after so many turns.")
@click.option(
    "--agree",
    metavar="TERMS",
    help="A game ends when both say for so many moves that one has lost (5/3), or that it is level (=0.1/8@40), or either.",
)
@click.option("--seed", help="What all chance comes from: the same seed, the same tournament.")
@click.option("--concurrency", "-j", type=int, help="Games at a time [default: 1].")
@click.option("--cpu", type=int, help="Seconds of processor time that a bot may use in a game.")
@click.option("--memory", metavar="SIZE", help="Memory that a bot may use, such as 512M.")
@click.option(
    "--sprt", nargs=2, type=float, metavar="ELO0 ELO1", help="Stop when the first player is proven above ELO1 or not above ELO0."
)
@click.option(
    "--records",
    type=click.Choice(["at-once", "after"]),
    help="When records are signed, sealed and handed out: with each game, or after the last [default: at-once].",
)
@click.option("--sandbox", is_flag=True, help="Run bots under bubblewrap: no network, a read-only system, no data folder.")
@callback_option
@click.option("--name", help="What the tournament is called.")
@click.option("--report", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the HTML report here at the end.")
@spread_option
@data_option
@json_option
def run(
    file: Path | None, sandbox: bool, callback: str, page: Path | None, spread: bool, data: Place, as_json: bool, **given: Any
) -> None:
    """Hold a tournament, as a PLAN.toml and these options say; options win over the file.

    Interrupted in whatever way, it goes on with `arbitre tournament resume`: no game is lost, none is played twice.
    """
    plan = _plan(file, given).seeded(os.urandom(16).hex())
    store = Store(data)
    try:
        contestants_of(plan, store, sandbox, callback)  # a plan that names nobody must not be kept
        date = datetime.now(UTC).date().isoformat()
        with store.alone():  # another terminal may be looking for a name too
            plan = _called(plan, store, given["name"] is not None)
            _check_seed(plan, store)
            store.add_tournament(plan.name, plan.text(), plan.seed.encode(), date)
            asyncio.run(store.durable())
        _hold(store, plan, date, sandbox, callback, as_json, page, spread)
    finally:
        store.close()


@tournament.command()
@click.argument("name", required=False)
@click.option("--sandbox", is_flag=True, help="Run bots under bubblewrap.")
@click.option("--referee", metavar="URL", help="Where the referee of an added game is now.")
@callback_option
@click.option("--report", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the HTML report here at the end.")
@spread_option
@data_option
@json_option
def resume(
    name: str | None,
    sandbox: bool,
    referee: str | None,
    callback: str,
    page: Path | None,
    spread: bool,
    data: Place,
    as_json: bool,
) -> None:
    """Go on with the tournament NAME (the newest, if none is named) where it was interrupted."""
    store, plan, date = _kept(data, name)
    try:
        if referee is not None:
            plan = replace(plan, referee=referee)
        _hold(store, plan, date, sandbox, callback, as_json, page, spread)
    finally:
        store.close()


@tournament.command()
@click.argument("name", required=False)
@click.option("--sandbox", is_flag=True, help="Run bots under bubblewrap.")
@callback_option
@data_option
def seal(name: str | None, sandbox: bool, callback: str, data: Place) -> None:
    """Call off the tournament NAME (the newest, if none is named): play no more, and seal the records that it kept back."""
    store, plan, date = _kept(data, name)
    try:
        contestants, referee, board = contestants_of(plan, store, sandbox, callback)
        hall = Hall(store, plan.name, plan, contestants, date, referee=referee)
        _loop(plan)(within(board, hall.call_off()))
        sealed = sum(row.seal is not None for row in store.matches(tournament=plan.name))
        click.echo(numbered("1 record is sealed", "%(count)s records are sealed", sealed))
    finally:
        store.close()


@tournament.command()
@click.argument("name", required=False)
@data_option
@json_option
def show(name: str | None, data: Place, as_json: bool) -> None:
    """Show how the tournament NAME (the newest, if none is named) stands."""
    store, plan, date = _kept(data, name)
    _tell(_summary(store, plan, date), as_json, store)


@tournament.command()
@click.argument("name", required=False)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="The file [default: NAME.html].")
@data_option
def report(name: str | None, output: Path | None, data: Place) -> None:
    """Write a self-contained HTML report of the tournament NAME (the newest, if none is named)."""
    store, plan, date = _kept(data, name)
    _write(output or Path("".join(c if c.isalnum() else "-" for c in plan.name) + ".html"), _summary(store, plan, date))


@tournament.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@json_option
def judge(folder: Path, as_json: bool) -> None:
    """Judge a competition offline from what its site hands out: FOLDER has plan.json, draw.json and records.

    Every record is checked, the draw is proven, the pairings and the standings are worked out again. `arbitre tournament export`
    writes such a folder of a tournament that was held here.
    """
    from arbitre.site.competitions.judgement import judge_folder, told  # noqa: PLC0415 - the other commands need none of it

    found = judge_folder(folder)
    if not as_json:
        for line in told(found):
            click.echo(said(line))
    _tell(found.summary, as_json)


@tournament.command()
@click.argument("name", required=False)
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="Where to; it is made.")
@data_option
def export(name: str | None, folder: Path, data: Place) -> None:
    """Write what others need to judge the tournament NAME (the newest, if none is named): its plan and every record."""
    from arbitre.site.competitions.judgement import PLAN, RECORDS  # noqa: PLC0415 - the other commands need none of it
    from arbitre.tournoyons.contestants import bare_address  # noqa: PLC0415

    store, plan, _ = _kept(data, name)
    (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    rows = [row for row in store.matches(plan.name) if row.seal is not None]
    for row in rows:
        (folder / RECORDS / f"{row.name}.record").write_text(store.record(row.name).text(), encoding="utf-8", newline="")
    shown = tuple(replace(one, player=bare_address(one.player)) if is_called(one.player) else one for one in plan.entrants)
    bare = replace(plan, entrants=shown, folder="", referee=bare_address(plan.referee) if plan.referee else "")
    (folder / PLAN).write_text(bare.text(), encoding="utf-8", newline="")
    written = numbered(
        "1 record and the plan written to %(folder)s; judge them with: arbitre tournament judge %(folder)s",
        "%(count)s records and the plan written to %(folder)s; judge them with: arbitre tournament judge %(folder)s",
        len(rows),
        folder=folder,
    )
    click.echo(written)


@tournament.command(name="list")
@data_option
def list_(data: Place) -> None:
    """List the tournaments of the data folder, the newest first."""
    store = _kept(data, None)[0]
    for name in store.tournaments():
        plan, _, date = store.tournament(name)
        click.echo(f"{date}  {name}  {said(_summary(store, read_kept_plan(plan), date).state)}")


# ── plans ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _plan(file: Path | None, given: dict[str, Any]) -> TournamentPlan:
    """Return the plan of a file and the options given besides."""
    if file is None and ((given["game"] or given["added"]) is None or len(given["players"]) < 2):
        raise MisuseError("say at least --game and two --player, or give a PLAN.toml")
    if given["game"] is not None and given["added"] is not None:
        raise MisuseError("--added says which game it is: leave --game out")
    fields: dict[str, Any] = {} if file is None else read_plan(_text(file, "TOML")).fields()
    if file is not None and not given["players"]:  # paths in a plan count from the plan, wherever it is run from
        fields["folder"] = str((file.parent / fields.get("folder", "")).resolve())
    if given["added"] is not None:
        fields |= added_keys(_text(given["added"], "JSON"))
    if given["format"] is not None:
        # options of the file's format mean nothing in another one
        for option in {field.name for kind in FORMATS.values() for field in dataclass_fields(kind)}:  # type: ignore[arg-type]
            fields.pop(option, None)
    fields |= {key: given[key] for key in PLAIN if given[key] is not None}
    given_options = read_options(given["options"])
    fields |= {
        key: made
        for key, made in (
            ("players", [_entrant(text) for text in given["players"]]),
            ("options", fields.get("options", {}) | given_options if given["added"] is not None else given_options),
            ("starts", list(given["starts"])),
            ("sprt", dict(zip(("elo0", "elo1"), given["sprt"] or (), strict=False))),
        )
        if made
    }
    if given["openings"] is not None:
        if given["starts"]:
            raise MisuseError("--openings says where games begin: leave --start out")
        table = game_called(fields["game"], fields.get("options"))
        fields["starts"] = list(read_openings(_text(given["openings"], "text"), table))
    if given["refusals"] is not None:
        fields["refusals"] = int(given["refusals"]) if given["refusals"].isdecimal() else given["refusals"]
    limits = {key: given[key] for key in ("cpu", "memory") if given[key] is not None}
    fields["limits"] = {**fields.get("limits", {}), **limits}
    return plan_of(fields)


def _called(plan: TournamentPlan, store: Store, named: bool) -> TournamentPlan:
    """Return the plan with a name that no tournament of the folder has; a name that somebody chose is not changed."""
    names = frozenset(store.tournaments())
    if plan.name not in names:
        return plan
    if named or plan.name != usual_name(plan.game):
        raise TournamentError(
            "a tournament called %(name)r is in %(folder)s already: resume it, or give this one another --name",
            name=plan.name,
            folder=store.place,
        )
    return replace(plan, name=next(name for number in count(2) if (name := f"{plan.name} {number}") not in names))


def _check_seed(plan: TournamentPlan, store: Store) -> None:
    """Refuse the seed of another tournament: what matches are called follows from it, and two cannot be called the same."""
    if (other := store.sown(plan.seed.encode())) is not None:
        raise TournamentError(
            "the tournament %(name)r in %(folder)s has the same seed: choose another --seed, or another --data",
            name=other,
            folder=store.place,
        )


def _text(file: Path, form: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TournamentError(
            "%(file)s is not %(form)s: octet %(start)s is not UTF-8", file=file, form=form, start=error.start + 1
        ) from None


def _entrant(text: str) -> dict[str, str]:
    """Read `NAME=PLAYER` or `PLAYER`; what stands before the equals sign is a name if it could not begin a player."""
    name, equals, player = text.partition("=")
    return {"name": name, "player": player} if equals and ":" not in name and "/" not in name else {"player": text}


def _kept(data: Place, name: str | None) -> tuple[Store, TournamentPlan, str]:
    store = Store(data) if data.made else None  # who asks must not make a folder
    names = store.tournaments() if store is not None else ()
    if store is None or not names:
        raise UnknownRecordError("no tournament is in %(data)s yet: arbitre tournament run --help", data=data)
    plan, _, date = store.tournament(name or names[0])
    codes.load()
    return store, read_kept_plan(plan), date


# ── holding one ────────────────────────────────────────────────────────────────────────────────────────────────────


def contestants_of(
    plan: TournamentPlan, store: Store, sandbox: bool, callback: str
) -> tuple[list[Contestant], Contestant | None, "Switchboard | None"]:
    """Return who plays, who judges where we do not, and what those at addresses share."""
    if plan.game.neutral and not plan.referee:
        raise TournamentError(
            "key 'referee': %(name)s is judged by a referee of its own: "
            "give his address with --referee URL, or the game's description with --added FILE",
            name=plan.game.name,
        )
    limits = ProcessLimits(cpu=plan.limits.cpu or ProcessLimits().cpu, memory=plan.limits.memory or ProcessLimits().memory)
    cage = Sandbox(hidden=(store.folder,)) if sandbox else None
    aside = any(is_outside(one.player) for one in plan.entrants)
    board = None
    if any(is_called(one.player) for one in plan.entrants):
        from arbitre.tournoyons.player import check_clock  # noqa: PLC0415 - the web takes long to import

        check_clock(plan.terms.clock)
    if plan.referee or any(is_called(one.player) for one in plan.entrants):
        board = open_switchboard(callback)
    folder = Path(plan.folder) if plan.folder else None
    setting = Setting(plan.game, "", limits, cage, aside, switchboard=board, folder=folder)
    contestants = [read_contestant(one.player, replace(setting, name=one.name)) for one in plan.entrants]
    refuse_starts(contestants, plan.starts)
    if not plan.game.neutral:
        return contestants, None, board
    from arbitre.tournoyons.contestants import read_referee  # noqa: PLC0415 - the web takes long to import

    return contestants, read_referee(plan.referee, plan.game, board), board


def _hold(
    store: Store,
    plan: TournamentPlan,
    date: str,
    sandbox: bool,
    callback: str,
    as_json: bool,
    page: Path | None,
    spread: bool,
) -> None:
    contestants, referee, board = contestants_of(plan, store, sandbox, callback)
    hall = _hall(spread)(store, plan.name, plan, contestants, date, referee=referee)
    gc.freeze()  # what is loaded stays: a collector that walks through it again and again makes players late
    gc.set_threshold(50_000, 50, 50)
    try:
        with _watched(hall) as told:
            _loop(plan)(within(board, _held(hall, told)))
    except KeyboardInterrupt:
        again = shlex.join(["arbitre", "tournament", "resume", plan.name, *store.place.options()])
        tell("stopped; go on with: %(again)s", again=again, err=True)
        raise
    summary = _summary(store, plan, date)
    _tell(summary, as_json, store)
    if page is not None:
        _write(page, summary)


def _hall(spread: bool) -> type[Hall]:
    """Return where a tournament is held: here, or by workers."""
    if not spread:
        return Hall
    from arbitre.spread import SpreadHall  # noqa: PLC0415 - where it is installed

    tell("workers play it: arbitre worker --data FOLDER --database URL", err=True)
    return SpreadHall


def _loop(plan: TournamentPlan) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Return what runs a tournament: where all who live outside are addresses, the loop that the site runs on too."""
    outside = [one.player for one in plan.entrants if is_outside(one.player)]
    if not outside or not all(map(is_called, outside)):
        return asyncio.run
    import uvloop  # noqa: PLC0415 - where it is needed

    return uvloop.run


async def _held(hall: Hall, told: Any) -> None:
    """Hold it; whoever ends or hangs up on us interrupts, so that no program of a player outlives us."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, signal.raise_signal, signal.SIGINT)
    await hall.hold(told)


@contextmanager
def _watched(hall: Hall) -> Iterator[Any]:
    """Show a bar and the standings while a person is watching."""
    if not sys.stderr.isatty():
        yield lambda _result: None
        return
    console = Console(stderr=True)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console)
    task = bar.add_task(hall.plan.name)
    last = 0.0

    def drawn() -> Group:
        summary = summarise(hall.plan, hall.results)
        bar.update(task, total=summary.progress.total, completed=len(summary.progress.entries))
        return Group(Text(standings_text(summary, min(console.width, 100), said)), bar)

    with Live(drawn(), console=console, refresh_per_second=4, transient=True) as live:

        def told(_result: Result) -> None:
            nonlocal last
            if monotonic() - last > REFRESH_SECONDS:
                last = monotonic()
                live.update(drawn())

        yield told


def _summary(store: Store, plan: TournamentPlan, date: str) -> Summary:
    notes = {N_("date"): date, N_("program"): f"arbitre {__version__}", N_("key"): store.key().fingerprint}
    return summarise(plan, results_of(store, plan.name), notes, usage_in(store, plan))


def _tell(summary: Summary, as_json: bool, store: Store | None = None) -> None:
    if as_json:
        click.echo(json.dumps(to_json(summary), ensure_ascii=False, indent=1))
    else:
        click.echo(f"{summary.plan.name}: {said(summary.state)}\n")
        faults = "\n".join(filter(None, (faults_text(summary, said=said), "" if store is None else _shown_by(summary, store))))
        tables = (table(summary, said=said) for table in (standings_text, cross_text, bracket_text, verdict_text))
        kept = 0 if store is None else sum(row.decided for row in store.matches(tournament=summary.plan.name))
        back = numbered(
            "1 game is decided, and its record sealed when the tournament is over",
            "%(count)s games are decided, and their records sealed when the tournament is over",
            kept,
        )
        for text in (*tables, usage_text(summary, said), faults, back if kept else ""):
            if text:
                click.echo(text + "\n")
    for one in never_came(summary):
        entrant = summary.plan.entrants[one]
        name, player = printable(entrant.name), printable(entrant.player)
        told = phrase("%(name)s lost every game because nobody was there: does %(player)s run?", name=name, player=player)
        click.echo(f"arbitre: {phrase('warning:')} {told}", err=True)


def _shown_by(summary: Summary, store: Store) -> str:
    """Return the command that tells the first game that was lost by a fault; nothing where there is none."""
    first = next((entry.fixture.number for entry in summary.progress.entries if entry.culprits), None)
    rows = [row for row in store.matches(tournament=summary.plan.name) if row.fixture == first and row.verdict is not None]
    if first is None or not rows:
        return ""
    shown = shlex.join(["arbitre", "record", "show", rows[-1].name, *store.place.options()])
    return phrase("  game %(number)s is told by: %(command)s", number=first, command=shown)


def _write(path: Path, summary: Summary) -> None:
    try:
        path.write_text(report_page(summary, said, language()), encoding="utf-8")
    except OSError as error:
        raise TournamentError(
            "the report cannot be written to %(path)s: %(strerror)s", path=path, strerror=refusal(error)
        ) from error
    tell("the report is in %(path)s", path=path)
