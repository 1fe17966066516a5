"""A game of Kriegspiel by file: who may do what with it, and what each may see (spec: kriegspiel, section 2).

A `GameFile` is a value: the log of a file with everything that follows from it before the one judge (`kref.course`). `Seated` is
a game with one player at it: whatever he does is one more entry, which he signs together with the head before it. Who signs is a
`Hand`: the player's password where his own program opens the file, the signature that came with a request where a site does.
"""

import hmac
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

import chess

from arbitre.crypto.chain import SEED_BYTES
from arbitre.crypto.passwords import SALT_BYTES, USUAL, Secret, Work, secret
from arbitre.crypto.sealing import Sealing
from arbitre.errors import ArbitreError, GameFileError, GameStageError, PasswordError, shorten
from arbitre.games.catalogue import game, options_of
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.kriegspiel.notation import tray
from arbitre.games.kriegspiel.rules import Truth, View
from arbitre.kref.course import LONGEST_TRY, MODES, MOST_PLANNED, Call, Course, Mode, Ruling, referee_key
from arbitre.kref.file import (
    LONGEST_NAME,
    NO_GUESS,
    VERSION,
    Body,
    Entry,
    Envelope,
    Mark,
    call_message,
    canonical,
    check_marks,
    entry_message,
    heads,
    identity,
    pack,
    read_entry,
    read_envelope,
    unpack,
)
from arbitre.kref.log import LogLine, game_log
from arbitre.kref.standing import DATE, Standing
from arbitre.records.event import read_object
from arbitre.records.record import Chain, Record
from arbitre.referee.match import MatchStage, MatchState
from arbitre.referee.verdict import Verdict
from arbitre.values import value

Providers = Callable[[str], Sealing]
"""How a provider is found by the name that a file gives."""


@value
class GameFile:
    """A game by file, as far as it has come."""

    provider: str
    sealing: Sealing
    body: Body
    call: Call
    white: Entry | None
    chain: tuple[str, ...]
    """The head before the first entry and after each."""
    course: Course | None
    """None before White has sat down."""

    @property
    def game(self) -> str:
        """The game's name among all games."""
        return identity(self.body.log[0])

    @property
    def affairs(self) -> MatchState:
        """How the match stands."""
        return self.begun().affairs

    @property
    def ply(self) -> int:
        """How many plies were made."""
        return 0 if self.course is None else self.course.affairs.truth.board.ply()

    @property
    def verdict(self) -> Verdict | None:
        """How it ended."""
        return None if self.course is None else self.course.affairs.verdict

    @property
    def open(self) -> bool:
        """Whether the game is over and its secrets are open."""
        return self.course is not None and self.course.affairs.stage is MatchStage.CLOSED

    @property
    def mover(self) -> Seat | None:
        """Who is to move, if somebody is."""
        if self.course is None or self.verdict is not None:
            return None
        truth: Truth = self.course.affairs.truth
        return truth.mover

    @property
    def names(self) -> tuple[str, str]:
        """Who sits where."""
        return (self.white.name if self.white else "", self.call.black.name)

    def text(self) -> str:
        """Return the file."""
        return pack(self.body, self.call.seed, self.ply, self.provider, self.sealing).text()

    def view(self, seat: Seat) -> View:
        """Return what a seat may see: its own, and when the secrets are open everything."""
        course = self.begun()
        view: View = course.match.game.view(course.affairs.truth, "referee" if self.open else seat)
        return view

    def log(self, seat: Seat) -> tuple[LogLine, ...]:
        """Return everything that a seat has tried and heard, and when the secrets are open what was tried by both."""
        return game_log(self.begun(), seat, everything=self.open)

    def standing(self, seat: Seat | None = None) -> Standing:
        """Return what both players know, or what a seat does."""
        course, black = self.course, self.call.black
        mine = course is not None and seat is not None
        plan = course.plan if course is not None else None
        return Standing(
            self.game,
            self.call.name,
            self.call.mode,
            self.call.options,
            self.call.site,
            self.call.date,
            self.names,
            self.ply,
            self.mover,
            self.verdict,
            course is not None,
            self.open,
            frozenset() if self.verdict is None else self.affairs.unacknowledged,
            self.chain[-1],
            black.salt,
            black.work,
            seat,
            self.view(seat) if mine and seat is not None else None,
            self.log(seat) if mine and seat is not None else (),
            plan[1] if plan is not None and plan[0] == seat else (),
        )

    def record(self) -> Record:
        """Return the record of a game that is over, as `arbitre verify` checks it; signed with a key of this file."""
        if not self.open:
            raise GameStageError("the game is not over, and its secrets are closed")
        course = self.begun()
        chain = Chain(self.call.seed)
        chain.add(course.events)
        return Record(tuple(course.events), chain.seal(referee_key(self.call), course.match.opening.keys))

    def join(self, name: str, password: str, work: Work = USUAL) -> "Seated":
        """Seat White."""
        if self.white is not None:
            raise GameStageError("White has a password in this game already")
        if _opens(self.call.black, password) is not None:
            raise PasswordError("this password cannot be White's in this game: choose another")
        entry, made = new_entry(name, password, os.urandom(SALT_BYTES), work)
        return Seated(self.enter(seating(entry), FIRST, made), FIRST, made)

    def enter(self, entry: str, seat: Seat, hand: "Hand") -> "GameFile":
        """Return the game with one more entry, signed by the seat whose it is."""
        signature = hand.sign(entry_message(self.call.site, self.game, self.chain[-1], entry))
        log = (*self.body.log, entry)
        mark = Mark(len(log), signature.hex())
        marks = (mark, self.body.marks[1]) if seat == FIRST else (self.body.marks[0], mark)
        return _read(self.provider, self.sealing, replace(self.body, log=log, marks=marks), checked=False)

    def login(self, password: str, seat: Seat | None = None) -> "Seated":
        """Return the seat that a password opens; every entry is tried, so the time says nothing."""
        entries = (self.white, self.call.black)
        asked = (FIRST, SECOND) if seat is None else (seat,)
        if seat == FIRST and self.white is None:
            raise GameStageError("White has no password yet: arbitre kref white FILE")
        found = [(one, _opens(entry, password)) for one in asked if (entry := entries[one]) is not None]
        for one, made in found:
            if made is not None:
                return Seated(self, one, made)
        raise PasswordError("wrong password")

    def begun(self) -> Course:
        """Return the course of the game; `GameStageError` before White has sat down."""
        if self.course is None:
            raise GameStageError("White has not sat down yet: arbitre kref white FILE")
        return self.course


