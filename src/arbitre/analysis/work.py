"""The process that analyses: `python -m arbitre.analysis.work NODES SEED`, a record on standard input, a document on the output.

A site starts one beside itself, with what others leave of the machine: to judge a game takes seconds of a processor, and nobody
who plays may wait for that. NODES `0` means as many as are usual. Who starts it signs what comes out: this process has no key but
one that it forgets. With the word `puzzle` instead it writes the hardest puzzle of the game as JSON, `null` where there is none.
"""

import json
import os
import sys
from dataclasses import asdict

from arbitre.analysis.analysis import analyse, course_of
from arbitre.analysis.document import Document, sign
from arbitre.crypto.keys import KEY_BYTES, Key
from arbitre.games.analysis import Effort, Puzzle, analyst_class
from arbitre.records.record import LARGEST_RECORD, read_record
from arbitre.referee.story import tell

KINDNESS = 10
"""How much later than others this process gets its turn."""


def analysed(octets: bytes, nodes: int | None, seed: int, key: Key) -> Document:
    """Return the analysis of a record with its certificates, signed."""
    record = read_record(octets)
    analysis = analyse(record, nodes, seed)
    told = tell(record)
    analyst = analyst_class(analysis.game)(told.match.game, analysis.effort)
    return sign(analysis, octets, analyst.certify(course_of(told), analysis.judgements), key)


def puzzled(octets: bytes) -> Puzzle | None:
    """Return the first position of a game, so the hardest, in which one move alone keeps the result; None where there is none."""
    told = tell(read_record(octets))
    analyst = analyst_class(told.match.game.name)(told.match.game, Effort(1))
    return next((found for ply in course_of(told) if (found := analyst.puzzle(ply.before)) is not None), None)


def main() -> None:
    """Read, judge, write."""
    if hasattr(os, "nice"):
        os.nice(KINDNESS)
    octets = sys.stdin.buffer.read(LARGEST_RECORD + 1)
    if sys.argv[1:] == ["puzzle"]:
        found = puzzled(octets)
        sys.stdout.write(json.dumps(None if found is None else asdict(found)))
        return
    nodes, seed = map(int, sys.argv[1:])
    document = analysed(octets, nodes or None, seed, Key(os.urandom(KEY_BYTES)))
    sys.stdout.buffer.write(document.text().encode())


if __name__ == "__main__":
    main()
