"""The file survives the mail, says nothing by its length, and falls over nothing that is fed to it."""

from base64 import b64encode
from json import dumps
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.crypto.passwords import LIGHT
from arbitre.crypto.sealing import Published, Simulation, provider
from arbitre.errors import ArbitreError, GameFileError
from arbitre.kref.file import Body, Envelope, read_body, read_envelope, room, write_body
from arbitre.kref.game import Seated, call_game, read_game
from arbitre.reasons import Reason
from tests.kref.mail import forge, mangle, relabel
from tests.reasons import raises

BLACK = call_game("mail", "Bob", "black", "default", Published(), work=LIGHT, date="2026-11-16")
WHITE = BLACK.file.join("Ada", "white", LIGHT)
TEXT = WHITE.file.text()
ALPHABET = [chr(n) for n in range(35, 127)]


def test_characters_are_35_to_126() -> None:
    assert set(TEXT) - {"\n"} <= set(ALPHABET)
    assert " " not in TEXT
    assert ">" not in TEXT
    assert TEXT.startswith("#KSG-BEGIN#2#default#")
    assert TEXT.rstrip().endswith("#KSG-END#") or "".join(TEXT.split()).endswith("#KSG-END#")


@pytest.mark.parametrize("seed", range(40))
def test_mail_changes_nothing(seed: int) -> None:
    assert read_envelope(mangle(TEXT, Random(seed))) == read_envelope(TEXT)


@pytest.mark.parametrize(
    "around",
    [
        "\ufeff{}",
        "{}\u200b\u00a0",
        "see #KSG-END# and\n{}",
        "On Monday Ada wrote:\n{}\n#KSG-END#",
        "{0}\n{0}",
    ],
    ids=["byte order mark", "spaces without width or break", "an end before", "an end after", "the same file twice"],
)
def test_words_around_do_not_matter(around: str) -> None:
    assert read_envelope(around.format(TEXT)) == read_envelope(TEXT)


@given(st.text(st.sampled_from(ALPHABET), max_size=300), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_any_provider_may_use_the_whole_alphabet(sealed: str, seed: int) -> None:
    envelope = Envelope("simulation", "ab" * 16, 7, "cd" * 32, sealed)
    assert read_envelope(mangle(envelope.text(), Random(seed))) == envelope


def test_of_a_reply_above_the_old_file_the_newer_counts() -> None:
    newer = WHITE.attempt("e2e4")[0].file.text()
    quoted = "".join(f"> {line}\n" for line in TEXT.splitlines())
    assert read_envelope(newer + quoted).ply == 1
    assert read_envelope(quoted + newer).ply == 1
    another = WHITE.attempt("d2d4")[0].file.text()
    with raises(GameFileError, "different files of ply", read=2, ply=1):
        read_envelope(newer + another)


# ── nothing leaks by length ────────────────────────────────────────────────────────────────────────────────────────


def test_no_step_before_the_seventeenth_ply_changes_the_length() -> None:
    sizes = {len(BLACK.file.text()), len(TEXT)}
    seated: Seated = WHITE
    for text in ("e2e5", "d1h5", "e1e2", "a1a8", "e2e4"):
        seated, _ = seated.attempt(text)
        sizes.add(len(seated.file.text()))
    guessed = seated.guess({"e5": "q", "d5": "p"})
    sizes |= {len(guessed.file.text()), len(seated.resign().file.text())}
    assert len(sizes) == 1


@given(st.integers(0, 600), st.integers(0, 3_000))
def test_size_follows_from_the_ply(ply: int, needed: int) -> None:
    assert room(ply, needed) == room(ply, 0)
    assert room(ply, 0) <= room(ply + 1, 0)


def test_refusals_fit_into_the_padding() -> None:
    """Twenty vain tries in a turn are as long as none."""
    seated: Seated = WHITE
    for _ in range(20):
        seated, ruling = seated.attempt("e1e2")
        assert not ruling.made
    assert len(seated.file.text()) == len(TEXT)


# ── what is not a file ─────────────────────────────────────────────────────────────────────────────────────────────


DENSE = "".join(TEXT.split())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the mark #KSG-BEGIN# is missing"),
        ("hello", "the mark #KSG-BEGIN# is missing"),
        (TEXT[:2000], "truncated: the mark #KSG-END# is missing"),
        (TEXT[:2000] + TEXT, "truncated: the mark #KSG-END# is missing"),
        (DENSE.replace("#KSG-BEGIN#2#", "#KSG-BEGIN#1#"), Reason("this program knows format", one=1, version=2)),
        (DENSE.replace("#default#", "#DEFAULT#"), "its header is not in form"),
        (DENSE[:900] + "é" + DENSE[900:], "none of the characters 35 to 126"),
        (DENSE[:900] + ("A" if DENSE[900] != "A" else "B") + DENSE[901:], "damaged on the way: its sum does not fit"),
        (DENSE[:900] + DENSE[1000:], "damaged on the way: its sum does not fit"),
        ("#" * 5_000_000, Reason("no file of a game has", text=5_000_000)),
    ],
    ids=["empty", "no file", "cut", "cut, then whole", "version", "header", "foreign letter", "letter", "line lost", "long"],
)
def test_damage_is_named(text: str, why: str | Reason) -> None:
    with raises(GameFileError, why):
        read_envelope(text)


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ({"ply": 5}, "the seal is broken: the text was edited, or belongs to another file"),
        ({"game": "00" * 16}, "the seal is broken: the text was edited, or belongs to another file"),
        ({"previous": "00" * 32}, "the seal is broken: the text was edited, or belongs to another file"),
        ({"provider": "simulation"}, "the file is forged: its seal opens, but holds no game"),
        ({"provider": "nobodys"}, Reason("is installed; there are", name="nobodys")),
        ({"provider": "command:nobodys"}, "put the program that its author gave you into"),
    ],
    ids=["ply", "game", "previous head", "another provider", "unknown provider", "missing command"],
)
def test_a_header_that_was_changed_does_not_open(header: dict[str, object], why: str | Reason) -> None:
    with raises(ArbitreError, why):
        read_game(relabel(TEXT, **header), provider)


