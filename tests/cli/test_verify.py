"""`arbitre verify` for all five systems: what a file is follows from its octets, and whatever it is, the answer has one form."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.cli import run, verify
from arbitre.crypto.keys import fingerprint
from arbitre.crypto.passwords import LIGHT
from arbitre.crypto.sealing import Published
from arbitre.kref.game import call_game, read_game
from arbitre.referee.files import HOUSE, examine, expected, file_courts
from arbitre.referee.verify import Finding, Proof
from tests.arcade.test_referee import SIGNER, closed
from tests.cli.test_cli import arbitre, told
from tests.elections.network import World, strong_call
from tests.league.house import ANN, BOB, black, game, white

KINDS = {
    "game.record": ("record", Proof.VERIFIED),
    "bout.arbitre": ("record", Proof.INTACT),
    "choice.jsonl": ("election", Proof.INTACT),
    "signed.jsonl": ("election", Proof.INTACT),
    "many.roch": ("election", Proof.INCOMPLETE),
    "over.ksg": ("kriegspiel", Proof.INTACT),
    "going.ksg": ("kriegspiel", Proof.INCOMPLETE),
    "mailed.ksg": ("kriegspiel", Proof.INTACT),
    "white.report": ("report", Proof.INTACT),
    "digits.report": ("report", Proof.INTACT),
}
"""Every file of the folder, what it is, and what can be said of it where the data folder knows the referee of the first alone."""

STATUS = {Proof.VERIFIED: 0, Proof.INTACT: 4, Proof.INCOMPLETE: 3, Proof.BROKEN: 1}


def kriegspiel(over: bool) -> str:
    """Return the file of a game that goes to the shortest mate, or is still going on."""
    seated = call_game("fool", "Bob", "sesame", "default", Published(), work=LIGHT, date="2026-01-01").file.join(
        "Ada", "open", LIGHT
    )
    passwords = ("open", "sesame")
    for ply, text in enumerate(("e2d3", "f2f3", "e7e5", "g2g4", "d8h4") if over else ("f2f3", "e7e5")):
        mover = passwords[ply % 2] if not over else passwords[max(ply - 1, 0) % 2]
        seated, _ = seated.file.login(mover).attempt(text)
    return seated.file.text()


def signed_election(path: Path) -> None:
    """Write the transcript of an election in which everybody signed."""
    world = World(1)
    world.add(strong_call("ab"), *"ab")
    world.run()
    path.write_bytes(world.transcript("a"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder with files of every system, and beside it the data of the referee whom we know."""
    home = tmp_path_factory.mktemp("verify")
    made = home / "mixed"
    data = ["--data", str(home / "data")]
    assert run(["play", "tictactoe", "--watch", "random", "--opponent", "random", "--seed", "3", *data]) == 0
    assert run(["record", "export", "--all", "--folder", str(made), *data]) == 0
    next(made.iterdir()).rename(made / "game.record")
    (made / "bout.arbitre").write_bytes(closed())
    assert run(["rochambeau", "who", "north", "south", "east", "--record", str(made / "choice.jsonl")]) == 0
    assert run(["rochambeau", "sample", str(made / "many.roch"), "--parties", "20", "--compact"]) == 0
    signed_election(made / "signed.jsonl")
    (made / "over.ksg").write_text(kriegspiel(over=True))
    (made / "going.ksg").write_text(kriegspiel(over=False))
    letter = "".join(f"> {line}\n" for line in ("Dear Ada,", "your turn.", *kriegspiel(over=True).split()))
    (made / "mailed.ksg").write_text(letter)
    (made / "white.report").write_bytes(white(BOB, 1))
    (made / "digits.report").write_text(black(ANN, 1).hex(" ") + "\n")
    return made


