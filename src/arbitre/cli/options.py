"""What several commands share: where the data folder is, how a game and its options are named."""

import os
from pathlib import Path
from typing import Any

import click

from arbitre.errors import ArbitreError
from arbitre.rules.catalogue import listing
from arbitre.rules.game import AnyGame

FOLDER = "arbitre-data"


def _folder() -> str:
    return os.environ.get("ARBITRE_DATA") or FOLDER


data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=_folder,
    show_default=f"$ARBITRE_DATA or ./{FOLDER}",
    help="The data folder.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


class GameName(click.ParamType[str]):
    """The identifier of a game."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a game that is not in the catalogue."""
        try:
            return listing(str(value)).name
        except ArbitreError as error:
            self.fail(str(error), param, ctx)


def read_options(pairs: tuple[str, ...]) -> dict[str, str]:
    """Read `--option KEY=VALUE` pairs."""
    options = {}
    for pair in pairs:
        key, equals, given = pair.partition("=")
        if not equals:
            raise click.UsageError(f"an option is written KEY=VALUE, not {pair!r}")
        options[key.strip()] = given.strip()
    return options


def make_game(name: str, pairs: tuple[str, ...]) -> AnyGame:
    """Return the game with the options of the command line."""
    return listing(name).game(read_options(pairs))
