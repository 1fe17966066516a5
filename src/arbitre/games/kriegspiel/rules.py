"""Kriegspiel: chess in which each side sees its own pieces only and an umpire says the rest (spec: kriegspiel, section 1).

The truth is a chess board and all that was said. A seat sees its own pieces, its own castling rights and what it heard: a
`Sight` has no field for anything else, and what may be tried follows from a sight alone. So there are two refusals:

==============  ===============================================================  ==========================================
`Illegal move`  impossible wherever the other side's pieces stand                `check` raises, `refuse` announces it
`Not possible`  the hidden pieces forbid it                                      `play` announces it, the same turn again
==============  ===============================================================  ==========================================

Neither changes the board nor costs the turn. Nor does `draw`, the one try that moves nothing: it offers a draw, which both hear,
and said in the next turn by the other side it accepts the offer; whoever moves instead has declined.

The seed ends a game by mate or stalemate only, so two bare kings would wander for ever. The option `dead` ends what neither side
could win even with the other's help, the option `plies` whatever goes on too long.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Literal, NewType, TypeAlias

import chess

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, require, won
from arbitre.games.kriegspiel.umpire import (
    CHECKS,
    DIAGONALS,
    FILES,
    KNIGHT_STEPS,
    LONG,
    NOBODY,
    ON_DIAGONALS,
    ON_FILES,
    ON_RANKS,
    PAWN_BITES,
    RANKS,
    REFUSALS,
    SAYS,
    SHORT,
    Announcement,
    Kind,
    Men,
    checks,
    dead,
    gains,
    men,
    opening,
    possible,
    reach,
    stuck,
)
from arbitre.reasons import Reason, declare
from arbitre.values import option, value

Try = NewType("Try", chess.Move)
"""What a player asks the umpire to move: from, to, and what a pawn becomes. Castling is the king's move of two squares."""

DRAW = Try(chess.Move(chess.A1, chess.A1, drop=chess.KING))
"""The word `draw`, which moves nothing: of all moves that python-chess can hold, the one that no text of a try reads as."""

REASONS = declare(
    {
        "agreed": ("the players agreed on a draw", "les joueurs sont convenus de la nulle"),
        "checkmate": ("checkmate", "échec et mat"),
        "stalemate": ("stalemate", "pat"),
        "no-mate": ("neither side can mate any more", "aucun camp ne peut plus mater"),
        "repetition": ("the position stood three times", "la position s’est présentée trois fois"),
        "fifty-moves": ("fifty moves without a capture or a pawn's move", "cinquante coups sans prise ni coup de pion"),
        "no-agreement": ("in this game no draw is agreed on", "dans cette partie on ne convient pas de la nulle"),
        "offered-already": ("you have offered a draw in this turn", "vous avez déjà proposé la nulle dans ce tour"),
        "becomes-what": (
            "a pawn on the last rank becomes a queen, rook, bishop or knight: say which",
            "un pion sur la dernière rangée devient dame, tour, fou ou cavalier : dites lequel",
        ),
        "no-promotion": (
            "only a pawn that reaches the last rank is promoted",
            "seul un pion qui atteint la dernière rangée est promu",
        ),
        "not-possible": ("the umpire has said that it is not possible", "l’arbitre a dit que ce n’est pas possible"),
        "no-pawn-capture": ("no pawn capture was announced", "aucune prise par un pion n’a été annoncée"),
        "castling-in-check": ("the king does not castle out of check", "le roi ne roque pas pour parer un échec"),
        "double-check": ("only the king answers a double check", "seul le roi répond à un échec double"),
        "check-stays": ("it does not end the check that was announced", "cela ne pare pas l’échec annoncé"),
        "no-drop": ("nothing is dropped on the board", "rien ne se parachute sur l’échiquier"),
        "no-piece-of-yours": ("no piece of yours stands on %(square)s", "aucune de vos pièces ne se trouve en %(square)s"),
        "own-piece": ("a piece of yours stands on %(square)s", "une de vos pièces se trouve en %(square)s"),
        "in-the-way": ("a piece of yours stands in the way", "une de vos pièces est sur le chemin"),
        "castling-lost": ("the right to castle there is lost", "le droit d’y roquer est perdu"),
        "pawn-does-not-move-so": ("a pawn does not move so", "un pion ne se déplace pas ainsi"),
        "knight-does-not-move-so": ("a knight does not move so", "un cavalier ne se déplace pas ainsi"),
        "bishop-does-not-move-so": ("a bishop does not move so", "un fou ne se déplace pas ainsi"),
        "rook-does-not-move-so": ("a rook does not move so", "une tour ne se déplace pas ainsi"),
        "queen-does-not-move-so": ("a queen does not move so", "une dame ne se déplace pas ainsi"),
        "king-does-not-move-so": ("a king does not move so", "un roi ne se déplace pas ainsi"),
        "no-try": (
            "a try is two squares and perhaps what a pawn becomes, like e2e4 or e7e8q",
            "un essai est fait de deux cases et peut-être de ce que devient un pion, comme e2e4 ou e7e8q",
        ),
    }
)


