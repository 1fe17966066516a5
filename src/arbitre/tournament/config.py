"""The plan of a tournament: everything that is agreed before the first game, as one value.

A plan is read from a TOML file, or made from the options of a command; either way it passes through `plan_of`, which names the
key that is wrong. `TournamentPlan.text` writes every key, the defaults too, in canonical form: a tournament that is resumed is
the same tournament, whatever has become of the file and of our defaults since.
"""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any, Literal

from arbitre.errors import TournamentError, shorten
from arbitre.games.catalogue import game as game_called
from arbitre.games.catalogue import options_of
from arbitre.games.game import AnyGame, Outcome
from arbitre.games.notation import notation_of
from arbitre.records.event import canonical, read_object
from arbitre.referee.agreement import ScoreTerms, read_agreement
from arbitre.referee.clock import Clock, read_clock, write_clock
from arbitre.referee.terms import LONGEST_NAME, Terms
from arbitre.tournament.gauntlet import Gauntlet
from arbitre.tournament.keys import Keys
from arbitre.tournament.knockout import Knockout
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import MOST_CONTESTANTS, Field, Format, Schedule
from arbitre.tournament.sprt import Sprt
from arbitre.tournament.swiss import Swiss, default_rounds
from arbitre.values import value

FORMATS: dict[str, type[Format]] = {cls.name: cls for cls in (RoundRobin, Gauntlet, Swiss, Knockout)}

DOUBLE = "double-round-robin"
"""Another word for a round robin of two cycles."""

FITTING = "fitting"
"""The format that fits how many there are: a double round robin for a few, for whom a Swiss has too few rounds; else a Swiss."""
FEW = 5

LONGEST_ADDRESS = 2_048
LONGEST_PATH = 4_096

MEMORY_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@value
class Entrant:
    """Somebody who takes part: a name, and what plays (`house:GAME/LEVEL`, `cmd:COMMAND`, an address …)."""

    name: str
    player: str


@value
class Budget:
    """What a local bot may use; None: as much as it likes."""

    cpu: int | None = None
    """Seconds of processor time in one match."""
    memory: int | None = None
    """Octets."""


