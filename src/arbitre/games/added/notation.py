"""Added games in text (spec: tournoyons, section 6): a move as it was said, a ruling as the referee's query, boards in words.

A ruling is `ReturnCode=3&Gain1=2&Gain2=0&Tray=100020000`. A position is its fields with spaces between, `-` for an empty one:
boards, gains, last moves, in a game of two boards what was prepared, return code, who is to blame, the referee's message, and the
turn. Spaces, `%`, `&` and `+` within a field are written `%20`, `%25`, `%26`, `%2B`.
"""

import re
from textwrap import wrap
from urllib.parse import unquote

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.added.rules import (
    ERROR,
    LONGEST_GAIN,
    MOST_PLIES,
    RUNNING,
    Added,
    Course,
    Ruling,
    Word,
    unfit_message,
    unfit_move,
    unfit_tray,
)
from arbitre.games.notation import Notation, read_count, split_turn
from arbitre.reasons import Reason

LONGEST = 4_000
"""No ruling is longer, so that a record holds it whole."""

RULING = re.compile(r"ReturnCode=([1-5])&Gain1=([^&]*)&Gain2=([^&]*)&Tray=([^&]*)")


class AddedNotation(Notation[Course, Word, Course]):
    """Texts of added games."""

    game: Added

    def read(self, text: str, view: Course) -> Word:
        """Read a move, or the referee's ruling where he is to answer."""
        word = text.strip(" ")
        if not view.judging:
            if why := unfit_move(word):
                raise InvalidMoveError(text, why)
            return word
        found = RULING.fullmatch(word) if len(word) <= LONGEST and word.isprintable() else None
        if found is None:
            raise InvalidMoveError(text, "no-ruling", most=LONGEST)
        code, one, two, tray = found.groups()
        ruling = Ruling(int(code), unquote(tray), (unquote(one), unquote(two)))
        if not all(part.isprintable() for part in (ruling.tray, *ruling.gains)) or len(write_ruling(ruling)) > LONGEST:
            raise InvalidMoveError(text, "ruling-not-plain", most=LONGEST)
        return ruling

    def write(self, move: Word) -> str:
        """Write the move as it was said, or the ruling."""
        return write_ruling(move) if isinstance(move, Ruling) else move

    def read_state(self, text: str) -> Course:
        """Read a position; both boards must be there."""
        state = self.read_view(text)
        if not all(state.trays):
            raise PositionError(text, "a board is hidden")
        return state

    def write_state(self, state: Course) -> str:
        """Write the boards and all that belongs to them."""
        ready = state.ready if self.game.boards == 2 else ()
        words = (*state.trays, *state.gains, *state.moves, *ready)
        end = (str(state.code), str(state.blamed + 1), _word(state.message), str(state.turn))
        return " ".join((*map(_word, words), *end))

    def read_view(self, text: str) -> Course:
        """Read a position in which boards may be hidden."""
        boards = self.game.boards
        words, turn = split_turn(text if len(text) <= 3 * LONGEST else text[:100], boards + (9 if boards == 2 else 7))
        if turn is None:
            raise PositionError(text, "the number of the turn is missing")
        parts = ["" if word == "-" else unquote(word) for word in words]
        trays = tuple(parts[:boards])
        gains, moves = (parts[boards], parts[boards + 1]), (parts[boards + 2], parts[boards + 3])
        ready = (parts[boards + 4], parts[boards + 5]) if boards == 2 else ("", "")
        code = read_count(text, words[-3], Reason("a return code"), 1, ERROR)
        blamed = read_count(text, words[-2], Reason("a player"), 0, 2) - 1
        state = Course((turn + 1) // 2, trays, gains, moves, ready, turn % 2 == 0, code, parts[-1], blamed)
        if why := self._unsound(state):
            raise PositionError(text, why)
        return state

    def _unsound(self, state: Course) -> Reason | None:
        """Say why a position cannot be, or None."""
        hidden = "" if self.game.hides else None
        trays = (unfit_tray(tray, 1) for tray in state.trays if tray != hidden)
        moves = (unfit_move(move) for move in (*state.moves, *state.ready) if move)
        if why := next((why for why in (*trays, *moves) if why), None):
            return why
        if any(len(gain) > LONGEST_GAIN or not gain.isprintable() for gain in state.gains):
            return Reason("long-gain", most=LONGEST_GAIN)
        if (state.code == ERROR) != bool(state.message) or (state.code == ERROR) != (state.blamed >= 0):
            return Reason("a message and somebody to blame belong to return code 5, and to no other")
        if state.message and (why := unfit_message(state.message)):
            return why
        if state.judging and (state.code != RUNNING or not (self.game.prepares(state) or any(state.moves))):
            return Reason("there is nothing that the referee could judge")
        return None if state.ply <= MOST_PLIES + 1 else Reason("there are at most %(plies)s plies", plies=MOST_PLIES)

    def write_view(self, view: Course) -> str:
        """Write what an eye sees, `-` for a hidden board."""
        return self.write_state(view)

    def picture(self, view: Course) -> str:
        """Write the boards in lines; only the game's own interface can draw them."""
        lines: list[str] = []
        for number, tray in enumerate(view.trays, start=1):
            title = f"board {number}: " if len(view.trays) > 1 else ""
            shown = wrap(title + (tray or "hidden"), 70, break_long_words=True) or [""]
            lines += shown[:6] + (["…"] if len(shown) > 6 else [])
        pairs = (("gain", view.gains), ("move", view.moves))
        lines += [f"{what} {seat}: {said}"[:79] for what, pair in pairs for seat, said in enumerate(pair, start=1) if said]
        if view.message:
            lines.append(view.message[:79])
        return "\n".join(line.rstrip() for line in lines)


def write_ruling(ruling: Ruling) -> str:
    """Return a ruling as a record holds it."""
    one, two = map(_quoted, ruling.gains)
    return f"ReturnCode={ruling.code}&Gain1={one}&Gain2={two}&Tray={_quoted(ruling.tray)}"


def _quoted(text: str) -> str:
    for mark, code in (("%", "%25"), ("&", "%26"), ("+", "%2B")):
        text = text.replace(mark, code)
    return "".join("".join(f"%{octet:02X}" for octet in one.encode()) if one.isspace() else one for one in text)


def _word(text: str) -> str:
    return "-" if not text else "%2D" if text == "-" else _quoted(text)
