"""The court of elections: how a transcript is known, and what it proves to somebody who has only the file."""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import IO

from arbitre.elections.proof import Finding as Found
from arbitre.elections.proof import examine
from arbitre.elections.transcript import MAGIC, read_object
from arbitre.errors import RecordError
from arbitre.reasons import N_, Reason
from arbitre.referee.files import FileCourt
from arbitre.referee.verify import Finding

MOST_DETAILS = 200
"""Lines that people are told; programs are told how many there are, and `settle --json` names all."""
OPENED = re.compile(rb'\s*\{\s*"(rochambeau|n)"\s*:')
"""How a header begins that is too long to be read at first: ours say the format first, those of format 1 the number of states."""


def _recognises(head: bytes) -> bool:
    if head.startswith(MAGIC[:-1]) or OPENED.match(head):
        return True
    try:
        return bool({"rochambeau", "n"} & read_object(head.lstrip().partition(b"\n")[0]).keys())
    except (RecordError, UnicodeDecodeError):
        return False


def _check(file: IO[bytes], keys: Collection[str], given: str | None) -> Finding:
    """Check a transcript: the group that signed is known by its fingerprint, as a referee is by the one of his key."""
    found = examine(file, keys, given)
    return Finding(
        found.standing, found.why, key=found.group, told=told(found), details=tuple(islice(details(found), MOST_DETAILS))
    )


def told(found: Found) -> dict[str, object] | None:
    """Return for programs what was decided: whom a certificate names, who was unheard, excluded, convicted and by what."""
    verdict = found.verdict
    if verdict is None:
        return None
    return {
        "winner": verdict.winner,
        "parties": found.parties,
        "void": verdict.void,
        "rounds": len(verdict.rounds),
        "excluded": sum(not one.fault.unheard for one in verdict.excluded),
        "unheard": sum(one.fault.unheard for one in verdict.excluded),
        "convicted": [one.note() for one in found.convictions],
    }


def details(found: Found) -> Iterator[Reason]:
    """Say who was unheard, who is excluded, and who is convicted, with both signatures."""
    for one in found.verdict.excluded if found.verdict is not None else ():
        unheard, excluded = N_("unheard: %(player)s: %(why)s"), N_("excluded: %(player)s: %(why)s")
        yield Reason(unheard if one.fault.unheard else excluded, player=one.player, why=one.why)
    for conviction in found.convictions:
        who = conviction.author or Reason("the hub")
        yield Reason(
            "convicted: %(player)s signed two different ones: %(kind)s", player=who, kind=conviction.one.kind.name.lower()
        )
        for item in (conviction.one, conviction.two):
            signature = (item.signature(item.author) or b"").hex()
            yield Reason("  %(body)s, signature %(signature)s", body=item.body.hex(), signature=signature)


TRANSCRIPTS = FileCourt("election", N_("a transcript of an election"), (".jsonl", ".roch"), _recognises, _check)