AGREED = drawn("agreed")

Told: TypeAlias = tuple[Announcement, ...]
"""What was said during one turn, in order."""

BECOMES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)

TRIES = [[Try(chess.Move(source, target)) for target in chess.SQUARES] for source in chess.SQUARES]
"""Each try without promotion, made once."""


@value
class Truth:
    """The board, what was said, the tries of this turn that were not possible; `board` is never changed."""

    board: chess.Board
    past: tuple[Told, ...]
    """What was said in the turns before, turn by turn."""
    now: Told
    """What was said in this turn so far; nothing once the board has ended the game."""
    refused: tuple[Try, ...] = ()
    trail: tuple[Try, ...] = ()
    """The moves since the last irreversible one, kept only where repetition ends the game."""
    end: Outcome | None = None
    """How the game ended, which follows from the rest and the options."""

    @property
    def turn(self) -> int:
        """The number of the ply to come, from 1."""
        return self.board.ply() + 1

    @property
    def mover(self) -> Seat:
        """The seat to move: White is the first."""
        return FIRST if self.board.turn else SECOND

    @property
    def heard(self) -> Told:
        """Everything that was said, in order."""
        return tuple(one for told in (*self.past, self.now) for one in told)

    # A chess.Board has no hash, and its comparison looks for en passant captures: the bitboards are the truth.

    def _key(self) -> tuple[object, ...]:
        board = self.board
        return (
            board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, board.occupied_co[chess.WHITE],
            board.turn, board.castling_rights, board.ep_square, board.halfmove_clock, board.fullmove_number,
            self.now, self.refused, self.trail, self.past,
        )  # fmt: skip

    def __eq__(self, another: object) -> bool:
        """Compare what is on the board and what was said."""
        return self._key() == another._key() if isinstance(another, Truth) else NotImplemented

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash(self._key())


@value
class Sight:
    """What one seat knows, or with `seat` None what everybody does: there is no field for the other side's pieces."""

    seat: Seat | None
    men: Men
    castling: int
    """The own rooks that may still castle, as a bitboard."""
    past: tuple[Told, ...]
    now: Told
    refused: tuple[Try, ...]
    """The own tries of this turn that were not possible."""
    turn: int

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return FIRST if self.turn % 2 else SECOND

    @property
    def heard(self) -> Told:
        """Everything this eye heard, in order: an asker who counts finds there what is new since he last asked."""
        return tuple(one for told in (*self.past, self.now) for one in told)


def says(told: Told, kind: Kind) -> bool:
    """Tell whether something of this kind was said in a turn."""
    return any(one.kind is kind for one in told)


View: TypeAlias = Sight | Truth
"""A seat and the spectator have a sight until the end; the referee, and everybody after the end, sees the truth."""


def offered(view: View) -> bool:
    """Tell whether the side to move was offered a draw in the turn before."""
    return bool(view.past) and says(view.past[-1], Kind.OFFERS)


