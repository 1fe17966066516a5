"""Kriegspiel in text: a try in UCI (`e2e4`, `e7e8q`, castling `e1g1`) or `draw`, positions in FEN, announcements in codes.

=========  ============================================================================================================
truth      FEN (six fields), what was said turn by turn, the refused tries of this turn, the moves since the last
           irreversible one (with the option `repetition`), the turn: `… 0 1 wm0 - - 1`; the FEN alone is a position to start from
sight      own pieces (64 characters from a8 to h1, `0` elsewhere), own side (`-` for a spectator), own castling rights, what
           was heard, own refused tries of this turn, the turn: `0…0 w KQ wm0 - 1`
=========  ============================================================================================================

The referee's sight, and everybody's after the end, is the truth in its text. Reading a position judges it anew: what the umpire
must have said at the beginning of this turn, and that the refused tries are refused, follows from the board.
"""

import re
from itertools import islice, pairwise

import chess

from arbitre.errors import IllegalMoveError, InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.kriegspiel.announcements import read_turns, words, write_turns
from arbitre.games.kriegspiel.rules import AGREED, DRAW, TRIES, Kriegspiel, Sight, Told, Truth, Try, View, says
from arbitre.games.kriegspiel.umpire import CHECKS, GAINS, NOBODY, REFUSALS, Kind, Men, men, possible
from arbitre.games.notation import Notation, read_cells, read_count
from arbitre.games.picture import beside, field
from arbitre.reasons import Reason

FIELD = re.compile(r"\S+")
AGREE = "draw"
UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
CASTLING = re.compile(r"-|(?=.)K?Q?k?q?")
PASSANT = re.compile(r"-|[a-h][36]")
ROOKS = {"K": chess.BB_H1, "Q": chess.BB_A1, "k": chess.BB_H8, "q": chess.BB_A8}
"""The rook that castles by each letter."""

LENIENT = Kriegspiel()
"""What the own pieces allow, announcements left aside."""

LETTERS = " PNBRQK"

FAULTS = {
    chess.Status.NO_WHITE_KING: Reason("White has no king"),
    chess.Status.NO_BLACK_KING: Reason("Black has no king"),
    chess.Status.TOO_MANY_KINGS: Reason("a side has one king"),
    chess.Status.TOO_MANY_WHITE_PAWNS: Reason("White has more than eight pawns"),
    chess.Status.TOO_MANY_BLACK_PAWNS: Reason("Black has more than eight pawns"),
    chess.Status.PAWNS_ON_BACKRANK: Reason("a pawn stands on the first or the last rank"),
    chess.Status.TOO_MANY_WHITE_PIECES: Reason("White has more than sixteen pieces"),
    chess.Status.TOO_MANY_BLACK_PIECES: Reason("Black has more than sixteen pieces"),
    chess.Status.BAD_CASTLING_RIGHTS: Reason("a right to castle needs king and rook on their first squares"),
    chess.Status.INVALID_EP_SQUARE: Reason("no pawn can just have passed the en passant square"),
    chess.Status.OPPOSITE_CHECK: Reason("the side that has just moved is in check"),
    chess.Status.TOO_MANY_CHECKERS: Reason("more than two pieces give check"),
    chess.Status.IMPOSSIBLE_CHECK: Reason("no move can have led to this check"),
}


