"""The document of an analysis: one line of canonical JSON, signed by whoever made it, beside the record and never part of it.

It names the record by the SHA-256 of its octets, the engine by that of everything its figures follow from, the nodes and the
seed; it holds the judgement of every ply, and the certificates. Curve, moments, grades and accuracies are not in it: they follow
from the judgements, so there is nothing about them to forge. What is signed is the hash of the line without the signature.
"""

from hashlib import sha256
from typing import Any

from arbitre.analysis.analysis import MOST_PLIES, Analysis, check_effort
from arbitre.crypto.keys import Key, signed
from arbitre.errors import AnalysisError, FormatError, RecordError
from arbitre.games.analysis import WHOLE, Certificate, Effort, Identity, Judgement
from arbitre.games.game import Seat
from arbitre.records.event import READER as JSON
from arbitre.records.event import canonical
from arbitre.values import value

FORMAT = 1
ENDING = ".analysis"
BEGINS = b'{"analysis":'
LARGEST = 16 << 20
"""Octets of a document: a larger one is not read."""
LONGEST_TEXT = 2_000
LONGEST_LINE = 60
"""Moves of a better line."""
MOST_CERTIFICATES = 8
"""To check one may take seconds: more are not read."""
LABEL = b"arbitre/analysis/1"


@value
class Document:
    """An analysis of one record, and who signed it."""

    analysis: Analysis
    record: str
    """The SHA-256 of the record's octets, in hexadecimal."""
    certificates: tuple[Certificate, ...]
    by: str
    """The public key of whoever made it, in hexadecimal."""
    signature: str = ""

    def fields(self) -> dict[str, Any]:
        """Return all but the signature, as canonical JSON has it."""
        one = self.analysis
        return {
            "analysis": FORMAT,
            "by": self.by,
            "certificates": [{"ply": proof.ply, "proof": proof.proof} for proof in self.certificates],
            "engine": {"digest": one.engine.digest, "name": one.engine.name},
            "game": one.game,
            "nodes": one.effort.nodes,
            "plies": [_ply(one, at) for at in range(len(one.judgements))],
            "record": self.record,
            "seed": one.effort.seed,
        }

    def text(self) -> str:
        """Return the file."""
        return canonical({**self.fields(), "signature": self.signature}) + "\n"

    @property
    def message(self) -> bytes:
        """The octets that are signed."""
        return LABEL + sha256(canonical(self.fields()).encode()).digest()

    @property
    def genuine(self) -> bool:
        """Whether the key that it names signed it."""
        return signed(bytes.fromhex(self.by), self.message, bytes.fromhex(self.signature))


def _ply(one: Analysis, at: int) -> dict[str, Any]:
    judgement = one.judgements[at]
    return {
        "best": judgement.best,
        "choice": judgement.choice,
        "line": list(judgement.line),
        "lost": judgement.lost,
        "move": judgement.move,
        "played": judgement.played,
        "said": one.moves[at],
        "seat": int(one.seats[at]),
        "solved": judgement.solved,
        "standing": judgement.standing,
        "turn": one.turns[at],
    }


def sign(analysis: Analysis, record: bytes, certificates: tuple[Certificate, ...], key: Key) -> Document:
    """Return the document of an analysis of these octets, signed."""
    draft = Document(analysis, sha256(record).hexdigest(), certificates, key.public.hex())
    return Document(analysis, draft.record, certificates, draft.by, key.sign(draft.message).hex())


def read_document(data: bytes) -> Document:
    """Return the document in a file; `AnalysisError`, or `FormatError` where its format is of another time."""
    if len(data) > LARGEST:
        raise AnalysisError("larger than %(most)s MiB", most=LARGEST >> 20)
    try:
        text = data.decode("utf-8")
        fields = JSON.decode(text.removesuffix("\n"))
    except (ValueError, RecursionError, RecordError):
        raise AnalysisError("not canonical JSON") from None
    if not isinstance(fields, dict):
        raise AnalysisError("an analysis is one JSON object")
    version = fields.get("analysis")
    if type(version) is int and version != FORMAT:
        raise FormatError(
            "this analysis has format %(version)s; this program knows format %(known)s", version=version, known=FORMAT
        )
    document = _document(fields)
    try:
        same = document.text() == text
    except RecursionError:  # a certificate deeper than any of ours
        same = False
    if not same:
        raise AnalysisError("the analysis is not in canonical form")
    return document


def _document(fields: dict[str, Any]) -> Document:
    match fields:
        case {
            "analysis": int(),
            "by": str(by),
            "certificates": list(certificates),
            "engine": {"digest": str(digest), "name": str(name)},
            "game": str(game),
            "nodes": int(nodes),
            "plies": list(plies),
            "record": str(record),
            "seed": int(seed),
            "signature": str(signature),
        } if (
            len(plies) <= MOST_PLIES
            and len(certificates) <= MOST_CERTIFICATES
            and _are_numbers(nodes, seed)
            and _are_texts(name, game)
            and _is_hexadecimal((by, 32), (record, 32), (digest, 32), (signature, 64))
        ):
            effort = Effort(nodes, seed)
            check_effort(effort)
            read = [_read_ply(number, one) for number, one in enumerate(plies, start=1)]
            proofs = tuple(_certificate(one, len(plies)) for one in certificates)
        case _:
            raise AnalysisError("the analysis is not in form")
    analysis = Analysis(
        game,
        Identity(name, digest),
        effort,
        tuple(seat for seat, _, _, _ in read),
        tuple(turn for _, turn, _, _ in read),
        tuple(said for _, _, said, _ in read),
        tuple(judgement for _, _, _, judgement in read),
    )
    return Document(analysis, record, proofs, by, signature)


def _are_numbers(*given: int) -> bool:
    """Tell whether all are whole numbers from 0 on; Python takes truth for one of them."""
    return all(type(one) is int and one >= 0 for one in given)


def _is_hexadecimal(*texts: tuple[str, int]) -> bool:
    return all(len(text) == 2 * octets and not set(text) - set("0123456789abcdef") for text, octets in texts)


def _read_ply(number: int, given: object) -> tuple[Seat, int, str, Judgement]:
    match given:
        case {
            "best": int(best),
            "choice": bool(choice),
            "line": list(line),
            "lost": int(lost),
            "move": str(move),
            "played": int(played),
            "said": str(said),
            "seat": int(seat),
            "solved": bool(solved),
            "standing": int(standing),
            "turn": int(turn),
        } if (
            _are_numbers(best, lost, played, seat, standing, turn)
            and played <= best <= WHOLE
            and standing <= WHOLE
            and len(line) <= LONGEST_LINE
            and _are_texts(move, said, *line)
        ):
            return Seat(seat), turn, said, Judgement(best, played, standing, move, tuple(line), choice, solved, lost)
        case _:
            raise AnalysisError("ply %(number)s is not in form", number=number)


def _are_texts(*texts: object) -> bool:
    return all(isinstance(one, str) and len(one) <= LONGEST_TEXT for one in texts)


def _certificate(given: object, plies: int) -> Certificate:
    match given:
        case {"ply": int(ply), "proof": proof} if _are_numbers(ply) and ply < plies:
            return Certificate(ply, proof)
        case _:
            raise AnalysisError("a certificate is not in form")
