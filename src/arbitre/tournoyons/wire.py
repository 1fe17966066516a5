"""The Tournoyons protocol without its sockets (spec: tournoyons, sections 2, 3 and 8; the manual's page "Engines by URL").

The referee calls the engine's address with everything that is to be known in the query; the engine calls back with a move. Each
side is an object that turns values into queries and queries into values:

==================  =================================================================================================
`Correspondence`    the referee's side of one seat of one match: `ask` writes a question, `hear` judges what calls back
`read_question`     the engine's side: the question in a query, with the game, the seat and what it sees
`answer_query`      the engine's answer as a query
==================  =================================================================================================

Every MoveId is answered once. Whatever else arrives is answered in words and with a status that says what is wrong, and changes
nothing. Secrets (tokens, MoveIds, the game's name on the wire) come from one secret of the match, so that a referee who comes
back after a crash asks with the same ones.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, quote

from arbitre.crypto.chain import derive
from arbitre.errors import ArbitreError, PositionError, ProtocolError, shorten
from arbitre.games.game import FIRST, SECOND, AnyGame, Awaits, Chance, Seat
from arbitre.games.notation import notation_of
from arbitre.games.wire import INIT, Earlier, EngineWire, Received
from arbitre.games.wires import engine_wire, wired
from arbitre.reasons import Reason, declare
from arbitre.values import value

LEAST_SECONDS, MOST_SECONDS = 4, 54
"""The bounds of `TimeOut`."""

LONGEST_VALUE = 200
"""A longer `Value` is cut: no move is so long, and the referee refuses what is left of it."""

LONGEST_QUERY = 8_192
"""Neither side reads a longer query."""

TEST = "TEST"
"""The `Game` of testers who send no address to call back; who sends one says a fresh `Game`, as a match does."""


@value
class Style:
    """How one engine wants to be spoken to."""

    full: bool = False
    """Whether it gets the board of the start written out, and never `Init`."""
    direct: bool = False
    """Whether it answers in the body of the call, and gets an empty `Referee`."""
    notify: bool = False
    """Whether it is told how the game ended."""
    login: str = ""
    """What its answers must say in `Login`; nothing: any is ignored."""


@value
class Reply:
    """What is answered to somebody who called back: a status of HTTP, and why."""

    status: int
    why: Reason

    @property
    def text(self) -> str:
        """The line that is sent."""
        return str(self.why)


REASONS = declare(
    {
        "accepted": ("accepted", "accepté"),
        "heard-before": ("heard before", "déjà entendu"),
        "long-query": (
            "a query of %(given)s characters: %(most)s are the most",
            "une requête de %(given)s caractères : %(most)s au plus",
        ),
        "unread-query": ("the query cannot be read: %(text)s", "la requête ne peut pas être lue : %(text)s"),
        "answer-incomplete": (
            "%(missing)s missing: an answer is ?Game=…&MoveId=…&Value=…",
            "%(missing)s manque : une réponse est ?Game=…&MoveId=…&Value=…",
        ),
        "other-game": ("no game %(game)r is played here", "aucune partie %(game)r ne se joue ici"),
        "false-login": (
            "Login is not the one that was declared for this engine",
            "Login n’est pas celui qui fut déclaré pour ce moteur",
        ),
        "unknown-move-id": (
            "nobody asked for a move with MoveId %(move)r",
            "personne n’a demandé de coup avec le MoveId %(move)r",
        ),
        "answered-otherwise": (
            "this move was answered before, with another Value",
            "ce coup a déjà reçu une réponse, avec un autre Value",
        ),
        "too-late": ("too late: the time for this move is over", "trop tard : le temps pour ce coup est écoulé"),
        "nobody-asked": ("nobody is asked at this address", "personne n’est interrogé à cette adresse"),
    }
)

ACCEPTED = Reply(200, Reason("accepted"))


def seconds(milliseconds: int | None) -> int:
    """Return the `TimeOut` of a game, whole seconds within the bounds of the protocol; without a clock the most."""
    return MOST_SECONDS if milliseconds is None else max(LEAST_SECONDS, min(MOST_SECONDS, milliseconds // 1000))


def write_query(fields: Mapping[str, str | None]) -> str:
    """Return a query with the parameters that there are, in their order, percent-encoded."""
    return "&".join([f"{key}={_quoted(text)}" for key, text in fields.items() if text is not None])


@lru_cache(1024)
def _quoted(text: str) -> str:
    """Return a text percent-encoded; most are numbers and addresses that were asked for before."""
    return quote(text, safe="")


def read_query(query: str) -> dict[str, str]:
    """Return the parameters of a query; where one is given twice the first counts. `ProtocolError` where it is too long."""
    if len(query) > LONGEST_QUERY:
        raise ProtocolError("long-query", given=len(query), most=LONGEST_QUERY)
    try:
        pairs = read_pairs(query)
    except ValueError as error:
        raise ProtocolError("unread-query", text=str(error)) from None
    return dict(reversed(pairs))


def read_pairs(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query as they came: UTF-8 or, where its octets are none, latin-1. `ValueError` if too many."""
    octets = query if query.isascii() else WIDE.sub(lambda found: quote(found[0], errors="replace"), query)
    pairs = parse_qsl(octets, keep_blank_values=True, max_num_fields=64, encoding="latin-1")
    return [(_meant(name), _meant(text)) for name, text in pairs]


