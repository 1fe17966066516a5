"""What is done with a competition: find it, announce and change it, take part, steer it, say who plays when, prove it.

What may not change any more, and who may enter, the repositories decide (`competitions`, `entries`); the runner plays it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Literal

from arbitre.crypto.chain import commitment
from arbitre.elections.lots import lot_terms
from arbitre.errors import ArenaError, ForbiddenError, StageError, UnfinishedError, UnfitError, UnknownError
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame
from arbitre.games.labels import keys_of
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import ClassId
from arbitre.site.competitions.archive import archive
from arbitre.site.competitions.competitions import Access, Announcement, Competition, CompetitionId, Kind, Stage, trial_plan
from arbitre.site.competitions.draw import Draw, Way, read_draw, seed_under
from arbitre.site.competitions.drawing import tournament_of
from arbitre.site.competitions.entries import Entry, EntryId
from arbitre.site.competitions.scoreboard import Board
from arbitre.site.engines import EngineId
from arbitre.site.games import check_playable, played
from arbitre.site.site import Site
from arbitre.tournament.config import FITTING
from arbitre.values import value

Act = Literal["open", "begin", "cancel", "again"]
"""What an organiser does with a competition that was announced."""

HOUR = 3_600
MOST_STARTS = 100


async def find(site: Site, by: Account | None, number: int, code: str = "") -> Competition:
    """Return a competition that somebody may see: listed, his own, or with its link."""
    try:
        return await asyncio.to_thread(site.community.competitions.get, CompetitionId(number), by)
    except UnknownError:
        if not code:
            raise
        found = await asyncio.to_thread(site.community.competitions.linked, code)
        if found.id != number:
            raise
        return found


# ── announcing ─────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Terms:
    """What an organiser decides; what is 0 is as usual, times are in seconds since 1970."""

    game: AnyGame
    title: str
    format: str = FITTING
    games: int = 2
    clock: str = "10s/move"
    rounds: int = 0
    turns: int = 0
    agree: str = ""
    """When games end because both sides say how they stand; empty: never."""
    refusals: object = 0
    concurrency: int = 0
    starts: tuple[str, ...] = ()
    about: str = ""
    kind: Kind = "engines"
    access: Access = "all"
    klass: ClassId | None = None
    opens: int = 0
    """When entries are taken; 0: now."""
    begins: int = 0
    """When the games start; 0: in an hour."""
    listed: bool = True
    each: int = 1
    patience: int = 600
    records: str = "at-once"
    """When records are sealed and opened: with each game, or `after` the last."""

    def said(self, now: int = 0) -> Announcement:
        """Return the announcement of these terms; `UnfitError` names what does not fit."""
        if len(self.starts) > MOST_STARTS:
            raise UnfitError("starts", "at most %(most_starts)s positions", most_starts=MOST_STARTS)
        return Announcement(
            self.title,
            self._plan,
            max(self.opens, now),
            self.begins or now + HOUR,
            self.about,
            self.kind,
            self.access,
            self.klass,
            self.listed,
            self.each,
            self.patience,
        )

    @property
    def _plan(self) -> dict[str, object]:
        """The keys of the tournament's plan."""
        plan: dict[str, object] = {"format": self.format, "games": self.games, "clock": self.clock}
        plan["seeding"] = "listed" if self.format == "gauntlet" else "lot"
        if self.format in ("swiss", FITTING):
            plan["rounds"] = self.rounds
        # of Kriegspiel the umpire says no, and the game goes on
        refusals = "any" if self.game.name == "kriegspiel" else self.refusals
        more = {"turns": self.turns, "refusals": refusals, "concurrency": self.concurrency, "starts": list(self.starts)}
        more["agree"] = self.agree
        kept = {} if self.records == "at-once" else {"records": self.records}
        return keys_of(self.game) | plan | kept | {key: one for key, one in more.items() if one}


def terms_of(said: Announcement) -> Terms:
    """Return what was decided, from what was announced."""
    keys: dict[str, Any] = {one.name: getattr(said, one.name) for one in fields(Announcement) if one.name != "plan"}
    usual: dict[str, Any] = {"format": "round-robin", "games": 1, "clock": "none", "rounds": 0, "turns": 0, "refusals": 0}
    usual |= {"concurrency": 0, "starts": (), "records": "at-once", "agree": ""}
    planned: dict[str, Any] = {key: said.plan.get(key, one) for key, one in usual.items()}
    return Terms(trial_plan(said.plan).game, **keys | planned | {"starts": tuple(planned["starts"])})


