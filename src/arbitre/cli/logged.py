"""What commands share that read a transparency log: where it is, which key it must have, and whether it holds a record."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import click

from arbitre.cli.speech import MisuseError
from arbitre.crypto.keys import fingerprint
from arbitre.errors import LogError, LogMissingError, LogOrderError, RecordError
from arbitre.records.event import read_object
from arbitre.records.heads import state_folder
from arbitre.records.log.checkpoint import LogProof
from arbitre.records.log.entries import Entry, entries_of
from arbitre.records.log.memory import SeenLogs
from arbitre.records.log.note import LONGEST_NOTE, PLAIN, WITNESS, Verifier, read_verifier
from arbitre.records.log.reader import FolderSource, LogReader, Source
from arbitre.records.log.successors import LONGEST_KEYS, Successor, check_order, first_of, heirs, read_successors
from arbitre.records.record import Record, read_record
from arbitre.referee.files import LARGEST, read_whole
from arbitre.referee.terms import LogTerms, read_log
from arbitre.values import value

PUBLIC = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[0-9A-Za-z_-]{1,80}")
"""How matches are called that a log is asked for: their name becomes a part of an address."""

NOT_YET = 1 << 62
"""The place of what a log does not hold yet."""

witness_option = click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="KEY",
    help="A witness that must have signed the checkpoint, NAME+ID+KEY; may be given several times.",
)
key_option = click.option(
    "--key",
    "key",
    metavar="KEY",
    help="The key of the log, 64 hexadecimal digits or NAME+ID+KEY [default: the one it had when it was first seen].",
)


def source_of(place: str) -> Source:
    """Return where a log is read."""
    if urlsplit(place).scheme in ("http", "https"):
        from arbitre.client.log import UrlSource  # noqa: PLC0415 - who reads a folder needs no client

        source = UrlSource(place)
        click.get_current_context().call_on_close(source.close)
        return source
    if not Path(place).is_dir():
        raise MisuseError("a log is at an address that begins with http, or in a folder; %(place)r is neither", place=place)
    return FolderSource(Path(place))


def read_key(text: str) -> bytes:
    """Return the key of a log that somebody typed."""
    return bytes.fromhex(text) if PUBLIC.fullmatch(text) else read_name(text).public


def read_name(text: str) -> Verifier:
    """Return the name and the key of a log, as somebody typed them."""
    try:
        found = read_verifier(text)
    except LogError as error:
        raise MisuseError("the key of a log: %(error)s", error=error) from None
    if found.kind != PLAIN:
        raise MisuseError("%(name)s is a witness, not a log", name=found.name)
    return found


def read_witnesses(texts: tuple[str, ...]) -> tuple[Verifier, ...]:
    """Return the witnesses that somebody typed."""
    try:
        found = tuple(map(read_verifier, texts))
    except LogError as error:
        raise MisuseError("the key of a witness: %(error)s", error=error) from None
    for one in found:
        if one.kind != WITNESS:
            raise MisuseError("%(name)s is a log, not a witness", name=one.name)
    return found


def open_log(place: str, key: str | None, witnesses: tuple[str, ...] = ()) -> LogReader:
    """Return a log under the key that was given, or that it had when it was first seen, or that it says it has: as ssh does."""
    source, memory = source_of(place), SeenLogs(state_folder())
    public = read_key(key) if key is not None else memory.key_at(source.where)
    if public is None:
        data = source.read("key", LONGEST_NOTE)
        if data is None:
            raise LogError("%(where)s does not say which key it has: give it with --key", where=source.where)
        public = read_verifier(data.decode("utf-8", "replace")).public
    reader = LogReader(source, public, memory, read_witnesses(witnesses))
    reader.advance()
    if memory.key_at(source.where) is None:
        memory.settle(source.where, public)
    return reader


@value
class RecordFile:
    """A record, and what its opening says of a log."""

    record: Record
    match: str
    referee: str
    """His public key, in hexadecimal."""
    terms: LogTerms | None

    def entries(self) -> tuple[Entry, ...]:
        """Return what the log must hold of it."""
        return entries_of(self.record)


def read_record_file(path: Path) -> RecordFile:
    """Return the record in a file; `RecordError` where it is none."""
    with path.open("rb") as file:
        record = read_record(read_whole(file, LARGEST))
    if not record.events:
        raise RecordError("a record begins with the opening", 1)
    opening = read_object(record.events[0].text)
    referee = str(opening.get("referee", ""))
    if not PUBLIC.fullmatch(referee):
        raise RecordError("%(key)r is no public key", 1, key=referee[:80])
    return RecordFile(record, str(opening.get("match", "")), referee, read_log(opening.get("log")))


class LogCheck:
    """Whether records are in a log, one record after the other."""

    def __init__(self, place: str, witnesses: tuple[str, ...]) -> None:
        self._source = source_of(place)
        self._witnesses = read_witnesses(witnesses)
        self._readers: dict[str, LogReader] = {}
        self._indices: dict[str, dict[bytes, int]] = {}
        self._rotations: dict[str, dict[Successor, int]] = {}
        self._statements: tuple[Successor, ...] | None = None

    def heirs(self, key: str) -> frozenset[str]:
        """Return the fingerprints that come after a key, by what its holder signed; where in the log, `check` looks."""
        return heirs(self._stated(), key)

    def _stated(self) -> tuple[Successor, ...]:
        if self._statements is None:
            self._statements = read_successors(self._source.read("keys", LONGEST_KEYS) or b"")
        return self._statements

    def _rotated(self, key: str) -> dict[Successor, int]:
        """Return the successors in the log with this key, and their places there."""
        if key not in self._rotations:
            self._rotations[key] = {one: self._place(key, one) for one in self._stated() if one.log.hex() == key}
        return self._rotations[key]

    def _place(self, key: str, one: Successor) -> int:
        """Return the place of a successor in the log; behind everything where it is not there yet."""
        try:
            return self.prove(one.old.hex(), key, one.entry).index
        except LogMissingError:
            return NOT_YET

    def check(self, path: Path, given: str | None = None) -> list[LogProof]:
        """Return the proofs that a record is in the log; `LogMissingError` where it is not, or names no log.

        `LogOrderError` where its referee's key was not the one at that place of the log, or does not come after the given one.
        """
        found = read_record_file(path)
        if found.terms is None:
            raise LogMissingError("its opening names no log")
        proofs = [self.prove(found.match, found.terms.key, entry) for entry in found.entries()]
        rotations, referee = self._rotated(found.terms.key), bytes.fromhex(found.referee)
        line = None if given is None else {given, *heirs((one for one, _ in first_of(rotations).values()), given)}
        if line is not None and fingerprint(referee) not in line:
            raise LogOrderError(
                "by the order of the log key %(key)s does not come after key %(given)s",
                key=fingerprint(referee),
                given=given or "",
            )
        against = check_order(rotations, referee, proofs[0].index)
        if against is not None:
            raise LogOrderError(
                "opened at entry %(opened)s under the key %(key)s; key %(new)s came after key %(old)s at entry %(index)s",
                opened=proofs[0].index,
                key=fingerprint(referee),
                new=fingerprint(against[0].new),
                old=fingerprint(against[0].old),
                index=against[1],
            )
        return proofs

    def prove(self, match: str, key: str, entry: Entry) -> LogProof:
        """Return the proof that an entry of a match is in the log with this key."""
        reader = self._readers.get(key)
        if reader is None:
            reader = LogReader(self._source, bytes.fromhex(key), SeenLogs(state_folder()), self._witnesses)
            self._readers[key] = reader
        if not isinstance(self._source, FolderSource):
            if not NAME.fullmatch(match):
                raise LogMissingError("no log knows a match that is called %(match)r", match=match[:80])
            return reader.proof(match, entry)
        if key not in self._indices:
            self._indices[key] = {one: index for index, one in enumerate(reader.entries())}
        index = self._indices[key].get(entry.octets())
        if index is None:
            raise LogMissingError(
                "%(where)s does not hold the match %(match)s as %(kind)s",
                where=self._source.where,
                match=match[:80],
                kind=entry.kind.said,
            )
        return reader.located(index, entry)
