"""The games that engines, interfaces, competitions and rankings are for: the house's, and those that members added.

Both are known by a label: the name of a game of the catalogue, or `added:KEY` (`games.labels`). What a face needs to know of
either is found here, so that none asks twice which of them it is.
"""

from collections.abc import Iterable
from contextlib import suppress

from arbitre.errors import ArenaError, UnknownError, shorten
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame
from arbitre.games.labels import key_of, label_of, title_of
from arbitre.games.wires import is_wired, unspeakable, wired
from arbitre.site.accounts import Account, AccountId
from arbitre.site.added import AddedGame
from arbitre.site.arena.plan import EngineSeat, MatchPlan, PersonSeat
from arbitre.site.engines import EngineId
from arbitre.site.site import Site
from arbitre.values import value

MOST_CHOICES = 500
"""Added games that a page lets one choose from."""


@value
class PlayableGame:
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
        return listing(self.label).set if self.added is None else self.added.name


@value
class Adjudicator:
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


def judge_of(site: Site, label: str, owners: Iterable[AccountId] = ()) -> Adjudicator | None:
    """Return who runs the referee of a game that members added, in use or not; `owners` are those who take part."""
    key = key_of(label)
    try:
        found = site.community.added.called(key) if key else None
    except UnknownError:
        return None
    if found is None:
        return None
    names = site.community.accounts.many((found.owner,))
    return Adjudicator(found.label, found.owner, names.get(found.owner, "–"), found.owner in set(owners))


def runs_referee(site: Site, label: str) -> str | None:
    """Return the name of who runs the referee of an added game; None: it is a game of the site."""
    judge = judge_of(site, label)
    return None if judge is None else judge.name


def judge_at(site: Site, plan: MatchPlan) -> Adjudicator | None:
    """Return who runs the referee of a match, and whether he or an engine of his plays in it."""
    if not plan.game.neutral:
        return None
    owners = [
        AccountId(int(number))
        for one in plan.sitters
        if isinstance(one, PersonSeat) and (number := one.who.removeprefix("account:")) != one.who
    ]
    for one in plan.sitters:
        if isinstance(one, EngineSeat) and one.number:
            with suppress(UnknownError):
                owners.append(site.community.engines.find(EngineId(one.number)).owner)
    return judge_of(site, label_of(plan.game), owners)


def played(site: Site, label: str, by: Account | None) -> PlayableGame | None:
    """Return the game of a label, if engines and interfaces play it and this person may see it."""
    return _found(label, site.community.added.labelled(label, by))


def in_use(site: Site, label: str) -> PlayableGame:
    """Return the game of a label, whoever asks: for the house itself; `UnknownError`."""
    key = key_of(label)
    found = _found(label, site.community.added.called(key) if key else None)
    if found is None or (found.added is not None and found.added.retired is not None):
        raise UnknownError("%(label)r is not played here, or not any more", label=title_of(label) if key else shorten(label))
    return found


def _found(label: str, added: AddedGame | None) -> PlayableGame | None:
    if is_wired(label):
        return PlayableGame(label, listing(label).title, find_game(label))
    return None if added is None else PlayableGame(added.label, added.name, added.rules, added)


def added_games(site: Site, by: Account | None) -> tuple[AddedGame, ...]:
    """Return the added games in use that somebody may choose."""
    return site.community.added.all(by=by, most=MOST_CHOICES)


def choices(site: Site, by: Account | None, language: str) -> list[tuple[str, str]]:
    """Return label and title of the games that somebody may choose, the house's first."""
    ours = [(one.name, one.called(language)) for one in wired()]
    return [*ours, *((one.label, one.name) for one in added_games(site, by))]


def check_playable(game: AnyGame) -> None:
    """Refuse options with which no interface and no engine by URL can play; `ArenaError` says which."""
    if why := unspeakable(game):
        raise ArenaError(why)
