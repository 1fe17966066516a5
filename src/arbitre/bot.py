"""What a bot's author imports.

A bot is a class with one method: it sees a position and says a move.

    from random import choice
    from arbitre.bot import Bot, run

    class Careless(Bot):
        def move(self, position):
            return choice(position.legal)

    run(Careless)

The same class plays in this process (`InProcess`), as a program on a pipe (`run` speaks the line protocol of the manual's page
"Bots on a pipe"), or behind a web address (`serve` speaks the protocol of the page "Engines by URL"). `python -m arbitre.bot
FILE[:CLASS]` runs the bot in a file, whether or not the file calls `run` itself; with `--http PORT` it serves it. A file without
such a class may have a function instead, `move(p)`, as the workshop of a site has it (`Position.plain` says what `p` holds).

Within `run`, what the bot prints goes to standard error: a forgotten `print` harms nobody. A bot with a key checks the record of
each match before it signs it, by what it was asked and answered; `--journal FOLDER` keeps that as evidence.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeGuard

from arbitre.crypto.draws import NONCE_BYTES, promise
from arbitre.errors import (
    ArbitreError,
    HouseError,
    MoveError,
    PlayerError,
    PlayerGarbledError,
    PlayerLeftError,
    PlayerStringError,
    ProtocolError,
    shorten,
)
from arbitre.games.catalogue import fetch
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.games.player import Bot, Offer, Position, Resign, TakeDraw
from arbitre.reasons import Reason, declare
from arbitre.referee.player import Agreement, Answer, Decline, Greeting, Player, SignedOpening
from arbitre.referee.terms import Opening
from arbitre.transport.pipe import Asked, BotSide, Called, FromReferee, Garbled, Offered, Refused, Shown, note_of

if TYPE_CHECKING:
    from arbitre.crypto.keys import Key
    from arbitre.transport.witness import Witness

__all__ = ["Bot", "InProcess", "Offer", "Position", "Resign", "TakeDraw", "run", "serve"]


# ── in this process ────────────────────────────────────────────────────────────────────────────────────────────────


declare(
    {
        "bot-raised": ("%(kind)s: %(text)s", "%(kind)s : %(text)s"),
        "move-is-no-text": ("a move is a text, not %(kind)s", "un coup est un texte, et non %(kind)s"),
    }
)


class InProcess(Player):
    """A bot that plays where the referee runs, trusted."""

    outside = False

    def __init__(self, bot: Bot, *, ours: bool = False, aside: bool = False) -> None:
        self.bot = bot
        self.ours = ours
        """Whether the bot is the house's own: its failure is then nobody's loss."""
        self.aside = aside
        """Whether it thinks in a thread: it must not keep the referee from hearing players outside in time."""
        self._nonce = os.urandom(NONCE_BYTES) if bot.brings_nonce else b""

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Promise a nonce, if the bot brings one."""
        if not self._nonce:
            return Greeting()
        return Greeting(promise=promise(self._nonce, opening.commitment, opening.match, seat))

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:  # noqa: ARG002 - it is our own
        """Open it."""
        return Agreement(self._nonce.hex() if self._nonce else None)

    async def ask(self, position: Position) -> Answer:
        """Let the bot think, and return what it says."""
        if not self.aside:
            return self.think(position)
        from asyncio import CancelledError, to_thread  # noqa: PLC0415 - a bot that is its own program starts sooner without

        try:
            return await to_thread(self.think, position)
        except CancelledError:
            self.bot.stop()
            raise

    def think(self, position: Position) -> Answer:
        """Return what the bot says, and how long it took."""
        begun = perf_counter()
        self.bot.remark = ""
        try:
            said: object = self.bot.move(position)
        except Resign as gave_up:
            return Answer(str(gave_up), perf_counter() - begun, resigns=True, note=self.bot.remark)
        except TakeDraw:
            return Answer("", perf_counter() - begun, takes=True, note=self.bot.remark)
        except Exception as error:
            fault = HouseError if self.ours else PlayerLeftError
            raise fault("bot-raised", kind=type(error).__name__, text=shorten(str(error), 200)) from error
        if not isinstance(said, str):
            raise PlayerGarbledError("move-is-no-text", kind=type(said).__name__)
        return Answer(said, perf_counter() - begun, offers=isinstance(said, Offer), note=self.bot.remark)


# ── on a pipe ──────────────────────────────────────────────────────────────────────────────────────────────────────


