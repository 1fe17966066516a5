"""Added games at work: the conversation that tries one, and the frame in which a browser asks a referee (spec: tournoyons, 6).

A game is tried by playing it: the model engine against itself before the external referee, for some turns, as in any match, with
everything that was called and answered kept in its order. So what passes here plays.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from secrets import token_bytes
from typing import NamedTuple

from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.errors import ArbitreError, ArenaError
from arbitre.games.added.rules import ERROR, REFEREE, Added, Course
from arbitre.games.game import FIRST, AnyGame, Eye
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.reasons import Reason, codes
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.scenes import Scene
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Termination, Verdict
from arbitre.site.added import AddedGame
from arbitre.site.arena.live import Live
from arbitre.site.arena.plan import MODEL, EngineSeat, PersonSeat, RefereeSeat, Sitter
from arbitre.site.community import Community
from arbitre.tournament.faults import failure
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.referee import ExternalReferee
from arbitre.tournoyons.tester import Exercise, fetched_by_hand
from arbitre.tournoyons.trace import Spoken
from arbitre.values import value

TURNS = 12
"""A trial goes no further: each ply is two turns."""

ANSWER_SECONDS = 6
TRIAL_SECONDS = 25.0
MOST_STEPS = 80
"""Exchanges of a trial that are kept: whoever calls back without end fills no page."""


class Step(NamedTuple):
    """One exchange of a trial."""

    who: str
    """`engine 1`, `engine 2`, `referee`, `interface`."""
    spoken: Spoken


class Rehearsal(NamedTuple):
    """What came of trying an added game."""

    steps: tuple[Step, ...]
    fault: Reason | None
    """What is wrong with it; None: nothing is."""
    verdict: Verdict | None = None

    @property
    def framed(self) -> bool:
        """Whether the referee seems to answer from a frame in a browser, and was called by us."""
        return self.verdict is not None and "answers-in-a-frame" in codes(self.verdict.reason)


async def tried(board: Switchboard, game: Added, *, referee: str, engine: str, interface: str, framed: bool) -> Rehearsal:
    """Let the programs of an added game speak with each other, and tell what they said."""
    steps: list[Step] = []
    page = await fetched_by_hand(board, interface, ANSWER_SECONDS)
    steps.append(Step("interface", Spoken("failed" if page.fault else "called", page.called, page.status, page.body[:200])))
    other = None if page.status == 200 else Reason("status %(status)s instead of a page", status=page.status)
    if fault := page.fault or other:
        return Rehearsal(tuple(steps), Reason("the model interface: %(fault)s", fault=fault))
    if framed:
        return await _looked_at(board, referee, steps)

    def tell(who: str, spoken: Spoken) -> None:
        if len(steps) < MOST_STEPS:
            steps.append(Step(who, spoken))

    verdict = await _played(board, game, referee, engine, lambda who: partial(tell, who))
    return Rehearsal(tuple(steps), _fault(verdict), verdict)


async def _looked_at(board: Switchboard, referee: str, steps: list[Step]) -> Rehearsal:
    """Look at the page of a referee who answers in a browser: only a browser can hear what it says."""
    page = await fetched_by_hand(board, referee, ANSWER_SECONDS)
    steps.append(Step("referee", Spoken("failed" if page.fault else "called", page.called, page.status, page.body[:200])))
    if page.fault and not page.status:
        return Rehearsal(tuple(steps), Reason("the external referee: %(why)s", why=page.fault))
    return Rehearsal(tuple(steps), None)


async def _played(
    board: Switchboard, game: Added, referee: str, engine: str, tell: Callable[[str], Callable[[Spoken], None]]
) -> Verdict | None:
    seed = token_bytes(32)
    chairs = (Chair("engine 1"), Chair("engine 2"), Chair("referee"))
    key = Key(token_bytes(32))
    match = Match(Opening("trial", game, chairs, commitment(seed), Terms(turns=TURNS), referee=key.public.hex()), seed)
    players: list[Player] = [
        HttpPlayer(engine, board, token_bytes(32), limit=ANSWER_SECONDS, trace=tell(f"engine {seat + 1}")) for seat in (0, 1)
    ]
    players.append(ExternalReferee(referee, board, token_bytes(32), seconds=ANSWER_SECONDS, trace=tell("referee")))
    try:
        async with asyncio.timeout(TRIAL_SECONDS):
            return (await MatchRunner(match, players, Memory(), key).play()).verdict
    except (TimeoutError, ArbitreError):
        return None


def _fault(verdict: Verdict | None) -> Reason | None:
    if verdict is None:
        return Reason("the conversation took more than %(seconds)s seconds", seconds=f"{TRIAL_SECONDS:g}")
    if verdict.termination in (Termination.REFEREE_FAILED, Termination.ABANDONED):
        return failure(verdict)
    if verdict.termination is Termination.REFUSED:
        return Reason("the model engine plays what its referee refuses: %(reason)s", reason=verdict.reason)
    if verdict.termination in (Termination.RULES, Termination.ADJUDICATED):
        return None
    return Reason("the model engine: %(reason)s", reason=verdict.reason)


@value
class Opinion:
    """What a referee makes of one move."""

    refused: str = ""
    """Why it is wrong; empty: it is not."""
    fault: Reason | None = None
    """What the referee himself did wrong; None: nothing."""
    after: Course | None = None
    """How the game stands behind the move; None where he did not say."""


async def opinion(board: Switchboard, game: AddedGame, exercise: Exercise, said: str) -> Opinion:
    """Ask the referee of a game what he makes of a move in a position, as a match would ask him."""
    rules, seed = game.rules, token_bytes(32)
    course = _before(rules, exercise, said)
    chairs = (Chair("engine 1"), Chair("engine 2"), Chair("referee"))
    player = ExternalReferee(game.url, board, token_bytes(32), seconds=ANSWER_SECONDS)
    view, notation = rules.view(course, REFEREE), notation_of(rules)
    try:
        await player.sit(Opening("trial", rules, chairs, commitment(seed), Terms()), REFEREE)
        async with asyncio.timeout(TRIAL_SECONDS):  # his host may be busy
            await player.ready()
            answer = await player.ask(Position(rules, notation, REFEREE, course.turn, view))
        ruling = notation.read(answer.text, view)
        rules.check(view, ruling)
    except ArbitreError as error:
        return Opinion(fault=error.reason)
    except TimeoutError:
        return Opinion(fault=Reason("the conversation took more than %(seconds)s seconds", seconds=f"{TRIAL_SECONDS:g}"))
    finally:
        await player.leave()
    after = rules.play(course, {REFEREE: ruling})
    refused = after.message if after.code == ERROR and after.blamed == exercise.seat else ""
    return Opinion(refused, after=None if after.code == ERROR else after)


def _before(rules: Added, exercise: Exercise, said: str) -> Course:
    """Return how a game stands when a move is to be judged; who moves at the same time is taken to say the same."""
    course: Course = exercise.state
    first = exercise.seat == FIRST
    alone = (said, "") if first else ("", said)
    if rules.prepares(course):
        return replace(course, ply=1 + exercise.seat, ready=(said, said) if first else alone, judging=True)
    return replace(course, moves=(said, said) if rules.simultaneous else alone, judging=True)


def referee(game: AddedGame) -> RefereeSeat:
    """Return the external referee of a game, as he sits down."""
    return RefereeSeat(game.id, game.name, game.url, game.framed)


async def judges(community: Community, game: AnyGame) -> tuple[Sitter, ...]:
    """Return who judges a match beside our own referee: that of an added game where he is now, in any other nobody."""
    if not game.neutral:
        return ()
    return (referee(await asyncio.to_thread(community.added.judges, game)),)


def model(game: AddedGame) -> EngineSeat:
    """Return the model engine of a game, as it sits down."""
    return EngineSeat(0, f"{MODEL}{game.name}", game.engine)


def renewed(game: AddedGame, sitters: Sequence[Sitter]) -> list[Sitter]:
    """Return who sits down once more: the game's own programs where they are now; whoever came by an address is one of them."""
    if game.retired is not None:
        raise ArenaError("%(name)s is retired", name=game.name)
    judge = referee(game)
    made: list[Sitter] = []
    for one in sitters:
        unregistered = isinstance(one, EngineSeat) and not one.number
        made.append(model(game) if unregistered else judge if isinstance(one, RefereeSeat) else one)
    return made


def frame_of(live: Live, eye: Eye, scene: Scene) -> str:
    """Return what the browser of the first person at the table is to open: the question to a referee who answers there."""
    first = next((seat for seat, one in enumerate(live.sitting.plan.sitters) if isinstance(one, PersonSeat)), None)
    latest = live.moments and scene.moment == len(live.moments)
    if live.external is None or eye != first or scene.awaits != {REFEREE} or not latest:
        return ""
    truth = live.moments[-1].affairs.truth
    return live.external.frame(live.match.game.view(truth, REFEREE), scene.turn)
