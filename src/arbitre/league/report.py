"""The report of a finished game of the draughts league, and what a registrar answers (spec: draughts, section 3). Sans-IO.

A report is 256 octets: who the reporter was (`FF` white, `01` black), the opponent's address as IPv6, the moves, zeros. A move
without capture is two octets n+128; a capture of k pieces is k octets 1..50, then the last square +128: 26x17x8x19 is
`1A 11 08 93`. The game must be played to its end and no further.

`read_report` replays a report by our own rules. `judge` is the registrar's whole mind: a pure function of what was reported and
of what is registered. Its checks, in their order, and what it answers:

=====================================  =====================================================================
a colour that is none                  `ERR : inconnue`
a move that cannot be                  `ERR : le coup numéro <n> est impossible`
this side's version is registered      `ACC : mais déjà enregistrée`
the game is another pair's             `ERR : partie déjà jouée par d’autres`
the second version, on a day that      `TIM : partie déjà joué aujourd’hui, à renvoyer demain pour validation`
has a confirmed game of this pair
the second version                     `ACC : et confirmée`
the first version                      `ACC : mais non confirmé`
=====================================  =====================================================================

Two games are the same when they go through the same positions, whatever landing squares were written.
"""

from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NewType, TypeAlias

from arbitre.errors import PositionError
from arbitre.games.draughts.moves import BIT, Side, Square, Squares, Step, after, moves, numbers
from arbitre.games.draughts.rules import QUIET, Board, Draughts, Move, routes
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Seat, other
from arbitre.values import value

PORT = 5777
SIZE = 256
HEADER = 17
"""A colour and an address."""
PLIES = 100
COLOURS: dict[int, Seat] = {0xFF: FIRST, 0x01: SECOND}
LAST = 0x80
"""Added to the last square of a move."""

Address: TypeAlias = IPv6Address
"""Everybody has one: an IPv4 address is mapped."""

Fingerprint = NewType("Fingerprint", bytes)
"""Of the sequence of positions of a game: what makes two games the same."""


def mapped(text: str | IPv4Address | IPv6Address) -> Address:
    """Return an address as the league knows it; `ValueError` for what is none. The zone of a link-local one is left out."""
    address = ip_address(text.partition("%")[0]) if isinstance(text, str) else text
    if isinstance(address, IPv4Address):
        return IPv6Address(b"\0" * 10 + b"\xff\xff" + address.packed)
    return IPv6Address(address.packed)


def shown(address: Address) -> str:
    """Return an address as people write it: a mapped one as IPv4."""
    return str(address.ipv4_mapped or address)


# ── games ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Played:
    """A game that was played to its end by the rules."""

    moves: tuple[Move, ...]
    scores: tuple[Fraction, Fraction]
    fingerprint: Fingerprint


@value
class Report:
    """What a reporter claims: the seat that was theirs, whom they met, what was played."""

    seat: Seat
    opponent: Address
    game: Played


@value
class Impossible:
    """The move of this number, from 1, cannot be; one more than were sent: the game is not over there."""

    number: int


@value
class Unknown:
    """Not a report at all."""


def read_report(data: bytes) -> Report | Impossible | Unknown:
    """Return what a report says; fewer than 256 octets are filled up with zeros, more are not looked at."""
    seat = COLOURS.get(data[0]) if data else None
    if seat is None:
        return Unknown()
    filled = data[:SIZE].ljust(SIZE, b"\0")
    game = replay(filled[HEADER:])
    return game if isinstance(game, Impossible) else Report(seat, IPv6Address(filled[1:HEADER]), game)


@lru_cache(maxsize=4096)
def replay(data: bytes) -> Played | Impossible:
    """Return the game in the octets of a report's moves. Remembered: both sides of a game send the same, and robots repeat."""
    side: Side = Draughts().start().side
    played: list[Move] = []
    positions = sha256()
    at = 0
    while True:
        number = len(played) + 1
        choices = moves(side)
        if not choices or number > PLIES:
            break
        squares = squares_at(data, at)
        step = None if squares is None else _step(side, choices, squares, data[at] > LAST)
        if squares is None or step is None:
            return Impossible(number)
        at += len(squares)
        played.append(QUIET.get(step) or Move(squares[0], squares[-1], frozenset(numbers(step[2])), squares))
        side = after(side, step)
        own, foes, kings, _ = side
        positions.update(b"%x,%x,%x;" % (own, foes, kings))
    if any(data[at:]):
        return Impossible(number)
    winner = None if choices else other(side[3])
    scores = (DRAW, DRAW) if winner is None else (WIN, LOSS) if winner == FIRST else (LOSS, WIN)
    return Played(tuple(played), scores, Fingerprint(positions.digest()))


def squares_at(data: bytes, at: int) -> tuple[Square, ...] | None:
    """Return the squares of the move that begins at an offset, None if none does."""
    if at < len(data) and data[at] > LAST:
        end = at + 2
    else:
        end = at
        while end < len(data) and 0 < data[end] <= 50:
            end += 1
        if end == at:
            return None
        end += 1
    octets = data[at:end]
    squares = tuple(Square(octet & ~LAST) for octet in octets)
    whole = len(octets) == end - at and octets[-1] > LAST
    return squares if whole and all(1 <= square <= 50 for square in squares) else None


