"""The duel of the draughts league, either side of it (spec: draughts, section 2). Sans-IO.

Who listens is the *defender*, plays white and begins; who connects is the *attacker*, plays black. Each says a move as text. Five
groups' programs were seen, and no two frame their words alike, so we say a move and one NUL, and understand:

* words ended by any run of NUL, LF and CR, blocks padded with NULs among them;
* a word without an end, when nothing follows it for a while: the transport calls `idle` at every gap. What can be played is
  taken at the first gap, anything else at the third, for it may not be whole yet;
* a comment after a move, `COUP INVALIDE` with or without a text, the bare word `INVALIDE`, small letters.

Our `COUP INVALIDE` says why only to a peer that has sent a comment or a text itself: programs that never do often compare the
whole word, and take a longer one for unknown.

`Duel` is one game as one side sees it. `say` returns nothing: what is to be sent is taken from `outgoing`. `receive`, `idle` and
`closed` return events:

===============  ======================================================================================
`Moved`          the peer made a legal move
`Refused`        the peer's move is not legal; `COUP INVALIDE` was answered, and the peer may try again
`Doubted`        the peer finds our move invalid, which it is not; the move was said again
`Ended`          the duel is over, once
===============  ======================================================================================

============  ==================================================================================
`OURS`        we are to move: `say` leads to `THEIRS`, or to `OVER` when our move ends the game
`THEIRS`      the peer is to move: a legal move leads to `OURS`, or to `OVER`
`OVER`        whatever comes is not heard any more
============  ==================================================================================

Nobody is believed. Our rules decide what is legal and when the game is over: `PERDU` and `EGALITE` before that interrupt it,
after it they say nothing new. `INTERUPTION`, an unknown word, too long a word, too many tries, too many doubts and too many words
out of turn end the duel as interrupted; such a game is not reported.
"""

import re
from enum import Enum
from typing import TypeAlias

from arbitre.errors import IllegalMoveError, MoveError, shorten
from arbitre.games.draughts.notation import DraughtsNotation
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.game import DRAW, FIRST, SECOND, Outcome, Seat
from arbitre.reasons import Reason, declare
from arbitre.values import value

PORT = 7777

LONGEST = 1_024
"""Octets of one word with its comment: the largest padded block that was seen."""
MOST_TRIES = 3
"""Wrong moves in a row that are answered with `COUP INVALIDE`; the next one ends the duel."""
MOST_DOUBTS = 3
"""How often in a row a move of ours is said again; the next doubt ends the duel."""
MOST_STRAYS = 3
"""Words out of turn in the whole duel that are overlooked."""
GAPS = 3
"""At so many gaps in a row a word without an end is taken whatever it is."""
LONGEST_REFUSAL = 254
"""Characters of a `COUP INVALIDE` with its text."""

GAME = Draughts()
NOTATION = DraughtsNotation(GAME)

SEPARATORS = re.compile(rb"[\0\r\n]+")
LIKE_A_MOVE = re.compile(r"[0-9]{1,2}(?:-[0-9]{1,2}|(?:x[0-9]{1,2}){1,20})", re.IGNORECASE)

INTERRUPTION = "INTERUPTION"
"""Spelt as the league spells it; the usual spelling is understood, too."""


class Role(Enum):
    """Which side of the socket one is."""

    DEFENDER = FIRST
    ATTACKER = SECOND

    @property
    def seat(self) -> Seat:
        """The seat of this role."""
        return Seat(self.value)


class Stage(Enum):
    """Whose word is awaited."""

    OURS = "ours"
    THEIRS = "theirs"
    OVER = "over"


class Ending(Enum):
    """How a duel can stop."""

    RULES = "rules"
    """The game was played to its end; it can be reported."""
    THEIR_INTERRUPTION = "their interruption"
    """The peer said INTERUPTION."""
    OUR_INTERRUPTION = "our interruption"
    """The peer's behaviour made us say INTERUPTION."""
    CLOSED = "closed"
    """The connection ended before the game did."""


class Fault(Enum):
    """What ended a duel before the game was over."""

    INTERRUPTED = "interrupted"
    """The peer said INTERUPTION."""
    CLOSED = "closed"
    """The peer closed the connection."""
    UNKNOWN_WORD = "unknown-word"
    """A word that the league does not know."""
    TOO_LONG = "too-long"
    """A word that does not end."""
    EARLY_END = "early-end"
    """PERDU or EGALITE, and the game is not over."""
    WRONG_MOVES = "wrong-moves"
    """Too many moves in a row that are not legal."""
    DOUBTS = "doubts"
    """A legal move of ours was called invalid again and again."""
    OUT_OF_TURN = "out-of-turn"
    """Too many words when it was not the peer's turn."""


