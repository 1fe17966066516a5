"""Payloads octet by octet, the law about one party, the verdict: vectors of the spec, table of faults, brute force."""

import hashlib
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.elections import (
    Contestant,
    Excluded,
    Fault,
    Mode,
    Opening,
    Terms,
    Verdict,
    check_name,
    judge,
    new_opening,
    settle,
    write_commit,
    write_reveal,
)
from arbitre.elections.payload import read_commit, read_reveal
from arbitre.elections.terms import HASHES
from arbitre.elections.verdict import tweaks
from arbitre.errors import PayloadError, TermsError
from arbitre.games.rochambeau.rules import Sign, beats
from arbitre.reasons import Reason
from arbitre.words import words
from tests.elections.forge import held, nonce, openings, repeated, sent
from tests.reasons import raises

SEVENTEEN = Terms(17)
STRONG = Terms(17, mode=Mode.STRONG, game="a")


def table(verdict: Verdict, round_: int) -> tuple[list[int], list[int], list[int]]:
    lines = verdict.rounds[round_ - 1].table
    return [line.tweak for line in lines], [line.state for line in lines], [line.score for line in lines]


# ── the vectors of the spec, section 5 ─────────────────────────────────────────────────────────────────────────────

VECTOR_1 = ((repeated(0xA1), 3), (repeated(0xB2), 11), (repeated(0xC3), 16))


SEALED_1 = (
    "a28473e1dcb8c51d247b47a566021d1dd136e87fff45b5e58a26ed4ee1980955",
    "80586a30dee604521ea0c2058aafb1bb67ff47fca43fe852d52842abee7abc49",
    "f4d133bfe26df57d5acc6c68bc398284e62f4c279f658e0397491e3c04e1b6dc",
)


@pytest.mark.parametrize(("opening", "sealed"), list(zip(VECTOR_1, SEALED_1, strict=True)), ids="ABC")
def test_commits_of_the_first_vector(opening: tuple[bytes, int], sealed: str) -> None:
    assert write_commit(SEVENTEEN, Opening(*opening)).hex() == "0001" + sealed


def test_reveal_of_the_first_vector() -> None:
    assert write_reveal(SEVENTEEN, Opening(*VECTOR_1[0])).hex() == "00020010" + "a1" * 16 + "03"


def test_first_vector() -> None:
    verdict = held(SEVENTEEN, VECTOR_1)
    assert table(verdict, 1) == ([16, 0, 8], [2, 11, 7], [2, 0, -2])
    assert verdict.winner == "A"


def test_second_vector_needs_two_rounds() -> None:
    verdict = held(SEVENTEEN, [(repeated(i), i) for i in range(1, 6)])
    assert table(verdict, 1) == ([14, 15, 1, 2, 11], [15, 0, 4, 6, 16], [-2, -2, 0, 2, 2])
    assert [line.player for line in verdict.rounds[1].table] == ["D", "E"]
    assert table(verdict, 2)[0] == [0, 4]
    assert verdict.winner == "D"


def test_third_vector_three_states() -> None:
    verdict = held(Terms(3), [(repeated(1), 1), (repeated(2), 2)])
    assert table(verdict, 1)[:2] == ([1, 2], [2, 1])
    assert verdict.winner == "B"


def test_fourth_vector_the_usual_number_of_states() -> None:
    made = [(bytes(range(start, start + 16)), q) for start, q in ((0, 1), (16, 2147483646), (32, 123456789))]
    verdict = held(Terms(), made)
    assert table(verdict, 1)[0] == [1176945040, 2042155378, 815657769]
    assert table(verdict, 1)[2] == [-2, 0, 2]
    assert verdict.winner == "C"


def test_fifth_vector_eight_rounds() -> None:
    verdict = held(Terms(5), [(repeated(0xE2), 3), (repeated(0xE3), 2), (repeated(0xE4), 1)])
    assert [played.tied for played in verdict.rounds] == [3, 3, 3, 3, 3, 3, 2, 1]
    assert table(verdict, 7)[2] == [1, -2, 1]
    assert table(verdict, 8)[:2] == ([4, 3], [2, 4])
    assert verdict.winner == "C"


