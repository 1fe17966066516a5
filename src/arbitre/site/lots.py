"""Lots drawn on this machine, and the proofs of elections that are kept here (spec: rochambeau, section 3)."""

import asyncio
import secrets
from collections.abc import Iterable

from arbitre.elections.proof import Finding
from arbitre.elections.quick import Shown, look_at, proper_names
from arbitre.errors import ElectionError, RecordError, refusal
from arbitre.site.caller import Caller
from arbitre.site.site import Site


async def draw(site: Site, caller: Caller, lines: Iterable[str]) -> str:
    """Draw an order of names and keep the proof of the arithmetic; return the name that it is kept under."""
    names = proper_names(lines)
    if site.draws.spend(caller.household):
        raise ElectionError("these were many choices in a short time; wait a minute")
    return (await asyncio.to_thread(site.transcripts.draw_here, f"quick-{secrets.token_hex(8)}", names)).name


async def proof(site: Site, name: str) -> tuple[Shown | None, Finding]:
    """Return what a finished election shows, nothing where it is too long, and what was found."""
    return await asyncio.to_thread(look_at, site.transcripts.path(name))


async def transcript(site: Site, name: str) -> bytes:
    """Return a transcript as it was kept."""
    try:
        return await asyncio.to_thread(site.transcripts.path(name).read_bytes)
    except OSError as error:
        raise RecordError("the transcript cannot be read: %(strerror)s", strerror=refusal(error)) from error
