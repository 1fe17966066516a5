"""The description of the site for programs, as generators of clients and people read it: OpenAPI 3.1.

It is made from the handlers alone, so it cannot say otherwise than they do: an operation is called like its handler, its summary
is the first words of the docstring, its errors follow from what it is and from what it declares, its scope is the one that
`admit` asks for, and the forms carry the docstrings of their classes and fields.
"""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any, get_args, get_origin

from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.plugins import JsonRenderPlugin
from msgspec import Struct
from msgspec.json import schema_components

from arbitre.values import value
from arbitre.web.api.forms import Problem
from arbitre.web.doors import DOORS

LONGEST_SUMMARY = 72
PREFIX = "#/components/schemas/"

ABOUT = """Everything the site does, for programs: JSON over HTTP.

**Tokens** come from the account page and are sent as `Authorization: Bearer arb_…`. What needs one names its scope; everything
else anybody may ask. **Lists** come in pages: send `next` as `after` for the following one, until it is null. **Streams** are
JSON lines (`application/x-ndjson`), with an empty line now and then; where lines have a number `n`, a stream that was cut goes on
with `after`. **Writes** may be repeated: a `POST` that is said twice under one `Idempotency-Key` is done once. **Refusals** are
`{"error": "what is wrong"}`, most with a `code` and its `fields` to go by, and with `"again": true` where it was no move that may
be said and the same question goes on.
"""


@value
class Area:
    """A part of the site for programs."""

    line: str
    parts: tuple[str, ...]
    """What comes behind `/api/` in its addresses."""


AREAS: Mapping[str, Area] = {
    "site": Area("The site itself: its health, its key, its games, its puzzles.", ("health", "key", "games", "puzzles")),
    "account": Area("Whom the token speaks for, its games that wait, the positions it keeps.", ("me", "photos")),
    "matches": Area("Call a match, play, follow it, steer it, take its record.", ("matches", "invitations")),
    "engines": Area("Engines at an address: registered when they answer well, tried, retired.", ("engines",)),
    "sources": Area("Texts of bots that are kept: versions, links, whose runners may play them.", ("sources", "runners")),
    "interfaces": Area("Boards at an address, by which people play.", ("interfaces",)),
    "added": Area("Games with an external referee: tried, added, played.", ("added",)),
    "competitions": Area("Announce, enter, vote, steer; standings, games, the draw and its proof.", ("competitions", "entries")),
    "rankings": Area("Ratings with their history, and challenges from engine to engine.", ("rankings", "challenges")),
    "classes": Area("A teacher's class: its code, members, competitions, results and gateway.", ("classes",)),
    "league": Area("The draughts league: table, players, confirmed games, reports, PDN; challenges of the house.", ("league",)),
    "elections": Area("Choose one of a group that trusts nobody: rooms, packets, proofs, lots.", ("elections",)),
    "arcade": Area("Visits that speak the arcade's lines, levels, the hall of fame, records.", ("arcade",)),
    "kriegspiel": Area("Kriegspiel by file: the umpire for games whose file this site seals.", ("kriegspiel",)),
    "operator": Area("Accounts, roles, locks, quotas, classes' ranges, what waits for what.", ("operator",)),
}

ERRORS: Mapping[int, str] = {
    400: "something that was sent is out of bounds, or makes no sense here",
    401: "no token, or one that is not good any more",
    403: "the token has no scope for this, or the account may not",
    404: "there is no such thing, or it is not yours to see",
    409: "it clashes with what is there, or comes too early or too late; or the `Idempotency-Key` was used for something else",
    410: "a code or a link that is good no more",
    422: "what was tried does not work; `anyway` keeps it all the same, marked broken",
    429: "too many requests: wait as long as `Retry-After` says",
}


MADE = ("enter_competition",)
"""What makes a thing, or finds it where it is made already."""

LINKS: Mapping[str, tuple[str, str]] = {
    "Added": ("id", "/api/added/{number}"),
    "Challenge": ("id", "/api/challenges/{number}"),
    "Class": ("id", "/api/classes/{number}"),
    "Competition": ("id", "/api/competitions/{number}"),
    "Engine": ("id", "/api/engines/{number}"),
    "Entry": ("id", "/api/entries/{number}"),
    "Interface": ("id", "/api/interfaces/{number}"),
    "Match": ("name", "/api/matches/{name}"),
    "Photo": ("id", "/api/photos/{number}"),
    "Room": ("code", "/api/elections/rooms/{code}"),
    "Visit": ("visit", "/api/arcade/visits/{name}"),
}
"""By which field of what is made one goes on, and to which addresses."""


