"""The commands of `arbitre rochambeau` that talk to other machines."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbitre.cli.options import json_option
from arbitre.cli.speech import MisuseError, said, spoken
from arbitre.crypto.keys import KEY_BYTES, Key, keep
from arbitre.elections.terms import HASHES, USUAL_STATES, Mode, Terms, check_name
from arbitre.errors import KeyFileError
from arbitre.reasons import N_, Reason
from arbitre.records.keyring import configuration

if TYPE_CHECKING:
    from arbitre.elections import Verdict
    from arbitre.elections.hub import HubPlan, Stage

KEY = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")
WON, NOBODY, VOID, LEFT_OUT, UNDECIDED, ANOTHER = 0, 3, 4, 5, 6, 10


def _key_file() -> Path:
    return configuration() / "rochambeau.key"


name_option = click.option("--name", required=True, help="The name of this party.")
key_option = click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=_key_file,
    show_default="in the configuration folder",
    help="The file of this party's key, made on first use.",
)
roster_option = click.option(
    "--roster",
    "roster_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Who takes part: a line for each with name and key, as `arbitre rochambeau key` prints it. Means strong mode.",
)


liars_option = click.option(
    "--liars", type=click.IntRange(0, 1_022), help="How many parties may lie: a certificate takes so many more [default: 0]."
)


def read_roster(path: Path) -> tuple[tuple[str, str], ...]:
    """Return names and keys of a roster file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFileError("cannot read a roster from %(path)s: %(error)s", path=path, error=error) from error
    keys: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        name, _, digits = text.rpartition(" ")
        if not KEY.fullmatch(digits) or name.strip() in keys:
            raise KeyFileError(
                "%(path)s, line %(number)s: not a new name and a key of %(part)s digits: %(text)r",
                path=path,
                number=number,
                part=2 * KEY_BYTES,
                text=text[:60],
            )
        keys[check_name(name.strip())] = digits.lower()
    return tuple(sorted(keys.items()))


@click.command()
@name_option
@key_option
@json_option
def key(name: str, key_file: Path, as_json: bool) -> None:
    """Print the line of this machine's key for a roster; the key is made on first use."""
    own = keep(key_file)
    if as_json:
        click.echo(json.dumps({"name": check_name(name), "key": own.public.hex(), "fingerprint": own.fingerprint}))
    else:
        click.echo(f"{check_name(name)} {own.public.hex()}")


@click.command()
@click.argument("roster_file", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="ROSTER")
def group(roster_file: Path) -> None:
    """Print the fingerprint of the group in ROSTER, by which `arbitre verify --key` knows it."""
    from arbitre.elections.call import group_of  # noqa: PLC0415 - loads the live protocol

    click.echo(group_of(read_roster(roster_file)))


def _limits(commit: float, reveal: float, unlimited: bool) -> tuple[float | None, float | None]:
    return (None, None) if unlimited else (commit, reveal)


