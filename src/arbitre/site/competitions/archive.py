"""Everything that proves a competition, in one file: its plan with the seed, its draw, and the record of every game."""

import io
import zipfile

from arbitre.errors import ArenaError
from arbitre.records.store import Store
from arbitre.site.competitions.judgement import DRAW, PLAN, RECORDS, SEED

MOST_RECORDS = 50_000


def archive(store: Store, tournament: str, draw: str, seed: bytes) -> bytes:
    """Return the archive of a tournament that is over; `arbitre tournament judge` reads it when it is unpacked."""
    plan = store.tournament(tournament)[0]
    played = list(store.matches(tournament=tournament))
    if any(row.decided for row in played):
        raise ArenaError("the records of this competition are being sealed: try again in a moment")
    rows = [row for row in played if row.seal is not None]
    if len(rows) > MOST_RECORDS:
        raise ArenaError("%(rows)s records are too many for one file: ask the operator for an export", rows=len(rows))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(PLAN, plan)
        if draw:
            file.writestr(DRAW, draw)
            file.writestr(SEED, seed.hex() + "\n")
        for row in rows:
            file.writestr(f"{RECORDS}/{row.name}.record", store.record(row.name).text())
    return buffer.getvalue()