def test_a_poor_provider_is_checked_all_the_same() -> None:
    """The simulation binds nothing, but the body says which header it belongs to."""
    seated = call_game("poor", "Bob", "black", "simulation", Simulation(), work=LIGHT, date="2026-11-16")
    with raises(GameFileError, "put together from two"):
        read_game(relabel(seated.file.text(), ply=1), provider)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_fuzz_of_any_octets(octets: bytes) -> None:
    with pytest.raises(GameFileError):
        read_game(octets.decode("latin-1"), provider)


@given(st.integers(0, len(DENSE) - 1), st.sampled_from(ALPHABET), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_fuzz_of_a_file(at: int, character: str, dropped: int) -> None:
    text = DENSE[:at] + character + DENSE[at + dropped :]
    try:
        read_game(text, provider)
    except ArbitreError:
        return
    # a mark found within added characters, or the quoting sign, is the only thing that may be put in
    assert text == DENSE or character == ">" or at == 0


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["log", "black", "work", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(
    st.lists(st.text(max_size=40) | st.sampled_from([*WHITE.file.body.log, "0t:e2e4", "1t:e7e5", "0r", "1a", "1j"]), max_size=6)
)
@settings(max_examples=150, deadline=None)
def test_fuzz_of_a_log_that_was_sealed(log: list[str]) -> None:
    """A cheat who holds the key may seal any log: it is judged, and never more than refused."""
    if log == list(WHITE.file.body.log) or log == list(BLACK.file.body.log):
        return
    with pytest.raises(ArbitreError):
        read_game(forge(TEXT, lambda body: Body(tuple(log), body.marks, body.guesses)), provider)


@given(json_values)
@settings(max_examples=100, deadline=None)
def test_fuzz_of_a_body(value: object) -> None:
    for given_ in (value, {"about": "x", "guesses": value, "log": value, "marks": value}):
        with pytest.raises(GameFileError):
            read_body(b64encode(dumps(given_).encode()).decode(), "x")


def test_a_body_is_read_as_it_was_written() -> None:
    assert read_body(write_body(WHITE.file.body, 0, "x"), "x").log == WHITE.file.body.log