def limit_options(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of the deadlines."""
    for option in (
        click.option("--commit-limit", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True, help="Seconds."),
        click.option("--reveal-limit", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True, help="Seconds."),
        click.option("--no-limits", is_flag=True, help="No time limits: wait for everybody, for ever (draft mode)."),
        click.option(
            "--delay",
            type=click.FloatRange(0, min_open=True),
            default=1.0,
            show_default=True,
            help="Seconds that a message may take, with repetitions and the difference of clocks.",
        ),
    ):
        function = option(function)
    return function


# ── hub ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; `::` or `0.0.0.0` is everywhere.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8282, show_default=True)
@click.option("--parties", type=click.IntRange(2, 1_024), help="Begin when so many are here.")
@click.option("--gather", type=click.FloatRange(0, min_open=True), help="Begin so many seconds after the first.")
@click.option("--states", type=int, default=USUAL_STATES, show_default=True, help="N, odd.")
@click.option("--hash", "hash_", type=click.Choice(HASHES), default="sha256", show_default=True)
@click.option("--game", default="", help="A word that the names of the games begin with.")
@click.option("--announced", is_flag=True, help="A value announced after the Reveals is mixed in.")
@roster_option
@key_option
@limit_options
@liars_option
@click.option("--games", type=click.IntRange(1), help="End after so many elections [default: go on].")
@click.option("--record", type=click.Path(path_type=Path, file_okay=False), help="A folder for transcripts.")
@json_option
def hub(
    host: str,
    port: int,
    parties: int | None,
    gather: float | None,
    states: int,
    hash_: str,
    game: str,
    announced: bool,
    roster_file: Path | None,
    key_file: Path,
    commit_limit: float,
    reveal_limit: float,
    no_limits: bool,
    delay: float,
    liars: int | None,
    games: int | None,
    record: Path | None,
    as_json: bool,
) -> int:
    """Relay elections: pass on what parties say, close the phases, sign what was closed.

    With --roster elections are held in strong mode. Prints the winner of each election on a line, `undecided` where the parties
    certified none.
    """
    import asyncio  # noqa: PLC0415 - slow to load; the other commands do without

    from arbitre.elections.hub import HubPlan  # noqa: PLC0415 - loads the live protocol

    keys = read_roster(roster_file) if roster_file is not None else ()
    mode = Mode.STRONG if keys else Mode.DRAFT
    terms = Terms(states, hash_, mode, game or "rochambeau", announced)
    plan = HubPlan(terms, parties, gather, *_limits(commit_limit, reveal_limit, no_limits), delay, keys, liars or 0)
    return asyncio.run(_relay(plan, keep(key_file), (host, port), games=games, record=record, as_json=as_json))


async def _relay(
    plan: "HubPlan", own: Key, here: tuple[str, int], *, games: int | None, record: Path | None, as_json: bool
) -> int:
    from arbitre.elections.live import HubServer, write_hub_transcript  # noqa: PLC0415 - loads the event loop
    from arbitre.elections.transport import Address  # noqa: PLC0415

    def tell(stage: "Stage", parties: int) -> None:
        click.echo("arbitre: " + said(Reason(STAGES[stage.name], parties=parties)), err=True)

    server = HubServer(plan, own, Address(*here), tell)
    await server.open()
    for address in server.ports:
        listening = Reason("hub: listening at %(address)s, key %(key)s", address=address, key=own.public.hex())
        click.echo("arbitre: " + said(listening), err=True)
    held = 0
    try:
        while games is None or held < games:
            done = await server.hold()
            held += 1
            verdict = done.verdict
            if record is not None and done.header is not None:
                record.mkdir(parents=True, exist_ok=True)
                write_hub_transcript(record / f"{done.header.terms.game.replace('/', '_')}.jsonl", done)
            if as_json:
                click.echo(json.dumps(described(verdict), ensure_ascii=False))
            else:
                click.echo(named(verdict))
            sys.stdout.flush()
    finally:
        await server.close()
    return 0


STAGES = {
    "GATHER": N_("hub: waiting, %(parties)s parties are here"),
    "COMMIT": N_("hub: Commits, of %(parties)s parties"),
    "REVEAL": N_("hub: Reveals, of %(parties)s parties"),
    "VERDICT": N_("hub: verdicts, of %(parties)s parties"),
    "OVER": N_("hub: over, %(parties)s parties are still here"),
}


def named(verdict: "Verdict | None") -> str:
    """Return the one line for the winner: his name, or a word for that there is none."""
    if verdict is not None and verdict.winner is not None:
        return verdict.winner
    return spoken("undecided") if verdict is None else spoken("nobody")


def described(verdict: "Verdict | None") -> dict[str, object]:
    """Return a result for programs."""
    excluded = () if verdict is None else verdict.excluded
    return {
        "winner": None if verdict is None else verdict.winner,
        "decided": verdict is not None,
        "tied": [] if verdict is None else list(verdict.tied),
        "excluded": {one.player: one.fault.value for one in excluded if not one.fault.unheard},
        "unheard": {one.player: one.fault.value for one in excluded if one.fault.unheard},
    }


# ── join ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@click.command()
@click.argument("address", required=False, metavar="[ADDRESS]")
@name_option
@click.option("--choose", type=int, metavar="q", help="The state to choose [default: at random, as it should be].")
@click.option("--parties", type=click.IntRange(2, 1_024), help="How many take part, M.")
@click.option("--states", type=int, help=f"N, odd [default: {USUAL_STATES}, or what the hub says].")
@click.option("--hash", "hash_", type=click.Choice(HASHES), help="H [default: sha256, or what the hub says].")
@click.option("--game", default="", help="The name of this one game: the same for all, and in strong mode never used before.")
@click.option("--announced", is_flag=True, help="After the Reveals, read a value from standard input and mix it in.")
@roster_option
@key_option
@click.option("--hub-key", metavar="HEX", help="The public key that the hub must have.")
@click.option("--listen", metavar="HOST:PORT", help="In a mesh: where to be called.")
@click.option("--peer", "peers", multiple=True, metavar="HOST:PORT", help="In a mesh: whom to call; again for each.")
@click.option("--interface", default="", help="In a group: the interface, by address (IPv4) or name (IPv6).")
@click.option("--hops", type=click.IntRange(0, 255), default=1, show_default=True, help="In a group: how many routers to pass.")
@click.option("--faults", type=click.IntRange(0, 63), help="Strong mode without a hub: how many may fail [default: any number].")
@liars_option
@click.option(
    "--gather", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True, help="Seconds to wait for all."
)
@limit_options
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Keep the transcript in a file.")
@click.option("--mine", is_flag=True, help="Exit with 0 only if this party wins, with 10 if another does.")
@click.option("--verbose", "-v", is_flag=True, help="Tell what happens.")
@click.option("--disturb", default="", metavar="LOSS,TWICE,LATE", help="In a group: bad weather, to try it out.", hidden=True)
@json_option
def join(
    address: str | None,
    name: str,
    choose: int | None,
    parties: int | None,
    states: int | None,
    hash_: str | None,
    game: str,
    announced: bool,
    roster_file: Path | None,
    key_file: Path,
    hub_key: str | None,
    listen: str | None,
    peers: tuple[str, ...],
    interface: str,
    hops: int,
    faults: int | None,
    liars: int | None,
    gather: float,
    commit_limit: float,
    reveal_limit: float,
    no_limits: bool,
    delay: float,
    record: Path | None,
    mine: bool,
    verbose: bool,
    disturb: str,
    as_json: bool,
) -> int:
    """Take part in one election, and print the winner on one line.

    ADDRESS is that of a hub (host:port, [IPv6]:port), or of a multicast group; without it, --listen and --peer make a mesh.

    Exit status: 0 there is a winner, 3 nobody won, 4 a tie for ever, 5 there is a winner but this party was left out, 6
    undecided: too few parties signed the same verdict; 1 no election came about. With --mine: 0 this party won, 10 another did.
    """
    import asyncio  # noqa: PLC0415 - slow to load; the other commands do without

    from arbitre.cli.rochambeau_join import Wishes, hold  # noqa: PLC0415 - loads the event loop

    keys = read_roster(roster_file) if roster_file is not None else ()
    wishes = Wishes(
        name=name,
        choose=choose,
        parties=parties,
        states=states,
        hash=hash_,
        game=game,
        announced=announced,
        keys=keys,
        key=keep(key_file) if keys else None,
        hub_key=_octets(hub_key),
        faults=faults,
        liars=liars,
        said=key_file.with_name(f"{key_file.name}.said"),
        gather=gather,
        limits=_limits(commit_limit, reveal_limit, no_limits),
        delay=delay,
        interface=interface,
        hops=hops,
        weather=_weather(disturb),
    )
    if address is None and not listen and not peers:
        raise MisuseError("name a hub or a multicast group, or --listen and --peer for a mesh")
    done = asyncio.run(hold(wishes, address, listen, peers, verbose))
    if record is not None:
        done.record(record)
    verdict = done.verdict
    if as_json:
        mine_ = verdict is not None and verdict.winner == name
        click.echo(json.dumps({**described(verdict), "mine": mine_}, ensure_ascii=False))
    else:
        click.echo(named(verdict))
        for one in verdict.excluded if verdict is not None else ():
            unheard, excluded = N_("unheard: %(player)s: %(why)s"), N_("excluded: %(player)s: %(why)s")
            line = Reason(unheard if one.fault.unheard else excluded, player=one.player, why=Reason(one.fault.value))
            click.echo("arbitre: " + said(line), err=True)
    if done.why is not None:
        click.echo("arbitre: " + said(done.why), err=True)
    return _status(verdict, name, mine)


def _status(verdict: "Verdict | None", name: str, mine: bool) -> int:
    if verdict is None:
        return UNDECIDED
    if verdict.winner is None:
        return VOID if verdict.void else NOBODY
    if mine:
        return WON if verdict.winner == name else ANOTHER
    return LEFT_OUT if name in {one.player for one in verdict.excluded} else WON


def _octets(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        octets = bytes.fromhex(text)
    except ValueError:
        octets = b""
    if len(octets) != KEY_BYTES:
        raise MisuseError("a public key has %(digits)s hexadecimal digits", digits=2 * KEY_BYTES)
    return octets


def _weather(text: str) -> tuple[float, float, float] | None:
    if not text:
        return None
    try:
        loss, twice, late = (float(part) for part in text.split(","))
    except ValueError:
        raise MisuseError("weather is three chances: LOSS,TWICE,LATE") from None
    return loss, twice, late
