"""Added games: rules that only their external referee knows (spec: tournoyons, section 6).

We cannot judge a move of such a game, so he sits at the table: a third, neutral seat that speaks after every move. His answer is
itself a move, a `Ruling`, and what we do know holds for it: which codes there are, what a tray may not contain, how many boards
there are, who is to blame for an error. So a record of an added game replays like any other, up to his word for it.

Turns are counted in plies: in ply p the players move in turn 2p - 1 and the referee answers in turn 2p. In a game of two boards
both players prepare in ply 1; the referee judges the first board in ply 1 and the second in ply 2, each by itself, so that an
error has one author; play goes on with ply 3. Where both move at once, one ply holds both moves.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import TypeAlias

from arbitre.errors import IllegalMoveError, OpenSetError, OptionError, shorten
from arbitre.games.game import (
    ALONE,
    FIRST,
    SECOND,
    Awaits,
    Eye,
    Game,
    Outcome,
    Phase,
    Seat,
    drawn,
    other,
    require,
    require_option,
    won,
)
from arbitre.games.labels import KEY, MARK
from arbitre.reasons import Reason, declare
from arbitre.values import option, value

REFEREE = Seat(2)
"""Where the external referee sits."""

BOTH = frozenset({FIRST, SECOND})

INIT = "Init"
"""The tray of a start that nobody has written out."""

RUNNING, DRAWN, ERROR = 3, 4, 5
"""Return codes, besides 1 and 2: the first or the second player has won."""

SEPARATOR = "***"
"""What stands between two boards."""

FORBIDDEN = "/|"
"""What no tray contains."""

LONGEST_TRAY, LONGEST_GAIN, LONGEST_MOVE, LONGEST_MESSAGE = 2_000, 100, 200, 300
MOST_PLIES = 2_000
"""A referee who never ends a game is not followed further."""

REASONS = declare(
    {
        "not-asked": ("nobody asked the referee", "personne n’a interrogé l’arbitre"),
        "referee-due": ("the referee is to answer, not a player", "c’est à l’arbitre de répondre, pas à un joueur"),
        "no-return-code": ("a return code is 1 to 5", "un code de retour va de 1 à 5"),
        "long-gain": ("a gain is at most %(most)s characters", "un gain a au plus %(most)s caractères"),
        "whose-error": (
            "an error of two moves at once begins with 1: or 2:, for whose it is",
            "une faute de deux coups simultanés commence par 1: ou 2:, selon le fautif",
        ),
        "early-win": ("nobody wins by preparing a board", "personne ne gagne en préparant un tableau"),
        "no-end": ("no end after %(plies)s plies", "pas de fin après %(plies)s demi-coups"),
        "referee-says-draw": ("a draw, says the referee of the game", "match nul, dit l’arbitre du jeu"),
        "referee-says-win": ("a win, says the referee of the game", "victoire, dit l’arbitre du jeu"),
        "referee-refused": (
            "the referee of the game refused the move: %(text)s",
            "l’arbitre du jeu a refusé le coup : %(text)s",
        ),
        "no-plain-move": ("a move is 1 to %(most)s plain characters", "un coup a 1 à %(most)s caractères simples"),
        "no-message": (
            "an error says what is wrong in Tray, in 1 to %(most)s characters",
            "une faute dit ce qui ne va pas dans Tray, en 1 à %(most)s caractères",
        ),
        "tray-length": (
            "a tray has 1 to %(most)s characters, not %(given)s",
            "un plateau a 1 à %(most)s caractères, et non %(given)s",
        ),
        "tray-not-plain": (
            "a board is one line of printable characters, without spaces around it",
            "un tableau est une ligne de caractères imprimables, sans espaces autour",
        ),
        "tray-forbidden": ("%(mark)r must never be in a tray", "%(mark)r ne doit jamais se trouver dans un plateau"),
        "tray-boards": (
            "boards expected: %(boards)s, with %(mark)s between two, not %(given)s",
            "tableaux attendus : %(boards)s, avec %(mark)s entre deux, et non %(given)s",
        ),
        "no-ruling": (
            "a ruling is ReturnCode=…&Gain1=…&Gain2=…&Tray=… in at most %(most)s characters",
            "une décision s’écrit ReturnCode=…&Gain1=…&Gain2=…&Tray=… en au plus %(most)s caractères",
        ),
        "ruling-not-plain": (
            "a ruling is one line of at most %(most)s printable characters",
            "une décision est une ligne d’au plus %(most)s caractères imprimables",
        ),
    }
)


@value
class Ruling:
    """What the external referee answers to a move."""

    code: int
    tray: str
    """The board or boards after the move; where the move was wrong, what is wrong with it."""
    gains: tuple[str, str] = ("", "")


Word: TypeAlias = str | Ruling
"""A player's move, in the game's own syntax, or the referee's answer to it."""


