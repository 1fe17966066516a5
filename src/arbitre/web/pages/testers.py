"""The testers: what an engine answers in a position, what an interface shows and returns (spec: tournoyons, sections 5, 7 and 9).

An engine is called with `Game=TEST` and an empty `Referee` or, to see it call back, as a match calls it. An interface is shown
in a sandboxed frame with every parameter in the visitor's hands; what it returns comes to an address that serves this test alone.
Addresses that somebody types in are called and framed only by a form of ours, never by following a link.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException

from arbitre.errors import ArbitreError, ForbiddenError, HasteError, PositionError, QuotaError, UnfitError, UnknownError
from arbitre.games.game import AnyGame
from arbitre.games.labels import listing_for
from arbitre.games.positions import preset_of, presets_of
from arbitre.games.wires import screen_of, wired
from arbitre.site import trials
from arbitre.site.added_trial import Opinion
from arbitre.site.engines import Engine
from arbitre.site.forms import check_url
from arbitre.site.frames import STRICT, origin_of, sandbox_of
from arbitre.site.games import PlayableGame, choices, in_use, played
from arbitre.site.interfaces import Interface, InterfaceId
from arbitre.tournoyons.tester import EngineTrial, Exercise
from arbitre.web import boards
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisVisit, Whole, number_in
from arbitre.web.house import WebApp
from arbitre.web.pages.account import spoken
from arbitre.web.visit import Visit
from arbitre.words import Words

USUAL_GAME = "reversi"
USUAL_LIMIT = 8
LIMITS = (4, 8, 15, 30)
POLL_SECONDS = 15.0
LONGEST_POSITION = 4_000
MODALS = "allow-modals"
"""What a frame of the tester may do beside what it may in a game: Web Test asks questions."""
RETURN_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


def games(language: str) -> list[tuple[str, str]]:
    """Return identifier and title of the games that engines and interfaces play."""
    return [(one.name, one.called(language)) for one in wired()]


def status_of(error: ArbitreError) -> int:
    """Return the status of a form that is shown again."""
    return 429 if isinstance(error, HasteError) else 400


def told(visit: Visit, error: ArbitreError) -> str:
    """Return an error of these pages in the visitor's words."""
    if isinstance(error, UnfitError) and error.field == "url":
        return visit.words("This is not an address that can be called: %(why)s", why=visit.words.of(error.why))
    if isinstance(error, PositionError):
        return visit.words("This position cannot be read: %(why)s", why=visit.words.of(error.why))
    if isinstance(error, QuotaError):
        return visit.words("You have as many as an account may have: retire one first.")
    return spoken(visit, error)


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def wished(house: WebApp, visit: Visit, label: str) -> PlayableGame:
    """Return the game that somebody wants to test; the usual one where that makes no sense."""
    return played(house, label, visit.person) or in_use(house, USUAL_GAME)


def read_test(fields: Mapping[str, Any], game: PlayableGame) -> trials.Test:
    """Return what a form or a link says; what makes no sense is left as usual."""
    given = {key: str(text) for key, text in fields.items()}
    limit, engine, address = (
        number_in(given.get("limit", "")),
        number_in(given.get("engine", "")),
        given.get("address", "").strip(),
    )
    return trials.Test(
        given.get("preset", "") if preset_of(game.label, given.get("preset", "")) else "start",
        given.get("position", "").strip()[:LONGEST_POSITION],
        boards.seat_of(given.get("seat", "")),
        address,
        engine if engine > 0 and not address else None,
        given.get("full", "") == "yes",
        given.get("back", "") == "yes",
        limit if limit in LIMITS else USUAL_LIMIT,
    )


def mine(house: WebApp, visit: Visit, name: str) -> tuple[Engine, ...]:
    """Return the visitor's engines of a game."""
    if visit.person is None:
        return ()
    return tuple(one for one in house.community.engines.of(visit.person) if one.game == name)


def _shown(visit: Visit, game: PlayableGame, parameters: Mapping[str, str]) -> str:
    """Return the address of what draws a position: our own interface, or the model interface of an added game."""
    if game.added is None:
        return boards.address_of(game.label, parameters, visit.theme)
    visit.frames.append(origin_of(game.added.interface))
    return boards.framed(game.added.interface, boards.query_of(parameters))


