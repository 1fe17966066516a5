"""How a game by file stands, for one reader: everything that faces show and programs are told, and nothing else.

A `Standing` is a value. The player's own program makes it of a file that it opens, a site makes it of a file that only the site
opens, and it travels as the JSON of `Standing.fields`. Without a seat it holds what both players know; with one it holds that
seat's view and log, which passed the one gate for secrets (`Game.view`). A `Player` is a standing with somebody who acts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from arbitre.crypto.passwords import SALT_BYTES, Work
from arbitre.errors import ArbitreError, GameStageError, SiteError
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.kriegspiel.announcements import read_codes, write_codes
from arbitre.games.kriegspiel.notation import KriegspielNotation
from arbitre.games.kriegspiel.rules import Kriegspiel, View
from arbitre.kref.course import MODES, Mode, Ruling
from arbitre.kref.file import COLOURS, LONGEST_NAME
from arbitre.kref.log import LogLine
from arbitre.reasons import Reason
from arbitre.referee.verdict import Verdict, read_verdict
from arbitre.values import value

LONGEST_LOG = 20_000
HEX = {size: re.compile(rf"[0-9a-f]{{{size}}}") for size in (2 * SALT_BYTES, 64)}
GAME = re.compile(r"[0-9a-f]{32}")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@value
class Standing:
    """How a game stands."""

    game: str
    """The game's name among all games."""
    name: str
    mode: Mode
    options: Mapping[str, object]
    site: str
    """The address of the site that judges; nothing where the players' programs do."""
    date: str
    names: tuple[str, str]
    """Who sits where; nothing before White has come."""
    ply: int
    mover: Seat | None
    verdict: Verdict | None
    begun: bool
    """Whether White has sat down."""
    open: bool
    """Whether the game is over and its secrets are open."""
    unacknowledged: frozenset[Seat]
    """Who is to acknowledge a resignation."""
    head: str
    """The head after the last entry. It is salted: it tells nothing, and fixes everything."""
    salt: str
    work: Work
    """How Black's password became a key; in a game that a site judges White's becomes one in the same way."""
    seat: Seat | None = None
    view: View | None = None
    log: tuple[LogLine, ...] = ()
    plan: tuple[str, ...] = ()
    """The tries of this seat that wait for the other's program."""

    @property
    def status(self) -> str:
        """How far the game is, in one word."""
        if not self.begun:
            return "waiting"
        if self.open:
            return "over"
        return "play" if self.verdict is None else "resigned"

    @property
    def rules(self) -> Kriegspiel:
        """The rules, with the options of this game."""
        return cast("Kriegspiel", game("kriegspiel", self.options))

    # ── what may be done ───────────────────────────────────────────────────────────────────────────────────────────

    def check_try(self, seat: Seat, mode: Mode) -> None:
        """Raise `GameStageError` where a seat may not try a move now, or not in this way."""
        if not self.begun:
            raise GameStageError("White has not sat down yet: arbitre kref white FILE")
        if self.verdict is not None:
            raise GameStageError("the game is over")
        if self.mover != seat:
            raise GameStageError("%(colour)s is to move", colour=Reason(COLOURS[1 - seat]))
        if mode != self.mode:
            raise GameStageError(
                "this game is played with planned tries: say all of them at once"
                if self.mode == "planned"
                else "this game is classic: tries are judged one by one"
            )

    def check_resign(self) -> None:
        """Raise `GameStageError` where nobody can give up."""
        if not self.begun:
            raise GameStageError("the game has not begun")
        if self.verdict is not None:
            raise GameStageError("the game is over")

    def check_acknowledge(self, seat: Seat) -> None:
        """Raise `GameStageError` where a seat has nothing to acknowledge."""
        if self.verdict is None or self.open:
            raise GameStageError("there is no resignation to acknowledge")
        if seat not in self.unacknowledged:
            raise GameStageError("only the other player acknowledges a resignation: send him the file")

    # ── in JSON ────────────────────────────────────────────────────────────────────────────────────────────────────

    def fields(self) -> dict[str, object]:
        """Return the standing as JSON has it: positions as notation writes them, announcements in codes."""
        notation = KriegspielNotation(self.rules)
        return {
            "game": self.game,
            "name": self.name,
            "mode": self.mode,
            "options": dict(self.options),
            "site": self.site,
            "date": self.date,
            "white": self.names[0],
            "black": self.names[1],
            "ply": self.ply,
            "mover": None if self.mover is None else int(self.mover),
            "verdict": None if self.verdict is None else self.verdict.text(),
            "begun": self.begun,
            "open": self.open,
            "unacknowledged": sorted(map(int, self.unacknowledged)),
            "head": self.head,
            "salt": self.salt,
            "work": [self.work.passes, self.work.kibibytes],
            "seat": None if self.seat is None else int(self.seat),
            "view": None if self.view is None else notation.write_view(self.view),
            "log": [line_fields(one) for one in self.log],
        }


def line_fields(line: LogLine) -> dict[str, object]:
    """Return a line of the log as JSON has it."""
    said = {"turn": line.turn, "seat": int(line.seat), "begins": line.begins, "tried": line.tried, "made": line.made}
    return {**said, "said": write_codes(line.said), "square": line.square}


