"""MasterMind judged: how much of what was unknown a guess was expected to tell, beside the guess that tells most.

Who guesses knows the marks of the lines before: the codes that fit them all are equally likely. A guess is worth the bits that
its marks tell on average, and a little more where it may itself be right; its share is that of all there is to know. Luck with
the marks is nobody's merit: it moves the curve, which compares how much each of the two does not know yet.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from math import log2

from arbitre.games.analysis import ENDLESS, HALF, WHOLE, Analyst, Course, Judgement, Ply
from arbitre.games.game import FIRST, Seat, other
from arbitre.games.mastermind.engine import fitting, fresh, read, surprise
from arbitre.games.mastermind.pegs import Pegs, laid, written
from arbitre.games.mastermind.rules import COLOURS, Line, MasterMind, Table
from arbitre.reasons import Reason

MOST = 4_096
"""More codes that fit are not listed: those listed first stand for all."""
FINE = 1_000_000
"""Bits are compared in parts of this, so that the last digits of a logarithm decide nothing."""


class MasterMindAnalyst(Analyst):
    """Compares guesses by what their marks tell."""

    measure = Reason("share of the unknown that a guess tells")
    wins = False
    unit = Reason("bits")
    name = "mastermind, entropy"
    parts = (
        "arbitre.games.mastermind:analysis.py",
        "arbitre.games.mastermind:engine.py",
        "arbitre.games.mastermind:pegs.py",
        "arbitre.games.mastermind:rules.py",
    )
    usual = 400_000

    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Judge guesses; to hide a code is no choice that can be judged."""
        for at in wanted:
            ply = course[at]
            state: Table = ply.before
            yield Judgement(0, 0, HALF, choice=False) if state.codes is None else self._guess(at, ply, state)

    def _guess(self, at: int, ply: Ply, state: Table) -> Judgement:
        game = self._game()
        lines = state.boards[ply.seat]
        codes = self._fitting(at, lines)
        right = frozenset(codes)
        said = laid(ply.move)
        worths = {guess: self._worth(guess, codes, right) for guess in chain([said], self._pool(at, lines, codes))}
        best = max(worths, key=lambda guess: worths[guess])
        if worths[best] == worths[said]:
            best = said
        all_of_it = max(1, self._total(codes))
        text = written(best, game.pegs)
        return Judgement(
            WHOLE * worths[best] // all_of_it,
            WHOLE * worths[said] // all_of_it,
            self._standing(at, ply),
            text,
            (text,),
            solved=len(codes) < MOST,
            lost=1000 * (worths[best] - worths[said]) // FINE,
        )

    def _game(self) -> MasterMind:
        assert isinstance(self.game, MasterMind)  # noqa: S101 - an analyst judges its own game
        return self.game

    def _fitting(self, at: int, lines: Sequence[Line]) -> list[Pegs]:
        return sorted(islice(fitting(self._game(), read(lines), self.effort.random(at), ENDLESS), MOST))

    def _pool(self, at: int, lines: Sequence[Line], codes: Sequence[Pegs]) -> Iterator[Pegs]:
        """List the codes that can be right, and others that may tell more, as many as the effort allows."""
        seen = sorted({COLOURS.index(letter) for line in lines for letter in line.guess})
        most = max(1, self.effort.nodes // max(1, len(codes)))
        others = fresh(self._game(), seen, self.effort.random(at))
        return chain(codes[: max(1, most // 2)], islice(others, most))

    def _worth(self, guess: Pegs, codes: Sequence[Pegs], right: frozenset[Pegs]) -> int:
        return round(FINE * (surprise(guess, codes) + (guess in right) / len(codes))) if codes else 0

    def _total(self, codes: Sequence[Pegs]) -> int:
        """Return what a guess would be worth that tells everything and is right as often as can be."""
        return round(FINE * (log2(len(codes)) + 1 / len(codes))) if codes else 0

    def _standing(self, at: int, ply: Ply) -> int:
        """Return the first player's share: how much the second does not know yet of what both do not know."""
        unknown = {seat: self._unknown(at, ply.after, seat) for seat in (FIRST, other(FIRST))}
        both = sum(unknown.values())
        return WHOLE * unknown[other(FIRST)] // both if both else HALF

    def _unknown(self, at: int, state: Table, seat: Seat) -> int:
        lines = state.boards[seat]
        found = bool(lines) and lines[-1].placed == self._game().pegs
        return 0 if found else round(FINE * (0.5 + log2(max(1, len(self._fitting(at, lines))))))
