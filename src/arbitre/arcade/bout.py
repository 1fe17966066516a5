"""The arcade's game as a state machine over its lines: pure, the same for both sides and for whoever re-reads a transcript.

A *bout* is a value. `hear` takes one line of one side and returns the next bout with what is to be told about it. Each side runs
it on what it says and hears, the server runs it between them, and `arbitre arcade judge` runs it on the record; so nobody has to
believe anybody (spec: arcade, sections 1 to 4).

==============  ==================================================  ============================================================
`PROLOGUE`      each side, whenever it likes: `[GROUP]`, `PKEY`     when both keys are there: `COMMIT` of round 0
`COMMIT`        the starter: `COMMIT`                               `ANSWER`
`ANSWER`        the other: `MOVE`                                   `SHOW`
`SHOW`          the starter: `MOVE`                                 `OPEN`
`OPEN`          the starter: `OPEN`                                 `RULE`
`RULE`          the other: `OK` or `REFEREE`                        `COMMIT` of the next round, or `OVER`
`OVER`          nothing is heard any more
==============  ==================================================  ============================================================

The joueur, seat 0, starts the even rounds. A line that does not belong where it comes changes nothing and costs a credit. What is
dear to compute, whether a key is sound and whether an opening is true, is put as a `Question`, so that a server can have it
answered beside; whoever asks, the answer is the same.
"""

from enum import Enum, StrEnum
from typing import Final, NamedTuple, TypeVar

from gmpy2 import mpz

from arbitre.arcade.terms import Checks, KeyQuestion, Lock, OpeningQuestion, Oracle, Question, Terms, ponder
from arbitre.arcade.wire import Command, Sign, Verb, beats, read_command
from arbitre.crypto.elgamal import Commitment
from arbitre.crypto.groups import Group, check_key, check_shape, dear, oakley
from arbitre.errors import GroupError, PlayerGarbledError
from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.reasons import Reason, declare

T = TypeVar("T")

PENALTY = 3
CREDITS = 8

ROLES = ("joueur", "adversaire")


class Step(Enum):
    """What the bout waits for."""

    PROLOGUE = "PKEY"
    COMMIT = "COMMIT"
    ANSWER = "MOVE"
    SHOW = "MOVE of the starter"
    OPEN = "OPEN"
    RULE = "OK or REFEREE"
    OVER = "nothing"


STARTER: Final[tuple[tuple[Seat, ...], ...]] = ((FIRST,), (SECOND,))
OTHER: Final[tuple[tuple[Seat, ...], ...]] = ((SECOND,), (FIRST,))
AWAITED: Final = {
    Step.COMMIT: STARTER,
    Step.ANSWER: OTHER,
    Step.SHOW: STARTER,
    Step.OPEN: STARTER,
    Step.RULE: OTHER,
    Step.OVER: ((), ()),
}
"""Who must speak in each step of a round, in even and in odd ones."""


class Ending(StrEnum):
    """Every way a bout can stop."""

    GOAL = "goal"
    """A side reached the goal."""
    DISGRACE = "disgrace"
    """Penalties took a side to minus the goal: forfeit."""
    FAULTS = "faults"
    """A side lost its last credit, or its group was none: forfeit."""
    SILENCE = "silence"
    """A side said nothing in time: forfeit."""
    GONE = "gone"
    """A side hung up: forfeit."""
    LENGTH = "length"
    """The last round was played, and the points decide."""


# ── what is told ───────────────────────────────────────────────────────────────────────────────────────────────────


