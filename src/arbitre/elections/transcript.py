"""A whole election in a file, of any size, in one of two forms.

**JSON lines.** The first line is the header, `{"rochambeau":2,"n":17,"hash":"sha256","mode":"draft"}`, 2 being the format, in
strong mode with `"game"`; then one line for each party, `{"player":"A","commit":"0001…","reveal":"0002…"}`, both whole payloads
in hexadecimal, null or left out where none came; at the end, if somebody claims a result, `{"verdict":{"winner":"A"}}`. What the
lines of a signed election hold besides, and that nothing of it may be missing, is `signed`'s to say.

**Compact.** Numbers are big-endian and unsigned::

    8 octets    "rochamb" and the format, 2
    4, header   length of the header, then the header, the same JSON object
    4, block    length of a block, then the block; again and again, at most 4 MiB each (ours have half of one)
    4           a length of zero: no more blocks
    4, claim    length of the claimed verdict (zero: none), then the verdict, a JSON object

A block is a row of records: 1 octet length of the name, name; 2 octets length of the Commit, Commit; 4 octets length of the
Reveal, Reveal. Lengths of zero stand for what did not come. Blocks let a reader take a huge file in pieces, on several
cores.

Whoever appears twice counts with the first Commit and the first Reveal. What is no transcript raises `RecordError`, with the
place; what is a bad payload of one party is no error, it excludes that party.
"""

import json
import os
import shutil
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple, Self, TypeAlias

from arbitre.elections.terms import LONGEST_NAME, Mode, Terms
from arbitre.errors import FormatError, RecordError, TermsError, refusal, shorten
from arbitre.reasons import Reason
from arbitre.records.event import canonical
from arbitre.values import value

FORMAT: Final = 2
MAGIC: Final = b"rochamb\x02"
LONGEST_LINE: Final = 1 << 20
"""No party needs more octets than this: a nonce has at most 65,535."""
CHUNK: Final = 2 << 20
WINDOW: Final = 1 << 16
_decode = json.JSONDecoder().decode


@value
class Header:
    """The first line."""

    terms: Terms
    announced: bytes = b""
    """The value that was announced after the Reveal deadline, where the terms ask for one."""
    more: Mapping[str, object] | None = None
    """Members that are none of the terms: roster, deadlines, notes."""

    def fields(self) -> dict[str, object]:
        """Return the header as a JSON object."""
        terms = self.terms
        fields: dict[str, object] = {"rochambeau": FORMAT, "n": terms.states, "hash": terms.hash, "mode": terms.mode.value}
        if terms.game:
            fields["game"] = terms.game
        if terms.announced:
            fields["announced"] = self.announced.hex()
        if (terms.commit_type, terms.reveal_type) != (1, 2):
            fields["types"] = [terms.commit_type, terms.reveal_type]
        return fields | dict(self.more or {})

    def line(self) -> str:
        """Return the line, without its end."""
        return _compact_json(self.fields())


class Entry(NamedTuple):
    """What one party sent. A named tuple, because there may be millions."""

    player: str
    commit: bytes | None
    reveal: bytes | None
    more: Mapping[str, object] | None = None
    """Members that only signed elections know: signatures, echoes, verdicts."""

    def line(self) -> str:
        """Return the line, without its end."""
        fields: dict[str, object] = {
            "player": self.player,
            "commit": None if self.commit is None else self.commit.hex(),
            "reveal": None if self.reveal is None else self.reveal.hex(),
        }
        return canonical(fields | dict(self.more)) if self.more else _compact_json(fields)

    def record(self) -> bytes:
        """Return the record of the compact form."""
        name, commit, reveal = self.player.encode(), self.commit or b"", self.reveal or b""
        if len(commit) > 0xFFFF:
            raise RecordError(
                "%(player)r: a Commit of %(commit)s octets has no place in the compact form",
                player=self.player,
                commit=len(commit),
            )
        return b"%c%b%b%b%b%b" % (len(name), name, struct.pack(">H", len(commit)), commit, struct.pack(">I", len(reveal)), reveal)