# ── terms ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("states", "octets"), [(3, 1), (17, 1), (255, 1), (257, 2), (65535, 2), (65537, 3), (2**31 - 1, 4)])
def test_a_state_takes_the_fewest_octets_with_256_to_the_m_above_n(states: int, octets: int) -> None:
    assert Terms(states).width == octets
    assert 256**octets > states >= 256 ** (octets - 1)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        pytest.param({"states": 16}, "odd", id="even"),
        pytest.param({"states": 1}, Reason("the number of states is from", least_states=3), id="one state"),
        pytest.param(
            {"states": 2**64 + 1}, Reason("the number of states is from", least_states=3), id="more than a machine word"
        ),
        pytest.param({"hash": "md5"}, Reason("that could be trusted; there are", hash="md5"), id="MD5 collides"),
        pytest.param({"hash": "sha1"}, Reason("that could be trusted; there are", hash="sha1"), id="SHA-1 collides"),
        pytest.param({"hash": "shake_128"}, "no hash", id="no length of its own"),
        pytest.param({"hash": "x" * 10_000}, "no hash", id="a long name is cut in the message"),
        pytest.param({"mode": Mode.STRONG}, "has a name", id="strong mode binds to a game"),
        pytest.param({"commit_type": 2}, "share", id="one type for both"),
        pytest.param({"commit_type": 70_000}, "two octets", id="type too large"),
        pytest.param(
            {"game": "g" * 256}, Reason("the name of a game has at most", longest_name=255), id="name of the game too long"
        ),
    ],
)
def test_terms_that_make_no_sense(terms: dict[str, object], why: str | Reason) -> None:
    with raises(TermsError, why) as caught:
        Terms(**terms)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", HASHES)
def test_every_hash_settles(name: str) -> None:
    terms = Terms(17, name)
    made = openings(terms, 5, name)
    verdict = settle(terms, *sent(terms, made))
    assert verdict.winner in made
    assert len(write_commit(terms, made["p0"])) == 2 + hashlib.new(name).digest_size


def test_payload_types_are_configurable() -> None:
    terms = Terms(17, commit_type=0x0A0B, reveal_type=0xFFFF)
    made = openings(terms, 4)
    assert write_commit(terms, made["p0"])[:2].hex() == "0a0b"
    assert settle(terms, *sent(terms, made)).winner == settle(SEVENTEEN, *sent(SEVENTEEN, made)).winner
    assert settle(SEVENTEEN, *sent(terms, made)).winner is None


