"""Our side of the conversation with the external referee of an added game, without its sockets (spec: tournoyons, section 6).

We ask `Gain1 Gain2 Game Method Move1 Move2 MoveId ReturnURL Tray`, he answers `Gain1 Gain2 Game Method Move1 Move2 MoveId
ReturnCode Tray`; what he is to send back as he got it must come back so. Each question has a `ReturnURL` of its own, with a
secret in its path that is good for one answer. Whoever knows it is the referee, or somebody whom he told: so whatever arrives
there and is no sound answer is a fault of his, with a name, and ends the match for nobody's loss. The same answer twice is one
answer; a second one that differs is a contradiction.

Secrets come from one secret of the match: a house that comes back after a crash asks the same question again.
"""

from hmac import compare_digest

from arbitre.crypto.chain import derive
from arbitre.errors import IllegalMoveError, ProtocolError, shorten
from arbitre.games.added.notation import LONGEST, write_ruling
from arbitre.games.added.rules import SEPARATOR, Added, Course, Ruling, mover
from arbitre.games.game import SECOND
from arbitre.reasons import Reason, declare
from arbitre.tournoyons.wire import ACCEPTED, LONGEST_QUERY, Reply, read_pairs, write_query
from arbitre.values import value

REASONS = declare(
    {
        "referee-not-asked": ("the referee is not asked now", "l’arbitre n’est pas interrogé en ce moment"),
        "ruling-too-late": ("too late: the time for this answer is over", "trop tard : le temps pour cette réponse est écoulé"),
        "contradicts-itself": (
            "contradicts itself: %(name)s is %(before)r and %(now)r",
            "se contredit : %(name)s est %(before)r et %(now)r",
        ),
        "ruling-incomplete": ("answers without %(missing)s", "répond sans %(missing)s"),
        "sends-back-another": (
            "sends back another %(name)s than it got: %(given)r",
            "renvoie un autre %(name)s que celui qu’il a reçu : %(given)r",
        ),
        "false-return-code": ("ReturnCode is 1, 2, 3, 4 or 5, not %(given)r", "ReturnCode est 1, 2, 3, 4 ou 5, et non %(given)r"),
        "rules-what-cannot-be": (
            "answers what cannot be: %(why)s: %(given)r",
            "répond ce qui ne peut pas être : %(why)s : %(given)r",
        ),
        "long-ruling": ("answers more than %(most)s characters", "répond plus de %(most)s caractères"),
    }
)

PREPARE = "Prepare"
"""The only `Method` that a referee hears of: a board is being prepared."""

NAMES = ("Gain1", "Gain2", "Game", "Method", "Move1", "Move2", "MoveId", "ReturnCode", "Tray")
"""What a referee answers with; anything else is not read."""

UNCHANGED = ("Game", "MoveId", "Method", "Move1", "Move2")
"""What he sends back as he got it."""

NEEDED = ("Game", "MoveId", "ReturnCode", "Tray")


@value
class Question:
    """What the referee was asked: the parameters, and how the game stands."""

    view: Course
    fields: dict[str, str]

    def query(self, returns: str) -> str:
        """Return the question as a query; `returns` is where the answer goes."""
        shown = self.fields | {"ReturnURL": returns}
        return write_query({name: shown[name] for name in sorted(shown)})


