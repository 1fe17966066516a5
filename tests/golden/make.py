"""Writes the golden records: `make golden`, once for each game or termination that is new.

A record that is there is never written again: what verified once must verify for ever.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement, code_hash
from arbitre.games.catalogue import listings
from arbitre.reasons import Reason
from arbitre.records.event import Kind
from arbitre.records.record import Word
from arbitre.referee.agreement import read_agreement
from arbitre.referee.clock import read_clock
from arbitre.referee.terms import Terms
from arbitre.referee.verdict import Termination
from tests.referee.tables import Hearing, make_match

FOLDER = Path(__file__).parent
PLAYERS = {0: Key(b"\x31" * 32), 1: Key(b"\x32" * 32)}
NONCES = {0: b"\x41" * 32, 1: b"\x42" * 32}
SHORT: Mapping[str, Mapping[str, object]] = {
    "rochambeau": {"goal": 2},
    "poker": {},
    "added": {"key": "Nim"},
    "addedpair": {"key": "Sea"},
}
"""Options that make a game short, or possible."""
MOST = 60
"""Answers after which a long game is abandoned, so that the file stays small."""


def begun(name: str, terms: Terms | None = None, *, keyed: bool = True) -> Hearing:
    """Return a match that has begun: both players have a key and a nonce."""
    keys = PLAYERS if keyed else {}
    hearing = Hearing(make_match(name, SHORT.get(name), terms=terms, keys=keys, nonces=NONCES if keyed else {}))
    for seat, key in keys.items():
        hearing.agree(seat, NONCES[seat], key)
    return hearing


def played(name: str) -> Hearing:
    """Return a game of random moves."""
    hearing, random = begun(name, Terms(refusals=None)), Random(name)
    for _ in range(MOST):
        if hearing.affairs.questions:
            seat = min(hearing.affairs.questions)
            view = hearing.affairs.questions[seat].view
            hearing.say(seat, hearing.match.notation.write(hearing.match.game.sample(view, random)))
    if hearing.affairs.verdict is None:
        hearing.hear(Kind.ABANDONED, text=Reason("quoted", text="long enough"))
    return hearing


def by_rules() -> Hearing:
    """Return a won game."""
    return _said(begun("tictactoe"), "14253")


def agreed() -> Hearing:
    """Return a game that both players call a draw."""
    hearing = _said(begun("tictactoe"), "15")
    hearing.hear(Kind.NOTED, 0, "rien à espérer")
    hearing.hear(Kind.OFFERED, 0)
    hearing.hear(Kind.SETTLED, 1)
    return hearing


def agreed_score(text: str, *scores: str) -> Callable[[], Hearing]:
    """Return what plays a game that ends because both sides say how it stands, move by move."""

    def hearing() -> Hearing:
        found = begun("tictactoe", Terms(agree=read_agreement(text)))
        for number, score in enumerate(scores):
            found.hear(Kind.NOTED, number % 2, f"score={score}")
            found.say(number % 2, "15243"[number])
        return found

    return hearing


def declined() -> Hearing:
    """Return a match whose opening a player declines."""
    hearing = Hearing(make_match(keys=PLAYERS))
    hearing.hear(Kind.DECLINED, 1, "opening")
    return hearing


def not_played() -> Hearing:
    """Return a match to which a person did not come."""
    hearing = Hearing(make_match(keys=PLAYERS))
    hearing.agree(0, key=PLAYERS[0])
    hearing.hear(Kind.DECLINED, text=Reason("seat-not-come", seat=2, seconds="60"))
    return hearing


def resumed_and_late() -> Hearing:
    """Return a match that was interrupted, and lost on time."""
    hearing = begun("tictactoe", Terms(read_clock("5s/move")))
    hearing.say(0, "5", at=1_200)
    hearing.hear(Kind.RESUMED, at=1_200)
    hearing.hear(Kind.TICKED, at=6_201)
    return hearing


def refused() -> Hearing:
    """Return a match in which the game's own referee refuses a move."""
    hearing = begun("added", keyed=False)
    hearing.say(0, "a1")
    hearing.say(2, "ReturnCode=5&Gain1=&Gain2=&Tray=no%20such%20move")
    return hearing