WIDE = re.compile(r"[^\x00-\xff]+")
"""What is no octet: it was read as text before it came here."""


def _meant(octets: str) -> str:
    if octets.isascii():
        return octets
    try:
        return octets.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return octets


def address(engine: str, query: str) -> str:
    """Return the engine's address with a query behind it, or behind the one that it has."""
    return f"{engine}{'&' if '?' in engine else '?'}{query}"


# ── the referee's side ─────────────────────────────────────────────────────────────────────────────────────────────


class Correspondence:
    """The referee's side of one seat of one match."""

    def __init__(
        self,
        game: AnyGame,
        seat: Seat,
        secret: bytes,
        *,
        start: str = "",
        style: Style = Style(),  # noqa: B008 - a value
        limit: int = MOST_SECONDS,
        opponent: str | None = None,
    ) -> None:
        self.tray = engine_wire(game)
        self.seat = seat
        self.style = style
        self.limit = limit
        self.opponent = opponent
        self.game = derive(secret, "tournoyons/game").hex()[:10]
        """What the engine calls the match: no name that anybody else knows."""
        self.photo = bool(start)
        state = notation_of(game).read_state(start) if start else game.start()
        self._secret = secret
        self._first = _first_turn(game, state)
        self._before: Any = game.view(state, seat)
        self._told = self.tray.announced(self._before)
        self._asked: tuple[int, Any] | None = None
        self._said: str | None = None
        self._tries = 0
        self._open = ""
        self._pending: str | None = None
        self._answered: dict[str, str | None] = {}

    def turn(self, turn: int) -> int:
        """Return the `Turn` of one of our turns: odd for the first player, from 1 or 2 where the game began from a photograph."""
        return self.tray.counted(turn, self._first, self.seat)

    def ask(self, view: Any, turn: int, referee: str, left: int | None = None) -> str:
        """Return the query of a new question, which closes the one before; `referee` is empty for a direct answer.

        `TimeOut` is the same throughout a game, unless fewer milliseconds are left on the clock: then it is what is left.
        """
        self.expire()
        self._remember(turn)
        self._tries = self._tries + 1 if self._asked is not None and self._asked[0] == turn else 0
        tray, begun = self.tray, self.photo or turn > self._first
        moved = tray.last(self._before, view, self.seat) if begun else None
        gains = (tray.gains(view) if begun else None) or (None, None)
        heard, self._told = tray.heard(self._told, view)
        # where refusals are announced they count the tries, so that a referee who comes back counts them the same
        attempt = self._told or self._tries
        number = int.from_bytes(derive(self._secret, f"tournoyons/move/{turn}/{attempt}")[:8], "big") >> 1
        self._open, self._pending = str(number), None
        self._answered[self._open] = None
        self._asked = (turn, view)
        return write_query(
            {
                "Set": tray.name,
                "Game": self.game,
                "MoveId": self._open,
                "Turn": str(self.turn(turn)),
                "Tray": INIT if tray.init and not begun and not self.style.full else tray.write(view, self.seat),
                "Move1": moved if self.seat == SECOND else None,
                "Move2": moved if self.seat == FIRST else None,
                "Heard": heard if tray.announces else None,
                "Options": tray.options or None,
                "Gain1": gains[0],
                "Gain2": gains[1],
                "Opponent": self.opponent,
                "TimeOut": str(self.limit if left is None else max(1, min(self.limit, left // 1000))),
                "Referee": referee,
                "Status": "0",
            }
        )

    def hear(self, query: str) -> Reply:
        """Judge what came to the address of this seat; `taken` then has the move, if it was one."""
        try:
            fields = read_query(query)
        except ProtocolError as error:
            return Reply(400, error.reason)
        missing = [name for name in ("Game", "MoveId", "Value") if name not in fields]
        if missing:
            return Reply(400, Reason("answer-incomplete", missing=", ".join(missing)))
        if not _same(fields["Game"], self.game):
            return Reply(404, Reason("other-game", game=shorten(fields["Game"], 20)))
        if self.style.login and not _same(fields.get("Login", ""), self.style.login):
            return Reply(403, Reason("false-login"))
        return self._judge(fields["MoveId"], fields["Value"].strip()[:LONGEST_VALUE])

    def _judge(self, ident: str, said: str) -> Reply:
        known = next((one for one in self._answered if _same(one, ident)), None)
        if known is None:
            return Reply(404, Reason("unknown-move-id", move=shorten(ident, 24)))
        before = self._answered[known]
        if before is not None:
            return Reply(200, Reason("heard-before")) if before == said else Reply(409, Reason("answered-otherwise"))
        if known != self._open:
            return Reply(410, Reason("too-late"))
        self._answered[known] = said
        self._open, self._pending = "", said
        return ACCEPTED

    def take(self, said: str) -> str:
        """Take an answer that came in the body of the call, as if it had been called back; return the move text."""
        self._answered[self._open] = self._pending = said.strip()[:LONGEST_VALUE]
        self._open = ""
        return self.taken() or ""

    def recall(self, view: Any, turn: int, said: str) -> None:
        """Take note of a question that was asked and answered before the referee came back: `said` is the move text."""
        self.ask(view, turn, "")
        self._answered[self._open] = self._said = said
        self.expire()

    def taken(self) -> str | None:
        """Return the move text of the answer to the question that was asked last, if one came."""
        if self._pending is None:
            return None
        self._said = self.tray.read_value(self._pending)
        return self._said

    @property
    def answered(self) -> bool:
        """Whether an answer to the question that was asked last was taken."""
        return self._pending is not None

    def expire(self) -> None:
        """Close the question: whoever answers it from now on is late."""
        self._open = ""

    def end(self, status: int) -> str:
        """Return the query that tells how the game ended."""
        turn = None if self._asked is None else str(self.turn(self._asked[0]))
        return write_query({"Set": self.tray.name, "Game": self.game, "Turn": turn, "Status": str(status)})

    def _remember(self, turn: int) -> None:
        """Keep what this seat knew when it had moved: the other's move is found by comparing."""
        if self._asked is None or self._asked[0] == turn or self._said is None:
            return
        try:
            self._before = self.tray.after(self._asked[1], self.seat, self._said)
        except ArbitreError:
            self._before = None  # the referee heard another move than we did: better none than a wrong one


def status_of(score: Any, seat: Seat) -> int:
    """Return the `Status` that tells a seat its score; None is a game without a result."""
    if score is None:
        return 9
    return 5 if 0 < score < 1 else (1 if score else 3) + seat


def _same(one: str, two: str) -> bool:
    """Compare in a time that does not tell how much agrees."""
    return compare_digest(one.encode("utf-8", "replace"), two.encode("utf-8", "replace"))


def _first_turn(game: AnyGame, state: Any) -> int:
    """Return the number of the first turn that somebody is asked in; cards dealt before it do not change it."""
    phase = game.phase(state)
    if isinstance(phase, Awaits):
        return phase.turn
    return int(getattr(state, "turn", 1)) if isinstance(phase, Chance) else 1


# ── the engine's side ──────────────────────────────────────────────────────────────────────────────────────────────


@value
class Question:
    """What a referee asks an engine."""

    tray: EngineWire
    ident: str
    """The value of `Game`."""
    move: str
    """The value of `MoveId`."""
    seat: Seat
    turn: int
    """The turn as our rules count it."""
    view: Any
    seconds: int
    referee: str
    """Where the answer goes; empty: into the body."""
    opponent: str = ""


def read_status(query: str) -> int:
    """Return the `Status` of a query: anything but 0 asks for no move."""
    text = read_query(query).get("Status", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


def read_question(query: str, earlier: Earlier | None = None) -> Question:
    """Return the question of a query; `earlier` is what this engine remembers of the same game. `ProtocolError`."""
    fields = read_query(query)
    tray = _tray(fields.get("Set", ""), fields.get("Options", ""))
    turn = _whole(fields, "Turn", "1")
    seat = SECOND if turn % 2 == 0 else FIRST
    moves, gains = (fields.get("Move1"), fields.get("Move2")), (fields.get("Gain1"), fields.get("Gain2"))
    wire = Received(seat, turn, fields.get("Tray", INIT), moves, gains, fields.get("Heard", ""))
    if wire.tray == INIT and not tray.init:
        raise ProtocolError("%(name)s has no tray %(init)s", name=tray.name, init=INIT)
    try:
        view = tray.read(wire, earlier)
    except ArbitreError as error:
        raise ProtocolError("Tray: %(why)s", why=error.why if isinstance(error, PositionError) else error) from None
    ours = (turn + 1) // 2 if tray.together else int(getattr(view, "turn", turn))
    limit = _whole(fields, "TimeOut", str(MOST_SECONDS))
    referee = fields.get("Referee", "")
    if referee and not referee.lower().startswith(("http://", "https://")):
        raise ProtocolError("Referee is an address that begins with http, not %(referee)r", referee=shorten(referee, 40))
    return Question(
        tray, fields.get("Game", ""), fields.get("MoveId", ""), seat, ours, view, limit, referee, fields.get("Opponent", "")
    )


def answer_query(question: Question, said: str, login: str = "") -> str:
    """Return the query that answers a question with a `Value`."""
    return write_query({"Game": question.ident, "MoveId": question.move, "Value": said, "Login": login or None})


def write_value(question: Question, move: str) -> str:
    """Return the `Value` of a move text; what is no move goes as it is, for the referee to refuse."""
    try:
        return question.tray.write_value(move)
    except ArbitreError:
        return move


def past(question: Question, said: str) -> Earlier:
    """Return what an engine remembers once it has answered."""
    return Earlier(question.view, said)


def _tray(name: str, options: str) -> EngineWire:
    for one in wired():
        if one.set == name:
            try:
                return engine_wire(one.game(read_query(options)))
            except ArbitreError as error:
                raise ProtocolError("Options: %(error)s", error=error) from None
    raise ProtocolError(
        "Set=%(name)r is no game of this protocol; there are: %(part)s",
        name=shorten(name, 40),
        part=" ".join(one.set for one in wired()),
    )


def _whole(fields: Mapping[str, str], name: str, default: str) -> int:
    text = fields.get(name, default)
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text)):
        raise ProtocolError("%(name)s is a whole number, not %(text)r", name=name, text=shorten(text, 20))
    return int(text)


ENGINE = "engine:"


def opponent_id(player: str, name: str) -> str:
    """Return the permanent identifier of an opponent: the same in every match, and no address to call.

    Who is registered has one already, the neutral name by which records, pages and the API call an engine or a person.
    """
    if player.startswith(ENGINE):
        return f"engine-{player.removeprefix(ENGINE)}"
    if player == "human":
        return name
    return derive(b"arbitre/opponent", player or name).hex()[:12]
