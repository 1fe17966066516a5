"""Transcripts of any size: both forms, both sets of steps, and the verdict of a handful of parties give the same."""

import io
import json
import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arbitre.elections import Fault, Mode, Opening, Terms, Verdict, bulk, settle, write_commit, write_reveal
from arbitre.elections.bulk import Bulk, best_states, promising, settle_source
from arbitre.elections.bulk_plain import key
from arbitre.elections.transcript import (
    MAGIC,
    Claim,
    Entry,
    Header,
    Source,
    open_source,
    read_header,
    read_line,
    write_compact,
)
from arbitre.errors import ArbitreError, RecordError
from arbitre.games.rochambeau.rules import Sign, scores
from arbitre.reasons import Reason
from tests.elections.forge import entries, openings, written
from tests.reasons import raises

KERNELS = find_spec("numba") is not None
NEEDS_KERNELS = pytest.mark.skipif(not KERNELS, reason="needs numba")
STEPS: list[Any] = ["plain", pytest.param("lanes", marks=NEEDS_KERNELS)]
DRAFT = Terms(17)
LARGE = Terms()
STRONG = Terms(2**31 - 1, mode=Mode.STRONG, game="g")


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a dozen parties be very many."""
    monkeypatch.setattr(bulk, "DETAIL", 3)
    monkeypatch.setattr(bulk, "SHARE", 5)
    monkeypatch.setattr(bulk, "SPOOL", 100)
    monkeypatch.setattr(bulk, "BUCKETS", 4)


def settled(path: Path, steps: Any, jobs: int | None = None) -> tuple[Verdict, dict[str, Fault]]:
    with open_source(path) as source:
        verdict = settle_source(source, steps, jobs)
        return verdict, {one.player: one.fault for one in verdict.excluded}


def outline(verdict: Verdict) -> list[tuple[int, int, int, int]]:
    return [(one.counter, one.players, one.best, one.tied) for one in verdict.rounds]


# ── scores by buckets ──────────────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(st.integers(0, 63), min_size=2, max_size=60), st.integers(0, 6))
def test_the_best_is_always_in_a_promising_bucket(states: list[int], shift: int) -> None:
    """Sums of a bucket bound the scores inside it: what is left out cannot be the best."""
    buckets = (63 >> shift) + 1
    even, odd = [0] * buckets, [0] * buckets
    for state in states:
        (odd if state & 1 else even)[state >> shift] += 1
    wanted = promising(even, odd)
    reached = scores([Sign(state) for state in states])
    counts = Counter(state for state in states if state >> shift in wanted)
    best, found = best_states(counts, even, odd, shift)
    assert best == max(reached)
    assert found == {state for state, score in zip(states, reached, strict=True) if score == best}


# ── the same verdict from every form ───────────────────────────────────────────────────────────────────────────────


def mischief(terms: Terms, lines: list[Entry], random: Random) -> list[Entry]:
    """Spoil some parties in every way there is."""
    spoiled = []
    for line in lines:
        commit, reveal = line.commit or b"", line.reveal or b""
        match random.randrange(14):
            case 0:
                line = Entry(line.player, None, reveal)  # noqa: PLW2901 - that is what mischief is
            case 1:
                line = Entry(line.player, commit, None)  # noqa: PLW2901
            case 2:
                line = Entry(line.player, commit[:-1], reveal)  # noqa: PLW2901
            case 3:
                line = Entry(line.player, commit, reveal + b"\0")  # noqa: PLW2901
            case 4:
                line = Entry(line.player, commit, reveal[:-1] + bytes([reveal[-1] ^ 1]))  # noqa: PLW2901
            case 5:
                opening = Opening(bytes(random.choice([3, 16, 300])), random.choice([0, 1, terms.states]))
                line = Entry(line.player, write_commit(terms, opening), write_reveal(terms, opening))  # noqa: PLW2901
            case 6:
                line = Entry("é" + line.player, commit, reveal)  # noqa: PLW2901
            case 7:
                spoiled.append(line)
            case 8:
                spoiled.append(Entry(line.player, lines[0].commit, None))
            case 9:
                line = Entry(line.player, lines[0].commit, lines[0].reveal)  # noqa: PLW2901
        spoiled.append(line)
    return spoiled


def expected(terms: Terms, lines: list[Entry]) -> tuple[str | None, list[tuple[int, int, int, int]], dict[str, Fault]]:
    """Return what `settle` says when each player counts with the first Commit and the first Reveal."""
    commits: dict[str, bytes] = {}
    reveals: dict[str, bytes] = {}
    twice = set()
    for line in lines:
        if line.commit is not None and commits.setdefault(line.player, line.commit) != line.commit:
            twice.add(line.player)
        if line.reveal is not None:
            reveals.setdefault(line.player, line.reveal)
    faults = {}
    if terms.mode is Mode.STRONG:
        faults = dict.fromkeys(twice, Fault.EQUIVOCATED)
        commits = {name: one for name, one in commits.items() if name not in twice}
        reveals = {name: one for name, one in reveals.items() if name not in twice}
    players = {line.player for line in lines} - faults.keys()
    verdict = settle(terms, commits, reveals, players=players)
    return verdict.winner, outline(verdict), faults | {one.player: one.fault for one in verdict.excluded}


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("compact", [False, True], ids=["lines", "compact"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(terms=st.sampled_from([DRAFT, LARGE, STRONG, Terms(3), Terms(2**40 - 1)]), count=st.integers(0, 30), random=st.randoms())
def test_every_form_and_every_way_gives_the_same(
    tmp_path: Path, steps: Any, compact: bool, terms: Terms, count: int, random: Random
) -> None:
    lines = mischief(terms, entries(terms, openings(terms, count, str(random.random()))), random)
    path = written(tmp_path / "t", Header(terms), lines, compact=compact)
    verdict, faults = settled(path, steps)
    assert (verdict.winner, outline(verdict), faults) == expected(terms, lines)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("terms", [DRAFT, LARGE, STRONG], ids=["17", "usual", "strong"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_thousands_on_one_core_and_on_two(tmp_path: Path, steps: Any, terms: Terms, jobs: int) -> None:
    lines = entries(terms, openings(terms, 3_000, "several rounds 1"))
    path = written(tmp_path / "t", Header(terms), lines)
    verdict, faults = settled(path, steps, jobs)
    assert (verdict.winner, outline(verdict), faults) == expected(terms, lines)
    assert verdict.rounds[0].table == ()
    assert len(verdict.rounds[-1].table) == verdict.rounds[-1].players


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize(
    "line",
    [
        '{"player":"x","commit":"C","reveal":"R"}',
        '{"player": "x", "commit": "C", "reveal": "R"}',
        ' {"reveal" :"R" , "commit": "C",\t"player":"x"} \r',
        '{"player":"\\u0078","commit":"C","reveal":"R"}',
        '{"player":"x","commit":"C","reveal":"R","more":[1]}',
        '{"player":"x","player":"x","commit":"C","reveal":"R"}',
        '{"player":"x","commit":"CC","reveal":"RR"}',
    ],
)
def test_json_may_be_written_in_many_ways(tmp_path: Path, steps: Any, line: str) -> None:
    made = openings(DRAFT, 8)
    extra = Opening(bytes(32), 9)
    commit, reveal = write_commit(DRAFT, extra).hex(), write_reveal(DRAFT, extra).hex()
    text = (
        line.replace("CC", commit.upper())
        .replace("RR", reveal.upper())
        .replace('"C"', f'"{commit}"')
        .replace('"R"', f'"{reveal}"')
    )
    path = written(tmp_path / "t", Header(DRAFT), entries(DRAFT, made))
    path.write_bytes(path.read_bytes() + b"\n" + text.encode())
    verdict, faults = settled(path, steps)
    assert (verdict.winner, outline(verdict), faults) == expected(DRAFT, entries(DRAFT, {**made, "x": extra}))


def test_numbers_may_be_names(tmp_path: Path) -> None:
    path = written(tmp_path / "t", Header(DRAFT), [])
    one, two = openings(DRAFT, 2).values()
    with path.open("ab") as file:
        for number, opening in ((7, one), (8, two)):
            fields = {
                "player": number,
                "commit": write_commit(DRAFT, opening).hex(),
                "reveal": write_reveal(DRAFT, opening).hex(),
            }
            file.write(json.dumps(fields).encode() + b"\n")
    assert settled(path, "plain")[0].winner in {"7", "8"}


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("steps", STEPS)
def test_equal_commits_of_very_many_are_void(tmp_path: Path, steps: Any) -> None:
    opening = Opening(bytes(32), 5)
    lines = entries(DRAFT, {f"p{index}": opening for index in range(10)})
    verdict, _ = settled(written(tmp_path / "t", Header(DRAFT), lines), steps)
    assert (verdict.winner, len(verdict.tied), len(verdict.rounds)) == (None, 10, 255)
    assert outline(verdict) == expected(DRAFT, lines)[1]


@pytest.mark.parametrize("steps", STEPS)
def test_the_announced_value_of_the_header_counts(tmp_path: Path, steps: Any) -> None:
    terms = Terms(announced=True)
    made = openings(terms, 1_200)
    commits = {name: write_commit(terms, one) for name, one in made.items()}
    reveals = {name: write_reveal(terms, one) for name, one in made.items()}
    path = written(tmp_path / "t", Header(terms, b"42"), entries(terms, made))
    assert settled(path, steps)[0].winner == settle(terms, commits, reveals, b"42").winner


@NEEDS_KERNELS
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=255))
def test_names_have_the_same_number_in_the_kernel(name: str) -> None:
    from arbitre.elections import bulk_lanes  # noqa: PLC0415 - needs numba

    octets = pytest.importorskip("numpy").frombuffer(name.encode(), "uint8")
    assert int(bulk_lanes._key(octets, 0, len(octets))) == key(name)


def test_memory_and_doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player in two lines counts once, with the Commit of one and the Reveal of the other."""
    monkeypatch.setattr(bulk, "SPOOL", 1)
    made = openings(DRAFT, 5)
    lines = entries(DRAFT, made)
    split = [Entry(one.player, one.commit, None) for one in lines] + [Entry(one.player, None, one.reveal) for one in lines]
    with open_source(written(tmp_path / "t", Header(DRAFT), split)) as source:
        work = Bulk(source)
        verdict = work.settle()
    assert verdict.winner == expected(DRAFT, lines)[0]
    assert work.parties == 5
    assert len(verdict.excluded) == 0


