"""Seats, colours, seedings and draws, settled by the contestants themselves.

An election has one winner; a seating needs an order. The order is drawn from *one* set of Commits and Reveals: the winner of all
comes first, the winner of the rest second, and so on. The exclusive or of the others is over another set each time, so each
election is as good as a fresh one, and nobody sends anything twice.

Strong mode always: a copied Commit convicts its copier. Whoever commits and does not reveal, or is convicted, forfeits and
comes last. The proof is an ordinary transcript that `arbitre verify` checks; it claims the order.
"""

import io
from collections.abc import Callable, Sequence
from typing import TypeVar

from arbitre.elections.payload import Contestant, Excluded, judge, new_opening, write_commit, write_reveal
from arbitre.elections.terms import NONCE_OCTETS, Mode, Terms, check_name
from arbitre.elections.transcript import Entry, Header, Source, write_lines
from arbitre.elections.verdict import Payloads, Round, play
from arbitre.errors import ElectionError
from arbitre.values import value

T = TypeVar("T")

MOST_CONTESTANTS = 4_096
"""An order of M takes M elections; more than these are seeded otherwise."""


@value
class Place:
    """One place of the order, and the rounds that gave it; none for the last, who is left over, and for a forfeit."""

    player: str
    rounds: tuple[Round, ...] = ()
    forfeit: Excluded | None = None


@value
class Lots:
    """An order of contestants, with its proof."""

    terms: Terms
    purpose: str
    places: tuple[Place, ...]
    transcript: str
    """JSON lines, to be kept, shown and checked."""

    @property
    def order(self) -> tuple[str, ...]:
        """Return the contestants, first first."""
        return tuple(place.player for place in self.places)

    def deal(self, things: Sequence[T]) -> dict[str, T]:
        """Give one thing each, in order: colours, seats, numbers of a seeding."""
        if len(things) != len(self.places):
            raise ElectionError("%(things)s things for %(places)s contestants", things=len(things), places=len(self.places))
        return dict(zip(self.order, things, strict=True))

    def pairs(self) -> tuple[tuple[str, str | None], ...]:
        """Return the draw of a first round: first against second, third against fourth; an odd one out is alone."""
        order = self.order
        return tuple((order[at], order[at + 1] if at + 1 < len(order) else None) for at in range(0, len(order), 2))


def lot_terms(purpose: str) -> Terms:
    """Return the terms under which contestants commit for one purpose; its name must not be used twice."""
    return Terms(mode=Mode.STRONG, game=purpose)


def draw_lots(purpose: str, players: Sequence[str], commits: Payloads, reveals: Payloads) -> Lots:
    """Return the order of the players that follows from their Commits and Reveals."""
    if len(players) > MOST_CONTESTANTS or len(set(players)) != len(players):
        raise ElectionError(
            "lots are drawn for at most %(most_contestants)s different contestants, not %(players)s",
            most_contestants=MOST_CONTESTANTS,
            players=len(players),
        )
    if strangers := (commits.keys() | reveals.keys()) - set(players):
        raise ElectionError("%(strangers)r is no contestant", strangers=min(strangers))
    terms = lot_terms(purpose)
    names = sorted(map(check_name, players))
    places = _places(terms, names, commits, reveals)
    entries = (Entry(name, commits.get(name), reveals.get(name)) for name in names)
    buffer = io.BytesIO()
    order = [place.player for place in places]
    write_lines(
        buffer, Header(terms, more={"lots": True}), entries, claim={"winner": order[0] if order else None, "order": order}
    )
    return Lots(terms, purpose, places, buffer.getvalue().decode())


def _places(terms: Terms, names: Sequence[str], commits: Payloads, reveals: Payloads) -> tuple[Place, ...]:
    judged = [judge(terms, name, commits.get(name), reveals.get(name)) for name in names]
    left = [one for one in judged if isinstance(one, Contestant)]
    places = []
    while left:
        rounds, best = play(terms, left)
        # bound nonces of 32 random octets: equal Commits, and with them an endless tie, do not happen by chance
        first = min(best, key=lambda one: one.player)
        places.append(Place(first.player, tuple(rounds)))
        left.remove(first)
    return (*places, *(Place(one.player, forfeit=one) for one in judged if isinstance(one, Excluded)))


def draw_lots_here(purpose: str, players: Sequence[str], octets: Callable[[int], bytes], below: Callable[[int], int]) -> Lots:
    """Return an order drawn on one machine, which plays all contestants; `octets` and `below` are its source of chance."""
    terms = lot_terms(purpose)
    openings = {name: new_opening(terms, name, octets(NONCE_OCTETS), below(terms.states)) for name in players}
    commits = {name: write_commit(terms, one) for name, one in openings.items()}
    reveals = {name: write_reveal(terms, one) for name, one in openings.items()}
    return draw_lots(purpose, players, commits, reveals)


def order_of(source: Source) -> tuple[str, ...]:
    """Return the order that a transcript of lots proves."""
    entries = [said for chunk in source.chunks() for _, said in chunk.said() if isinstance(said, Entry)]
    if len(entries) > MOST_CONTESTANTS:
        raise ElectionError("%(entries)s contestants are too many for lots", entries=len(entries))
    commits = {one.player: one.commit for one in reversed(entries) if one.commit is not None}
    reveals = {one.player: one.reveal for one in reversed(entries) if one.reveal is not None}
    names = sorted({one.player for one in entries})
    return tuple(place.player for place in _places(source.header.terms, names, commits, reveals))