@value
class Course:
    """How an added game stands; in a view, what its eye may not see is empty."""

    ply: int
    trays: tuple[str, ...]
    """One board or two; of two, board N is the side of player N."""
    gains: tuple[str, str] = ("", "")
    moves: tuple[str, str] = ("", "")
    """The last move, or in a simultaneous game the last two."""
    ready: tuple[str, str] = ("", "")
    """What the players have prepared and the referee has not judged yet."""
    judging: bool = False
    """Whether the referee is to answer."""
    code: int = RUNNING
    message: str = ""
    """What the referee found wrong."""
    blamed: int = -1
    """Whose move that was."""

    @property
    def turn(self) -> int:
        """The number of the turn to come."""
        return 2 * self.ply - (0 if self.judging else 1)


@value
class Added(Game[Course, Word, Course]):
    """A game of one board with its own external referee."""

    name = "added"
    neutral = frozenset({REFEREE})

    key: str = option(default="Added", line="what the game is called in Set: 2 to 32 letters and digits")
    simultaneous: bool = option(default=False, line="whether both players move at once")
    board: str = option(default="", line="the tray of the start; empty: Init, which its programs write out themselves")

    def __post_init__(self) -> None:
        """Refuse names and boards that the wire cannot carry."""
        named = KEY.fullmatch(self.key) is not None
        key = shorten(self.key)
        require_option(named, "%(name)s: key is 2 to 32 letters and digits, a letter first, not %(key)r", name=self.name, key=key)
        if self.board and (why := unfit_tray(self.board, self.boards)):
            raise OptionError("%(name)s: board: %(why)s", name=self.name, why=why)

    @property
    def label(self) -> str:
        """All added games have the same name; each goes by its key."""
        return f"{MARK}{self.key}"

    @property
    def called(self) -> str:
        """What the game calls itself."""
        return self.key

    @property
    def boards(self) -> int:
        """How many boards there are."""
        return 1

    @property
    def seats(self) -> int:
        """Two players, and their referee."""
        return 3

    def start(self) -> Course:
        """Return the board of the start, which may be known by its name alone."""
        trays = tuple(self.board.split(SEPARATOR)) if self.board else (INIT,) * self.boards
        return Course(1, trays)

    def phase(self, state: Course) -> Phase:
        """Ask the players and their referee by turns, until he ends it."""
        if state.code != RUNNING:
            return _ended(state)
        if state.judging:
            return Awaits(frozenset({REFEREE}), state.turn)
        if state.ply > MOST_PLIES:
            return drawn("no-end", plies=MOST_PLIES)
        together = self.simultaneous or self.prepares(state)
        return Awaits(BOTH if together else ALONE[mover(state)], state.turn)

    def prepares(self, state: Course) -> bool:  # noqa: ARG002 - two boards are prepared, one is given
        """Tell whether boards are still being prepared."""
        return False

    def view(self, state: Course, eye: Eye) -> Course:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Course) -> Iterator[Word]:
        """List nothing: only the referee knows the moves."""
        if isinstance(self.phase(view), Outcome):
            return iter(())
        raise OpenSetError("only the referee of %(key)s knows its moves", key=self.key)

    def check(self, view: Course, move: Word) -> None:
        """Refuse what no game of this kind could hold; whether a move is good is for the referee."""
        require(not isinstance(self.phase(view), Outcome), move, "game-over")
        if isinstance(move, Ruling):
            require(view.judging, move, "not-asked")
            self._check_ruling(view, move)
        else:
            require(not view.judging, move, "referee-due")
            if why := unfit_move(move):
                raise IllegalMoveError(move, why)

    def _check_ruling(self, view: Course, ruling: Ruling) -> None:
        require(1 <= ruling.code <= ERROR, ruling.code, "no-return-code")
        for gain in ruling.gains:
            require(
                len(gain) <= LONGEST_GAIN and gain.isprintable(),
                gain,
                "long-gain",
                most=LONGEST_GAIN,
            )
        if ruling.code == ERROR:
            if why := unfit_message(ruling.tray):
                raise IllegalMoveError(ruling.tray, why)
            if self.simultaneous and not self.prepares(view):
                named = ruling.tray[:2] in ("1:", "2:")
                require(named, ruling.tray, "whose-error")
            return
        if why := unfit_tray(ruling.tray, 1 if self.prepares(view) else self.boards):
            raise IllegalMoveError(ruling.tray, why)
        require(not self.prepares(view) or ruling.code == RUNNING, ruling.code, "early-win")

    def sample(self, view: Course, random: Random) -> Word:
        """Say some word, or rule something: enough to walk through the game."""
        if not view.judging:
            return "".join(random.choice("abcdefgh12345678-x") for _ in range(random.randint(1, 4)))
        preparing = self.prepares(view)
        code = RUNNING if preparing or random.random() < 0.8 else random.choice((1, 2, DRAWN, ERROR))
        if code == ERROR:
            return Ruling(code, f"{random.randint(1, 2)}: the cell is taken", view.gains)
        boards = ("".join(random.choice("012?* &%") for _ in range(9)) for _ in range(1 if preparing else self.boards))
        return Ruling(code, SEPARATOR.join(f".{board.replace('*', '0')}." for board in boards), (str(view.ply), ""))

    def play(self, state: Course, moves: Mapping[Seat, Word]) -> Course:
        """Let the players move, or the referee answer."""
        if state.judging:
            ruling = moves[REFEREE]
            assert isinstance(ruling, Ruling)  # noqa: S101 - for the type checker: `check` looked
            return self._ruled(state, ruling)
        said = (str(moves.get(FIRST, "")), str(moves.get(SECOND, "")))
        if self.prepares(state):
            return replace(state, ready=said, judging=True)
        return replace(state, moves=said, judging=True)

    def _ruled(self, state: Course, ruling: Ruling) -> Course:
        preparing = self.prepares(state)
        if ruling.code == ERROR:
            blamed = int(ruling.tray[0]) - 1 if self.simultaneous and not preparing else mover(state)
            return replace(state, judging=False, code=ERROR, message=ruling.tray, blamed=blamed)
        if preparing:
            trays = tuple(ruling.tray if seat == mover(state) else board for seat, board in enumerate(state.trays))
            last = state.ply == 2
            ready = ("", "") if last else ("", state.ready[1])
            return replace(state, ply=state.ply + 1, trays=trays, gains=ruling.gains, ready=ready, judging=not last)
        trays = tuple(ruling.tray.split(SEPARATOR)) if self.boards == 2 else (ruling.tray,)
        step = 0 if ruling.code != RUNNING else 1
        return replace(state, ply=state.ply + step, trays=trays, gains=ruling.gains, judging=False, code=ruling.code)