class Hand(Protocol):
    """What a player signs with, and hides his guesses."""

    def sign(self, message: bytes) -> bytes:
        """Return the player's signature."""

    def hide(self, clear: str) -> str:
        """Return a note that only this player opens."""

    def open(self, hidden: str) -> str | None:
        """Return a note; None where it is not this player's."""


class Seated(NamedTuple):
    """A game with one player at it, who has given the password."""

    file: GameFile
    seat: Seat
    secret: Hand

    def text(self) -> str:
        """Return the file."""
        return self.file.text()

    @property
    def standing(self) -> Standing:
        """What this player may know."""
        return self.file.standing(self.seat)

    @property
    def view(self) -> View:
        """What this player may see."""
        return self.file.view(self.seat)

    @property
    def guesses(self) -> str:
        """Where this player thinks the other's pieces stand: 64 characters from a8 to h1, `0` for nothing."""
        found = self.secret.open(self.file.body.guesses[self.seat])
        return found if found is not None and len(found) == len(NO_GUESS) else NO_GUESS

    def guess(self, squares: Mapping[str, str]) -> "Seated":
        """Place guessed pieces (`e5` → `q`, or nothing to take one away): they do not count."""
        hidden = self.secret.hide(placed(self.guesses, squares, self.seat))
        given = self.file.body.guesses
        both = (hidden, given[1]) if self.seat == FIRST else (given[0], hidden)
        return self._replace(file=replace(self.file, body=replace(self.file.body, guesses=both)))

    def attempt(self, text: str) -> tuple["Seated", Ruling]:
        """Try a move (classic): a refusal is recorded, and costs nothing."""
        self._check_try("classic")
        after = self._enter(f"{self.seat:d}t:{try_text(text)}")
        assert after.file.course is not None  # noqa: S101 - for the type checker: somebody was to move
        return after, after.file.course.rulings[-1]

    def plan(self, tries: Sequence[str]) -> "Seated":
        """Sign an ordered list of tries (planned): the other player's program adjudicates it."""
        self._check_try("planned")
        if not 1 <= len(tries) <= MOST_PLANNED:
            raise GameStageError(
                "a plan has 1 to %(most_planned)s tries, not %(tries)s", most_planned=MOST_PLANNED, tries=len(tries)
            )
        return self._enter(f"{self.seat:d}p:{','.join(map(try_text, tries))}")

    def adjudicate(self) -> tuple["Seated", tuple[Ruling, ...]]:
        """Judge the other player's plan, if one is waiting."""
        course = self.file.course
        if course is None or course.plan is None or course.plan[0] == self.seat or self.file.verdict is not None:
            return self, ()
        after = self._enter(f"{self.seat:d}j")
        assert after.file.course is not None  # noqa: S101 - for the type checker: there was one before
        return after, tuple(after.file.course.rulings)

    def resign(self, accuse: bool = False) -> "Seated":
        """Give up, or accuse the referee, which gives up too: the board stays closed until the other has acknowledged."""
        self.file.standing().check_resign()
        return self._enter(f"{self.seat:d}{'x' if accuse else 'r'}")

    def acknowledge(self) -> "Seated":
        """Acknowledge the other's resignation: both may see the board now, the resigner from the returned file."""
        self.file.standing().check_acknowledge(self.seat)
        return self._enter(f"{self.seat:d}a")

    def _check_try(self, mode: Mode) -> None:
        self.file.standing().check_try(self.seat, mode)
        if self.file.begun().plan is not None:
            raise GameStageError("your plan waits for the other player's program: send him the file")

    def _enter(self, entry: str) -> "Seated":
        return self._replace(file=self.file.enter(entry, self.seat, self.secret))