def _step(side: Side, choices: Iterable[Step], squares: tuple[Square, ...], quiet: bool) -> Step | None:
    """Return the legal move that stops on exactly these squares, None if none does."""
    start, end = BIT[squares[0]], BIT[squares[-1]]
    taken = 0 if quiet else len(squares) - 1
    fits = [step for step in choices if step[0] == start and step[1] == end and step[2].bit_count() == taken]
    if taken < 2 or not fits:
        return fits[0] if fits else None
    own, foes, kings, seat = side
    white, black = (own, foes) if seat == FIRST else (foes, own)
    found = routes(Board(white, black, kings, seat + 1), squares)
    # so many landings as victims: every landing was said, and each hop has one victim, so at most one capture fits
    return next(((start, end, _set(move)) for move in found if len(move.captured) == taken), None)


def _set(move: Move) -> Squares:
    return sum(BIT[square] for square in move.captured)


def write_report(seat: Seat, opponent: Address, played: Iterable[Move]) -> bytes:
    """Return the report of a game, whose moves carry their whole path; they are not judged here."""
    octets = bytearray([0xFF if seat == FIRST else 0x01, *opponent.packed])
    for move in played:
        path = move.path or (move.start, move.end)
        if len(path) != max(1, len(move.captured)) + 1:
            raise PositionError(str(move), "a report needs every landing square of a capture")
        octets += bytes(path[:-1] if move.captured else (path[0] + LAST,)) + bytes([path[-1] + LAST])
    if len(octets) > SIZE:
        raise PositionError(f"{len(octets)} octets", "the moves of a game fit into %(size)s octets", size=SIZE - HEADER)
    return bytes(octets.ljust(SIZE, b"\0"))


# ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Word(Enum):
    """What a registrar can say, to the letter."""

    OTHERS = "ERR : partie déjà jouée par d’autres"
    IMPOSSIBLE = "ERR : le coup numéro {} est impossible"
    UNKNOWN = "ERR : inconnue"
    AGAIN = "ACC : mais déjà enregistrée"
    PENDING = "ACC : mais non confirmé"
    CONFIRMED = "ACC : et confirmée"
    TOMORROW = "TIM : partie déjà joué aujourd’hui, à renvoyer demain pour validation"


ACCEPTED = frozenset({Word.AGAIN, Word.PENDING, Word.CONFIRMED})


@value
class Answer:
    """One answer; only an impossible move has a number."""

    word: Word
    number: int = 0

    @property
    def text(self) -> str:
        """The line."""
        return self.word.value.format(self.number)

    def octets(self) -> bytes:
        """Return the answer as it is sent: UTF-8 and a NUL."""
        return self.text.encode() + b"\0"


def read_answer(data: bytes) -> Answer | None:
    """Return the answer in a registrar's octets, None for words that are not the league's; apostrophes may be straight."""
    text = " ".join(data.partition(b"\0")[0].decode("utf-8", "replace").replace("'", "’").split())
    before, after_it = Word.IMPOSSIBLE.value.split("{}")
    number = text.removeprefix(before).removesuffix(after_it)
    if text == f"{before}{number}{after_it}" and number.isascii() and number.isdigit() and len(number) < 5:
        return Answer(Word.IMPOSSIBLE, int(number))
    return next((Answer(word) for word in Word if word is not Word.IMPOSSIBLE and word.value == text), None)


# ── judgement ──────────────────────────────────────────────────────────────────────────────────────────────────────

Identity = NewType("Identity", str)
"""Whom the league knows behind an address: a group of the roster, or the address itself."""


@value
class Pair:
    """Who plays white and who black; the same one twice in a game against oneself."""

    white: Identity
    black: Identity


@value
class Registered:
    """What a registrar knows that bears on one report."""

    owner: Pair | None = None
    """The pair that has this game confirmed, if one has."""
    versions: frozenset[Seat] = frozenset()
    """Which sides of the reporter's pair have sent their version of this game."""
    met_today: bool = False
    """Whether the reporter's pair has a game confirmed on the day of this report."""


def pair_of(reporter: Identity, opponent: Identity, seat: Seat) -> Pair:
    """Return the pair that a report is about."""
    return Pair(reporter, opponent) if seat == FIRST else Pair(opponent, reporter)


def judge(seat: Seat, pair: Pair, known: Registered) -> Answer:
    """Answer a sound report of the side `seat` of `pair`, given what is registered.

    A claim that lost its game to the pair that has it confirmed is registered no longer: its sender is told so.
    """
    if known.owner is not None and known.owner != pair:
        return Answer(Word.OTHERS)
    if seat in known.versions:
        return Answer(Word.AGAIN)
    if other(seat) not in known.versions:
        return Answer(Word.PENDING)
    return Answer(Word.TOMORROW if known.met_today else Word.CONFIRMED)