# ── what is no transcript ──────────────────────────────────────────────────────────────────────────────────────────

HEAD = b'{"rochambeau":2,"n":17,"hash":"sha256","mode":"draft"}\n'


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\n\n", "empty", id="blank"),
        pytest.param(b"hello\n", "not JSON", id="prose"),
        pytest.param(b"[" * 100_000, "not JSON", id="brackets without end"),
        pytest.param(b"[1]\n", "not a JSON object", id="a list"),
        pytest.param(b'{"hash":"sha256"}\n', "number of states", id="no n"),
        pytest.param(b'{"rochambeau":2,"n":true}\n', "number of states", id="n is a truth"),
        pytest.param(b'{"rochambeau":2,"n":16}\n', "odd", id="n is even"),
        pytest.param(b'{"n":17}\n', Reason("this transcript is of format", given="1"), id="format 1"),
        pytest.param(b'{"rochambeau":3,"n":17}\n', Reason("this transcript is of format", given="3"), id="the future"),
        pytest.param(b'{"rochambeau":true,"n":17}\n', "this transcript is of format", id="no number"),
        pytest.param(b"rochamb\x01", Reason("this transcript is of format", given="1"), id="compact: format 1"),
        pytest.param(b'{"rochambeau":2,"n":17,"hash":"md5"}\n', "no hash", id="MD5"),
        pytest.param(b'{"rochambeau":2,"n":17,"mode":"weak"}\n', "no mode", id="a mode that is none"),
        pytest.param(b'{"rochambeau":2,"n":17,"mode":"strong"}\n', "has a name", id="strong without a game"),
        pytest.param(b'{"rochambeau":2,"n":17,"types":[1]}\n', "types", id="one type"),
        pytest.param(b'{"rochambeau":2,"n":17,"announced":"x"}\n', "hexadecimal", id="announced value"),
        pytest.param(
            HEAD + b"{}\n{\n",
            Reason("%(place)s: %(why)s", place=Reason("line %(number)s", number=3), why="not JSON"),
            id="a broken line is named",
        ),
        pytest.param(
            HEAD + b'{"player":"A","commit":"0"}\n',
            Reason("%(place)s: %(why)s", place=Reason("line %(number)s", number=2)),
            id="half an octet",
        ),
        pytest.param(
            HEAD + b'{"player":"A","commit":"00 01"}\n',
            Reason("%(place)s: %(why)s", place=Reason("line %(number)s", number=2)),
            id="blanks in a payload",
        ),
        pytest.param(HEAD + b'{"player":"","commit":null}\n', "%(place)s: %(why)s", id="nameless"),
        pytest.param(HEAD + b'{"player":["A"]}\n', "%(place)s: %(why)s", id="a list for a name"),
        pytest.param(HEAD + b'{"player":"\\ud800"}\n', "%(place)s: %(why)s", id="half a character"),
        pytest.param(HEAD + b'{"commit":"0001"}\n', "%(place)s: %(why)s", id="a Commit of nobody"),
        pytest.param(HEAD + b"x" * (5 << 20), "more than", id="a line without end"),
        pytest.param(MAGIC, Reason("the file ends in the middle of a %(what)s", what=Reason("header")), id="compact: no header"),
        pytest.param(MAGIC + b"\xff\xff\xff\xff", "ends in the middle", id="compact: a header larger than the file"),
        pytest.param(
            MAGIC + b"\0\0\0\x17" + b'{"rochambeau":2,"n":17}',
            Reason("the file ends in the middle of a %(what)s", what=Reason("block")),
            id="compact: no end",
        ),
        pytest.param(
            MAGIC + b"\0\0\0\x17" + b'{"rochambeau":2,"n":17}' + b"\0\0\0\2\5A",
            "%(place)s: %(why)s",
            id="compact: record cut off",
        ),
        pytest.param(
            MAGIC + b"\0\0\0\x17" + b'{"rochambeau":2,"n":17}' + b"\0\0\0\x08\1\xff\0\0\0\0\0\0",
            "%(place)s: %(why)s",
            id="compact: name is not UTF-8",
        ),
    ],
)
@pytest.mark.parametrize("steps", STEPS)
def test_no_transcript(tmp_path: Path, octets: bytes, why: str | Reason, steps: Any) -> None:
    path = tmp_path / "t"
    path.write_bytes(octets)
    with raises(RecordError, why) as caught:
        settled(path, steps)
    assert len(str(caught.value)) < 500


