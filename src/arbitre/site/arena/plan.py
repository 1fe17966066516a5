"""Who sits where, and how a match of the arena is played: kept beside the record, so that a house that comes back can go on.

The record says what was played and by whom; a plan says besides how to reach the players again. It is never published: it holds
addresses of engines.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from string import ascii_uppercase
from typing import Any, Literal

from arbitre.errors import ArbitreError, TermsError, shorten
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import options_of
from arbitre.games.game import AnyGame, Outcome, Seat
from arbitre.games.notation import notation_of
from arbitre.games.wires import unspeakable
from arbitre.reasons import Reason, declare, plain, read_plain
from arbitre.records.event import canonical, read_object
from arbitre.referee.agreement import ScoreTerms, read_agreement
from arbitre.referee.clock import Clock, read_clock, write_clock
from arbitre.referee.terms import Chair, Terms
from arbitre.tournoyons.wire import LEAST_SECONDS, MOST_SECONDS, Style
from arbitre.values import value

State = Literal["waiting", "playing", "decided", "over"]
"""A chair is still free; it is being played; it is decided, and sealed when its event is over; its record is sealed."""

LONGEST_TITLE = 120
GUEST = "guest"
"""What the record calls somebody without an account."""

MODEL = "model of "
"""What the model engine of an added game is called, before the name of the game."""

UNREGISTERED = "engine of "
"""What an engine is called that somebody tries without registering it, before his neutral name."""


@value
class HouseSeat:
    """A player of the house, at a level from 1."""

    level: int


@value
class EngineSeat:
    """A registered engine: its number in the community, its name there, and how it is called."""

    number: int
    name: str
    url: str
    style: Style = Style()
    opponent: str = ""
    """What is its own in the identifier that opponents know it by, permanently."""


@value
class PersonSeat:
    """Somebody at a browser: `who` is an account or a guest, as the site tells them apart; empty while the chair is free."""

    who: str = ""
    name: str = ""
    signs: bool = False
    """Whether the page of this browser brings a key: it runs our script."""


@value
class EmptySeat:
    """A contestant who does not come: `player` is who it would be, as the record says it, and `why` why not."""

    name: str
    player: str
    why: Reason


@value
class RefereeSeat:
    """The external referee of an added game: the game's number in the community, its key there, and how he is called."""

    number: int
    name: str
    url: str
    framed: bool = False
    """Whether a player's browser calls him, from a frame: then it could forge what he says."""


Sitter = HouseSeat | EngineSeat | PersonSeat | EmptySeat | RefereeSeat


declare(
    {
        "stepped-clock": (
            "a match that waits for a step has no clock: choose no time limit, or let it run",
            "une partie qui attend un pas n’a pas de pendule : ne choisissez pas de limite de temps, ou laissez-la courir",
        )
    }
)
STEPS_OR_CLOCK = Reason("stepped-clock")


