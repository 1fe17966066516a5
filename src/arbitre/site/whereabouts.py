"""Where something is seen to, where several nodes share a database: what comes to another node is passed on there.

A match is found by its name, which stands in the address of everything that is said about it: pages, moves, what an interface
returns, what an engine calls back. Competitions, the league and the rooms in which people meet are with the node that holds the
role. Everything else can be done anywhere; so can watching, where the match is mirrored (`site.arena.mirrors`).
"""

import asyncio
import re

from arbitre.errors import ArbitreError, UnknownRecordError
from arbitre.records import nodes
from arbitre.records.nodes import NodeRole
from arbitre.site.arena.arena import NAME_LENGTH
from arbitre.site.caller import Caller
from arbitre.site.site import Site
from arbitre.values import value

NAMED = re.compile(rf"/(?:games|api/matches|return|answer)/([0-9a-f]{{{NAME_LENGTH}}})")
"""What begins with the name of a match, in whole or as part of a ticket or a handle."""
OFFERED = re.compile(r"/(?:invite|api/invitations)/([^/]+)")
"""What names an invitation, and that a match."""
WATCHED = re.compile(rf"/(?:games|api/matches)/([0-9a-f]{{{NAME_LENGTH}}})(?:/events|/state)?$")
"""What somebody who only watches may see at any node."""
AUDIENCE = re.compile(r"/compete/[0-9]+/(?:wall(?:/board)?|boards)$")
"""The wall of a competition and its boards, which need no steward."""
ROLES = (
    (re.compile(r"/watch/house$"), NodeRole.SHOWCASE),
    (re.compile(r"/(?:compete|challenges|api/(?:competitions|entries|challenges))(?:/|$)"), NodeRole.STEWARD),
    (re.compile(r"/(?:league|api/league)(?:/|$)"), NodeRole.LEAGUE),
    (re.compile(r"/(?:api/)?(?:arcade|elections)(?!/records/)(?:/|$)"), NodeRole.ROOMS),
    (re.compile(r"/(?:login|register|reset|account|lesson|api/kriegspiel)(?:/|$)"), NodeRole.DOOR),
)
ANSWERED = re.compile(r"/api/engines/[^/]+/answers$")
"""What an engine that dials in answers: the name of the question begins with that of the match."""
QUESTION = re.compile(rb'"id"\s*:\s*"([0-9a-f]{%d})' % NAME_LENGTH)
OWN = ("/health", "/ready", "/metrics")
"""What is asked of this very node."""


@value
class Elsewhere:
    """Another node that sees to it; its address is empty while no node does."""

    address: str


NOWHERE = Elsewhere("")


async def elsewhere(site: Site, path: str, said: bytes = b"") -> Elsewhere | None:
    """Return where a request for a path belongs, or the answer of an engine that dials in; None: it can be answered here."""
    if site.membership is None or path in OWN:
        return None
    if site.membership.left:
        return Elsewhere(next((one.address for one in nodes.standings(site.store.backend.rows) if one.alive), ""))
    for pattern, role in () if AUDIENCE.match(path) else ROLES:
        if pattern.match(path):
            return None if role in site.membership.roles else Elsewhere(nodes.holder(site.store.backend.rows, role)[1])
    name = await _match(site, path) if not ANSWERED.match(path) else _questioned(said)
    if not name:
        return None
    if site.arena.look(name) is not None:
        return NOWHERE if site.arena.returning(name) else None
    owner, state = site.arena.sittings.owner(name) or (None, "")
    if owner == site.membership.name:
        return NOWHERE if state == "playing" and site.arena.returning(name) else None
    return None if owner is None else Elsewhere(nodes.address_of(site.store.backend.rows, owner))


async def watched_here(site: Site, caller: Caller, path: str) -> bool:
    """Tell whether somebody may see here what another node plays: he only watches, and it is mirrored here."""
    named = WATCHED.match(path)
    if named is None or site.membership is None or site.membership.left:
        return False
    try:
        sitting = site.arena.sittings.find(named[1])
    except UnknownRecordError:
        return False
    if sitting.state != "playing" or caller.seats(sitting.plan):
        return False
    return await site.arena.mirrors.open(sitting.name, timed=path.endswith("/events")) is not None


def _questioned(said: bytes) -> str:
    """Return the match whose question is answered; a body that is in no form is refused where it came."""
    found = QUESTION.search(said)
    return found[1].decode() if found else ""


async def _match(site: Site, path: str) -> str:
    """Return the match that a path is about; empty where it is about none."""
    if named := NAMED.match(path):
        return named[1]
    if offered := OFFERED.match(path):
        try:
            return (await asyncio.to_thread(site.community.invitations.look, offered[1])).match
        except ArbitreError:
            return ""  # whoever answers says so
    return ""
