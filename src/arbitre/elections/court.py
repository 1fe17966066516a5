"""The court of elections: how a transcript is known, and what it proves to somebody who has only the file."""

import re
from collections.abc import Collection
from typing import IO

from arbitre.elections.proof import Standing as Settled
from arbitre.elections.proof import outcome, verify_source
from arbitre.elections.transcript import MAGIC, Source, read_object
from arbitre.errors import RecordError
from arbitre.reasons import N_, Reason
from arbitre.referee.files import FileCourt
from arbitre.referee.verify import Finding, Proof

OPENED = re.compile(rb'\s*\{\s*"n"\s*:')
"""How a header begins that is too long to be read at first: our own say first how many states there are."""


def _recognises(head: bytes) -> bool:
    if head.startswith(MAGIC) or OPENED.match(head):
        return True
    try:
        return "n" in read_object(head.lstrip().partition(b"\n")[0])
    except (RecordError, UnicodeDecodeError):
        return False


def _check(file: IO[bytes], keys: Collection[str], given: str | None) -> Finding:
    """Check a transcript: the group that signed is known by its fingerprint, as a referee is by the one of his key."""
    found = verify_source(Source(file))
    verdict = found.verdict
    if found.standing is Settled.BROKEN or verdict is None:
        return Finding(Proof.BROKEN, Reason("quoted", text=found.line.removeprefix("broken: ")))
    told = {
        "winner": verdict.winner,
        "parties": found.parties,
        "void": verdict.void,
        "rounds": len(verdict.rounds),
        "excluded": len(verdict.excluded),
    }
    if given not in (None, found.group):
        other = N_("signed by the group %(group)s, not by %(given)s")
        why = other if found.group else N_("signed by nobody, not by %(given)s")
        return Finding(Proof.BROKEN, Reason(why, group=found.group, given=given), told=told)
    said = Reason("election, %(parties)s parties, %(outcome)s", parties=found.parties, outcome=outcome(verdict))
    if found.group:
        standing = Proof.VERIFIED if given or found.group in keys else Proof.INTACT
        line = Reason("%(said)s, signed by the group %(group)s", said=said, group=found.group)
    elif found.standing is Settled.SETTLED:
        standing, line = Proof.INCOMPLETE, Reason("it claims nothing and nobody signed it; %(said)s", said=said)
    else:
        standing, line = Proof.INTACT, Reason("%(said)s; nobody signed it", said=said)
    return Finding(standing, line, key=found.group, told=told)


TRANSCRIPTS = FileCourt("election", N_("a transcript of an election"), (".jsonl", ".roch"), _recognises, _check)
