"""A game of Kriegspiel by file: who may do what with it, and what each may see (spec: kriegspiel, section 2).

A `GameFile` is a value: the log of a file with everything that follows from it before the one judge (`kref_course`). `Seated` is
a game with one player at it: whatever he does is one more entry, and he signs the head after it.
"""

import hmac
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import chess

from arbitre.crypto.chain import SEED_BYTES
from arbitre.crypto.passwords import SALT_BYTES, USUAL, Secret, Work, secret
from arbitre.crypto.sealing import Sealing
from arbitre.errors import ArbitreError, GameFileError, GameStageError, MoveError, PasswordError, shorten
from arbitre.games.catalogue import game, options_of
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.kriegspiel.notation import tray
from arbitre.games.kriegspiel.rules import Truth, Try, View
from arbitre.games.kriegspiel.umpire import REFUSALS
from arbitre.games.notation import AnyNotation
from arbitre.kref.course import LONGEST_TRY, MODES, MOST_PLANNED, Call, Course, Mode, Ruling, referee_key
from arbitre.kref.file import (
    COLOURS,
    LONGEST_NAME,
    NO_GUESS,
    Body,
    Entry,
    Envelope,
    Mark,
    canonical,
    check_marks,
    heads,
    identity,
    pack,
    read_entry,
    read_envelope,
    sign_message,
    unpack,
)
from arbitre.kref.log import LogLine, game_log
from arbitre.reasons import Reason
from arbitre.records.event import Kind, read_object
from arbitre.records.record import Chain, Record
from arbitre.referee.match import MatchStage, MatchState
from arbitre.referee.verdict import Verdict
from arbitre.values import value

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

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
        return self._begun().affairs

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
        course = self._begun()
        view: View = course.match.game.view(course.affairs.truth, "referee" if self.open else seat)
        return view

    def log(self, seat: Seat) -> tuple[LogLine, ...]:
        """Return everything that a seat has tried and heard, and when the secrets are open what was tried by both."""
        return game_log(self._begun(), seat, everything=self.open)

    def record(self) -> Record:
        """Return the record of a game that is over, as `arbitre verify` checks it; signed with a key of this file."""
        if not self.open:
            raise GameStageError("the game is not over, and its secrets are closed")
        course = self._begun()
        chain = Chain(self.call.seed)
        chain.add(course.events)
        return Record(tuple(course.events), chain.seal(referee_key(self.call), course.match.opening.keys))

    def join(self, name: str, password: str, work: Work = USUAL) -> "Seated":
        """Seat White."""
        if self.white is not None:
            raise GameStageError("White has a password in this game already")
        if _opens(self.call.black, password) is not None:
            raise PasswordError("this password cannot be White's in this game: choose another")
        entry, made = _entry(name, password, work)
        joined = _read(self.provider, self.sealing, replace(self.body, log=(*self.body.log, _seated(entry))), checked=False)
        return Seated(joined, FIRST, made).signed()

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

    def _begun(self) -> Course:
        if self.course is None:
            raise GameStageError("White has not sat down yet: arbitre kref white FILE")
        return self.course