class _Conversation:
    """Plays a bot's part in one match after the other, as the lines come."""

    def __init__(self, make: Callable[[], Bot], name: str, key: "Key | None", folder: Path | None = None) -> None:
        self._make = make
        self._name = name
        self._key = key
        self._folder = folder
        self._wire = BotSide()
        self._bot: Bot | None = None
        self._notation: AnyNotation
        self._seat = Seat(0)
        self._shown = ""
        self._refused: Reason | None = None
        self._offered = False
        self._witness: Witness | None = None
        """Who checks the match, where the bot brings a key or a nonce, or keeps a journal."""

    def hear(self, data: bytes) -> Iterator[bytes]:
        """Take octets of the referee's; return what the bot says to them."""
        for event in self._wire.receive(data):
            if isinstance(event, Garbled):
                raise HouseError("the referee said %(why)s", why=event.why)
            yield from self._answer(event)

    def _answer(self, event: FromReferee) -> Iterator[bytes]:
        if isinstance(event, Called):
            yield self._hello(event)
        elif self._bot is None:
            raise HouseError("the referee said no hello")
        elif isinstance(event, Shown):
            self._shown = event.text
        elif isinstance(event, Refused):
            self._refused = event.why
        elif isinstance(event, Offered):
            self._offered = True
        elif isinstance(event, Asked):
            yield self._move(self._bot, event)
        elif self._witness is not None:
            yield from self._witness.hear(event, self._wire)

    def _hello(self, called: Called) -> bytes:
        self._notation = notation_of(find_game(called.game, dict(called.options)))
        self._seat, self._refused, self._offered, self._bot = Seat(called.seat), None, False, self._make()
        self.shut()
        if called.match and (self._key is not None or self._bot.brings_nonce or self._folder is not None):
            from arbitre.transport.witness import Witness  # noqa: PLC0415 - a bot that proves nothing starts sooner without

            self._witness = Witness(called, self._key, self._bot.brings_nonce, self._folder)
        known = None if self._witness is None else self._witness.journal.called
        return self._wire.hello(self._name, known.key if known else "", known.promise if known else "")

    def shut(self) -> None:
        """Close the journal of the last match."""
        if self._witness is not None:
            self._witness.journal.shut()
        self._witness = None

    def _move(self, bot: Bot, asked: Asked) -> bytes:
        notation, refused, self._refused = self._notation, self._refused, None
        if self._witness is not None:
            self._witness.asked(asked, self._shown, refused)
        view, offered, self._offered = notation.read_view(self._shown), self._offered, False
        position = Position(
            notation.game, notation, self._seat, asked.turn, view, asked.left, refused, asked.head, self._shown, offered
        )
        bot.remark = ""
        try:
            said = bot.move(position)
            spelt = said if self._witness is None else canonical_move(notation, said, view)
            line = self._wire.move(spelt, offers=isinstance(said, Offer))
        except Resign as gave_up:
            line = self._wire.resign(str(gave_up))
        except TakeDraw:
            line = self._wire.draw()
        note = note_of(bot.remark)
        if self._witness is not None:
            self._witness.said(line, note)
        return self._wire.info(note) + line if note else line


def canonical_move(notation: AnyNotation, said: str, view: Any) -> str:
    """Return a move as the record will hold it, for whoever compares the two in the end; what is no move stays as it is."""
    try:
        return notation.write(notation.read(said, view))
    except MoveError:
        return said


_loading = False
"""While a file is only being looked into, its own `run` waits."""


def run(make: Callable[[], Bot], key: "Key | None" = None, journal: Path | None = None) -> None:
    """Play on standard input and output, one match after the other, until the input ends.

    `make` is the bot's class. With a key (`arbitre.crypto.keys.keep`) the bot checks and signs the records of its matches. What
    it was asked and answered is kept in the folder `journal`, one file for each match.
    """
    if not _loading:
        with _output() as wire:
            _serve(make, key, wire, journal)


@contextmanager
def _output() -> Iterator[int]:
    """Set standard output apart for the protocol: whatever else is printed, by Python or from below, goes to standard error."""
    sys.stdout.flush()
    wire = os.dup(1)
    os.dup2(2, 1)
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        yield wire
    finally:
        sys.stdout = stdout
        os.dup2(wire, 1)
        os.close(wire)


def _serve(make: Callable[[], Bot], key: "Key | None", wire: int, journal: Path | None) -> None:
    conversation = _Conversation(make, getattr(make, "__name__", ""), key, journal)
    try:
        while data := os.read(0, 1 << 16):
            for line in conversation.hear(data):
                _write(wire, line)
    finally:
        conversation.shut()


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


# ── behind an address ──────────────────────────────────────────────────────────────────────────────────────────────


def mind(bot: Bot) -> Callable[[Position], str]:
    """Return what answers the questions of one game that come over the web."""

    def think(position: Position) -> str:
        try:
            return InProcess(bot).think(position).text
        except PlayerError as error:
            raise ProtocolError(error.reason) from error

    return think


