"""Documents of analyses: signed, canonical, beside their record; forged ones are caught as often as the manual says."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arbitre.analysis.court import PLIES, drawn_plies, examine
from arbitre.analysis.document import Document, read_document, sign
from arbitre.crypto.keys import Key
from arbitre.errors import AnalysisError, FormatError
from arbitre.games.analysis import Certificate
from arbitre.records.event import canonical
from arbitre.referee.files import examine as examine_file
from arbitre.referee.verify import Finding, Proof
from tests.analysis.games import NODES, analysed, octets
from tests.reasons import gives, raises

KEY = Key(b"\x07" * 32)
FORGER = Key(b"\x08" * 32)


def document(name: str, certificates: tuple[Certificate, ...] = ()) -> Document:
    """Return the document of a game's analysis."""
    return sign(analysed(name), octets(name), certificates, KEY)


def checked(one: Document, name: str, plies: int | None = None, seed: int = 0) -> Finding:
    """Check a document with its record at hand."""
    return examine(one.text().encode(), iter([octets(name)]), (KEY.fingerprint,), None, plies, Random(seed))


def forged(name: str, plies: list[int]) -> Document:
    """Return a document in which some plies are said to be perfect, signed by its maker like any other."""
    found = analysed(name)
    judgements = list(found.judgements)
    for at in plies:
        judgements[at] = replace(judgements[at], played=judgements[at].best, lost=judgements[at].lost + 1)
    return sign(replace(found, judgements=tuple(judgements)), octets(name), (), KEY)


@pytest.mark.parametrize("name", NODES)
def test_a_document_is_read_as_it_was_written_and_verified(name: str) -> None:
    one = document(name)
    assert read_document(one.text().encode()) == one
    found = checked(one, name, 3)
    assert found.standing is Proof.VERIFIED
    assert gives(found.why, "plies computed again", again=3, plies=len(one.analysis.judgements))


def test_whoever_changes_a_figure_breaks_the_signature() -> None:
    fields = json.loads(document("tictactoe").text())
    fields["plies"][1]["played"] = fields["plies"][1]["best"]
    found = examine((canonical(fields) + "\n").encode(), iter([octets("tictactoe")]))
    assert found.standing is Proof.BROKEN
    assert gives(found.why, "the signature of the key that it names is false")


def test_the_key_and_the_record_are_asked_for() -> None:
    one = document("tictactoe").text().encode()
    assert examine(one, iter([octets("tictactoe")])).standing is Proof.INTACT
    assert gives(examine(one, iter([octets("reversi")])).why, "is not beside it")
    other = examine(one, iter([octets("tictactoe")]), (), FORGER.fingerprint)
    assert gives(other.why, "signed by key %(key)s, not by", given=FORGER.fingerprint)


def test_an_analysis_of_another_game_is_refused() -> None:
    one = sign(analysed("tictactoe"), octets("reversi"), (), KEY)
    assert gives(checked(one, "reversi").why, "its moves are not those of the record")


def test_another_engine_is_said_and_nothing_is_claimed() -> None:
    found = analysed("tictactoe")
    one = sign(replace(found, engine=replace(found.engine, digest="00" * 32)), octets("tictactoe"), (), KEY)
    assert checked(one, "tictactoe").standing is Proof.FOREIGN


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda f: f.pop("seed"), "the analysis is not in form"),
        (lambda f: f.update(nodes=0), "nodes are from"),
        (lambda f: f["plies"][0].update(best=10_001), "ply %(number)s is not in form"),
        (lambda f: f["plies"][0].update(more=1), "the analysis is not in canonical form"),
        (lambda f: f.update(certificates=[{"ply": 99, "proof": None}]), "a certificate is not in form"),
        (lambda f: f.update(by="zz"), "the analysis is not in form"),
        (lambda f: f.update(nodes=-5), "the analysis is not in form"),
        (lambda f: f.update(nodes=float("nan")), "the analysis is not in form"),
        (lambda f: f.update(nodes=True), "the analysis is not in form"),
        (lambda f: f["engine"].update(name="e" * 2_001), "the analysis is not in form"),
        (lambda f: f.update(nodes=10**4_000), "nodes are from"),
        (lambda f: f.update(seed=1 << 53), "a seed is a whole number"),
        (lambda f: f.update(certificates=9 * [{"ply": 0, "proof": None}]), "the analysis is not in form"),
        (lambda f: f.update(certificates=[{"ply": True, "proof": None}]), "a certificate is not in form"),
        (lambda f: f.update(plies=20_001 * f["plies"][:1]), "the analysis is not in form"),
        (lambda f: f["plies"][0].update(line=["5"] * 61), "ply %(number)s is not in form"),
        (lambda f: f["plies"][0].update(line=["5" * 2_001]), "ply %(number)s is not in form"),
        (lambda f: f["plies"][0].update(standing=float("inf")), "ply %(number)s is not in form"),
        (lambda f: f["plies"][0].update(lost=-1), "ply %(number)s is not in form"),
        (lambda f: f["plies"][0].update(seat=False), "ply %(number)s is not in form"),
    ],
)
def test_what_is_not_in_form_is_refused(change: object, why: str) -> None:
    fields = json.loads(document("tictactoe").text())
    change(fields)  # type: ignore[operator]
    with raises(AnalysisError, why):
        read_document((canonical(fields) + "\n").encode())