def game_of(site: Site, by: Account, label: str, options: Mapping[str, object]) -> AnyGame:
    """Return the game that an organiser's competition is to be of: one of the house with its options, or an added one."""
    by.require(Role.ORGANISER)
    table = played(site, label, by)
    if table is None:
        raise UnfitError("game", "choose one of the games")
    return with_options(table.rules, options)


def with_options(game: AnyGame, options: Mapping[str, object]) -> AnyGame:
    """Return a game with these options, all others being as usual; an added game has none."""
    if game.neutral:
        if options:
            raise ArenaError("%(called)s has no options", called=game.called)
        return game
    found = find_game(game.name, options)
    check_playable(found)
    return found


async def announce(site: Site, by: Account, terms: Terms, draw: Way = "seed") -> Competition:
    """Announce a competition: an organiser may."""
    by.require(Role.ORGANISER)
    said = terms.said(site.community.database.now())
    made = await asyncio.to_thread(site.steward.announce, by, said, draw)
    site.steward.wake()
    return made


def announced(site: Site, by: Account, game: str, title: str) -> Competition | None:
    """Return the competition of this game and title that somebody has announced and that is not over."""
    for one in site.community.competitions.all(by=by, game=game):
        same = (one.organiser, one.announcement.title) == (by.id, title)
        if same and one.stage not in (Stage.OVER, Stage.CANCELLED):
            return one
    return None


async def changeable(site: Site, by: Account, number: int) -> Competition:
    """Return a competition that somebody may change now."""
    found = await find(site, by, number)
    _check_steers(by, found)
    if found.stage not in (Stage.ANNOUNCED, Stage.OPEN):
        raise StageError("this competition is %(stage)s: it cannot be changed any more", stage=found.stage)
    return found


async def change(site: Site, by: Account, found: Competition, before: Terms, after: Terms) -> Competition:
    """Announce otherwise what differs between the two; whatever no term says stays as it is."""
    was, now, said = before.said(), after.said(), found.announcement
    differ = {key for key in was.plan.keys() | now.plan.keys() if was.plan.get(key) != now.plan.get(key)}
    plan = {key: one for key, one in said.plan.items() if key not in differ}
    plan |= {key: now.plan[key] for key in differ if key in now.plan}
    names = [one.name for one in fields(Announcement) if one.name != "plan"]
    others: dict[str, Any] = {name: getattr(now, name) for name in names if getattr(was, name) != getattr(now, name)}
    changed = replace(said, plan=plan, **others)
    made = await asyncio.to_thread(site.community.competitions.change, by, found.id, changed)
    _stirred(site, found)
    return made


# ── steering ───────────────────────────────────────────────────────────────────────────────────────────────────────


def steers(by: Account | None, competition: Competition) -> bool:
    """Tell whether somebody organises a competition."""
    return by is not None and (by.id == competition.organiser or by.may(Role.OPERATOR))


def _check_steers(by: Account, found: Competition) -> None:
    if not steers(by, found):
        raise ForbiddenError("only its organiser changes a competition")


async def steer(site: Site, by: Account, number: int, act: Act, why: str = "") -> Competition:
    """Open the entries, begin the games, call it off for a reason, or go on after a fault of the house: the organiser may."""
    found = await find(site, by, number)
    _check_steers(by, found)
    match act:
        case "open":
            await asyncio.to_thread(site.community.competitions.open, by, found.id)
        case "begin":
            await site.steward.begin(by, found.id)
        case "cancel":
            await asyncio.to_thread(site.community.competitions.cancel, by, found.id, why)
        case "again":
            await site.steward.again(by, found.id)
    _stirred(site, found)
    return await find(site, by, number)


def _stirred(site: Site, found: Competition) -> None:
    """Let the steward look at a competition that somebody changed, and whoever watches it hear of it."""
    site.steward.bell(found.id).ring()
    site.steward.wake()


# ── taking part ────────────────────────────────────────────────────────────────────────────────────────────────────


async def enter(site: Site, by: Account, found: Competition, engine: EngineId | None, code: str = "", commit: str = "") -> Entry:
    """Enter an engine, or oneself, with a Commit for the draw where one is brought; to enter what is entered changes nothing."""
    kept = site.community.entries

    def once() -> Entry:
        same = (one for one in kept.of(found.id) if (one.owner, one.engine) == (by.id, engine))
        return next(same, None) or kept.enter(by, found.id, engine, code)

    entry = await asyncio.to_thread(once)
    if commit:
        await site.steward.commit(entry, commit)
    site.steward.bell(found.id).ring()
    return entry


