"""The games that engines, interfaces, competitions and rankings are for: the house's, and those that members added.

Both are known by a label: the name of a game of the catalogue, or `added:KEY` (`games.labels`). What a page needs to know of
either is found here, so that no page asks twice which of them it is.
"""

from collections.abc import Iterable
from contextlib import suppress

from arbitre.errors import UnknownError, shorten
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame
from arbitre.games.labels import key_of, label_of, title_of
from arbitre.games.screens import SCREENS
from arbitre.games.trays import TRAYS
from arbitre.site.accounts import Account, AccountId
from arbitre.site.added import AddedGame
from arbitre.site.arena.plan import Engine, Person, Plan
from arbitre.site.engines import EngineId
from arbitre.values import value
from arbitre.web.house import House

MOST_CHOICES = 500
"""Added games that a page lets one choose from."""


@value
class Played:
    """A game that engines and interfaces play here."""

    label: str
    title: str
    rules: AnyGame
    added: AddedGame | None = None

    def called(self, language: str) -> str:
        """Return what people of a language call it."""
        return self.title if self.added is not None else title_of(self.label, language)

    @property
    def set(self) -> str:
        """What it is called in `Set`."""
        return TRAYS[self.label].name if self.added is None else self.added.name


@value
class Judge:
    """Who runs the referee of an added game: its verdicts rest on his program, so whoever reads one is told."""

    label: str
    owner: AccountId
    name: str
    involved: bool = False
    """Whether he also takes part."""

    @property
    def title(self) -> str:
        """What the game is called."""
        return title_of(self.label)


def judge_of(house: House, label: str, owners: Iterable[AccountId] = ()) -> Judge | None:
    """Return who runs the referee of a game that members added, in use or not; `owners` are those who take part."""
    key = key_of(label)
    try:
        found = house.community.added.called(key) if key else None
    except UnknownError:
        return None
    if found is None:
        return None
    names = house.community.accounts.many((found.owner,))
    return Judge(found.label, found.owner, names.get(found.owner, "–"), found.owner in set(owners))


def runs_referee(house: House, label: str) -> str | None:
    """Return the name of who runs the referee of an added game; None: it is a game of the house."""
    judge = judge_of(house, label)
    return None if judge is None else judge.name


def judge_at(house: House, plan: Plan) -> Judge | None:
    """Return who runs the referee of a match, and whether he or an engine of his plays in it."""
    if not plan.game.neutral:
        return None
    owners = [
        AccountId(int(number))
        for one in plan.sitters
        if isinstance(one, Person) and (number := one.who.removeprefix("account:")) != one.who
    ]
    for one in plan.sitters:
        if isinstance(one, Engine) and one.number:
            with suppress(UnknownError):
                owners.append(house.community.engines.find(EngineId(one.number)).owner)
    return judge_of(house, label_of(plan.game), owners)


def played(house: House, label: str, by: Account | None) -> Played | None:
    """Return the game of a label, if engines and interfaces play it and this person may see it."""
    return _found(label, house.community.added.labelled(label, by))


def in_use(house: House, label: str) -> Played:
    """Return the game of a label, whoever asks: for the house itself; `UnknownError`."""
    key = key_of(label)
    found = _found(label, house.community.added.called(key) if key else None)
    if found is None or (found.added is not None and found.added.retired is not None):
        raise UnknownError("%(label)r is not played here, or not any more", label=title_of(label) if key else shorten(label))
    return found


def _found(label: str, added: AddedGame | None) -> Played | None:
    if label in TRAYS and label in SCREENS:
        return Played(label, listing(label).title, find_game(label))
    return None if added is None else Played(added.label, added.name, added.rules, added)


def added_games(house: House, by: Account | None) -> tuple[AddedGame, ...]:
    """Return the added games in use that somebody may choose."""
    return house.community.added.all(by=by, most=MOST_CHOICES)


def choices(house: House, by: Account | None, language: str) -> list[tuple[str, str]]:
    """Return label and title of the games that somebody may choose, the house's first."""
    ours = [(name, title_of(name, language)) for name in TRAYS if name in SCREENS]
    return [*ours, *((one.label, one.name) for one in added_games(house, by))]