REASONS = declare(
    {
        "peer-closed": ("the peer closed the connection", "l’autre a fermé la connexion"),
        "peer-word-too-long": ("a word of more than %(most)s octets", "un mot de plus de %(most)s octets"),
        "peer-interrupted": ("the peer said %(text)r", "l’autre a dit %(text)r"),
        "peer-ended-early": (
            "the peer said %(text)s and the game is not over",
            "l’autre a dit %(text)s et la partie n’est pas finie",
        ),
        "peer-unknown-word": (
            "the peer said %(text)r, which the league does not know",
            "l’autre a dit %(text)r, que la ligue ne connaît pas",
        ),
        "peer-wrong-moves": ("%(count)s wrong moves in a row", "%(count)s coups faux de suite"),
        "peer-doubts": (
            "the peer called the legal move %(move)s invalid %(count)s times",
            "l’autre a dit %(count)s fois que le coup permis %(move)s est invalide",
        ),
        "peer-out-of-turn": (
            "the peer spoke out of turn %(count)s times, now %(text)r",
            "l’autre a parlé hors de son tour %(count)s fois, et dit maintenant %(text)r",
        ),
        "duel-over": ("the duel is over", "le duel est fini"),
        "test-over": ("the test is over", "l’essai est fini"),
        "house-closes": ("the house closes", "la maison ferme"),
        "house-failed": ("the house failed", "la maison a défailli"),
    }
)


@value
class Moved:
    """The peer made a legal move, and perhaps commented on it."""

    move: Move
    text: str
    comment: str = ""


@value
class Refused:
    """The peer said a move that is not legal."""

    text: str
    why: Reason


@value
class Doubted:
    """The peer finds our legal move invalid."""

    text: str


@value
class Ended:
    """The duel is over."""

    ending: Ending
    reason: Reason
    fault: Fault | None = None
    """What the peer did; None where the game was over, or we stopped for reasons of our own."""


Event: TypeAlias = Moved | Refused | Doubted | Ended