class Seated(NamedTuple):
    """A game with one player at it, who has given the password."""

    file: GameFile
    seat: Seat
    secret: Secret

    def signed(self) -> "Seated":
        """Sign the head as it is."""
        file = self.file
        count = len(file.body.log)
        mark = Mark(count, self.secret.key.sign(sign_message(file.game, count, file.chain[count])).hex())
        marks = (mark, file.body.marks[1]) if self.seat == FIRST else (file.body.marks[0], mark)
        return self._replace(file=replace(file, body=replace(file.body, marks=marks)))

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
        cells = list(self.guesses)
        for name, piece in squares.items():
            if name not in chess.SQUARE_NAMES or len(piece) > 1 or piece.lower() not in "pnbrqk":
                raise GameStageError(
                    "a guess is a square and one of pnbrqk, like e5=q, or e5= for nothing, not %(name)s=%(piece)s",
                    name=name,
                    piece=piece,
                )
            letter = piece.upper() if self.seat == SECOND else piece.lower()
            cells[chess.parse_square(name) ^ 56] = letter or "0"
        hidden = self.secret.hide("".join(cells))
        given = self.file.body.guesses
        both = (hidden, given[1]) if self.seat == FIRST else (given[0], hidden)
        return self._replace(file=replace(self.file, body=replace(self.file.body, guesses=both)))

    def attempt(self, text: str) -> tuple["Seated", Ruling]:
        """Try a move (classic): a refusal is recorded, and costs nothing."""
        self._to_move()
        if self.file.call.mode != "classic":
            raise GameStageError("this game is played with planned tries: say all of them at once")
        after = self._enter(f"{self.seat:d}t:{_try_text(text)}")
        assert after.file.course is not None  # noqa: S101 - for the type checker: somebody was to move
        return after, after.file.course.rulings[-1]

    def plan(self, tries: Sequence[str]) -> "Seated":
        """Sign an ordered list of tries (planned): the other player's program adjudicates it."""
        self._to_move()
        if self.file.call.mode != "planned":
            raise GameStageError("this game is classic: tries are judged one by one")
        if not 1 <= len(tries) <= MOST_PLANNED:
            raise GameStageError(
                "a plan has 1 to %(most_planned)s tries, not %(tries)s", most_planned=MOST_PLANNED, tries=len(tries)
            )
        return self._enter(f"{self.seat:d}p:{','.join(map(_try_text, tries))}")

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
        if self.file.course is None:
            raise GameStageError("the game has not begun")
        if self.file.verdict is not None:
            raise GameStageError("the game is over")
        return self._enter(f"{self.seat:d}{'x' if accuse else 'r'}")

    def acknowledge(self) -> "Seated":
        """Acknowledge the other's resignation: both may see the board now, the resigner from the returned file."""
        if self.file.verdict is None or self.file.open:
            raise GameStageError("there is no resignation to acknowledge")
        if self.seat not in self.file.affairs.unacknowledged:
            raise GameStageError("only the other player acknowledges a resignation: send him the file")
        return self._enter(f"{self.seat:d}a")

    def _to_move(self) -> None:
        course = self.file.course
        if course is None:
            raise GameStageError("White has not sat down yet: arbitre kref white FILE")
        if self.file.verdict is not None:
            raise GameStageError("the game is over")
        if self.file.mover != self.seat:
            raise GameStageError("%(colour)s is to move", colour=Reason(COLOURS[1 - self.seat]))
        if course.plan is not None:
            raise GameStageError("your plan waits for the other player's program: send him the file")

    def _enter(self, entry: str) -> "Seated":
        body = self.file.body
        file = _read(self.file.provider, self.file.sealing, replace(body, log=(*body.log, entry)), checked=False)
        return self._replace(file=file).signed()


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
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise GameFileError("a game's name has 1 to %(longest_name)s printable characters", longest_name=LONGEST_NAME)
    entry, made = _entry(player, password, work)
    call = Call(name, mode, options_of(game("kriegspiel", options)), os.urandom(SEED_BYTES), entry, date)
    file = _read(provider, sealing, Body((call.text(),)), checked=False)
    return Seated(file, SECOND, made).signed()


def read_game(text: str, providers: Providers) -> GameFile:
    """Read a file and hear its whole log; `GameFileError` says what is wrong with it."""
    envelope = read_envelope(text)
    sealing = providers(envelope.provider)
    file = _read(envelope.provider, sealing, unpack(envelope, sealing), checked=True)
    _fits(file, envelope)
    return file


def _fits(file: GameFile, envelope: Envelope) -> None:
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
            if _seated(white) != body.log[1]:
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
        check_marks(body, file.game, chain, (white.key if white else "", call.black.key), last)
    return file