class Consultation:
    """The questions to one referee about one match."""

    def __init__(self, game: Added, secret: bytes, match: str = "") -> None:
        self.game = game
        self.match = match
        """Stands before its handles, so that the match is found by them."""
        self.ident = derive(secret, "external/game").hex()[:10]
        """What the referee calls the match: no name that anybody else knows."""
        self.fault: Reason | None = None
        """What the referee has done wrong, once he has."""
        self._secret = secret
        self._question: Question | None = None
        self._heard: dict[str, str] | None = None
        self._open = False
        self.ruling: Ruling | None = None

    def address(self, turn: int) -> tuple[str, str]:
        """Return the handle and the secret of the address at which the answer to the question of a turn is due."""
        return (
            self.match + derive(self._secret, f"external/handle/{turn}").hex()[:16],
            derive(self._secret, f"external/token/{turn}").hex()[:32],
        )

    def question(self, view: Course, turn: int) -> Question:
        """Return the question about how the game stands: the same for the same turn, however often it is made."""
        number = int.from_bytes(derive(self._secret, f"external/move/{turn}")[:8], "big") >> 1
        preparing = self.game.prepares(view)
        seat = mover(view)
        alone = (view.ready[0], "") if seat != SECOND else ("", view.ready[1])
        moves = alone if preparing else view.moves
        fields = {
            "Gain1": view.gains[0],
            "Gain2": view.gains[1],
            "Game": self.ident,
            "Method": PREPARE if preparing else "",
            "Move1": moves[0],
            "Move2": moves[1],
            "MoveId": str(number),
            "Tray": view.trays[seat] if preparing else SEPARATOR.join(view.trays),
        }
        return Question(view, {name: text for name, text in fields.items() if text})

    def ask(self, view: Course, turn: int) -> Question:
        """Ask: from now on one answer is heard."""
        self._question, self._heard, self.ruling, self._open = self.question(view, turn), None, None, True
        return self._question

    @property
    def settled(self) -> bool:
        """Whether the last question was answered, or the referee has done something wrong."""
        return self.ruling is not None or self.fault is not None

    def expire(self) -> None:
        """Close the question: an answer that comes now is late."""
        self._open = False

    def hear(self, query: str) -> Reply:
        """Judge an answer; `ruling` or `fault` tell what it came to."""
        question = self._question
        if question is None:
            return Reply(404, Reason("referee-not-asked"))
        try:
            fields = _fields(query)
            if self._heard is not None:
                return self._again(fields)
            if not self._open:
                return Reply(410, Reason("ruling-too-late"))
            ruling = self._ruling(question, fields)
        except ProtocolError as error:
            return Reply(400, self._blame(error.reason))
        self._heard, self.ruling, self._open = fields, ruling, False
        return ACCEPTED

    def _again(self, fields: dict[str, str]) -> Reply:
        if fields == self._heard:
            return Reply(200, Reason("heard-before"))
        differs = next(name for name in NAMES if fields.get(name) != (self._heard or {}).get(name))
        before, now = (shorten((one or {}).get(differs, ""), 40) for one in (self._heard, fields))
        return Reply(409, self._blame(Reason("contradicts-itself", name=differs, before=before, now=now)))

    def _blame(self, why: Reason) -> Reason:
        self.fault = self.fault or why
        self._open = False
        return self.fault

    def _ruling(self, question: Question, fields: dict[str, str]) -> Ruling:
        """Return what the referee rules; `ProtocolError` names what is wrong with it."""
        missing = [name for name in NEEDED if name not in fields]
        if missing:
            raise ProtocolError("ruling-incomplete", missing=", ".join(missing))
        for name in UNCHANGED:
            sent, back = question.fields.get(name, ""), fields.get(name)
            if back is not None and not compare_digest(back.encode("utf-8", "replace"), sent.encode("utf-8", "replace")):
                raise ProtocolError("sends-back-another", name=name, given=shorten(back, 40))
        code = fields["ReturnCode"]
        if code not in ("1", "2", "3", "4", "5"):
            raise ProtocolError("false-return-code", given=shorten(code, 20))
        gains = (fields.get("Gain1", question.view.gains[0]), fields.get("Gain2", question.view.gains[1]))
        ruling = Ruling(int(code), fields["Tray"].strip(), gains)
        try:
            self.game.check(question.view, ruling)
        except IllegalMoveError as error:
            raise ProtocolError("rules-what-cannot-be", why=error.why, given=shorten(str(error.move), 40)) from None
        if len(write_ruling(ruling)) > LONGEST:
            raise ProtocolError("long-ruling", most=LONGEST)
        return ruling


def _fields(query: str) -> dict[str, str]:
    """Return the parameters of an answer that we know; `ProtocolError` for one that is too long or says two things at once."""
    if len(query) > LONGEST_QUERY:
        raise ProtocolError("long-query", given=len(query), most=LONGEST_QUERY)
    try:
        pairs = read_pairs(query)
    except ValueError as error:
        raise ProtocolError("unread-query", text=shorten(str(error))) from None
    found: dict[str, str] = {}
    for name, text in pairs:
        if name in NAMES and found.setdefault(name, text) != text:
            raise ProtocolError("contradicts-itself", name=name, before=shorten(found[name], 40), now=shorten(text, 40))
    return found
