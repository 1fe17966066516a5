"""One policy for fixtures: whatever happens, what is next is plain, nobody waits long, and the store alone remembers it."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ArbitreError, ArenaError, StageError, StoreError, UnknownError
from arbitre.reasons import Reason
from arbitre.records.store import Row
from arbitre.referee.verdict import Termination, Verdict
from arbitre.tournament import fixtures
from arbitre.tournament.faults import FAULTS, Fault, whose_fault
from arbitre.tournament.fixtures import (
    CHALLENGE,
    COMPETITION,
    LONGEST_REST,
    MOST_ATTEMPTS,
    NOT_BEGUN,
    NOT_RESUMED,
    TOURNAMENT,
    Again,
    Book,
    Ended,
    Halt,
    Policy,
    Resume,
    Step,
    Stop,
    Tries,
    judge,
    past,
)  # fmt: skip
from arbitre.tournament.schedule import Result, result_of

WON = Verdict((Fraction(1), Fraction(0)), Termination.RULES, Reason("three-in-a-row", seat=0))
LATE = Verdict((Fraction(1), Fraction(0)), Termination.OUT_OF_TIME, Reason("no-answer"))
HOUSE = Verdict(None, Termination.ABANDONED, Reason("quoted", text="the disk is full"))
REFEREE = Verdict(None, Termination.REFEREE_FAILED, Reason("status-instead", status=500, body=""))
WRONG = Verdict((Fraction(0), Fraction(1)), Termination.REFUSED, Reason("referee-refused", seat=1, text="no such cell"))

POLICIES = st.sampled_from((TOURNAMENT, COMPETITION, CHALLENGE))
VERDICTS = st.sampled_from((WON, LATE, HOUSE, REFEREE, WRONG))
ERRORS = st.sampled_from((StoreError("full"), ArenaError("no room"), StageError("retired"), UnknownError("gone")))
TRIES = st.builds(Tries, st.just(7), st.integers(0, 10_000), st.integers(0, 10_000), st.floats(0, 1e9))


def course(policy: Policy, *ends: Ended) -> list[Step]:
    """Return what follows from each of these ends of tries at one fixture."""
    tries, steps = Tries(7), []
    for ended in ends:
        tries, step = judge(policy, tries, ended)
        steps.append(step)
    return steps


# ── the table at the head of the module ────────────────────────────────────────────────────────────────────────────

ABANDONED = [
    ((HOUSE, HOUSE), [0.0, 0.0]),
    ((REFEREE, REFEREE), [2.0, 4.0]),
    ((HOUSE, REFEREE), [0.0, 4.0]),
    ((REFEREE, HOUSE), [2.0, 0.0]),
]


@pytest.mark.parametrize("policy", [TOURNAMENT, COMPETITION, CHALLENGE])
@pytest.mark.parametrize(("ends", "delays"), ABANDONED)
def test_what_is_abandoned_is_played_again_and_given_up_the_third_time(
    policy: Policy, ends: tuple[Verdict, ...], delays: list[float]
) -> None:
    assert course(policy, *ends, WON) == [*map(Again, delays), Book()]
    *again, last = course(policy, *ends, REFEREE)
    assert again == [Again(delay) for delay in delays]
    assert last == Halt(fixtures.ABANDONED, 7, 3, Reason("the external referee: %(reason)s", reason=REFEREE.reason))


def test_who_lets_it_go_on_lets_it_begin_three_times_more() -> None:
    steps = course(COMPETITION, *[HOUSE] * 9)
    assert [isinstance(step, Halt) for step in steps] == [False, False, True] * 3
    assert steps[-1] == Halt(fixtures.ABANDONED, 7, 9, HOUSE.reason)
    pauses = [step.delay for step in course(COMPETITION, *[REFEREE] * 9) if isinstance(step, Again)]
    assert pauses == [2.0, 4.0] * 3


STOPS = [
    (TOURNAMENT, [Halt]),
    (COMPETITION, [0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]),
    (CHALLENGE, [0.0, 2.0, 4.0, Halt]),
]


@pytest.mark.parametrize(("policy", "wanted"), STOPS)
def test_what_stopped_goes_on_where_it_was(policy: Policy, wanted: list[object]) -> None:
    steps = course(policy, *[None] * len(wanted))
    assert [step.delay if isinstance(step, Resume) else type(step) for step in steps] == wanted


REFUSALS: list[tuple[ArbitreError, Step, Step]] = [
    (StoreError("full"), Stop(), Stop()),
    (ArenaError("no room"), Again(0.0), Halt(NOT_RESUMED, 7, why=Reason("no room"))),
    (StageError("retired"), Halt(NOT_BEGUN, 7, why=Reason("retired")), Halt(NOT_RESUMED, 7, why=Reason("retired"))),
]


@pytest.mark.parametrize(("error", "begins", "goes_on"), REFUSALS)
def test_what_cannot_begin_or_go_on(error: ArbitreError, begins: Step, goes_on: Step) -> None:
    assert course(COMPETITION, error) == [begins]
    assert course(COMPETITION, None, error) == [Resume(0.0), goes_on]


# ── whatever happens ───────────────────────────────────────────────────────────────────────────────────────────────


@given(POLICIES, TRIES, st.one_of(VERDICTS, ERRORS, st.none()), st.floats(0, 1e9))
def test_there_is_always_one_thing_to_do_and_it_is_soon(policy: Policy, tries: Tries, ended: Ended, now: float) -> None:
    after, step = judge(policy, tries, ended, now)
    assert judge(policy, tries, ended, now) == (after, step), "it reads no clock and draws nothing"
    assert after.game == tries.game
    assert after.failures in (tries.failures, tries.failures + 1)
    if isinstance(step, Again | Resume):
        assert 0 <= step.delay <= LONGEST_REST
        assert after.until in (now + step.delay, tries.until)
    assert isinstance(step, Stop) == isinstance(ended, StoreError)
    assert isinstance(step, Book) == (isinstance(ended, Verdict) and ended.scores is not None)


@given(POLICIES, st.lists(VERDICTS.filter(lambda one: one.scores is None), max_size=12), TRIES)
def test_only_what_was_abandoned_counts_against_a_fixture(policy: Policy, verdicts: list[Verdict], tries: Tries) -> None:
    tries = replace(tries, failures=0)
    for number, verdict in enumerate(verdicts, 1):
        tries = judge(policy, tries, None)[0] if number % 2 else tries  # it stopped first, say
        tries, step = judge(policy, tries, verdict)
        assert (tries.failures, tries.stops) == (number, 0)
        assert isinstance(step, Halt) == (number % MOST_ATTEMPTS == 0)


@given(st.lists(st.tuples(st.integers(1, 3), st.one_of(VERDICTS, st.none())), max_size=20))
def test_the_store_remembers_how_often_each_was_tried(matches: list[tuple[int, Verdict | None]]) -> None:
    """A house that comes back after any of its matches stands where it would have stood."""
    rows, tries = [], {number: Tries(number) for number in (1, 2, 3)}
    results: dict[int, Result] = {}
    opened: set[int] = set()
    for at, (number, verdict) in enumerate(matches):
        if number in results or number in opened:
            continue  # it is over, or is being played
        rows.append(Row(at, f"m{at}", "tictactoe", "cup", number, b"", "", None if verdict is None else verdict.text(), None))
        before = tries[number]
        if verdict is None:
            opened.add(number)
        else:
            tries[number], step = judge(COMPETITION, before, verdict)
            if isinstance(step, Book):
                results[number] = result_of(number, verdict)
        found = past(rows)[number]
        assert (found.name, found.verdict, found.tries) == (f"m{at}", verdict, replace(before, until=0.0))
        assert len(found.abandoned) == tries[number].failures
    known = past(rows)
    assert {number: one.result for number, one in known.items() if one.result is not None} == results
    assert {number for number, one in known.items() if one.verdict is None} == opened


# ── whose fault it is ──────────────────────────────────────────────────────────────────────────────────────────────


def test_whose_fault_it_is() -> None:
    assert list(map(whose_fault, (WON, LATE, WRONG, HOUSE, REFEREE))) == [
        Fault.NOBODY, Fault.PLAYER, Fault.PLAYER, Fault.HOUSE, Fault.REFEREE,
    ]  # fmt: skip
    assert result_of(1, WRONG).termination is Termination.ILLEGAL_MOVE, "what a referee refuses is an illegal move"


@pytest.mark.parametrize("termination", Termination)
@pytest.mark.parametrize("scores", [(1, 0), (0, 1), (0, 0), (Fraction(1, 2), Fraction(1, 2)), None])
def test_a_result_shows_who_is_broken_and_who_works(termination: Termination, scores: tuple[Fraction, ...] | None) -> None:
    result = result_of(1, Verdict(scores, termination, Reason("quoted", text="so it was")))
    for seat in (0, 1):
        guilty = termination in (*FAULTS, Termination.REFUSED) and scores is not None and scores[seat] == 0
        assert result.broke(seat) is guilty
        assert result.works(seat) is (False if guilty else True if termination is Termination.RULES else None)
