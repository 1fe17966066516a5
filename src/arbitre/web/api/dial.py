"""Engines that call us: their questions as a stream or one by one, their answers, their tokens (the manual's page "Dial-in").

A question is what the referee says on a pipe, so a program that plays on a pipe plays here. No proxy on the way is to keep a
stream back or to compress it: its head says so, and an empty line comes at once and with every beat.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Annotated, Any, Literal

from litestar import Request, Response, delete, get, post
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.response import Stream
from msgspec import Meta, Struct
from msgspec.json import encode

from arbitre.site import dial, lending, lesson
from arbitre.site.arena.arena import NAME_LENGTH
from arbitre.site.arena.dialing import MOST_HELD
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, bearer, dialling, played_for, repeatable, with_engine, with_token
from arbitre.web.api.engines import EngineForm, engine_form
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.gather import gathered
from arbitre.web.visit import Visit

HELD = f"^([0-9a-f]{{{NAME_LENGTH}}}/[0-9]{{1,2}} ?){{0,{MOST_HELD}}}$"
"""Seats at matches: all that a listener may hold fit into an address."""
HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
LINES = "application/x-ndjson"

EngineName = Annotated[str, PathParameter(max_length=60, description="its number, its permanent identifier, its name, or me")]
Listener = Annotated[
    str,
    QueryParameter(
        max_length=dial.LONGEST_LISTENER, description="who listens: a match stays with the same one, also after a cut"
    ),
]


class Before(Struct):
    """What a seat saw and said before."""

    position: str
    said: str


class QuestionForm(Struct):
    """What an engine is asked, or told in the end, in the words of the pipe."""

    id: str
    """What the answer names; the same where the question comes again."""
    n: int
    """Rises; send the last one as `after`."""
    match: str
    """The match and the seat: one program plays it."""
    what: Literal["hello", "opening", "ask", "end", "record"]
    text: str
    """The lines, as the referee says them on a pipe."""
    hello: str
    """The line with which the match begins on a pipe, for a program that is started now."""
    any: str
    """Some legal move, drawn at random, where they cannot be listed; empty where `ask` lists them."""
    answers: bool
    """Whether an answer is waited for."""
    history: list[Before] = []
    """What the seat saw and said before, where the match was another listener's."""