@value
class TournamentPlan:
    """All that is agreed before the first game."""

    name: str
    game: AnyGame
    format: Format
    entrants: tuple[Entrant, ...]
    starts: tuple[str, ...] = ("",)
    """Start positions in canonical notation; empty text: the usual one."""
    clock: Clock = Clock()
    refusals: int | None = 0
    turns: int | None = None
    """After so many turns a game is adjudicated a draw."""
    agree: ScoreTerms | None = None
    """When a game ends because both sides agree how they stand."""
    seeding: Literal["listed", "lot"] = "listed"
    seed: str = ""
    """What all chance of the tournament comes from; empty: still to be drawn."""
    concurrency: int = 1
    limits: Budget = Budget()
    sprt: Sprt | None = None
    referee: str = ""
    """The address of the external referee of an added game; a site knows him by the game, and leaves it empty."""
    records: Literal["at-once", "after"] = "at-once"
    """When records are handed over, signed and sealed: each when its game is over, or all when the tournament is."""
    folder: str = ""
    """Where programs of this machine are started, from where their paths count; empty: wherever the tournament is held from."""

    def __post_init__(self) -> None:
        if self.game.seats - len(self.game.neutral) != 2:
            raise TournamentError(
                "key 'game': tournaments are for two seats, and %(name)s has %(seats)s here",
                name=self.game.name,
                seats=self.game.seats,
            )
        if self.referee and not self.game.neutral:
            raise TournamentError(
                "key 'referee': %(name)s is judged by ourselves; only added games bring a referee", name=self.game.name
            )
        if self.agree is not None and self.game.neutral:
            raise TournamentError("key 'agree': only for games that we judge ourselves")
        single = isinstance(self.format, Gauntlet) and self.format.challengers == 1
        if self.sprt is not None and not single and not (isinstance(self.format, RoundRobin) and len(self.entrants) == 2):
            raise TournamentError("key 'sprt': only for one challenger in a gauntlet, or two contestants in a round robin")
        Schedule(self.format, Field(tuple(one.name for one in self.entrants), b"", len(self.starts)))

    @property
    def terms(self) -> Terms:
        """The terms of every match."""
        return Terms(self.clock, self.refusals, turns=self.turns, agree=self.agree)

    @property
    def schedule(self) -> Schedule:
        """The schedule; the seed must be there."""
        if not self.seed:
            raise TournamentError("key 'seed': not drawn yet")
        secret = sha256(b"arbitre/tournament/1" + self.seed.encode()).digest()
        return Schedule(self.format, Field(tuple(one.name for one in self.entrants), secret, len(self.starts), self.seeding))

    @property
    def after(self) -> bool:
        """Whether records leave the house only when the tournament is over."""
        return self.records == "after"

    def seeded(self, seed: str) -> "TournamentPlan":
        """Return the plan with this seed, unless it has one."""
        return self if self.seed else replace(self, seed=seed)

    def fields(self) -> dict[str, Any]:
        """Return every key with its value, as `plan_of` reads them."""
        limits = {key: limit for key, limit in (("cpu", self.limits.cpu), ("memory", self.limits.memory)) if limit is not None}
        made: dict[str, Any] = {
            "name": self.name,
            "game": self.game.name,
            "options": options_of(self.game),
            "format": self.format.name,
            "players": [{"name": one.name, "player": one.player} for one in self.entrants],
            "starts": list(self.starts),
            "clock": write_clock(self.clock),
            "refusals": "any" if self.refusals is None else self.refusals,
            "seeding": self.seeding,
            "seed": self.seed,
            "concurrency": self.concurrency,
            "limits": limits,
        }
        made |= {field.name: getattr(self.format, field.name) for field in fields(self.format)}  # type: ignore[arg-type]
        if self.turns is not None:
            made["turns"] = self.turns
        if self.agree is not None:
            made["agree"] = self.agree.text()
        if self.referee:
            made["referee"] = self.referee
        if self.after:
            made["records"] = self.records
        if self.folder:
            made["folder"] = self.folder
        if self.sprt is not None:
            made["sprt"] = {field.name: getattr(self.sprt, field.name) for field in fields(self.sprt)}
        return made

    def text(self) -> str:
        """Return the plan as canonical JSON, with every key."""
        return canonical(self.fields())