@value
class AddedPair(Added):
    """A game of two boards with its own external referee: each player prepares one, and sees no other before the end."""

    name = "addedpair"
    hides = True

    open: bool = option(default=False, line="whether everybody sees both boards all the time")

    @property
    def boards(self) -> int:
        """One for each player."""
        return 2

    def prepares(self, state: Course) -> bool:
        """Tell whether boards are still being prepared."""
        return state.ply <= 2

    def secret(self, state: Course, seat: Seat) -> bool:
        """Keep what was prepared, and what the referee makes of it."""
        return not self.open if seat == REFEREE else self.prepares(state)

    def view(self, state: Course, eye: Eye) -> Course:
        """Show a player its own board; both to the referees, and at the end to everybody."""
        if eye in ("referee", REFEREE) or isinstance(self.phase(state), Outcome):
            return state
        trays = state.trays if self.open else tuple(board if seat == eye else "" for seat, board in enumerate(state.trays))
        one, two = (word if seat == eye else "" for seat, word in enumerate(state.ready))
        return replace(state, trays=trays, ready=(one, two))


def mover(state: Course) -> Seat:
    """Return whose move, or whose preparation, this ply is about."""
    return FIRST if state.ply % 2 else SECOND


def unfit_move(text: str) -> Reason | None:
    """Say why a text is no move of any added game, or None."""
    fits = 0 < len(text) <= LONGEST_MOVE and text.isascii() and text.isprintable() and text == text.strip()
    return None if fits else Reason("no-plain-move", most=LONGEST_MOVE)


def unfit_message(text: str) -> Reason | None:
    """Say why a text is no message of a referee, or None."""
    fits = 0 < len(text) <= LONGEST_MESSAGE and text.isprintable() and bool(text.strip())
    return None if fits else Reason("no-message", most=LONGEST_MESSAGE)


def unfit_tray(text: str, boards: int) -> Reason | None:
    """Say why a text is no tray of so many boards, or None."""
    if not text or len(text) > LONGEST_TRAY:
        return Reason("tray-length", most=LONGEST_TRAY, given=len(text))
    if not text.isprintable() or any(part != part.strip() for part in text.split(SEPARATOR)):
        return Reason("tray-not-plain")
    if found := next((mark for mark in FORBIDDEN if mark in text), None):
        return Reason("tray-forbidden", mark=found)
    if len(parts := text.split(SEPARATOR)) != boards or not all(parts):
        return Reason("tray-boards", boards=boards, mark=SEPARATOR, given=len(parts))
    return None


def _ended(state: Course) -> Outcome:
    if state.code == ERROR:
        seat = SECOND if state.blamed == SECOND else FIRST
        return replace(won(other(seat), "referee-refused", text=state.message), cause="refused")
    if state.code == DRAWN:
        return drawn("referee-says-draw")
    return won(FIRST if state.code == 1 else SECOND, "referee-says-win")
