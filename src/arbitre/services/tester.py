"""Tries an engine at an address out: shows it a position, and judges what it answers (spec: tournoyons, sections 2, 3 and 7).

The command line, the tester of the site, and the check of an address that is registered all ask here. A tester says `Game=TEST`
and sends no `Referee`, and the answer is the body; an engine that only ever calls back may be tried so too, with an address that
is good for this one question. Whatever goes wrong is a `Trial` with a fault, never an exception.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from secrets import token_bytes, token_hex
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from arbitre.errors import (
    ArbitreError,
    ForbiddenAddressError,
    NotTakenError,
    PlayerError,
    PositionError,
    ProtocolError,
    shorten,
)
from arbitre.notation.notation import notation_of
from arbitre.protocol.tournoyons import LEAST_SECONDS, TEST, Correspondence, Reply, Style, address
from arbitre.protocol.tray import Wire
from arbitre.protocol.trays import TRAYS
from arbitre.referee.player import Player, Position
from arbitre.referee.terms import Chair, Opening
from arbitre.rules.added import SEPARATOR, Added, Course, unfit_tray
from arbitre.rules.game import AnyGame, Awaits, Seat, value
from arbitre.services.positions import Preset, seats_to_move
from arbitre.transport.gateway import PUBLIC, Way, is_gateway
from arbitre.transport.http import FAULTS, Switchboard
from arbitre.transport.trace import call_fault


@value
class Exercise:
    """A position that an engine is shown."""

    title: str
    start: str
    """The position in the game's notation, empty for the usual start."""
    seat: Seat
    turn: int
    view: Any
    state: Any
    """The whole truth, for whoever draws what a move does."""


@value
class Trial:
    """What came of showing a position to an engine."""

    called: str
    """The address as it was called."""
    milliseconds: int
    status: int = 0
    """The status of the answer; 0 where there was none."""
    body: str = ""
    whole: bool = True
    """Whether the body ended within what is read of it."""
    said: str | None = None
    """The `Value`, from the body or from the call back; None where there was none."""
    heard: tuple[str, ...] = ()
    """What called back, and what it was told."""
    move: str = ""
    """The move as our notation writes it, where it is a good one."""
    fault: str = ""
    """What is wrong; empty: nothing is."""
    kind: str = ""
    """`forbidden` where the address may not be called at all, `silent` where it did not answer; empty otherwise."""

    taken: bool = True
    """Whether anybody took the call: False where nobody listens, or the address may not be called."""

    @property
    def good(self) -> bool:
        """Whether the engine answered with a legal move."""
        return not self.fault


# ── positions ──────────────────────────────────────────────────────────────────────────────────────────────────────


def exercises(game: AnyGame, state: Any, title: str, start: str | None = None) -> Iterator[Exercise]:
    """Return a position for each seat that is to move in it; `ProtocolError` where nobody is."""
    phase = game.phase(state)
    if not isinstance(phase, Awaits):
        raise ProtocolError("nobody is to move in this position")
    text = notation_of(game).write_state(state) if start is None else start
    for seat in sorted(phase.seats):
        yield Exercise(title, text, seat, phase.turn, game.view(state, seat), state)


def preset_exercises(game: AnyGame, preset: Preset) -> tuple[Exercise, ...]:
    """Return a preset for each seat that is to move in it."""
    usual = not preset.text and not preset.line
    return tuple(exercises(game, preset.states(game)[-1], preset.key, "" if usual else None))


MARKS = {
    "tictactoe": str.maketrans("34", "12"),
    "pente": str.maketrans("34569", "12000"),
    "reversi": str.maketrans("1278", "0034"),
}
"""What interfaces mark on their trays beside the pieces, read as the pieces themselves."""


def composed(game: AnyGame, text: str, seat: Seat) -> Exercise:
    """Return a position that was composed by hand: a `Tray` as an interface shows it, with `seat` to move, or our notation."""
    text = text.strip()
    if isinstance(game, Added):
        state = _from_added(game, text, seat)
    else:
        state = _from_tray(game, text, seat) if text.isascii() and text.isdigit() else notation_of(game).read_state(text)
    if not seats_to_move(game, state):
        raise PositionError(shorten(text), "nobody is to move here: the game is over, or cards are due")
    found = tuple(exercises(game, state, text))
    return next((one for one in found if one.seat == seat), found[0])


