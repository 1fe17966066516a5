"""Five in a row judged with the kernel: a game adds which rule it plays by and how its positions are read."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from arbitre.errors import AnalysisError
from arbitre.games.analysis import ENDLESS, WHOLE, Certificate, Course, DeepAnalyst, Judgement, Look, OpenAnalyst, Puzzle
from arbitre.games.five.certificates import Prover, Sight, check_plan
from arbitre.games.five.riddles import Fours
from arbitre.games.search import Insight

BUCKETS = 1 << 15
MOST_TRIED = 3
"""For so many positions a proof is looked for."""
PARTS = (
    "arbitre.games:intrinsics.py",
    "arbitre.games.five:analysis.py",
    "arbitre.games.five:certificates.py",
    "arbitre.games.five:kernel.py",
    "arbitre.games.five:tables.py",
    "arbitre.games.five:thought.py",
)
"""What the figures of every game of five in a row follow from."""


class Certified(OpenAnalyst):
    """Proves the first victory by fours that somebody could have had."""

    puzzles = True
    insight: ClassVar[type[Insight[Any, Any]]]

    def puzzle(self, state: Any) -> Puzzle | None:
        """Return the puzzle that a position is: one move alone wins by fours."""
        return Fours(self.game, self.sight).puzzle(self.notation, state) if self.certain else None

    @abstractmethod
    def sight(self, state: Any) -> Sight:
        """Return where either side wins at once."""

    @property
    def certain(self) -> bool:
        """Whether five in a row end a game of these options."""
        return True

    def certify(self, course: Course, judgements: Sequence[Judgement]) -> tuple[Certificate, ...]:
        """Return one proof, of the first position for which one is found."""
        won = [at for at, one in enumerate(judgements) if one.solved and one.best == WHOLE] if self.certain else []
        for at in won[:MOST_TRIED]:
            insight = self.insight(self.game)
            prover = Prover(self.game, self.notation, self.sight, lambda state, by=insight: iter(by.moves(state)))  # type: ignore[misc]
            plan = prover.plan(course[at].before)
            if plan is not None:
                return (Certificate(at, plan),)
        return ()

    def check(self, course: Course, judgements: Sequence[Judgement], certificate: Certificate) -> None:
        """Go through the plan and every reply to it."""
        if judgements[certificate.ply].best != WHOLE:
            raise AnalysisError("the certificate is of a victory, and the analysis says none is there")
        check_plan(self.game, self.notation, course[certificate.ply].before, certificate.proof)


class FiveAnalyst(DeepAnalyst, Certified):
    """Judges rows, and captures where there are any."""

    scale = 60
    usual = 50_000

    @abstractmethod
    def read(self, state: Any) -> tuple[str, Any]:
        """Return the name of the kernel's rule, and a position as the kernel's thought takes it."""

    @abstractmethod
    def cell(self, number: int) -> Any:
        """Return the move that a number stands for."""

    def look(self, state: Any, nodes: int, depth: int | None) -> Look:
        """Search with an empty memory."""
        from arbitre.games.five.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        rule, stones = self.read(state)
        thought = Thought(rule, BUCKETS)
        (number, worth), *_ = thought.weigh(stones, ENDLESS, positions=nodes, depth=depth or 60)
        sure = thought.solved or abs(worth) >= thought.kernel.SURE
        return Look(self.cell(number), thought.kernel.SURE if thought.solved else worth, thought.depth, sure)