# ── reading and calling ────────────────────────────────────────────────────────────────────────────────────────────


def call_game(
    name: str,
    player: str,
    password: str,
    provider: str,
    sealing: Sealing,
    mode: Mode = "classic",
    options: Mapping[str, object] | None = None,
    work: Work = USUAL,
    *,
    date: str,
) -> Seated:
    """Call a game as Black, on a day."""
    entry, made = new_entry(player, password, os.urandom(SALT_BYTES), work)
    call = new_call(name, entry, mode, options, os.urandom(SEED_BYTES), date)
    return Seated(called(call, provider, sealing, made), SECOND, made)


def new_call(
    name: str, black: Entry, mode: Mode, options: Mapping[str, object] | None, seed: bytes, date: str, site: str = ""
) -> Call:
    """Return how a game is called."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise GameFileError("a game's name has 1 to %(longest_name)s printable characters", longest_name=LONGEST_NAME)
    return Call(name, mode, options_of(game("kriegspiel", options)), seed, black, date, site)


def called(call: Call, provider: str, sealing: Sealing, hand: Hand) -> GameFile:
    """Return the game that Black calls and signs."""
    mark = Mark(1, hand.sign(call_message(canonical(call.fields()))).hex())
    return _read(provider, sealing, Body((call.text(),), (Mark(), mark)), checked=False)


def read_game(text: str, providers: Providers) -> GameFile:
    """Read a file and hear its whole log; `GameFileError` says what is wrong with it."""
    envelope = read_envelope(text)
    sealing = providers(envelope.provider)
    file = _read(envelope.provider, sealing, unpack(envelope, sealing), checked=True)
    _fits(file, envelope)
    return file


def _fits(file: GameFile, envelope: Envelope) -> None:
    site = file.call.site
    if site and not file.open and envelope.provider != f"site:{site}":
        raise GameFileError("the file is forged: only %(site)s seals this game before it is over", site=shorten(site))
    if file.ply != envelope.ply or file.chain[-2] != envelope.previous:
        raise GameFileError("the file is forged: its header does not follow from its log")


def _read(provider: str, sealing: Sealing, body: Body, checked: bool) -> GameFile:
    call = _call(body.log[0])
    chain = tuple(heads(call.seed, body.log))
    white = None
    course = None
    last = [0, 1]
    number = 2
    try:
        if len(body.log) > 1:
            white = read_entry(read_object(body.log[1]).get("white"))
            if seating(white) != body.log[1]:
                raise GameFileError("White's entry is not in form")
            last[FIRST] = number
            course = Course(call, white)
        for number, entry in enumerate(body.log[2:], start=3):
            assert course is not None  # noqa: S101 - for the type checker: a third entry follows a second
            last[course.hear(entry)] = number
    except ArbitreError as error:
        raise GameFileError("the file is forged: entry %(number)s: %(error)s", number=number, error=error) from None
    file = GameFile(provider, sealing, body, call, white, chain, course)
    if checked:
        check_marks(body, partial(_signed_at, file), (white.key if white else "", call.black.key), last)
    return file


def _signed_at(file: GameFile, count: int) -> bytes:
    """Return what whose entry this is has signed."""
    if count == 1:
        return call_message(canonical(file.call.fields()))
    return entry_message(file.call.site, file.game, file.chain[count - 1], file.body.log[count - 1])


def _call(text: str) -> Call:
    try:
        fields = read_object(text)
    except ArbitreError:
        fields = {}
    call = read_call(fields)
    if call.text() != text or not call.name.isprintable() or len(call.name) > LONGEST_NAME:
        raise GameFileError("the file is forged: the game is not called in canonical form")
    return call


def read_call(fields: Mapping[str, object]) -> Call:
    """Return how a game was called; `GameFileError`."""
    match fields:
        case {
            "ksg": version,
            "black": dict(black),
            "date": str(date),
            "mode": str(mode),
            "name": str(name),
            "options": dict(options),
            "seed": str(seed),
            "site": str(site),
        } if version == VERSION:
            known = next((one for one in MODES if one == mode), None)
            if known is None or not re.fullmatch(r"[0-9a-f]{64}", seed) or not DATE.fullmatch(date):
                raise GameFileError(
                    "the file is forged: no game is called with mode %(mode)r on %(date)r", mode=shorten(mode), date=shorten(date)
                )
            try:
                return Call(name, known, options, bytes.fromhex(seed), read_entry(black), date, site)
            except GameFileError as error:
                raise GameFileError("the file is forged: %(error)s", error=error) from None
        case _:
            raise GameFileError("the file is forged: the game is not called in form")


def seating(white: Entry) -> str:
    """Return the entry that seats White."""
    return canonical({"white": white.fields()})


def new_entry(name: str, password: str, salted: bytes, work: Work) -> tuple[Entry, Secret]:
    """Return a player's entry, and what the password makes."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise GameFileError("a player's name has 1 to %(longest_name)s printable characters", longest_name=LONGEST_NAME)
    made = secret(password, salted, work)
    return Entry(name, salted.hex(), work, made.key.public.hex()), made