def _call(text: str) -> Call:
    try:
        fields = read_object(text)
    except ArbitreError:
        fields = {}
    match fields:
        case {
            "ksg": 1,
            "black": dict(black),
            "date": str(date),
            "mode": str(mode),
            "name": str(name),
            "options": dict(options),
            "seed": str(seed),
        }:
            known = next((one for one in MODES if one == mode), None)
            if known is None or not re.fullmatch(r"[0-9a-f]{64}", seed) or not DATE.fullmatch(date):
                raise GameFileError(
                    "the file is forged: no game is called with mode %(mode)r on %(date)r", mode=shorten(mode), date=shorten(date)
                )
            try:
                call = Call(name, known, options, bytes.fromhex(seed), read_entry(black), date)
            except GameFileError as error:
                raise GameFileError("the file is forged: %(error)s", error=error) from None
        case _:
            raise GameFileError("the file is forged: the game is not called in form")
    if call.text() != text or not call.name.isprintable() or len(call.name) > LONGEST_NAME:
        raise GameFileError("the file is forged: the game is not called in canonical form")
    return call


def _seated(white: Entry) -> str:
    return canonical({"white": white.fields()})


def _entry(name: str, password: str, work: Work) -> tuple[Entry, Secret]:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise GameFileError("a player's name has 1 to %(longest_name)s printable characters", longest_name=LONGEST_NAME)
    salted = os.urandom(SALT_BYTES)
    made = secret(password, salted, work)
    return Entry(name, salted.hex(), work, made.key.public.hex()), made


def _opens(entry: Entry, password: str) -> Secret | None:
    made = secret(password, bytes.fromhex(entry.salt), entry.work)
    return made if hmac.compare_digest(made.key.public.hex(), entry.key) else None


def _try_text(text: str) -> str:
    """Return a try as it is entered: whatever was said, so that it can be refused, but short, and without the plan's comma."""
    return "".join(c if c.isprintable() and c.isascii() and c != "," else "?" for c in text.strip()[:LONGEST_TRY])


def cells(view: View, guesses: str) -> str:
    """Return what a player sees on the board, among it his guesses until he sees all: 64 characters from a8 to h1."""
    if isinstance(view, Truth):
        return tray(view)
    return "".join(guess if seen == "0" else seen for seen, guess in zip(tray(view), guesses, strict=True))


# ── proof ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Proof(NamedTuple):
    """What was proven of the umpire's rulings, against python-chess: so many tries, so many of them refused."""

    tries: int
    refused: int


def prove(file: GameFile) -> Proof:
    """Judge every ruling of a finished game again, by python-chess's own legal moves; `GameFileError` at a wrong one."""
    record = file.record()
    match = file._begun().match
    affairs = match.open()[0]
    tries = refused = 0
    for event in record.events[1:]:
        if event.kind in (Kind.SAID, Kind.RESIGNED, Kind.ACKNOWLEDGED):
            before: Truth = affairs.truth
            affairs, _ = match.hear(affairs, event)
            if event.kind is Kind.SAID:
                tries += 1
                made = affairs.truth.board is not before.board
                refused += _refused(before, affairs.truth)
                if made != _legal(before.board, match.notation, event.text):
                    raise GameFileError("the referee ruled wrongly on try %(tries)s, %(text)r", tries=tries, text=event.text)
    return Proof(tries, refused)


def _refused(before: Truth, after: Truth) -> bool:
    """Tell whether the umpire refused: a draw that is offered or accepted moves nothing either."""
    return after.turn == before.turn and any(one.kind in REFUSALS for one in after.now[len(before.now) :])


def _legal(board: chess.Board, notation: AnyNotation, text: str) -> bool:
    """Tell whether python-chess lists the move that the umpire read.

    Asked about one move, python-chess also takes the king onto his own rook for castling, which no umpire does; it lists castling
    as the king's move of two squares.
    """
    try:
        move: Try = notation.read(text, None)
    except MoveError:
        return False
    return move in set(board.legal_moves)
