"""Rochambeau in text: a sign is its name or its number, a standing is points, who is inside, the last signs, the turn.

With three signs and with five they have names, read in English or French; otherwise the numbers of Figure 1 are written, and
read always. `3,2 11 rock,paper 7` stands 3 to 2 before round 7; `0,0,0 101 16,-,16 4` is an elimination where the second is out,
since before or because he said nothing.
"""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import Seat
from arbitre.games.notation import OpenNotation, read_count, split_turn
from arbitre.games.rochambeau.rules import Rochambeau, Sign, Standing, best, scores
from arbitre.reasons import Reason

NAMES = {3: ("rock", "scissors", "paper"), 5: ("rock", "lizard", "spock", "scissors", "paper")}
"""The order of Figure 1."""

FRENCH = {"pierre": "rock", "ciseaux": "scissors", "feuille": "paper", "lézard": "lizard", "lezard": "lizard"}

ROWS = 16
"""A picture has room for so many players."""

FRAME = "┼".join("─" * wide for wide in (8, 12, 7, 8))
"""The widths of its columns."""


class RochambeauNotation(OpenNotation[Standing, Sign]):
    """Texts of Rochambeau."""

    game: Rochambeau

    def read(self, text: str, view: Standing) -> Sign:  # noqa: ARG002 - signs do not change
        """Read a name in either language and any case, or a number."""
        sign = self._sign(text.strip(" "))
        if sign is None:
            names = NAMES.get(self.game.states, ())
            if not names:
                raise InvalidMoveError(text, "no-sign", last=self.game.states - 1)
            raise InvalidMoveError(text, "no-sign-named", names=", ".join(names), last=self.game.states - 1)
        return sign

    def write(self, move: Sign) -> str:
        """Write the English name where there is one, or the number."""
        names = NAMES.get(self.game.states)
        return names[move] if names else str(move)

    def read_state(self, text: str) -> Standing:
        """Read points, who is inside, the last signs or `-`, and perhaps the turn; they must fit each other."""
        (tally, who, hands), turn = split_turn(text, 3)
        points = tuple(
            read_count(text, word, Reason("a score"), most=self.game.rounds)
            for word in self._split(text, tally, Reason("scores"))
        )
        if len(who) != self.game.players or not set(who) <= {"0", "1"}:
            raise PositionError(text, "who is inside is told by %(players)s digits, 0 or 1", players=self.game.players)
        inside = frozenset(Seat(n) for n, mark in enumerate(who) if mark == "1")
        shown = () if hands == "-" else tuple(self._hand(text, word) for word in self._split(text, hands, Reason("signs")))
        moves = {Seat(seat): sign for seat, sign in enumerate(shown) if sign is not None}
        believe = self._believe_race if self.game.goal else self._believe_elimination
        least = 1 + believe(text, Standing(0, points, inside, shown), moves)
        most = self.game.rounds + 1
        if not least <= (turn or least) <= most:
            raise PositionError(
                text,
                "with these points and signs it is turn %(least)s to %(most)s, not %(turn)s",
                least=least,
                most=most,
                turn=turn or least,
            )
        return Standing((turn or least) - 1, points, inside, shown)

    def write_state(self, state: Standing) -> str:
        """Write points, who is inside, the last signs and the turn."""
        points = ",".join(map(str, state.points))
        who = "".join("01"[seat in state.inside] for seat in range(self.game.players))
        shown = ",".join("-" if sign is None else self.write(sign) for sign in state.shown) or "-"
        return f"{points} {who} {shown} {state.played + 1}"

    def picture(self, view: Standing) -> str:
        """Draw a table of the players, the best first where there are too many for a screen."""
        seats = list(range(self.game.players))
        if len(seats) > ROWS:
            seats = sorted(seats, key=lambda seat: (seat not in view.inside, -view.points[seat]))[:ROWS]
        moves = {Seat(seat): sign for seat, sign in enumerate(view.shown) if sign is not None}
        score = dict(zip(moves, scores(tuple(moves.values())), strict=True))
        lines = [f"after {view.played} round{'' if view.played == 1 else 's'}", f"┌{FRAME.replace('┼', '┬')}┐"]
        lines += [f"│ player │   shows    │ score │ {'points' if self.game.goal else 'now is'} │", f"├{FRAME}┤"]
        for seat in map(Seat, seats):
            hand = self.write(moves[seat]) if seat in moves else "–"
            gain = f"{score[seat]:+d}".replace("+0", "0") if seat in score else ""
            last = str(view.points[seat]) if self.game.goal else "in" if seat in view.inside else "out"
            lines.append(f"│ {seat + 1:6} │ {hand:^10} │ {gain:>5} │ {last:>6} │")
        lines.append(f"└{FRAME.replace('┼', '┴')}┘")
        left = self.game.players - len(seats)
        return "\n".join([*lines, f"and {left} more"] if left else lines)

    def _sign(self, word: str) -> Sign | None:
        """Return the sign that `word` names or numbers, if it does."""
        if len(word) > 10:
            return None
        if word.isascii() and word.isdigit():
            return Sign(int(word)) if int(word) < self.game.states else None
        names = NAMES.get(self.game.states, ())
        name = FRENCH.get(word.lower(), word.lower())
        return Sign(names.index(name)) if name in names else None

    def _hand(self, text: str, word: str) -> Sign | None:
        sign = self._sign(word)
        if sign is None and word != "-":
            raise PositionError(text, "%(word)r is no sign of this game", word=word[:20])
        return sign

    def _split(self, text: str, word: str, what: Reason) -> list[str]:
        words = word.split(",", self.game.players)
        if len(words) != self.game.players:
            raise PositionError(text, "%(what)s are %(players)s with commas between them", what=what, players=self.game.players)
        return words

    def _believe_race(self, text: str, state: Standing, moves: dict[Seat, Sign]) -> int:
        """Refuse what no race comes to; return how many rounds there have been at least."""
        goal, points = self.game.goal, state.points
        if len(state.inside) < self.game.players or (state.shown and len(moves) < self.game.players):
            raise PositionError(text, "in a race for points nobody is out, and all show a sign in every round")
        if max(points) > goal or points.count(goal) > 1:
            raise PositionError(text, "the game ends when one player has %(goal)s points", goal=goal)
        if not moves:
            return sum(points)
        ahead = best(moves)
        if len(ahead) == 1 and not points[ahead[0]]:
            raise PositionError(text, "player %(ahead)s was best in the last round and has no point for it", ahead=ahead[0] + 1)
        if goal in points and ahead != (points.index(goal),):
            raise PositionError(text, "player %(goal)s won the game, but not in the last round", goal=points.index(goal) + 1)
        return sum(points) + (len(ahead) > 1)

    def _believe_elimination(self, text: str, state: Standing, moves: dict[Seat, Sign]) -> int:
        """Refuse what no elimination comes to; return how many rounds there have been at least."""
        if any(state.points):
            raise PositionError(text, "in an elimination nobody has points")
        if state.shown and state.inside != frozenset(best(moves)):
            raise PositionError(text, "those inside are not the best of the last round")
        return int(bool(state.shown) or len(state.inside) < self.game.players)
