"""What several commands share: where the data folder is, how a game and its options are named."""

import os
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from arbitre.cli.speech import MisuseError, said
from arbitre.errors import ArbitreError
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame
from arbitre.records.place import VARIABLE, Place

if TYPE_CHECKING:
    from arbitre.tournoyons.player import Switchboard

T = TypeVar("T")

FOLDER = "arbitre-data"


def _folder() -> str:
    return os.environ.get("ARBITRE_DATA") or FOLDER


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--data` and `--database`, and tell it as `data` the place that both name."""

    @wraps(command)
    def placed(*given: Any, data: Path, database: str, **others: Any) -> Any:
        return command(*given, data=Place(data, database), **others)

    folder = click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=_folder,
        show_default=f"$ARBITRE_DATA or ./{FOLDER}",
        help="The data folder.",
    )
    return folder(database_option(placed))


database_option = click.option(
    "--database",
    metavar="URL",
    default=lambda: os.environ.get(VARIABLE, ""),
    show_default=f"${VARIABLE} or SQLite in the data folder",
    help="A PostgreSQL, postgresql://…, for everything but keys and files.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


callback_option = click.option(
    "--callback",
    metavar="http://HOST:PORT",
    default="",
    help="Where engines on other machines call back; we listen on that port [default: a free port of this machine].",
)


def open_switchboard(callback: str) -> "Switchboard":
    """Return what engines at addresses share, with a listener of its own where they call back."""
    from arbitre.tournoyons.callback import Listener, Receiver  # noqa: PLC0415 - the web takes long to import
    from arbitre.tournoyons.player import Switchboard  # noqa: PLC0415

    if not callback:
        receiver = Receiver()
        return Switchboard(receiver, listener=Listener(receiver))
    try:
        parts = urlsplit(callback)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        port = 0
    if not port or parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise MisuseError("--callback is an address like http://192.0.2.7:8001, not %(callback)r", callback=callback)
    receiver = Receiver(callback)
    near = parts.hostname in ("localhost", "127.0.0.1", "::1")
    everywhere = "::" if ":" in parts.hostname else "0.0.0.0"  # noqa: S104 - engines elsewhere are to reach us
    return Switchboard(receiver, listener=Listener(receiver, parts.hostname if near else everywhere, port))


async def within(switchboard: "Switchboard | None", course: Coroutine[Any, Any, T]) -> T:
    """Do something while the switchboard is open, if there is one."""
    if switchboard is None:
        return await course
    async with switchboard:
        return await course


class GameName(click.ParamType[str]):
    """The identifier of a game."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a game that is not in the catalogue."""
        try:
            return listing(str(value)).name
        except ArbitreError as error:
            self.fail(said(error), param, ctx)


def read_options(pairs: tuple[str, ...]) -> dict[str, str]:
    """Read `--option KEY=VALUE` pairs."""
    options = {}
    for pair in pairs:
        key, equals, given = pair.partition("=")
        if not equals:
            raise MisuseError("an option is written KEY=VALUE, not %(pair)r", pair=pair)
        options[key.strip()] = given.strip()
    return options


def make_game(name: str, pairs: tuple[str, ...]) -> AnyGame:
    """Return the game with the options of the command line."""
    return listing(name).game(read_options(pairs))
