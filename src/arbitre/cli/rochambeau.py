"""`arbitre rochambeau`: elections, live and settled."""

import json
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import click

from arbitre.cli.options import json_option
from arbitre.cli.rochambeau_live import group, hub, join, key
from arbitre.cli.speech import MisuseError, said, spoken
from arbitre.elections import Terms, Verdict, new_opening, write_commit, write_reveal
from arbitre.elections.bulk import Bulk, Steps, compiled
from arbitre.elections.bulk_plain import Plain
from arbitre.elections.lots import draw_lots_here
from arbitre.elections.terms import HASHES, NONCE_OCTETS, USUAL_STATES, Mode, check_name
from arbitre.elections.transcript import Entry, Header, Source, open_source, write_compact, write_lines
from arbitre.elections.verdict import Round
from arbitre.errors import ElectionError, refusal
from arbitre.reasons import N_, Reason

WON, NOBODY, VOID = 0, 3, 4
"""Exit status: somebody won; nobody is left; a tie for ever."""

SHOWN = 12
"""How many lines of a table, of excluded parties or of warnings are printed for people."""

jobs_option = click.option("--jobs", "-j", type=click.IntRange(1, 256), help="Cores to use [default: all, for large files].")
steps_option = click.option(
    "--steps", type=click.Choice(["auto", "plain", "lanes"]), default="auto", help="How to compute.", hidden=True
)
file_argument = click.argument("file", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE")


@click.group()
def rochambeau() -> None:
    """M-party, N-state Rochambeau: a group that trusts nobody picks one of its members.

    `arbitre verify` checks the transcripts.
    """


rochambeau.add_command(group)
rochambeau.add_command(hub)
rochambeau.add_command(join)
rochambeau.add_command(key)


def opened(file: Path) -> Source:
    """Open a transcript; `-` is standard input."""
    return Source(sys.stdin.buffer) if str(file) == "-" else open_source(file)


# ── settle ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@rochambeau.command()
@file_argument
@jobs_option
@steps_option
@json_option
def settle(file: Path, jobs: int | None, steps: Steps, as_json: bool) -> int:
    """Say who wins by the payloads of the transcript in FILE (JSON lines or compact; `-` is standard input).

    Signatures are not looked at: what a file proves is for `arbitre verify` to say. Exit status: 0 somebody won, 3
    nobody is left, 4 a tie for ever: the tied must commit anew; 1 no transcript.
    """
    with opened(file) as source:
        bulk = Bulk(source, steps, jobs)
        if type(bulk.steps) is not Plain and not compiled():
            click.echo("arbitre: " + said(Reason("compiling kernels, this once")), err=True)
        verdict = bulk.settle()
        if as_json:
            for part in described(verdict, bulk.parties):
                click.echo(part, nl=False)
            click.echo()
        else:
            show(verdict, bulk.parties)
    return status(verdict)


def status(verdict: Verdict) -> int:
    """Return the exit status of a verdict."""
    return WON if verdict.winner is not None else VOID if verdict.void else NOBODY


def described(verdict: Verdict, parties: int) -> Iterator[str]:
    """Return a verdict as JSON, piece by piece: a million may be excluded."""
    head = {
        "winner": verdict.winner,
        "parties": parties,
        "void": verdict.void,
        "tied": list(verdict.tied),
        "rounds": [_round(one) for one in verdict.rounds],
        "warnings": list(map(said, verdict.warnings)),
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "excluded": ['
    comma = ""
    for one in verdict.excluded:
        fields = {"player": one.player, "why": one.fault.value, "detail": said(one.why)}
        yield comma + json.dumps(fields, ensure_ascii=False)
        comma = ", "
    yield "]}"


def _round(one: Round) -> dict[str, object]:
    fields: dict[str, object] = {"round": one.counter, "players": one.players, "best": one.best, "tied": one.tied}
    if one.table:
        fields["table"] = [
            {"player": line.player, "tweak": line.tweak, "state": line.state, "score": line.score} for line in one.table
        ]
    return fields


def show(verdict: Verdict, parties: int) -> None:
    """Tell a verdict to people: the winner first."""
    winner = printable(verdict.winner) if verdict.winner is not None else Reason("nobody")
    _say(Reason("winner: %(winner)s", winner=winner))
    if verdict.void:
        void = N_("void: %(players)s players tie for ever and must commit anew: %(names)s")
        _say(Reason(void, players=len(verdict.tied), names=_some(list(verdict.tied))))
    _say(
        Reason(
            "parties: %(parties)s, of which %(excluded)s excluded", parties=f"{parties:,}", excluded=f"{len(verdict.excluded):,}"
        )
    )
    for one in verdict.rounds[:SHOWN]:
        played = N_("round %(round)s: %(players)s players, best score %(best)s, reached by %(tied)s")
        _say(Reason(played, round=one.counter, players=f"{one.players:,}", best=one.best, tied=f"{one.tied:,}"))
        if 0 < len(one.table) <= SHOWN:
            wide = max(len(printable(line.player)) for line in one.table)
            for line in one.table:
                name = printable(line.player).ljust(wide)
                fared = N_("  %(name)s  tweak %(tweak)s, state %(state)s, score %(score)s")
                _say(Reason(fared, name=name, tweak=line.tweak, state=line.state, score=f"{line.score:+d}"))
    if len(verdict.rounds) > SHOWN:
        _say(Reason("… and %(rounds)s more rounds", rounds=len(verdict.rounds) - SHOWN))
    for index, out in enumerate(verdict.excluded):
        if index == SHOWN:
            _say(Reason("… and %(excluded)s more; --json names all", excluded=f"{len(verdict.excluded) - SHOWN:,}"))
            break
        why = Reason("%(fault)s: %(why)s", fault=Reason(out.fault.value), why=out.why)
        _say(Reason("excluded: %(player)s: %(why)s", player=printable(out.player), why=why))
    for text in verdict.warnings[:SHOWN]:
        click.echo(printable(said(Reason("warning: %(why)s", why=text))), err=True)


def _say(reason: Reason) -> None:
    click.echo(said(reason))


def _some(names: list[str]) -> str:
    some = ", ".join(printable(name) for name in names[:SHOWN])
    return said(Reason("%(names)s and %(more)s more", names=some, more=f"{len(names) - SHOWN:,}")) if len(names) > SHOWN else some


def printable(text: str) -> str:
    """Return a name so that a terminal is not led astray by it."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


# ── who, convert, sample ───────────────────────────────────────────────────────────────────────────────────────────


@rochambeau.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@click.option("--order", is_flag=True, help="Print all names, in the order drawn.")
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Keep the transcript in a file.")
@json_option
def who(names: tuple[str, ...], order: bool, record: Path | None, as_json: bool) -> None:
    """Choose one of the NAMEs on this machine, which plays all of them.

    As fair as this machine's chance; if somebody does not trust the machine, let everybody `join` instead.
    """
    for name in names:
        check_name(name)
    if len(set(names)) < len(names):
        raise MisuseError("each name once")
    lots = draw_lots_here(f"who-{secrets.token_hex(8)}", names, secrets.token_bytes, secrets.randbelow)
    if record is not None:
        with _written(record) as file:
            file.write(lots.transcript.encode())
    if as_json:
        click.echo(json.dumps({"winner": lots.order[0], "order": list(lots.order)}, ensure_ascii=False))
    else:
        for name in lots.order if order else lots.order[:1]:
            click.echo(name)


@rochambeau.command()
@file_argument
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
def convert(file: Path, target: Path) -> None:
    """Write the transcript in FILE to TARGET in the other form: compact, or JSON lines if it is compact.

    Signatures and closings of a live election are kept only in JSON lines.
    """
    with opened(file) as source, _written(target) as out:
        entries = (said for chunk in source.chunks() for _, said in chunk.said() if isinstance(said, Entry))
        if source.compact:
            write_lines(out, source.header, entries)
        else:
            write_compact(out, source.header, entries)


@rochambeau.command()
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--parties", type=click.IntRange(1, 100_000_000), default=1_000, show_default=True)
@click.option("--states", type=int, default=USUAL_STATES, show_default=True, help="N, odd.")
@click.option("--hash", "hash_", type=click.Choice(HASHES), default="sha256", show_default=True)
@click.option("--strong", is_flag=True, help="Bind the nonces to game and player.")
@click.option("--compact", is_flag=True, help="Write the compact form.")
def sample(target: Path, parties: int, states: int, hash_: str, strong: bool, compact: bool) -> None:
    """Write a transcript of honest parties with random choices to TARGET."""
    mode = Mode.STRONG if strong else Mode.DRAFT
    terms = Terms(states, hash_, mode, f"sample-{secrets.token_hex(8)}" if strong else "")
    with _written(target) as out:
        (write_compact if compact else write_lines)(out, Header(terms), _entries(terms, parties))


def _entries(terms: Terms, parties: int) -> Iterator[Entry]:
    for number in range(1, parties + 1):
        player = f"player{number}"
        state = terms.least_state + secrets.randbelow(terms.states - terms.least_state)
        opening = new_opening(terms, player, secrets.token_bytes(NONCE_OCTETS), state)
        yield Entry(player, write_commit(terms, opening), write_reveal(terms, opening))


class _written:  # noqa: N801 - reads as a word
    """A file that appears whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.draft = path.with_name(path.name + ".part")

    def __enter__(self) -> IO[bytes]:
        try:
            self.file = self.draft.open("wb")
        except OSError as error:
            raise ElectionError("cannot write %(path)s: %(strerror)s", path=self.path, strerror=refusal(error)) from error
        return self.file

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.file.close()
        if kind is None:
            self.draft.replace(self.path)
        else:
            with suppress(OSError):
                self.draft.unlink()


# ── simulate ───────────────────────────────────────────────────────────────────────────────────────────────────────


@rochambeau.command()
@click.option("--games", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True, help="Games of fairness.")
@click.option("--attacked", type=click.IntRange(1, 1_000_000), default=2_000, show_default=True, help="Games of each attack.")
@click.option("--parties", type=int, default=5, show_default=True)
@click.option("--states", type=int, default=17, show_default=True, help="N, odd.")
@click.option("--coalition", type=int, default=2, show_default=True, help="How many cheat together.")
@click.option("--tries", type=int, default=64, show_default=True, help="Commits that a last committer tries.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--attack",
    "chosen",
    multiple=True,
    type=click.Choice(["none", "copy", "abort", "grind", "pact", "equivocate"]),
    help="Only these; `none` is fairness alone [default: all].",
)
@json_option
def simulate(
    games: int,
    attacked: int,
    parties: int,
    states: int,
    coalition: int,
    tries: int,
    seed: int,
    chosen: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure fairness and attacks.

    Fairness with χ² and a chart; what each attack brings, in draft mode, in strong mode, and with an announced value.
    """
    from arbitre.elections.trial import ATTACKS, Trial, attacks, fairness  # noqa: PLC0415 - rarely needed

    trial = Trial(parties, states, games, coalition, tries, seed)
    fair = fairness(trial)
    hostile = Trial(parties, states, attacked, coalition, tries, seed)
    measured = attacks(hostile, [name for name in chosen if name != "none"] if chosen else tuple(ATTACKS))
    if as_json:
        rows = [
            {
                "attack": one.attack,
                "mode": one.terms,
                "games": one.games,
                "rate": one.rate,
                "error": one.error,
                "fair": one.fair,
                "convicted": one.convicted,
                "note": one.note,
            }
            for one in measured
        ]
        fields = {"wins": fair.wins, "undecided": fair.undecided, "chi_square": fair.statistic, "p_value": fair.p_value}
        click.echo(json.dumps({"parties": parties, "states": states, "fairness": fields, "attacks": rows}, indent=2))
        return
    _say(
        Reason(
            "%(games)s honest games, %(parties)s parties, %(states)s states", games=f"{games:,}", parties=parties, states=states
        )
    )
    for line in chart(fair.wins):
        click.echo(line)
    freedom = N_("χ² = %(chi)s with %(degrees)s degrees of freedom, p = %(p)s")
    _say(Reason(freedom, chi=f"{fair.statistic:.2f}", degrees=parties - 1, p=f"{fair.p_value:.2g}"))
    for index, one in enumerate(measured):
        if not index:
            each = N_("%(games)s games of each attack, a coalition of %(coalition)s, %(tries)s tries")
            click.echo("\n" + said(Reason(each, games=f"{attacked:,}", coalition=coalition, tries=tries)))
            click.echo(spoken(N_("attack      terms        rate      ±    fair   named")))
        numbers = f"{one.rate:6.3f}  ±{one.error:5.3f} {one.fair:6.3f}  {one.convicted:6.1%}"
        click.echo(f"{one.attack:<11} {one.terms:<10} {numbers}  {one.note}")


def chart(wins: tuple[int, ...], width: int = 50) -> Iterator[str]:
    """Draw a bar for each player; the mark is what would be equal."""
    due = sum(wins) / len(wins)
    most = max(*wins, due * 1.25)
    mark = round(due / most * width)
    for index, count in enumerate(wins):
        filled = round(count / most * width)
        bar = "".join("┃" if at == mark else "█" if at < filled else " " for at in range(width + 1))
        yield f"  {f'p{index}':>4} {bar} {count:,} ({count / sum(wins):.2%})"