@pytest.mark.parametrize("name", ["", " a", "a\n", "\ud800", "x" * 256, "\x1b[31m"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(TermsError):
        check_name(name)


# ── the table of faults ────────────────────────────────────────────────────────────────────────────────────────────

GOOD = Opening(nonce(SEVENTEEN, "A"), 3)
COMMIT, REVEAL = write_commit(SEVENTEEN, GOOD), write_reveal(SEVENTEEN, GOOD)


def opened(q: int, terms: Terms = SEVENTEEN, size: int = 32) -> tuple[bytes, bytes]:
    """Return both payloads of a choice, whether it exists or not."""
    opening = Opening(bytes(size), q)
    return write_commit(terms, opening), write_reveal(terms, opening)


def bound(player: str, game: str = "a") -> tuple[bytes, bytes]:
    terms = Terms(17, mode=Mode.STRONG, game=game)
    opening = Opening(nonce(terms, player), 3)
    return write_commit(STRONG, opening), write_reveal(STRONG, opening)


FAULTS = [
    pytest.param(SEVENTEEN, None, None, Fault.NO_COMMIT, id="nothing came"),
    pytest.param(SEVENTEEN, None, REVEAL, Fault.NO_COMMIT, id="Reveal without Commit is discarded"),
    pytest.param(SEVENTEEN, COMMIT, None, Fault.NO_REVEAL, id="committed, never revealed"),
    pytest.param(SEVENTEEN, b"", REVEAL, Fault.BAD_COMMIT, id="Commit empty"),
    pytest.param(SEVENTEEN, b"\0", REVEAL, Fault.BAD_COMMIT, id="Commit of one octet"),
    pytest.param(SEVENTEEN, REVEAL, REVEAL, Fault.BAD_COMMIT, id="a Reveal for a Commit"),
    pytest.param(SEVENTEEN, b"\0\3" + COMMIT[2:], REVEAL, Fault.BAD_COMMIT, id="Commit of a type that does not exist"),
    pytest.param(SEVENTEEN, COMMIT[:-1], REVEAL, Fault.BAD_COMMIT, id="Commit one octet short"),
    pytest.param(SEVENTEEN, COMMIT + b"\0", REVEAL, Fault.BAD_COMMIT, id="Commit one octet long"),
    pytest.param(SEVENTEEN, COMMIT, b"", Fault.BAD_REVEAL, id="Reveal empty"),
    pytest.param(SEVENTEEN, COMMIT, b"\0\2\0", Fault.BAD_REVEAL, id="Reveal of three octets"),
    pytest.param(SEVENTEEN, COMMIT, COMMIT, Fault.BAD_REVEAL, id="a Commit for a Reveal"),
    pytest.param(SEVENTEEN, COMMIT, REVEAL[:-1], Fault.BAD_REVEAL, id="Reveal one octet short"),
    pytest.param(SEVENTEEN, COMMIT, REVEAL + b"\0", Fault.BAD_REVEAL, id="Reveal one octet long"),
    pytest.param(SEVENTEEN, COMMIT, b"\0\2\xff\xff" + REVEAL[4:], Fault.BAD_REVEAL, id="nonce longer than the payload"),
    pytest.param(SEVENTEEN, COMMIT, b"\0\2\0\x1f" + REVEAL[4:], Fault.BAD_REVEAL, id="nonce shorter than it says"),
    pytest.param(SEVENTEEN, COMMIT, REVEAL[:-1] + b"\4", Fault.MISMATCH, id="another state than committed"),
    pytest.param(SEVENTEEN, COMMIT, REVEAL[:4] + b"\0" + REVEAL[5:], Fault.MISMATCH, id="another nonce than committed"),
    pytest.param(SEVENTEEN, *opened(0), Fault.BAD_STATE, id="q = 0"),
    pytest.param(SEVENTEEN, *opened(17), Fault.BAD_STATE, id="q = N"),
    pytest.param(SEVENTEEN, *opened(255), Fault.BAD_STATE, id="q as large as M can hold"),
    pytest.param(SEVENTEEN, *opened(1, size=65_535), None, id="nonce of 65,535 octets is the longest there is"),
    pytest.param(SEVENTEEN, *opened(1, size=0), None, id="no nonce: accepted, warned of"),
    pytest.param(SEVENTEEN, *opened(1), None, id="q = 1"),
    pytest.param(SEVENTEEN, *opened(16), None, id="q = N − 1"),
    pytest.param(STRONG, *bound("A"), None, id="strong: bound to game and player"),
    pytest.param(STRONG, *opened(0, STRONG, 16), Fault.BAD_NONCE, id="strong: short nonce refused"),
    pytest.param(STRONG, *opened(3, STRONG, 65_535), Fault.BAD_NONCE, id="strong: long nonce refused"),
    pytest.param(STRONG, *bound("B"), Fault.COPIED, id="strong: copied from another player"),
    pytest.param(STRONG, *bound("A", "b"), Fault.COPIED, id="strong: copied from another game"),
    pytest.param(STRONG, *opened(17, STRONG, 48), Fault.BAD_STATE, id="strong: q = N"),
]


@pytest.mark.parametrize(("terms", "commit", "reveal", "fault"), FAULTS)
def test_faults_of_one_party(terms: Terms, commit: bytes | None, reveal: bytes | None, fault: Fault | None) -> None:
    judged = judge(terms, "A", commit, reveal)
    if fault is None:
        assert isinstance(judged, Contestant)
    else:
        assert isinstance(judged, Excluded)
        assert judged.fault is fault
        assert len(str(judged.why)) < 200


@pytest.mark.parametrize(("terms", "commit", "reveal", "fault"), [case for case in FAULTS if case.values[3] is not None])
def test_whoever_is_excluded_leaves_no_trace(terms: Terms, commit: bytes | None, reveal: bytes | None, fault: Fault) -> None:
    """The game is run as if it were an M − 1 game: the excluded party's Commit is in nobody's tweak."""
    commits, reveals = sent(terms, {name: one for name, one in openings(terms, 6).items() if name != "A"})
    without = settle(terms, commits, reveals)
    if commit is not None:
        commits["A"] = commit
    if reveal is not None:
        reveals["A"] = reveal
    verdict = settle(terms, commits, reveals, players=["A"])
    assert [(one.player, one.fault) for one in verdict.excluded] == [("A", fault)]
    assert (verdict.winner, verdict.rounds) == (without.winner, without.rounds)


def test_zero_may_be_chosen_in_strong_mode() -> None:
    opening = new_opening(STRONG, "A", bytes(32), 0)
    assert isinstance(judge(STRONG, "A", write_commit(STRONG, opening), write_reveal(STRONG, opening)), Contestant)
    with raises(TermsError, "a state is from", least_state=1, states=16):
        new_opening(SEVENTEEN, "A", bytes(32), 0)


def test_short_nonces_are_warned_of() -> None:
    verdict = held(SEVENTEEN, [(b"short", 3), (bytes(16), 4)])
    assert [warning.fields["player"] for warning in verdict.warnings] == ["A"]


def test_a_nonce_has_a_length_of_two_octets() -> None:
    with raises(PayloadError, "octets; its length has two", nonce=65536):
        write_reveal(SEVENTEEN, Opening(bytes(65_536), 1))


# ── who is left ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nobody_left_nobody_wins() -> None:
    verdict = settle(SEVENTEEN, {"A": COMMIT}, {})
    assert (verdict.winner, verdict.void, verdict.rounds) == (None, False, ())


def test_one_left_wins_without_a_round() -> None:
    verdict = settle(SEVENTEEN, {"A": COMMIT, "B": COMMIT}, {"A": REVEAL})
    assert (verdict.winner, verdict.rounds) == ("A", ())


def test_equal_commits_tie_for_ever_and_the_counter_stops_at_255() -> None:
    verdict = settle(SEVENTEEN, {"A": COMMIT, "B": COMMIT}, {"A": REVEAL, "B": REVEAL})
    assert [played.counter for played in verdict.rounds] == list(range(1, 256))
    assert (verdict.winner, verdict.void, verdict.tied) == (None, True, ("A", "B"))


def test_a_copier_is_convicted_in_strong_mode_and_the_original_plays_on() -> None:
    made = openings(STRONG, 4)
    commits, reveals = sent(STRONG, made)
    commits["thief"], reveals["thief"] = commits["p2"], reveals["p2"]
    verdict = settle(STRONG, commits, reveals)
    assert [(one.player, one.fault) for one in verdict.excluded] == [("thief", Fault.COPIED)]
    assert verdict.winner == settle(STRONG, *sent(STRONG, made)).winner


# ── brute force ────────────────────────────────────────────────────────────────────────────────────────────────────


def brute_force(states: int, openings: Sequence[tuple[str, bytes, int]], hash_: str) -> str | None:
    """Return the winner by the words of the draft: every pair plays, every exclusive or is taken anew."""
    width = next(m for m in range(1, 9) if 256**m > states)
    left = [(name, hashlib.new(hash_, nonce + q.to_bytes(width, "big")).digest(), q) for name, nonce, q in openings]
    for counter in range(1, 256):
        if len(left) < 2:
            break
        assigned = []
        for index, (_, sealed, q) in enumerate(left):
            x = bytes(len(sealed))
            for other, (_, commit, _) in enumerate(left):
                if other != index:
                    x = bytes(a ^ b for a, b in zip(x, commit, strict=True))
            tweak = int(hashlib.new(hash_, x + bytes([counter])).hexdigest(), 16)
            assigned.append((q + tweak) % states)
        totals = []
        for mine in assigned:
            total = 0
            for other in assigned:
                if mine != other:
                    total += 1 if beats(Sign(mine), Sign(other), states) else -1
            totals.append(total)
        left = [one for one, total in zip(left, totals, strict=True) if total == max(totals)]
    return left[0][0] if len(left) == 1 else None


@given(
    st.sampled_from([3, 5, 17, 101, 257, 2**31 - 1, 2**61 - 1]),
    st.integers(1, 12),
    st.sampled_from(HASHES),
    st.randoms(use_true_random=False),
)
def test_brute_force_agrees(states: int, players: int, hash_: str, random: Random) -> None:
    terms = Terms(states, hash_)
    made = [(f"p{i}", random.randbytes(random.choice([0, 16, 32])), random.randrange(1, states)) for i in range(players)]
    if random.random() < 0.2:
        made.append(("copy", *made[0][1:]))
    verdict = settle(terms, *sent(terms, {name: Opening(octets, q) for name, octets, q in made}))
    assert verdict.winner == brute_force(states, made, hash_)


@given(st.randoms(use_true_random=False))
def test_the_order_of_arrival_has_no_part_in_it(random: Random) -> None:
    made = openings(SEVENTEEN, 9, str(random.random()))
    commits, reveals = sent(SEVENTEEN, made)
    names = list(made)
    random.shuffle(names)
    again = settle(SEVENTEEN, {n: commits[n] for n in names}, {n: reveals[n] for n in reversed(names)})
    assert again == settle(SEVENTEEN, commits, reveals)


def test_an_announced_value_changes_every_tweak() -> None:
    terms = Terms()
    commits = [read_commit(terms, payload) for payload in sent(terms, openings(terms, 5))[0].values()]
    before, after = tweaks(terms, commits, 1), tweaks(terms, commits, 1, b"tomorrow's numbers")
    assert all(one != two for one, two in zip(before, after, strict=True))


@given(st.binary(max_size=80))
def test_no_octets_upset_the_readers(octets: bytes) -> None:
    for read in (read_commit, read_reveal):
        try:
            read(SEVENTEEN, octets)
        except PayloadError as error:
            assert error.fault in {Fault.BAD_COMMIT, Fault.BAD_REVEAL}  # noqa: PT017 - most octets raise, some do not
    judge(SEVENTEEN, "A", octets, octets)
    judge(STRONG, "A", COMMIT, octets)


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_a_code_with_words_in_both_languages(fault: Fault) -> None:
    reason = Reason(fault.value)
    assert reason.proper
    assert words("fr").of(reason) != fault.value