def _effect(game: AnyGame, exercise: Exercise, trial: EngineTrial, heard: Opinion | None, words: Words) -> dict[str, str] | None:
    """Return the parameters that show what a move does, as far as that is known."""
    if not game.neutral:
        return boards.effect(game, exercise, trial.move, words)
    if heard is None or heard.after is None:
        return None
    seat = exercise.seat
    return boards.parameters_of(screen_of(game).show(game.view(heard.after, seat), seat, before=exercise.view), words)


def _engine_page(
    house: WebApp,
    visit: Visit,
    test: trials.Test,
    played: PlayableGame,
    trial: EngineTrial | None = None,
    heard: Opinion | None = None,
    problem: str = "",
    status: int = 200,
) -> Any:
    game = played.rules
    try:
        exercise: Exercise | None = trials.exercise(played, test)
    except ArbitreError as error:
        exercise, problem = None, problem or told(visit, error)
    shown = {} if exercise is None else boards.board(game, exercise, visit.words)
    after = None
    if exercise is not None and trial and trial.move:
        after = _effect(game, exercise, trial, heard, visit.words)
    bench = {"Set": played.set, "WebTest": "yes", "Tray": "" if game.hides else shown.get("Tray", ""), "Mute": "yes"}
    return house.page(
        visit,
        "engine_test.html",
        status=status,
        wish=test,
        game=played.label,
        exercise=exercise,
        games=choices(house, visit.person, visit.language),
        title=played.called(visit.language),
        presets=[one.key for one in presets_of(played.label)],
        mine=mine(house, visit, played.label),
        limits=LIMITS,
        board=_shown(visit, played, shown) if shown else "",
        after="" if after is None else _shown(visit, played, after),
        bench="" if game.hides or game.neutral or played.label == "rochambeau" else _shown(visit, played, bench),
        trial=trial,
        heard=heard,
        problem=problem,
    )


@get("/program/engine-test")
async def engine_test_page(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any]) -> Response[str]:
    """Show the tester; a link may choose the game, the position and one's own engine, but calls nobody."""
    game = await asyncio.to_thread(wished, house, visit, request.query_params.get("game", ""))
    found: Response[str] = _engine_page(house, visit, read_test(request.query_params, game), game)
    return found


@post("/program/engine-test", status_code=200)
async def engine_test(house: OurHouse, visit: ThisVisit, data: Form) -> Response[str]:
    """Show an engine a position, and tell what it answered."""
    game = await asyncio.to_thread(wished, house, visit, data.get("game", ""))
    test = read_test(data, game)
    try:
        trial, heard = await trials.examine(house, visit.caller, game, test)
    except (ForbiddenError, UnknownError):
        raise NotFoundException from None
    except ArbitreError as error:
        refused: Response[str] = _engine_page(house, visit, test, game, problem=told(visit, error), status=status_of(error))
        return refused
    found: Response[str] = _engine_page(house, visit, test, game, trial, heard)
    return found


# ── interfaces ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _interfaces(house: WebApp, visit: Visit, name: str) -> tuple[Interface, ...]:
    return house.community.interfaces.all(game=name, by=visit.person)


def _preset_parameters(visit: Visit, game: PlayableGame, key: str) -> dict[str, str]:
    preset = preset_of(game.label, key)
    if key == "over" and game.added is None:
        return boards.over(game.rules, visit.words)
    if key == "nothing" or preset is None:
        return {"Set": game.set, "Method": "None"}
    return boards.asked(game.rules, preset, visit.words)


