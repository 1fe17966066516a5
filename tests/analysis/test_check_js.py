"""An analysis checked by the modules of its page, here in node: they find what the house finds, by rules of their own.

The rules that games bring for browsers are compared with the house's, ply by ply; a document that lies is caught in the check
that is about its lie. All of it is computed by one process of node.
"""

import json
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import arbitre
from arbitre.analysis.analysis import analyse, course_of, grade
from arbitre.analysis.document import Document, sign
from arbitre.cli import run
from arbitre.crypto.keys import Key
from arbitre.games.analysis import HALF, WHOLE, Certificate, analyst_class
from arbitre.games.catalogue import game
from arbitre.games.game import AnyGame, Outcome, playout
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.records.event import canonical
from arbitre.records.record import read_record
from arbitre.referee.story import tell
from tests.analysis.games import NODES, analysed, octets, record

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

HERE = Path(arbitre.__file__).parent
OPEN = ("bigtictactoe", "draughts", "pente", "reversi", "tictactoe")
KEY = Key(b"\x07" * 32)

SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
import { check, figures, read } from "./analysis_check.js";
const [file, out] = process.argv.slice(2);
const given = JSON.parse(readFileSync(file, "utf8"));
const rules = {};
for (const name of given.open) rules[name] = (await import(`./${name}-rules.js`)).rules;
const walked = given.games.map(({ name, options, start, moves }) => {
  const by = rules[name];
  let state = by.start(options, start);
  return [...moves, null].map((move) => {
    const legal = by.legal(state);
    const deeds = new Set(legal.map((one) => by.deed?.(state, one) ?? one)).size;
    const told = [by.mover(state), deeds, legal.includes(move), by.result(state), move === null || deeds > 20 ? null : legal];
    if (move !== null) state = by.play(state, move);
    return told;
  });
});
const found = [];
for (const [text, record, name] of given.documents) {
  found.push(await check(text, new TextEncoder().encode(record), { rules: rules[name], drawn: 1000, shows: () => true }));
}
const honest = given.honest.map((text) => figures(read(text), 2));
writeFileSync(out, JSON.stringify({ walked, found, honest }));
"""


def node(folder: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the modules of the pages say, laid out as a site has them."""
    shutil.copytree(HERE / "web" / "interfaces" / "toolkit", folder / "toolkit")
    for path in (*HERE.glob("web/static/*.js"), *HERE.glob("games/*/interface/*.js")):
        shutil.copy(path, folder / path.name)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(SCRIPT)
    (folder / "given.json").write_text(json.dumps(given))
    subprocess.run(["node", "run.js", "given.json", "out.json"], cwd=folder, check=True, timeout=100)
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


# ── games, to compare the rules ────────────────────────────────────────────────────────────────────────────────────

Played = tuple[str, dict[str, object], int]
PLAYED: tuple[Played, ...] = (
    *((name, {}, seed) for name in OPEN for seed in range(3)),
    ("bigtictactoe", {"first": True}, 7),
    ("draughts", {"plies": 30}, 8),
    *(("draughts", dict[str, object](plies=400), seed) for seed in range(9, 13)),  # kings, and captures by several ways
)


def steps(table: AnyGame, seed: int) -> list[Any]:
    """Return the steps of a game of random moves."""
    return list(playout(table, Random(seed)))


def walked(played: Played, begin: int) -> tuple[dict[str, Any], list[list[Any]]]:
    """Return a game from a position of it on, and for each of its states what the house says of it."""
    name, options, seed = played
    table = game(name, options)
    notation, through = notation_of(table), steps(table, seed)[begin:]
    states = [one.before for one in through] + [through[-1].after]
    moves = [one.moves[one.before.mover] for one in through]
    start = notation.write_state(states[0]) if begin else ""
    told = [said(table, notation, state, move) for state, move in zip(states, [*moves, None], strict=True)]
    return {"name": name, "options": options, "start": start, "moves": [notation.write(one) for one in moves]}, told


def said(table: AnyGame, notation: AnyNotation, state: Any, move: Any) -> list[Any]:
    """Return who moves, how many moves there are, whether one is legal, the result, and the moves where they are few."""
    legal = list(table.legal(state))
    phase = table.phase(state)
    result = float(phase.scores[0]) if isinstance(phase, Outcome) else None
    texts = None if move is None or len(legal) > 20 else sorted(map(notation.write, legal))
    return [int(state.mover), len(legal), move in legal if move is not None else False, result, texts]


# ── documents that lie ─────────────────────────────────────────────────────────────────────────────────────────────