class KriegspielNotation(Notation[Truth, Try, View]):
    """Texts of Kriegspiel."""

    game: Kriegspiel

    def read(self, text: str, view: View) -> Try:  # noqa: ARG002 - a try says all it means
        """Read a try in UCI, or the word that offers and accepts a draw."""
        word = text.strip(" ").lower()
        if word == AGREE:
            return DRAW
        if len(text) > 40 or not UCI.fullmatch(word):
            raise InvalidMoveError(text, "no-try")
        return _try(word)

    def write(self, move: Try) -> str:
        """Write a try in UCI, or the word."""
        return AGREE if move == DRAW else move.uci()

    def read_state(self, text: str) -> Truth:
        """Read a FEN alone or with all that was said."""
        fields, places = _split(text)
        if len(fields) not in (6, 9, 10):
            raise PositionError(
                text, "expected a FEN of six fields, or a FEN, announcements, refused tries, moves and a turn number"
            )
        board = read_fen(text, fields[:6])
        if len(fields) == 6:
            return self.game.place(board)
        if len(fields) == 10 and read_count(text, fields[9], Reason("the turn number"), 1) != board.ply() + 1:
            raise PositionError(
                text, "by its FEN this is turn %(board)s, not %(fields)s", board=board.ply() + 1, fields=fields[9]
            )
        *past, now = read_turns(text, fields[6], places[6])
        start = self.game.place(board, self._read_trail(text, fields[8], places[8], board), tuple(past))
        _judge_turns(text, (*past, now), start.turn)
        refused = _read_tries(text, fields[7], places[7])
        _judge_present(text, start, now, refused)
        end = AGREED if says(now, Kind.ACCEPTS) else start.end
        return Truth(board, start.past, now, refused, start.trail, end)

    def write_state(self, state: Truth) -> str:
        """Write the whole truth."""
        said = write_turns((*state.past, state.now))
        fen = state.board.fen(en_passant="fen")
        return f"{fen} {said} {_write_tries(state.refused)} {_write_tries(state.trail)} {state.turn}"

    def _read_trail(self, text: str, word: str, at: int, board: chess.Board) -> tuple[Try, ...]:
        trail = _read_tries(text, word, at)
        if trail and not self.game.repetition:
            raise PositionError(text, "the moves of a repetition are kept only with the option repetition")
        then = board.piece_map()
        color = not board.turn
        if len(trail) > board.halfmove_clock:
            raise PositionError(
                text, "%(trail)s moves without a capture or a pawn's move, but the FEN counts fewer", trail=len(trail)
            )
        for move in reversed(trail):
            piece = then.pop(move.to_square, None)
            came = piece is not None and piece.color == color and piece.piece_type != chess.PAWN and not move.promotion
            if piece is None or not came or move.from_square in (*then, move.to_square):
                raise PositionError(text, "%(move)s cannot have led to this position", move=move)
            then[move.from_square] = piece
            color = not color
        return trail

    def read_view(self, text: str) -> View:
        """Read a sight, or the truth where somebody sees it."""
        fields, places = _split(text)
        if fields and "/" in fields[0]:
            return self.read_state(text)
        if len(fields) not in (5, 6):
            raise PositionError(text, "expected pieces, side, castling, announcements, refused tries and a turn number")
        seat = {"w": FIRST, "b": SECOND, "-": None}.get(fields[1], Seat(-1))
        if seat == -1:
            raise PositionError(text, "the side is w, b or - for a spectator, not %(fields)r", fields=fields[1][:20])
        own = read_men(text, fields[0], seat)
        castling = _read_rights(text, fields[2], own, seat)
        *past, now = turns = read_turns(text, fields[3], places[3])
        turn = _turn_of(text, now, fields)
        _judge_turns(text, turns, turn)
        if not now:
            raise PositionError(text, "a turn begins with an announcement")
        refused = _read_tries(text, fields[4], places[4])
        _judge_refusals(text, now, refused)
        view = Sight(seat, own, castling, tuple(past), now, refused, turn)
        _judge_tries(text, view, refused)
        return view

    def write_view(self, view: View) -> str:
        """Write a sight, or the truth."""
        if isinstance(view, Truth):
            return self.write_state(view)
        side = "-" if view.seat is None else "wb"[view.seat]
        castling = "".join(letter for letter, rook in ROOKS.items() if view.castling & rook) or "-"
        said = write_turns((*view.past, view.now))
        return f"{tray(view)} {side} {castling} {said} {_write_tries(view.refused)} {view.turn}"

    def announced(self, before: View | None, view: View, language: str = "en") -> tuple[str, ...]:
        """Return what the umpire has said since."""
        known = 0 if before is None else len(before.heard)
        return tuple(words(one, "fr" if language == "fr" else "en") for one in view.heard[known:])

    def picture(self, view: View) -> str:
        """Draw the board from the own side, White's for others, beside the last announcements."""
        board = drawing(tray(view), SECOND if isinstance(view, Sight) and view.seat == SECOND else FIRST)
        head = f"turn {view.turn}" if isinstance(view, Sight) or view.end is None else str(view.end.reason)
        return beside(board, "\n".join([head, "", *(words(one) for one in view.heard[-9:])]))


def drawing(cells: str, seat: Seat) -> str:
    """Draw 64 squares, from a8 to h1, as they look from one side."""
    shown = cells.replace("0", "·")
    rows = [shown[8 * n : 8 * n + 8] for n in range(8)]
    columns, labels = "abcdefgh", "87654321"
    if seat == SECOND:
        rows, columns, labels = [row[::-1] for row in rows[::-1]], columns[::-1], labels[::-1]
    return field(rows, columns, labels)