def _from_added(game: Added, text: str, seat: Seat) -> Course:
    """Return a position of an added game: in our notation, or a tray as its referee writes them."""
    with suppress(PositionError):
        return notation_of(game).read_state(text)  # type: ignore[no-any-return]
    if why := unfit_tray(text, game.boards):
        raise PositionError(shorten(text), why)
    first = 1 if game.boards == 1 else 3  # behind the preparations
    return Course(first + (0 if game.simultaneous else seat), tuple(text.split(SEPARATOR)))


def _from_tray(game: AnyGame, text: str, seat: Seat) -> Any:
    if game.hides or game.name == "rochambeau":
        raise PositionError(
            shorten(text), "a tray of this game does not tell the whole position: write it in the game's notation"
        )
    cells = text.translate(MARKS.get(game.name, {}))
    stones = sum(cell != "0" for cell in cells)
    turn = 1 + seat if game.name != "pente" else stones + 1
    return TRAYS[game.name](game).read(Wire(seat, turn if turn % 2 == (seat + 1) % 2 else turn + 1, cells), None)


# ── trying ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def tried(
    board: Switchboard,
    game: AnyGame,
    url: str,
    exercise: Exercise,
    style: Style,
    limit: int,
    *,
    back: bool = False,
    way: Way = PUBLIC,
) -> Trial:
    """Show an engine one position and judge its answer: in the body, or `back` by a call to an address of ours."""
    back = back and not is_gateway(url)
    wire = Correspondence(
        game, exercise.seat, token_bytes(16), start=exercise.start, style=style, limit=max(limit, LEAST_SECONDS)
    )
    wire.game = TEST
    ear = _Ear(wire)
    handle = token_hex(8)
    referee = board.receiver.open(handle, token_hex(16), ear.hear) if back else ""
    called = address(url, wire.ask(exercise.view, exercise.turn, referee))
    try:
        trial = await fetched_by_hand(board, called, limit, ear.answered if back else None, way=way)
    finally:
        if back:
            board.receiver.close(handle)
    return _heard(exercise, ear, trial) if back else _read(wire, exercise, trial)


async def tried_at_the_table(game: AnyGame, player: Player, exercise: Exercise, limit: int) -> Trial:
    """Show one position to a player who is no address, such as a program on a pipe, and judge its answer."""
    notation = notation_of(game)
    position = Position(game, notation, exercise.seat, exercise.turn, exercise.view, limit * 1000)
    trial = Trial(f"position {position.text}", 0)
    opening = Opening(TEST, game, tuple(Chair(TEST, f"chair {seat}") for seat in range(1, game.seats + 1)), "")
    begun, sits = monotonic(), False
    try:
        await player.greet(game, exercise.seat)
        await player.sit(opening, exercise.seat)
        begun, sits = monotonic(), True
        async with asyncio.timeout(limit):
            answer = await player.ask(position)
    except TimeoutError:
        why = player.silence()
        return replace(trial, milliseconds=_since(begun), kind="silent", fault=f"no answer within {limit} seconds; {why}")
    except PlayerError as error:
        return replace(trial, milliseconds=_since(begun), kind="silent", fault=str(error), taken=sits)
    finally:
        await player.leave()
    trial = replace(trial, milliseconds=_since(begun), said=shorten(answer.text, 200))
    if answer.resigns:
        return replace(trial, fault="it resigned")
    try:
        move = notation.read(answer.text, exercise.view)
        game.check(exercise.view, move)
    except ArbitreError as error:
        return replace(trial, fault=str(error))
    return replace(trial, move=notation.write(move))


async def fetched_by_hand(
    board: Switchboard, url: str, limit: int, answered: asyncio.Event | None = None, *, way: Way = PUBLIC
) -> Trial:
    """Call an address, wait until it was answered elsewhere where it will be, and tell what came of it; judge nothing."""
    begun = monotonic()
    got = Trial(url, 0)
    try:
        async with asyncio.timeout(limit):
            fetched = await board.fetch(url, way)
            got = Trial(url, _since(begun), fetched.status, fetched.body, fetched.whole)
            if answered is not None:
                await answered.wait()
    except TimeoutError:
        return replace(got, milliseconds=_since(begun), kind="silent", fault=f"no answer within {limit} seconds")
    except FAULTS as error:
        kind = "forbidden" if isinstance(error, ForbiddenAddressError) else "silent"
        taken = not isinstance(error, ForbiddenAddressError | NotTakenError)
        return replace(got, milliseconds=_since(begun), kind=kind, fault=f"the call failed: {call_fault(error)}", taken=taken)
    return replace(got, milliseconds=_since(begun))