def referee_failed() -> Hearing:
    """Return a match whose external referee failed."""
    hearing = begun("added", keyed=False)
    hearing.say(0, "a1")
    hearing.hear(Kind.LEFT, 2, Reason("quoted", text="503"))
    return hearing


def _said(hearing: Hearing, cells: str) -> Hearing:
    for number, cell in enumerate(cells):
        hearing.say(number % 2, cell)
    return hearing


def illegal() -> Hearing:
    """Return a match that a player lost by its second illegal move."""
    hearing = _said(begun("tictactoe", Terms(refusals=1)), "1")
    hearing.say(1, "1")
    hearing.say(1, "x")
    return hearing


def _heard(kind: Kind, seat: int, why: Reason | str = "", terms: Terms | None = None) -> Callable[[], Hearing]:
    def hearing() -> Hearing:
        begins = _said(begun("tictactoe", terms), "1")
        begins.hear(kind, seat, why)
        return begins

    return hearing


ENDS: Mapping[str, Callable[[], Hearing]] = {
    Termination.RULES.value: by_rules,
    Termination.RESIGNED.value: _heard(Kind.RESIGNED, 1),
    "resigned-declined": declined,
    Termination.OUT_OF_TIME.value: resumed_and_late,
    Termination.ILLEGAL_MOVE.value: illegal,
    Termination.PROTOCOL_ERROR.value: _heard(Kind.GARBLED, 1, Reason("pipe-not-asked", line="move 5")),
    Termination.DISCONNECTED.value: _heard(Kind.LEFT, 1, Reason("quoted", text="status 1")),
    Termination.REFUSED.value: refused,
    Termination.AGREED.value: agreed,
    Termination.ADJUDICATED.value: lambda: _said(begun("tictactoe", Terms(turns=2)), "12"),
    "adjudicated-lost": agreed_score("2.5/2", "+3", "-3", "2.5", "-2.500001"),
    "adjudicated-level": agreed_score("2.5/2 =0.1/1@3", "0", "0", "0.1", "-0.1"),
    Termination.NOT_PLAYED.value: not_played,
    Termination.ABANDONED.value: _heard(Kind.ABANDONED, -1, Reason("quoted", text="the disk is full")),
    Termination.REFEREE_FAILED.value: referee_failed,
}


def sealed(hearing: Hearing, states: tuple[SeatState, ...] = (SeatState.SIGNED, SeatState.SIGNED)) -> str:
    """Return the file; seats with a key say of it what they are to say."""
    subject, words = hearing.chain().subject, []
    for seat, key in enumerate(hearing.match.opening.keys):
        state = states[seat] if key else SeatState.KEYLESS
        if state is SeatState.SIGNED:
            words.append(Word(state, subject.sign(PLAYERS[seat], Statement.PLAYED, seat).hex()))
        elif state is SeatState.DECLINED:
            words.append(Word(state, subject.sign(PLAYERS[seat], Statement.DISPUTED, seat, code_hash("head")).hex(), "head"))
        else:
            words.append(Word(state))
    return hearing.record(words=words).text()


def wanted() -> dict[str, Callable[[], str]]:
    """Return what there must be, by its name: every game of the house, every termination, every state of a seat."""
    games = {f"game-{one.name}": one.name for one in listings() if one.rules.startswith("arbitre.")}
    found: dict[str, Callable[[], str]] = {name: lambda game=game: sealed(played(game)) for name, game in games.items()}  # type: ignore[misc]
    found |= {f"end-{name}": lambda end=end: sealed(end()) for name, end in ENDS.items()}  # type: ignore[misc]
    found["seats-declined-and-silent"] = lambda: sealed(by_rules(), (SeatState.DECLINED, SeatState.SILENT))
    return found


def main() -> None:
    """Write what is missing."""
    for name, make in wanted().items():
        path = FOLDER / f"{name}.record"
        if not path.exists():
            path.write_text(make(), encoding="utf-8", newline="")
            print(path.name)


if __name__ == "__main__":
    main()
