"""A record proves itself: whatever is changed in it, by anybody, is found."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement, code_hash
from arbitre.errors import RecordError
from arbitre.games.catalogue import game as make_game
from arbitre.games.catalogue import listings
from arbitre.reasons import Reason
from arbitre.records.event import Event, Kind, read_event
from arbitre.records.record import Chain, Record, Seal, Word
from arbitre.referee.match import Match
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Termination, Verdict
from arbitre.referee.verify import Proof, verify
from tests.games.conformance import parts
from tests.reasons import gives, raises
from tests.referee.tables import KEY, SEED, Hearing, kinds, make_match, random_hearing

PLAYER = Key(b"\1" * 32)

GAMES = [one.name for one in listings()]


def sealed(events: list[Event], key: Key = KEY) -> bytes:
    """Return a record of these events with a true chain and a true signature, whatever they say."""
    chain = Chain(SEED)
    chain.add(events)
    keys = [""] * 2
    return Record(tuple(events), chain.seal(key, keys)).text().encode()


def standing(data: bytes, given: str | None = KEY.fingerprint) -> Proof:
    return verify(data, given=given).standing


def short_hearing() -> Hearing:
    hearing = Hearing(make_match(clock="5s/move"))
    for number, cell in enumerate("14253"):
        hearing.say(number % 2, cell, at=10 * number + 7)
    return hearing


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("clock", ["none", "1m+100ms"])
def test_random_matches_verify(name: str, clock: str) -> None:
    presets: list[dict[str, Any]] = parts(name).PRESETS
    for number, preset in enumerate(presets):
        terms = Terms(make_match(clock=clock).clock, refusals=None)
        hearing = random_hearing(make_match(name, preset, terms=terms), Random(number))
        found = verify(hearing.record().text().encode(), keys={KEY.fingerprint})
        assert found.standing is Proof.VERIFIED, found.line
        assert found.verdict == hearing.affairs.verdict
        assert found.events == len(hearing.events)


def test_standings() -> None:
    data = short_hearing().record().text().encode()
    assert standing(data) is Proof.VERIFIED
    assert verify(data, keys={KEY.fingerprint}).standing is Proof.VERIFIED
    assert verify(data).standing is Proof.INTACT
    assert verify(data, keys={"0" * 32}).standing is Proof.INTACT
    other = verify(data, given="0" * 32)
    assert other.standing is Proof.BROKEN
    assert gives(other.why, "signed by key", key=KEY.fingerprint, given="0" * 32)
    unsigned = short_hearing().record(sealed=False).text().encode()
    whole, cut = verify(unsigned), verify(unsigned[: unsigned.rindex(b'{"at"')])
    assert whole.standing is cut.standing is Proof.INCOMPLETE
    assert gives(whole.why, "events follow, but nobody signed them", events=13)
    assert gives(cut.why, "no end; without the seed nothing is proven", events=12)


def test_an_external_referee_is_believed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_hearing(make_match("connectfour"), Random(1)).record().text().encode()
    assert standing(data) is Proof.VERIFIED
    monkeypatch.setattr("arbitre_connectfour.rules.ConnectFour.neutral", frozenset({1}))
    assert standing(data) is Proof.ATTESTED
    assert verify(data).standing is Proof.INTACT, "a stranger's word about a stranger's word"


def test_any_change_of_any_octet_is_found() -> None:
    data = short_hearing().record().text().encode()
    random = Random(1)
    for at in range(len(data)):
        for changed in {data[at] ^ 1, data[at] ^ 0x20, 0x20, 0x0A, random.randrange(256)} - {data[at]}:
            assert standing(data[:at] + bytes([changed]) + data[at + 1 :]) is not Proof.VERIFIED
        assert standing(data[:at] + data[at + 1 :]) is not Proof.VERIFIED
        assert standing(data[:at] + b" " + data[at:]) is not Proof.VERIFIED


def test_any_dropped_swapped_or_repeated_event_is_found() -> None:
    lines = short_hearing().record().text().splitlines(keepends=True)
    for at in range(len(lines)):
        assert standing("".join(lines[:at] + lines[at + 1 :]).encode()) is not Proof.VERIFIED
        assert standing("".join([*lines[:at], lines[at], *lines[at:]]).encode()) is not Proof.VERIFIED
        for to in range(at):
            swapped = list(lines)
            swapped[at], swapped[to] = swapped[to], swapped[at]
            if swapped != lines:
                assert standing("".join(swapped).encode()) is not Proof.VERIFIED


def test_not_even_the_referee_can_lie() -> None:
    """A change that is chained and signed anew with the right key still does not follow from the rules."""
    honest = short_hearing().events
    lies = {
        "another move": (2, "text", "9"),
        "another player": (2, "seat", 1),
        "an answer before its question": (4, "at", 3),
        "a late answer": (2, "at", 5_001),
        "another time left": (1, "text", "9999"),
        "another turn": (4, "turn", 3),
        "another verdict": (11, "text", Verdict(None, Termination.ABANDONED, Reason("quoted", text="oh")).text()),
        "another seed": (12, "text", "00" * 32),
        "another opening": (0, "text", honest[0].text.replace("Ada", "")),
    }
    for what, (index, field, value) in lies.items():
        events = list(honest)
        events[index] = Event(**{**events[index]._asdict(), field: value})
        found = verify(sealed(events), given=KEY.fingerprint)
        assert found.standing is Proof.BROKEN, what
        assert found.event is not None, what
        assert found.event - 1 >= index or what == "another seed", f"{what}: {found.line}"


def test_the_line_says_what_and_where() -> None:
    events = list(short_hearing().events)
    events[6] = events[6]._replace(text="4")
    found = verify(sealed(events))
    assert found.standing is Proof.BROKEN
    assert gives(found.why, "reads otherwise", event=8, value="refused")


@pytest.mark.parametrize("what", ["extra output", "input after the end", "no opening", "two openings", "cut", "empty"])
def test_other_lies(what: str) -> None:
    events = list(short_hearing().events)
    match what:
        case "extra output":
            events.insert(3, events[1])
        case "input after the end":
            events.append(Event(Kind.STRAY, 0, 0, 0, ""))
        case "no opening":
            events.pop(0)
        case "two openings":
            events.insert(1, events[0])
        case "cut":
            events = events[:6]
        case "empty":
            events = []
    assert standing(sealed(events)) is Proof.BROKEN


def signed_by_a_player(state: SeatState = SeatState.SIGNED) -> tuple[Hearing, Word]:
    """Return a match in which Ada has a key, and what she says of it."""
    hearing = Hearing(make_match(keys={0: PLAYER}))
    hearing.agree(0, key=PLAYER)
    for number, cell in enumerate("14253"):
        hearing.say(number % 2, cell)
    subject = hearing.chain().subject
    if state is SeatState.SIGNED:
        return hearing, Word(state, subject.sign(PLAYER, Statement.PLAYED, 0).hex())
    if state is SeatState.DECLINED:
        return hearing, Word(state, subject.sign(PLAYER, Statement.DISPUTED, 0, code_hash("head")).hex(), "head")
    return hearing, Word(state)


def sealed_with(hearing: Hearing, *words: Word) -> bytes:
    """Return a record in which the referee signs whatever he is told that the seats say."""
    return hearing.record(words=words).text().encode()


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (SeatState.SIGNED, "%(summary)s, signed by %(names)s"),
        (SeatState.DECLINED, "%(summary)s, disputed by %(names)s"),
        (SeatState.SILENT, "%(summary)s, not signed by %(names)s"),
    ],
)
def test_what_a_seat_says_of_a_record_is_told(state: SeatState, said: str) -> None:
    hearing, word = signed_by_a_player(state)
    found = verify(sealed_with(hearing, word, Word()), given=KEY.fingerprint)
    assert found.standing is Proof.VERIFIED
    assert found.words == (word, Word())
    assert gives(found.why, said)


def test_nobody_can_be_said_to_have_said_what_he_did_not() -> None:
    hearing, word = signed_by_a_player()
    subject, nobody = hearing.chain().subject, Word()
    disputed = signed_by_a_player(SeatState.DECLINED)[1]
    silent = Word(SeatState.SILENT)
    assert standing(sealed_with(hearing, word, nobody)) is Proof.VERIFIED
    lies = {
        "keyless though it has a key": (nobody, nobody),
        "silent though it has none": (silent, silent),
        "signed without a key": (word, word),
        "signed, and nothing is there": (Word(SeatState.SIGNED), nobody),
        "silent with a signature": (Word(SeatState.SILENT, word.signature), nobody),
        "silent with a code": (Word(SeatState.SILENT, "", "head"), nobody),
        "declined under a signature that agrees": (Word(SeatState.DECLINED, word.signature, "head"), nobody),
        "signed under a signature that declines": (Word(SeatState.SIGNED, disputed.signature), nobody),
        "another code": (Word(SeatState.DECLINED, disputed.signature, "chain"), nobody),
        "no code": (Word(SeatState.DECLINED, disputed.signature), nobody),
        "by seat 1": (Word(SeatState.SIGNED, subject.sign(PLAYER, Statement.PLAYED, 1).hex()), nobody),
        "as agreement": (Word(SeatState.SIGNED, subject.sign(PLAYER, Statement.AGREED, 0).hex()), nobody),
        "by the referee": (Word(SeatState.SIGNED, subject.sign(KEY, Statement.PLAYED, 0).hex()), nobody),
        "of another count": (Word(SeatState.SIGNED, replace(subject, count=3).sign(PLAYER, Statement.PLAYED, 0).hex()), nobody),
        "of another match": (
            Word(SeatState.SIGNED, replace(subject, opening=bytes(32)).sign(PLAYER, Statement.PLAYED, 0).hex()),
            nobody,
        ),
    }
    for what, words in lies.items():
        found = verify(sealed_with(hearing, *words), given=KEY.fingerprint)
        assert found.standing is Proof.BROKEN, what
        assert gives(found.why, "what the seal says of seat"), what


def test_the_seal_speaks_of_every_seat() -> None:
    hearing, word = signed_by_a_player()
    chain = hearing.chain()
    for words in ((word,), (word, Word(), Word()), ()):
        seal = chain.seal(KEY, [PLAYER.public.hex(), "", ""][: len(words)], words)
        found = verify(Record(tuple(hearing.events), seal).text().encode(), given=KEY.fingerprint)
        assert gives(found.why, "the seal speaks of", found=len(words), seats=2)


@pytest.mark.parametrize("kind", [one for one in Statement if one is not Statement.SEALED])
def test_nobody_else_seals(kind: Statement) -> None:
    hearing, word = signed_by_a_player()
    chain, keys = hearing.chain(), hearing.match.opening.keys
    honest = chain.seal(KEY, keys, (word, Word()))
    others = {
        "another key": chain.seal(PLAYER, keys, (word, Word())).signature,
        "another kind": chain.subject.sign(KEY, kind, rest=honest.rest(keys)).hex(),
        "a seat": chain.subject.sign(KEY, Statement.SEALED, 0, honest.rest(keys)).hex(),
        "the player's own": word.signature,
    }
    for what, signature in others.items():
        seal = Seal(honest.count, honest.head, honest.seats, signature)
        found = verify(Record(tuple(hearing.events), seal).text().encode())
        assert found.standing is Proof.BROKEN, what
        assert gives(found.why, "the signature of the referee whom the opening names is false"), what


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"x",
        b"\xff\n",
        b"{}\n",
        b"[" * 100_000 + b"\n",
        b'{"at":' + b"9" * 10_000 + b"}\n",
        b'{"a":' * 100_000 + b"\n",
        b"null\n",
        b'{"count":1}\n',
        b'{"count":0,"head":"","seats":[],"signature":""}\n',
        b'{"at":0,"kind":"opened","seat":-1,"text":"{}","turn":0}\n',
        b'{"at":0,"kind":"opened","seat":-1,"text":"","turn":0}\n',
        b'{"at":true,"kind":"opened","seat":-1,"text":"","turn":0}\n',
        b'{"at":0,"kind":"opened","kind":"opened","seat":-1,"text":"","turn":0}\n',
        b'{"at":NaN,"kind":"opened","seat":-1,"text":"","turn":0}\n',
        b'{"at":0,"kind":"opened","seat":-1,"text":"\\ud800","turn":0}\n',
    ],
)
def test_garbage_is_broken_and_nothing_else(data: bytes) -> None:
    found = verify(data)
    assert found.standing is Proof.BROKEN
    assert len(found.line) < 500


def test_hostile_openings() -> None:
    good = short_hearing().events[0].text
    for old, new in (
        ('"tictactoe"', '"nosuchgame"'),
        ('"options":{}', '"options":{"cells":9}'),
        ('"options":{}', '"options":{"states":[1]}'),
        ('"5s/move"', '"9s"'),
        ('"start":""', '"start":"999"'),
        ('"start":""', '"start":"' + "0" * 100_000 + '"'),
        ('"promises":{}', '"promises":{"x":""}'),
        ('"refusals":0', '"refusals":-1'),
        ('"refusals":0', '"refusals":false'),
        ('"refusals":0', '"refusals":' + "9" * 4_000),
        ('"notes":{}', '"notes":{"date":NaN}'),
        ('"notes":{}', '"notes":{"date":' + "[" * 900 + "]" * 900 + "}"),
        ('"Ada"', '"\\u001b[2JAda"'),
        ('"Ada"', '""'),
        ('"Ada"', '" Ada"'),
        ('"notes":{}', '"notes":{"Datum":""}'),
        ('"log":null', '"log":{}'),
        ('"log":null', '"log":{"key":"00","within":1}'),
        ('"opened":0', '"opened":true'),
        ('"opened":0', '"opened":-1'),
        ('"referee":"', '"referee":"0'),
        ('"Ada"', '"' + "A" * 100_000 + '"'),
        ('"promises":{}', '"promises":{"0":""}'),
        ('"promises":{}', '"promises":{"7":"' + "0" * 64 + '"}'),
        ('"chairs":[', '"chairs":[7,'),
        ('"chairs":[', '"chairs":[{"key":"","name":"x","player":""},'),
    ):
        assert old in good
        events = list(short_hearing().events)
        events[0] = events[0]._replace(text=good.replace(old, new))
        found = verify(sealed(events))
        assert found.standing is Proof.BROKEN, new
        assert found.event in (1, 2, 3), found.line
        assert len(found.line) < 500


def test_a_players_signature_cannot_be_changed_or_taken_off() -> None:
    hearing, word = signed_by_a_player()
    data = sealed_with(hearing, word, Word())
    seal = data.rindex(b'{"count"')
    for at in range(seal, len(data)):
        assert standing(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]) is Proof.BROKEN
    without = data.replace(word.signature.encode(), b"").replace(b'"state":"signed"', b'"state":"silent"')
    assert standing(without) is Proof.BROKEN


@pytest.mark.parametrize(
    ("kind", "seat", "at", "clock"),
    [
        pytest.param(Kind.STRAY, 0, 5, "none", id="a time where no clock runs"),
        pytest.param(Kind.RESIGNED, 0, 5, "none", id="a resignation where no clock runs"),
        pytest.param(Kind.RESUMED, -1, 3, "5s/move", id="resumed before the question"),
        pytest.param(Kind.LEFT, 1, 3, "5s/move", id="left before the question"),
        pytest.param(Kind.STRAY, 9, 10, "5s/move", id="somebody who is not at the table"),
        pytest.param(Kind.STRAY, -1, 10, "5s/move", id="everybody out of turn"),
        pytest.param(Kind.RESUMED, 0, 10, "5s/move", id="a player resumes"),
        pytest.param(Kind.ABANDONED, 1, 10, "5s/move", id="a player abandons"),
    ],
)
def test_times_and_seats_that_cannot_be(kind: Kind, seat: int, at: int, clock: str) -> None:
    hearing = Hearing(make_match(clock=clock))
    hearing.say(0, "1", at=7 if clock != "none" else 0)
    events = [*hearing.events, Event(kind, at, seat, 2, "x")]
    found = verify(sealed([*events, Event(Kind.REVEALED, at, -1, 0, SEED.hex())]))
    assert (found.standing, found.event) == (Proof.BROKEN, len(events)), found.line


def test_numbers_have_bounds() -> None:
    for line in (
        '{"at":-1,"kind":"stray","seat":0,"text":"","turn":0}',
        '{"at":9007199254740992,"kind":"stray","seat":0,"text":"","turn":0}',
        '{"at":0,"kind":"stray","seat":-2,"text":"","turn":0}',
        '{"at":0,"kind":"stray","seat":0,"text":"","turn":-1}',
    ):
        with raises(RecordError, "out of bounds"):
            read_event(line)


def test_what_is_found_is_one_short_line_that_no_terminal_obeys() -> None:
    hearing = Hearing(make_match())
    said = "\x1b[2Jenough\n✓ verified: \u202e" + "x" * 4_000
    hearing.hear(Kind.RESIGNED, 0, Reason("quoted", text=said))
    found = verify(hearing.record().text().encode(), given=KEY.fingerprint)
    assert found.standing is Proof.VERIFIED, found.line
    line = found.line
    assert line.isprintable()
    assert len(line) < 500


def test_interruptions_are_told() -> None:
    hearing = Hearing(make_match(clock="5s/move"))
    for number, cell in enumerate("14253"):
        hearing.hear(Kind.RESUMED, at=10 * number)
        hearing.say(number % 2, cell, at=10 * number + 7)
    assert gives(verify(hearing.record().text().encode(), given=KEY.fingerprint).why, "interrupted", pauses=5)


def test_a_table_of_a_thousand() -> None:
    game = make_game("rochambeau", {"players": 1000, "goal": 0})
    chairs = tuple(Chair(f"player {n}") for n in range(1000))
    match = Match(Opening("t", game, chairs, make_match().opening.commitment, referee=KEY.public.hex()), SEED)
    hearing = random_hearing(match, Random(1))
    found = verify(hearing.record().text().encode(), given=KEY.fingerprint)
    assert found.standing is Proof.VERIFIED, found.line
    assert len(found.line) < 500


def test_rules_that_fail_break_one_record_and_not_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    data = short_hearing().record().text().encode()

    def fails(*_: object) -> None:
        raise KeyError("deep inside")

    monkeypatch.setattr("arbitre.games.tictactoe.rules.TicTacToe.play", fails)
    found = verify(data, given=KEY.fingerprint)
    assert found.standing is Proof.BROKEN
    assert gives(found.why, "the rules fail on it", kind="KeyError", error="'deep inside'")


def test_the_story_of_a_hearing() -> None:
    assert kinds(short_hearing().events[-2:]) == "ended revealed"