class AnswerForm(Struct, forbid_unknown_fields=True):
    """The answer to a question: a line as a bot says it on a pipe, or just a move."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]
    said: Annotated[str, Meta(max_length=65_536)] = ""
    """`move TEXT`, `offer TEXT`, `draw`, `resign`, `hello 2 NAME`, `agree …`, `sign …`, `decline …`."""
    move: Annotated[str, Meta(max_length=8_192)] = ""
    """A move, instead of `said`."""
    note: Annotated[str, Meta(max_length=4_096)] = ""
    """What is said about the move, as `info` says it on a pipe: sealed until the end."""


class AcceptedForm(Struct):
    """An answer was accepted, and is durable."""

    id: str


class Practice(Struct, forbid_unknown_fields=True):
    """A game against the house."""

    level: Annotated[int, Meta(ge=1, le=20)] | None = 1
    """How well the house plays."""


class PracticeForm(Struct):
    """A game that has begun."""

    match: str
    url: str
    """Where people watch it."""


class EngineTokenForm(Struct):
    """The token of an engine, shown this once."""

    token: str


def question_form(one: dial.Question) -> QuestionForm:
    """Return a question as programs read it."""
    before = [Before(*pair) for pair in dial.heard(one)]
    return QuestionForm(one.id, one.number, one.match, one.what, one.text, one.hello, one.some, one.due is not None, before)


@get("/api/engines/{name:str}/questions", media_type=LINES, **with_engine(409, line=QuestionForm, runner=True))
async def listen_questions(
    house: OurHouse,
    visit: ThisVisit,
    request: Request[Any, Any, Any],
    name: EngineName,
    listener: Listener = "",
    after: After = 0,
    holds: Annotated[
        str, QueryParameter(pattern=HELD, description="the matches that the listener plays, with spaces between")
    ] = "",
    wait: Annotated[
        int | None,
        QueryParameter(ge=0, le=dial.LONGEST_WAIT, description="answer with one question, or none, within so many seconds"),
    ] = None,
) -> Stream:
    """Hear what an engine is asked: one JSON object a line, an empty line with every beat, until the line is cut.

    With `wait` the answer ends with the first question, or without one when the seconds are over.
    """
    engine = await played_for(house, visit, name)
    listener = _listener(visit, listener)
    dial.check_listener(house, engine, listener)

    def still() -> bool:
        return dial.good(house, visit.secret) if visit.bearer is None else lending.good(house, visit.bearer, engine)

    async def lines() -> AsyncGenerator[bytes, None]:
        async with aclosing(dial.questions(house, engine, still, listener, after, holds.split())) as asked:
            async for one in asked:
                yield _line(one)

    told = gathered(house, request.scope, lines())
    if wait is not None:
        found = await _first(told, wait)
        return Stream(iter(found), media_type=LINES, headers=HEADERS)
    return Stream(told, media_type=LINES, headers=HEADERS)


async def _first(told: AsyncGenerator[bytes, None], seconds: float) -> list[bytes]:
    """Return the first question that comes, or nothing after so many seconds."""
    async with aclosing(told):
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for line in told:
                    if line != b"\n":
                        return [line]
    return []


@delete("/api/engines/{name:str}/questions", status_code=204, **with_engine(runner=True))
async def leave_questions(house: OurHouse, visit: ThisVisit, name: EngineName, listener: Listener = "") -> None:
    """Stop listening: the matches of a listener go on with another at once, or wait for the next who comes."""
    dial.leave(house, await played_for(house, visit, name), _listener(visit, listener))


def _listener(visit: Visit, name: str) -> str:
    return name if visit.bearer is None else lending.listener_of(visit.bearer, name)


def _line(one: dial.Question | None) -> bytes:
    return b"\n" if one is None else encode(question_form(one)) + b"\n"


@post("/api/engines/{name:str}/answers", status_code=200, **with_engine(410, runner=True))
async def answer_question(house: OurHouse, visit: ThisVisit, name: EngineName, data: JSONBody[AnswerForm]) -> AcceptedForm:
    """Answer a question, and hear that the answer is durable; the same answer once more is no error."""
    await dial.answer(house, await played_for(house, visit, name), data.id, data.said or f"move {data.move}", data.note)
    return AcceptedForm(data.id)


@post("/api/engines/{name:str}/practice", status_code=201, **with_engine(409))
async def practise_engine(house: OurHouse, visit: ThisVisit, name: EngineName, data: JSONBody[Practice]) -> PracticeForm:
    """Begin a game against the house for an engine that somebody listens for."""
    begun = await lesson.practise(house, dialling(visit, name), data.level)
    return PracticeForm(begun.name, f"{house.settings.public}/games/{begun.name}")


@get("/api/engines/{name:str}/dial.py", media_type="text/x-python", **with_engine())
async def get_dial_program(house: OurHouse, visit: ThisVisit, name: EngineName) -> Response[str]:
    """Return a program of one file, in Python alone, that plays for the engine at once; its token is in it."""
    text = dial.handout(house, dialling(visit, name), visit.secret)
    return Response(text, media_type="text/x-python", headers={"Cache-Control": "no-store"})


@post("/api/engines/{number:int}/token", status_code=201, **repeatable(Scope.ENGINES))
async def mint_engine_token(house: OurHouse, visit: ThisVisit, number: Number) -> EngineTokenForm:
    """Make the token of an engine of one's own that calls us; the one before it ends at once."""
    return EngineTokenForm(await dial.mint(house, bearer(visit), number))


@delete("/api/engines/{number:int}/token", status_code=200, **with_token(Scope.ENGINES))
async def revoke_engine_token(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """End the token of an engine of one's own; whoever listens with it is hung up on at once."""
    return engine_form(house, await dial.revoke(house, bearer(visit), number), visit)