def tray(view: View) -> str:
    """Return what an eye sees of the board, 64 characters from a8 to h1: capitals are White's, `0` is nothing seen."""
    if isinstance(view, Truth):
        white, black = men(view.board, True), men(view.board, False)
    else:
        white, black = (view.men, NOBODY) if view.seat == FIRST else (NOBODY, view.men)
    cells = ["0"] * 64
    for own, letters in ((white, LETTERS), (black, LETTERS.lower())):
        for squares, letter in zip(own[1:], letters[1:], strict=True):
            for square in chess.scan_forward(squares):
                cells[square ^ 56] = letter
    return "".join(cells)


def read_men(text: str, word: str, seat: Seat | None) -> Men:
    """Return one side's pieces, `word` of the position `text`, if a side can have these; `PositionError`."""
    letters = LETTERS if seat == FIRST else LETTERS.lower()
    cells = read_cells(text, word, 64, "0" + (letters[1:] if seat is not None else ""))
    by = [sum(1 << (at ^ 56) for at, cell in enumerate(cells) if cell == letter) for letter in letters[1:]]
    own = Men(sum(by), *by)
    if seat is None:
        return own
    faults = (
        (own.kings.bit_count() != 1, Reason("a side has one king")),
        (own.pawns.bit_count() > 8, Reason("a side has at most eight pawns")),
        (own.all.bit_count() > 16, Reason("a side has at most sixteen pieces")),
        (own.pawns & chess.BB_BACKRANKS, Reason("a pawn stands on the first or the last rank")),
    )
    for fault, why in faults:
        if fault:
            raise PositionError(text, why)
    return own


def read_fen(text: str, fields: list[str]) -> chess.Board:
    """Return the board of a FEN, a position that a game can have; `PositionError`."""
    placement, side, castling, passant, halfmoves, moves = fields
    if side not in ("w", "b"):
        raise PositionError(text, "the side to move is w or b, not %(side)r", side=side[:20])
    if not CASTLING.fullmatch(castling):
        raise PositionError(text, "castling rights are - or some of KQkq in this order, not %(castling)r", castling=castling[:20])
    if not PASSANT.fullmatch(passant):
        raise PositionError(
            text, "the en passant square is - or on the third or sixth rank, not %(passant)r", passant=passant[:20]
        )
    read_count(text, halfmoves, Reason("the number of plies since a capture or a pawn's move"))
    read_count(text, moves, Reason("the number of the move"), least=1, most=400_000)
    if len(placement) > 71 or not set(placement) <= set("pnbrqkPNBRQK12345678/"):
        raise PositionError(text, "the board is eight ranks of pieces and numbers, not %(placement)r", placement=placement[:80])
    try:
        board = chess.Board(" ".join(fields))
    except ValueError as error:
        raise PositionError(text, str(error).split(":")[0]) from None
    for fault, why in FAULTS.items():
        if board.status() & fault:
            raise PositionError(text, why)
    return board


def _split(text: str) -> tuple[list[str], list[int]]:
    """Return the fields of a position and where they begin: one more at most than the longest position has."""
    found = list(islice(FIELD.finditer(text), 11))
    return [one.group() for one in found], [one.start() for one in found]


def _try(word: str) -> Try:
    source, target = chess.parse_square(word[:2]), chess.parse_square(word[2:4])
    return TRIES[source][target] if len(word) == 4 else Try(chess.Move(source, target, chess.PIECE_SYMBOLS.index(word[4])))


def _read_tries(text: str, word: str, at: int) -> tuple[Try, ...]:
    if word == "-":
        return ()
    names = word.split(",")
    for name in names:
        if not UCI.fullmatch(name):
            raise PositionError(text, "%(name)r is no try in UCI", at, name=name[:20])
        at += len(name) + 1
    return tuple(map(_try, names))


def _write_tries(tries: tuple[Try, ...]) -> str:
    return ",".join(move.uci() for move in tries) or "-"


def _read_rights(text: str, word: str, own: Men, seat: Seat | None) -> int:
    """Return the rooks that may castle, if king and rooks stand where they must."""
    allowed = {FIRST: "KQ", SECOND: "kq", None: ""}[seat]
    if word != "-" and ("".join(letter for letter in allowed if letter in word) != word):
        rights = Reason("- or some of %(letters)s", letters=allowed) if allowed else Reason("- for a spectator")
        raise PositionError(text, "the own castling rights are %(rights)s, not %(word)r", rights=rights, word=word[:20])
    rooks = sum(ROOKS[letter] for letter in word if letter != "-")
    if rooks & ~own.rooks or (rooks and not own.kings & (chess.BB_E1 if seat == FIRST else chess.BB_E8)):
        raise PositionError(text, FAULTS[chess.Status.BAD_CASTLING_RIGHTS])
    return rooks