class Description(JsonRenderPlugin):
    """Hands the description out, made once."""

    _made: bytes | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Return the description as JSON."""
        if self._made is None:
            self._made = self.render_json(request, described(openapi_schema))
        return self._made


def named(handler: HTTPRouteHandler, *_: object) -> str:
    """Return the name of an operation: its handler's."""
    return handler.handler_name


def area_of(path: str) -> str:
    """Return the area of an address."""
    part = path.split("/")[2]
    return next(name for name, area in AREAS.items() if part in area.parts)


def described(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description as it is handed out, from the one that the framework makes."""
    handlers = {one.handler_name: one for one in DOORS}
    forms = list(dict.fromkeys(form for one in handlers.values() for form in _forms(one)))
    paths = {
        path: {verb: _operation(path, verb, one, handlers[one["operationId"]]) for verb, one in verbs.items()}
        for path, verbs in found["paths"].items()
    }
    _link(paths)
    about = {
        "info": {**found["info"], "description": ABOUT},
        "tags": [{"name": key, "description": AREAS[key].line} for key in AREAS],
    }
    components = {**found["components"], "schemas": _schemas([*forms, Problem])}
    return {**found, **about, "paths": paths, "components": components}


def _link(paths: Mapping[str, Mapping[str, Any]]) -> None:
    """Say for whatever makes a thing which operations go on from it."""
    for one in (one for verbs in paths.values() for one in verbs.values()):
        answer = one["responses"].get("200" if one["operationId"] in MADE else "201", {})
        name = str(answer.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")).removeprefix(PREFIX)
        if name in LINKS:
            field, start = LINKS[name]
            parameter = start.partition("{")[2].removesuffix("}")
            answer["links"] = {
                then["operationId"]: {"operationId": then["operationId"], "parameters": {parameter: f"$response.body#/{field}"}}
                for path, verbs in paths.items()
                if path.startswith(start) and path.count("{") == 1
                for then in verbs.values()
            }


# ── operations ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _operation(path: str, verb: str, found: Mapping[str, Any], handler: HTTPRouteHandler) -> dict[str, Any]:
    scope, token = handler.opt["scope"], handler.opt["token"]
    text = " ".join(found["description"].split())
    needs = (
        "a token of the engine itself"
        if handler.opt.get("engine")
        else "any token"
        if scope is None
        else f"a token with the scope `{scope}`"
    )
    made = {
        "operationId": found["operationId"],
        "tags": [area_of(path)],
        "summary": _summary(text),
        "description": f"{text}\n\nNeeds {needs}." if token else text,
        "security": [{"token": []}] if token else [{}, {"token": []}],
        "responses": {str(status): _answer(one, handler) for status, one in found["responses"].items() if int(status) < 400},
    }
    if parameters := found.get("parameters"):
        made["parameters"] = [_parameter(one) for one in parameters]
    if "requestBody" in found:
        body = next(form for form in _forms(handler, answers=False))
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": _reference(body)}}}
    problem = {"application/json": {"schema": _reference(Problem)}}
    for status in _errors(path, verb, made, handler):
        made["responses"][str(status)] = {"description": ERRORS[status], "content": problem}
    return made


def _summary(text: str) -> str:
    """Return the first words of a text that stand for themselves."""
    found = re.split(r"[;:.](?: |$)", text)[0]
    return found if len(found) <= LONGEST_SUMMARY else found.partition(", ")[0]


def _errors(path: str, verb: str, made: Mapping[str, Any], handler: HTTPRouteHandler) -> Iterable[int]:
    """Return with which statuses an operation refuses."""
    found = {401, 429, *handler.opt["errors"]}
    found |= {400} if "parameters" in made or "requestBody" in made else set()
    found |= {403} if handler.opt["scope"] is not None else set()
    found |= {404} if "{" in path else set()
    found |= {409} if verb != "get" else set()
    return sorted(found)


def _answer(found: Mapping[str, Any], handler: HTTPRouteHandler) -> dict[str, Any]:
    """Return what an operation answers when all is well."""
    if "content" not in found:
        return {"description": "done; there is nothing to say"}
    ((kind, _),) = found["content"].items()
    form = next(_forms(handler, data=False), None)
    if form is None:
        return {"description": "a file", "content": {kind: {"schema": {"type": "string"}}}}
    about = (inspect.getdoc(_parts(form)[0]) or "").partition("\n")[0]
    words = f"a stream; each line: {about}" if kind.endswith("ndjson") else about
    return {"description": words, "content": {kind: {"schema": _reference(handler.opt.get("line") or _returned(handler))}}}


def _parameter(found: Mapping[str, Any]) -> dict[str, Any]:
    schema = _whole({key: one for key, one in found["schema"].items() if key != "description"})
    return {key: found[key] for key in ("name", "in", "description", "required")} | {"schema": schema}


def _whole(found: Any) -> Any:
    """Return a schema whose bounds of whole numbers are whole, without choices that are no choice."""
    if isinstance(found, dict):
        if found.get("type") == ["null", "string"]:  # left out is how a query says null
            found = found | {"type": "string", "enum": [one for one in found["enum"] if one is not None]}
        return {key: _whole(one) for key, one in found.items()}
    return int(found) if isinstance(found, float) and found.is_integer() else found


# ── forms ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _returned(handler: HTTPRouteHandler) -> Any:
    return handler.parsed_fn_signature.return_type.raw


def _forms(handler: HTTPRouteHandler, *, data: bool = True, answers: bool = True) -> Iterator[Any]:
    """Yield the forms that an operation takes and gives."""
    signature = handler.parsed_fn_signature
    if data and "data" in signature.parameters:
        yield signature.parameters["data"].annotation
    for one in (handler.opt.get("line"), _returned(handler)) if answers else ():
        if one is not None and any(isinstance(part, type) and issubclass(part, Struct) for part in _parts(one)):
            yield one


def _parts(form: Any) -> tuple[Any, ...]:
    """Return a form and those that it is a list or a page of, the innermost first."""
    inner = tuple(part for one in get_args(form) for part in _parts(one))
    return (*inner, get_origin(form) or form)


def _name(text: str) -> str:
    """Return how a form is called: `MatchForm` a Match, a page of them a MatchPage."""
    page = re.fullmatch(r"Page_(\w+)_", text)
    return f"{page[1].removesuffix('Form')}Page" if page else text.removesuffix("Form")


def _reference(form: Any) -> dict[str, Any]:
    if get_origin(form) is list:
        return {"type": "array", "items": _reference(get_args(form)[0])}
    (found,), _ = schema_components([form], ref_template=PREFIX + "{name}")
    return {"$ref": PREFIX + _name(found["$ref"].removeprefix(PREFIX))}


def _schemas(forms: Iterable[Any]) -> dict[str, Any]:
    """Return the schemas of forms by name, with what their docstrings say."""
    known = {one.__name__: one for form in forms for one in _all_structs(form)}
    _, found = schema_components(list(forms), ref_template=PREFIX + "{name}")
    return {_name(key): _worded(_name(key), schema, known.get(key.partition("_")[0])) for key, schema in sorted(found.items())}


def _all_structs(form: Any) -> Iterator[type[Struct]]:
    """Yield the classes of a form and of everything in it."""
    for part in _parts(form):
        if isinstance(part, type) and issubclass(part, Struct):
            yield part
            for hint in inspect.get_annotations(part, eval_str=True).values():
                yield from _all_structs(hint)


def _worded(name: str, schema: dict[str, Any], form: type[Struct] | None) -> dict[str, Any]:
    schema = _renamed(schema) | {"title": name}
    for key, words in ({} if form is None else _words(form)).items():
        schema["properties"][key] = {"description": words} | schema["properties"][key]
    return schema


def _renamed(found: Any) -> Any:
    """Return a schema whose references have our names, and whose choices among texts say that they are texts."""
    if isinstance(found, list):
        return [_renamed(one) for one in found]
    if not isinstance(found, dict):
        return found
    made = {key: _renamed(one) for key, one in found.items()}
    if "$ref" in made:
        made["$ref"] = PREFIX + _name(made["$ref"].removeprefix(PREFIX))
    if "enum" in made and "type" not in made and all(isinstance(one, str) for one in made["enum"]):
        made["type"] = "string"
    return made


@cache
def _words(form: type[Struct]) -> dict[str, str]:
    """Return what the class says about its fields: the strings below them, also those of the classes that it follows."""
    found: dict[str, str] = {}
    for one in reversed([base for base in form.__mro__ if base is not Struct and issubclass(base, Struct)]):
        (made,) = ast.parse(dedent(inspect.getsource(one))).body
        body = made.body if isinstance(made, ast.ClassDef) else []
        for field, said in pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(said, ast.Expr):
                found[field.target.id] = str(ast.literal_eval(said.value))
    written = dict(zip(form.__struct_fields__, form.__struct_encode_fields__, strict=True))
    return {written[key]: words for key, words in found.items() if key in written}
