"""How the string of an engine with its own language is read: settings first, then the command, as a shell has it.

`hub:depth=9 set=book=false env=OMP_NUM_THREADS=1 ./scan hub`. Settings end at the first word that is no `KEY=VALUE`:

==================  ===============================================================================================
`env=NAME=VALUE`    a variable of its environment, which is otherwise clean; as often as wanted
`set=NAME=VALUE`    an option of the engine, in its language; as often as wanted
`depth=N`           how deep it looks
`nodes=N`           at how many positions it looks
`time=SECONDS`      how long it thinks about a move where no clock runs; 1 unless depth or nodes are given
`pause=MS`          how long after an answer the next question waits: some engines lose a line that comes too soon
`folder=PATH`       where it is started, from where relative paths count
==================  ===============================================================================================

A language may have settings of its own.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from arbitre.errors import PlayerStringError, shorten
from arbitre.players import Contestant, Setting, unknown
from arbitre.players.adapter import Adapter, Language, Launch
from arbitre.records.event import clean, plain
from arbitre.referee.terms import LONGEST_NAME

SETTINGS = ("env", "set", "depth", "nodes", "time", "pause", "folder")

NUMBER = re.compile(r"[0-9]{1,12}")
SECONDS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LEADING = re.compile(r"([a-z]+)=(.*)", re.DOTALL)


def adapted(text: str, rest: str, setting: Setting, language: type[Language], own: tuple[str, ...] = ()) -> Contestant:
    """Return an engine that speaks `language`, which has settings of its `own`; `PlayerStringError` says what is wrong."""
    refuse_game(setting, language)
    launch = read_launch(text, rest, setting, own)
    return Contestant(
        called(Path(launch.command[0]).stem, setting), text, lambda _seed: Adapter(launch, language(launch)), outside=True
    )


def refuse_game(setting: Setting, language: type[Language]) -> None:
    """Refuse a game that the language does not speak of."""
    if setting.game.name not in language.games:
        raise PlayerStringError(
            "%(language)s is a language of %(games)s, not of %(name)s",
            language=language.name,
            games=", ".join(language.games),
            name=setting.game.name,
        )


def called(title: str, setting: Setting) -> str:
    """Return what an engine is called: the name that it is given, or else this."""
    return shorten(plain(shorten(clean(setting.name or title), LONGEST_NAME)), LONGEST_NAME)


def read_launch(text: str, rest: str, setting: Setting, own: tuple[str, ...] = ()) -> Launch:
    """Return how to start the engine that a string names."""
    words = _words(text, rest)
    given = list(_settings(text, words, (*SETTINGS, *own)))
    command = words[len(given) :]
    if not command:
        raise unknown(text, setting) if not given else PlayerStringError("%(text)r names no command", text=shorten(text))
    only = dict(given)
    folder = Path(only["folder"]) if "folder" in only else None
    if setting.folder is not None:
        folder = setting.folder / (folder or "")
    return Launch(
        tuple(command),
        folder,
        environment=tuple(_pair(text, "env", one, NAME) for key, one in given if key == "env"),
        options=tuple(_pair(text, "set", one) for key, one in given if key == "set"),
        depth=_number(text, only, "depth"),
        nodes=_number(text, only, "nodes"),
        time=_milliseconds(text, only),
        pause=_number(text, only, "pause") or 0,
        more=tuple((key, one) for key, one in given if key in own),
        limits=setting.limits,
        sandbox=setting.sandbox,
    )


def read_settings(text: str, rest: str, known: tuple[str, ...]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the settings at the beginning of a string, all of them `known`, and the words behind them."""
    words = _words(text, rest)
    given = list(_settings(text, words, known))
    return given, words[len(given) :]


def _words(text: str, rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise PlayerStringError(
            "the command of %(text)r cannot be read: %(error)s", text=shorten(text), error=str(error).lower()
        ) from None


def _settings(text: str, words: list[str], known: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for word in words:
        found = LEADING.fullmatch(word)
        if found is None:
            return
        if found[1] not in known:
            raise PlayerStringError(
                "%(text)r: %(key)r is no setting; there are %(known)s",
                text=shorten(text),
                key=shorten(found[1]),
                known=", ".join(known),
            )
        yield found[1], found[2]


def _pair(text: str, key: str, given: str, name: re.Pattern[str] | None = None) -> tuple[str, str]:
    named, equals, worth = given.partition("=")
    printable = given.isprintable()
    if not equals or not named or not printable or (name is not None and not name.fullmatch(named)):
        raise PlayerStringError(
            "%(text)r: write %(key)s=NAME=VALUE, not %(given)r", text=shorten(text), key=key, given=shorten(given)
        )
    return named, worth


def _number(text: str, given: dict[str, str], key: str) -> int | None:
    if key not in given:
        return None
    if not NUMBER.fullmatch(given[key]):
        raise PlayerStringError(
            "%(text)r: %(key)s is a whole number, not %(given)r", text=shorten(text), key=key, given=shorten(given[key])
        )
    return int(given[key])


def _milliseconds(text: str, given: dict[str, str]) -> int | None:
    if "time" not in given:
        return None
    if not SECONDS.fullmatch(given["time"]):
        raise PlayerStringError("%(text)r: time is seconds, not %(given)r", text=shorten(text), given=shorten(given["time"]))
    return max(1, round(1000 * float(given["time"])))