@value
class MatchPlan:
    """One match of the arena."""

    game: AnyGame
    sitters: tuple[Sitter, ...]
    start: str = ""
    clock: Clock = Clock()
    limit: int = MOST_SECONDS
    """Seconds that an engine has for a move where no clock runs."""
    pace: float = 0.0
    """Seconds between two moves of players who are not people."""
    stepped: bool = False
    """Whether players who are not people wait for a step."""
    event: str = ""
    """The competition that the match belongs to."""
    round: int = 0
    """The round of the competition, from 1."""
    refusals: int | None = 0
    """How many illegal moves are forgiven; None: any number."""
    turns: int | None = None
    """After so many turns the match is a draw."""
    agree: ScoreTerms | None = None
    """When the match ends because both sides say how it stands."""
    after: bool = False
    """Whether the record is sealed when the competition is over, and not before."""
    starter: str = ""
    """Who called the match, as the site tells people apart; empty: the house, or a competition."""

    def __post_init__(self) -> None:
        if len(self.sitters) != self.game.seats:
            raise TermsError(
                "%(name)s has %(seats)s seats, not %(sitters)s",
                name=self.game.name,
                seats=self.game.seats,
                sitters=len(self.sitters),
            )
        if not LEAST_SECONDS <= self.limit <= MOST_SECONDS:
            raise TermsError(
                "an engine has %(least_seconds)s to %(most_seconds)s seconds for a move, not %(limit)s",
                least_seconds=LEAST_SECONDS,
                most_seconds=MOST_SECONDS,
                limit=self.limit,
            )
        if self.clock.runs and (self.pace or self.stepped):
            raise TermsError(STEPS_OR_CLOCK)
        if not 0 <= self.pace <= 60:
            raise TermsError("a pace is 0 to 60 seconds, not %(pace)s", pace=self.pace)
        _check_neutral(self)
        if any(isinstance(one, EngineSeat) for one in self.sitters) and (why := unspeakable(self.game)):
            raise TermsError(why)
        if self.start:
            _check_start(self.game, self.start)

    @property
    def turned(self) -> tuple[Sitter, ...]:
        """The same people and programs with the players' seats changed."""
        sides = self.game.seats - len(self.game.neutral)
        return (*reversed(self.sitters[:sides]), *self.sitters[sides:])

    @property
    def shown(self) -> bool:
        """Whether the house plays it by itself, for its visitors."""
        return not self.starter and not self.event and all(isinstance(sitter, HouseSeat) for sitter in self.sitters)

    @property
    def free(self) -> tuple[Seat, ...]:
        """The chairs that nobody has taken yet."""
        return tuple(Seat(seat) for seat, one in enumerate(self.sitters) if isinstance(one, PersonSeat) and not one.who)

    def seats_of(self, who: str) -> frozenset[Seat]:
        """Return where somebody sits."""
        return frozenset(
            Seat(seat) for seat, one in enumerate(self.sitters) if isinstance(one, PersonSeat) and one.who and one.who == who
        )

    @property
    def terms(self) -> Terms:
        """What holds for everybody at the table."""
        # a Kriegspiel umpire says "illegal move" and goes on; people's slips are caught before the referee hears them
        refusals = None if self.game.tries else self.refusals
        return Terms(self.clock, refusals, turns=self.turns, agree=self.agree)

    def chairs(self) -> tuple[Chair, ...]:
        """Return who sits where, as the record may say it; guests among themselves are told apart."""
        found = [_chair(self.game, one) for one in self.sitters]
        letters = guests_apart(one.name == GUEST for one in found)
        return tuple(
            Chair(f"{GUEST} {letter}", one.player) if letter else one for one, letter in zip(found, letters, strict=True)
        )

    def text(self) -> str:
        """Return the plan as canonical JSON."""
        return canonical(
            {
                "clock": write_clock(self.clock),
                "event": self.event,
                "game": self.game.name,
                "limit": self.limit,
                "options": options_of(self.game),
                "pace": self.pace,
                "refusals": self.refusals,
                "round": self.round,
                "sitters": [_write_sitter(one) for one in self.sitters],
                "start": self.start,
                "starter": self.starter,
                "stepped": self.stepped,
                "turns": self.turns,
            }
            | ({"after": True} if self.after else {})
            | ({} if self.agree is None else {"agree": self.agree.text()})
        )


def read_plan(text: str) -> MatchPlan:
    """Return the plan that `MatchPlan.text` wrote."""
    match read_object(text):
        case {
            "clock": str(clock),
            "event": str(event),
            "game": str(name),
            "limit": int(limit),
            "options": dict(options),
            "pace": int(pace) | float(pace),
            "sitters": list(sitters),
            "start": str(start),
            "stepped": bool(stepped),
            **more,
        }:
            game = find_game(name, options)
            seated = tuple(_read_sitter(one) for one in sitters)
            kept = MatchPlan(game, seated, start, read_clock(clock), limit, float(pace), stepped, event)
            return replace(kept, **_terms(more))
        case _:
            raise TermsError("no plan of a match: %(text)r", text=shorten(text))


def without_addresses(text: str, seats: Iterable[int]) -> str:
    """Return the text of a plan without the addresses and logins of the programs on some seats, whatever their game is."""
    plan: dict[str, Any] = {**read_object(text)}
    for seat in seats:
        sitter = plan["sitters"][seat]
        sitter |= {"url": ""} | ({"style": sitter["style"] | {"login": ""}} if "style" in sitter else {})
    return canonical(plan)


