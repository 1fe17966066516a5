"""A player from a string: what commands, files and forms call somebody who plays.

=====================  ==================================================================================================
`house:GAME/LEVEL`     an engine of the house; `house` alone is the one for the game being played, at its middle level
`random`               some legal move
`py:FILE[:CLASS]`      a bot in a Python file, run in a process of its own
`cmd:COMMAND`          a program that speaks the line protocol of the manual's page "Bots on a pipe"
`hub:COMMAND`          a draughts engine that speaks Hub (the manual's page "Bring an engine")
`gomocup:COMMAND`      an engine for five in a row that speaks as Gomocup and Piskvork do
`nboard:COMMAND`       a Reversi engine that speaks NBoard
`gtp:COMMAND`          a Reversi engine that speaks GTP
`dxp:HOST:PORT`        a draughts program that speaks DXP over a connection
`llm:URL#MODEL`        a language model behind the usual interface of chat completions (the manual's page "Agents")
`http(s)://…`          an engine that speaks the protocol of the page "Engines by URL"; `#direct`, `#full` and
                       `#notify`, with commas between, say how it wants to be spoken to
`human`                a person at this terminal
=====================  ==================================================================================================

A string names a *contestant*, which sits down anew for each match: `Contestant.player` makes the player of one seat. What stands
before the colon is its *kind*. The house's kinds are in `KINDS`; any installed package brings more under the entry point group
`arbitre.players`, each named like its kind and leading to a `Kind`. How a kind makes its players is fetched when somebody is
called so: who plays on a pipe loads nothing of the web.
"""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from random import Random

from arbitre.bot import InProcess
from arbitre.errors import CatalogueError, PlayerStringError, shorten
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import fetch, listing
from arbitre.games.game import AnyGame
from arbitre.games.levels import house_bot, prepare
from arbitre.records.event import clean, plain
from arbitre.referee.player import Player
from arbitre.referee.terms import LONGEST_NAME
from arbitre.transport.stdio import ProcessLimits, Sandbox, StdioPlayer
from arbitre.values import value

GROUP = "arbitre.players"

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
    from_start: bool = False
    """Whether it cannot be shown a position, and plays from the usual start only."""


@value
class Setting:
    """Where a contestant is to play, and what there is for it."""

    game: AnyGame
    name: str = ""
    """What to call it; empty: what it is called by itself."""
    limits: ProcessLimits | None = None
    sandbox: Sandbox | None = None
    aside: bool = False
    """Whether who plays in this process thinks in a thread, because others are on the clock at the same time."""
    human: Callable[[], Player] | None = None
    """Makes the player of a person at this terminal, where there is one."""
    switchboard: object = None
    """What the engines at addresses share; open while they play."""
    folder: Path | None = None
    """Where programs are started, from where the paths in their strings count; None: here."""


@value
class Kind:
    """A kind of player: how its strings look, and who makes a contestant of one."""

    shape: str
    """How it is written, for people."""
    make: str
    """Where the maker is (`module:name`): it takes the string, what stands behind the colon, and the setting."""
    outside: bool = True
    """Whether its players live outside this process."""
    called: bool = False
    """Whether its players are called at an address, and share a switchboard."""
    asks: bool = False
    """Whether it needs a person at this terminal."""


KINDS: Mapping[str, Kind] = {
    "house": Kind("house[:GAME[/LEVEL]]", "arbitre.players:house", outside=False),
    "random": Kind("random", "arbitre.players:anyone", outside=False),
    "py": Kind("py:FILE[:CLASS]", "arbitre.players:python"),
    "cmd": Kind("cmd:COMMAND", "arbitre.players:command"),
    "hub": Kind("hub:COMMAND", "arbitre.players.hub:contestant"),
    "gomocup": Kind("gomocup:COMMAND", "arbitre.players.gomocup:contestant"),
    "nboard": Kind("nboard:COMMAND", "arbitre.players.nboard:contestant"),
    "gtp": Kind("gtp:COMMAND", "arbitre.players.gtp:contestant"),
    "dxp": Kind("dxp:HOST:PORT", "arbitre.players.dxp:contestant"),
    "llm": Kind("llm:URL#MODEL", "arbitre.players.llm:contestant"),
    "http": Kind("http://…", "arbitre.tournoyons.contestants:engine", called=True),
    "https": Kind("https://…", "arbitre.tournoyons.contestants:engine", called=True),
    "human": Kind("human", "arbitre.players:person", outside=False, asks=True),
}
"""The house's kinds of players, by what stands before the colon."""


@cache
def _kinds() -> Mapping[str, Kind]:
    """Return all kinds that are installed."""
    found = dict(KINDS)
    for entry in entry_points(group=GROUP):
        kind = entry.load()
        if not isinstance(kind, Kind) or entry.name in found:
            raise CatalogueError(
                "entry point %(name)r of %(group)s leads to no Kind, or to a second one of this name",
                name=entry.name,
                group=GROUP,
            )
        found[entry.name] = kind
    return found


