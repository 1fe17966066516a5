"""Tries an engine at an address out: shows it a position, and judges what it answers (spec: tournoyons, sections 2, 3 and 7).

The command line, the tester of the site, and the check of an address that is registered all ask here, and get one verdict. Where
no `Referee` is sent, `Game` is `TEST` and the answer is the body; an engine that calls back is sent an address that is good for
this one question, and a fresh `Game`, since it may keep what it knows by it. Whatever goes wrong is an `EngineTrial` with a
fault, never an exception; where another way of asking would do, it says which.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from secrets import token_bytes, token_hex
from time import monotonic
from typing import Any, Literal, TypeAlias
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
from arbitre.games.game import AnyGame, Awaits, Seat
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.games.positions import Preset, seats_to_move
from arbitre.games.wire import INIT
from arbitre.games.wires import engine_wire
from arbitre.reasons import Reason
from arbitre.referee.player import Player
from arbitre.referee.terms import Chair, Opening
from arbitre.tournoyons.gateway import PUBLIC, Way, is_gateway
from arbitre.tournoyons.player import FAULTS, Switchboard
from arbitre.tournoyons.slots import FAREWELL_SECONDS
from arbitre.tournoyons.trace import call_fault
from arbitre.tournoyons.wire import LEAST_SECONDS, TEST, Correspondence, Reply, Style, address
from arbitre.values import value

Proposal: TypeAlias = Literal["", "full", "direct", "back"]

GRACE_SECONDS = 1.0
"""How long a call back is waited for behind a call that failed or was refused, or whose page is a good move itself."""
REFUSED = 400
"""From this status on a call was refused."""


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
class EngineTrial:
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
    fault: Reason | None = None
    """What is wrong; None: nothing is."""
    kind: str = ""
    """`forbidden` where the address may not be called at all, `silent` where it did not answer; empty otherwise."""

    taken: bool = True
    """Whether anybody took the call: False where nobody listens, or the address may not be called."""
    came: Literal["", "body", "during", "after"] = ""
    """How the move came: in the body, or by a call back during our call or after it; empty where none came."""
    proposal: Proposal = ""
    """How it would have answered well: with the full board, in the body, or by calling back; empty where that is not known."""

    @property
    def good(self) -> bool:
        """Whether the engine answered with a legal move."""
        return self.fault is None


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


def composed(game: AnyGame, text: str, seat: Seat) -> Exercise:
    """Return a position that was composed by hand: a `Tray` as an interface shows it, with `seat` to move, or our notation."""
    text = text.strip()
    state = engine_wire(game).compose(text, seat)
    if not seats_to_move(game, state):
        raise PositionError(shorten(text), "nobody is to move here: the game is over, or cards are due")
    found = tuple(exercises(game, state, text))
    return next((one for one in found if one.seat == seat), found[0])


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
) -> EngineTrial:
    """Show an engine one position and judge its answer: in the body, or `back` by a call to an address of ours."""
    wire = Correspondence(
        game, exercise.seat, token_bytes(16), start=exercise.start, style=style, limit=max(limit, LEAST_SECONDS)
    )
    if not back or is_gateway(url):
        wire.game = TEST
        called = address(url, wire.ask(exercise.view, exercise.turn, ""))
        return _read(wire, exercise, await fetched_by_hand(board, called, limit, way=way))
    ear, handle = _Ear(wire, exercise), token_hex(8)
    referee = board.receiver.open(handle, token_hex(16), ear.hear, game=wire.game, astray=ear.strayed)
    called = address(url, wire.ask(exercise.view, exercise.turn, referee))
    try:
        return _heard(ear, await _called_back(board, called, limit, ear, way), limit)
    finally:
        board.receiver.close(handle)


async def examined(
    board: Switchboard,
    game: AnyGame,
    url: str,
    exercise: Exercise,
    style: Style,
    limit: int,
    *,
    back: bool = False,
    way: Way = PUBLIC,
) -> EngineTrial:
    """Try an engine as `tried` does and, where it takes the call and answers badly, find out how it would answer well.

    Who let the time run out is not waited for again, unless he was at least done with the call.
    """
    trial = await tried(board, game, url, exercise, style, limit, back=back, way=way)
    late = not trial.status and trial.milliseconds >= 1000 * limit
    if trial.good or trial.proposal or not trial.taken or late or is_gateway(url):
        return trial
    if _broke(trial) and f"&Tray={INIT}&" in trial.called:
        full = await tried(board, game, url, exercise, replace(style, full=True), limit, back=back, way=way)
        if full.good:
            return replace(trial, proposal="full", fault=_also(trial.fault, PROPOSALS["full"]))
    other = await tried(board, game, url, exercise, style, limit, back=not back, way=way)
    if not other.good:
        return trial
    proposal: Proposal = "direct" if back else "back"
    return replace(trial, proposal=proposal, fault=_also(trial.fault, PROPOSALS[proposal]))


PROPOSALS = {
    "full": Reason("with the board of the start written out it answers well: declare it “full board” (#full)"),
    "direct": Reason("without a Referee it shows a good move in the body: declare it direct (#direct)"),
    "back": Reason("with a Referee it calls back, and well: do not declare it direct"),
}


def _also(fault: Reason | None, hint: Reason | None) -> Reason | None:
    """Return a fault with what its author may look at."""
    return fault if fault is None or hint is None else Reason("%(fault)s; %(hint)s", fault=fault, hint=hint)


async def tried_at_the_table(game: AnyGame, player: Player, exercise: Exercise, limit: int) -> EngineTrial:
    """Show one position to a player who is no address, such as a program on a pipe, and judge its answer."""
    notation = notation_of(game)
    position = Position(game, notation, exercise.seat, exercise.turn, exercise.view, limit * 1000)
    trial = EngineTrial(f"position {position.text}", 0)
    opening = Opening(TEST, game, tuple(Chair(TEST, f"chair {seat}") for seat in range(1, game.seats + 1)), "")
    begun, sits = monotonic(), False
    try:
        await player.greet(opening, exercise.seat)
        await player.sit(opening, exercise.seat)
        begun, sits = monotonic(), True
        async with asyncio.timeout(limit):
            answer = await player.ask(position)
    except TimeoutError:
        fault = _also(Reason("no-answer-within", seconds=limit), player.silence())
        return replace(trial, milliseconds=_since(begun), kind="silent", fault=fault)
    except PlayerError as error:
        return replace(trial, milliseconds=_since(begun), kind="silent", fault=error.reason, taken=sits)
    finally:
        await player.leave()
    trial = replace(trial, milliseconds=_since(begun), said=shorten(answer.text, 200))
    if answer.resigns:
        return replace(trial, fault=Reason("it resigned"))
    try:
        move = notation.read(answer.text, exercise.view)
        game.check(exercise.view, move)
    except ArbitreError as error:
        return replace(trial, fault=error.reason)
    return replace(trial, move=notation.write(move))


async def fetched_by_hand(board: Switchboard, url: str, limit: int, *, way: Way = PUBLIC) -> EngineTrial:
    """Call an address and tell what came of it; judge nothing."""
    begun = monotonic()
    try:
        async with asyncio.timeout(limit):
            fetched = await board.fetch(url, way)
    except TimeoutError:
        return EngineTrial(url, _since(begun), kind="silent", fault=Reason("no-answer-within", seconds=limit))
    except FAULTS as error:
        kind = "forbidden" if isinstance(error, ForbiddenAddressError) else "silent"
        taken = not isinstance(error, ForbiddenAddressError | NotTakenError)
        return EngineTrial(url, _since(begun), kind=kind, fault=Reason("call-failed", why=call_fault(error)), taken=taken)
    return EngineTrial(url, _since(begun), fetched.status, fetched.body, fetched.whole)


async def _called_back(board: Switchboard, url: str, limit: int, ear: "_Ear", way: Way) -> EngineTrial:
    """Call an engine and wait until it has called back, as a match does; then our own call has a moment to come to its end."""
    begun = monotonic()
    ear.call = call = asyncio.ensure_future(fetched_by_hand(board, url, 2 * limit, way=way))
    heard = asyncio.ensure_future(ear.answered.wait())
    try:
        await asyncio.wait((call, heard), timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if call.done() and (ended := call.result()).taken:
            rest = max(0.0, begun + limit - monotonic())
            hurries = ended.fault or ended.status >= REFUSED or ear.shown(ended)
            await asyncio.wait((heard,), timeout=min(rest, GRACE_SECONDS) if hurries else rest)
        spent = _since(begun)
        if heard.done():
            await asyncio.wait((call,), timeout=FAREWELL_SECONDS)
        still = _also(Reason("no call back within %(limit)s seconds", limit=limit), Reason("still-at-work"))
        got = call.result() if call.done() else EngineTrial(url, 0, fault=still)
        return replace(got, milliseconds=spent)
    finally:
        heard.cancel()
        call.cancel()


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

    def __init__(self, wire: Correspondence, exercise: Exercise) -> None:
        self.wire = wire
        self.exercise = exercise
        self.answered = asyncio.Event()
        self.call: asyncio.Future[EngineTrial] | None = None
        """Our own call."""
        self.during = False
        """Whether it still went on when the answer came."""
        self.calls: list[str] = []
        self.refused: Reason | None = None
        """Why the last call was refused, if one was."""

    def hear(self, query: str) -> Reply:
        """Judge a call, and keep it for whoever looks."""
        reply = self.wire.hear(query)
        self._keep(query, reply)
        if reply.status != 200:
            self.refused = Reason("call-back-refused", why=reply.why)
        elif not self.answered.is_set():
            self.during = self.call is not None and not self.call.done()
            self.answered.set()
        return reply

    def strayed(self, query: str, reply: Reply) -> None:
        """Keep a call that was meant for us and is no answer: not by GET, or at the address of an earlier question."""
        self._keep(query, reply)
        self.refused = reply.why if reply.status == 405 else Reason("call-back-refused", why=reply.why)

    def _keep(self, query: str, reply: Reply) -> None:
        self.calls.append(f"{shorten(query, 300)} → {reply.status} {reply.text}")
        del self.calls[:-20]

    def shown(self, trial: EngineTrial) -> bool:
        """Tell whether the page that our own call came to is a good move itself."""
        said = self.wire.tray.read_value(trial.body.strip())
        return trial.status == 200 and trial.whole and not _judged(self.wire, self.exercise, trial, said).fault


def _heard(ear: _Ear, trial: EngineTrial, limit: int) -> EngineTrial:
    """Judge what called back, if anything did."""
    trial = replace(trial, heard=tuple(ear.calls))
    if ear.answered.is_set():
        came: Literal["during", "after"] = "during" if ear.during else "after"
        answered = replace(trial, fault=None, kind="", came=came)
        return _judged(ear.wire, ear.exercise, answered, ear.wire.taken() or "")
    if not trial.taken:
        return trial
    trial = replace(trial, kind="silent")
    if ear.shown(trial) and not ear.refused:
        fault = Reason("no call back came, but the body is a good move: this engine is to be declared direct")
        return replace(trial, fault=fault, proposal="direct")
    fault = Reason("no call back within %(limit)s seconds", limit=limit)
    if ear.refused:
        return replace(trial, fault=_also(fault, ear.refused))
    if not trial.status:
        return trial
    hint = advice(trial) if trial.status != 200 or BROKEN in trial.body else None  # what else the body is means nothing here
    ended = Reason("status %(status)s ended the call itself", status=trial.status)
    return replace(trial, fault=_also(_also(fault, ended), hint))


def _read(wire: Correspondence, exercise: Exercise, trial: EngineTrial) -> EngineTrial:
    """Judge an answer in the body."""
    if trial.fault:
        return trial
    if trial.status != 200:
        why = Reason("status %(status)s instead of 200: %(hint)s", status=trial.status, hint=advice(trial))
        return replace(trial, fault=why)
    if not trial.whole:
        return replace(trial, fault=Reason("the body is too long: show the move and nothing else"))
    judged = _judged(wire, exercise, replace(trial, came="body"), wire.take(trial.body))
    return judged if judged.good else replace(judged, fault=_also(judged.fault, advice(trial)))


BROKEN = "Traceback (most recent call last)"


def _broke(trial: EngineTrial) -> bool:
    """Tell whether an engine broke while it thought, by the looks of it."""
    return trial.status >= 500 or BROKEN in trial.body


def advice(trial: EngineTrial) -> Reason | None:
    """Say what the author of an engine may look at, by the looks of a body that is no good move; None: nothing is to be seen."""
    body = trial.body.strip()
    if trial.status in (404, 405, 501):
        return Reason("is this the path that the engine answers GET at?")
    if trial.status != 200 or BROKEN in body:
        return Reason("the engine broke while it thought: what it printed says where")
    if not body:
        return Reason("the body is empty, and where Referee is empty the move goes into the body")
    if body.startswith("<"):
        return Reason("the body is a web page: show the move and nothing else")
    if body[0] in "\"'{[" or "\n" in body:
        return Reason("show the move and nothing else: no quotes, no JSON, no other lines")
    return None


def _judged(wire: Correspondence, exercise: Exercise, trial: EngineTrial, text: str) -> EngineTrial:
    try:
        move = wire.tray.notation.read(text, exercise.view)
        wire.tray.game.check(exercise.view, move)
    except ArbitreError as error:
        return replace(trial, said=shorten(text, 200), fault=error.reason)
    return replace(trial, said=shorten(text, 200), move=wire.tray.notation.write(move))


def _since(begun: float) -> int:
    return round(1000 * (monotonic() - begun))