def verified(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[dict[str, object]]]:
    status, out, _ = told(capsys, "verify", "--json", *map(str, arguments))
    return status, [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_is_known_and_answered_in_one_form(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, tmp_path: Path
) -> None:
    kind, standing = KINDS[name]
    data = folder.parent / "data"
    status, (found,) = verified(capsys, folder / name, "--data", data)
    assert list(found) == ["file", "kind", "standing", "line", "event", "events", "key", "verdict"]
    assert (found["kind"], found["standing"], status) == (kind, standing.value, STATUS[standing])
    assert str(found["line"]).startswith(f"{standing.value}: ")
    nameless = tmp_path / "attachment"
    shutil.copy(folder / name, nameless)
    assert verified(capsys, nameless, "--data", data)[1] == [found | {"file": str(nameless)}], "its octets say what it is"
    misnamed = tmp_path / ("other.ksg" if not name.endswith(".ksg") else "other.report")
    shutil.copy(folder / name, misnamed)
    assert verified(capsys, misnamed, "--data", data)[1] == [found | {"file": str(misnamed)}]
    with piped((folder / name).read_bytes()) as pipe:
        assert verified(capsys, pipe, "--data", data)[1] == [found | {"file": pipe}], "what can be read only once, too"


@contextmanager
def piped(octets: bytes) -> Iterator[str]:
    """Return the name of a pipe from which these octets come."""
    reader, writer = os.pipe()
    thread = Thread(target=_write, args=(writer, octets))
    thread.start()
    try:
        yield f"/dev/fd/{reader}"
    finally:
        os.close(reader)
        thread.join()


def _write(writer: int, octets: bytes) -> None:
    with suppress(BrokenPipeError), open(writer, "wb", buffering=0) as file:
        file.write(octets)


def test_a_folder_holds_everything_and_what_is_something_else_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    (mixed / "white.report").rename(mixed / "a report")
    (mixed / "README.txt").write_text("nothing to verify\n")
    (mixed / "plan.json").write_text('{"game":"tictactoe","options":{"n":3}}\n')
    (mixed / "folder.record").mkdir()
    (mixed / "loop.record").symlink_to("loop.record")
    os.mkfifo(mixed / "pipe.record")
    status, found = verified(capsys, mixed, "--data", folder.parent / "data")
    assert sorted(Path(str(one["file"])).name for one in found) == sorted({*KINDS, "a report"} - {"white.report"})
    assert status == 3, "the worst of them"
    _, out, _ = told(capsys, "verify", str(mixed), "--data", str(folder.parent / "data"))
    assert out.splitlines()[-1] == "1 verified, 7 intact, 2 incomplete"


def test_who_knows_a_signer_verifies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_file = read_game((folder / "over.ksg").read_text(), lambda _: Published())
    players = [fingerprint(bytes.fromhex(one.key)) for one in (game_file.white, game_file.call.black) if one is not None]
    for name, key in [
        ("bout.arbitre", SIGNER.fingerprint),
        ("signed.jsonl", strong_call("ab").fingerprint),
        *(("over.ksg", one) for one in players),
    ]:
        status, (found,) = verified(capsys, folder / name, "--key", key)
        assert (status, found["standing"], found["key"]) == (0, "verified", key)
    for name in KINDS:
        status, (found,) = verified(capsys, folder / name, "--key", "0" * 32)
        assert (status, found["standing"]) == (1, "broken"), name
        assert str(found["line"]).endswith("0" * 32)


def test_what_each_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def line(name: str) -> str:
        return str(verified(capsys, folder / name)[1][0]["line"])

    assert "election, 3 parties, " in line("choice.jsonl")
    assert line("many.roch").startswith("incomplete: it claims nothing and nobody signed it; election, 20 parties, ")
    assert ", signed by the group " in line("signed.jsonl")
    assert "kriegspiel, Ada – Bob, ply 4 (rules: checkmate), 5 tries, 1 of them refused, rightly" in line("over.ksg")
    assert "incomplete: kriegspiel, Ada – Bob, ply 2, not over; everything so far follows" in line("going.ksg")
    assert f"white's, against {BOB}: {len(game(1))} moves" in line("white.report")


# ── what is nothing, or hostile ────────────────────────────────────────────────────────────────────────────────────


def test_what_nobody_knows_is_said_with_what_was_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for data in (b"", b"hello\n", bytes(range(256)) * 100, b"{}\n", b"\xff" * 300, b"SQLite format 3\0"):
        (tmp_path / "thing").write_bytes(data)
        status, out, _ = told(capsys, "verify", str(tmp_path / "thing"))
        assert (status, out) == (1, f"✗ broken: nothing that can be verified; expected {expected()}\n")
    assert str(expected()).startswith("a record of a match (.record .arbitre), a transcript of an election (.jsonl .roch), ")
    status, _, err = told(capsys, "verify", str(tmp_path))
    assert status == 2
    assert str(expected()) in err.replace("\n", " ").replace("  ", " ")


def test_hostile_files_are_refused_without_reading_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loop.ksg").symlink_to("loop.ksg")
    for begins, name in (
        (b'{"at":', "huge.record"),
        (b"#KSG-BEGIN#1#", "huge.ksg"),
        (b"\xff", "huge.report"),
        (b'{"n":3}', "huge.jsonl"),
    ):
        with (tmp_path / name).open("wb") as file:
            file.write(begins)
            file.truncate(1 << 40)  # a terabyte that takes no room
    for name, why in {
        "loop.ksg": "cannot be read: Too many levels of symbolic links",
        "huge.record": "larger than 64 MiB",
        "huge.ksg": "larger than 4 MiB",
        "huge.report": "larger than 4096 octets",
        "huge.jsonl": "the first line has no end",
    }.items():
        status, out, _ = told(capsys, "verify", str(tmp_path / name))
        assert status == 1
        assert why in out
    assert told(capsys, "verify", "/dev/zero")[0] == 1
    monkeypatch.setattr(verify, "LARGEST_PIPE", 3 << 20)
    with piped(bytes(8 << 20)) as pipe:
        status, out, _ = told(capsys, "verify", pipe)
    assert status == 1
    assert out.endswith("cannot be read: more than 3 MiB\n")


@pytest.fixture(scope="module")
def whole(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in KINDS}


@settings(max_examples=150)
@given(st.sampled_from(sorted(KINDS)), st.booleans(), st.integers(0, 1 << 20), st.integers(1, 255))
def test_what_was_cut_or_changed_is_never_more_than_it_was(
    whole: dict[str, bytes], name: str, cut: bool, place: int, change: int
) -> None:
    """Whatever happens to a file, a finding comes back; what was signed is not sound any more."""
    octets = bytearray(whole[name])
    at = place % len(octets)
    if cut:
        del octets[at:]
    else:
        octets[at] ^= change
    found = examined(bytes(octets), name)
    assert "\n" not in found.line
    if KINDS[name][0] == "record":
        assert found.standing in (Proof.BROKEN, Proof.INCOMPLETE)
    if KINDS[name][0] == "kriegspiel" and found.standing is not Proof.BROKEN:  # a letter around it counts for nothing
        assert found.line == examined(whole[name], name).line


def examined(octets: bytes, name: str) -> Finding:
    with TemporaryFile() as file:
        file.write(octets)
        file.seek(0)
        return examine(file, name)


# ── the courts ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_court_takes_what_is_anothers(whole: dict[str, bytes]) -> None:
    for name, octets in whole.items():
        assert [court.kind for court in file_courts() if court.recognises(octets[: 1 << 14])] == [KINDS[name][0]], name
    endings = [ending for court in file_courts() for ending in court.endings]
    assert len(endings) == len(set(endings))
    assert len(HOUSE) == len({court.kind for court in file_courts()})


CLUB = """
from arbitre.reasons import Reason
from arbitre.referee.files import FileCourt
from arbitre.referee.verify import Finding, Proof

def check(file, keys, given):
    return Finding(Proof.VERIFIED, Reason("quoted", text=file.read(100).decode().split()[1]))

SCORES = FileCourt("scores", "a sheet of scores", (".scores",), lambda head: head.startswith(b"SCORES "), check)
"""


def test_another_package_brings_a_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "club.py").write_text(CLUB)
    (tmp_path / "club-1.dist-info").mkdir()
    (tmp_path / "club-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: club\nVersion: 1\n")
    (tmp_path / "club-1.dist-info" / "entry_points.txt").write_text("[arbitre.courts]\nscores = club:SCORES\n")
    (tmp_path / "sheet").write_text("SCORES 3-2\n")
    done = arbitre("verify", "sheet", "club.py", folder=tmp_path, PYTHONPATH=str(tmp_path))
    first, second, _ = done.stdout.splitlines()
    assert first == "✓ sheet: verified: 3-2"
    assert second.endswith(", a sheet of scores (.scores)")
    (tmp_path / "hostile").write_text("SCORES \x1b[2J\x9b31m3-2\n", encoding="utf-8")
    done = arbitre("verify", "hostile", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout == "✓ verified: \\x1b[2J\\x9b31m3-2\n", "no terminal obeys what a file says"


def test_the_command_knows_no_system() -> None:
    source = (Path(__file__).parents[2] / "src" / "arbitre" / "cli" / "verify.py").read_text()
    assert not [one for one in ("elections", "kref", "league", "arcade", "tournoyons") if f"arbitre.{one}" in source]
