"""Matches for programs: call one, look, answer, resign, follow it line by line, take the record.

To call a match twice with the same `Idempotency-Key` is to call it once: its name follows from the account and the key.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from json import loads
from typing import Annotated, Any, Literal

from litestar import MediaType, Response, get, post
from litestar.exceptions import HTTPException
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from litestar.response import Stream
from msgspec import Meta, Struct
from msgspec.json import decode
from msgspec.structs import asdict

from arbitre.errors import ArenaError, UnknownRecordError
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import Eye as GameEye
from arbitre.games.game import Seat
from arbitre.games.grammar import schemas_of
from arbitre.games.labels import label_of
from arbitre.records.event import LONGEST_NOTE
from arbitre.referee.clock import read_clock
from arbitre.referee.verify import one_line
from arbitre.site import matches, proofs, seating
from arbitre.site.arena.arena import NAME_LENGTH
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.caller import Caller
from arbitre.site.games import runs_referee
from arbitre.site.rulings import ruling_on
from arbitre.site.tokens import Scope
from arbitre.web.api.common import PAGE, After, bearer, open_to_all, repeatable, streamed, with_token
from arbitre.web.api.forms import GameName, Id, Page, Position, Short
from arbitre.web.api.ruling import RulingForm, ruling_form
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.lists import all_names
from arbitre.web.scenes import teller_of, told_for
from arbitre.web.visit import Visit

Name = Annotated[str, PathParameter(pattern=f"^[0-9a-f]{{{NAME_LENGTH}}}$", description="the name of a match")]


Move = Annotated[str, Meta(min_length=1, max_length=200)]
MOST_WAIT = 25
"""Seconds for which a question may be waited for: lines between machines are cut that are quiet for long."""


class Sitter(Struct, forbid_unknown_fields=True):
    """Who sits down: a player of the house at a level, a registered engine by its number, me, or whoever gets the link."""

    who: Literal["house", "engine", "me", "friend"]
    level: Annotated[int, Meta(ge=1, le=99)] | None = None
    engine: Id | None = None


class NewMatch(Struct, forbid_unknown_fields=True):
    """A match to be played."""

    game: GameName
    seats: Annotated[list[Sitter], Meta(min_length=2, max_length=2)]
    options: dict[str, str | int | bool] = {}
    """Options of the game that are not as usual; `list_games` names them."""
    start: Position = ""
    """A position in the game's notation; empty: the usual start."""
    clock: Annotated[str, Meta(max_length=30, examples=["10s/move", "3m+2s"])] = "none"
    """A time limit: `10s/move`, `3m+2s`, `none`."""
    limit: Annotated[int, Meta(ge=4, le=54)] = 54
    """Seconds that an engine has for a move."""
    stepped: bool = False
    """Whether each move waits for `step_match`."""
    hidden: bool = False
    """Whether only whoever has its name finds it."""
    title: Short = ""
    """What it is kept under."""


class VerdictForm(Struct):
    """The referee's last word, as the record has it."""

    termination: str
    """How the match stopped: `rules`, `resigned`, `out-of-time`, `illegal-move`, `protocol-error`, `disconnected`, …"""
    scores: list[str] | None
    """The score of each seat, `1`, `1/2` or `0`; null where there is no result."""
    reason: dict[str, Any]
    """Why: a code, and its fields beside it."""
    tally: list[int]
    """What each has counted, in games that count something."""
    words: str | None = None
    """The whole in a sentence, in the language of whoever follows."""


class CommittedForm(Struct):
    """What the referee has fixed before the first word: what a promise of a nonce is bound to."""

    match: str
    commitment: str
    """To the seed of all draws."""
    referee: str
    """The public key that will seal the record."""


