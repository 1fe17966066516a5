"""`arbitre bot`: lends a bot on a pipe to a site, which needs no address for it (the manual's page "Dial-in")."""

import asyncio
import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from arbitre.cli.language import language
from arbitre.cli.speech import MisuseError, phrase, said, tell
from arbitre.client.dial import Lent, Told, joined, quoted, started
from arbitre.client.websocket import WebSocketWire
from arbitre.client.wire import Wire
from arbitre.crypto.keys import keep
from arbitre.errors import ArbitreError, PlayerStringError, SiteError, shorten
from arbitre.games.catalogue import listing
from arbitre.players import kind_of
from arbitre.players.bridge import refuse_others, serve
from arbitre.reasons import N_, Reason
from arbitre.transport.pipe import BotSide, Ended

TOKEN = N_("the page of the engine makes a token: put it into a file, and name that with --token")


@click.group()
def bot() -> None:
    """Lend a bot to a site."""


@bot.command()
@click.argument("site", metavar="SITE")
@click.argument("program", metavar="FILE.py|PLAYER")
@click.option(
    "--token", type=click.Path(dir_okay=False, path_type=Path), help="A file with the engine's token; or $ARBITRE_ENGINE_TOKEN."
)
@click.option("--code", default="", help="The code of a class, instead of a token: the first time an engine is made for you.")
@click.option("--name", default="", help="What you are called in the class.")
@click.option("--game", default="", help="The game that the bot plays, where the code of a class is given.")
@click.option("--sandbox", is_flag=True, help="Run the bot under bubblewrap: no network, a read-only system.")
@click.option("--practice", is_flag=True, help="Begin a game against the house at once.")
@click.option("--games", type=click.IntRange(1, 1_000_000), help="Leave after so many games.")
@click.option(
    "--by", type=click.Choice(["stream", "websocket"]), default="stream", help="How questions come: a stream, or a WebSocket."
)
def join(
    site: str,
    program: str,
    token: Path | None,
    code: str,
    name: str,
    game: str,
    sandbox: bool,
    practice: bool,
    games: int | None,
    by: str,
) -> None:
    """Let a bot play on a site, from this machine: the bot calls, and needs no address.

    SITE is the address of the site. The bot is a Python file as `python -m arbitre.bot` takes it, cmd:COMMAND for a program
    that speaks on a pipe, in any language, or an engine in its own language (hub:, dxp:, gomocup:, nboard:, gtp:) or a model
    (llm:) as tournaments take them. Each match has a process of its own. Stop it with Ctrl-C.
    """
    command = _command(program, sandbox)
    secret = _secret(site, token, code, name, game)
    show = Screen()
    with show, (WebSocketWire if by == "websocket" else Wire)(site, secret, language()) as wire:
        lent = Lent(wire, started(command), show.tell)
        tell("playing on %(site)s; stop it with Ctrl-C", site=wire.url)
        try:
            lent.play(games, practice=practice)
        except SiteError as error:
            if error.status == 401:
                error.hint = Reason(TOKEN)
            raise
    tell("games that were played to their end: %(count)s", count=lent.finished)


@bot.command()
@click.argument("player", metavar="PLAYER")
@click.option(
    "--key", type=click.Path(dir_okay=False, path_type=Path), help="Sign records with the key in this file, made on first use."
)
@click.option(
    "--journal", type=click.Path(file_okay=False, path_type=Path), help="A folder: keep there what was asked and answered."
)
def speak(player: str, key: Path | None, journal: Path | None) -> None:
    """Let an engine or a model speak as a bot on a pipe: it plays wherever cmd:COMMAND does.

    PLAYER is one of hub:, dxp:, gomocup:, nboard:, gtp: and llm:, as tournaments take them.
    """
    asyncio.run(serve(player, None if key is None else keep(key), journal))