def kind_of(text: str) -> Kind | None:
    """Return the kind of player that a string names, None where there is none of this name."""
    name = text.partition(":")[0].lower()
    return KINDS.get(name) or _kinds().get(name)


def read_contestant(text: str, setting: Setting) -> Contestant:
    """Return the contestant that `text` names; `PlayerStringError` says what is wrong."""
    kind = kind_of(text)
    if kind is None:
        raise unknown(text, setting)
    made: Contestant = fetch(kind.make)(text, text.partition(":")[2], setting)
    return made


def refuse_starts(contestants: Iterable[Contestant], starts: Iterable[str]) -> None:
    """Refuse to begin from a position with somebody who cannot be shown one; `PlayerStringError` says who."""
    if any(starts):
        for one in contestants:
            if one.from_start:
                raise PlayerStringError("%(name)s plays from the usual start only: it cannot be shown a position", name=one.name)


def unknown(text: str, setting: Setting) -> PlayerStringError:
    """Return the error that says which players there are."""
    known = ", ".join(one.shape for one in _kinds().values() if not one.asks or setting.human is not None)
    return PlayerStringError("no player is called %(text)r; a player is one of: %(known)s", text=shorten(text), known=known)


def is_outside(text: str) -> bool:
    """Tell whether the player that `text` names lives outside this process."""
    kind = kind_of(text)
    return kind is not None and kind.outside


def is_called(text: str) -> bool:
    """Tell whether the player that `text` names is called at an address."""
    kind = kind_of(text)
    return kind is not None and kind.called


# ── the house's kinds ──────────────────────────────────────────────────────────────────────────────────────────────


def anyone(text: str, _rest: str, setting: Setting) -> Contestant:
    """Return somebody who plays at random."""
    if text != "random":
        raise unknown(text, setting)
    return Contestant(setting.name or "random", text, lambda seed: InProcess(Anyone(Random(seed)), ours=True))


def person(text: str, _rest: str, setting: Setting) -> Contestant:
    """Return the person at this terminal."""
    human = setting.human
    if text != "human" or human is None:
        raise unknown(text, setting)
    return Contestant(setting.name or "you", text, lambda _seed: human())


def house(text: str, rest: str, setting: Setting) -> Contestant:
    """Return an engine of the house."""
    game = setting.game
    if game.neutral:
        raise PlayerStringError("the house does not know how to play a game that somebody added")
    wanted, _, level = rest.partition("/")
    if wanted and listing(wanted).name != game.name:
        raise PlayerStringError("%(text)r plays %(wanted)s, not %(name)s", text=text, wanted=wanted, name=game.name)
    if level and not (level.isascii() and level.isdigit() and len(level) < 3):
        raise PlayerStringError("the level of %(text)r is a small whole number", text=text)
    make, number = house_bot(game, int(level) if level else None)
    prepare([make])
    title = f"house:{game.name}/{number}"
    return Contestant(setting.name or title, title, lambda seed: InProcess(make(Random(seed)), ours=True, aside=setting.aside))


def python(text: str, rest: str, setting: Setting) -> Contestant:
    """Return a bot in a Python file."""
    if not rest:
        raise unknown(text, setting)
    named = (rest, rest.rpartition(":")[0])
    here = setting.folder or Path()
    path = next((Path(one) for one in named if os.path.isfile(here / one)), None)  # noqa: PTH113 - Path finds some names too long
    if path is None:
        raise PlayerStringError("there is no file %(rest)r to make a player of", rest=shorten(rest))
    return on_a_pipe(text, path.stem, [sys.executable, "-m", "arbitre.bot", rest], setting)


def command(text: str, rest: str, setting: Setting) -> Contestant:
    """Return a program that speaks our line protocol."""
    if not rest:
        raise unknown(text, setting)
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise PlayerStringError(
            "the command of %(text)r cannot be read: %(error)s", text=shorten(text), error=str(error).lower()
        ) from None
    if not words:
        raise PlayerStringError("%(text)r names no command", text=shorten(text))
    return on_a_pipe(text, Path(words[0]).stem or text, words, setting)


def on_a_pipe(text: str, called: str, words: list[str], setting: Setting) -> Contestant:
    """Return a program on a pipe, `called` so unless the setting has another name."""
    shown = plain(shorten(clean(setting.name or called), LONGEST_NAME)).strip()  # a file may be called anything; a chair may not
    return Contestant(
        shorten(shown, LONGEST_NAME),
        text,
        lambda _seed: StdioPlayer(words, limits=setting.limits, folder=setting.folder, sandbox=setting.sandbox),
        outside=True,
    )
