"""The judge of the arcade: lines as events, time as an argument, and one verify for its records too."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.arcade.bout import Step
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.referee import Call, Judge, read_call
from arbitre.arcade.story import difference, reread, story
from arbitre.arcade.terms import DIFFICILE, LEVELS, Terms
from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.errors import RecordError, TranscriptError
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Event, Kind, write_reason
from arbitre.records.record import read_record
from arbitre.referee.runner import Memory
from arbitre.referee.terms import Chair
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from tests.arcade.lines import PROLOGUE, Dialogue, round_of
from tests.arcade.test_bout import STEPS
from tests.reasons import gives, raises

SEED = bytes(range(32))
CHAIRS = (Chair("Ada"), Chair("Bob"))
SIGNER = Key(bytes([9] * 32))


def ledger(limit: int | None = 1_000) -> tuple[Ledger, Memory]:
    journal = Memory()
    return Ledger(DIFFICILE, CHAIRS, journal, SIGNER, limit=limit, seed=SEED), journal


def said(words: list[str]) -> list[tuple[int, str]]:
    return [(int(seat), line) for seat, line in Dialogue(DIFFICILE).say(*words).lines]


CHEATED = [*PROLOGUE, *round_of(0, "P", "C"), "A commit P", "J move F", "A show C", "A open", "J referee"]


def closed(words: list[str] = CHEATED) -> bytes:
    book, journal = ledger()
    for at, (seat, line) in enumerate(said(words)):
        book.hear(Kind.SAID, seat, line, at)
    book.hear(Kind.LEFT, 1, write_reason("hung up"), 99)
    book.seal()
    return journal.record().text().encode()


def test_a_record_is_verified_like_any_other() -> None:
    found = verify(closed(), keys=[SIGNER.fingerprint])
    assert found.standing is Proof.VERIFIED
    assert gives(found.why, "forfeits", seat=0)
    assert found.verdict is not None
    assert found.verdict.tally == (2, -3)
    assert verify(closed()).standing is Proof.INTACT


def test_the_record_convicts_the_cheat() -> None:
    events = read_record(closed()).events
    announced = [json.loads(event.text) for event in events if event.kind is Kind.ANNOUNCED]
    assert [issue["scores"] for issue in announced] == [[1, 0], [2, -3]]
    assert announced[1]["ruling"] == "founded"


@pytest.mark.words("the story as people read it in French")
def test_the_story_of_the_cheat() -> None:
    told = list(story(reread(read_record(closed())), "fr"))
    assert "┃ ARBITRE triche avérée de Bob : la mise en gage ne s'ouvre pas sur CISEAUX ; 3 points de moins" in told
    assert told[-1] == "Bob est parti : forfait, Ada gagne, 2 – -3"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_tampering_is_caught(data: st.DataObject) -> None:
    octets = closed()
    at = data.draw(st.integers(0, len(octets) - 1))
    octet = data.draw(st.integers(0, 255).filter(lambda octet: octet != octets[at]))
    tampered = octets[:at] + bytes([octet]) + octets[at + 1 :]
    assert verify(tampered, keys=[SIGNER.fingerprint]).standing is not Proof.VERIFIED


def test_a_scribe_who_changes_a_score_is_caught_even_with_the_key() -> None:
    """Whoever holds the key can sign what he likes; what does not follow from the lines is broken all the same."""
    lines = closed().decode().splitlines()
    at = next(number for number, line in enumerate(lines) if '"announced"' in line)
    lines[at] = lines[at].replace("[1,0]", "[0,1]")
    found = verify("".join(f"{line}\n" for line in lines).encode())
    assert found.standing is Proof.BROKEN
    assert found.event == at + 1


@pytest.mark.parametrize(("step", "words"), STEPS)
def test_time_out_at_every_state(step: Step, words: list[str]) -> None:
    """Whoever is awaited is late when the limit has passed since the bout began to wait, and not a moment before."""
    book, _ = ledger()
    at = 0
    for seat, line in said(words):
        at += 10
        book.hear(Kind.SAID, seat, line, at)
    assert book.bout.step is step
    assert book.deadline == at + 1_001
    with raises(TranscriptError, "before anybody was late"):
        book.hear(Kind.TICKED, NOBODY, "", at + 1_000)
    silent = book.bout.awaited
    book.hear(Kind.TICKED, NOBODY, "", at + 1_001)
    verdict = book.affairs.verdict
    assert verdict is not None
    assert verdict.termination is Termination.OUT_OF_TIME
    assert verdict.scores == tuple(Fraction(seat not in silent) for seat in (0, 1))


def test_an_answer_that_comes_late_is_late() -> None:
    book, _ = ledger()
    for seat, line in said(PROLOGUE):
        book.hear(Kind.SAID, seat, line)
    seat, line = said([*PROLOGUE, "J commit P"])[-1]
    book.hear(Kind.SAID, seat, line, 1_001)
    assert book.affairs.verdict is not None
    assert book.affairs.verdict.termination is Termination.OUT_OF_TIME


def test_faults_do_not_buy_time() -> None:
    book, _ = ledger()
    for seat, line in said(PROLOGUE):
        book.hear(Kind.SAID, seat, line, 5)
    book.hear(Kind.SAID, 0, "HELP", 900)
    assert book.deadline == 1_006


def test_inputs_that_no_referee_could_have_taken() -> None:
    call = Call("m", CHAIRS, commitment(SEED), DIFFICILE, 1_000)
    judge = Judge(call, SEED)
    affairs, _ = judge.open()
    affairs, _ = judge.hear(affairs, Event(Kind.SAID, 50, 0, 0, "HELP"))
    for event, why in (
        (Event(Kind.SAID, 40, 0, 0, "OK"), "time runs backwards"),
        (Event(Kind.SAID, 60, 2, 0, "OK"), "not at this table"),
        (Event(Kind.SAID, 60, 0, 1, "OK"), Reason("is not the one that is played", turn=1)),
        (Event(Kind.RESIGNED, 60, 0, 0, ""), "is no input"),
    ):
        with raises(TranscriptError, why):
            judge.hear(affairs, event)
    affairs, _ = judge.hear(affairs, Event(Kind.ABANDONED, 60, NOBODY, 0, write_reason("fire")))
    assert affairs.verdict is not None
    assert affairs.verdict.scores is None
    with raises(TranscriptError, "after the end"):
        judge.hear(affairs, Event(Kind.SAID, 60, 0, 0, "OK"))
    with raises(TranscriptError, "not the one that was committed"):
        Judge(call, bytes(32))


@pytest.mark.parametrize("terms", LEVELS.values(), ids=LEVELS)
def test_openings_are_read_as_written(terms: Terms) -> None:
    for limit in (None, 1_000):
        call = Call("m", CHAIRS, commitment(SEED), terms, limit, "joueur", {"date": "2024-01-01"}, SIGNER.public.hex(), 5)
        assert read_call(call.text()) == call


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"protocol":"arcade"', '"protocol":"parlour"'),
        ('"arbitre":2', '"arbitre":1'),
        ('"checks":"full"', '"checks":"some"'),
        ('"goal":32', '"goal":"32"'),
        ('"keeper":"referee"', '"keeper":"me"'),
        ('"limit":1000', '"limit":1000.5'),
        ('"limit":1000', '"limit": 1000'),
        ('"name":"Ada"', '"name":5'),
    ],
)
def test_openings_out_of_form_are_refused(old: str, new: str) -> None:
    text = Call("m", CHAIRS, commitment(SEED), DIFFICILE, 1_000).text()
    assert old in text
    with pytest.raises(RecordError):
        read_call(text.replace(old, new))


def test_differences_are_named() -> None:
    one = reread(read_record(closed()))
    assert difference(one, one) is None
    other = [*PROLOGUE, *round_of(0, "P", "F"), "A commit P", "J move F", "A show C", "A open", "J referee"]
    changed = {"number": 4, "one": "adversaire MOVE CISEAUX", "two": "adversaire MOVE FEUILLE"}
    assert gives(difference(one, reread(read_record(closed(other)))), "command %(number)s differs", **changed)
    shorter = reread(read_record(closed(CHEATED[:-1])))
    assert gives(difference(one, shorter), "the scores differ", one="2 – -3", two="1 – 0")
