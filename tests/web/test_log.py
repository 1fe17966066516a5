"""The log of a real site: games enter it by themselves, and everything is checked from outside, in the terminal."""

import asyncio
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbitre.cli import run
from arbitre.crypto.keys import keep
from arbitre.records.log.checkpoint import read_checkpoint, read_proof
from arbitre.records.log.entries import EntryKind, entries_of, read_entry
from arbitre.records.log.note import PLAIN, WITNESS, Verifier, check, read_verifier
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.log.tiles import read_bundle
from arbitre.records.log.tree import includes, leaf_hash
from arbitre.records.record import read_record
from arbitre.referee.terms import read_opening
from tests.web.programs_of import Doors, doors
from tests.web.site import quiet, running

DAY = 86_400
"""No checkpoint comes by itself: the tests say when."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with doors(tmp_path / "data", log_period=DAY) as found:
        yield found


def log_of(place: Doors) -> Sequencer:
    assert place.house.log is not None
    return place.house.log


def step(place: Doors) -> None:
    """Let the log number what waits, now."""
    log = log_of(place)
    assert log._task is not None
    asyncio.run_coroutine_threadsafe(log.step(), log._task.get_loop()).result(30)


def given_up(place: Doors) -> tuple[str, str]:
    """Play a game that is given up; return its name and its record."""
    with place.client("anna") as anna:
        name = anna.call("tictactoe", "me", "house:1")["name"]
        anna.resign(name)
        for _ in anna.follow(name):
            pass
        return name, anna.record(name)


def test_a_game_enters_the_log_when_it_is_opened_and_when_it_is_sealed(place: Doors) -> None:
    client = place.site.client()
    with place.client("anna") as anna:
        name = anna.call("tictactoe", "me", "house:1")["name"]
        step(place)
        made = read_checkpoint(client.get("/log/checkpoint").body)
        assert (made.origin, made.size) == (f"127.0.0.1:{place.site.port}/log", 1)
        assert client.get(f"/log/proof/{name}.sealed").status == 404
        anna.resign(name)
        for _ in anna.follow(name):
            pass
        record = read_record(anna.record(name).encode())
    step(place)
    made = read_checkpoint(client.get("/log/checkpoint").body)
    verifier = read_verifier(client.get("/log/key").text)
    assert f"<code>{verifier.text}</code>" in client.get("/keys").text
    assert "arbitre_log_entries 2\n" in client.get("/metrics").text
    assert made.size == 2
    assert check(made.note, verifier)
    terms = read_opening(record.events[0].text).log
    assert terms is not None
    assert (terms.key, terms.within) == (verifier.public.hex(), DAY + 60)
    entries = entries_of(record)
    assert [read_entry(one) for one in read_bundle(client.get("/log/tile/entries/000.p/2").body, 2)] == list(entries)
    for index, (kind, entry) in enumerate(zip((EntryKind.OPENED, EntryKind.SEALED), entries, strict=True)):
        proof = read_proof(client.get(f"/log/proof/{name}.{kind.word}").body)
        assert proof.index == index
        assert includes(made.root, 2, index, leaf_hash(entry.octets()), proof.hashes)


def test_what_is_handed_out_may_be_kept(place: Doors) -> None:
    given_up(place)
    step(place)
    client = place.site.client()
    for path, kind, kept in (
        ("checkpoint", "text/plain; charset=utf-8", "max-age=1,"),
        ("tile/0/000.p/2", "application/octet-stream", "immutable"),
        ("tile/0/000.p/1", "application/octet-stream", "immutable"),
        ("tile/entries/000.p/2", "application/octet-stream", "immutable"),
    ):
        answer = client.get(f"/log/{path}")
        assert (answer.status, answer.headers["content-type"]) == (200, kind)
        assert kept in answer.headers["cache-control"]
        assert "set-cookie" not in answer.headers
        again = client.get(f"/log/{path}", If_None_Match=answer.headers["etag"])
        assert (again.status, again.body) == (304, b"")
    name = "a" * 16
    for path in (
        "", "tile", "tile/0/000", "tile/0/000.p/3", "tile/0/001.p/1", "tile/1/000.p/1", "tile/8/000", "tile/0/0",
        "tile/entries/000.p/3", "tile/0/x999/x999/x999/x999/x999/x999/999", f"proof/{name}.opened", f"proof/{name}",
        "proof/.opened", "tile/0/..%2f..", "proof/..%2fx.opened", "proof/%00.sealed", "proof/" + "x" * 900 + ".sealed",
    ):  # fmt: skip
        assert client.get(f"/log/{path}").status == 404, path


def test_an_erased_match_leaves_a_hash_without_its_salt(place: Doors) -> None:
    name, text = given_up(place)
    step(place)
    client = place.site.client()
    bundle = client.get("/log/tile/entries/000.p/2").body
    log = log_of(place)
    log.store.forget(name)
    step(place)
    assert client.get(f"/log/proof/{name}.opened").status == 404
    assert client.get("/log/tile/entries/000.p/2").body == bundle
    opened = entries_of(read_record(text.encode()))[0]
    assert opened.octets() in bundle
    assert log.store.rows("SELECT seed FROM matches WHERE name = ?", (name,)) == []


def test_no_log_is_a_setting(tmp_path: Path) -> None:
    with running(quiet(tmp_path, log_period=0)) as site:
        for path in ("checkpoint", "key", "tile/0/000", "proof/a.opened"):
            assert site.client().get(f"/log/{path}").status == 404
        assert "/log/checkpoint" not in site.client().get("/keys").text
        assert site.site.state.house.log is None


# ── in the terminal ────────────────────────────────────────────────────────────────────────────────────────────────

Arbitre = Callable[..., str]


@pytest.fixture
def arbitre(capsys: pytest.CaptureFixture[str]) -> Arbitre:
    """Run a command, and return what it printed."""

    def command(*words: object, status: int = 0) -> str:
        capsys.readouterr()
        ended = run([str(word) for word in words])
        found = capsys.readouterr()
        assert ended == status, found
        return found.out

    return command


def test_a_doubter_looks_at_the_log_of_a_site(place: Doors, arbitre: Arbitre, tmp_path: Path) -> None:
    url, key = place.site.url, place.house.key.fingerprint
    name, text = given_up(place)
    record = tmp_path / "one.record"
    record.write_text(text, encoding="utf-8", newline="")
    arbitre("verify", record, "--key", key, "--log", url, status=7)  # not yet
    step(place)
    told = json.loads(arbitre("verify", record, "--key", key, "--log", url, "--json"))
    assert told["log"]["held"]
    assert told["log"]["entries"] == {"opened": 0, "sealed": 1}
    assert json.loads(arbitre("log", "checkpoint", url, "--json"))["size"] == 2
    # proofs that need no log
    arbitre("log", "prove", record, "--log", url, "--folder", tmp_path / "proofs")
    proofs = sorted((tmp_path / "proofs").iterdir())
    assert [one.name for one in proofs] == [f"{name}.opened.tlog-proof", f"{name}.sealed.tlog-proof"]
    arbitre("log", "prove", record, "--proof", proofs[0], "--proof", proofs[1])
    other = tmp_path / "other.record"
    other.write_text(given_up(place)[1], encoding="utf-8", newline="")
    arbitre("log", "prove", other, "--proof", proofs[0], status=7)
    # a copy, brought up to date
    arbitre("log", "mirror", url, tmp_path / "copy")
    arbitre("verify", record, "--key", key, "--log", tmp_path / "copy")
    arbitre("verify", other, "--key", key, "--log", tmp_path / "copy", status=7)
    step(place)
    arbitre("log", "mirror", url, tmp_path / "copy")
    arbitre("verify", record, other, "--key", key, "--log", tmp_path / "copy")
    found = json.loads(arbitre("log", "audit", url, "--json", "--records", tmp_path / "one.record"))
    assert (found["size"], found["unsealed"], found["absent"]) == (4, [], [])
    assert "4" in arbitre("log", "audit", tmp_path / "copy")


def test_what_is_called_wrongly_is_told(arbitre: Arbitre, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "empty").mkdir()
    for words, status in (
        (("checkpoint", "nowhere"), 2),
        (("checkpoint", "http://127.0.0.1:9"), 1),
        (("checkpoint", tmp_path / "empty"), 9),
        (("checkpoint", tmp_path / "empty", "--key", "00"), 2),
        (("checkpoint", tmp_path / "empty", "--key", "00" * 32), 9),
        (("checkpoint", tmp_path / "empty", "--witness", "me"), 9),
        (("prove", __file__), 2),
    ):
        arbitre("log", *words, status=status)
    arbitre("verify", __file__, "--witness", "me", status=2)
    arbitre("verify", __file__, "--log", "nowhere", status=2)


def test_a_site_that_comes_back_goes_on_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    public = "http://games.example"
    with doors(tmp_path / "data", log_period=DAY, public_url=public) as place:
        given_up(place)
        step(place)
        given_up(place)
        before = log_of(place).published
    with running(quiet(tmp_path / "data", log_period=1, public_url=public)) as site:
        log: Sequencer = site.site.state.house.log
        assert log.published == before
        assert before.origin == "games.example/log"
        assert log._task is not None
        asyncio.run_coroutine_threadsafe(grown(log, 4), log._task.get_loop()).result(30)


async def grown(log: Sequencer, size: int) -> None:
    """Return when the log has published so many entries by itself."""
    while log.published.size < size:
        await asyncio.sleep(0.01)


# ── witnesses ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_witness_signs_what_the_site_publishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arbitre: Arbitre) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    public, data = "http://games.example", tmp_path / "data"
    data.mkdir()
    log_key = Verifier("games.example/log", PLAIN, keep(data / "log.key").public)
    command = [sys.executable, "-m", "arbitre", "log", "witness", "--name", "witness.example/w", "--log", log_key.text]
    with subprocess.Popen([*command, "--folder", str(tmp_path / "witness")], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            key, setting = process.stdout.readline().strip(), process.stdout.readline()
            (address,) = tomllib.loads(setting)["log-witness"]
            with doors(data, log_period=DAY, public_url=public, log_witness=(address,)) as place:
                name, text = given_up(place)
                record = tmp_path / "one.record"
                record.write_text(text, encoding="utf-8", newline="")
                step(place)
                log = log_of(place)
                assert log._task is not None
                asyncio.run_coroutine_threadsafe(cosigned(log), log._task.get_loop()).result(60)
                url, ours = place.site.url, place.house.key.fingerprint
                arbitre("verify", record, "--key", ours, "--log", url, "--witness", key)
                made = json.loads(arbitre("log", "checkpoint", url, "--json", "--witness", key))
                assert made["signatures"] == ["games.example/log", "witness.example/w"]
                assert check(
                    read_proof(place.site.client().get(f"/log/proof/{name}.opened").body).checkpoint.note, read_verifier(key)
                )
                stranger = Verifier("stranger.example/w", WITNESS, bytes(range(32))).text
                arbitre("verify", record, "--key", ours, "--log", url, "--witness", stranger, status=7)
        finally:
            process.kill()


async def cosigned(log: Sequencer) -> None:
    """Return when a witness has signed what the log has come to."""
    while log.published.size < 2 or len(log.published.note.signatures) < 2:
        await asyncio.sleep(0.01)


def test_a_key_that_is_succeeded_seals_what_it_opened_and_nothing_more(
    arbitre: Arbitre, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    data, records = tmp_path / "data", tmp_path / "records"
    records.mkdir()

    def keep_record(place: Doors, name: str) -> None:
        with place.client("anna") as anna:
            anna.resign(name)
            for _ in anna.follow(name):
                pass
            (records / f"{name}.record").write_text(anna.record(name), encoding="utf-8", newline="")

    with doors(data, log_period=DAY) as first:
        old = first.house.key
        with first.client("anna") as anna:
            name = anna.call("tictactoe", "me", "house:1")["name"]
        assert first.site.client().get("/log/keys").text == ""
        people, tokens = first.people, first.tokens
        assert "comes after key" in arbitre("operator", "referee-key", "--data", data)
        assert first.house.key.public == old.public, "until it is started again"
    with running(quiet(data, pace=1_000_000, log_period=DAY)) as site:
        place = Doors(site, people, tokens)
        new = place.house.key
        assert new.public != old.public
        keep_record(place, name)
        with place.client("anna") as anna:
            later = anna.call("tictactoe", "me", "house:1")["name"]
        keep_record(place, later)
        assert json.loads(site.client().get(f"/api/matches/{name}/finding").text)["standing"] == "verified"
        step(place)
        told = arbitre("verify", records, "--key", old.fingerprint, "--log", site.url)
        assert told.splitlines()[-1] == "2 verified"
        assert arbitre("verify", records / f"{later}.record", "--key", new.fingerprint, "--log", site.url)
        audited = json.loads(arbitre("log", "audit", site.url, "--json"))
        assert audited["rotations"] == [{"index": 1, "from": old.public.hex(), "to": new.public.hex()}]
        assert old.fingerprint in site.client().get("/keys").text
        arbitre("log", "mirror", site.url, tmp_path / "copy")
        assert arbitre("verify", records, "--key", old.fingerprint, "--log", tmp_path / "copy").splitlines()[-1] == "2 verified"
        arbitre("operator", "backup", tmp_path / "backup.tar", "--data", data)
    with running(quiet(data, pace=1_000_000, log_period=DAY)) as site:
        step(Doors(site, people, tokens))
        assert len(json.loads(arbitre("log", "audit", site.url, "--json"))["rotations"]) == 1, "entered once"