def test_junk_and_another_format_are_refused() -> None:
    for junk in (b"", b"{", b"[]", b"\xff", b"[" * 100_000):
        with pytest.raises(AnalysisError):
            read_document(junk)
    with raises(FormatError, "this analysis has format", version=2):
        read_document(b'{"analysis":2}')


# ── forged ones ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_forged_plies_are_caught_exactly_where_they_are_drawn() -> None:
    name, plies = "seafight", [5, 17, 23, 40, 41, 59]
    one = forged(name, plies)
    caught = 0
    for seed in range(30):
        found = checked(one, name, 8, seed)
        hit = set(drawn_plies(len(one.analysis.judgements), 8, Random(seed))) & set(plies)
        assert found.standing is (Proof.BROKEN if hit else Proof.VERIFIED)
        caught += bool(hit)
    assert caught >= 12
    assert checked(one, name, -1).standing is Proof.BROKEN
    assert gives(checked(one, name, -1).why, "the analysis is forged", number=6)


@pytest.mark.parametrize(("share", "plies"), [(6, PLIES), (3, PLIES), (12, 5), (20, 3)])
def test_a_share_of_forged_plies_escapes_no_more_often_than_the_manual_says(share: int, plies: int) -> None:
    trials = 3_000
    bad = set(Random(share).sample(range(60), share))
    escaped = sum(not bad & set(drawn_plies(60, plies, Random(f"{share} {seed}"))) for seed in range(trials)) / trials
    bound = (1 - share / 60) ** plies
    slack = 3 * (bound * (1 - bound) / trials) ** 0.5
    assert escaped <= bound + slack
    exact = 1.0
    for nth in range(plies):
        exact *= (60 - share - nth) / (60 - nth)
    assert abs(escaped - exact) <= 4 * (exact * (1 - exact) / trials) ** 0.5 + 1e-9


@pytest.mark.parametrize(
    "change",
    [{"standing": 1}, {"choice": False}, {"solved": False}, {"move": "9"}, {"line": ("9",)}, {"lost": 7_000}, {"best": 10_000}],
    ids=lambda one: next(iter(one)),
)
def test_whatever_is_changed_in_a_ply_is_found(change: dict[str, Any]) -> None:
    """Also what moves the curve alone, or calls a mistake a forced move."""
    found = analysed("tictactoe")
    at = next(at for at, one in enumerate(found.judgements) if one.loss and one != replace(one, **change))
    judgements = list(found.judgements)
    judgements[at] = replace(judgements[at], **change)
    one = sign(replace(found, judgements=tuple(judgements)), octets("tictactoe"), (), KEY)
    assert gives(checked(one, "tictactoe", -1).why, "the analysis is forged", number=at + 1)


def test_other_nodes_and_another_seed_than_those_that_were_used_are_found() -> None:
    found = analysed("mastermind")
    for effort in (replace(found.effort, nodes=1), replace(found.effort, seed=1)):
        one = sign(replace(found, effort=effort), octets("mastermind"), (), KEY)
        assert checked(one, "mastermind", -1).standing is Proof.BROKEN


@pytest.mark.parametrize(
    "proof", [float("nan"), {"discs": float("nan"), "lower": None, "upper": None}, {"discs": 10**3000}, [], "x"]
)
def test_a_forged_certificate_is_refused_by_the_rules(proof: object) -> None:
    found = analysed("reversi")
    one = sign(found, octets("reversi"), (Certificate(len(found.judgements) - 3, proof),), KEY)
    assert checked(one, "reversi", 0).standing is Proof.BROKEN


def test_a_certificate_deeper_than_any_is_refused() -> None:
    text = document("reversi", (Certificate(58, "X"),)).text().replace('"X"', "[" * 50_000 + "]" * 50_000)
    with pytest.raises(AnalysisError):
        read_document(text.encode())


def test_a_file_is_known_and_its_record_is_found_beside_it(tmp_path: Path) -> None:
    (tmp_path / "odd-name.record").write_bytes(octets("tictactoe"))
    (tmp_path / "another.record").write_bytes(octets("rochambeau"))
    path = tmp_path / "game.analysis"
    path.write_text(document("tictactoe").text(), encoding="utf-8")
    with path.open("rb") as file:
        found = examine_file(file, path.name, (KEY.fingerprint,), parts=-1)
    assert (found.kind, found.standing) == ("analysis", Proof.VERIFIED)


def test_a_game_that_certifies_nothing_takes_no_certificate() -> None:
    one = document("tictactoe", (Certificate(0, {}),))
    assert gives(checked(one, "tictactoe").why, "nothing of %(game)s is certified")
