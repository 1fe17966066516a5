"""Dialogues of the arcade and the scores they must end with; and that nothing anybody says breaks the machine."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.arcade.bout import (
    CREDITS,
    Bout,
    Ending,
    Finish,
    Issue,
    Refused,
    Ruling,
    Step,
    Taken,
    finished,
    hear,
    issue,
    late,
    left,
    question,
)
from arbitre.arcade.terms import DIFFICILE, FACILE, NIGHTMARE, NORMAL, KeyQuestion, OpeningQuestion, Terms, ponder
from arbitre.arcade.wire import Sign
from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.reasons import Reason
from tests.arcade.lines import PROLOGUE, Dialogue, round_of

P, F, C = Sign.PIERRE, Sign.FEUILLE, Sign.CISEAUX


def began(scores: tuple[int, int] = (0, 0), terms: Terms = DIFFICILE) -> Dialogue:
    return Dialogue(terms, scores).say(*PROLOGUE)


# ── rounds and rulings ─────────────────────────────────────────────────────────────────────────────────────────────

CHEAT = ["J commit P", "A move F", "J show C", "J open"]
"""The joueur commits to PIERRE, sees FEUILLE, and shows CISEAUX."""

ROUNDS = [
    # name, scores before, words, scores after, winner of the bout (None: it goes on), ending
    ("PIERRE beats CISEAUX", (0, 0), round_of(0, "P", "C"), (1, 0), None, None),
    ("FEUILLE beats PIERRE", (0, 0), round_of(0, "P", "F"), (0, 1), None, None),
    ("equal signs score nothing", (3, 4), round_of(0, "C", "C"), (3, 4), None, None),
    ("two rounds, the adversaire starts the second", (0, 0), round_of(0, "P", "C") + round_of(1, "P", "F"), (1, 1), None, None),
    ("a false sign, OK ratifies it", (0, 0), [*CHEAT, "A ok"], (1, 0), None, None),
    ("a false sign, accused: three off and the round", (0, 0), [*CHEAT, "A referee"], (-3, 1), None, None),
    ("a false exponent, accused", (0, 0), ["J commit P", "A move C", "J show P", "J open!", "A referee"], (-3, 1), None, None),
    ("a false exponent, OK ratifies it", (0, 0), ["J commit P", "A move C", "J show P", "J open!", "A ok"], (1, 0), None, None),
    ("an unfounded accusation, the round stands", (0, 0), round_of(0, "P", "C", "referee"), (1, -3), None, None),
    ("an unfounded accusation by who wins the round", (0, 0), round_of(0, "P", "F", "referee"), (0, -2), None, None),
    ("an unfounded accusation in a drawn round", (0, 0), round_of(0, "P", "P", "referee"), (0, -3), None, None),
    ("the 32nd point", (31, 30), round_of(0, "P", "C"), (32, 30), FIRST, Ending.GOAL),
    ("both at match point, a draw: it goes on", (31, 31), round_of(0, "P", "P"), (31, 31), None, None),
    ("both at match point, decided", (31, 31), round_of(0, "P", "F"), (31, 32), SECOND, Ending.GOAL),
    ("match point is not escaped by an accusation", (31, 31), round_of(0, "P", "C", "referee"), (32, 28), FIRST, Ending.GOAL),
    ("an accuser who won the round does not win by it", (31, 31), round_of(0, "P", "F", "referee"), (31, 29), None, None),
    ("a cheat at match point loses", (31, 31), [*CHEAT, "A referee"], (28, 32), SECOND, Ending.GOAL),
    ("a cheat at match point who gets an OK wins", (31, 31), [*CHEAT, "A ok"], (32, 31), FIRST, Ending.GOAL),
    ("minus 32 by cheating", (-29, 0), [*CHEAT, "A referee"], (-32, 1), SECOND, Ending.DISGRACE),
    ("minus 32 by accusing", (0, -29), round_of(0, "P", "P", "referee"), (0, -32), FIRST, Ending.DISGRACE),
    ("minus 31 is not enough", (-28, 0), [*CHEAT, "A referee"], (-31, 1), None, None),
    (
        "disgrace comes before the goal, for the same winner",
        (31, -30),
        round_of(0, "P", "C", "referee"),
        (32, -33),
        FIRST,
        Ending.DISGRACE,
    ),
]


@pytest.mark.parametrize(
    ("before", "words", "after", "winner", "ending"), [row[1:] for row in ROUNDS], ids=[row[0] for row in ROUNDS]
)
def test_rounds(
    before: tuple[int, int], words: list[str], after: tuple[int, int], winner: Seat | None, ending: Ending | None
) -> None:
    dialogue = began(before).say(*words)
    assert not [news for news in dialogue.news if isinstance(news, Refused)]
    assert dialogue.bout.scores == after
    assert [news.scores for news in dialogue.news if isinstance(news, Issue)][-1] == after
    finish = dialogue.bout.finish
    assert (finish and finish.winner, finish and finish.ending) == (winner, ending)
    assert dialogue.bout.step is (Step.COMMIT if winner is None else Step.OVER)


def test_a_ruling_names_accuser_and_evidence() -> None:
    told = next(news for news in began().say(*CHEAT, "A referee").news if isinstance(news, Issue))
    assert told.accuser == SECOND
    assert told.ruling is Ruling.FOUNDED
    told = next(news for news in began().say(*round_of(0, "P", "C", "referee")).news if isinstance(news, Issue))
    assert told.ruling is Ruling.UNFOUNDED


@given(st.tuples(st.integers(-31, 31), st.integers(-31, 31)), st.sampled_from([*Sign]), st.sampled_from([*Sign]))
def test_the_referee_is_even_handed(scores: tuple[int, int], one: Sign, two: Sign) -> None:
    """Turned round, the same round gives the same scores turned round, whatever was accused; and at most one side can win."""
    for judge in (FIRST, SECOND):
        for wrong in Ruling:
            winner, after = issue((one, two), scores, judge, wrong)
            turned, mirrored = issue((two, one), (scores[1], scores[0]), other(judge), wrong)
            assert mirrored == (after[1], after[0])
            assert turned == (None if winner is None else other(winner))
            assert sum(after) - sum(scores) == (winner is not None) - 3 * (wrong is not Ruling.NONE)
            here, there = finished(after, 0, DIFFICILE), finished(mirrored, 0, DIFFICILE)
            assert (here is None) == (there is None)
            if here is not None and there is not None:
                assert {here.winner, there.winner} == {FIRST, SECOND}


def test_who_always_ties_is_stopped_by_length() -> None:
    terms = Terms("short", rounds=3)
    dialogue = began((2, 2), terms).say(*round_of(0, "P", "P"), *round_of(1, "F", "F"))
    assert dialogue.bout.awaited
    dialogue.say(*round_of(2, "C", "C"))
    assert dialogue.bout.finish == Finish(None, Ending.LENGTH, Reason("rounds-played", rounds=3), (2, 2))
    assert finished((5, 4), 2, terms) == Finish(FIRST, Ending.LENGTH, Reason("rounds-played", rounds=3), (5, 4))


# ── order, credits, prologue ───────────────────────────────────────────────────────────────────────────────────────

STEPS: list[tuple[Step, list[str]]] = [
    (Step.PROLOGUE, []),
    (Step.PROLOGUE, ["J pkey"]),
    (Step.COMMIT, PROLOGUE),
    (Step.ANSWER, [*PROLOGUE, "J commit P"]),
    (Step.SHOW, [*PROLOGUE, "J commit P", "A move F"]),
    (Step.OPEN, [*PROLOGUE, "J commit P", "A move F", "J show P"]),
    (Step.RULE, [*PROLOGUE, "J commit P", "A move F", "J show P", "J open"]),
    (Step.COMMIT, [*PROLOGUE, *round_of(0, "P", "F")]),
    (Step.ANSWER, [*PROLOGUE, *round_of(0, "P", "F"), "A commit P"]),
    (Step.RULE, [*PROLOGUE, *round_of(0, "P", "F"), "A commit P", "J move F", "A show P", "A open"]),
]

RIGHT = {
    Step.PROLOGUE: {"pkey"},
    Step.COMMIT: {"commit P"},
    Step.ANSWER: {"move P"},
    Step.SHOW: {"move P"},
    Step.OPEN: {"open"},
    Step.RULE: {"ok", "referee"},
}

SPOKEN = ["pkey", "commit P", "move P", "open", "ok", "referee"]


@pytest.mark.parametrize(("step", "words"), STEPS)
def test_a_command_in_the_wrong_state_costs_a_credit_and_changes_nothing(step: Step, words: list[str]) -> None:
    for who in "JA":
        for said in [*SPOKEN, "> GROUP 17 2 b", "> nonsense", "> PKEY"]:
            dialogue = Dialogue(DIFFICILE).say(*words)
            before, told = dialogue.bout, len(dialogue.news)
            assert before.step is step
            seat = FIRST if who == "J" else SECOND
            dialogue.say(f"{who} {said}")
            if seat in before.awaited and said in RIGHT[step]:
                assert isinstance(dialogue.news[told], Taken)
                assert dialogue.bout.credits == (CREDITS, CREDITS)
                continue
            refused = dialogue.news[-1]
            assert isinstance(refused, Refused), (who, said)
            assert refused.credits == CREDITS - 1
            assert dialogue.bout._replace(credits=before.credits) == before


@pytest.mark.parametrize(("step", "words"), STEPS)
def test_the_eighth_fault_forfeits(step: Step, words: list[str]) -> None:
    dialogue = Dialogue(DIFFICILE).say(*words, *["A > HELP"] * (CREDITS - 1))
    assert dialogue.bout.step is step
    assert dialogue.bout.credits == (CREDITS, 1)
    dialogue.say("A > HELP")
    assert dialogue.bout.finish is not None
    assert (dialogue.bout.finish.winner, dialogue.bout.finish.ending) == (FIRST, Ending.FAULTS)
    assert dialogue.say("J commit P").bout.finish is dialogue.bout.finish


@pytest.mark.parametrize(("step", "words"), STEPS)
@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_hanging_up_forfeits_at_every_state(step: Step, words: list[str], seat: Seat) -> None:
    bout = Dialogue(DIFFICILE, (5, 7)).say(*words).bout
    bout, news = left(bout, seat)
    assert bout.finish is not None
    assert (bout.finish.winner, bout.finish.ending) == (other(seat), Ending.GONE)
    assert news == (bout.finish,)
    assert left(bout, other(seat)) == (bout, ())


@pytest.mark.parametrize(("step", "words"), STEPS)
def test_silence_forfeits_at_every_state(step: Step, words: list[str]) -> None:
    bout = Dialogue(DIFFICILE).say(*words).bout
    silent = bout.awaited
    bout, _ = late(bout, silent)
    assert bout.finish is not None
    assert bout.finish.ending is Ending.SILENCE
    assert bout.finish.winner == (None if len(silent) == 2 else other(silent[0]))


PROLOGUES = [
    ("GROUP after PKEY", DIFFICILE, ["J pkey", "J > GROUP 17 2 b"], "after-prologue"),
    ("PKEY twice", DIFFICILE, ["J pkey", "J pkey"], "after-prologue"),
    ("GROUP at Nightmare", NIGHTMARE, ["J > GROUP 17 2 b"], "no-groups"),
    ("GROUP twice", FACILE, ["J > GROUP 17 2 b", "J > GROUP 17 2 b"], "group-twice"),
    ("GROUP too small", DIFFICILE, ["J > GROUP 17 2 b"], "modulus-bits"),
    ("GROUP too small for the course", NORMAL, ["J > GROUP 17 2 b"], "modulus-too-short"),
    ("GROUP modulo 0", FACILE, ["J > GROUP 0 2 b"], "modulus-too-short"),
    ("PKEY 1", DIFFICILE, ["J > PKEY 1"], "key-range"),
    ("COMMIT before the other's key", DIFFICILE, ["J pkey", "J commit P"], "keys-first"),
    ("COMMIT with r = 1", DIFFICILE, [*PROLOGUE, "J > COMMIT 1 5"], "no-commitment"),
    ("COMMIT with c = 0", DIFFICILE, [*PROLOGUE, "J > COMMIT 5 0"], "no-commitment"),
]


@pytest.mark.parametrize(("terms", "words", "why"), [row[1:] for row in PROLOGUES], ids=[row[0] for row in PROLOGUES])
def test_refusals_say_why(terms: Terms, words: list[str], why: str) -> None:
    refused = Dialogue(terms).say(*words).news[-1]
    assert isinstance(refused, Refused)
    assert refused.why.code == why


def test_sides_need_not_wait_for_each_other() -> None:
    assert Dialogue(DIFFICILE).say("A pkey", "J pkey").bout.step is Step.COMMIT


def test_comments_cost_nothing() -> None:
    bout = began().bout
    assert hear(bout, FIRST, "# allez") == (bout, ())


def test_questions_are_foreseen() -> None:
    """What a server has answered beside is exactly what `hear` will ask."""
    for step, words in STEPS:
        dialogue = Dialogue(DIFFICILE).say(*words)
        for seat, who in enumerate("JA"):
            for said in [*SPOKEN, "> referee", "> PKEYS", "> PKEY 1", "> REFEREE 5"]:
                asked: list[KeyQuestion | OpeningQuestion] = []
                line = Dialogue(DIFFICILE).say(*words)._line(Seat(seat), said)
                hear(dialogue.bout, Seat(seat), line, lambda put, asked=asked: (asked.append(put), ponder(put))[1])  # type: ignore[misc]
                foreseen = question(dialogue.bout, Seat(seat), line)
                assert asked in ([], [foreseen]), (step, who, said)


# ── anything at all ────────────────────────────────────────────────────────────────────────────────────────────────

WORDS = st.sampled_from(
    [f"{who} {said}" for who in "JA" for said in [*SPOKEN, "move F", "show C", "open!", "> x", "> # x", "> "]]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=40))
def test_any_dialogue_keeps_the_books(words: list[str]) -> None:
    dialogue = Dialogue(DIFFICILE)
    for word in words:
        before = dialogue.bout
        dialogue.say(word)
        bout = dialogue.bout
        assert all(0 <= credit <= CREDITS for credit in bout.credits)
        assert (bout.step is Step.OVER) == (bout.finish is not None) == (not bout.awaited)
        assert bout.round >= before.round
    replayed = Bout(DIFFICILE)
    for seat, line in dialogue.lines:
        replayed, _ = hear(replayed, seat, line)
    assert replayed == dialogue.bout


@given(st.lists(st.tuples(st.sampled_from([FIRST, SECOND]), st.text(max_size=30)), max_size=20))
def test_any_text_is_heard(lines: list[tuple[Seat, str]]) -> None:
    bout = Bout(DIFFICILE)
    for seat, line in lines:
        bout, _ = hear(bout, seat, line)
    assert isinstance(bout, Bout)
