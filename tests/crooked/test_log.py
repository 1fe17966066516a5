"""A site that lies about its log: it forgets a game, forks, rolls back, proves another game, lets others sign.

The doubter has a record, an address, and the memory of the last checkpoint; every lie is caught by him, with a status of its own.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from arbitre.cli import run
from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.records.log.checkpoint import read_checkpoint, sign_checkpoint
from arbitre.records.log.entries import Entry, EntryKind, entries_of, read_entry
from arbitre.records.log.note import PLAIN, Note, Verifier, check, merged, read_note, read_verifier
from arbitre.records.log.successors import Successor, succeed
from arbitre.records.log.witness import Witness, read_cosignatures, write_request
from arbitre.records.record import Record
from arbitre.referee.match import Match
from arbitre.referee.terms import LogTerms
from tests.records.log.laid import LOG_KEY, ORIGIN, Host, hosted, laid, proven
from tests.records.log.naive import naive_consistency
from tests.referee.tables import KEY, Hearing, make_match

MISSING, FORKED, MALFORMED = 7, 8, 9

OTHERS = [Entry(EntryKind.OPENED, number.to_bytes(16, "big"), bytes(32)).octets() for number in range(300)]
"""What the log holds besides."""


def played(name: str, moves: str = "14253", key: Key = LOG_KEY) -> Record:
    """Return the record of a game whose opening names the log."""
    seed = sha256(name.encode()).digest()
    opening = make_match(seed=seed).opening
    opening = replace(opening, match=name, log=LogTerms(key.public.hex(), 61), commitment=commitment(seed))
    hearing = Hearing(Match(opening, seed))
    for number, cell in enumerate(moves):
        hearing.say(number % 2, cell)
    return hearing.record()


class Doubter:
    """Somebody with records, who asks and remembers."""

    def __init__(self, host: Host, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.host = host
        self.folder = folder
        self._capsys = capsys

    def keep(self, record: Record, name: str = "game") -> str:
        path = self.folder / f"{name}.record"
        path.write_text(record.text(), encoding="utf-8", newline="")
        return str(path)

    def does(self, *words: str) -> tuple[int, str]:
        """Run a command; return its status and what it said."""
        self._capsys.readouterr()
        status = run(list(words))
        out, err = self._capsys.readouterr()
        return status, out + err

    def verify(self, path: str, *more: str) -> int:
        return self.does("verify", path, "--key", KEY.fingerprint, "--log", self.host.url, *more)[0]

    def evidence(self) -> list[Path]:
        return list((self.folder / "state").rglob("*.evidence"))


@pytest.fixture
def doubter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Doubter]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with hosted() as host:
        yield Doubter(host, tmp_path, capsys)


def honest(record: Record, before: Sequence[bytes] = OTHERS[:5], after: Sequence[bytes] = OTHERS[5:9]) -> list[bytes]:
    opened, sealed = entries_of(record)
    return [*before, opened.octets(), *after, sealed.octets()]


def show(host: Host, entries: Sequence[bytes], *records: tuple[str, Record]) -> None:
    """Let a host show a log with the proofs of some records."""
    host.files = laid(entries)
    for name, record in records:
        host.files |= proven(entries, name, entries_of(record))


def test_an_honest_log_is_believed_while_it_grows(doubter: Doubter) -> None:
    record = played("one")
    path = doubter.keep(record)
    for count in (0, 1, 250, 300):
        show(doubter.host, [*honest(record), *OTHERS[9:count]], ("one", record))
        assert doubter.verify(path) == 0
    assert not doubter.evidence()


def test_a_game_that_is_forgotten_is_missed(doubter: Doubter) -> None:
    """The log that was seen with a game goes on without it: whoever saw a checkpoint holds both, signed."""
    record, other = played("one"), played("two")
    path = doubter.keep(record)
    show(doubter.host, honest(record), ("one", record))
    assert doubter.verify(path) == 0
    without = [one for one in honest(record) if one not in [entry.octets() for entry in entries_of(record)]]
    show(doubter.host, [*without, *OTHERS[9:20], *(entry.octets() for entry in entries_of(other))], ("two", other))
    status, said = doubter.does("log", "checkpoint", doubter.host.url)
    assert status == FORKED
    (kept,) = doubter.evidence()
    assert str(kept) in said
    old, new = (Note(text.rpartition("\n\n")[0] + "\n", ()) for text in _notes(kept.read_text()))
    assert old.text.splitlines()[:2] == [ORIGIN, "11"]
    assert new.text.splitlines()[:2] == [ORIGIN, "22"]
    assert doubter.verify(doubter.keep(other, "other")) == FORKED, "the other game is true, the log is not"


def _notes(text: str) -> list[str]:
    """Return the two notes of a file of evidence."""
    at = text.index(f"\n\n{ORIGIN}\n")
    return [text[: at + 1], text[at + 2 :]]


def test_evidence_convicts_before_anybody(doubter: Doubter) -> None:
    show(doubter.host, OTHERS[:5])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0
    show(doubter.host, OTHERS[1:9])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == FORKED
    (kept,) = doubter.evidence()
    verifier = read_verifier(doubter.host.files["key"].decode())
    assert all(check(read_note(text.encode()), verifier) for text in _notes(kept.read_text()))


def test_a_log_that_rolls_back_is_caught(doubter: Doubter) -> None:
    record = played("one")
    path = doubter.keep(record)
    show(doubter.host, [*honest(record), *OTHERS[9:20]], ("one", record))
    assert doubter.verify(path) == 0
    show(doubter.host, honest(record), ("one", record))
    assert doubter.verify(path) == FORKED
    assert doubter.does("log", "audit", doubter.host.url)[0] == FORKED


def test_a_fork_of_the_same_size_is_caught(doubter: Doubter) -> None:
    show(doubter.host, OTHERS[:9])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0
    show(doubter.host, [*OTHERS[:8], OTHERS[20]])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == FORKED


def test_a_backup_that_was_restored_is_told_as_such(doubter: Doubter) -> None:
    show(doubter.host, OTHERS[:9])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0
    doubter.host.files = laid(OTHERS[:5], origin=f"{ORIGIN}/0badcafe")
    status, said = doubter.does("log", "checkpoint", doubter.host.url)
    assert (status, "began anew" in said) == (FORKED, True)
    assert doubter.does("log", "checkpoint", doubter.host.url, "--forget")[0] == 0
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0
    doubter.host.files = laid(OTHERS[:6], origin="moved.example/log")
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0, "another address, the same tree"


def test_a_game_that_was_never_entered_is_missed(doubter: Doubter) -> None:
    record = played("one")
    show(doubter.host, OTHERS)
    assert doubter.verify(doubter.keep(record)) == MISSING
    opened = entries_of(record)[0]
    entries = [*OTHERS[:7], opened.octets()]
    doubter.host.files = laid(entries) | proven(entries, "one", [opened])
    assert doubter.verify(doubter.keep(record)) == MISSING, "opened, and never sealed"


def test_a_proof_of_another_game_proves_nothing(doubter: Doubter) -> None:
    record, other = played("one"), played("two")
    entries = honest(other)
    show(doubter.host, entries, ("two", other))
    for kind in ("opened", "sealed"):
        doubter.host.files[f"proof/one.{kind}"] = doubter.host.files[f"proof/two.{kind}"]
    assert doubter.verify(doubter.keep(record)) == MISSING


def test_another_end_of_the_same_game_is_not_in_the_log(doubter: Doubter) -> None:
    """The referee seals one end for the log and hands out another: same opening, same seed."""
    true, false = played("one", "14253"), played("one", "15263")
    show(doubter.host, honest(true), ("one", true))
    assert doubter.verify(doubter.keep(true)) == 0
    assert doubter.verify(doubter.keep(false)) == MISSING


def test_another_key_than_the_opening_names_is_refused(doubter: Doubter) -> None:
    record, stranger = played("one"), Key(bytes(32))
    entries = honest(record)
    doubter.host.files = laid(entries, stranger) | proven(entries, "one", entries_of(record), stranger)
    assert doubter.verify(doubter.keep(record)) == FORKED


def test_the_key_that_was_first_seen_stays(doubter: Doubter) -> None:
    show(doubter.host, OTHERS[:3])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0
    doubter.host.files = laid(OTHERS[:3], Key(bytes(32)))
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == FORKED


def test_a_record_without_a_log_is_told(doubter: Doubter) -> None:
    show(doubter.host, OTHERS)
    hearing = Hearing(make_match())
    for number, cell in enumerate("14253"):
        hearing.say(number % 2, cell)
    assert doubter.verify(doubter.keep(hearing.record())) == MISSING


def test_two_views_are_told_apart_by_a_witness(doubter: Doubter) -> None:
    """To one the site shows a game, to another a tree without it: both hold for who never compares, but a witness signs one."""
    witness = Witness(doubter.folder / "witness", "witness.example/w", Key(bytes(32)), [Verifier(ORIGIN, PLAIN, LOG_KEY.public)])
    record = played("one")
    path = doubter.keep(record)
    seen, hidden = honest(record), [*OTHERS[:5], *OTHERS[20:30]]
    show(doubter.host, seen, ("one", record))
    made = read_checkpoint(doubter.host.files["checkpoint"])
    (signature,) = read_cosignatures(witness.add(write_request(0, [], made)).text.encode(), made, witness.verifier)
    signed = merged(made.note, [signature]).whole().encode()
    for name in [one for one in doubter.host.files if one == "checkpoint" or one.startswith("proof/")]:
        doubter.host.files[name] = doubter.host.files[name].replace(made.note.whole().encode(), signed)
    assert doubter.verify(path, "--witness", witness.verifier.text) == 0
    (doubter.folder / "state").rename(doubter.folder / "elsewhere")  # somebody else, who saw nothing yet
    show(doubter.host, hidden)
    assert doubter.does("log", "audit", doubter.host.url)[0] == 0, "alone, nobody can tell"
    assert doubter.does("log", "audit", doubter.host.url, "--witness", witness.verifier.text)[0] == MISSING
    other = read_checkpoint(doubter.host.files["checkpoint"])
    assert witness.add(write_request(0, [], other)).status == 409
    assert witness.add(write_request(made.size, naive_consistency(made.size, hidden), other)).status == 422


Lie = Callable[[dict[str, bytes]], None]


def change(path: str, octets: bytes) -> Lie:
    return lambda files: files.update({path: octets})


def flip(path: str, at: int) -> Lie:
    def lie(files: dict[str, bytes]) -> None:
        data = bytearray(files[path])
        data[at] ^= 1
        files[path] = bytes(data)

    return lie


@pytest.mark.parametrize(
    ("lie", "status"),
    [
        (flip("tile/entries/000", 40), FORKED),
        (flip("tile/entries/001.p/44", 40), FORKED),
        (change("tile/entries/000", b"\0\1x" * 256), FORKED),
        (lambda files: files.pop("tile/entries/001.p/44"), FORKED),
        (change("tile/entries/000", b"\xff\xff"), MALFORMED),
        (change("tile/entries/000", b""), MALFORMED),
        (change("checkpoint", b"rubbish"), MALFORMED),
        (change("checkpoint", b"x" * 5_000_000), MALFORMED),
        (change("checkpoint", b"a\n1\nAAAA\n\n\xe2\x80\x94 a AAAAAAA=\n"), MALFORMED),
        (lambda files: files.pop("checkpoint"), MALFORMED),
        (change("key", b"rubbish"), MALFORMED),
        (change("checkpoint", sign_checkpoint(ORIGIN, 1 << 62, bytes(32), LOG_KEY).note.whole().encode()), MALFORMED),
        (change("checkpoint", sign_checkpoint(ORIGIN, 1 << 20, bytes(32), LOG_KEY).note.whole().encode()), FORKED),
    ],
)
def test_what_is_handed_out_wrongly_ends_the_audit(doubter: Doubter, lie: Lie, status: int) -> None:
    show(doubter.host, OTHERS)
    assert doubter.does("log", "audit", doubter.host.url, "--key", LOG_KEY.public.hex())[0] == 0
    (doubter.folder / "state").rename(doubter.folder / "before")
    lie(doubter.host.files)
    found, said = doubter.does("log", "audit", doubter.host.url)
    assert found == status, said
    assert len(said.splitlines()) <= 2


@pytest.mark.parametrize("path", ["tile/0/000.p/9", "tile/0/000.p/11"])
def test_lies_in_tiles_do_not_pass_for_growth(doubter: Doubter, path: str) -> None:
    show(doubter.host, OTHERS[:9])
    assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0
    show(doubter.host, OTHERS[:11])
    if path in doubter.host.files:
        flip(path, 7)(doubter.host.files)
        assert doubter.does("log", "checkpoint", doubter.host.url)[0] == FORKED
    else:
        assert doubter.does("log", "checkpoint", doubter.host.url)[0] == 0


def test_the_audit_tells_what_was_opened_and_never_sealed(doubter: Doubter) -> None:
    record, other = played("one"), played("two")
    first, second = entries_of(record), entries_of(other)
    entries = [
        *(one.octets() for one in (first[0], second[0], first[1])),
        first[0].octets(),
        b"stray",
        OTHERS[0][:1] + OTHERS[1][1:],
    ]
    entries.append(Entry(EntryKind.SEALED, b"never opened, no", bytes(32)).octets())
    show(doubter.host, entries)
    records = [doubter.keep(record, "one"), doubter.keep(other, "two")]
    status, said = doubter.does(
        "log", "audit", doubter.host.url, "--json", *(word for one in records for word in ("--records", one))
    )
    found = json.loads(said)
    assert status == MISSING
    assert [(one["index"], one["record"]) for one in found["unsealed"]] == [(1, "two.record"), (5, None)]
    assert (found["repeated"], found["foreign"], found["unopened"]) == ([3], [4], [6])
    assert found["absent"] == ["two.record"]


# ── a key that was succeeded ───────────────────────────────────────────────────────────────────────────────────────

NEXT = Key(b"the key of the next referee: her")
"""Who comes after the referee of the tables."""


def refereed(name: str, key: Key) -> Record:
    """Return the record of a game of the referee who holds a key."""
    seed = sha256(name.encode()).digest()
    opening = replace(make_match(seed=seed).opening, match=name, log=LogTerms(LOG_KEY.public.hex(), 61), referee=key.public.hex())
    hearing = Hearing(Match(replace(opening, commitment=commitment(seed)), seed))
    for number, cell in enumerate("14253"):
        hearing.say(number % 2, cell)
    return Record(tuple(hearing.events), hearing.chain().seal(key, hearing.match.opening.keys))


def rotated(doubter: Doubter, *records: tuple[str, Record], keys: Sequence[Successor], order: Sequence[Entry]) -> None:
    """Let the host show a log of these entries, with statements of successors."""
    entries = [*OTHERS[:3], *(one.octets() for one in order)]
    show(doubter.host, entries, *records)
    doubter.host.files["keys"] = "".join(f"{one.line}\n" for one in keys).encode()
    for one in reversed(keys):  # the proof of a key's first successor is the one that a log hands out
        if one.entry.octets() in entries:
            doubter.host.files |= proven(entries, one.old.hex(), [one.entry])


def test_a_stolen_key_seals_nothing_that_was_opened_after_its_successor(doubter: Doubter) -> None:
    turn = succeed(KEY, NEXT, LOG_KEY.public)
    before, stolen, after = refereed("before", KEY), refereed("stolen", KEY), refereed("after", NEXT)
    (one, one_end), (two, two_end), (three, three_end) = map(entries_of, (before, stolen, after))
    games = (("before", before), ("stolen", stolen), ("after", after))
    rotated(doubter, *games, keys=[turn], order=[one, turn.entry, one_end, three, three_end, two, two_end])
    paths = [doubter.keep(record, name) for name, record in games]
    assert doubter.verify(paths[0]) == 0, "opened before, and sealed after"
    status, said = doubter.does("verify", paths[1], "--key", KEY.fingerprint, "--log", doubter.host.url)
    assert (status, "came after key" in said) == (1, True)
    assert doubter.verify(paths[2]) == 0, "who trusts the old key trusts the one that it named"
    assert doubter.does("verify", paths[2], "--key", KEY.fingerprint)[0] == 1, "without the log nobody knows of it"
    assert doubter.does("verify", paths[0], "--key", NEXT.fingerprint, "--log", doubter.host.url)[0] == 1
    status, said = doubter.does("log", "audit", doubter.host.url)
    assert (status, f"4  {KEY.fingerprint} → {NEXT.fingerprint}" in said) == (0, True)


def test_a_new_key_seals_nothing_that_was_opened_before_it_came(doubter: Doubter) -> None:
    turn, game = succeed(KEY, NEXT, LOG_KEY.public), refereed("early", NEXT)
    opened, sealed = entries_of(game)
    rotated(doubter, ("early", game), keys=[turn], order=[opened, turn.entry, sealed])
    assert doubter.verify(doubter.keep(game)) == 1
    rotated(doubter, ("early", game), keys=[turn], order=[opened, turn.entry, sealed, *map(read_entry, OTHERS[7:9])])
    assert doubter.verify(doubter.keep(game)) == 1


def test_of_two_successors_of_one_key_the_first_in_the_log_is_the_one(doubter: Doubter) -> None:
    """Who steals the old key names his own as its successor; even if he gets it into the log, it comes too late."""
    thief = Key(b"the key of somebody who stole it")
    true, false = succeed(KEY, NEXT, LOG_KEY.public), succeed(KEY, thief, LOG_KEY.public)
    game, loot = refereed("game", NEXT), refereed("loot", thief)
    order = [true.entry, *entries_of(game), false.entry, *entries_of(loot)]
    rotated(doubter, ("game", game), ("loot", loot), keys=[true, false], order=order)
    assert doubter.verify(doubter.keep(game, "game")) == 0
    assert doubter.verify(doubter.keep(loot, "loot")) == 1
    assert doubter.does("log", "audit", doubter.host.url)[0] == FORKED, "two successors of one key"


def test_a_key_that_was_succeeded_does_not_come_back(doubter: Doubter) -> None:
    """The operator names the old key, which somebody may have stolen meanwhile, as the successor of the new one."""
    there, back = succeed(KEY, NEXT, LOG_KEY.public), succeed(NEXT, KEY, LOG_KEY.public)
    game, last = refereed("back", KEY), refereed("last", NEXT)
    order = [there.entry, back.entry, *entries_of(game), *entries_of(last)]
    rotated(doubter, ("back", game), ("last", last), keys=[there, back], order=order)
    assert doubter.verify(doubter.keep(game, "back")) == 1
    assert doubter.verify(doubter.keep(last, "last")) == 1, "nor does the one that was to be succeeded by it"


def test_a_statement_that_is_not_signed_or_not_in_form_is_refused(doubter: Doubter) -> None:
    true = succeed(KEY, NEXT, LOG_KEY.public)
    forged = replace(true, new=Key(bytes(32)).public)
    for text in (forged.line, true.line + " ", "{}", "x" * 5_000_000):
        rotated(doubter, keys=[], order=[true.entry])
        doubter.host.files["keys"] = text.encode() + b"\n"
        assert doubter.does("log", "audit", doubter.host.url)[0] == MALFORMED
    doubter.host.files["keys"] = b""
    status, said = doubter.does("log", "audit", doubter.host.url)
    assert (status, "3  the statement is not handed out" in said) == (0, True)