def test_no_file(tmp_path: Path) -> None:
    with raises(RecordError, "cannot read %(path)s: %(strerror)s"):
        open_source(tmp_path / "nowhere")


def test_a_pipe_is_as_good_as_a_file(tmp_path: Path) -> None:
    lines = entries(DRAFT, openings(DRAFT, 20))
    buffer = io.BytesIO()
    write_compact(buffer, Header(DRAFT), lines)
    reading, writing = os.pipe()
    os.write(writing, buffer.getvalue())
    os.close(writing)
    with Source(os.fdopen(reading, "rb", buffering=0)) as source:
        assert settle_source(source).winner == expected(DRAFT, lines)[0]


@given(st.binary(max_size=300), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_octets_upset_the_reader(tmp_path: Path, octets: bytes, compact: bool) -> None:
    path = tmp_path / "t"
    path.write_bytes((MAGIC + b"\0\0\0\x17" + b'{"rochambeau":2,"n":17}' if compact else HEAD) + octets)
    for steps in ("plain", "lanes") if KERNELS else ("plain",):
        try:
            settled(path, steps)
        except ArbitreError as error:
            assert len(str(error)) < 1_000  # noqa: PT017 - most octets raise, some do not


def test_claims_and_headers_survive(tmp_path: Path) -> None:
    terms = Terms(101, "blake2b", Mode.STRONG, "g", announced=True, commit_type=7, reveal_type=9)
    header = Header(terms, b"\1\2", {"limits": [1, 2]})
    assert read_header(json.dumps(header.fields())) == header
    lines = entries(terms, openings(terms, 3))
    assert [read_line(one.line()) for one in lines] == lines
    for compact in (False, True):
        path = written(tmp_path / f"t{compact}", header, lines, {"winner": "p1"}, compact=compact)
        with open_source(path) as source:
            assert source.header == header
            settle_source(source)
            assert source.claim == Claim({"winner": "p1"})
