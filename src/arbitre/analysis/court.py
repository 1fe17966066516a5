"""The court of analyses: `arbitre verify` finds the record beside one, and computes some plies again.

In this order, the cheap checks first: the form, the signature, the record that it names (by hash; beside it in the folder), that
record itself, the moves of all plies, the certificates by the plain rules, and then **k plies drawn at random**, by luck that
nobody could foresee who made the analysis. If a share f of its plies is forged, it escapes with a probability of at most
(1 − f)^k.
"""

from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random, SystemRandom
from typing import IO

from arbitre.analysis.analysis import course_of, judged
from arbitre.analysis.document import BEGINS, ENDING, LARGEST, Document, read_document
from arbitre.crypto.keys import fingerprint
from arbitre.errors import AnalysisError, FormatError
from arbitre.games.analysis import analyst_class, identity
from arbitre.reasons import N_, Reason
from arbitre.records.record import LARGEST_RECORD, read_record
from arbitre.referee.files import RECORDS, FileCourt, read_whole
from arbitre.referee.story import tell
from arbitre.referee.verify import Finding, Proof, verify

PLIES = 20
"""So many are computed again where nobody says how many: one forged ply in ten escapes one time in eight, one in five hardly."""
MOST_FILES = 2_000
"""So many records of a folder are looked at for the one that an analysis names."""


def check(file: IO[bytes], keys: Collection[str], given: str | None, plies: int | None = None) -> Finding:
    """Check an analysis in a file: with the keys that are known, the one that must have signed, and how many plies."""
    return examine(read_whole(file, LARGEST), _beside(file), keys, given, plies)


def examine(
    data: bytes,
    records: Iterator[bytes],
    keys: Collection[str] = (),
    given: str | None = None,
    plies: int | None = None,
    random: Random | None = None,
) -> Finding:
    """Check an analysis with the records among which its own should be; `plies` 0 computes none again, -1 all."""
    try:
        document, key = _signed(data, given)
        octets = next((one for one in records if sha256(one).hexdigest() == document.record), None)
        if octets is None:
            missing = N_("signed by key %(key)s, but the record %(record)s is not beside it")
            return Finding(Proof.INCOMPLETE, Reason(missing, key=key, record=document.record[:16]), key=key)
        return _compared(document, octets, key, given is not None or key in keys, plies, random or SystemRandom())
    except FormatError as error:
        return Finding(Proof.FOREIGN, error.reason)
    except AnalysisError as error:
        return Finding(Proof.BROKEN, error.reason)


def _signed(data: bytes, given: str | None) -> tuple[Document, str]:
    """Return a document with the fingerprint of the key that signed it."""
    document = read_document(data)
    if not document.genuine:
        raise AnalysisError("the signature of the key that it names is false")
    key = fingerprint(bytes.fromhex(document.by))
    if given is not None and key != given:
        raise AnalysisError("signed by key %(key)s, not by %(given)s", key=key, given=given)
    return document, key


def _compared(document: Document, octets: bytes, key: str, known: bool, plies: int | None, random: Random) -> Finding:
    found = verify(octets)
    if found.standing in (Proof.BROKEN, Proof.FOREIGN):
        raise AnalysisError("the record that it is about is not in order: %(why)s", why=found.why)
    told, analysis = tell(read_record(octets)), document.analysis
    kind = analyst_class(told.match.game.name)
    course = course_of(told)
    said = tuple((ply.seat, ply.turn, ply.text) for ply in course)
    if analysis.game != told.match.game.name or said != tuple(zip(analysis.seats, analysis.turns, analysis.moves, strict=True)):
        raise AnalysisError("its moves are not those of the record")
    analyst = kind(told.match.game, analysis.effort)
    for certificate in document.certificates:
        analyst.check(course, analysis.judgements, certificate)
    if identity(kind) != analysis.engine:
        why = Reason(
            "signed by key %(key)s, but its engine is not here: %(name)s %(digest)s, and here is %(mine)s %(other)s",
            key=key,
            name=analysis.engine.name,
            digest=analysis.engine.digest[:16],
            mine=identity(kind).name,
            other=identity(kind).digest[:16],
        )
        return Finding(Proof.FOREIGN, why, key=key)
    drawn = drawn_plies(len(course), plies, random)
    for at, one in zip(drawn, judged(kind, told, analysis.effort, drawn, None), strict=True):
        if one != analysis.judgements[at]:
            raise AnalysisError("ply %(number)s computed again reads otherwise: the analysis is forged", number=at + 1)
    why = Reason(
        "analysis of %(game)s by %(engine)s, %(nodes)s nodes, %(again)s of %(plies)s plies computed again, key %(key)s",
        game=told.match.opening.title,
        engine=analysis.engine.name,
        nodes=analysis.effort.nodes,
        again=len(drawn),
        plies=len(course),
        key=key,
    )
    details = tuple(Reason("certified by the rules: ply %(number)s", number=proof.ply + 1) for proof in document.certificates)
    return Finding(Proof.VERIFIED if known else Proof.INTACT, why, key=key, events=found.events, details=details)


def drawn_plies(count: int, plies: int | None, random: Random) -> list[int]:
    """Return the numbers of the plies that are computed again, in order."""
    wanted = PLIES if plies is None else count if plies < 0 else plies
    return sorted(random.sample(range(count), min(wanted, count)))


def _beside(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the records in the folder of a file, the one of the same name first."""
    name = getattr(file, "name", None)
    if not isinstance(name, str):
        return
    path = Path(name)
    near = [path.with_suffix(ending) for ending in RECORDS.endings]
    others = (one for one in sorted(path.parent.iterdir())[:MOST_FILES] if one.name.endswith(RECORDS.endings) and one not in near)
    for one in (*near, *others):
        if one.is_file() and one.stat().st_size <= LARGEST_RECORD:
            yield one.read_bytes()


ANALYSES = FileCourt(
    "analysis", N_("an analysis of a game"), (ENDING,), lambda head: head.startswith(BEGINS), check, sampled=check
)