REASONS = declare(
    {
        "hung-up": ("hung up", "a raccroché"),
        "keys-first": ("%(command)s before both keys are declared", "%(command)s avant que les deux clés soient déclarées"),
        "out-of-order": (
            "%(command)s out of order: yours is %(due)s",
            "%(command)s hors de son tour : on attend de vous %(due)s",
        ),
        "out-of-turn": (
            "%(command)s out of turn: the other side owes %(due)s",
            "%(command)s hors de son tour : on attend de l’autre %(due)s",
        ),
        "nothing-in-time": ("no %(due)s in time", "pas de %(due)s à temps"),
        "no-keys-in-time": ("no key in time from either side", "pas de clé à temps, d’aucun côté"),
        "after-prologue": ("%(command)s after the prologue", "%(command)s après le prologue"),
        "no-groups": ("GROUP is disabled at %(level)s", "GROUP est désactivé au niveau %(level)s"),
        "group-twice": ("GROUP a second time", "GROUP une seconde fois"),
        "modulus-too-short": ("a modulus of %(bits)s bits is too short", "un module de %(bits)s bits est trop court"),
        "key-of-the-other": (
            "this key is the other side's: whoever commits under it would only repeat what the other said",
            "cette clé est celle de l’autre : qui s’engage avec elle ne ferait que répéter ce que l’autre a dit",
        ),
        "no-commitment": ("a commitment has 1 < r < p and 0 < c < p", "une mise en gage a 1 < r < p et 0 < c < p"),
        "used-before": (
            "this r was used before: draw a fresh k for each commitment",
            "ce r a déjà servi : tirez un nouveau k pour chaque mise en gage",
        ),
        "does-not-open": ("the commitment does not open to %(sign)s", "la mise en gage ne s’ouvre pas sur %(sign)s"),
        "disgraced": ("the other side is at %(points)s points", "l’autre est à %(points)s points"),
        "goal-points": ("the first to %(points)s points", "le premier à %(points)s points"),
        "rounds-played": ("%(rounds)s rounds are played", "%(rounds)s manches sont jouées"),
        "forfeits": ("the other side forfeits: %(why)s", "l’autre déclare forfait : %(why)s"),
        "idle-lines": ("said %(most)s lines without a command", "a dit %(most)s lignes sans commande"),
        "arcade-closes": ("the arcade closes", "la salle ferme"),
        "arcade-failed": ("the house has failed", "la maison a défailli"),
        "arcade-busy": (
            "too many groups are waiting to be tested; come back later",
            "trop de groupes attendent d’être testés ; revenez plus tard",
        ),
        "arcade-tester-died": (
            "the process that tests groups has died; try again",
            "le processus qui teste les groupes est mort ; réessayez",
        ),
    }
)

HUNG_UP = Reason("hung-up")


class Ruling(StrEnum):
    """What the referee found."""

    NONE = ""
    """He was not called."""
    FOUNDED = "founded"
    UNFOUNDED = "unfounded"


class Taken(NamedTuple):
    """A command was in its place."""

    seat: Seat
    command: Command


class Refused(NamedTuple):
    """A line was not in its place, or no command at all: it changed nothing but the credits."""

    seat: Seat
    why: Reason
    credits: int


class Issue(NamedTuple):
    """A round is over."""

    round: int
    signs: tuple[Sign, Sign]
    """By seat, as they were shown."""
    winner: Seat | None
    ruling: Ruling
    """What the referee found."""
    accuser: Seat | None
    scores: tuple[int, int]


class Finish(NamedTuple):
    """The bout is over."""

    winner: Seat | None
    ending: Ending
    reason: Reason
    scores: tuple[int, int]


News = Taken | Refused | Issue | Finish


# ── the state machine ──────────────────────────────────────────────────────────────────────────────────────────────