@cache
def honest(name: str) -> Document:
    """Return the document of a game, with its certificates."""
    found, told = analysed(name), tell(record(name))
    analyst = analyst_class(name)(told.match.game, found.effort)
    return sign(found, octets(name), analyst.certify(course_of(told), found.judgements), KEY)


def changed(name: str, at: int, **fields: Any) -> Document:
    """Return the document with another judgement of a ply, signed by its maker like any other."""
    one = honest(name)
    judgements = list(one.analysis.judgements)
    judgements[at] = replace(judgements[at], **fields)
    return sign(replace(one.analysis, judgements=tuple(judgements)), octets(name), one.certificates, KEY)


def spoilt(text: str, old: str, new: str) -> str:
    """Return a document with another text in one place."""
    assert old in text
    return text.replace(old, new, 1)


def proofs(name: str, *proofs: Any, ply: int | None = None) -> Document:
    """Return the document with other certificates."""
    one = honest(name)
    at = one.certificates[0].ply if ply is None else ply
    return sign(one.analysis, octets(name), tuple(Certificate(at, proof) for proof in proofs), KEY)


def lies() -> list[tuple[str, str, str, str]]:
    """Return documents that lie, the record beside each, its game, and the check that must find it."""
    text = {name: honest(name).text() for name in NODES}
    reversi, tic = honest("reversi"), honest("tictactoe")
    proof, plan = reversi.certificates[0].proof, honest("pente").certificates[0].proof
    moves = list(reversi.analysis.moves)
    moves[8] = "A1"
    other = sign(replace(reversi.analysis, moves=tuple(moves)), octets("reversi"), (), KEY)
    shorter = sign(
        replace(
            tic.analysis,
            seats=tic.analysis.seats[:-1],
            turns=tic.analysis.turns[:-1],
            moves=tic.analysis.moves[:-1],
            judgements=tic.analysis.judgements[:-1],
        ),
        octets("tictactoe"), (), KEY,
    )  # fmt: skip
    late = next(at for at, one in enumerate(reversi.analysis.judgements) if one.solved and at > 52)
    other_end = HALF if reversi.analysis.judgements[late].best != HALF else WHOLE
    broken = octets("tictactoe").replace(b'"turn":3}', b'"turn":4}', 1)
    wide = {**plan, "but": [[plan["else"], plan]] * 50_000}
    made: list[tuple[Document | str, str, str]] = [
        ("", "reversi", "form"),
        ("{}\n", "reversi", "form"),
        ("[" * 100_000, "reversi", "form"),
        (text["reversi"][:-1], "reversi", "form"),
        (spoilt(text["reversi"], '"best":', '"best": '), "reversi", "form"),
        (spoilt(text["reversi"], '"seed":0', '"seed":1e400'), "reversi", "form"),
        (spoilt(text["reversi"], '"seed":0', '"seed":NaN'), "reversi", "form"),
        (spoilt(text["reversi"], '"seed":0', '"seed":9007199254740993'), "reversi", "form"),
        (spoilt(text["reversi"], '"seed":0', '"seed":0,"seed":0'), "reversi", "form"),
        (spoilt(text["reversi"], '"choice":true', '"choice":1'), "reversi", "form"),
        (spoilt(text["reversi"], '"nodes":3000', '"nodes":3001'), "reversi", "signature"),
        (sign(tic.analysis, broken, (), KEY), "broken", "record"),
        (text["tictactoe"], "reversi", "record"),
        (other, "reversi", "moves"),
        (shorter, "tictactoe", "moves"),
        (changed("reversi", 10, line=("A1",), move="A1"), "reversi", "lines"),
        (changed("reversi", 10, choice=False), "reversi", "lines"),
        (changed("draughts", 4, line=("1-50",), move="1-50"), "draughts", "lines"),
        (changed("pente", 30, line=(), move=""), "pente", "lines"),
        (changed("reversi", late, best=other_end, played=other_end, lost=0), "reversi", "counted"),
        (changed("tictactoe", 1, best=HALF, played=HALF), "tictactoe", "counted"),
        (changed("tictactoe", 1, solved=False, best=HALF, played=HALF, lost=0), "tictactoe", "counted"),
        (proofs("reversi", {**proof, "discs": proof["discs"] + 2}), "reversi", "certificates"),
        (proofs("reversi", {**proof, "upper": proof["upper"][:-1]}), "reversi", "certificates"),
        (proofs("reversi", {**proof, "lower": None}), "reversi", "certificates"),
        (proofs("reversi", proof, ply=3), "reversi", "certificates"),
        (proofs("pente", {"move": plan["move"]}), "pente", "certificates"),
        (proofs("pente", {**plan, "but": []}), "pente", "certificates"),
        (proofs("pente", wide), "pente", "certificates"),
        (proofs("draughts", None, ply=0), "draughts", "certificates"),
    ]  # fmt: skip
    beside = {name: octets(name).decode() for name in NODES} | {"broken": broken.decode()}
    return [(one if isinstance(one, str) else one.text(), beside[name], name, code) for one, name, code in made]