def read_plan(text: str) -> TournamentPlan:
    """Return the plan that a TOML file describes."""
    try:
        return plan_of(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise TournamentError("not TOML: %(error)s", error=error) from None
    except RecursionError:
        raise TournamentError("not TOML: nested too deeply") from None


def read_kept_plan(text: str) -> TournamentPlan:
    """Return the plan that `TournamentPlan.text` wrote."""
    return plan_of(read_object(text))


def usual_name(game: AnyGame) -> str:
    """Return what a tournament of a game is called where nobody says otherwise."""
    return f"{game.called} tournament"


def plan_of(given: Mapping[str, object]) -> TournamentPlan:
    """Return the plan of these keys; `TournamentError` names the first that is wrong."""
    keys = Keys(given)
    game = keys.judged("game", lambda: game_called(keys.text("game"), keys.table("options")))
    limits = keys.below("limits")
    entrants = _entrants(keys)
    parts = {
        "name": keys.text("name", usual_name(game), most=LONGEST_NAME),
        "format": _format(keys, len(entrants)),
        "entrants": entrants,
        "starts": _starts(keys, game),
        "clock": keys.judged("clock", lambda: read_clock(keys.text("clock", "none"))),
        "refusals": None if keys.raw("refusals") == "any" else keys.whole("refusals", 0),
        "turns": keys.maybe("turns", least=1),
        "agree": keys.judged("agree", lambda: read_agreement(keys.text("agree"))) if keys.has("agree") else None,
        "seeding": keys.word("seeding", ("listed", "lot"), "listed"),
        "seed": _seed(keys),
        "concurrency": keys.whole("concurrency", 1, least=1, most=1_000),
        "limits": Budget(limits.maybe("cpu", least=1), _memory(limits)),
        "sprt": _sprt(keys.below("sprt")) if keys.has("sprt") else None,
        "referee": keys.text("referee", "", most=LONGEST_ADDRESS),
        "records": keys.word("records", ("at-once", "after"), "at-once"),
        "folder": keys.text("folder", "", most=LONGEST_PATH),
    }
    limits.done()
    keys.done()
    return TournamentPlan(game=game, **parts)  # type: ignore[arg-type]


def _format(keys: Keys, size: int) -> Format:
    """Return the format with its options; an option of another format is an error, not a silence."""
    name = keys.word("format", (*FORMATS, DOUBLE, FITTING), RoundRobin.name)
    cls = FORMATS[{DOUBLE: RoundRobin.name, FITTING: Swiss.name}.get(name, name)]
    if name == DOUBLE and keys.has("cycles"):
        raise keys.wrong("cycles", "a %(double)s has two", double=DOUBLE)
    own: dict[str, Any] = {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type]
    for other in FORMATS.values():
        for field in fields(other):  # type: ignore[arg-type]
            if field.name not in own and keys.has(field.name):
                raise keys.wrong(field.name, "a %(name)s has none; it has %(own)s", name=name, own=", ".join(own))
    made: dict[str, int | bool] = {"cycles": 2} if name == DOUBLE else {}
    for key, default in own.items():
        if key not in made:
            made[key] = keys.flag(key, default) if isinstance(default, bool) else keys.whole(key, default)
    if name == FITTING and size <= FEW:  # as many games of two as were wished, but both seats for each
        return keys.judged("format", lambda: RoundRobin((made["games"] + 1) // 2, 2))
    if cls is Swiss and made["rounds"] == 0:
        made["rounds"] = default_rounds(size)
    return keys.judged("format", lambda: cls(**made))


def _entrants(keys: Keys) -> tuple[Entrant, ...]:
    """Return who takes part; who has no name of his own is called what he is, numbered from the second on."""
    made: list[Entrant] = []
    unnamed: Counter[str] = Counter()
    for at, item in enumerate(keys.items("players", 2, MOST_CONTESTANTS), start=1):
        one = Keys(item if isinstance(item, dict) else {"player": item}, f"players[{at}].")
        player = one.text("player")
        if one.has("name"):
            name = one.text("name", most=LONGEST_NAME)
        else:
            unnamed[player] += 1
            count = "" if unnamed[player] == 1 else f" {unnamed[player]}"
            name = shorten(player, LONGEST_NAME - len(count)) + count
        one.done()
        made.append(Entrant(name, player))
    return tuple(made)


def _starts(keys: Keys, game: AnyGame) -> tuple[str, ...]:
    """Return the start positions in canonical text; one in which nothing can be played is none."""
    notation = notation_of(game)
    made: list[str] = []
    for at, item in enumerate(keys.items("starts", 0, 100_000), start=1):
        where = f"starts[{at}]"
        if not isinstance(item, str):
            raise keys.wrong(where, "a position in text, not %(item)s", item=shorten(repr(item)))
        if not item.strip():
            made.append("")
            continue
        state = keys.judged(where, lambda text=item: notation.read_state(text))  # type: ignore[misc]
        if isinstance(game.phase(state), Outcome):
            raise keys.wrong(where, "%(item)r is the end of a game", item=shorten(item))
        made.append(notation.write_state(state))
    return tuple(made) or ("",)


def _seed(keys: Keys) -> str:
    found = keys.raw("seed")
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return keys.text("seed", "", most=200)


def _memory(limits: Keys) -> int | None:
    found = limits.raw("memory")
    if isinstance(found, str):
        number, unit = found.strip().upper().removesuffix("B"), ""
        if number[-1:] in MEMORY_UNITS:
            number, unit = number[:-1], number[-1:]
        if not (number.isascii() and number.isdigit() and len(number) <= 15):
            raise limits.wrong("memory", "a size like 512M or 2G, not %(found)r", found=shorten(found))
        found = int(number) * MEMORY_UNITS[unit]
        limits = Keys({"memory": found}, "limits.")
    return limits.maybe("memory", least=1 << 20, most=1 << 50)


def _sprt(keys: Keys) -> Sprt:
    made = {field.name: keys.real(field.name, field.default) for field in fields(Sprt)}  # type: ignore[arg-type]
    keys.done()
    return keys.judged("elo0", lambda: Sprt(**made))