class Bout(NamedTuple):
    """How a bout stands."""

    terms: Terms
    step: Step = Step.PROLOGUE
    round: int = 0
    locks: tuple[Lock | None, Lock | None] = (None, None)
    groups: tuple[Group | None, Group | None] = (None, None)
    """What the sides chose with `GROUP`."""
    scores: tuple[int, int] = (0, 0)
    credits: tuple[int, int] = (CREDITS, CREDITS)
    commitment: Commitment | None = None
    answer: Sign | None = None
    shown: Sign | None = None
    k: mpz | None = None
    used: frozenset[mpz] = frozenset()
    """Every r of the rounds before: who uses one again tells the difference of two signs, or repeats what the other said."""
    finish: Finish | None = None

    @property
    def starter(self) -> Seat:
        """Who commits in this round."""
        return FIRST if self.round % 2 == 0 else SECOND

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Who must speak now."""
        if self.step is Step.PROLOGUE:
            return tuple([seat for seat in (FIRST, SECOND) if self.locks[seat] is None])
        return AWAITED[self.step][self.round % 2]

    def lock(self, seat: Seat) -> Lock:
        """Return the lock of a side, after the prologue."""
        lock = self.locks[seat]
        assert lock is not None  # noqa: S101 - rounds begin when both are there
        return lock

    @property
    def opening(self) -> OpeningQuestion:
        """Whether the opening that waits for a word is true."""
        assert self.commitment is not None  # noqa: S101 - asked only where all three are there
        assert self.shown is not None  # noqa: S101
        assert self.k is not None  # noqa: S101
        return OpeningQuestion(self.lock(self.starter), self.terms, self.commitment, self.shown, self.k)


Heard = tuple[Bout, tuple[News, ...]]


def hear(bout: Bout, seat: Seat, line: str, oracle: Oracle = ponder) -> Heard:
    """Take one line of one side; nothing is heard after the end."""
    if bout.finish is not None:
        return bout, ()
    try:
        command = read_command(line)
    except PlayerGarbledError as error:
        return _refuse(bout, seat, error.reason)
    if command is None:
        return bout, ()
    verb = command.verb
    if verb in (Verb.GROUP, Verb.PKEY):
        return _prologue(bout, seat, command, oracle)
    if bout.step is Step.PROLOGUE:
        return _refuse(bout, seat, Reason("keys-first", command=verb.value))
    if seat not in bout.awaited or verb not in EXPECTED[bout.step]:
        code = "out-of-order" if seat in bout.awaited else "out-of-turn"
        return _refuse(bout, seat, Reason(code, command=verb.value, due=bout.step.value))
    return _rounds(bout, seat, command, oracle)


EXPECTED = {
    Step.COMMIT: (Verb.COMMIT,),
    Step.ANSWER: (Verb.MOVE,),
    Step.SHOW: (Verb.MOVE,),
    Step.OPEN: (Verb.OPEN,),
    Step.RULE: (Verb.OK, Verb.REFEREE),
}


def question(bout: Bout, seat: Seat, line: str) -> Question | None:
    """Return the question that `hear` will put about this line, if it is going to put one."""
    verb = line.lstrip(" \t")[:7].upper()
    if bout.step is Step.PROLOGUE and verb.startswith("PKEY") and seat in bout.awaited:
        try:
            command = read_command(line)
            if command is not None and command.verb is Verb.PKEY:
                lock = Lock(bout.groups[seat] or oakley(14), command.numbers[0])
                _check_lock(bout, seat, lock)
                return KeyQuestion(lock, bout.terms.checks)
        except (PlayerGarbledError, GroupError):
            return None
    if bout.step is Step.RULE and verb.startswith("REFEREE") and seat in bout.awaited:
        return bout.opening
    return None


def left(bout: Bout, seat: Seat, why: Reason = HUNG_UP) -> Heard:
    """Take note that a side is gone."""
    return _forfeit(bout, seat, Ending.GONE, why)


def late(bout: Bout, seats: tuple[Seat, ...]) -> Heard:
    """Take note that the time is up for everybody who was awaited; where both were, nobody wins."""
    if len(seats) == 1:
        return _forfeit(bout, seats[0], Ending.SILENCE, Reason("nothing-in-time", due=bout.step.value))
    return _finish(bout, Finish(None, Ending.SILENCE, Reason("no-keys-in-time"), bout.scores))


# ── prologue ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _prologue(bout: Bout, seat: Seat, command: Command, oracle: Oracle) -> Heard:
    if seat not in bout.awaited or bout.step is not Step.PROLOGUE:
        return _refuse(bout, seat, Reason("after-prologue", command=command.verb.value))
    try:
        if command.verb is Verb.GROUP:
            return _group(bout, seat, command)
        lock = Lock(bout.groups[seat] or oakley(14), command.numbers[0])
        _check_lock(bout, seat, lock)
    except GroupError as error:
        return _refuse(bout, seat, error.reason)
    wrong = oracle(KeyQuestion(lock, bout.terms.checks))
    if wrong and dear(lock.group):
        # a stranger's group is looked into once: whoever brings a false one does not get a second try
        return _forfeit(bout, seat, Ending.FAULTS, wrong)
    if wrong:
        return _refuse(bout, seat, wrong)
    locks = _put(bout.locks, seat, lock)
    step = Step.PROLOGUE if None in locks else Step.COMMIT
    return bout._replace(locks=locks, step=step), (Taken(seat, command),)


def _group(bout: Bout, seat: Seat, command: Command) -> Heard:
    if not bout.terms.groups:
        return _refuse(bout, seat, Reason("no-groups", level=bout.terms.level))
    if bout.groups[seat] is not None:
        return _refuse(bout, seat, Reason("group-twice"))
    group = Group(*command.numbers)
    if bout.terms.checks is Checks.FULL:
        check_shape(group)
    elif group.p < 2 or (bout.terms.checks is Checks.COURSE and group.bits < 2048):
        raise GroupError("modulus-too-short", bits=group.bits)
    return bout._replace(groups=_put(bout.groups, seat, group)), (Taken(seat, command),)


def _check_lock(bout: Bout, seat: Seat, lock: Lock) -> None:
    if bout.terms.checks is not Checks.FULL:
        return
    check_key(lock.group, lock.h)
    if bout.locks[other(seat)] == lock:
        raise GroupError("key-of-the-other")


# ── rounds ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rounds(bout: Bout, seat: Seat, command: Command, oracle: Oracle) -> Heard:
    taken = (Taken(seat, command),)
    if bout.step is Step.COMMIT:
        return _commit(bout, seat, command)
    if bout.step is Step.ANSWER:
        return bout._replace(step=Step.SHOW, answer=command.sign), taken
    if bout.step is Step.SHOW:
        return bout._replace(step=Step.OPEN, shown=command.sign), taken
    if bout.step is Step.OPEN:
        return bout._replace(step=Step.RULE, k=command.numbers[0]), taken
    ruling = Ruling.NONE if command.verb is Verb.OK else Ruling.FOUNDED if oracle(bout.opening) else Ruling.UNFOUNDED
    bout, news = _settle(bout, seat, ruling)
    return bout, taken + news


def _commit(bout: Bout, seat: Seat, command: Command) -> Heard:
    commitment = Commitment(*command.numbers)
    if bout.terms.checks is Checks.FULL:
        p = bout.lock(seat).group.p
        if not (1 < commitment.r < p and 0 < commitment.c < p):
            return _refuse(bout, seat, Reason("no-commitment"))
        if commitment.r in bout.used:
            return _refuse(bout, seat, Reason("used-before"))
    used = bout.used | {commitment.r}
    return bout._replace(step=Step.ANSWER, commitment=commitment, used=used), (Taken(seat, command),)


def _settle(bout: Bout, judge: Seat, ruling: Ruling) -> Heard:
    """Score a round by what the referee found, if he was called."""
    starter = bout.starter
    assert bout.shown is not None  # noqa: S101 - the round is complete
    assert bout.answer is not None  # noqa: S101
    signs = (bout.shown, bout.answer) if starter == FIRST else (bout.answer, bout.shown)
    winner, scores = issue(signs, bout.scores, judge, ruling)
    told = Issue(bout.round, signs, winner, ruling, judge if ruling else None, scores)
    bout = bout._replace(scores=scores, commitment=None, answer=None, shown=None, k=None)
    finish = finished(scores, bout.round, bout.terms)
    if finish is not None:
        bout, news = _finish(bout, finish)
        return bout, (told, *news)
    return bout._replace(step=Step.COMMIT, round=bout.round + 1), (told,)


def issue(signs: tuple[Sign, Sign], scores: tuple[int, int], judge: Seat, ruling: Ruling) -> tuple[Seat | None, tuple[int, int]]:
    """Return who takes a round, and the scores after it.

    `judge` is the side that had the last word. A founded accusation costs the cheater three points and gives the accuser the
    round; an unfounded one costs the accuser three and the round stands, for a void round would let a player escape match point.
    """
    winner = FIRST if beats(signs[0], signs[1]) else SECOND if beats(signs[1], signs[0]) else None
    points = list(scores)
    if ruling is Ruling.FOUNDED:
        winner = judge
        points[other(judge)] -= PENALTY
    elif ruling is Ruling.UNFOUNDED:
        points[judge] -= PENALTY
    if winner is not None:
        points[winner] += 1
    return winner, (points[0], points[1])


def finished(scores: tuple[int, int], round: int, terms: Terms) -> Finish | None:  # noqa: A002 - the game's own word
    """Tell whether scores end the bout."""
    for seat in (FIRST, SECOND):
        if scores[seat] <= -terms.goal:
            return Finish(other(seat), Ending.DISGRACE, Reason("disgraced", seat=int(other(seat)), points=scores[seat]), scores)
    for seat in (FIRST, SECOND):
        if scores[seat] >= terms.goal:
            return Finish(seat, Ending.GOAL, Reason("goal-points", seat=int(seat), points=scores[seat]), scores)
    if round + 1 >= terms.rounds:
        ahead = None if scores[0] == scores[1] else FIRST if scores[0] > scores[1] else SECOND
        return Finish(ahead, Ending.LENGTH, Reason("rounds-played", rounds=terms.rounds), scores)
    return None


# ── faults and ends ────────────────────────────────────────────────────────────────────────────────────────────────


def _refuse(bout: Bout, seat: Seat, why: Reason) -> Heard:
    rest = bout.credits[seat] - 1
    bout = bout._replace(credits=_put(bout.credits, seat, rest))
    refused = Refused(seat, why, rest)
    if rest > 0:
        return bout, (refused,)
    bout, news = _forfeit(bout, seat, Ending.FAULTS, why)
    return bout, (refused, *news)


def _forfeit(bout: Bout, seat: Seat, ending: Ending, why: Reason) -> Heard:
    return _finish(bout, Finish(other(seat), ending, Reason("forfeits", seat=int(other(seat)), why=why), bout.scores))


def _finish(bout: Bout, finish: Finish) -> Heard:
    if bout.finish is not None:
        return bout, ()
    return bout._replace(step=Step.OVER, finish=finish), (finish,)


def _put(row: tuple[T, T], seat: Seat, item: T) -> tuple[T, T]:
    return (item, row[1]) if seat == FIRST else (row[0], item)
