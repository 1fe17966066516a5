"""MasterMind in text: a code is its letters, a table is both codes, both boards and the turn: `ABCD,EFGH 00AABB***11FBAG 5`.

Boards are written as on the Tournoyons wire: the lines of one player run together, each two digits of marks (well placed,
misplaced) and the letters, with `***` between the boards. A code that is not chosen yet is `-`, one that the eye may not
see is `?`.
"""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.mastermind.rules import Boards, Code, Line, MasterMind, Sight, Table, View, marked
from arbitre.games.notation import Notation, either, split_turn
from arbitre.games.picture import beside

BETWEEN = "***"


class MasterMindNotation(Notation[Table, Code, View]):
    """Texts of MasterMind."""

    game: MasterMind

    def read(self, text: str, view: View) -> Code:  # noqa: ARG002 - a code is a code at every turn
        """Read the letters; two digits of marks may stand before them and are not believed."""
        word = text.strip(" ")
        if len(word) == self.game.pegs + 2 and word[:2].isascii() and word[:2].isdigit():
            word = word[2:]
        code = self._code(word)
        if code is None:
            raise InvalidMoveError(text, "no-code", pegs=self.game.pegs, palette=self.game.palette)
        return code

    def write(self, move: Code) -> str:
        """Write the letters."""
        return move

    def read_state(self, text: str) -> Table:
        """Read codes, boards and perhaps the turn; the marks must be those of the codes."""
        view = self.read_view(text)
        if isinstance(view, Sight):
            raise PositionError(text, "a table needs both codes, and '?' hides one")
        return view

    def write_state(self, state: Table) -> str:
        """Write codes, boards and the turn."""
        return _told(state.codes or ("-", "-"), state.boards, state.turn)

    def read_view(self, text: str) -> View:
        """Read a table, or a sight of one, where `?` hides a code."""
        (secrets, tray), turn = split_turn(text, 2)
        words = secrets.split(",", 2)
        if len(words) != 2:
            raise PositionError(text, "the first field is both codes with a comma between them")
        codes = [None if word in ("-", "?") else self._secret(text, word) for word in words]
        boards = self._boards(text, tray)
        _believe(text, codes[0], boards[1])
        _believe(text, codes[1], boards[0])
        turn = _turn(text, words, boards, turn)
        if "?" not in words:
            first, second = codes
            return Table(None if first is None or second is None else (first, second), boards)
        if self.game.end(boards):
            raise PositionError(text, "the game is over, and '?' hides a code that is open now")
        seat = None if words == ["?", "?"] else SECOND if words[0] == "?" else FIRST
        return Sight(turn, seat, None if seat is None else codes[seat], boards)

    def write_view(self, view: View) -> str:
        """Write the table, with `?` for a code that the eye may not see."""
        if isinstance(view, Table):
            return self.write_state(view)
        first, second = ((view.code or "-") if seat == view.seat else "?" for seat in (FIRST, SECOND))
        return _told((first, second), view.boards, view.turn)

    def picture(self, view: View) -> str:
        """Draw both boards, over each the code that is sought there: ● for a well placed peg, ○ for a misplaced one."""
        known: list[str | None] = [None, None]
        if isinstance(view, Table):
            known = [None, None] if view.codes is None else [*view.codes]
        elif view.seat is not None:
            known[view.seat] = view.code
        first, second = (" ".join(code or "?" * self.game.pegs) for code in known)
        one, two = view.boards
        return beside(self._board(f"first seeks {second}", one), self._board(f"second seeks {first}", two))

    def _board(self, title: str, lines: tuple[Line, ...]) -> str:
        """Draw the lines of one player, the free ones too."""
        pegs = self.game.pegs
        bars = ["─" * 4, "─" * (2 * pegs + 1), "─" * (pegs + 2)]
        rows = [title, f"┌{'┬'.join(bars)}┐"]
        for number in range(self.game.lines):
            line = lines[number] if number < len(lines) else Line(Code(" " * pegs), 0, 0)
            marks = "●" * line.placed + "○" * line.misplaced
            rows.append(f"│ {number + 1:2} │ {' '.join(line.guess)} │ {marks:{pegs}} │")
        return "\n".join([*rows, f"└{'┴'.join(bars)}┘"])

    def _code(self, word: str) -> Code | None:
        """Return the code that `word` spells in either case, if it does."""
        if len(word) != self.game.pegs or not word.isascii():
            return None
        letters = word.upper()
        return Code(letters) if set(letters) <= set(self.game.palette) else None

    def _secret(self, text: str, word: str) -> Code:
        code = self._code(word)
        if code is None:
            raise PositionError(
                text, "a code is %(pegs)s letters out of %(palette)s, or - or ?", pegs=self.game.pegs, palette=self.game.palette
            )
        return code

    def _boards(self, text: str, tray: str) -> Boards:
        """Read both boards and see that the players guessed in turn and stopped when a code was broken."""
        words = tray.split(BETWEEN, 2)
        if len(words) != 2:
            raise PositionError(text, "the second field is both boards with %(between)s between them", between=BETWEEN)
        one, two = self._lines(text, words[0]), self._lines(text, words[1])
        if len(one) - len(two) not in (0, 1):
            raise PositionError(text, "the first player has as many lines as the second, or one more")
        for lines in (one, two):
            broken = next((n for n, line in enumerate(lines, start=1) if line.placed == self.game.pegs), None)
            if broken is not None and len(one) > broken:
                raise PositionError(text, "a code is broken in line %(broken)s, and nobody guesses in a later one", broken=broken)
        return one, two

    def _lines(self, text: str, word: str) -> tuple[Line, ...]:
        pegs = self.game.pegs
        count, rest = divmod(len(word), pegs + 2)
        if rest or count > self.game.lines:
            raise PositionError(
                text, "a board is at most %(lines)s lines of %(pegs)s characters", lines=self.game.lines, pegs=pegs + 2
            )
        return tuple(self._line(text, word[at : at + pegs + 2]) for at in range(0, len(word), pegs + 2))

    def _line(self, text: str, word: str) -> Line:
        code = self._code(word[2:])
        if code is None or not (word[:2].isascii() and word[:2].isdigit()):
            raise PositionError(
                text,
                "a line is two digits and %(pegs)s letters out of %(palette)s, not %(word)r",
                pegs=self.game.pegs,
                palette=self.game.palette,
                word=word,
            )
        placed, misplaced, pegs = int(word[0]), int(word[1]), self.game.pegs
        if placed + misplaced > pegs or (placed, misplaced) == (pegs - 1, 1):
            raise PositionError(text, "no code gives the marks of %(word)r", word=word)
        return Line(code, placed, misplaced)