@value
class Claim:
    """A verdict that the file claims."""

    fields: Mapping[str, object]


@value
class Note:
    """A line about the election that is no party: closings of a hub, proofs."""

    fields: Mapping[str, object]


@value
class Broken:
    """A line or record that is none."""

    why: Reason


Said: TypeAlias = Entry | Claim | Note | Broken


def _compact_json(fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def read_object(text: str | bytes) -> dict[str, Any]:
    """Return a JSON object; `RecordError` for anything else."""
    try:
        fields = _decode(text if isinstance(text, str) else text.decode())
    except (ValueError, RecursionError):
        raise RecordError("not JSON") from None
    if not isinstance(fields, dict):
        raise RecordError("not a JSON object")
    return fields


def read_header(text: str | bytes) -> Header:
    """Return the header of a transcript."""
    fields = read_object(text)
    if fields.keys() & {"rochambeau", "n"}:
        _check_format(fields.get("rochambeau", 1))
    more = {key: fields[key] for key in fields.keys() - {"rochambeau", "n", "hash", "mode", "game", "announced", "types"}}
    types = fields.get("types", [1, 2])
    match fields:
        case {"n": int(states)} if not isinstance(states, bool):
            pass
        case _:
            raise RecordError('the header has no "n", the number of states')
    if not (isinstance(types, list) and len(types) == 2 and all(type(one) is int for one in types)):
        raise RecordError('"types" of the header are two numbers')
    for key in ("hash", "mode", "game", "announced"):
        if not isinstance(fields.get(key, ""), str):
            raise RecordError('"%(key)s" of the header is a text', key=key)
    try:
        mode = Mode(fields.get("mode", "draft"))
    except ValueError:
        raise RecordError("no mode %(fields)r; there are: draft strong", fields=shorten(fields["mode"])) from None
    try:
        terms = Terms(states, fields.get("hash", "sha256"), mode, fields.get("game", ""), "announced" in fields, *types)
    except TermsError as error:
        raise RecordError("the header: %(error)s", error=error) from error
    return Header(terms, _octets(fields.get("announced"), "announced") or b"", more or None)


def _check_format(given: object) -> None:
    if given != FORMAT or type(given) is not int:
        raise FormatError(
            "this transcript is of format %(given)s; format %(format)s is read, and no other",
            given=shorten(str(given), 20),
            format=FORMAT,
        )


def read_line(text: str | bytes) -> Said:
    """Return what one line after the header says."""
    fields = read_object(text)
    if "player" not in fields:
        if isinstance(fields.get("verdict"), dict):
            return Claim(fields["verdict"])
        if not fields.keys() & {"commit", "reveal"}:
            return Note(fields)
    player = fields.get("player")
    if type(player) is int:
        player = str(player)
    if not isinstance(player, str):
        raise RecordError('a party has a "player", its name')
    _check_player(player)
    more = {key: fields[key] for key in fields if key not in {"player", "commit", "reveal"}} if len(fields) > 3 else None
    return Entry(player, _octets(fields.get("commit"), "commit"), _octets(fields.get("reveal"), "reveal"), more or None)


def _check_player(player: str) -> None:
    if player.isascii() and 1 <= len(player) <= LONGEST_NAME:
        return
    try:
        size = len(player.encode())
    except UnicodeEncodeError:
        raise RecordError("the name %(player)r holds half a character", player=shorten(player)) from None
    if not 1 <= size <= LONGEST_NAME:
        raise RecordError("a name has 1 to %(longest_name)s octets, not %(size)s", longest_name=LONGEST_NAME, size=size)


def _octets(given: object, what: str) -> bytes | None:
    if given is None or given == "":
        return None
    try:
        octets = bytes.fromhex(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        octets = None
    # blanks between the digits are one of Python's liberties, not of transcripts
    if octets is None or 2 * len(octets) != len(given):  # type: ignore[arg-type]
        raise RecordError('"%(what)s" is not hexadecimal: %(given)r', what=what, given=shorten(str(given), 40))
    return octets


def read_record(block: bytes | memoryview, at: int) -> tuple[Entry, int]:
    """Return the record that begins at an octet of a block, and where the next one begins."""
    fields = []
    for size in (1, 2, 4):
        long = int.from_bytes(block[at : at + size], "big")
        start, at = at + size, at + size + long
        if at > len(block) or long > LONGEST_LINE:
            raise RecordError("a record reaches beyond its block")
        fields.append(bytes(block[start:at]))
    try:
        player = fields[0].decode()
    except UnicodeDecodeError:
        raise RecordError("the name %(fields)r is not UTF-8", fields=fields[0][:40]) from None
    _check_player(player)
    return Entry(player, fields[1] or None, fields[2] or None), at


@value
class Piece:
    """Where a piece of a file begins, and how long it is."""

    offset: int
    size: int


@value
class Chunk:
    """A piece of a file, read, that holds whole lines or records: `offset` is where it begins in the file."""

    offset: int
    data: bytes
    compact: bool

    def said(self) -> Iterator[tuple[int, Said]]:
        """Return what the piece says, each with its place in the file; nothing follows what is `Broken`."""
        at = 0
        if not self.compact:
            for line in self.data.split(b"\n"):
                if line and not line.isspace():
                    try:
                        yield self.offset + at, read_line(line)
                    except RecordError as error:
                        yield self.offset + at, Broken(error.why)
                        return
                at += len(line) + 1
            return
        while at < len(self.data):
            start = at
            said, at = self._read(start)
            if said is not None:
                yield self.offset + start, said

    def said_at(self, starts: Iterable[int]) -> Iterator[tuple[int, Said]]:
        """Return what is said at these octets of the piece."""
        for start in starts:
            said, _ = self._read(start)
            if said is not None:
                yield self.offset + start, said

    def _read(self, start: int) -> tuple[Said | None, int]:
        """Return what is said at an octet, None for a blank line, and where to go on."""
        try:
            if self.compact:
                return read_record(self.data, start)
            end = self.data.find(b"\n", start)
            end = len(self.data) if end < 0 else end
            line = self.data[start:end]
            return read_line(line) if line.strip() else None, end + 1
        except RecordError as error:
            return Broken(error.why), len(self.data)


class Source:
    """A transcript to be read, once from front to back and then wherever it is needed."""

    def __init__(self, file: IO[bytes]) -> None:
        if not file.seekable():
            # a pipe cannot be read twice, and the names of winners are looked up at the end
            kept = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the source
            with file:
                shutil.copyfileobj(file, kept, CHUNK)
            kept.seek(0)
            file = kept
        self.file = file
        self.claim: Claim | None = None
        self.notes: list[Note] = []
        file.seek(0, 2)
        self.octets = file.tell()
        file.seek(0)
        magic = file.read(len(MAGIC))
        self.compact = magic[:-1] == MAGIC[:-1] and len(magic) == len(MAGIC)
        if self.compact:
            _check_format(magic[-1])
            self.header = read_header(file.read(4 + self._size(len(MAGIC), Reason("header")))[4:])
        else:
            file.seek(0)
            line = file.readline(LONGEST_LINE)
            if not line.strip():
                raise RecordError("empty: a transcript begins with a header")
            if not line.endswith(b"\n") and len(line) == LONGEST_LINE:
                raise RecordError("no transcript: the first line has no end")
            self.header = read_header(line)
        self._body = file.tell()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.file.close()

    def pieces(self) -> Iterator[Piece]:
        """Return the file in pieces, in order, each to be loaded when and where it is needed."""
        return self._blocks() if self.compact else self._lines()

    def load(self, piece: Piece) -> Chunk:
        """Read a piece; several threads may do so at a time."""
        return Chunk(piece.offset, self._read(piece.offset, piece.size), self.compact)

    def chunks(self) -> Iterator[Chunk]:
        """Return the file piece by piece, read."""
        return map(self.load, self.pieces())

    def _read(self, offset: int, size: int) -> bytes:
        data = os.pread(self.file.fileno(), size, offset)
        while len(data) < size and (more := os.pread(self.file.fileno(), size - len(data), offset + len(data))):
            data += more
        return data

    def _lines(self) -> Iterator[Piece]:
        start = self._body
        while start < self.octets:
            end = min(start + CHUNK, self.octets)
            while end < self.octets:
                window = self._read(end, WINDOW)
                cut = window.find(b"\n")
                end += cut + 1 if cut >= 0 else len(window)
                if cut >= 0:
                    break
                if end - start > CHUNK + LONGEST_LINE:
                    raise RecordError(
                        "%(end)s: more than %(longest_line)s octets", end=self.where(end), longest_line=LONGEST_LINE
                    )
            yield Piece(start, end - start)
            start = end

    def _blocks(self) -> Iterator[Piece]:
        at = self._body
        while size := self._size(at, Reason("block")):
            yield Piece(at + 4, size)
            at += 4 + size
        if size := self._size(at + 4, Reason("claim")):
            self.claim = Claim(read_object(self._read(at + 8, size)))

    def _size(self, at: int, what: Reason) -> int:
        """Return the length that stands at an octet, if the file has that much."""
        size = self._read(at, 4)
        octets = int.from_bytes(size, "big")
        if len(size) < 4 or at + 4 + octets > self.octets:
            raise RecordError("the file ends in the middle of a %(what)s", what=what)
        if octets > 2 * CHUNK:
            raise RecordError("a %(what)s of %(octets)s octets", what=what, octets=octets)
        return octets

    def entry_at(self, offset: int) -> Entry:
        """Return the party at a place that `chunks` told."""
        self.file.seek(offset)
        if self.compact:
            return read_record(self.file.read(2 * LONGEST_LINE), 0)[0]
        said = read_line(self.file.readline(LONGEST_LINE + 1))
        if not isinstance(said, Entry):
            raise RecordError("%(offset)s: no party", offset=self.where(offset))
        return said

    def where(self, offset: int) -> Reason:
        """Say where in the file a place is, for people."""
        if self.compact:
            return Reason("at octet %(octet)s", octet=offset)
        self.file.seek(0)
        lines, left = 1, offset
        while left > 0 and (data := self.file.read(min(CHUNK, left))):
            lines, left = lines + data.count(b"\n"), left - len(data)
        return Reason("line %(number)s", number=lines)


def open_source(path: Path) -> Source:
    """Open a transcript in a file; `RecordError` if it is none."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise RecordError("cannot read %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error
    try:
        return Source(file)
    except RecordError as error:
        file.close()
        raise type(error)("%(path)s: %(error)s", path=path, error=error) from None
    except OSError as error:
        file.close()
        raise RecordError("cannot read %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error


def write_lines(
    file: IO[bytes], header: Header, entries: Iterable[Entry], notes: Iterable[Mapping[str, object]] = (), claim: object = None
) -> None:
    """Write a transcript as JSON lines."""
    file.write(header.line().encode() + b"\n")
    for entry in entries:
        file.write(entry.line().encode() + b"\n")
    for note in notes:
        file.write(canonical(note).encode() + b"\n")
    if claim is not None:
        file.write(canonical({"verdict": claim}).encode() + b"\n")


def write_compact(file: IO[bytes], header: Header, entries: Iterable[Entry], claim: object = None) -> None:
    """Write a transcript in the compact form; signatures and notes have no place in it."""
    file.write(MAGIC + _sized(_compact_json(header.fields()).encode()))
    block = bytearray()
    for entry in entries:
        block += entry.record()
        if len(block) >= CHUNK // 4:
            file.write(_sized(block))
            block.clear()
    if block:
        file.write(_sized(block))
    file.write(_sized(b"") + _sized(b"" if claim is None else _compact_json(claim).encode()))


def _sized(data: bytes | bytearray) -> bytes:
    return struct.pack(">I", len(data)) + data