def _opens(entry: Entry, password: str) -> Secret | None:
    made = secret(password, bytes.fromhex(entry.salt), entry.work)
    return made if hmac.compare_digest(made.key.public.hex(), entry.key) else None


def try_text(text: str) -> str:
    """Return a try as it is entered: whatever was said, so that it can be refused, but short, and without the plan's comma."""
    return "".join(c if c.isprintable() and c.isascii() and c != "," else "?" for c in text.strip()[:LONGEST_TRY])


def placed(guesses: str, squares: Mapping[str, str], seat: Seat) -> str:
    """Return a seat's guesses with pieces placed on squares, or taken away."""
    cells = list(guesses)
    for name, piece in squares.items():
        if name not in chess.SQUARE_NAMES or len(piece) > 1 or piece.lower() not in "pnbrqk":
            raise GameStageError(
                "a guess is a square and one of pnbrqk, like e5=q, or e5= for nothing, not %(name)s=%(piece)s",
                name=name,
                piece=piece,
            )
        letter = piece.upper() if seat == SECOND else piece.lower()
        cells[chess.parse_square(name) ^ 56] = letter or "0"
    return "".join(cells)


def cells(view: View, guesses: str) -> str:
    """Return what a player sees on the board, among it his guesses until he sees all: 64 characters from a8 to h1."""
    if isinstance(view, Truth):
        return tray(view)
    return "".join(guess if seen == "0" else seen for seen, guess in zip(tray(view), guesses, strict=True))