def _turn_of(text: str, now: Told, fields: list[str]) -> int:
    """Return the turn number of a sight; without it, the first turn of the side that was told to move."""
    if len(fields) == 6:
        return read_count(text, fields[5], Reason("the turn number"), 1)
    return 2 if any(one.side == SECOND for one in now) else 1


def _judge_turns(text: str, turns: tuple[Told, ...], turn: int) -> None:
    """Refuse announcements that no umpire makes: in each turn checks, who is to move, refusals, and last what a move gained.

    A draw is offered once in a turn, and answered in the next.
    """
    offered: bool | None = None
    if len(turns) > turn:
        raise PositionError(text, "announcements of %(turns)s turns before turn %(turn)s", turns=len(turns), turn=turn)
    for number, told in enumerate(turns, start=turn - len(turns) + 1):
        side = FIRST if number % 2 else SECOND
        ranks = [PLACE[one.kind] for one in told]
        opened = [one.kind for one in told].count(Kind.TO_MOVE) == 1 or (number == turn and not told)
        ordered = all(a < b or a == b == PLACE[Kind.ILLEGAL] for a, b in pairwise(ranks))
        many = sum(one.kind in CHECKS for one in told) > 2
        gained = number == turn and any(one.kind in GAINS for one in told)
        settled = _answered(told, offered, over=number < turn)
        if not opened or not ordered or many or gained or not settled or any(one.side != side for one in told):
            raise PositionError(text, "no umpire says %(part)r in turn %(number)s", part=write_turns([told])[:60], number=number)
        offered = says(told, Kind.OFFERS)


def _answered(told: Told, offered: bool | None, *, over: bool) -> bool:
    """Tell whether what is said of a draw fits the turn before, if that is known: whoever moves answers, by that at least."""
    offers, accepts, declines = (sum(one.kind is kind for one in told) for kind in (Kind.OFFERS, Kind.ACCEPTS, Kind.DECLINES))
    if offered:
        return not offers and accepts <= (not over) and declines == over
    return offers <= 1 and not accepts and (not declines or (over and offered is None))


PLACE = {
    **{kind: place for place, kind in enumerate((*CHECKS, Kind.TO_MOVE))},
    **dict.fromkeys((*REFUSALS, Kind.OFFERS), 7),
    Kind.ACCEPTS: 8,
    Kind.DECLINES: 8,
    Kind.PIECE_GONE: 9,
    Kind.PAWN_GONE: 9,
    Kind.PROMOTES: 10,
}
"""Where in a turn each kind is said."""


def _judge_refusals(text: str, now: Told, refused: tuple[Try, ...]) -> None:
    """Refuse more tries than refusals; a try repeated in vain is refused again, but written once."""
    times = sum(one.kind is Kind.NOT_POSSIBLE for one in now)
    if len(set(refused)) != len(refused) or len(refused) > times:
        raise PositionError(text, "%(refused)s refused tries do not fit %(times)s refusals", refused=len(refused), times=times)


def _judge_present(text: str, start: Truth, now: Told, refused: tuple[Try, ...]) -> None:
    """Refuse what cannot have been said in this turn on this board, and tries that need not have been refused."""
    if now[: len(start.now)] != start.now or (start.end and now):
        raise PositionError(
            text, "this turn begins with %(part)r, not %(part2)r", part=write_turns([start.now]), part2=write_turns([now])[:60]
        )
    times = sum(one.kind is Kind.NOT_POSSIBLE for one in now)
    if times and not refused:
        raise PositionError(text, "%(times)s refusals, but no try that was refused", times=times)
    _judge_refusals(text, now, refused)
    _judge_tries(text, LENIENT.view(start, start.mover), refused)
    for move in refused:
        if possible(start.board, move.from_square, move.to_square):
            raise PositionError(text, "%(move)s would have been made, not refused", move=move)


def _judge_tries(text: str, view: View, refused: tuple[Try, ...]) -> None:
    """Refuse tries that would have been illegal rather than not possible."""
    for move in refused:
        try:
            LENIENT.check(view, move)
        except IllegalMoveError as error:
            raise PositionError(text, "%(move)s is no try that was not possible: %(why)s", move=move, why=error.why) from None
