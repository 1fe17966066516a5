"""A story tells no more than a spectator may know, and nothing that a terminal would obey."""

from random import Random

from arbitre.reasons import Reason
from arbitre.records.event import Kind
from arbitre.records.record import Record
from arbitre.referee.story import story, tell
from tests.reasons import english
from tests.referee.tables import SEED, Hearing, make_match


def told(hearing: Hearing, boards: bool = False) -> str:
    return "\n".join(story(tell(Record(tuple(hearing.events)), SEED), boards, english))


def test_a_start_position_with_secrets_stays_closed_until_the_end() -> None:
    first = Hearing(make_match("mastermind"))
    codes = []
    for seat in (0, 1):
        question = first.affairs.questions[seat]  # type: ignore[index]
        codes.append(first.match.notation.write(first.match.game.sample(question.view, Random(seat))))
        first.say(seat, codes[-1])
    start = first.match.notation.write_state(first.affairs.truth)
    assert codes[0] in start
    hearing = Hearing(make_match("mastermind", start=start))
    assert codes[0] not in told(hearing, boards=True)
    hearing.hear(Kind.RESIGNED, 0)
    assert codes[0] in told(hearing)


def test_a_secret_said_out_of_turn_is_not_told_before_the_end() -> None:
    hearing = Hearing(make_match("mastermind"))
    hearing.hear(Kind.STRAY, 0, "my code is 1234")
    assert "1234" not in told(hearing)
    hearing.hear(Kind.RESIGNED, 0)
    assert "1234" in told(hearing)


def test_words_are_told_so_that_no_terminal_obeys_them() -> None:
    hearing = Hearing(make_match())
    hearing.say(0, "5")
    hearing.hear(Kind.STRAY, 0, "\x1b[2J\nsecond line \u202e")
    hearing.hear(Kind.RESIGNED, 1, Reason("quoted", text="\x9b31m"))
    text = told(hearing)
    assert all(line.isprintable() for line in text.splitlines())
    assert "\nsecond line" not in text


def test_nobody_came() -> None:
    hearing = Hearing(make_match())
    hearing.hear(Kind.LEFT, text=Reason("never-started"))
    assert f"LEFT {english(Reason('never-started'))}" in told(hearing)