def elsewhere(folder: Path, start: str) -> tuple[str, str, str]:
    """Return a document and its record, whose chain holds, of a game of draughts that is said to begin elsewhere."""
    at = ("--data", str(folder / "data"))
    if not (folder / "data").exists():
        assert run(["play", "draughts", "--watch", "random", "--opponent", "random", "--seed", "3", *at]) == 0
        assert run(["record", "export", "--all", "--folder", str(folder / "out"), *at]) == 0
    (path,) = (folder / "out").iterdir()
    first, *lines, _ = path.read_text(encoding="utf-8").splitlines()
    opened = json.loads(first)
    opening = canonical({**json.loads(opened["text"]), "start": start})
    found = "\n".join([canonical({**opened, "text": opening}), *lines, ""])
    return sign(analyse(read_record(path.read_bytes()), 100), found.encode(), (), KEY).text(), found, "draughts"


STARTS = ("W:W999:B1", "x", "W:WK1e8:B1", "W:W-1:B2", "W:" + "W1," * 3_000, " ", "W:W31:BK1 NaN")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return everything that node found."""
    games = [walked(one, begin)[0] for one in PLAYED for begin in (0, 5)]
    true = [(honest(name).text(), octets(name).decode(), name) for name in NODES]
    false = [one[:3] for one in lies()]
    folder = tmp_path_factory.mktemp("elsewhere")
    false += [elsewhere(folder, start) for start in STARTS]
    given = {"open": OPEN, "games": games, "documents": true + false, "honest": [one for one, _, _ in true]}
    return node(tmp_path_factory.mktemp("modules"), given)


def test_the_rules_of_the_pages_are_those_of_the_house(told: dict[str, Any]) -> None:
    kings = 0
    for (one, begin), theirs in zip([(one, begin) for one in PLAYED for begin in (0, 5)], told["walked"], strict=True):
        walk, ours = walked(one, begin)
        for mine, found in zip(ours, theirs, strict=True):
            assert found[:4] == mine[:4], one
            if mine[4] is not None:
                assert set(mine[4]) <= set(found[4]), one  # of a capture along several ways all are listed
        kings += any("x" in text and text.count("x") > 2 for text in walk["moves"])
    assert kings


def test_an_honest_document_is_found_sound(told: dict[str, Any]) -> None:
    for name, found in zip(NODES, told["found"], strict=False):
        assert found["fault"] is None, name
        assert found["key"] == KEY.fingerprint
        expected = {"form", "signature", "record", "moves", "figures"}
        expected |= {"rules", "lines"} if name in OPEN else set()
        expected |= {"counted"} if name in ("reversi", "tictactoe") else set()
        expected |= {"certificates"} if honest(name).certificates else set()
        assert set(found["done"]) == expected, name
        assert found["drawn"] == (len(analysed(name).judgements) if name in OPEN else 0)
        assert found["certified"] == [one.ply + 1 for one in honest(name).certificates]
    assert {name for name in NODES if honest(name).certificates} == {"pente", "reversi"}


def test_figures_that_people_read_are_reckoned_alike(told: dict[str, Any]) -> None:
    for name, found in zip(NODES, told["honest"], strict=True):
        one = analysed(name)
        assert found["moments"] == [at + 1 for at in one.moments]
        assert found["curve"] == list(one.curve)
        mine = [{"accuracy": two.accuracy, "grades": [count for _, count in two.grades]} for two in one.performances(2)]
        assert found["players"] == mine
        told_of = {at + 1 for at, two in enumerate(one.judgements) if grade(two) is not None} | set(found["moments"])
        assert {two["number"] for two in found["mistakes"]} == told_of


def test_a_document_that_lies_is_caught(told: dict[str, Any]) -> None:
    cases = lies()
    assert len(cases) > 25
    for (text, _, name, code), found in zip(cases, told["found"][len(NODES) :], strict=False):
        assert found["fault"] is not None, (name, code, text[:100])
        assert found["fault"]["code"] == code, (name, found)


def test_a_record_that_rules_stumble_over_is_a_fault_and_no_hang(told: dict[str, Any]) -> None:
    found = told["found"][-len(STARTS) :]
    assert [one["fault"] for one in found] == [{"code": "rules", "ply": 1}] * len(STARTS)
    assert {tuple(one["done"]) for one in found} == {("form", "signature", "record", "moves", "figures")}
