"""A referee that lies to a bot on a pipe is found out by the bot, by hashing alone, and the journal says where."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from arbitre.crypto.statements import SeatState, Statement, Subject, code_hash
from arbitre.games.game import Seat
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Event, Kind
from arbitre.records.evidence import Code, read_journal
from arbitre.records.record import Chain, Record, Word
from arbitre.referee.terms import Opening, Terms
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.transport.pipe import Agreed, Declined, Signed
from tests.crooked.referee import OTHER, PLAYER, REFEREE, SEED, Table, opened

TICTACTOE = ("tictactoe", ["1", "2", "3"], ["4", "5"])
WRONG_FIRST = ("tictactoe", ["x", "1", "2", "3"], ["4", "5"])


def subject(events: list[Event]) -> Subject:
    chain = Chain(SEED)
    chain.add(events)
    return chain.subject


def edited(table: Table, edit: Callable[[list[Event]], None]) -> list[Event]:
    events = list(table.hearing.events)
    edit(events)
    return events


# ── an honest match ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("case", [TICTACTOE, WRONG_FIRST])
def test_an_honest_match_is_signed(case: tuple[str, list[str], list[str]]) -> None:
    table = opened(Table(*case, terms=Terms(refusals=1)))
    table.play()
    said = table.close()
    assert isinstance(said, Signed)
    chain = subject(table.hearing.events)
    assert chain.signed(PLAYER.public, bytes.fromhex(said.signature), Statement.PLAYED, 0)
    assert table.hearing.affairs.verdict is not None
    assert table.hearing.affairs.verdict.termination is Termination.RULES


# ── the opening ────────────────────────────────────────────────────────────────────────────────────────────────────


def changed(**fields: object) -> Callable[[Opening], Opening]:
    return lambda opening: replace(opening, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(changed(commitment="00" * 32), id="another seed, chosen after the promise"),
        pytest.param(changed(match="m-2"), id="another match"),
        pytest.param(changed(referee=OTHER.public.hex()), id="another referee"),
        pytest.param(changed(promises={0: "11" * 32}), id="another promise"),
        pytest.param(changed(promises=None), id="the promise left out"),
        pytest.param(lambda one: replace(one, promises={1: (one.promises or {})[0]}), id="the promise on the other seat"),
        pytest.param(lambda one: replace(one, chairs=one.chairs[::-1]), id="the key on the other seat"),
    ],
)
def test_another_opening_is_declined_before_the_nonce_is_opened(lie: Callable[[Opening], Opening]) -> None:
    table = Table(*TICTACTOE)
    said = table.show(lie(table.hello()))
    assert said == Declined(Code.OPENING.value)


def test_an_opening_that_the_referee_did_not_sign_is_declined() -> None:
    table = Table(*TICTACTOE)
    opening = table.hello()
    assert table.show(opening, signer=OTHER) == Declined("opening")


def test_two_openings_of_one_match_are_the_referees_own_evidence(tmp_path: Path) -> None:
    """Whoever was shown another opening holds the referee's signature under it."""
    table = Table(*TICTACTOE, folder=tmp_path)
    opening = table.hello()
    agreed = table.show(opening)
    assert isinstance(agreed, Agreed)
    table.begin(replace(opening, notes={"event": "another"}), agreed)
    assert table.hearing.affairs.verdict is not None, "the agreement is under another opening"
    assert table.hearing.affairs.verdict.reason.code == "false-signature"
    said = table.close()
    assert isinstance(said, Declined)
    assert said.code == Code.OPENING
    [journal] = tmp_path.iterdir()
    assert '"signature":"' in journal.read_text().splitlines()[1]


