"""Elections made to measure."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from arbitre.elections import Opening, Terms, Verdict, settle, write_commit, write_reveal
from arbitre.elections.transcript import Entry, Header, write_compact, write_lines


def repeated(octet: int) -> bytes:
    return bytes([octet]) * 16


def nonce(terms: Terms, player: str, label: str = "") -> bytes:
    """Return a nonce that is the same each time."""
    return sha256(f"{label}/{player}".encode()).digest() + terms.binder(player)


def openings(terms: Terms, count: int, label: str = "") -> dict[str, Opening]:
    """Return the openings of players that chose by the hash of their names."""
    found = {}
    for index in range(count):
        player = f"p{index}"
        choice = int.from_bytes(sha256(f"{label}:{player}".encode()).digest(), "big")
        state = terms.least_state + choice % (terms.states - terms.least_state)
        found[player] = Opening(nonce(terms, player, label), state)
    return found


def sent(terms: Terms, made: Mapping[str, Opening]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the payloads of openings."""
    return {name: write_commit(terms, one) for name, one in made.items()}, {
        name: write_reveal(terms, one) for name, one in made.items()
    }


def held(terms: Terms, made: Sequence[tuple[bytes, int]]) -> Verdict:
    """Return the verdict when players A, B, C … have these nonces and states."""
    return settle(terms, *sent(terms, {chr(65 + index): Opening(*one) for index, one in enumerate(made)}))


def entries(terms: Terms, made: Mapping[str, Opening]) -> list[Entry]:
    return [Entry(name, write_commit(terms, one), write_reveal(terms, one)) for name, one in made.items()]


def written(path: Path, header: Header, lines: Iterable[Entry], claim: object = None, *, compact: bool = False) -> Path:
    """Write a transcript."""
    with path.open("wb") as file:
        if compact:
            write_compact(file, header, lines, claim)
        else:
            write_lines(file, header, lines, claim=claim)
    return path