def _told(codes: tuple[str, str], boards: Boards, turn: int) -> str:
    """Write the three fields."""
    tray = BETWEEN.join("".join(f"{line.placed}{line.misplaced}{line.guess}" for line in lines) for lines in boards)
    return f"{codes[0]},{codes[1]} {tray} {turn}"


def _believe(text: str, code: Code | None, lines: tuple[Line, ...]) -> None:
    """Refuse marks that the code they were given for belies."""
    if code is None:
        return
    for line in lines:
        true = marked(code, line.guess)
        if true != line:
            raise PositionError(
                text,
                "%(code)s gives %(guess)s the marks %(placed)s%(misplaced)s",
                code=code,
                guess=line.guess,
                placed=true.placed,
                misplaced=true.misplaced,
            )


def _turn(text: str, words: list[str], boards: Boards, turn: int | None) -> int:
    """Return the turn that codes and boards bear out; only a spectator's empty boards leave a choice."""
    played = len(boards[0]) + len(boards[1])
    told = {word == "-" for word in words if word != "?"}
    if len(told) == 2:
        raise PositionError(text, "both codes are chosen at once, so there are two or none")
    if told == {True} and played:
        raise PositionError(text, "nobody guesses before the codes are chosen")
    later = 3 + played
    turns = (1,) if told == {True} else (later,) if told or played else (1, later)
    if turn is not None and turn not in turns:
        raise PositionError(
            text, "with these codes and boards it is turn %(turns)s, not %(turn)s", turns=either(turns), turn=turn
        )
    return turns[0] if turn is None else turn