def serve(make: Callable[[], Bot], port: int = 8000, *, host: str = "127.0.0.1", allow_from: Iterable[str] = ()) -> None:
    """Serve the bot as an engine at `http://HOST:PORT/`, whatever the path, until interrupted.

    `allow_from` lists the addresses that may ask, as `192.0.2.7` or `10.0.0.0/8`; without it everybody who reaches the port may.
    """
    if _loading:
        return
    from asyncio import run as run_loop  # noqa: PLC0415 - a bot on a pipe never needs it, and starts sooner

    run_loop(_served(make, port, host, allow_from))


async def _served(make: Callable[[], Bot], port: int, host: str, allow_from: Iterable[str]) -> None:
    from asyncio import Event  # noqa: PLC0415 - as in `serve`

    from arbitre.transport.guard import read_networks  # noqa: PLC0415

    make_server = fetch("arbitre.tournoyons.server:EngineServer")  # who plays on a pipe loads nothing of the web
    server = make_server(lambda _path, _set: lambda: mind(make()), host, port, allowed=read_networks(allow_from))
    async with server:
        print(f"{getattr(make, '__name__', 'the bot')} plays at http://{host}:{server.port}/", file=sys.stderr, flush=True)
        await Event().wait()


# ── python -m arbitre.bot ──────────────────────────────────────────────────────────────────────────────────────────


def load(text: str) -> type[Bot]:
    """Return the bot that `FILE[:CLASS]` names; `PlayerStringError` says what is wrong with it."""
    global _loading  # noqa: PLW0603 - a file that calls `run` when it is loaded must find it waiting
    name, wanted = (text, "") if Path(text).is_file() else (text.rpartition(":")[0], text.rpartition(":")[2])
    path = Path(name)
    if not name or not path.is_file():
        raise PlayerStringError("there is no file %(text)r to make a player of", text=text)
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise PlayerStringError("%(name)r is no Python file", name=name)
    module = module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses and pickles of the bot look their module up
    sys.path.insert(0, str(path.parent.resolve()))  # as for a script: the bot's other files lie beside it
    _loading = True
    try:
        spec.loader.exec_module(module)
    finally:
        _loading = False
    own = {one.__name__: one for one in vars(module).values() if _is_bot(one) and one.__module__ == module.__name__}
    if not wanted and len(own) == 1:
        wanted = next(iter(own))
    function = getattr(module, "move", None)
    if not own and wanted in ("", "move") and callable(function):
        return of_function(function, path.stem)
    if wanted not in own:
        there = Reason("there are %(bots)s", bots=", ".join(own)) if own else Reason("there is none")
        raise PlayerStringError(
            "which bot of %(name)r is to play? %(there)s: say %(name2)s:CLASS", name=name, there=there, name2=name
        )
    return own[wanted]


def of_function(function: Callable[[dict[str, Any]], str], name: str) -> type[Bot]:
    """Return the bot that a function is: it is given a position as plain values, and returns a move."""

    def move(self: Bot, position: Position) -> str:
        return function(position.plain(self.random))

    return type(name, (Bot,), {"move": move, "__doc__": function.__doc__})


def _is_bot(one: object) -> TypeGuard[type[Bot]]:
    return isinstance(one, type) and issubclass(one, Bot) and not getattr(one, "__abstractmethods__", None)


def _kept(path: Path | None) -> "Key | None":
    if path is None:
        return None
    from arbitre.crypto.keys import keep  # noqa: PLC0415 - most bots have none

    return keep(path)


def main(arguments: list[str]) -> int:
    """Run or serve the bot that the arguments name."""
    from argparse import ArgumentParser  # noqa: PLC0415 - a file that calls `run` itself never needs it

    parser = ArgumentParser("python -m arbitre.bot", description="Run a bot on a pipe, or serve it as an engine.")
    parser.add_argument("bot", metavar="FILE[:CLASS]")
    parser.add_argument("--key", type=Path, metavar="FILE", help="sign records with the key in this file, made on first use")
    parser.add_argument("--journal", type=Path, metavar="FOLDER", help="keep what was asked and answered, as evidence")
    parser.add_argument("--http", type=int, metavar="PORT", help="serve the bot at this port")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on [default: %(default)s]")
    parser.add_argument("--allow-from", action="append", default=[], metavar="CIDR", help="who may ask; once for each range")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    try:
        if given.http is not None:
            serve(load(given.bot), given.http, host=given.host, allow_from=given.allow_from)
        else:
            with _output() as wire:
                _serve(load(given.bot), _kept(given.key), wire, given.journal)
    except ArbitreError as error:
        print(f"arbitre: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    # The bot's file imports this module by its name: there must be one `Bot`, not a second one of `__main__`.
    sys.exit(import_module("arbitre.bot").main(sys.argv[1:]))
