"""The referee of a match: every way it can go, as transcripts."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from arbitre.crypto.keys import Key
from arbitre.crypto.statements import Statement, view_hash
from arbitre.errors import RecordError, SpellingError, TermsError, TranscriptError
from arbitre.games.catalogue import listings
from arbitre.games.game import Awaits
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Event, Kind, canonical, read_reason
from arbitre.referee.clock import Clock, read_clock, write_clock
from arbitre.referee.match import Match, MatchStage, write_agreed
from arbitre.referee.terms import Opening, Terms, check_name, read_opening
from arbitre.referee.verdict import Termination, Verdict, read_verdict
from arbitre.referee.verify import Proof, verify
from tests.games.conformance import parts
from tests.reasons import gives, raises
from tests.referee.tables import KEY, SEED, Hearing, kinds, make_match

WON = (Fraction(1), Fraction(0))
LOST = (Fraction(0), Fraction(1))
EQUAL = (Fraction(1, 2), Fraction(1, 2))
NONE = (Fraction(0), Fraction(0))


def verdict(hearing: Hearing) -> tuple[tuple[Fraction, ...] | None, Termination]:
    assert hearing.affairs.verdict is not None
    return hearing.affairs.verdict.scores, hearing.affairs.verdict.termination


# ── the course of a match ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_whole_match() -> None:
    hearing = Hearing(make_match())
    for number, cell in enumerate("14253"):
        hearing.say(number % 2, cell)
    assert kinds(hearing.events) == ("opened asked1 said1 asked2 said2 asked1 said1 asked2 said2 asked1 said1 ended revealed")
    assert verdict(hearing) == (WON, Termination.RULES)
    assert hearing.affairs.stage is MatchStage.CLOSED
    assert hearing.events[-1].text == SEED.hex()


def test_a_start_position() -> None:
    hearing = Hearing(make_match(start="110220000 5"))
    hearing.say(0, "9")
    hearing.say(1, "6")
    assert verdict(hearing) == (LOST, Termination.RULES)


def test_a_match_that_starts_at_its_end() -> None:
    hearing = Hearing(make_match(start="111220000"))
    assert kinds(hearing.events) == "opened ended revealed"


def test_simultaneous_moves_wait_for_each_other() -> None:
    hearing = Hearing(make_match("rochambeau", {"goal": 1}))
    assert kinds(hearing.events) == "opened asked1 asked2"
    assert hearing.say(1, "paper") == ()
    assert kinds(hearing.say(0, "rock")) == "ended revealed"
    assert verdict(hearing) == (LOST, Termination.RULES)


def test_many_players() -> None:
    hearing = Hearing(make_match("rochambeau", {"players": 3, "states": 17, "goal": 1}))
    for seat, sign in enumerate(("2", "11", "7")):
        hearing.say(seat, sign)
    assert verdict(hearing) == ((Fraction(1), Fraction(0), Fraction(0)), Termination.RULES)


@pytest.mark.parametrize("name", [one.name for one in listings()])
def test_a_move_stands_in_the_record_in_its_one_text(name: str) -> None:
    """However a player spells it; a record that holds it otherwise was not written by our referee."""
    random = Random(name)
    hearing = Hearing(make_match(name, parts(name).PRESETS[0], terms=Terms(refusals=None)))
    notation = hearing.match.notation
    for _ in range(30):
        if not hearing.affairs.questions:
            break
        seat = min(hearing.affairs.questions)
        text = notation.write(hearing.match.game.sample(hearing.affairs.questions[seat].view, random))
        phase = hearing.affairs.phase
        assert isinstance(phase, Awaits)
        said = Event(Kind.SAID, 0, seat, phase.turn, f" {text} ")
        with raises(SpellingError, "the move"):
            hearing.match.hear(hearing.affairs, said)
        taken, hearing.affairs, outputs = hearing.match.take(hearing.affairs, said)
        assert taken.text == text
        assert all(output.kind is not Kind.REFUSED for output in outputs)


def test_a_start_position_has_one_text() -> None:
    assert make_match(start="120010000").opening.start == "120010000 4"
    text = make_match(start="120010000").opening.text()
    with raises(RecordError, "the opening is not in canonical form"):
        read_opening(text.replace("120010000 4", "120010000"))


# ── refusals ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_illegal_move_costs_the_match() -> None:
    hearing = Hearing(make_match())
    hearing.say(0, "5")
    assert kinds(hearing.say(1, "5")) == "refused2 ended revealed"
    assert verdict(hearing) == (WON, Termination.ILLEGAL_MOVE)
    assert hearing.affairs.verdict is not None
    assert hearing.affairs.verdict.reason == Reason("occupied", cell=5)


@pytest.mark.parametrize("said", ["5", "x", "", "💥" * 9_999])
def test_the_terms_may_forgive(said: str) -> None:
    hearing = Hearing(make_match(terms=Terms(refusals=2)))
    hearing.say(0, "5")
    assert kinds(hearing.say(1, said)) == "refused2 asked2"
    assert kinds(hearing.say(1, said)) == "refused2 asked2"
    assert kinds(hearing.say(1, said)) == "refused2 ended revealed"


def test_the_terms_may_forgive_for_ever() -> None:
    hearing = Hearing(make_match(terms=Terms(refusals=None)))
    for _ in range(100):
        assert kinds(hearing.say(0, "0")) == "refused1 asked1"
    assert kinds(hearing.say(0, "1")) == "asked2"


# ── time ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("clock", "answers", "late"),
    [
        ("100ms/move", [(0, 100), (1, 100), (0, 100)], None),
        ("100ms/move", [(0, 100), (1, 101)], 1),
        ("100ms", [(0, 60), (1, 100), (0, 40)], None),
        ("100ms", [(0, 60), (1, 100), (0, 41)], 0),
        ("100ms+10ms", [(0, 60), (1, 100), (0, 50), (1, 10)], None),
        ("100ms+10ms", [(0, 60), (1, 100), (0, 50), (1, 11)], 1),
    ],
)
def test_clocks(clock: str, answers: list[tuple[int, int]], late: int | None) -> None:
    hearing = Hearing(make_match(clock=clock))
    at = 0
    for (seat, spent), cell in zip(answers, "12345", strict=False):
        at += spent
        hearing.say(seat, cell, at)
    if late is None:
        assert hearing.affairs.verdict is None
    else:
        assert verdict(hearing) == (LOST if late == 0 else WON, Termination.OUT_OF_TIME)


def test_silence_loses_when_the_clock_is_looked_at() -> None:
    hearing = Hearing(make_match(clock="100ms/move"))
    assert hearing.match.deadline(hearing.affairs) == 101
    with raises(TranscriptError, "before anybody was late"):
        hearing.hear(Kind.TICKED, at=100)
    hearing.hear(Kind.TICKED, at=101)
    assert verdict(hearing) == (LOST, Termination.OUT_OF_TIME)


@pytest.mark.parametrize(("clock", "at"), [("none", 0), ("1h", 54_001)])
def test_a_seat_that_lets_its_own_limit_pass_is_out_of_time_with_a_clock_or_without(clock: str, at: int) -> None:
    hearing = Hearing(make_match(clock=clock))
    with raises(TranscriptError, "which was not asked"):
        hearing.hear(Kind.TICKED, 1, Reason("quoted", text="no answer within 54 seconds"), at=at, turn=1)
    hearing.hear(Kind.TICKED, 0, Reason("quoted", text="no answer within 54 seconds"), at=at, turn=1)
    assert verdict(hearing) == (LOST, Termination.OUT_OF_TIME)
    assert hearing.affairs.verdict is not None
    assert hearing.affairs.verdict.reason == Reason("quoted", text="no answer within 54 seconds")


def test_both_may_be_late_at_once() -> None:
    hearing = Hearing(make_match("rochambeau", clock="100ms/move"))
    hearing.hear(Kind.TICKED, at=101)
    assert verdict(hearing) == (NONE, Termination.OUT_OF_TIME)


def test_each_is_charged_to_its_own_answer() -> None:
    hearing = Hearing(make_match("rochambeau", clock="100ms"))
    hearing.say(1, "rock", at=10)
    hearing.say(0, "rock", at=90)
    assert hearing.affairs.left == (10, 90)


def test_a_refused_try_gets_no_fresh_time() -> None:
    for clock in ("100ms/move", "100ms+50ms"):
        hearing = Hearing(make_match(terms=Terms(read_clock(clock), refusals=9)))
        hearing.say(0, "x", at=70)
        assert hearing.events[-1] == Event(Kind.ASKED, 70, 0, 1, "30")
        hearing.say(0, "1", at=101)
        assert verdict(hearing) == (LOST, Termination.OUT_OF_TIME)


def test_where_silence_is_heard_the_game_goes_on() -> None:
    hearing = Hearing(make_match("rochambeau", {"players": 3, "goal": 0}, clock="100ms/move"))
    hearing.say(0, "rock", at=5)
    hearing.hear(Kind.TICKED, at=101)
    assert verdict(hearing) == ((Fraction(1), Fraction(0), Fraction(0)), Termination.RULES)


def test_down_time_is_nobodys() -> None:
    hearing = Hearing(make_match(clock="100ms/move"))
    hearing.say(0, "1", at=40)
    assert kinds(hearing.hear(Kind.RESUMED, at=5_000)) == "asked2"
    hearing.say(1, "2", at=5_100)
    assert hearing.affairs.verdict is None


# ── other ways to stop ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "termination"),
    [
        (Kind.RESIGNED, Termination.RESIGNED),
        (Kind.LEFT, Termination.DISCONNECTED),
        (Kind.GARBLED, Termination.PROTOCOL_ERROR),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_may_stop_it(kind: Kind, termination: Termination, seat: int) -> None:
    hearing = Hearing(make_match())
    hearing.hear(kind, seat, Reason("quoted", text="why"))
    assert verdict(hearing) == (LOST if seat == 0 else WON, termination)


def test_where_nobody_comes_nobody_wins() -> None:
    hearing = Hearing(make_match())
    hearing.hear(Kind.LEFT, NOBODY, Reason("quoted", text="no file"))
    assert verdict(hearing) == (NONE, Termination.DISCONNECTED)


def test_resignation_may_be_forbidden() -> None:
    hearing = Hearing(make_match(terms=Terms(resign=False)))
    assert kinds(hearing.hear(Kind.RESIGNED, 0)) == "refused1"
    assert hearing.affairs.verdict is None


def test_secrets_stay_closed_until_the_resignation_is_acknowledged() -> None:
    hearing = Hearing(make_match(terms=Terms(acknowledge=True)))
    assert kinds(hearing.hear(Kind.RESIGNED, 0)) == "ended"
    assert hearing.affairs.stage is MatchStage.CLOSING
    with raises(TranscriptError, "nothing to acknowledge"):
        hearing.hear(Kind.ACKNOWLEDGED, 0)
    assert kinds(hearing.hear(Kind.ACKNOWLEDGED, 1)) == "revealed"


def test_the_house_may_fail_and_that_is_no_result() -> None:
    hearing = Hearing(make_match())
    hearing.say(0, "1")
    hearing.hear(Kind.ABANDONED, text=Reason("quoted", text="the disk is full"))
    assert verdict(hearing) == (None, Termination.ABANDONED)


def test_the_terms_may_end_it() -> None:
    hearing = Hearing(make_match(terms=Terms(turns=2)))
    hearing.say(0, "1")
    hearing.say(1, "2")
    assert verdict(hearing) == (EQUAL, Termination.ADJUDICATED)


def test_strays_are_kept_and_change_nothing() -> None:
    hearing = Hearing(make_match())
    before = hearing.affairs
    assert hearing.hear(Kind.STRAY, 1, "me first") == ()
    assert hearing.affairs == before._replace(events=hearing.affairs.events, octets=hearing.affairs.octets)


# ── what no referee takes ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "seat", "turn"),
    [
        (Kind.SAID, 1, 1),
        (Kind.SAID, 0, 2),
        (Kind.SAID, 7, 1),
        (Kind.SAID, -1, 1),
        (Kind.LEFT, 2, 1),
        (Kind.GARBLED, -1, 1),
        (Kind.TICKED, -1, 1),
        (Kind.AGREED, 0, 1),
        (Kind.DECLINED, 0, 1),
        (Kind.DECLINED, -1, 1),
        (Kind.SETTLED, 0, 1),
        (Kind.OPENED, 0, 1),
        (Kind.ENDED, 0, 1),
        (Kind.REVEALED, 0, 1),
        (Kind.ASKED, 0, 1),
    ],
)
def test_impossible_inputs(kind: Kind, seat: int, turn: int) -> None:
    hearing = Hearing(make_match())
    with pytest.raises(TranscriptError):
        hearing.hear(kind, seat, "1", turn=turn)


def test_nothing_follows_the_end() -> None:
    hearing = Hearing(make_match(start="111220000"))
    for kind in Kind:
        with pytest.raises(TranscriptError):
            hearing.hear(kind, 0, "1")


# ── chance ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nonces_are_opened_before_play() -> None:
    nonces = [bytes([n]) * 32 for n in range(2)]
    hearing = Hearing(make_match("poker", nonces=dict(enumerate(nonces))))
    assert kinds(hearing.events) == "opened"
    assert hearing.agree(1, nonces[1]) == ()
    with raises(TranscriptError, "was not to agree to anything", seat=1):
        hearing.agree(1, nonces[1])
    assert kinds(hearing.agree(0, nonces[0])) == "drawn drawn drawn drawn asked1"
    plain = Hearing(make_match("poker"))
    assert [e.text for e in plain.events if e.kind is Kind.DRAWN] != [e.text for e in hearing.events if e.kind is Kind.DRAWN]
    assert [e.text.partition("/")[2] for e in plain.events if e.kind is Kind.DRAWN] == ["52", "51", "50", "49"]


@pytest.mark.parametrize("nonce", [None, "", "zz", "00" * 32, "00" * 31])
def test_a_false_nonce_loses(nonce: str | None) -> None:
    hearing = Hearing(make_match("poker", nonces={1: b"\1" * 32}))
    hearing.hear(Kind.AGREED, 1, write_agreed(nonce, None))
    assert verdict(hearing) == (WON, Termination.PROTOCOL_ERROR)
    assert hearing.affairs.verdict is not None
    assert hearing.affairs.verdict.reason.code == "false-nonce"


PLAYER = Key(b"\7" * 32)


def test_a_promise_is_of_one_seat_and_one_match() -> None:
    """A promise that the other seat copied cannot be opened by it, whoever knows the nonce."""
    nonce = b"\7" * 32
    match = make_match("poker", nonces={0: nonce})
    promises = match.opening.promises or {}
    copied = Match(replace(match.opening, promises={0: promises[0], 1: promises[0]}), match.seed)
    hearing = Hearing(copied)
    hearing.agree(0, nonce)
    hearing.agree(1, nonce)
    assert verdict(hearing) == (WON, Termination.PROTOCOL_ERROR)


def test_a_seat_with_a_key_signs_the_opening_and_its_questions_hold_what_it_was_shown() -> None:
    hearing = Hearing(make_match(keys={0: PLAYER}, clock="5s/move"))
    assert kinds(hearing.events) == "opened"
    [asked] = hearing.agree(0, key=PLAYER)
    assert asked.text == canonical({"left": 5000, "view": view_hash("000000000 1")})
    assert hearing.say(0, "5")[0].text == "5000", "the other seat has no key"


@pytest.mark.parametrize("kind", [one for one in Statement if one is not Statement.AGREED])
@pytest.mark.parametrize("seat", [0, 1])
def test_no_other_signature_passes_for_an_agreement(kind: Statement, seat: int) -> None:
    hearing = Hearing(make_match(keys={0: PLAYER}))
    wrong = hearing.match.called.sign(PLAYER, kind, seat).hex()
    hearing.hear(Kind.AGREED, 0, write_agreed(None, wrong))
    assert verdict(hearing) == (LOST, Termination.PROTOCOL_ERROR)
    assert hearing.affairs.verdict is not None
    assert hearing.affairs.verdict.reason.code == "false-signature"


def test_who_declines_the_opening_loses_and_who_does_not_come_need_not_have() -> None:
    declined = Hearing(make_match(keys={0: PLAYER}))
    declined.hear(Kind.DECLINED, 0, "opening")
    assert verdict(declined) == (LOST, Termination.RESIGNED)
    absent = Hearing(make_match(keys={0: PLAYER}))
    absent.hear(Kind.DECLINED, text=Reason("seat-not-come", seat=1, seconds="60"))
    assert absent.affairs.verdict is not None
    assert (absent.affairs.verdict.scores, absent.affairs.verdict.termination) == (None, Termination.NOT_PLAYED)
    for hearing in (declined, absent):
        assert verify(hearing.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED


def test_a_draw_is_offered_until_the_other_moves_and_taken() -> None:
    hearing = Hearing(make_match())
    with pytest.raises(TranscriptError):
        hearing.hear(Kind.SETTLED, 1)
    hearing.hear(Kind.OFFERED, 0)
    hearing.say(0, "1")
    assert hearing.affairs.offers == {0}, "the one who offers may move"
    hearing.say(1, "2")
    assert not hearing.affairs.offers, "the other moved on"
    with pytest.raises(TranscriptError):
        hearing.hear(Kind.SETTLED, 1)
    hearing.hear(Kind.OFFERED, 1)
    with pytest.raises(TranscriptError):
        hearing.hear(Kind.OFFERED, 1)
    assert kinds(hearing.hear(Kind.SETTLED, 0)) == "ended revealed"
    assert verdict(hearing) == (EQUAL, Termination.AGREED)
    assert verify(hearing.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED


def test_notes_are_kept_and_bounded() -> None:
    hearing = Hearing(make_match())
    before = hearing.affairs.truth
    assert hearing.hear(Kind.NOTED, 0, "é" * 2048) == ()
    assert hearing.affairs.truth == before
    with raises(TranscriptError, "a note of more than", most=4096):
        hearing.hear(Kind.NOTED, 0, "é" * 2048 + "x")


@pytest.mark.parametrize(("name", "most"), [("LAST_EVENTS", 6), ("LAST_OCTETS", 2_000)])
def test_a_match_that_no_record_can_hold_is_ended(monkeypatch: pytest.MonkeyPatch, name: str, most: int) -> None:
    monkeypatch.setattr(f"arbitre.referee.match.{name}", most)
    hearing = Hearing(make_match(terms=Terms(refusals=None)))
    while hearing.affairs.verdict is None:
        hearing.say(0, "nonsense")
    assert verdict(hearing) == (EQUAL, Termination.ADJUDICATED)
    assert hearing.affairs.verdict.reason.code == "too-long"
    assert hearing.affairs.octets >= len(hearing.record(sealed=False).text().encode()), "never less than there are"


def test_another_seed_is_refused() -> None:
    match = make_match()
    with raises(TranscriptError, "not the one that was committed"):
        type(match)(match.opening, bytes(32))


# ── terms and openings in text ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("none", Clock()),
        ("5s/move", Clock("move", 5_000)),
        ("200ms/move", Clock("move", 200)),
        ("0.5s/move", Clock("move", 500)),
        ("2m", Clock("game", 120_000)),
        ("2min+1s", Clock("game", 120_000, 1_000)),
        ("1h+0.1s", Clock("game", 3_600_000, 100)),
    ],
)
def test_clocks_in_text(text: str, clock: Clock) -> None:
    assert read_clock(text) == clock
    assert read_clock(write_clock(clock)) == clock


@pytest.mark.parametrize("text", ["", "5", "5s/game", "-5s", "0s", "5s+", "1.2.3s", "9999h", "٥s", "5s/move+1s", "s"])
def test_bad_clocks(text: str) -> None:
    with pytest.raises(TermsError):
        read_clock(text)


@pytest.mark.parametrize(
    "match",
    [
        make_match(),
        make_match("rochambeau", {"players": 3}, clock="5s/move"),
        make_match("poker", nonces={0: b"n" * 32}, keys={1: PLAYER}, terms=Terms(read_clock("1m+1s"), None, False, True, 7)),
        make_match(start="112200000 5"),
    ],
)
def test_openings_in_text(match: object) -> None:
    opening: Opening = match.opening  # type: ignore[attr-defined]
    again = read_opening(opening.text())
    assert again == opening
    assert again.text() == opening.text()


@pytest.mark.parametrize("version", [1, 3, 99])
def test_a_record_of_another_format_is_named(version: int) -> None:
    hearing = Hearing(make_match())
    old = hearing.record().text().replace('\\"arbitre\\":2', f'\\"arbitre\\":{version}')
    found = verify(old.encode())
    assert found.standing is Proof.FOREIGN
    assert gives(found.why, "this record has format", version=version, known=2)


@pytest.mark.parametrize("name", ["Ada", "é" * 80, "Ada  Byron", "\N{ZERO WIDTH JOINER}", "عدا"])
def test_names(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name", ["", "x" * 81, " Ada", "Ada ", "A\tB", "A\x7fB", "A\x85B", "A\u2028B", "A\u202eB", "A\u2066B", "\ud800"]
)
def test_no_names(name: str) -> None:
    with pytest.raises(TermsError):
        check_name(name)


def test_a_reason_is_read_as_it_was_written_where_nobody_declared_its_codes() -> None:
    written = '{"code":"strange.lost","why":{"code":"strange.tired","seat":1}}'
    assert read_reason(written) == Reason("strange.lost", why=Reason("strange.tired", seat=1))


def test_verdicts_in_text() -> None:
    for one in (
        Verdict((Fraction(1, 3),) * 3, Termination.RULES, Reason("board-full"), (1, 2, 3)),
        Verdict(None, Termination.ABANDONED, Reason("quoted", text="é")),
    ):
        assert read_verdict(one.text()) == one
