"""Engines that call us, as their owners and programs use them: tokens, questions, answers, presence (the manual's "Dial-in").

An engine's token opens that engine's questions and nothing else. It is shown once, kept as a hash, and good until the next one is
made or its owner ends it; whoever listens with it is hung up on in the same moment.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from secrets import token_bytes, token_hex

from arbitre.errors import ForbiddenError, UnfitError
from arbitre.games.game import AnyGame
from arbitre.reasons import Reason
from arbitre.site.accounts import Account
from arbitre.site.arena.dial_player import DialPlayer
from arbitre.site.arena.dialing import Question
from arbitre.site.engines import Engine
from arbitre.site.forms import fold
from arbitre.site.site import Site
from arbitre.tournoyons.tester import EngineTrial, Exercise, tried_at_the_table

__all__ = [
    "Question",
    "answer",
    "check_listener",
    "check_name",
    "good",
    "handout",
    "heard",
    "leave",
    "mint",
    "present",
    "questions",
    "revoke",
    "tried",
]

HANDOUT = Path(__file__).with_name("handouts") / "dial.py.txt"
"""A whole program, in which three lines are filled in."""
LONGEST_LISTENER = 64
LONGEST_WAIT = 60
"""Seconds that a question is waited for in one request."""


# ── the owner ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def mint(site: Site, person: Account, number: int) -> str:
    """Return a new token for one's own engine, once; the one before it ends at once."""
    site.count("write", person.neutral)
    secret = await asyncio.to_thread(site.community.engines.mint, person, number)
    site.arena.dialing.dismiss(number)
    return secret


async def revoke(site: Site, person: Account, number: int) -> Engine:
    """End the token of one's own engine at once."""
    await asyncio.to_thread(site.community.engines.revoke, person, number)
    site.arena.dialing.dismiss(number)
    return await asyncio.to_thread(site.community.engines.find, number)


def present(site: Site, engine: Engine) -> bool | None:
    """Tell whether somebody listens for an engine; None for one that is called."""
    return site.arena.dialing.present(engine.id) if engine.dials else None


async def tried(site: Site, engine: Engine, game: AnyGame, exercise: Exercise, limit: int) -> EngineTrial:
    """Show a position to whoever listens for an engine, and judge the answer; no match hears of it."""
    dialing = site.arena.dialing
    if not dialing.present(engine.id):
        return EngineTrial("", 0, kind="silent", fault=Reason("nobody-listens"), taken=False)
    match = f"trial-{token_hex(4)}/{exercise.seat + 1}"
    return await tried_at_the_table(game, DialPlayer(dialing, engine.id, match, token_bytes(32), limit=limit), exercise, limit)


def handout(site: Site, engine: Engine, token: str) -> str:
    """Return `dial.py`: a program of one file that plays for an engine at once, wherever Python is."""
    text = HANDOUT.read_text(encoding="utf-8")
    filled = {"SITE": site.settings.public, "ENGINE": str(engine.id), "TOKEN": token}
    return re.sub(r'^([A-Z]+) = ".*"$', lambda found: f"{found[1]} = {json.dumps(filled[found[1]])}", text, flags=re.MULTILINE)


# ── its programs ───────────────────────────────────────────────────────────────────────────────────────────────────


def check_name(engine: Engine, name: str) -> None:
    """Refuse a token that is another engine's: one is named by its number, its permanent identifier or its name, or `me`."""
    if name not in ("me", str(engine.id), engine.neutral) and fold(name[:100]) != fold(engine.name):
        raise ForbiddenError("this token is another engine's")
    if not engine.dials:
        raise ForbiddenError("this engine has an address: it is called, and asks nothing")


def check_listener(site: Site, engine: Engine, name: str) -> None:
    """Refuse a listener whose name is none, or one too many."""
    if len(name) > LONGEST_LISTENER or not name.isprintable():
        raise UnfitError("listener", "at most %(most)s characters that can be shown", most=LONGEST_LISTENER)
    site.arena.dialing.check_room(engine.id, name)


def good(site: Site, token: str) -> bool:
    """Tell whether a token of an engine is still good."""
    return site.community.engines.bearing(token) is not None


async def questions(
    site: Site, engine: Engine, still: Callable[[], bool], listener: str, after: int, holds: Sequence[str] = ()
) -> AsyncGenerator[Question | None, None]:
    """Yield what an engine is asked, and None for every beat, while who listens may still do so and the site is open."""
    async with aclosing(site.arena.dialing.listen(engine.id, listener, after, holds)) as asked:
        yield None  # whoever is between us and the listener lets the head through with the first octet
        async for one in asked:
            if one is None and not await asyncio.to_thread(still):
                return
            yield one


def leave(site: Site, engine: Engine, listener: str) -> None:
    """Let a listener go, and hand its matches over at once."""
    site.arena.dialing.dismiss(engine.id, listener)


def heard(question: Question) -> tuple[tuple[str, str], ...]:
    """Return what a listener who does not know the match is told of it: what the seat saw and said before."""
    return tuple(question.past) if question.anew else ()


async def answer(site: Site, engine: Engine, number: str, line: str, note: str = "") -> None:
    """Take the answer to a question and a note on it, and return when it is durable; the same once more is no error."""
    await site.arena.dialled(engine.id, number, line, note)