@value
class Kriegspiel(Game[Truth, Try, View]):
    """Chess without seeing the other side's pieces."""

    name = "kriegspiel"
    tries = True
    hides = True
    offers = False

    strict: bool = option(default=False, line="a try that the announcements of this turn rule out is illegal")
    refusals: Literal["both", "mover"] = option(
        default="both", line="who hears that a try is refused", choices={"both": "both players", "mover": "the mover alone"}
    )
    repetition: bool = option(default=False, line="the third occurrence of a position is a draw")
    fifty: bool = option(default=False, line="fifty moves of each side without a capture or a pawn’s move are a draw")
    dead: bool = option(default=True, line="when neither side could mate even with help the game is a draw")
    agreement: bool = option(default=True, line="the players may agree on a draw")
    plies: int = option(default=600, line="a draw after so many moves of both sides together; 0: never", least=0)

    def start(self) -> Truth:
        """Return the chess start, White to move."""
        return self.place(chess.Board())

    def place(self, board: chess.Board, trail: tuple[Try, ...] = (), past: tuple[Told, ...] = ()) -> Truth:
        """Return the truth when a turn begins on `board`, which from now on belongs to it."""
        end = self._ending(board, trail)
        return Truth(board, past, () if end else opening(board), (), trail, end)

    def phase(self, state: Truth) -> Phase:
        """End on mate, stalemate, agreement, or what the options add."""
        return state.end or Awaits(ALONE[state.mover], state.turn)

    def _ending(self, board: chess.Board, trail: tuple[Try, ...]) -> Outcome | None:
        if stuck(board):
            winner = SECOND if board.turn else FIRST
            return won(winner, "checkmate") if checks(board) else drawn("stalemate")
        if self.dead and dead(board):
            return drawn("no-mate")
        if len(trail) >= 8 and occurrences(board, trail) >= 3:
            return drawn("repetition")
        if self.fifty and board.halfmove_clock >= 100:
            return drawn("fifty-moves")
        if self.plies and board.ply() >= self.plies:
            return drawn("plies-played", plies=self.plies)
        return None

    def view(self, state: Truth, eye: Eye) -> View:
        """Show a seat its own pieces and what it heard, a spectator what was said aloud, the referee everything."""
        if state.end is not None or eye == "referee":
            return state
        past, now = state.past, state.now
        if self.refusals == "mover":
            past, now = tuple(self.heard_by(told, eye) for told in past), self.heard_by(now, eye)
        board = state.board
        if eye == "spectator":
            return Sight(None, NOBODY, 0, past, now, (), state.turn)
        white = eye == FIRST
        castling = board.castling_rights & (chess.BB_RANK_1 if white else chess.BB_RANK_8)
        refused = state.refused if board.turn == white else ()
        return Sight(eye, men(board, white), castling, past, now, refused, state.turn)

    def heard_by(self, told: Told, eye: Eye) -> Told:
        """Return what `eye` heard of what was said: a refusal may be for the mover's ears only."""
        if self.refusals == "both":
            return told
        return tuple(one for one in told if one.kind not in REFUSALS or one.side == eye)

    def legal(self, view: View) -> Iterator[Try]:
        """List the tries that are possible for some placement of the other side's pieces.

        `draw` is not listed, as resigning is not: whoever chooses among moves plays on.
        """
        if isinstance(view, Truth) or view.seat != view.mover:
            return
        white = view.seat == FIRST
        for source in chess.scan_forward(view.men.all):
            pawn = view.men.pawns >> source & 1
            for target in chess.scan_forward(reach(view.men, white, view.castling, source)):
                if self.strict and ruled_out(view, source, target):
                    continue
                if pawn and target // 8 in (0, 7):
                    yield from (Try(chess.Move(source, target, piece)) for piece in BECOMES)
                else:
                    yield TRIES[source][target]

    def check(self, view: View, move: Try) -> None:
        """Refuse what cannot be, wherever the other side's pieces stand; `strict` adds what has just been announced."""
        if isinstance(view, Truth):
            raise IllegalMoveError(move, "game-over" if view.end else "only-players")
        if view.seat is None:
            raise IllegalMoveError(move, "only-players")
        require(view.seat == view.mover, move, "not-your-turn")
        if move == DRAW:
            require(self.agreement, move, "no-agreement")
            require(not says(view.now, Kind.OFFERS), move, "offered-already")
            return
        source, target = move.from_square, move.to_square
        white = view.seat == FIRST
        if move.drop is not None or not reach(view.men, white, view.castling, source) >> target & 1:
            raise IllegalMoveError(move, unreachable(view, move))
        if view.men.pawns >> source & 1 and target // 8 in (0, 7):
            require(move.promotion in BECOMES, move, "becomes-what")
        else:
            require(move.promotion is None, move, "no-promotion")
        if self.strict and (why := ruled_out(view, source, target)):
            raise IllegalMoveError(move, why)

    def sample(self, view: View, random: Random) -> Try:
        """Choose at random, mostly among the tries that this turn's announcements leave open."""
        tries = list(self.legal(view))
        if not self.strict and random.randrange(10) and isinstance(view, Sight):
            tries = [one for one in tries if not ruled_out(view, one.from_square, one.to_square)]
        return random.choice(tries)

    def play(self, state: Truth, moves: Mapping[Seat, Try]) -> Truth:
        """Make the try if the true board allows it, or say that it is not possible."""
        mover = state.mover
        move = moves[mover]
        if move == DRAW:
            return self._draw(state)
        board = state.board
        source, target = move.from_square, move.to_square
        if not possible(board, source, target):
            refused = state.refused if move in state.refused else (*state.refused, move)
            return Truth(board, state.past, (*state.now, SAYS[Kind.NOT_POSSIBLE][mover]), refused, state.trail)
        trail: tuple[Try, ...] = ()
        if self.repetition and not board.is_irreversible(move):
            trail = (*state.trail, move)
        after = board.copy(stack=False)
        after.push(move)
        after.clear_stack()
        answer = (SAYS[Kind.DECLINES][mover],) if offered(state) else ()
        said = state.now + answer + gains(board, source, target, move.promotion)
        return self.place(after, trail, (*state.past, said))

    @staticmethod
    def _draw(state: Truth) -> Truth:
        """Accept the draw that was offered, or offer one."""
        kind, end = (Kind.ACCEPTS, AGREED) if offered(state) else (Kind.OFFERS, None)
        return Truth(state.board, state.past, (*state.now, SAYS[kind][state.mover]), state.refused, state.trail, end)

    def secret(self, state: Truth, seat: Seat) -> bool:  # noqa: ARG002 - every try of everybody
        """Hide every try until the end."""
        return True

    def refuse(self, state: Truth, seat: Seat) -> Truth:
        """Announce an illegal move of the seat to move; the board stays as it is."""
        if state.end is not None or seat != state.mover:
            return state
        return Truth(state.board, state.past, (*state.now, SAYS[Kind.ILLEGAL][seat]), state.refused, state.trail)