# ── what is hidden is fixed when it is said ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "moves", "others", "lie"),
    [
        ("mastermind", ["EFGH", "AABB", "CCDD"], ["ABCD", "EEFF", "EFGH"], "ABDC"),
        ("seafight", [], [], None),
    ],
    ids=["a code", "a fleet"],
)
def test_what_is_hidden_cannot_be_changed_after_a_guess(name: str, moves: list[str], others: list[str], lie: str | None) -> None:
    """Referee and hider together: with another code the record leads to other heads than the guesser was told."""
    table = opened(Table(name, moves, others, seat=1))
    match, question = table.hearing.match, table.hearing.affairs.questions[Seat(0)]
    lie = lie or match.notation.write(match.game.sample(question.view, Random(99)))
    table.play(most=6)
    if table.hearing.affairs.verdict is None:
        table.hearing.hear(Kind.ABANDONED, text=Reason("quoted", text="enough"))

    def another(events: list[Event]) -> None:
        at = place(events, Kind.SAID)
        assert events[at].text != lie
        events[at] = events[at]._replace(text=lie)

    said = table.close(edited(table, another))
    assert isinstance(said, Declined)
    assert said.code == Code.HEAD


def test_a_deal_that_is_dealt_again_is_found() -> None:
    """Another seed in the end is not the one that was committed."""
    table = opened(Table(*TICTACTOE))
    table.play()
    said = table.close([*table.hearing.events[:-1], table.hearing.events[-1]._replace(text="11" * 32)])
    assert isinstance(said, Declined)
    assert said.code == Code.CHAIN


# ── questions and answers ──────────────────────────────────────────────────────────────────────────────────────────


def place(events: list[Event], kind: Kind, number: int = 0, seat: int = 0) -> int:
    return [at for at, event in enumerate(events) if event.kind is kind and event.seat == seat][number]


def another_answer(events: list[Event]) -> None:
    at = place(events, Kind.SAID, -1)
    events[at] = events[at]._replace(text="9")


def answer_left_out(events: list[Event]) -> None:
    del events[place(events, Kind.SAID, -1)]


def resignation(events: list[Event]) -> None:
    at = place(events, Kind.SAID, -1)
    events[at] = Event(Kind.RESIGNED, 0, 0, events[at].turn, "")


def another_view(events: list[Event]) -> None:
    at = place(events, Kind.ASKED, -1)
    events[at] = events[at]._replace(text='{"left":null,"view":"' + "00" * 32 + '"}')


def question_left_out(events: list[Event]) -> None:
    at = place(events, Kind.ASKED, -1)
    del events[at : at + 2]


def asked_twice(events: list[Event]) -> None:
    at = place(events, Kind.ASKED, -1)
    events[at + 2 : at + 2] = [events[at], events[at + 1]._replace(text="8")]


def time_ran_out_on_nothing(events: list[Event]) -> None:
    at = place(events, Kind.ENDED, seat=NOBODY)
    events[at:at] = [events[place(events, Kind.ASKED, -1)], Event(Kind.TICKED, 0, NOBODY, 0, "")]


def another_end(events: list[Event]) -> None:
    at = place(events, Kind.ENDED, seat=NOBODY)
    events[at] = events[at]._replace(text=events[at].text.replace('"1","0"', '"0","1"'))


def an_offer(events: list[Event]) -> None:
    events.insert(place(events, Kind.ENDED, seat=NOBODY), Event(Kind.OFFERED, 0, 0, 0, ""))


def other_moves_reordered(events: list[Event]) -> None:
    first, second = (place(events, Kind.SAID, number, seat=1) for number in (0, 1))
    events[first], events[second] = (
        events[second]._replace(turn=events[first].turn),
        events[first]._replace(turn=events[second].turn),
    )


def cut(events: list[Event]) -> None:
    del events[-1]


def no_end(events: list[Event]) -> None:
    del events[place(events, Kind.ENDED, seat=NOBODY)]


