"""The bot's side of the proof: what it says to an opening and to a record, and the journal that it keeps.

`records.evidence` says what must hold; here it meets the lines of the pipe. A bot with a key, with a nonce or with a folder for
journals has a witness, one for each match. A match that goes on after the referee was away is found again by its journal; without
a folder, or where the file is gone, the bot plays on and declines in the end.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from arbitre.crypto.chain import START, fold, leaf
from arbitre.crypto.draws import NONCE_BYTES, promise
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import Statement, Subject, code_hash, opening_hash, view_hash
from arbitre.errors import HouseError, refusal
from arbitre.reasons import Reason
from arbitre.records import evidence
from arbitre.records.event import reason_text, write_reason
from arbitre.records.evidence import Dispute, Put, SeatJournal, one_line, read_journal
from arbitre.transport.pipe import Asked, BotSide, Called, Ended, FromReferee, Opened, Recorded

LONGEST_SAID = 4096
"""Characters of a move that a record keeps."""


class Witness:
    """What one bot knows of one match."""

    def __init__(self, called: Called, key: Key | None, brings_nonce: bool, folder: Path | None) -> None:
        self.key = key
        nonce = os.urandom(NONCE_BYTES) if brings_nonce else b""
        call = evidence.Called(
            called.match,
            called.commitment,
            called.referee,
            called.game,
            dict(called.options),
            called.seat,
            key.public.hex() if key else "",
            nonce.hex(),
            promise(nonce, called.commitment, called.match, called.seat) if nonce else "",
        )
        self.journal = _kept(call, folder) if folder is not None else SeatJournal(call)

    def hear(self, event: FromReferee, wire: BotSide) -> Iterator[bytes]:
        """Answer what only those are told who brought something."""
        if isinstance(event, Opened):
            yield self._agree(event, wire)
        elif isinstance(event, Ended):
            score = "-" if event.score is None else str(event.score)
            self.journal.end(score, event.termination, one_line(reason_text(event.why)))
        elif isinstance(event, Recorded):
            yield self._sign(event, wire)

    def asked(self, asked: Asked, shown: str, refused: Reason | None) -> None:
        """Write a question down."""
        why = "" if refused is None else one_line(reason_text(refused))
        self.journal.ask(Put(asked.turn, asked.left, asked.head, view_hash(shown), why))

    def said(self, line: bytes, note: str = "") -> None:
        """Write down the answer that is about to be given, and before it what is said about it."""
        if note:
            self.journal.note(note)
        word, _, text = line.decode().rstrip("\n").partition(" ")
        if word in ("move", "offer"):
            self.journal.answer("said", text.strip(" ")[:LONGEST_SAID], offers=word == "offer")
        elif word == "draw":
            self.journal.answer("settled", "")
        else:
            self.journal.answer("resigned", write_reason(text.strip(" ")) if text.strip(" ") else "")

    def _agree(self, opened: Opened, wire: BotSide) -> bytes:
        called = self.journal.called
        try:
            self.journal.open(opened.text, opened.salt, opened.signature)
        except Dispute as dispute:
            self.journal.decline(dispute.code)
            return wire.decline(dispute.code)
        signature = ""
        if self.key is not None:
            subject = Subject(opening_hash(opened.text), 1, fold(START, leaf(bytes.fromhex(opened.salt), opened.text)))
            signature = subject.sign(self.key, Statement.AGREED, called.seat).hex()
        self.journal.agree(called.nonce or None, signature or None)
        return wire.agree(called.nonce, signature)

    def _sign(self, record: Recorded, wire: BotSide) -> bytes:
        seat, key = self.journal.called.seat, self.key
        if key is None:
            raise HouseError("the referee wants a signature of a bot without a key")
        try:
            subject = evidence.check_record(self.journal, record.text, record.count)
        except Dispute as dispute:
            subject = evidence.subject_of(record.text)
            signature = subject.sign(key, Statement.DISPUTED, seat, code_hash(dispute.code)).hex()
            self.journal.close(subject, signature, dispute.code)
            return wire.decline(dispute.code, signature)
        signature = subject.sign(key, Statement.PLAYED, seat).hex()
        self.journal.close(subject, signature)
        return wire.sign(signature)


def _kept(call: evidence.Called, folder: Path) -> SeatJournal:
    """Return the journal of a match in a folder: the one that is there, if it is of the same match, or a new one."""
    path = folder / f"{call.referee[:16]}-{_file_name(call.match)}-{call.seat + 1}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = read_journal(path.read_bytes()) if path.exists() else None
        if found is not None and _is_same(found.called, call):
            found.file = path.open("a", encoding="utf-8")
            return found
        journal = SeatJournal(call, path.open("w", encoding="utf-8"))
    except OSError as error:
        raise HouseError("cannot keep a journal in %(folder)s: %(why)s", folder=folder, why=refusal(error)) from None
    journal.begin()
    return journal


def _is_same(found: evidence.Called, call: evidence.Called) -> bool:
    """Tell whether a journal is of the match that is called: with its nonce, which is opened for one opening only."""
    names = ("match", "commitment", "referee", "game", "options", "seat", "key")
    return all(getattr(found, name) == getattr(call, name) for name in names)


def _file_name(match: str) -> str:
    return "".join(one if one.isascii() and (one.isalnum() or one in "-_") else "_" for one in match)[:60]