def _interface_page(
    house: WebApp,
    visit: Visit,
    game: PlayableGame,
    key: str,
    given: dict[str, str] | None,
    chosen: int = 0,
    address: str = "",
    own_origin: bool = False,
) -> Response[str]:
    name = game.label
    parameters = _preset_parameters(visit, game, key) if given is None else given
    token = house.returned.open()
    returns = f"{house.settings.public}/return/test/{token}"
    shown = dict(parameters)
    if visit.theme and "Color" not in shown and given is None:
        shown["Color"] = parameters["Color"] = boards.PAPER[visit.theme]
    query = boards.query_of(shown, returns)
    source = f"/interfaces/{listing_for(name).page}?{query}"
    if game.added is not None:
        visit.frames.append(origin_of(game.added.interface))
        source = boards.framed(game.added.interface, query)
    known = _interfaces(house, visit, name)
    registered = next((one for one in known if one.id == InterfaceId(chosen)), None)
    sandbox, problem = STRICT, ""
    if address or chosen > 0:
        page = address
        if not address and registered is not None:
            page, own_origin = registered.url, registered.own_origin
        try:
            visit.frames.append(origin_of(check_url(page)))
            source, sandbox = boards.framed(page, query), sandbox_of(page, own_origin, house.settings.origin)
        except ArbitreError as error:
            problem, source = told(visit, error), ""
    plain = bool(source) and house.settings.secure and source.startswith("http://")
    return house.page(
        visit,
        "interface_test.html",
        status=400 if problem else 200,
        game=name,
        added=game.added,
        games=choices(house, visit.person, visit.language),
        title=game.called(visit.language),
        presets=[*(one.key for one in presets_of(name)), *(["over"] if game.added is None else []), "nothing"],
        preset=key,
        parameters=parameters,
        names=boards.PARAMETERS,
        methods=boards.METHODS,
        known=known,
        chosen=chosen,
        address="" if chosen > 0 else address,
        own_origin=own_origin,
        source=source,
        sandbox=f"{sandbox} {MODALS}",
        lame=bool(source) and (bool(address) or chosen > 0) and sandbox == STRICT,
        returns=returns,
        token=token,
        plain=plain,
        problem=problem,
    )


@get("/program/interface-test")
async def interface_test_page(
    house: OurHouse,
    visit: ThisVisit,
    game: FromQuery[str] = "",
    preset: FromQuery[str] = "start",
    interface: FromQuery[str] = "",
    webtest: FromQuery[str] = "",
) -> Response[str]:
    """Show the tester with a preset; a link may choose a registered interface, but no other."""
    found = await asyncio.to_thread(wished, house, visit, game)
    key = preset if preset in ("over", "nothing") or preset_of(found.label, preset) else "start"
    given = None
    if webtest:
        given = _preset_parameters(visit, found, key) | {"WebTest": "yes"}
        given.pop("Input", None)
    return _interface_page(house, visit, found, key, given, number_in(interface))


@post("/program/interface-test", status_code=200)
async def interface_test(house: OurHouse, visit: ThisVisit, data: Form) -> Response[str]:
    """Show an interface with the parameters of the form."""
    game = await asyncio.to_thread(wished, house, visit, data.get("game", ""))
    given = {one: data.get(one, "").strip()[: boards.LONGEST] for one in boards.PARAMETERS}
    given = {one: text for one, text in given.items() if text}
    if data.get("webtest"):
        given = {one: text for one, text in given.items() if one != "Input"} | {"WebTest": "yes"}
    address, own_origin = data.get("address", "").strip(), data.get("own_origin") == "yes"
    return _interface_page(
        house, visit, game, data.get("preset", "start"), given, number_in(data.get("interface", "")), address, own_origin
    )


@get("/return/test/{token:str}", media_type=MediaType.TEXT)
async def return_of_test(
    house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], token: FromPath[str]
) -> Response[str]:
    """Take what a tested interface returns; anybody's page may frame this, and sees nothing.

    There is no content: browsers count a sandboxed page, whose origin is opaque, as nobody, and would report that `*` forbids it.
    """
    visit.framers = "*"
    known = house.returned.put(token, str(request.query_params.get("ReturnValue", "")))
    return Response("", status_code=204 if known else 410, headers=RETURN_HEADERS)


@get("/program/returned/{token:str}")
async def returned(house: OurHouse, token: FromPath[str], after: Whole = 0) -> Response[Any]:
    """Tell the page of a test what the interface returned, when it does."""
    found = await house.returned.wait(token, after, POLL_SECONDS, house.closing)
    if found is None:
        raise NotFoundException
    return Response({"count": found[0], "value": found[1]}, media_type=MediaType.JSON, headers=RETURN_HEADERS)
