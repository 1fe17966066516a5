"""The draws of a site's competitions: published when they are announced, settled when entries are closed, kept with each."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from arbitre.crypto.keys import Key
from arbitre.errors import StageError
from arbitre.site.accounts import Account
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement, Competition, Stage
from arbitre.site.competitions.draw import REVEAL_SECONDS, Draw, Way, lots_of, mixed, new_draw, read_draw, seed_under
from arbitre.site.competitions.entries import Entry
from arbitre.tournament.config import TournamentPlan, plan_of

Change = Callable[[str, Draw], Draw]
"""From the purpose of the lots and the draw so far to the draw with one thing more."""


def tournament_of(number: int) -> str:
    """Return the name of the tournament that a competition is held as; its lots are drawn for that purpose."""
    return f"competition-{number}"


class Drawing:
    """Settles draws; its caller sees to it that one thing happens at a time."""

    def __init__(self, community: Community, keys: Sequence[Key]) -> None:
        self.community = community
        self.keys = keys
        """The keys of the house, the newest last: seeds come from the one under which a competition was announced."""
        self.key = keys[-1]

    def announce(self, by: Account, said: Announcement, way: Way) -> Competition:
        """Announce a competition, with the commitment of its seed."""
        made = self.community.competitions.announce(by, said)
        return self.community.competitions.prove(made.id, new_draw(self.key, made.code, way).text())

    def of(self, competition: Competition) -> Draw:
        """Return the draw of a competition; by the seed where it was announced without any."""
        return read_draw(competition.proof) or new_draw(self.key, competition.code, "seed")

    async def commit(self, entry: Entry, payload: str) -> None:
        """Take the Commit that a contestant brings, while entries are taken."""
        await self._change(entry, Stage.OPEN, lambda purpose, drawn: drawn.committed(purpose, entry.neutral, payload))

    async def reveal(self, entry: Entry, payload: str) -> None:
        """Take the Reveal of a contestant, when entries are closed and the draw is not made."""
        await self._change(entry, Stage.RUNNING, lambda purpose, drawn: drawn.revealed(purpose, entry.neutral, payload))

    async def drop(self, entry: Entry) -> None:
        """Forget the Commit of somebody who withdrew before entries were closed."""
        found = await asyncio.to_thread(self.community.competitions.find, entry.competition)
        if found.stage is Stage.OPEN and entry.neutral in (self.of(found).commits or {}):
            await self._keep(found, self.of(found).without(entry.neutral))

    async def _change(self, entry: Entry, stage: Stage, change: Change) -> None:
        found = await asyncio.to_thread(self.community.competitions.find, entry.competition)
        drawn = self.of(found)
        if drawn.way != "contestants" or drawn.transcript or found.stage is not stage:
            raise StageError("this competition takes no such thing for its draw now")
        await self._keep(found, change(tournament_of(found.id), drawn))

    async def _keep(self, competition: Competition, drawn: Draw) -> None:
        await asyncio.to_thread(self.community.competitions.prove, competition.id, drawn.text())

    async def close(self, by: Account | None, competition: Competition) -> None:
        """Take no more entries: from now on it runs."""
        closed = self.community.database.now()
        proof = replace(self.of(competition), closed=closed).text()
        start = self.community.competitions.start
        await asyncio.to_thread(start, by, competition.id, tournament_of(competition.id), proof, closed)

    async def plan(self, competition: Competition) -> TournamentPlan | None:
        """Return the plan with its seed and its order; None while contestants may still open their Commits."""
        name = tournament_of(competition.id)
        drawn = self.of(competition)
        seed = seed_under(self.keys, competition.code, drawn.commitment)
        plan = replace(await asyncio.to_thread(self.community.entries.plan, competition, name, drawn.closed), seed="")
        if drawn.way == "contestants":
            here = {one.neutral for one in await asyncio.to_thread(self.community.entries.of, competition.id)}
            if here.intersection(drawn.awaited) and self.community.database.now() < drawn.closed + REVEAL_SECONDS:
                return None
            lots = await asyncio.to_thread(lots_of, name, seed, tuple(one.name for one in plan.entrants), drawn)
            drawn = replace(drawn, transcript=lots.transcript)
            await self._keep(competition, drawn)
            players = [{"name": one, "player": one} for one in lots.order]
            plan = plan_of({**plan.fields(), "players": players, "seeding": "listed"})
        return plan.seeded(mixed(seed, drawn.transcript))