def _command(program: str, sandbox: bool) -> list[str]:
    """Return how to start the bot; `PlayerStringError` says what is wrong with it."""
    if program.startswith("cmd:"):
        try:
            command = shlex.split(program.removeprefix("cmd:"), posix=os.name == "posix")
        except ValueError as error:
            raise PlayerStringError(
                "the command of %(text)r cannot be read: %(error)s", text=shorten(program), error=str(error).lower()
            ) from None
        if not command:
            raise PlayerStringError("%(text)r names no command", text=shorten(program))
    elif kind_of(program) is not None and not program.startswith("py:"):
        refuse_others(program)
        command = [sys.executable, "-m", "arbitre", "bot", "speak", program]
    else:
        program = program.removeprefix("py:")
        file = program if Path(program).is_file() else program.rpartition(":")[0]
        if not Path(file).is_file():
            raise PlayerStringError("there is no file %(text)r to make a player of", text=shorten(program))
        command = [sys.executable, "-m", "arbitre.bot", program]
    if sandbox:
        from arbitre.transport.sandbox import Sandbox  # noqa: PLC0415 - where it is asked for

        return Sandbox().wrap(command, None, os.environ.get("PATH"))
    return command


def _secret(site: str, token: Path | None, code: str, name: str, game: str) -> str:
    """Return the engine's token: from its file, or by joining a class, whose token is kept for the next time."""
    if code:
        if token is not None or not name or not game:
            raise MisuseError("with --code goes --name and --game, and no --token")
        return _of_lesson(Path(f"{name}.token"), site, code, name, game)
    if token is None:
        found = os.environ.get("ARBITRE_ENGINE_TOKEN", "")
        if not found:
            raise MisuseError("say who plays: --token FILE, or --code CODE --name NAME --game GAME in a class")
        return found
    try:
        return token.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError("the token in %(token_file)s cannot be read: %(error)s", token_file=token, error=error) from None


def _of_lesson(kept: Path, site: str, code: str, name: str, game: str) -> str:
    if kept.is_file():
        tell("you have joined before: the token in %(file)s is used", file=kept)
        return kept.read_text(encoding="utf-8").strip()
    found = joined(site, code, name, game, language())
    made = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "w", encoding="utf-8") as file:
        file.write(f"{found['token']}\n")
    tell("you play as %(name)s; your token is in %(file)s", name=found["name"], file=kept)
    return str(found["token"])


SENTENCES = {
    "begins": N_("%(match)s  begins: %(text)s"),
    "over": N_("%(match)s  over: %(text)s"),
    "said": N_("%(match)s  the bot says: %(text)s"),
    "died": N_("%(match)s  the bot died, and is started again: %(text)s"),
    "late": N_("%(match)s  too late: %(text)s"),
    "refused": N_("%(match)s  refused: %(text)s"),
    "polling": N_("no stream comes through: asking again and again instead"),
    "practice": N_("a game against the house: %(text)s"),
    "unplayed": N_("%(match)s is in JavaScript, and there is no node here: another runner plays it"),
    "cut": N_("the line was cut, calling again: %(text)s"),
}
COLOURS = {"over": "green", "died": "red", "late": "yellow", "refused": "red", "cut": "yellow"}


class Screen:
    """What happens, line by line; on a terminal with one line below for each game that goes on."""

    def __init__(self) -> None:
        self._moves: dict[str, tuple[int, str]] = {}
        self._live: Any = None

    def __enter__(self) -> None:
        if sys.stdout.isatty():
            from rich.console import Console  # noqa: PLC0415 - only for eyes
            from rich.live import Live  # noqa: PLC0415

            self._live = Live(console=Console(highlight=False), auto_refresh=False, transient=True)
            self._live.__enter__()

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.__exit__(*error)

    def tell(self, told: Told) -> None:
        """Show one thing that happened, from whichever thread."""
        match told.what:
            case "moves":
                count, _ = self._moves.get(told.match, (0, ""))
                self._moves[told.match] = (count + 1, quoted(told.text))
            case "begins":
                with suppress(ArbitreError):
                    listing(told.text).game()  # its words come with it
                self._moves[told.match] = (0, "")
            case "over":
                self._moves.pop(told.match, None)
        if told.what in SENTENCES:
            text = said(told.why) if told.why is not None else quoted(told.text)
            line = phrase(SENTENCES[told.what], match=told.match, text=_ended(told.text) if told.what == "over" else text)
            click.secho(line, fg=COLOURS.get(told.what))
        if self._live is not None:
            rows = (f"{match}  {count:>4}  {last}" for match, (count, last) in sorted(self._moves.items()))
            self._live.update("\n".join(rows), refresh=True)


def _ended(text: str) -> str:
    """Return the end of a match in words: the score, and why."""
    for event in BotSide().receive(f"{text}\n".encode()):
        if isinstance(event, Ended):
            return f"{'–' if event.score is None else event.score}  {said(event.why)}"
    return ""