def _terms(more: dict[str, Any]) -> dict[str, Any]:
    """Return what plans say since there are competitions and quotas; those from before say nothing."""
    match {"after": False, "agree": "", "refusals": 0, "round": 0, "starter": "", "turns": None} | more:
        case {
            "after": bool(after),
            "agree": str(agree),
            "refusals": int() | None as refusals,
            "round": int(which),
            "starter": str(starter),
            "turns": int() | None as turns,
        }:
            agreed = read_agreement(agree) if agree else None
            return {
                "after": after, "agree": agreed, "refusals": refusals, "round": which, "starter": starter, "turns": turns,
            }  # fmt: skip
        case _:
            raise TermsError("no terms of a match: %(more)r", more=shorten(str(more)))


def _check_neutral(plan: MatchPlan) -> None:
    """Let external referees sit where they belong and nowhere else, and trust a browser only where nothing is at stake."""
    for seat, one in enumerate(plan.sitters):
        if isinstance(one, RefereeSeat) != (seat in plan.game.neutral):
            game = plan.game
            raise TermsError(
                "seat %(seat)s of %(name)s is its referee's"
                if seat in game.neutral
                else "seat %(seat)s of %(name)s is not its referee's",
                seat=seat + 1,
                name=game.name,
            )
        if isinstance(one, HouseSeat) and plan.game.neutral:
            raise TermsError("the house does not know how to play a game that somebody added")
        if not isinstance(one, RefereeSeat) or not one.framed:
            continue
        if plan.event or not any(isinstance(other, PersonSeat) for other in plan.sitters):
            raise TermsError("a referee who answers from a frame in a player's browser serves a person's training, nothing else")
        if plan.game.hides:
            raise TermsError("a referee who answers from a frame in a player's browser would show him both boards")


def _check_start(game: AnyGame, start: str) -> None:
    state = notation_of(game).read_state(start)
    if isinstance(game.phase(state), Outcome):
        raise TermsError("the game is over in the position that it was to start from")


def guests_apart(guests: Iterable[bool]) -> tuple[str, ...]:
    """Return a letter for each seat of a guest, empty for the others, and for a guest who is the only one."""
    found = tuple(guests)
    if sum(found) < 2:
        return ("",) * len(found)
    letters = (letter * times for times in count(1) for letter in ascii_uppercase)
    return tuple(next(letters) if one else "" for one in found)


def _chair(game: AnyGame, sitter: Sitter) -> Chair:
    match sitter:
        case HouseSeat(level):
            return Chair(f"house {level}", f"house:{game.name}/{level}")
        case EngineSeat():
            return Chair(sitter.name, f"engine:{sitter.opponent or sitter.number}")
        case PersonSeat():
            return Chair(sitter.name or GUEST, "human")
        case EmptySeat():
            return Chair(sitter.name, sitter.player)
        case RefereeSeat():
            return Chair(f"referee of {sitter.name}", f"referee:{sitter.name}")


def _write_sitter(sitter: Sitter) -> dict[str, object]:
    match sitter:
        case HouseSeat(level):
            return {"house": level}
        case EngineSeat(number, name, url, style, opponent):
            wishes = {"direct": style.direct, "full": style.full, "login": style.login, "notify": style.notify}
            return {"engine": number, "name": name, "opponent": opponent, "style": wishes, "url": url}
        case PersonSeat(who, name, signs):
            return {"name": name, "person": who} | ({"signs": True} if signs else {})
        case EmptySeat(name, player, why):
            return {"absent": plain(why), "name": name, "player": player}
        case RefereeSeat(number, name, url, framed):
            return {"framed": framed, "name": name, "referee": number, "url": url}


def _read_sitter(fields: object) -> Sitter:
    match fields:
        case {"house": int(level)}:
            return HouseSeat(level)
        case {"engine": int(number), "name": str(name), "opponent": str(opponent), "style": dict(style), "url": str(url)}:
            try:
                return EngineSeat(number, name, url, Style(**style), opponent)
            except (TypeError, ArbitreError) as error:
                raise TermsError("no way to speak to an engine: %(error)s", error=error) from None
        case {"absent": found, "name": str(name), "player": str(player)} if (why := read_plain(found)) is not None:
            return EmptySeat(name, player, why)
        case {"framed": bool(framed), "name": str(name), "referee": int(number), "url": str(url)}:
            return RefereeSeat(number, name, url, framed)
        case {"name": str(name), "person": str(who), **rest}:
            return PersonSeat(who, name, rest.get("signs") is True)
        case _:
            raise TermsError("nobody sits down as %(fields)r", fields=shorten(str(fields)))