def ruling_fields(ruling: Ruling) -> dict[str, object]:
    """Return what the umpire answered to one try as JSON has it."""
    return {"tried": ruling.text, "made": ruling.made, "said": write_codes(ruling.said)}


def read_standing(fields: object) -> Standing:
    """Return the standing that a site tells; `SiteError` for anything that no site of ours says."""
    try:
        return _standing(fields)
    except (ArbitreError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SiteError("what the site says of the game is not in form") from None


def _standing(found: object) -> Standing:
    fields = object_of(found)
    passes, kibibytes = fields["work"]
    options, log, verdict, view = fields["options"], fields["log"], fields["verdict"], fields["view"]
    require(isinstance(options, dict), len(log) <= LONGEST_LOG)
    rules = cast("Kriegspiel", game("kriegspiel", options))
    return Standing(
        matched(GAME, fields["game"]),
        shown(fields["name"]),
        MODES[MODES.index(fields["mode"])],
        options,
        text_of(fields["site"]),
        matched(DATE, fields["date"]),
        (shown(fields["white"], empty=True), shown(fields["black"])),
        number(fields["ply"]),
        None if fields["mover"] is None else seat_of(fields["mover"]),
        None if verdict is None else read_verdict(text_of(verdict)),
        flag(fields["begun"]),
        flag(fields["open"]),
        frozenset(map(seat_of, fields["unacknowledged"])),
        matched(HEX[64], fields["head"]),
        matched(HEX[2 * SALT_BYTES], fields["salt"]),
        Work(number(passes), number(kibibytes)),
        None if fields["seat"] is None else seat_of(fields["seat"]),
        None if view is None else KriegspielNotation(rules).read_view(text_of(view)),
        tuple(map(_line, log)),
    )


def _line(found: object) -> LogLine:
    fields = object_of(found)
    said = read_codes(text_of(fields["said"]))
    tried, square = shown(fields["tried"], empty=True), shown(fields["square"], empty=True)
    turn, seat = number(fields["turn"]), seat_of(fields["seat"])
    return LogLine(turn, seat, flag(fields["begins"]), tried, flag(fields["made"]), said, square)


def read_ruling(found: object) -> Ruling:
    """Return the ruling that a site tells; `SiteError`."""
    try:
        fields = object_of(found)
        return Ruling(shown(fields["tried"], empty=True), flag(fields["made"]), read_codes(text_of(fields["said"])))
    except (ArbitreError, ValueError, KeyError, TypeError):
        raise SiteError("what the site says of the try is not in form") from None


def require(*holds: bool) -> None:
    """Raise `ValueError` where something does not hold."""
    if not all(holds):
        raise ValueError


def object_of(found: object) -> dict[str, Any]:
    """Return an object of JSON; `TypeError`."""
    if not isinstance(found, dict):
        raise TypeError(found)
    return found


def text_of(found: object) -> str:
    """Return a text; `TypeError`."""
    if not isinstance(found, str):
        raise TypeError(found)
    return found


def matched(form: re.Pattern[str], found: object) -> str:
    """Return a text of a form; `ValueError`, `TypeError`."""
    require(form.fullmatch(text := text_of(found)) is not None)
    return text


def shown(found: object, *, empty: bool = False) -> str:
    """Return a text that is shown on a terminal, which it must not steer; `ValueError`, `TypeError`."""
    text = text_of(found)
    require(len(text) <= LONGEST_NAME, text.isprintable(), empty or bool(text))
    return text


def number(found: object) -> int:
    """Return a whole number from 0; `ValueError`."""
    require(type(found) is int)
    count = cast("int", found)
    require(0 <= count < 2**31)
    return count


def flag(found: object) -> bool:
    """Return a truth value; `TypeError`."""
    if not isinstance(found, bool):
        raise TypeError(found)
    return found


def seat_of(found: object) -> Seat:
    """Return a seat of Kriegspiel; `ValueError`."""
    require(number(found) < 2)
    return SECOND if found else FIRST


class Player(Protocol):
    """A game with one player at it, who has given the password, wherever the file is opened."""

    @property
    def seat(self) -> Seat:
        """Whose seat it is."""

    @property
    def standing(self) -> Standing:
        """What this player may know."""

    @property
    def guesses(self) -> str:
        """Where this player thinks the other's pieces stand: 64 characters from a8 to h1, `0` for nothing."""

    def text(self) -> str:
        """Return the file."""

    def guess(self, squares: Mapping[str, str]) -> "Player":
        """Place guessed pieces (`e5` → `q`, or nothing to take one away): they do not count."""

    def attempt(self, text: str) -> tuple["Player", Ruling]:
        """Try a move (classic): a refusal is recorded, and costs nothing."""

    def plan(self, tries: Sequence[str]) -> "Player":
        """Sign an ordered list of tries (planned): the other player's program adjudicates it."""

    def adjudicate(self) -> tuple["Player", tuple[Ruling, ...]]:
        """Judge the other player's plan, if one is waiting."""

    def resign(self, accuse: bool = False) -> "Player":
        """Give up, or accuse the referee, which gives up too."""

    def acknowledge(self) -> "Player":
        """Acknowledge the other's resignation: both may see the board now, the resigner from the returned file."""