class MatchForm(Struct):
    """A match."""

    name: str
    number: int
    game: str
    title: str
    state: Literal["waiting", "playing", "decided", "over"]
    """`decided`: the verdict is there, and the record is sealed when the event is over."""
    players: list[str]
    url: str
    seats: list[int]
    """Where the one who asks sits."""
    verdict: VerdictForm | None = None
    """When the match is decided, or over."""
    head: str | None = None
    """The head of the sealed record."""
    committed: CommittedForm | None = None
    """While the match is being played."""
    referee: str | None = None
    """Of an added game: who runs its referee, on whose word the verdict rests."""


class MovedForm(MatchForm):
    """A match after one's move, and what the referee said to it."""

    ruling: RulingForm | None = None


class Turn(Struct):
    """What a person who plays is asked."""

    asked: bool
    seat: int | None = None
    turn: int | None = None
    ticket: str | None = None
    """Answers this question and no other; sent twice with the same move it counts once."""
    position: str | None = None
    legal: list[str] | None = None
    head: str | None = None
    """The head of the record's chain behind this question: it fixes everything said so far, and must be found in the record."""
    offered: bool | None = None
    """Whether the other offers a draw."""
    spelling: dict[str, Any] | None = None
    """How a move is spelt, a JSON schema with examples, where the moves are too many to list."""


class LineForm(Struct):
    """Something that was said or happened in a match."""

    kind: str
    """`said` for a move, `ended` for the verdict; else what happened, which `label` has in words."""
    seat: int
    """Whose it is; -1: nobody's."""
    text: str
    turn: int | None = None
    label: str | None = None
    words: str | None = None
    """What a move did, in the reader's language."""
    instead: bool | None = None
    """Whether those words say all of it, so that `text` need not stand before them."""


class SceneForm(Struct):
    """A scene of a match, as the seat that looks may see it."""

    n: int
    """Its number: what to send as `after` where the stream was cut."""
    turn: int
    lines: list[LineForm]
    awaits: list[int]
    """The seats that are asked."""
    left: list[int] | None
    """Milliseconds that each has left, where a clock runs."""
    asks: bool
    """Whether the seat that looks is asked: `…/turn` has the question."""
    closed: bool
    """Whether this is the last."""
    scores: list[int] | None = None
    """How both players stand, where the game counts something."""
    query: str | None = None
    """What an interface is asked to show."""
    past: str | None = None
    """The same board for an interface when the question that stands in `query` was answered: nobody is asked."""
    between: str | None = None
    """What an interface may show before that: a position on the way."""
    moment: int | None = None
    """Which moment of the record it is: when the match is over, and before where its game has no secrets."""
    since: int | None = None
    """Milliseconds since the question was asked, where a clock runs."""
    frame: str | None = None
    """The page of a referee of an added game who answers in the browser."""
    verdict: VerdictForm | None = None


class Said(Struct, forbid_unknown_fields=True):
    """A move."""

    move: Move
    ticket: Annotated[str, Meta(max_length=64)] = ""
    """Which question it answers; empty: the one that is open now."""
    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] = ""
    """What one says about the move: kept beside it in the record, sealed until the end, never judged."""


async def match_form(house: WebApp, sitting: ArenaMatch, caller: Caller) -> MatchForm:
    """Return a match, as programs read it."""
    (names,) = await all_names(house, (sitting.plan,))
    return await asyncio.to_thread(_filled, house, sitting, names, caller)


def _filled(house: WebApp, sitting: ArenaMatch, names: tuple[str, ...], caller: Caller) -> MatchForm:
    row = house.store.match(sitting.name) if sitting.state in ("decided", "over") else None
    return MatchForm(
        sitting.name,
        sitting.number,
        sitting.plan.game.name,
        sitting.title,
        sitting.state,
        list(names),
        f"{house.settings.public}/games/{sitting.name}",
        sorted(caller.seats(sitting.plan)),
        None if row is None or row.verdict is None else decode(row.verdict, type=VerdictForm),
        None if row is None or row.seal is None else str(loads(row.seal)["head"]),
        _committed(house, sitting),
        runs_referee(house, label_of(sitting.plan.game)),
    )