def ruled_out(view: Sight, source: chess.Square, target: chess.Square) -> str:
    """Return the code why this turn's announcements rule out a try that the own pieces allow, or nothing.

    Only what is certain without remembering other turns: a try already refused, a pawn capture when none was announced, and
    what cannot end the check that was named.
    """
    if any(one.from_square == source and one.to_square == target for one in view.refused):
        return "not-possible"
    bites = view.men.pawns >> source & 1 and (source - target) % 8
    if bites and any(one.kind is Kind.TO_MOVE and not one.count for one in view.now):
        return "no-pawn-capture"
    kinds = [one.kind for one in view.now if one.kind in CHECKS]
    if not kinds:
        return ""
    if view.men.kings >> source & 1:
        return "castling-in-check" if abs(source - target) == 2 else ""
    if len(kinds) > 1:
        return "double-check"
    squares = _answers(view, kinds[0])
    behind = target - 8 if view.seat == FIRST else target + 8
    if squares >> target & 1 or (bites and kinds[0] is Kind.PAWN and squares >> behind & 1):
        return ""
    return "check-stays"


def _answers(view: Sight, kind: Kind) -> int:
    """Return the squares from which such a check can come, or on which it can be blocked, as the own pieces leave them."""
    own = view.men.all
    king = view.men.kings.bit_length() - 1
    if kind is Kind.KNIGHT:
        return KNIGHT_STEPS[king] & ~own
    if kind is Kind.PAWN:
        return PAWN_BITES[view.seat == FIRST][king] & ~own
    if kind is Kind.RANK:
        return RANKS[king][ON_RANKS[king] & own] & ~own
    if kind is Kind.FILE:
        return FILES[king][ON_FILES[king] & own] & ~own
    diagonal = LONG[king] if kind is Kind.LONG_DIAGONAL else SHORT[king]
    return DIAGONALS[king][ON_DIAGONALS[king] & own] & diagonal & ~own


def unreachable(view: Sight, move: chess.Move) -> Reason:
    """Return why a try is out of reach, from the own pieces alone."""
    source, target = move.from_square, move.to_square
    own = view.men
    white = view.seat == FIRST
    if move.drop is not None:
        return Reason("no-drop")
    if not own.all >> source & 1:
        return Reason("no-piece-of-yours", square=chess.square_name(source))
    if own.all >> target & 1:
        return Reason("own-piece", square=chess.square_name(target))
    alone = Men(*(squares & 1 << source for squares in own))
    if reach(alone, white, view.castling, source) >> target & 1:
        return Reason("in-the-way")
    if own.kings >> source & 1 and source == (chess.E1 if white else chess.E8) and abs(source - target) == 2:
        return Reason("castling-lost")
    kind = next(name for name, squares in zip(own._fields[1:], own[1:], strict=True) if squares >> source & 1)
    code: str = f"{kind.removesuffix('s')}-does-not-move-so"
    return Reason(code)


def occurrences(board: chess.Board, trail: tuple[Try, ...]) -> int:
    """Count how often the position stood since the last irreversible move, by taking the moves of `trail` back."""
    stands = board.piece_map()
    stood = dict(stands)
    count = 1
    for back, move in enumerate(reversed(trail), start=1):
        stood[move.from_square] = stood.pop(move.to_square)
        count += back % 2 == 0 and stood == stands
    return count
