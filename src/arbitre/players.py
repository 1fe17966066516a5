"""A player from a string: what commands, files and forms call somebody who plays.

=====================  ==================================================================================================
`house:GAME/LEVEL`     an engine of the house; `house` alone is the one for the game being played, at its middle level
`random`               some legal move
`py:FILE[:CLASS]`      a bot in a Python file, run in a process of its own
`cmd:COMMAND`          a program that speaks the line protocol of the manual's page "Bots on a pipe"
`http(s)://…`          an engine that speaks the protocol of the page "Engines by URL"; `#direct`, `#full` and
                       `#notify`, with commas between, say how it wants to be spoken to
`human`                a person at this terminal
=====================  ==================================================================================================

A string names a *contestant*, which sits down anew for each match: `Contestant.player` makes the player of one seat.
"""

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from arbitre.bot import InProcess
from arbitre.errors import PlayerStringError, shorten
from arbitre.games.added.rules import Added
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame
from arbitre.games.levels import house_bot, prepare
from arbitre.records.event import clean, plain
from arbitre.referee.player import Player
from arbitre.referee.terms import LONGEST_NAME
from arbitre.transport.stdio import Limits, Sandbox, StdioPlayer
from arbitre.values import value

if TYPE_CHECKING:
    from arbitre.tournoyons.player import Switchboard

Made = Callable[[bytes], Player]
"""Makes a player for one seat of one match; the octets seed whatever luck the player takes."""


@value
class Contestant:
    """Somebody who plays matches: a name for the record, the string it came from, and how to make a player of it."""

    name: str
    text: str
    player: Made
    outside: bool = False
    """Whether its players live outside this process."""


def read_contestant(
    text: str,
    game: AnyGame,
    *,
    name: str = "",
    limits: Limits | None = None,
    sandbox: Sandbox | None = None,
    aside: bool = False,
    human: Callable[[], Player] | None = None,
    switchboard: "Switchboard | None" = None,
) -> Contestant:
    """Return the contestant that `text` names, for matches of `game`; `PlayerStringError` says what is wrong.

    `aside`: who plays in this process thinks in a thread, because others are on the clock at the same time. `switchboard` is what
    the engines at addresses share; it must be open while they play.
    """
    kind, _, rest = text.partition(":")
    if text == "random":
        return Contestant(name or "random", text, lambda seed: InProcess(Anyone(Random(seed)), ours=True))
    if kind == "house":
        return _house(text, rest, game, name, aside)
    if kind == "py" and rest:
        return _python(text, rest, name, limits, sandbox)
    if kind == "cmd" and rest:
        return _command(text, rest, name, limits, sandbox)
    if is_address(text):
        return _engine(text, game, name, switchboard)
    if text == "human" and human is not None:
        return Contestant(name or "you", text, lambda _seed: human())
    known = "house[:GAME[/LEVEL]], random, py:FILE[:CLASS], cmd:COMMAND, http://…" + (", human" if human else "")
    raise PlayerStringError(f"no player is called {shorten(text)!r}; a player is one of: {known}")


def _house(text: str, rest: str, game: AnyGame, name: str, aside: bool) -> Contestant:
    if game.neutral:
        raise PlayerStringError("the house does not know how to play a game that somebody added")
    wanted, _, level = rest.partition("/")
    if wanted and listing(wanted).name != game.name:
        raise PlayerStringError(f"{text!r} plays {wanted}, not {game.name}")
    if level and not (level.isascii() and level.isdigit() and len(level) < 3):
        raise PlayerStringError(f"the level of {text!r} is a small whole number")
    make, number = house_bot(game, int(level) if level else None)
    prepare([make])
    title = f"house:{game.name}/{number}"
    return Contestant(name or title, title, lambda seed: InProcess(make(Random(seed)), ours=True, aside=aside))


