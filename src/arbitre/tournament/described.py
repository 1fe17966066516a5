"""An added game as a file describes it: the JSON in which a site shows one to its owner, as keys of a plan.

`arbitre site added show NAME --json` writes it; by hand it needs `name`, `url` and whatever is not usual of `boards`, `board`,
`simultaneous` and `open` (spec: tournoyons, section 6). What else stands there says nothing about how it is played.
"""

from typing import Any

from arbitre.errors import ArbitreError, TournamentError, shorten
from arbitre.records.event import read_object

USUAL: dict[str, Any] = {"boards": 1, "board": "", "simultaneous": False, "open": False, "framed": False, "url": None}

LARGEST = 100_000
"""Octets of a description."""


def added_keys(text: str) -> dict[str, Any]:
    """Return what a description says as keys of a plan: `game`, `options`, and `referee` where his address is there."""
    if len(text) > LARGEST:
        raise TournamentError(
            "the description of an added game has at most %(largest)s characters, not %(text)s", largest=LARGEST, text=len(text)
        )
    try:
        given = read_object(text)
    except ArbitreError as error:
        raise TournamentError("no description of an added game: %(error)s", error=error) from None
    match USUAL | {key: found for key, found in given.items() if found is not None}:
        case {
            "name": str(name),
            "boards": (1 | 2) as boards,
            "board": str(board),
            "simultaneous": bool(both),
            "open": bool(seen),
            "framed": bool(framed),
            "url": (str() | None) as url,
        }:
            if framed:
                raise TournamentError(
                    "the referee of %(name)s answers from a browser's frame: only a site can ask him", name=shorten(name)
                )
            options: dict[str, object] = {"key": name, "simultaneous": both, "board": board}
            if boards == 2:
                options["open"] = seen
            return {"game": "addedpair" if boards == 2 else "added", "options": options} | ({"referee": url} if url else {})
        case found:
            wrong = "name" if not isinstance(found.get("name"), str) else _wrong(found)
            raise TournamentError(
                "no description of an added game: %(wrong)s is %(wrong2)s", wrong=wrong, wrong2=shorten(repr(found.get(wrong)))
            )


def _wrong(found: dict[str, Any]) -> str:
    """Return the first key whose value is none that it may have."""
    kinds: dict[str, Any] = {"boards": int, "board": str, "simultaneous": bool, "open": bool, "framed": bool, "url": str | None}
    return next((key for key, kind in kinds.items() if not isinstance(found[key], kind)), "boards")
