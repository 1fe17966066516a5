"""The command `arbitre`: composes everything, prints plainly, explains what went wrong.

Results go to standard output, `arbitre: error: …` and `arbitre: hint: …` to standard error. Exit status: 0 done, 1 refused or
failed, 2 called wrongly, 130 interrupted; commands say where theirs mean more. Each command is a module that is loaded only when
it is called, because starting quickly is a feature.
"""

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from arbitre import __version__
from arbitre.cli import speech
from arbitre.cli.language import choose
from arbitre.cli.loading import loading
from arbitre.errors import ArbitreError, LogError
from arbitre.records.event import plain

COMMANDS = {
    "analyse": "judge finished games ply by ply, in a document that anybody can check",
    "arcade": "rock, paper, scissors with commitments: play, serve, join, judge",
    "bot": "lend a bot to a site that needs no address for it",
    "doctor": "what is installed, what is missing, what to do",
    "draughts": "international draughts: count leaves of positions; the league: registrar, robots, table",
    "engine": "house engines by address: list, serve; test any engine",
    "games": "list the games, or explain one",
    "kref": "the Kriegspiel referee: chess with hidden pieces, by file and mail",
    "log": "the transparency log of a site: look at it, prove, audit, mirror, witness",
    "mcp": "a site as tools for an agent that speaks MCP on a pipe",
    "operator": "accounts, roles, backups of a site",
    "play": "play a game in the terminal",
    "tournament": "let bots compete",
    "rochambeau": "pick one of many who trust nobody: hold elections, settle and verify them",
    "record": "list, show and export the records of the data folder",
    "runner": "lend this machine: play the bots whose sources are kept on a site",
    "serve": "open the site: play, watch, register engines in a browser",
    "site": "use a site from the command line: matches, engines, elections, league, competitions",
    "worker": "play games of tournaments that are spread over several machines",
    "verify": "check records, transcripts, games by file, reports and analyses, offline",
}
"""Each command with its line; its code is `arbitre.cli.<command>`, in an object of the same name."""


class Lazy(click.Group):
    """A group that loads a command when it is called, and lists them without loading any."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Load one."""
        if cmd_name not in COMMANDS:
            return None
        with loading():
            command = getattr(import_module(f"arbitre.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101 - a test calls every command
        return speech.teach(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Say what there is when a name is not known."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            known = ", ".join(sorted(COMMANDS))
            raise speech.MisuseError("no command %(name)r; there are: %(known)s", name=args[0], known=known)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the commands with their lines, without importing them."""
        with formatter.section(speech.spoken("Commands")):
            formatter.write_dl([(name, speech.spoken(line)) for name, line in sorted(COMMANDS.items())])


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="arbitre %(version)s")
def arbitre() -> None:
    """A referee for games between programs and people who do not trust each other.

    Every game leaves a record that anyone can check: start with `arbitre games` and `arbitre play reversi`.
    """


speech.teach(arbitre)
speech.install()


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line and end the process."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    _open_streams()
    choose(sys.argv[1:] if arguments is None else arguments)
    try:
        status = arbitre.main(arguments, prog_name="arbitre", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        complain(speech.wrong(error), _help(error))
        return 2
    except click.ClickException as error:
        complain(speech.wrong(error))
        return 2
    except ArbitreError as error:
        hint = getattr(error, "hint", None)
        complain(speech.said(error), "" if hint is None else speech.said(hint))
        return error.status if isinstance(error, LogError) else 1
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"arbitre: {speech.spoken('interrupted')}", err=True)
        return 130
    except BrokenPipeError:
        # the reader of our output has gone, as `head` does: that is its right
        _forget_output()
        return 141
    except OSError as error:
        _forget_output()
        complain(speech.refused(error))
        return 1
    return status if isinstance(status, int) else 0


def _open_streams() -> None:
    """Give a program that was started with closed streams open ones, and let no character stop it where it cannot be written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open as long as we run
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Write what is still waiting nowhere: there is nobody to read it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _help(error: click.UsageError) -> str:
    return f"{error.ctx.command_path} --help" if error.ctx is not None else "arbitre --help"


def complain(problem: str, hint: str = "") -> None:
    """Tell what went wrong, and what to do."""
    words = "\n".join(plain(line) for line in problem.replace(speech.NO_BREAK, " ").split("\n"))
    error = click.style(speech.phrase("error:"), fg="red", bold=True)  # click drops colour off a terminal
    click.echo(f"arbitre: {error} {words}", err=True)
    if hint:
        click.echo(f"arbitre: {speech.phrase('hint:')} {hint}", err=True)