@pytest.mark.parametrize(
    ("lie", "codes"),
    [
        (another_answer, {Code.ANSWER}),
        (answer_left_out, {Code.ANSWER}),
        (resignation, {Code.ANSWER}),
        (another_view, {Code.HEAD, Code.QUESTION}),
        (question_left_out, {Code.QUESTION}),
        (asked_twice, {Code.ANSWER}),
        (time_ran_out_on_nothing, {Code.QUESTION}),
        (another_end, {Code.END}),
        (an_offer, {Code.ANSWER}),
        (other_moves_reordered, {Code.HEAD}),
        (cut, {Code.CHAIN}),
        (no_end, {Code.END}),
    ],
)
def test_a_record_of_another_game_is_not_signed(lie: Callable[[list[Event]], None], codes: set[Code], tmp_path: Path) -> None:
    table = opened(Table(*TICTACTOE, folder=tmp_path / "journals"))
    table.play()
    events = edited(table, lie)
    said = table.close(events)
    assert isinstance(said, Declined)
    assert said.code in codes
    if lie is not cut:
        signature = bytes.fromhex(said.signature)
        assert subject(events).signed(PLAYER.public, signature, Statement.DISPUTED, 0, code_hash(said.code))
    [journal] = (tmp_path / "journals").iterdir()
    (tmp_path / "lie.record").write_text(Record(tuple(events)).text(), newline="")
    done = subprocess.run(
        [sys.executable, "-m", "arbitre", "verify", str(tmp_path / "lie.record"), "--journal", str(journal)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 1
    assert f"({said.code})" in done.stdout


def test_what_a_bot_spells_otherwise_it_signs() -> None:
    """The library says a move as the record will hold it, however the bot writes it."""
    table = opened(Table("mastermind", ["abcd", "30gcch"], []))
    table.play()
    said = [event.text for event in table.hearing.events if event[:3:2] == (Kind.SAID, 0)]
    assert said[:2] == ["ABCD", "GCCH"]
    assert isinstance(table.close(), Signed)


def test_another_reason_for_a_refusal_is_not_signed() -> None:
    table = opened(Table(*WRONG_FIRST, terms=Terms(refusals=1)))
    table.play()

    def another(events: list[Event]) -> None:
        at = place(events, Kind.REFUSED)
        events[at] = events[at]._replace(text='{"cell":1,"code":"occupied"}')

    said = table.close(edited(table, another))
    assert isinstance(said, Declined)
    assert said.code in (Code.REFUSAL, Code.HEAD)


def test_another_head_in_a_question_is_not_signed() -> None:
    table = opened(Table(*TICTACTOE))
    answer = table.ask(head=b"\x11" * 32)
    table.hearing.say(0, str(answer))
    table.play()
    said = table.close()
    assert isinstance(said, Declined)
    assert said.code == Code.HEAD


def test_another_position_than_the_recorded_one_is_not_signed() -> None:
    table = opened(Table(*TICTACTOE))
    answer = table.ask(shown="120000000 3")
    table.hearing.say(0, str(answer))
    table.play()
    said = table.close()
    assert isinstance(said, Declined)
    assert said.code == Code.QUESTION


def test_a_question_that_the_record_has_once_and_that_was_put_twice_is_not_signed() -> None:
    table = opened(Table("tictactoe", ["9", "1", "2", "3"], ["4", "5"]))
    table.ask()  # what it says here is forgotten
    table.play()
    said = table.close()
    assert isinstance(said, Declined)
    assert said.code in (Code.QUESTION, Code.ANSWER)


def test_one_who_was_asked_nothing_does_not_sign_that_it_resigned() -> None:
    table = opened(Table(*TICTACTOE))
    table.hearing.hear(Kind.RESIGNED, 0)
    said = table.close()
    assert isinstance(said, Declined)
    assert said.code == Code.ANSWER


def test_who_has_no_journal_plays_on_and_says_so() -> None:
    """A bot that was started anew, without its journal, is asked for no agreement again."""
    table = Table(*TICTACTOE)
    opening = table.hello()
    agreed = table.show(opening)
    assert isinstance(agreed, Agreed)
    again = Table(*TICTACTOE)
    again.hello()
    again.begin(opening, agreed)
    again.play()
    said = again.close()
    assert isinstance(said, Declined)
    assert said.code == Code.NO_JOURNAL


def test_who_has_its_journal_goes_on_after_a_restart_and_signs(tmp_path: Path) -> None:
    table = Table(*TICTACTOE, folder=tmp_path)
    opening = table.hello()
    agreed = table.show(opening)
    assert isinstance(agreed, Agreed)
    table.begin(opening, agreed)
    table.play(most=3)
    table.bot.shut()
    again = Table("tictactoe", ["2", "3"], ["5"], folder=tmp_path)
    promised = again.hello()
    assert promised == opening, "the same nonce, for the same opening"
    again.hearing = table.hearing
    again.hearing.hear(Kind.RESUMED)
    again.play()
    assert isinstance(again.close(), Signed)


# ── thieves ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nobody_else_can_seal_what_the_referee_recorded() -> None:
    table = opened(Table(*TICTACTOE))
    table.play()
    said = table.close()
    assert isinstance(said, Signed)
    events = tuple(table.hearing.events)
    keys = table.hearing.match.opening.keys
    chain = Chain(SEED)
    chain.add(events)
    words = (Word(SeatState.SIGNED, said.signature), Word())
    honest = verify(Record(events, chain.seal(REFEREE, keys, words)).text().encode(), given=REFEREE.fingerprint)
    assert honest.standing is Proof.VERIFIED
    assert "signed by Ada" in honest.line
    for thief in (OTHER, PLAYER):
        found = verify(Record(events, chain.seal(thief, keys, words)).text().encode())
        assert found.standing is Proof.BROKEN
        assert "the referee whom the opening names" in found.line


# ── a record that is sealed when the event is over ─────────────────────────────────────────────────────────────────


def kept_back(table: Table) -> Table:
    """Return a table at which a match was decided whose record is sealed later: the other gave up, and the bot was told so."""
    opening = replace(table.hello(), notes={"records": "after"})
    agreed = table.show(opening)
    assert isinstance(agreed, Agreed)
    table.begin(opening, agreed)
    table.play(most=4)
    table.hearing.hear(Kind.RESIGNED, 1 - table.seat)
    verdict = table.hearing.affairs.verdict
    assert verdict is not None
    assert verdict.scores is not None
    table.say(table.wire.end(verdict.scores[table.seat], verdict.termination.value, verdict.reason))
    return table


def test_what_is_sealed_later_is_signed_where_it_is_what_was_decided() -> None:
    assert isinstance(kept_back(Table(*TICTACTOE)).close(), Signed)


def test_a_referee_who_thinks_better_of_it_before_he_seals_is_found_out(tmp_path: Path) -> None:
    """He has seen how the event went on, and lets the winner be gone; the new end is told too, and follows from the record."""
    table = kept_back(Table(*TICTACTOE, folder=tmp_path))
    honest = table.hearing.events
    at = place(honest, Kind.RESIGNED, seat=1)
    table.hearing = type(table.hearing)(table.hearing.match)
    for event in honest[1:at]:
        if event.kind in (Kind.AGREED, Kind.SAID):
            table.hearing.hear(event.kind, event.seat, event.text)
    table.hearing.hear(Kind.LEFT, table.seat, Reason("quoted", text="gone"))
    assert table.hearing.affairs.verdict is not None
    said = table.close()
    assert isinstance(said, Declined)
    assert said.code == Code.END
    [file] = tmp_path.iterdir()
    assert read_journal(file.read_bytes()).ended == ("1", "resigned", '{"code":"gave-up"}')


def test_other_moves_than_those_that_were_decided_are_not_signed() -> None:
    table = kept_back(Table(*TICTACTOE))

    def other(events: list[Event]) -> None:
        at = max(number for number, one in enumerate(events) if one.kind is Kind.SAID and one.seat == table.seat)
        events[at] = events[at]._replace(text="9")

    said = table.close(edited(table, other))
    assert isinstance(said, Declined)
    assert said.code == Code.ANSWER
