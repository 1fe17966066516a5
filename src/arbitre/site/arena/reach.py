"""How engines may be called here: what the operator allowed their owners' classes (spec: tournoyons, sections 7 and 9).

Asked at every call, answered from memory for a moment: what is taken back counts a moment later, in games that go on too.
"""

from collections import OrderedDict
from time import monotonic

from arbitre.errors import CommunityError, StoreError
from arbitre.site.accounts import Account
from arbitre.site.community import Community
from arbitre.tournoyons.gateway import PUBLIC, Way

FRESH_SECONDS = 2.0
MOST_KEPT = 4_096


class Ways:
    """Knows the way to every engine."""

    def __init__(self, community: Community) -> None:
        self._community = community
        self._kept: OrderedDict[tuple[int, str], tuple[float, Way]] = OrderedDict()

    def to_engine(self, number: int, address: str) -> Way:
        """Return how a registered engine may be called."""
        kept = self._kept.get((number, address))
        if kept is not None and monotonic() - kept[0] < FRESH_SECONDS:
            return kept[1]
        try:
            way = self._look(number, address)
        except StoreError:  # the database was restarted amid it: no engine's turn ends for that
            way = self._look(number, address) if kept is None else kept[1]
        self._kept.pop((number, address), None)
        self._kept[number, address] = (monotonic(), way)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return way

    def _look(self, number: int, address: str) -> Way:
        try:
            return self._community.classes.way_for(self._community.engines.find(number).owner, address)
        except CommunityError:  # erased meanwhile
            return PUBLIC

    def for_person(self, person: Account | None, address: str) -> Way:
        """Return how an address may be called that somebody types in or registers."""
        return PUBLIC if person is None else self._community.classes.way_for(person.id, address)