def _committed(house: WebApp, sitting: ArenaMatch) -> CommittedForm | None:
    """Return what the referee has committed to, of a match that is being played."""
    opening = matches.opening(house, sitting)
    if opening is None:
        return None
    return CommittedForm(opening.match, opening.commitment, opening.referee)


@get("/api/matches", **open_to_all())
async def list_matches(
    house: OurHouse,
    visit: ThisVisit,
    stage: Annotated[
        Literal["waiting", "playing", "decided", "over"] | None, QueryParameter(name="state", description="only in this state")
    ] = None,
    game: Annotated[str, QueryParameter(max_length=60, description="only of this game")] = "",
    words: Annotated[str, QueryParameter(max_length=60, description="part of a title or of a player's name")] = "",
    mine: Annotated[bool, QueryParameter(description="those of the account of the token")] = False,
    after: After = 0,
) -> Page[MatchForm]:
    """List matches that anybody may find, or one's own, the newest first."""
    owner = bearer(visit).id if mine else None
    found = await matches.search(house, state=stage, owner=owner, words=words, game=game, after=after, most=PAGE + 1)
    shown = found[:PAGE]
    names = await all_names(house, tuple(one.plan for one in shown))
    filled = ((house, one, known, visit.caller) for one, known in zip(shown, names, strict=True))
    items = await asyncio.to_thread(lambda: [_filled(*one) for one in filled])
    return Page(items, shown[-1].number if len(found) > PAGE else None)


@post("/api/matches", status_code=201, **with_token(Scope.PLAY, 404))
async def call_match(
    house: OurHouse,
    visit: ThisVisit,
    data: JSONBody[NewMatch],
    key: Annotated[
        str, HeaderParameter(name="Idempotency-Key", max_length=64, description="the same key calls the same match once")
    ] = "",
) -> MatchForm:
    """Call a match; it begins when no chair is free."""
    wish = seating.Wish(
        find_game(data.game, data.options),
        tuple(map(_chosen, data.seats)),
        data.start.strip(),
        read_clock(data.clock),
        data.limit,
        data.stepped,
        data.hidden,
        data.title,
    )
    return await call_once(house, visit, wish, key)


def _chosen(form: Sitter) -> seating.Chosen:
    if form.who == "engine" and form.engine is None:
        raise ArenaError("an engine sits down by its number: engine is missing")
    return seating.Chosen(form.who, form.engine if form.who == "engine" else form.level)


async def call_once(house: WebApp, visit: Visit, wish: seating.Wish, key: str) -> MatchForm:
    """Call a match, once however often it is asked for under one key."""
    # with a secret of ours: whoever guesses a key does not find the address of a game that is not listed
    name = visit.signer.mark("match", f"{bearer(visit).id}/{key}")[:NAME_LENGTH] if key else ""
    with suppress(UnknownRecordError):
        before = house.arena.sitting(name)
        if (before.plan.game, before.plan.start) != (wish.game, wish.start):
            raise HTTPException("this Idempotency-Key was used for another match", status_code=409)
        return await match_form(house, before, visit.caller)
    return await match_form(house, await seating.begin(house, visit.caller, wish, name), visit.caller)


