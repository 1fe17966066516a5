"""The transparency log, as programs read it: checkpoint, tiles, bundles of entries, proofs (C2SP tlog-tiles, tlog-proof).

Everything here is public and small; what never changes may be kept by everybody for ever.
"""

from hashlib import sha256
from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException

from arbitre.records.log.entries import EntryKind
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.log.tiles import read_path
from arbitre.web.dependencies import FromPath, OurHouse
from arbitre.web.house import WebApp

FOREVER = "public, max-age=31536000, immutable"
FRESH = "public, max-age=1, must-revalidate"
TEXT = "text/plain"
OPEN = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""Whoever checks the log in a browser comes from elsewhere."""

KINDS = {kind.word: kind for kind in EntryKind}


@get("/log/checkpoint")
async def checkpoint(house: OurHouse, request: Request[Any, Any, Any]) -> Response[bytes]:
    """Hand out what the log has come to."""
    return _handed(_log(house).published.note.whole().encode(), TEXT, FRESH, request)


@get("/log/key")
async def key(house: OurHouse, request: Request[Any, Any, Any]) -> Response[bytes]:
    """Hand out the key that signs checkpoints: for whoever has it from nowhere else."""
    return _handed(f"{_log(house).verifier.text}\n".encode(), TEXT, FRESH, request)


@get("/log/keys")
async def keys(house: OurHouse, request: Request[Any, Any, Any]) -> Response[bytes]:
    """Hand out which key of the referee came after which, one statement a line."""
    return _handed("".join(f"{one.line}\n" for one in _log(house).successors).encode(), TEXT, FRESH, request)


@get("/log/proof/{name:str}")
async def proof(house: OurHouse, request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
    """Hand out the proof that a match was opened or sealed, or a key succeeded: MATCH.opened, MATCH.sealed, KEY.succeeded."""
    match, _, word = name.rpartition(".")
    if word not in KINDS or not match:
        raise NotFoundException
    return _handed(_log(house).proof(match, KINDS[word]).text().encode(), TEXT, FRESH, request)


@get("/log/tile/{path:path}")
async def tile(house: OurHouse, request: Request[Any, Any, Any], path: FromPath[str]) -> Response[bytes]:
    """Hand out a tile of the tree, or a bundle of entries."""
    found = read_path(f"tile/{str(path).removeprefix('/')}")
    octets = None if found is None else _log(house).tile(found)
    if octets is None:
        raise NotFoundException
    return _handed(octets, "application/octet-stream", FOREVER, request)


def _log(house: WebApp) -> Sequencer:
    if house.log is None:
        raise NotFoundException
    return house.log


def _handed(body: bytes, kind: str, kept: str, request: Request[Any, Any, Any]) -> Response[bytes]:
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": kept, **OPEN}
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers=headers)
    return Response(body, media_type=kind, headers=headers)