SAFE = {"Game": TEST, "Referee": ""}
"""What every repeated call says."""

UNSAFE = ("ReturnURL",)
"""Where an external referee would answer a live question: it is emptied too."""


def harmless(url: str) -> str:
    """Return the address of a call that was made, made harmless: `Game=TEST` and an empty `Referee`, the rest as it was."""
    parts = urlsplit(url)
    pairs = [pair for pair in parts.query.split("&") if pair]
    kept = [f"{key}={SAFE.get(key, '')}" if (key := pair.partition("=")[0]) in (*SAFE, *UNSAFE) else pair for pair in pairs]
    missing = [f"{key}={text}" for key, text in SAFE.items() if not any(one.startswith(f"{key}=") for one in kept)]
    return parts._replace(query="&".join([*kept, *missing]), fragment="").geturl()


class _Ear:
    """Hears what calls back while an engine is tried."""

    def __init__(self, wire: Correspondence) -> None:
        self.wire = wire
        self.answered = asyncio.Event()
        self.calls: list[str] = []
        self.refused = ""
        """Why the last call was refused, if one was."""

    def hear(self, query: str) -> Reply:
        """Judge a call, and keep it for whoever looks."""
        reply = self.wire.hear(query)
        self.calls.append(f"{shorten(query, 300)} → {reply.status} {reply.text}")
        del self.calls[:-20]
        if reply.status == 200:
            self.answered.set()
        else:
            self.refused = reply.text
        return reply


def _heard(exercise: Exercise, ear: _Ear, trial: Trial) -> Trial:
    """Judge what called back, if anything did."""
    trial = replace(trial, heard=tuple(ear.calls))
    if ear.answered.is_set():
        return _judged(ear.wire, exercise, replace(trial, fault="", kind=""), ear.wire.taken() or "")
    if (
        trial.status == 200
        and trial.whole
        and _judged(ear.wire, exercise, trial, ear.wire.tray.read_value(trial.body.strip())).move
    ):
        return replace(trial, fault="no call back came, but the body is a good move: this engine is to be declared direct")
    if trial.kind == "silent" and trial.status:
        fault = trial.fault.replace("no answer", "no call back")
        if ear.refused:
            return replace(trial, fault=f"{fault}; a call back was refused: {ear.refused}")
        hint = advice(trial) if trial.status != 200 or BROKEN in trial.body else ""  # what else the body is means nothing here
        fault = f"{fault}; the call itself ended with status {trial.status}"
        return replace(trial, fault=f"{fault}; {hint}" if hint else fault)
    return trial


def _read(wire: Correspondence, exercise: Exercise, trial: Trial) -> Trial:
    """Judge an answer in the body."""
    if trial.fault:
        return trial
    if trial.status != 200:
        hint = advice(trial)
        return replace(trial, fault=f"status {trial.status} instead of 200: {hint}")
    if not trial.whole:
        return replace(trial, fault="the body is too long; show the move and nothing else")
    judged = _judged(wire, exercise, trial, wire.take(trial.body))
    return replace(judged, fault=f"{judged.fault}; {hint}") if judged.fault and (hint := advice(trial)) else judged


BROKEN = "Traceback (most recent call last)"


def advice(trial: Trial) -> str:
    """Say what whoever wrote an engine may look at, by the looks of a body that is no good move; empty: nothing is to be seen."""
    body = trial.body.strip()
    if trial.status in (404, 405, 501):
        return "is this the path that the engine answers GET at?"
    if trial.status != 200 or BROKEN in body:
        return "the engine broke while it thought; what it printed says where"
    if not body:
        return "the body is empty, and where Referee is empty the move goes into the body"
    if body.startswith("<"):
        return "the body is a web page: show the move and nothing else"
    if body[0] in "\"'{[" or "\n" in body:
        return "show the move and nothing else: no quotes, no JSON, no other lines"
    return ""


def _judged(wire: Correspondence, exercise: Exercise, trial: Trial, text: str) -> Trial:
    try:
        move = wire.tray.notation.read(text, exercise.view)
        wire.tray.game.check(exercise.view, move)
    except ArbitreError as error:
        return replace(trial, said=shorten(text, 200), fault=str(error))
    return replace(trial, said=shorten(text, 200), move=wire.tray.notation.write(move))


def _since(begun: float) -> int:
    return round(1000 * (monotonic() - begun))