@get("/api/matches/{name:str}", **open_to_all())
async def get_match(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Return one match."""
    return await match_form(house, matches.find(house, visit.caller, name), visit.caller)


@get("/api/matches/{name:str}/turn", **with_token(Scope.PLAY))
async def get_turn(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    wait: Annotated[
        int, QueryParameter(ge=0, le=MOST_WAIT, description="seconds to wait until one is asked, or the match is over")
    ] = 0,
) -> Turn:
    """Return what one is asked: the position as one's own seat sees it, and the moves that may be said."""
    asked = await matches.asked_soon(house, visit.caller, name, wait)
    if asked is None:
        return Turn(False)
    seat, ticket, position = asked
    listed = matches.listed(position)
    return Turn(
        True,
        seat,
        position.turn,
        ticket,
        position.text,
        listed,
        position.head,
        matches.offered(house, name, seat),
        schemas_of(position.game, visit.language)["move"] if listed is None else None,
    )


@post("/api/matches/{name:str}/move", status_code=200, **repeatable(Scope.PLAY))
async def say_move(house: OurHouse, visit: ThisVisit, name: Name, data: JSONBody[Said]) -> MovedForm:
    """Say a move and hear the ruling; with a ticket it answers that question and no other, and may be repeated.

    What is no move that may be said is refused with its reason and `again`: the question stays open. The umpire of Kriegspiel
    rules on everything: *Illegal move* and *Not possible* are rulings, with `again` too.
    """
    live, seat = await matches.move(house, visit.caller, name, data.move, data.ticket, data.note)
    form = await match_form(house, live.sitting, visit.caller)
    return MovedForm(**asdict(form), ruling=ruling_form(ruling_on(live, seat), visit.words))


@post("/api/matches/{name:str}/resign", status_code=200, **repeatable(Scope.PLAY))
async def resign_match(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Give up; a match that is over stays as it is."""
    return await match_form(house, await matches.resign(house, visit.caller, name), visit.caller)


@post("/api/matches/{name:str}/draw", status_code=200, **repeatable(Scope.PLAY))
async def draw_match(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Offer a draw, which stands until the other has moved, or take the one that is offered."""
    return await match_form(house, await matches.draw(house, visit.caller, name), visit.caller)


@post("/api/matches/{name:str}/step", status_code=200, **repeatable(Scope.PLAY))
async def step_match(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    all: Annotated[bool, QueryParameter(description="let all moves through from now on")] = False,  # noqa: A002
) -> MatchForm:
    """Let one move of a match that waits for steps through, or all."""
    return await match_form(house, matches.step(house, visit.caller, name, run=all), visit.caller)


Eye = Literal["own", "spectator", "referee", "first", "second"]
EYES: dict[Eye, GameEye] = {"spectator": "spectator", "referee": "referee", "first": Seat(0), "second": Seat(1)}


@get("/api/matches/{name:str}/events", media_type="application/x-ndjson", **open_to_all(line=SceneForm))
async def follow_match(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    after: After = 0,
    eye: Annotated[Eye, QueryParameter(description="through whose eyes; others' open when the match is over")] = "own",
) -> Stream:
    """Follow a match: one JSON object a line for each scene, an empty line now and then, until it is over."""
    sitting = matches.find(house, visit.caller, name)
    looks = matches.may_see(visit.caller, sitting, EYES.get(eye))
    teller = await teller_of(house, sitting, visit.words)

    async def lines() -> AsyncGenerator[bytes, None]:
        async with aclosing(told_for(house, sitting, looks, after, teller)) as told:  # type: ignore[type-var]
            async for one in told:
                if one == "" or isinstance(one, tuple):  # a slip is told to whoever made it
                    yield (one[1] if one else "").encode() + b"\n"

    return streamed(house, visit, lines())


class FindingForm(Struct):
    """What a record is worth, found out by judging it again."""

    standing: str
    line: str
    head: str


@get("/api/matches/{name:str}/finding", **open_to_all(409))
async def judge_match(house: OurHouse, visit: ThisVisit, name: Name) -> FindingForm:
    """Judge the record of a match that is over again, and tell what it is worth."""
    kept = matches.record(house, matches.find(house, visit.caller, name))
    found = await asyncio.to_thread(proofs.finding, house, kept)
    return FindingForm(found.standing.value, one_line(visit.words.of(found.reason)), "" if kept.seal is None else kept.seal.head)


@get("/api/matches/{name:str}/record", media_type=MediaType.TEXT, **open_to_all(409))
async def get_record(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    form: Annotated[str, QueryParameter(description="record, story, json, or a form of the game's own, such as pdn")] = "record",
) -> Response[str]:
    """Return the record of a match that is over, or another form of it."""
    text = await matches.exported(house, matches.find(house, visit.caller, name), form)
    return Response(text, media_type="text/plain")