class Duel:
    """One game as one side sees it."""

    def __init__(self, role: Role) -> None:
        self.role = role
        self.board: Board = GAME.start()
        self.moves: tuple[Move, ...] = ()
        self.stage = Stage.OURS if role is Role.DEFENDER else Stage.THEIRS
        self.ended: Ended | None = None
        self._outgoing = bytearray()
        self._pending = bytearray()
        self._gaps = 0
        self._tries = self._doubts = self._strays = 0
        self.refused: list[Refused] = []
        """The wrong moves that the peer has said; as many as our referee puts up with."""
        self._comments = False
        """Whether the peer has sent a comment, so that it can be expected to read one."""

    # ── our words ──────────────────────────────────────────────────────────────────────────────────────────────────

    def say(self, move: Move) -> None:
        """Make our move; `IllegalMoveError` when it is not ours to make."""
        if self.stage is not Stage.OURS:
            raise IllegalMoveError(move, "not-your-turn")
        GAME.check(self.board, move)
        self._send(NOTATION.write(move))
        self._doubts = 0
        self._play(move, Stage.THEIRS)

    def interrupt(self, reason: Reason) -> None:
        """Stop the game before its end."""
        if self.stage is not Stage.OVER:
            self._stop(Ending.OUR_INTERRUPTION, reason)

    def outgoing(self) -> bytes:
        """Return what is to be sent now, and forget it."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    @property
    def outcome(self) -> Outcome | None:
        """The rules' last word, once they have spoken it."""
        phase = GAME.phase(self.board)
        return phase if isinstance(phase, Outcome) else None

    # ── the peer's words ───────────────────────────────────────────────────────────────────────────────────────────

    def receive(self, data: bytes) -> list[Event]:
        """Take octets of the peer's, however they are cut."""
        events: list[Event] = []
        if data:
            self._gaps = 0
        while data and self.stage is not Stage.OVER:
            # taken in pieces, so that a flood costs no more than its length and keeps no more than a word
            self._pending += data[:LONGEST]
            data = data[LONGEST:]
            *words, rest = SEPARATORS.split(self._pending)
            self._pending = bytearray(rest)
            for word in (*words, *([rest] if len(rest) > LONGEST else [])):
                self._hear(word, events)
        if self.stage is Stage.OVER:
            self._pending.clear()
        return events

    def idle(self) -> list[Event]:
        """Learn that the peer has paused: a word without an end may be whole."""
        if self.stage is Stage.OVER or not self._pending:
            return []
        self._gaps += 1
        if self._gaps < GAPS and not self._understood(_text(self._pending)):
            return []
        events: list[Event] = []
        word, self._pending = bytes(self._pending), bytearray()
        self._hear(word, events)
        return events

    def closed(self) -> list[Event]:
        """Learn that the peer says nothing more; its last word may lack an end."""
        events: list[Event] = []
        if self._pending and self.stage is not Stage.OVER:
            word, self._pending = bytes(self._pending), bytearray()
            self._hear(word, events)
        if self.stage is not Stage.OVER:
            events.append(self._stop(Ending.CLOSED, Reason("peer-closed"), Fault.CLOSED))
        return events

    def _understood(self, text: str) -> bool:
        """Tell whether a word without an end can be taken for whole."""
        first, _, rest = text.partition(" ")
        if LIKE_A_MOVE.fullmatch(first):
            return bool(rest) or self._read(first) is not None
        return text.upper() in WORDS or text.upper().startswith("COUP INVALIDE")

    def _read(self, text: str) -> Move | None:
        try:
            move = NOTATION.read(text, self.board)
            GAME.check(self.board, move)
        except MoveError:
            return None
        return move

    def _hear(self, word: bytes, events: list[Event]) -> None:
        text = _text(word[:LONGEST])
        if self.stage is Stage.OVER:
            return
        if len(word) > LONGEST:
            events.append(self._stop(Ending.OUR_INTERRUPTION, Reason("peer-word-too-long", most=LONGEST), Fault.TOO_LONG))
            return
        if not text:
            return
        first, _, rest = text.partition(" ")
        upper = text.upper()
        if LIKE_A_MOVE.fullmatch(first):
            events += self._moved(first, rest.strip())
        elif first.upper() == "INVALIDE" or upper.split()[:2] == ["COUP", "INVALIDE"]:
            events += self._doubted(text)
        elif first.upper() in (INTERRUPTION, "INTERRUPTION"):
            events.append(
                self._stop(Ending.THEIR_INTERRUPTION, Reason("peer-interrupted", text=shorten(text)), Fault.INTERRUPTED)
            )
        elif first.upper() in ("PERDU", "EGALITE"):
            ended = self._stop(Ending.OUR_INTERRUPTION, Reason("peer-ended-early", text=first.upper()), Fault.EARLY_END)
            events.append(ended)
        else:
            ended = self._stop(Ending.OUR_INTERRUPTION, Reason("peer-unknown-word", text=shorten(text)), Fault.UNKNOWN_WORD)
            events.append(ended)

    def _moved(self, text: str, comment: str) -> list[Event]:
        self._comments = self._comments or bool(comment)
        if self.stage is not Stage.THEIRS:
            return self._stray(text)
        try:
            move = NOTATION.read(text, self.board)
            GAME.check(self.board, move)
        except MoveError as error:
            return self._refuse(text, error.reason)
        self._tries = 0
        self._play(move, Stage.OURS)
        moved = Moved(move, text, comment)
        return [moved] if self.ended is None else [moved, self.ended]

    def _refuse(self, text: str, why: Reason) -> list[Event]:
        self._tries += 1
        refused = Refused(text, why)
        self.refused.append(refused)
        if self._tries > MOST_TRIES:
            return [
                refused,
                self._stop(Ending.OUR_INTERRUPTION, Reason("peer-wrong-moves", count=self._tries), Fault.WRONG_MOVES),
            ]
        self._send(f"COUP INVALIDE {why}"[:LONGEST_REFUSAL] if self._comments else "COUP INVALIDE")
        return [refused]

    def _doubted(self, text: str) -> list[Event]:
        self._comments = self._comments or " ".join(text.upper().split()) not in ("INVALIDE", "COUP INVALIDE")
        if self.stage is not Stage.THEIRS or not self.moves:
            return self._stray(text)
        self._doubts += 1
        if self._doubts > MOST_DOUBTS:
            move = self.moves[-1]
            ended = self._stop(Ending.OUR_INTERRUPTION, Reason("peer-doubts", move=str(move), count=self._doubts), Fault.DOUBTS)
            return [Doubted(text), ended]
        self._send(NOTATION.write(self.moves[-1]))
        return [Doubted(text)]

    def _stray(self, text: str) -> list[Event]:
        self._strays += 1
        if self._strays <= MOST_STRAYS:
            return []
        ended = self._stop(
            Ending.OUR_INTERRUPTION, Reason("peer-out-of-turn", count=self._strays, text=shorten(text)), Fault.OUT_OF_TURN
        )
        return [ended]

    # ── the course of the game ─────────────────────────────────────────────────────────────────────────────────────

    def _play(self, move: Move, following: Stage) -> None:
        self.board = self.board.after(move)
        self.moves = (*self.moves, move)
        self.stage = following
        outcome = self.outcome
        if outcome is not None:
            self._finish(outcome)

    def _finish(self, outcome: Outcome) -> None:
        """End by the rules, and say so where it is ours to say: peers often forget, and need not be told twice."""
        if outcome.scores[self.role.seat] == DRAW:
            self._send("EGALITE")
        elif outcome.scores[self.role.seat] < DRAW:
            self._send("PERDU")
        self.stage = Stage.OVER
        self.ended = Ended(Ending.RULES, outcome.reason)

    def _stop(self, ending: Ending, reason: Reason, fault: Fault | None = None) -> Ended:
        if ending is Ending.OUR_INTERRUPTION:
            self._send(INTERRUPTION)
        self.stage = Stage.OVER
        self.ended = Ended(ending, reason, fault)
        return self.ended

    def _send(self, text: str) -> None:
        # ASCII: a peer that counts octets where the league counts characters must find room for it all
        self._outgoing += text.encode("ascii", "replace") + b"\0"


WORDS = frozenset({"INVALIDE", "PERDU", "EGALITE", INTERRUPTION, "INTERRUPTION"})


def _text(word: bytes | bytearray) -> str:
    return word.decode("utf-8", "replace").strip()
