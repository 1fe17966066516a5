"""The herald: sees to the personal challenges that two owners have agreed on, one match each (spec: tournoyons, section 7).

What is tried again, and when a challenge has failed, `arbitre.tournament.fixtures` says; the verdict of its last match says why.
Everything follows from the store, so a house that comes back goes on where it was.
"""

import asyncio
from collections.abc import Awaitable
from logging import getLogger
from time import monotonic

from arbitre.crypto.chain import derive
from arbitre.errors import ArbitreError, StageError, UnknownError, UnknownRecordError
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame
from arbitre.games.labels import key_of
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.referee.clock import read_clock
from arbitre.referee.verdict import read_verdict
from arbitre.site.added_trial import judges
from arbitre.site.arena.arena import Arena, Fixed
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import EmptySeat, EngineSeat, MatchPlan, Sitter
from arbitre.site.challenges import Challenge, ChallengeId, Reply
from arbitre.site.community import Community
from arbitre.site.competitions.draw import house_seed
from arbitre.tournament.faults import failure
from arbitre.tournament.fixtures import CHALLENGE, Again, Ended, Halt, Past, Tries, judge, past

LOG = getLogger("arbitre.challenge")

CLOCK = "10s/move"

EVENT = "challenge-"
"""How the event of such a match begins, before the number of the challenge."""


class Herald:
    """Sees to all challenges of one site."""

    def __init__(self, store: Store, community: Community, arena: Arena) -> None:
        self.store = store
        self.community = community
        self.arena = arena
        self._stopped: list[str] = []
        """Matches of challenges that have stopped, and were not looked at yet."""
        self._waiting: dict[ChallengeId, str] = {}
        """Matches that stopped without a verdict, until they go on."""
        self._tries: dict[ChallengeId, Tries] = {}
        """How often each was tried."""
        arena.on_end(self._ended)

    async def start(self) -> None:
        """Look for matches that came to nothing before the house went away."""
        begun = await asyncio.to_thread(self.community.challenges.begun)
        playing = {one.name for one in self.arena.playing()}
        self._stopped += [one.match for one in begun if one.match is not None and one.match not in playing]

    def _ended(self, sitting: ArenaMatch) -> None:
        if sitting.plan.event.startswith(EVENT):
            self._stopped.append(sitting.name)

    async def look(self) -> None:
        """See to everything that is due."""
        stopped, self._stopped = self._stopped, []
        for name in stopped:
            await self._see_to(name, self._hear(name))
        for number, name in tuple(self._waiting.items()):
            if self._rested(number):
                await self._see_to(name, self._resume(number, name))
        for challenge in await asyncio.to_thread(self.community.challenges.due):
            if self._rested(challenge.id):
                await self._see_to(f"of challenge {challenge.id}", self._play(challenge))

    async def _see_to(self, name: str, what: Awaitable[None]) -> None:
        try:
            await what
        except (UnknownError, UnknownRecordError, StageError) as error:  # it was erased, or seen to before
            LOG.info("the match %s belongs to no challenge that goes on: %s", name, error)

    def _rested(self, number: ChallengeId) -> bool:
        return number not in self._tries or monotonic() >= self._tries[number].until

    async def _hear(self, name: str) -> None:
        """Find out what a match that stopped has come to, and do what follows."""
        number = ChallengeId(int((self.store.match(name).tournament or EVENT + "0").removeprefix(EVENT)))
        found = self._past(number)
        if found is None or found.name != name or self.arena.look(name) is not None:
            return
        if found.verdict is None:
            self._waiting[number] = name
        else:
            self._tries[number] = found.tries
        await self._judged(number, found.verdict)

    async def _resume(self, number: ChallengeId, name: str) -> None:
        """Go on with a match that stopped by an error of ours."""
        try:
            self.arena.resume(name)
            del self._waiting[number]
        except ArbitreError as error:
            await self._judged(number, error)

    async def _judged(self, number: ChallengeId, ended: Ended) -> None:
        """Do what follows from how a try ended; where nothing can be kept any more, the steward says so for all."""
        self._tries[number], step = judge(CHALLENGE, self._tries.get(number, Tries(number)), ended, monotonic())
        if isinstance(step, Halt):
            LOG.warning("challenge %s has failed: %s", number, step)
            self._waiting.pop(number, None)
            await asyncio.to_thread(self.community.challenges.fail, number)
        elif isinstance(step, Again):
            await asyncio.to_thread(self.community.challenges.again, number)

    def _past(self, number: ChallengeId) -> Past | None:
        """Return what the matches of a challenge have come to."""
        return past(self.store.matches(tournament=f"{EVENT}{number}")).get(1)

    def fault(self, challenge: Challenge) -> Reason | None:
        """Return why a challenge has failed; None: it has not."""
        if challenge.answer is not Reply.FAILED:
            return None
        try:
            kept = self.store.match(challenge.match).verdict if challenge.match else None
        except ArbitreError:
            kept = None
        if kept is not None:
            return failure(read_verdict(kept))
        gone = "its game is not there any more, or out of use"
        return Reason("the house could not play it to an end" if challenge.match else gone)

    # ── playing ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _play(self, challenge: Challenge) -> None:
        """Play the match that two owners have agreed on."""
        number = challenge.id
        try:
            label, players = await self._players(challenge)
            game = await self._game(label)
            referee = await judges(self.community, game)
            event, failures = f"{EVENT}{number}", len(found.abandoned) if (found := self._past(number)) else 0
            lot = f"challenge/{failures + 1}" if failures else "challenge"
            match = MatchPlan(game, (*players, *referee), clock=read_clock(CLOCK), event=event, round=1)
            sitting = await self.arena.open(match, call=Fixed(derive(house_seed(self.arena.key, event), lot), event, 1))
            await asyncio.to_thread(self.community.challenges.played, number, sitting.name)
        except ArbitreError as error:
            await self._judged(number, error)

    async def _players(self, challenge: Challenge) -> tuple[str, list[Sitter]]:
        """Return the game that the two engines play, and who sits down."""
        pair = (challenge.challenger, challenge.challenged)
        engines = [await asyncio.to_thread(self.community.engines.find, which) for which in pair]
        return engines[0].game, [
            EngineSeat(found.id, found.neutral, found.url, found.style, found.opponent)
            if found.retired is None
            else EmptySeat(found.neutral, f"engine:{found.opponent}", Reason("out-of-use"))
            for found in engines
        ]

    async def _game(self, label: str) -> AnyGame:
        key = key_of(label)
        return (await asyncio.to_thread(self.community.added.called, key)).rules if key else find_game(label)
