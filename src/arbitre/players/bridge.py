"""Any player of a string as a bot on a pipe: an engine in its own language, or a model, wherever a bot is taken.

It hears what a referee says on a pipe and asks the player; so what plays in a tournament here also dials in to a site. It brings
a nonce, which shows it the opening: the clock, and the position that the match begins from. With a key it signs what its player
was asked and answered. Started amid a match, it is shown no opening: a clock is then taken for that of the whole game.

A player that fails ends it, with its fault as the last line of standard error: whoever started it may start it again. It leaves
when its input ends, or when it is told to (SIGTERM), and its player with it, even while that thinks.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arbitre.bot import canonical_move
from arbitre.crypto.keys import Key
from arbitre.errors import HouseError, PlayerStringError, RecordError, shorten
from arbitre.games.catalogue import game
from arbitre.games.game import AnyGame, Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.games.player import Position
from arbitre.players import Contestant, Setting, is_called, is_outside, read_contestant
from arbitre.reasons import Reason
from arbitre.records.event import read_event
from arbitre.referee.clock import Clock
from arbitre.referee.player import Player
from arbitre.referee.terms import Chair, Opening, Terms, read_opening
from arbitre.transport.pipe import Asked, BotSide, Called, FromReferee, Garbled, Offered, Opened, Refused, Shown, note_of
from arbitre.transport.witness import Witness

READY_SECONDS = 15.0
"""So long the agreement waits until the player sits: what it needs to start is then on nobody's clock."""
UNKNOWN = Clock("game", 1)
"""The clock of a match whose opening was not shown: its kind is what counts, the time left comes with each question."""
CHUNK = 1 << 16
MOST_UNHEARD = 1024
"""Chunks that wait while the player thinks: a referee says little then."""

Says = Callable[[bytes], None]


def refuse_others(text: str) -> None:
    """Refuse a string of somebody who lives in this process, at a terminal or at an address of its own."""
    if not is_outside(text) or is_called(text):
        raise PlayerStringError("%(text)r is no program or model that could speak on a pipe", text=shorten(text))


class Bridge:
    """Plays a player's part in one match after the other, as the lines come."""

    def __init__(self, text: str, says: Says, key: Key | None = None, journals: Path | None = None) -> None:
        self._text = text
        self._says = says
        self._key = key
        self._journals = journals
        self._wire = BotSide()
        self._game: AnyGame
        self._notation: AnyNotation
        self._contestant: Contestant
        self._seat = Seat(0)
        self._witness: Witness | None = None
        self._player: Player | None = None
        self._sitting: asyncio.Task[None] | None = None
        self._shown = ""
        self._refused: Reason | None = None
        self._offered = False

    async def hear(self, data: bytes) -> None:
        """Take octets of the referee's, and answer them; `PlayerError` where the player fails."""
        for event in self._wire.receive(data):
            await self._heard(event)

    async def _heard(self, event: FromReferee | Garbled) -> None:
        match event:
            case Garbled():
                raise HouseError("the referee said %(why)s", why=event.why)
            case Called():
                await self._called(event)
            case Shown():
                self._shown = event.text
            case Refused():
                self._refused = event.why
            case Offered():
                self._offered = True
            case Asked():
                await self._asked(event)
            case Opened():
                self._sit(event)
                if self._sitting is not None:
                    await asyncio.wait([self._sitting], timeout=READY_SECONDS)
                self._witnessed(event)
            case _:
                self._witnessed(event)

    def _witnessed(self, event: FromReferee) -> None:
        for line in self._witness.hear(event, self._wire) if self._witness is not None else ():
            self._says(line)

    async def _called(self, called: Called) -> None:
        await self.leave()
        self._game = game(called.game, dict(called.options))
        self._notation, self._seat = notation_of(self._game), Seat(called.seat)
        self._contestant = read_contestant(self._text, Setting(self._game))
        self._refused, self._offered = None, False
        self._witness = Witness(called, self._key, brings_nonce=True, folder=self._journals) if called.match else None
        known = None if self._witness is None else self._witness.journal.called
        self._says(self._wire.hello(self._contestant.name, known.key if known else "", known.promise if known else ""))

    def _sit(self, opened: Opened | None = None) -> None:
        """Begin to sit down, at the match that the opening calls where it is shown."""
        chairs = tuple(Chair(self._contestant.name) for _ in range(self._game.seats))
        opening = Opening("unseen", self._game, chairs, "", Terms(UNKNOWN))
        if opened is not None:
            with suppress(RecordError, UnicodeDecodeError):  # what is wrong with it is the witness's matter
                opening = read_opening(read_event(opened.text.decode()).text)
        self._player = player = self._contestant.player(os.urandom(32))
        self._sitting = asyncio.create_task(player.sit(opening, self._seat))

    async def _asked(self, asked: Asked) -> None:
        if self._witness is not None:
            self._witness.asked(asked, self._shown, self._refused)
        if self._player is None:
            self._sit()
        if self._player is None or self._sitting is None:
            raise HouseError("the referee said no hello")
        await self._sitting
        refused, self._refused, offered, self._offered = self._refused, None, self._offered, False
        view = self._notation.read_view(self._shown)
        position = Position(
            self._game, self._notation, self._seat, asked.turn, view, asked.left, refused, asked.head, self._shown, offered
        )
        await self._player.ready()
        answer = await self._player.ask(position)
        if answer.resigns:
            line = self._wire.resign(answer.text)
        elif answer.takes:
            line = self._wire.draw()
        else:
            line = self._wire.move(canonical_move(self._notation, answer.text, view), offers=answer.offers)
        note = note_of(answer.note)
        if self._witness is not None:
            self._witness.said(line, note)
        self._says((self._wire.info(note) if note else b"") + line)

    async def leave(self) -> None:
        """End the player of the last match, and close its journal."""
        player, self._player, sitting, self._sitting = self._player, None, self._sitting, None
        if sitting is not None:
            sitting.cancel()
            await asyncio.gather(sitting, return_exceptions=True)
        if player is not None:
            await player.leave()
        if self._witness is not None:
            self._witness.journal.shut()
            self._witness = None


async def serve(text: str, key: Key | None = None, journals: Path | None = None) -> None:
    """Speak on standard input and output until the input ends; `PlayerError` where the player fails."""
    refuse_others(text)
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    bridge = Bridge(text, _say, key, journals)
    heard: asyncio.Queue[bytes] = asyncio.Queue(MOST_UNHEARD)

    async def answer() -> None:
        while True:
            await bridge.hear(await heard.get())

    async def listen() -> None:
        while data := await reader.read(CHUNK):
            await heard.put(data)

    tasks = {asyncio.create_task(answer()), asyncio.create_task(listen())}
    with suppress(NotImplementedError):  # there are systems without signals
        loop.add_signal_handler(signal.SIGTERM, lambda: [one.cancel() for one in tasks])
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            if not one.cancelled():
                one.result()
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await bridge.leave()


def _say(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
