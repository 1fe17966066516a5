"""The court of the draughts league: how a report in a file is known, and what it proves (spec: draughts, section 3).

A report is one side's word, and nobody signs it: the game follows from its moves, or the report says which move cannot be.
"""

import re
from collections.abc import Collection
from typing import IO

from arbitre.errors import LeagueError
from arbitre.games.game import FIRST
from arbitre.league.report import COLOURS, SIZE, Report, read_report, shown
from arbitre.league.report_check import why_refused
from arbitre.league.table import RESULTS
from arbitre.reasons import N_, Reason
from arbitre.referee.files import FileCourt, read_whole
from arbitre.referee.verify import Finding, Proof

MOST_FILE = 4_096
DIGITS = re.compile(rb"(?i)(ff|01)[0-9a-f]{510}")


def octets_of(data: bytes) -> bytes:
    """Return the octets of a report that was kept as it was sent, or as hexadecimal digits; `LeagueError`."""
    text = b"".join(data.split())
    if len(data) != SIZE and len(text) == 2 * SIZE:
        try:
            return bytes.fromhex(text.decode("ascii"))
        except ValueError:
            raise LeagueError("neither %(size)s octets nor as many in hexadecimal digits", size=SIZE) from None
    return data


def refused(data: bytes) -> Reason | None:
    """Return why a report in a file is refused; None where it is not."""
    why = why_refused(data)
    if why is not None or len(data) == SIZE:
        return why
    return Reason("%(count)s octets, and a report has exactly %(size)s", count=len(data), size=SIZE)


def described(report: Report) -> dict[str, object]:
    """Return what a report says, for programs."""
    return {
        "side": "white" if report.seat == FIRST else "black",
        "opponent": shown(report.opponent),
        "result": RESULTS[report.game.scores],
        "moves": [str(move) for move in report.game.moves],
    }


def summary(report: Report) -> Reason:
    """Return what a report says, for people."""
    white = N_("white's, against %(opponent)s: %(moves)s moves, %(result)s")
    black = N_("black's, against %(opponent)s: %(moves)s moves, %(result)s")
    return Reason(
        white if report.seat == FIRST else black,
        opponent=shown(report.opponent),
        moves=len(report.game.moves),
        result=RESULTS[report.game.scores],
    )


def _recognises(head: bytes) -> bool:
    return (len(head) == SIZE and head[0] in COLOURS) or DIGITS.fullmatch(b"".join(head[:MOST_FILE].split())) is not None


def _check(file: IO[bytes], keys: Collection[str], given: str | None) -> Finding:  # noqa: ARG001 - nobody signs a report
    data = octets_of(read_whole(file, MOST_FILE))
    report = read_report(data)
    why = refused(data)
    if why is not None or not isinstance(report, Report):
        return Finding(Proof.BROKEN, why or Reason("no report"))
    if given is not None:
        return Finding(Proof.BROKEN, Reason("nobody signs a report, so not %(given)s", given=given))
    line = Reason("draughts league, a report of %(report)s; nobody signs a report", report=summary(report))
    return Finding(Proof.INTACT, line, events=len(report.game.moves), told=described(report))


REPORTS = FileCourt("report", N_("a report of the draughts league"), (".report",), _recognises, _check)
