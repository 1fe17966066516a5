"""The court of Kriegspiel by file: how a `.ksg` is known, and what it proves to somebody who has only the file.

No password is needed: seal, chain, signatures and rulings are checked, and nothing is told that both players do not know.
"""

from collections.abc import Collection
from functools import partial
from typing import IO

from arbitre.crypto.keys import fingerprint
from arbitre.crypto.sealing import provider
from arbitre.kref.file import COLOURS, LONGEST, read_envelope
from arbitre.kref.game import GameFile, read_game
from arbitre.kref.proof import prove
from arbitre.kref.sites import site_of
from arbitre.reasons import N_, Reason
from arbitre.records.keyring import configuration
from arbitre.referee.files import FileCourt, read_whole
from arbitre.referee.verdict import ending
from arbitre.referee.verify import Finding, Proof

BEGIN = b"#KSG-BEGIN#"


def _recognises(head: bytes) -> bool:
    """Look for the mark as mail may have left it: wrapped anywhere, and quoted."""
    return BEGIN in head.translate(None, b" \t\r\n>")


def _check(file: IO[bytes], keys: Collection[str], given: str | None) -> Finding:
    text = read_whole(file, LONGEST).decode("utf-8", "replace")
    envelope = read_envelope(text)
    if site := site_of(envelope.provider):
        why = Reason("kriegspiel, ply %(ply)s, not over; only %(site)s opens it", ply=envelope.ply, site=site)
        return Finding(Proof.INCOMPLETE, why)
    game = read_game(text, partial(provider, commands=configuration() / "sealing"))
    signers = _signers(game)
    if given is not None and given not in signers.values():
        return Finding(Proof.BROKEN, Reason("signed by %(signers)s, not by %(given)s", signers=_named(signers), given=given))
    names = " – ".join(name or "?" for name in game.names)
    said = Reason("kriegspiel, %(names)s, ply %(ply)s", names=names, ply=game.ply)
    if not game.open:
        why = Reason("%(said)s, not over; everything so far follows, signed by %(signers)s", said=said, signers=_named(signers))
        return Finding(Proof.INCOMPLETE, why, events=len(game.body.log))
    proof, verdict = prove(game), game.verdict
    known = next((key for key in signers.values() if key == given or key in keys), "")
    standing = Proof.VERIFIED if known else Proof.INTACT
    if verdict is not None:
        ended = Reason("%(termination)s: %(reason)s", termination=ending(verdict.termination), reason=verdict.reason)
        said = Reason("%(said)s (%(ended)s)", said=said, ended=ended)
    why = Reason(
        "%(said)s, %(tries)s tries, %(refused)s of them refused, rightly, signed by %(signers)s",
        said=said,
        tries=proof.tries,
        refused=proof.refused,
        signers=_named(signers),
    )
    return Finding(standing, why, verdict=verdict, key=known, events=len(game.body.log))


def _signers(game: GameFile) -> dict[str, str]:
    """Return the fingerprints of those who sit, by colour."""
    entries = zip(COLOURS, (game.white, game.call.black), strict=True)
    return {colour: fingerprint(bytes.fromhex(entry.key)) for colour, entry in entries if entry is not None}


def _named(signers: dict[str, str]) -> Reason:
    named = [Reason("%(colour)s, key %(key)s", colour=Reason(colour), key=key) for colour, key in signers.items()]
    return named[0] if len(named) == 1 else Reason("%(one)s and %(other)s", one=named[0], other=named[1])


GAMES = FileCourt("kriegspiel", N_("a game of Kriegspiel by file"), (".ksg",), _recognises, _check)