async def own_entry(site: Site, by: Account, number: int, competition: int | None = None) -> Entry:
    """Return an entry of one's own, of one competition where that is said."""
    found = await asyncio.to_thread(site.community.entries.get, EntryId(number))
    if found.owner != by.id or competition not in (None, found.competition):
        raise ForbiddenError("this entry is not yours")
    return found


async def vote(site: Site, by: Account, number: int, code: str = "") -> tuple[Entry, int]:
    """Vote for a favourite in a competition that one may see; return it, and how many have voted for it."""
    kept = site.community.entries
    one = await asyncio.to_thread(kept.get, EntryId(number))
    await find(site, by, one.competition, code)

    def cast() -> int:
        kept.vote(by, one.id)
        return kept.votes(one.competition).get(one.id, 0)

    return one, await asyncio.to_thread(cast)


@value
class OwnGame:
    """Somebody's game of a competition that is being played or waits."""

    competition: Competition
    number: int
    names: tuple[str, ...]
    match: str | None
    """The match, where it is being played."""
    asks: bool
    """Whether it begins when this one says that he is there."""
    waits: bool
    """Whether it waits for the other."""
    until: int
    """When those who have not come lose it; 0: never."""


def own_games(site: Site, person: Account, number: CompetitionId) -> list[OwnGame]:
    """Return somebody's games of a competition that are being played or wait, those that are played first."""
    held = site.steward.held(number)
    made = []
    for fixture in () if held is None else (*held.live.values(), *held.queue):
        assert held is not None  # noqa: S101 - it has fixtures
        seats = [held.entry(one) for one in fixture.seats]
        if person.id not in {one.owner for one in seats}:
            continue
        match = held.names[fixture.number] if fixture.number in held.live else None
        missing = () if match else held.waits_for(fixture)
        names = tuple(one.name for one in seats)
        asks = person.id in missing
        waits = bool(missing) and not asks
        made.append(OwnGame(held.competition, fixture.number, names, match, asks, waits, held.until(fixture)))
    return made


# ── standing and proof ─────────────────────────────────────────────────────────────────────────────────────────────


async def board(site: Site, found: Competition) -> Board:
    """Return how a competition stands; `UnknownError` before it is drawn."""
    shown = await site.scoreboard.show(found)
    if shown is None:
        raise UnknownError("competition %(id)s is not drawn yet", id=found.id)
    return shown


def opened_seed(site: Site, found: Competition) -> bytes | None:
    """Return the seed of the house, which opens when the last game is over."""
    drawn = site.steward.drawing.of(found)
    return seed_under(site.store.referee_keys(), found.code, drawn.commitment) if found.stage is Stage.OVER else None


async def records(site: Site, found: Competition) -> bytes:
    """Return everything that proves a competition which is over, as an archive that `arbitre tournament judge` reads."""
    seed = opened_seed(site, found)
    if seed is None or found.tournament is None:
        raise UnfinishedError("the records of a competition open when it is over")
    return await asyncio.to_thread(archive, site.store, found.tournament, found.proof or "", seed)


@value
class DrawProof:
    """How a competition is drawn, and what proves it."""

    draw: Draw
    seed: bytes | None
    """The seed of the house, when the last game is over."""
    purpose: str
    """What Commits and Reveals are made for."""
    binders: Mapping[str, str]
    """The end of the nonce that the Commit of each contestant needs, where the contestants settle the draw."""

    @property
    def holds(self) -> bool:
        """Whether the seed is the one that was committed."""
        return self.seed is not None and commitment(self.seed) == self.draw.commitment


def draw_proof(site: Site, found: Competition) -> DrawProof | None:
    """Return what proves the draw of a competition, None where it was announced without one."""
    drawn = read_draw(found.proof)
    if drawn is None:
        return None
    purpose = tournament_of(found.id)
    terms, theirs = lot_terms(purpose), drawn.way == "contestants"
    entered = site.community.entries.of(found.id) if theirs else ()
    binders = {one.neutral: terms.binder(one.neutral).hex() for one in entered}
    return DrawProof(drawn, opened_seed(site, found), purpose, binders)
