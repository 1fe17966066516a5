"""The description of the site for programs, for people: every operation by area, with what it takes, answers and refuses.

It shows what `/api/schema/openapi.json` says and nothing else, in English as the description is; only the page around it is in
the visitor's language.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from litestar import Request, Response, get

from arbitre.values import value
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.description import PREFIX, described

DESCRIPTION = "/api/schema/openapi.json"


@value
class Field:
    """Something that is sent or answered."""

    name: str
    kind: str
    words: str
    needed: bool = False
    form: str = ""
    """The form that it is made of."""


@value
class Operation:
    """One operation."""

    name: str
    verb: str
    path: str
    summary: str
    words: str
    scope: str
    parameters: tuple[Field, ...]
    body: str
    """The form that is sent; empty: none."""
    answer: str
    answered: str
    """Which form is answered; empty: none, or a file."""
    errors: tuple[tuple[str, str], ...]


@value
class Reference:
    """The whole description."""

    areas: tuple[tuple[str, str, tuple[Operation, ...]], ...]
    """Name, sentence and operations of each area."""
    forms: Mapping[str, tuple[str, tuple[Field, ...]]]
    """Words and fields of each form."""


def reference(found: Mapping[str, Any]) -> Reference:
    """Return what a page shows of a description."""
    operations = [_operation(path, verb, one) for path, verbs in found["paths"].items() for verb, one in verbs.items()]
    tags = {one["operationId"]: one["tags"][0] for verbs in found["paths"].values() for one in verbs.values()}
    areas = tuple(
        (tag["name"], tag["description"], tuple(one for one in operations if tags[one.name] == tag["name"]))
        for tag in found["tags"]
    )
    schemas = found["components"]["schemas"]
    return Reference(areas, {name: (one.get("description", ""), tuple(_fields(one))) for name, one in schemas.items()})


def _operation(path: str, verb: str, found: Mapping[str, Any]) -> Operation:
    words, _, needs = found["description"].partition("\n\n")
    good = next(one for status, one in found["responses"].items() if int(status) < 400)
    content: Mapping[str, Any] = next((one["schema"] for one in good.get("content", {}).values()), {})
    body = found.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    parameters = tuple(
        Field(one["name"], _kind(one["schema"]), one["description"], one["required"]) for one in found.get("parameters", ())
    )
    errors = tuple((status, one["description"]) for status, one in found["responses"].items() if int(status) >= 400)
    rest = words.removeprefix(found["summary"]).lstrip(";:,. ")
    scope = needs.removesuffix("`.").rpartition("`")[2] if "`" in needs else "any" if needs else ""
    return Operation(
        found["operationId"],
        verb.upper(),
        path,
        found["summary"],
        rest,
        scope,
        parameters,
        _form(body),
        good["description"],
        _form(content),
        errors,
    )


def _fields(schema: Mapping[str, Any]) -> Iterator[Field]:
    for name, one in schema.get("properties", {}).items():
        yield Field(name, _kind(one), one.get("description", ""), name in schema.get("required", ()), _form(one))


def _form(schema: Mapping[str, Any]) -> str:
    """Return the form that a schema refers to, itself or in a list or as one of several."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(PREFIX)
    inner = [schema["items"]] if schema.get("items") else schema.get("anyOf", ())
    return next((form for one in inner if (form := _form(one))), "")


def _kind(schema: Mapping[str, Any]) -> str:
    """Return what a value may be, in a few words."""
    if "enum" in schema:
        return " · ".join(f"“{one}”" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if "prefixItems" in schema:
        return f"[{', '.join(_kind(one) for one in schema['prefixItems'])}]"
    if "items" in schema:
        return f"list of {_kind(schema['items'])}"
    if "$ref" in schema:
        return _form(schema)
    if schema.get("type") == "object":
        return "object"
    return f"{schema.get('type', '')}{_bounds(schema)}"


def _bounds(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum", schema.get("minLength")), schema.get("maximum", schema.get("maxLength"))
    if most is None or most >= 2**40:
        return ""
    unit = " characters" if "maxLength" in schema else ""
    return f", at most {most}{unit}" if not least else f", {least} to {most}{unit}"


@get("/api")
async def reference_page(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any]) -> Response[str]:
    """Show the description."""
    made = getattr(request.app.state, "reference", None)
    if made is None:
        made = await asyncio.to_thread(lambda: reference(described(request.app.openapi_schema.to_schema())))
        request.app.state.reference = made
    return house.page(visit, "reference.html", reference=made, description=DESCRIPTION)
