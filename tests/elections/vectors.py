"""The vectors of the manual: one call, two parties, what each of them signs, octet by octet. The browser's side has the same."""

from arbitre.crypto.keys import Key
from arbitre.elections import Mode, Opening, Terms, new_opening, settle, write_commit, write_reveal
from arbitre.elections.call import Call
from arbitre.elections.item import HUB, Item, Kind
from arbitre.elections.ruling import COMMITS, REVEALS, Ruling, set_hash

ADA, ZOE, HUB_KEY = (Key(bytes([octet]) * 32) for octet in (0x11, 0x22, 0x33))
SIGNERS = {"Ada": ADA, "Zoé": ZOE}
TERMS = Terms(mode=Mode.STRONG, game="vectors")
CALL = Call(TERMS, 2, keys=tuple((name, key.public.hex()) for name, key in SIGNERS.items()), hub=HUB_KEY.public.hex())
OPENINGS: dict[str, Opening] = {
    "Ada": new_opening(TERMS, "Ada", b"\xaa" * 32, 7),
    "Zoé": new_opening(TERMS, "Zoé", b"\xbb" * 32, 11),
}


def signed(kind: Kind, author: str, body: bytes, key: Key) -> str:
    return (Item(kind, author, body).sign(CALL.tag, author, key).signature(author) or b"").hex()


def made() -> dict[str, str]:
    """Return the vectors, by the words of the manual."""
    commits = {name: write_commit(TERMS, one) for name, one in OPENINGS.items()}
    reveals = {name: write_reveal(TERMS, one) for name, one in OPENINGS.items()}
    hashes = [set_hash(CALL.tag, stage, said) for stage, said in ((COMMITS, commits), (REVEALS, reveals))]
    closing = Item(Kind.CLOSING, HUB, COMMITS + hashes[0]).sign(CALL.tag, HUB, HUB_KEY).signature(HUB) or b""
    echo = hashes[0] + closing
    verdict = Ruling(hashes[0], hashes[1], b"", settle(TERMS, commits, reveals).winner).octets()
    found = {
        "call": CALL.octets().decode(),
        "call hash": CALL.tag.hex(),
        "group": CALL.fingerprint,
        "binder of Zoé": TERMS.binder("Zoé").hex(),
    }
    for name in SIGNERS:
        found |= {f"Commit of {name}": commits[name].hex(), f"Reveal of {name}": reveals[name].hex()}
    found |= {"hash of the Commits": hashes[0].hex(), "hash of the Reveals": hashes[1].hex()}
    found |= {"closing of the Commits, signature": closing.hex(), "verdict": verdict.hex()}
    for what, kind, body in (
        ("Commit", Kind.COMMIT, commits["Ada"]),
        ("echo", Kind.ECHO, echo),
        ("Reveal", Kind.REVEAL, reveals["Ada"]),
        ("verdict", Kind.VERDICT, verdict),
    ):
        found[f"{what} of Ada, signature"] = signed(kind, "Ada", body, ADA)
    return found
