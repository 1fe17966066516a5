"""Proofs of how a Reversi game ends with best play, and their check by the plain rules.

A *lower* tree proves that a side reaches at least so many discs more: a move of its own at each of its turns, and a branch for
every move of the other side. An *upper* tree proves the same for the other side. Where few cells are empty the tree ends, for
there whoever checks it counts the rest out. If both hold for the same number, that is the result with best play, whoever says so.
"""

from collections.abc import Callable
from typing import Any

from arbitre.errors import AnalysisError, MoveError
from arbitre.games.analysis import Puzzle
from arbitre.games.game import AnyGame, Outcome, Seat, other
from arbitre.games.notation import AnyNotation
from arbitre.games.reversi.rules import LOW, PASS, Board, Cell
from arbitre.games.riddles import riddle as only

COUNTED = 6
"""With so few empty cells the tree ends."""
LONGEST = 11
"""With more empty cells nothing is certified: the trees would be large."""
LARGEST = 4_000
"""Nodes of a tree: a larger one is neither made nor read."""

Best = Callable[[Board], Cell]


def empties(board: Board) -> int:
    """Return how many cells are empty."""
    return 64 - (board.own & LOW).bit_count() - (board.against & LOW).bit_count()


def balance(board: Board) -> int:
    """Return how many discs the side to move is ahead."""
    return (board.own & LOW).bit_count() - (board.against & LOW).bit_count()


def count(game: AnyGame, board: Board, low: int = -64, high: int = 64) -> int:
    """Return the difference of discs at the end for the side to move, by the rules alone; beyond the bounds only that it is."""
    if isinstance(game.phase(board), Outcome):
        return balance(board)
    best = -65
    for cell in game.legal(board):
        best = max(best, -count(game, game.play(board, {board.mover: cell}), -high, -max(low, best)))
        if best >= high:
            break
    return best


def counted(game: AnyGame, board: Board) -> Cell:
    """Return the best move of a board with few empty cells, by the rules alone."""
    worths: dict[Cell, int] = {cell: -count(game, game.play(board, {board.mover: cell})) for cell in game.legal(board)}
    return max(worths, key=lambda cell: worths[cell])


FEWEST, MOST = 5, 8
"""Empty cells of a puzzle: fewer are no puzzle, and of more the plain rules would count long."""


def riddle(game: AnyGame, notation: AnyNotation, board: Board) -> Puzzle | None:
    """Return the puzzle that a board is: every move counted out by the rules, and one alone keeps the best result."""
    if not FEWEST <= empties(board) <= MOST:
        return None
    results: dict[Cell, int] = {}
    for cell in game.legal(board):
        discs = -count(game, game.play(board, {board.mover: cell}), -1, 1)
        results[cell] = (discs > 0) - (discs < 0)
    return only(notation, board, results)


class Grower:
    """Makes a tree for one side."""

    def __init__(self, game: AnyGame, notation: AnyNotation, best: Best, seat: Seat) -> None:
        self.game, self.notation, self.best, self.seat = game, notation, best, seat
        self.nodes = 0

    def tree(self, board: Board) -> Any:
        """Return the tree below a board; `OverflowError` where it gets too large."""
        self.nodes += 1
        if self.nodes > LARGEST:
            raise OverflowError
        if empties(board) <= COUNTED or isinstance(self.game.phase(board), Outcome):
            return None
        if board.mover != self.seat:
            return [[self.notation.write(cell), self._then(board, cell)] for cell in self.game.legal(board)]
        cell = self.best(board) if board.moves else PASS
        return {"move": self.notation.write(cell), "then": self._then(board, cell)}

    def _then(self, board: Board, cell: Cell) -> Any:
        return self.tree(self.game.play(board, {board.mover: cell}))


def prove(game: AnyGame, notation: AnyNotation, board: Board, discs: int, best: Best) -> dict[str, Any] | None:
    """Return the proof that the side to move ends so many discs ahead; None where its trees are too large."""
    try:
        lower = Grower(game, notation, best, board.mover).tree(board)
        upper = Grower(game, notation, best, other(board.mover)).tree(board)
    except OverflowError:
        return None
    return {"discs": discs, "lower": lower, "upper": upper}


def check_proof(game: AnyGame, notation: AnyNotation, board: Board, proof: Any) -> int:
    """Return by how many discs the side to move ends ahead, proved; `AnalysisError` where it is not."""
    match proof:
        case {"discs": int(discs), "lower": lower, "upper": upper} if len(proof) == 3 and abs(discs) <= 64:
            seat = board.mover
            _Check(game, notation, seat, discs).tree(board, lower)
            _Check(game, notation, other(seat), -discs).tree(board, upper)
            return discs
        case _:
            raise AnalysisError("a certificate is not in form")


class _Check:
    """Goes through the tree of one side, who must end at least so many discs ahead."""

    def __init__(self, game: AnyGame, notation: AnyNotation, seat: Seat, least: int) -> None:
        self.game, self.notation, self.seat, self.least, self.nodes = game, notation, seat, least, 0

    def tree(self, board: Board, tree: Any) -> None:
        """See that every branch is there, and that each leads to enough discs."""
        self.nodes += 1
        if self.nodes > LARGEST:
            raise AnalysisError("a tree of more than %(most)s nodes is not read", most=LARGEST)
        if empties(board) <= COUNTED or isinstance(self.game.phase(board), Outcome):
            self._counted(board)
        elif board.mover != self.seat:
            self._all(board, tree)
        else:
            match tree:
                case {"move": str(text), "then": then} if len(tree) == 2:
                    self.tree(self.game.play(board, {board.mover: self._read(board, text)}), then)
                case _:
                    raise AnalysisError("a certificate is not in form")

    def _counted(self, board: Board) -> None:
        own = board.mover == self.seat
        bound = self.least if own else -self.least
        found = count(self.game, board, bound - 1, bound + 1)
        if (found < self.least) if own else (found > -self.least):
            raise AnalysisError("a branch of the certificate ends with too few discs")

    def _all(self, board: Board, tree: Any) -> None:
        match tree:
            case list() if all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in tree):
                branches = {self._read(board, text): then for text, then in tree}
            case _:
                raise AnalysisError("a certificate is not in form")
        for cell in self.game.legal(board):
            if cell not in branches:
                raise AnalysisError("the certificate has no branch for %(move)s", move=self.notation.write(cell))
            self.tree(self.game.play(board, {board.mover: cell}), branches[cell])

    def _read(self, board: Board, text: str) -> Cell:
        try:
            cell: Cell = self.notation.read(text[:20], board)
            self.game.check(board, cell)
        except MoveError as error:
            raise AnalysisError("the certificate says %(move)r: %(why)s", move=text[:20], why=error) from None
        return cell