def _python(text: str, rest: str, name: str, limits: Limits | None, sandbox: Sandbox | None) -> Contestant:
    named = (rest, rest.rpartition(":")[0])
    path = next((Path(one) for one in named if os.path.isfile(one)), None)  # noqa: PTH113 - Path finds some names too long
    if path is None:
        raise PlayerStringError(f"there is no file {shorten(rest)!r} to make a player of")
    command = [sys.executable, "-m", "arbitre.bot", rest]
    return _outside(text, name or path.stem, command, limits, sandbox)


def _command(text: str, rest: str, name: str, limits: Limits | None, sandbox: Sandbox | None) -> Contestant:
    try:
        command = shlex.split(rest)
    except ValueError as error:
        raise PlayerStringError(f"the command of {shorten(text)!r} cannot be read: {str(error).lower()}") from None
    if not command:
        raise PlayerStringError(f"{shorten(text)!r} names no command")
    return _outside(text, name or Path(command[0]).stem, command, limits, sandbox)


def _outside(text: str, name: str, command: list[str], limits: Limits | None, sandbox: Sandbox | None) -> Contestant:
    shown = plain(shorten(clean(name), LONGEST_NAME))  # a file may be called anything; a chair may not
    return Contestant(
        shorten(shown, LONGEST_NAME), text, lambda _seed: StdioPlayer(command, limits=limits, sandbox=sandbox), outside=True
    )


def _engine(text: str, game: AnyGame, name: str, switchboard: "Switchboard | None") -> Contestant:
    from arbitre.games.trays import unspeakable  # noqa: PLC0415
    from arbitre.tournoyons.player import HttpPlayer  # noqa: PLC0415
    from arbitre.tournoyons.wire import Style  # noqa: PLC0415 - the web takes long to import, and most players need none

    url, _, words = text.partition("#")
    wishes = [word for word in words.split(",") if word]
    strange = [word for word in wishes if word not in WISHES]
    if strange:
        raise PlayerStringError(f"{strange[0]!r} behind {shorten(url)!r} is none of {', '.join(WISHES)}")
    if why := unspeakable(game):
        raise PlayerStringError(why)
    if switchboard is None:
        raise PlayerStringError(f"{shorten(url)!r} is an address, and engines are not called from here")
    style = Style(full="full" in wishes, direct="direct" in wishes, notify="notify" in wishes)
    mine = os.urandom(16)  # a tournament's seed may be public, and who knows a MoveId could answer for others
    shown = bare_address(url)
    called = name or shorten(shown.partition("//")[2].rstrip("/"), LONGEST_NAME)
    return Contestant(called, shown, lambda seed: HttpPlayer(url, switchboard, mine + seed, style=style), outside=True)


def read_referee(text: str, game: Added, switchboard: "Switchboard | None") -> Contestant:
    """Return the external referee of an added game at an address, as somebody who sits down with the players."""
    from arbitre.tournoyons.referee import ExternalReferee  # noqa: PLC0415 - the web takes long to import

    if not is_address(text):
        raise PlayerStringError(f"the referee of {game.key} is an address, http://… or https://…, not {shorten(text)!r}")
    if switchboard is None:
        raise PlayerStringError(f"{shorten(text)!r} is an address, and nobody is called from here")
    name, player = game.court
    mine = os.urandom(16)  # as with engines: who knows the address of an answer could give it
    return Contestant(name, player, lambda seed: ExternalReferee(text, switchboard, mine + seed), outside=True)


WISHES = ("direct", "full", "notify")
"""How an engine may want to be spoken to, behind its address on the command line."""


def is_address(text: str) -> bool:
    """Tell whether `text` names an engine by its address."""
    return text.lower().startswith(("http://", "https://"))


def bare_address(text: str) -> str:
    """Return an address as records have it: without what stands behind it, and without passwords."""
    scheme, _, rest = text.partition("#")[0].partition("?")[0].partition("//")
    return f"{scheme}//{rest.rpartition('@')[2]}"


def is_outside(text: str) -> bool:
    """Tell whether the player that `text` names lives outside this process."""
    return text.partition(":")[0] in ("py", "cmd") or is_address(text)
