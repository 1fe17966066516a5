"""The herald: sees to the personal challenges that two owners have agreed on, one match each (spec: tournoyons, section 7).

A match that our own house had to abandon, or the referee of an added game, is played again with another seed after a pause, so
often as in a competition; then the challenge has failed, and the verdict of its last match says why. Everything follows from the
store, so a house that comes back goes on where it was.
"""

import asyncio
from collections import Counter
from logging import getLogger
from time import monotonic

from arbitre import hall as tournament
from arbitre.crypto.chain import derive
from arbitre.errors import ArbitreError, HouseError, StageError, UnknownError, UnknownRecordError
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame
from arbitre.games.labels import key_of
from arbitre.hall import MOST_ATTEMPTS
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.referee.clock import read_clock
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.site.added_trial import judges
from arbitre.site.arena.arena import Arena, Call
from arbitre.site.arena.matches import Sitting
from arbitre.site.arena.plan import Absent, Engine, Plan, Sitter
from arbitre.site.challenges import Answer, Challenge, ChallengeId
from arbitre.site.community import Community
from arbitre.site.competitions.draw import house_seed

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
        self._rest: dict[ChallengeId, float] = {}
        self._strikes: Counter[str] = Counter()
        """How often a match stopped without a verdict since the house came back."""
        self._troubles: dict[ChallengeId, str] = {}
        """Why a challenge cannot be played now."""
        arena.on_end(self._ended)

    async def start(self) -> None:
        """Look for matches that came to nothing before the house went away."""
        begun = await asyncio.to_thread(self.community.challenges.begun)
        playing = {one.name for one in self.arena.playing()}
        self._stopped += [one.match for one in begun if one.match is not None and one.match not in playing]

    def _ended(self, sitting: Sitting) -> None:
        if sitting.plan.event.startswith(EVENT):
            self._stopped.append(sitting.name)

    async def look(self) -> None:
        """See to everything that is due."""
        stopped, self._stopped = self._stopped, []
        for name in stopped:
            try:
                await self._hear(name)
            except (UnknownError, UnknownRecordError, StageError) as error:  # it was erased, or seen to before
                LOG.info("the match %s belongs to no challenge that goes on: %s", name, error)
        for challenge in await asyncio.to_thread(self.community.challenges.due):
            if monotonic() >= self._rest.get(challenge.id, 0.0):
                await self._play(challenge)

    async def _hear(self, name: str) -> None:
        """Find out what a match that stopped has come to; one that came to nothing is played again."""
        row = self.store.match(name)
        number = ChallengeId(int((row.tournament or EVENT + "0").removeprefix(EVENT)))
        known = self.community.challenges
        if row.verdict is None:
            self._strikes[name] += 1
            try:
                if self._strikes[name] > MOST_ATTEMPTS:
                    raise HouseError("the match %(name)s stops again and again", name=name)
                self.arena.resume(name)
            except ArbitreError as error:
                LOG.error("challenge %s has failed: %s", number, error)  # noqa: TRY400 - it says enough
                await asyncio.to_thread(known.fail, number)
            return
        verdict = read_verdict(row.verdict)
        if verdict.scores is not None:
            return
        failures = self._failures(number)
        LOG.warning("challenge %s came to nothing %s times: %s", number, failures, verdict.reason)
        if failures >= MOST_ATTEMPTS:
            await asyncio.to_thread(known.fail, number)
            return
        if verdict.termination is Termination.REFEREE_FAILED:
            self._rest[number] = monotonic() + tournament.REST_SECONDS * failures
        await asyncio.to_thread(known.again, number)

    def _failures(self, number: ChallengeId) -> int:
        """Return how often the match of a challenge was abandoned."""
        rows = self.store.matches(tournament=f"{EVENT}{number}")
        return sum(row.verdict is not None and read_verdict(row.verdict).scores is None for row in rows)

    def fault(self, challenge: Challenge) -> Reason | None:
        """Return why a challenge has failed; None: it has not."""
        if challenge.answer is not Answer.FAILED:
            return None
        try:
            kept = self.store.match(challenge.match).verdict if challenge.match else None
        except ArbitreError:
            kept = None
        if kept is not None:
            return read_verdict(kept).reason
        gone = "its game is not there any more, or out of use"
        return Reason("the house could not play it to an end" if challenge.match else gone)

    # ── playing ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _play(self, challenge: Challenge) -> None:
        """Play the match that two owners have agreed on."""
        number, known = challenge.id, self.community.challenges
        try:
            label, players = await self._players(challenge)
            game = await self._game(label)
            referee = await judges(self.community, game)
            event, failures = f"{EVENT}{number}", self._failures(number)
            lot = f"challenge/{failures + 1}" if failures else "challenge"
            match = Plan(game, (*players, *referee), clock=read_clock(CLOCK), event=event, round=1)
            sitting = await self.arena.open(match, call=Call(derive(house_seed(self.arena.key, event), lot), event, 1))
            await asyncio.to_thread(known.played, number, sitting.name)
            self._rest.pop(number, None)
            self._troubles.pop(number, None)
        except (StageError, UnknownError) as error:  # the added game is gone
            LOG.warning("challenge %s has failed: %s", number, error)
            await asyncio.to_thread(known.fail, number)
        except ArbitreError as error:
            if self._troubles.get(number) != str(error):  # it is tried again every second
                self._troubles[number] = str(error)
                LOG.error("challenge %s cannot be played now: %s", number, error)  # noqa: TRY400

    async def _players(self, challenge: Challenge) -> tuple[str, list[Sitter]]:
        """Return the game that the two engines play, and who sits down."""
        pair = (challenge.challenger, challenge.challenged)
        engines = [await asyncio.to_thread(self.community.engines.find, which) for which in pair]
        return engines[0].game, [
            Engine(found.id, found.neutral, found.url, found.style, found.opponent)
            if found.retired is None
            else Absent(found.neutral, f"engine:{found.opponent}", Reason("out-of-use"))
            for found in engines
        ]

    async def _game(self, label: str) -> AnyGame:
        key = key_of(label)
        return (await asyncio.to_thread(self.community.added.called, key)).rules if key else find_game(label)
