"""Personal challenges, said and answered: what follows from an answer is the house's to see to (`site.challenge_runner`)."""

import asyncio
from typing import Literal

from arbitre.errors import UnknownError
from arbitre.site.accounts import Account
from arbitre.site.challenges import Challenge, ChallengeId
from arbitre.site.site import Site

Act = Literal["accept", "decline", "withdraw"]
"""What one says to a challenge: yes or no to another's, withdraw for one's own."""


async def answer(site: Site, by: Account, number: int, act: Act) -> Challenge:
    """Accept or decline a challenge to one's engine, or withdraw one's own."""
    kept = site.community.challenges
    done = {"accept": kept.accept, "decline": kept.decline, "withdraw": kept.withdraw}[act]
    found = await asyncio.to_thread(done, by, ChallengeId(number))
    site.steward.wake()
    return found


def game_of(site: Site, one: Challenge) -> str:
    """Return the label of the game of a challenge, empty where its engine was erased."""
    try:
        return site.community.engines.find(one.challenger).game
    except UnknownError:
        return ""
