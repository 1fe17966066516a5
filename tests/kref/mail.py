"""What mail does to a text, and what a cheat does to a file."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from arbitre.crypto.sealing import Published, seal
from arbitre.kref.file import Body, Envelope, read_envelope, unpack, write_body


def mangle(text: str, random: Random) -> str:
    """Send a text through a mail program: wrapped anew, quoted, with spaces, other line ends, and people's words around."""
    dense = "".join(text.split())
    lines = []
    while dense:
        wide = random.randint(9, 99)
        lines.append(dense[:wide] + " " * random.randrange(3))
        dense = dense[wide:]
    lines = ["Dear Ada,", "", "my move > yours. #1!", "", *lines, "", "-- ", "Bob | +33 #5 ~ é", ""]
    for _ in range(random.randrange(3)):
        lines = [f"{random.choice(['> ', '>', ' > '])}{line}" for line in lines]
    return random.choice(["\n", "\r\n", "\r"]).join(lines)


def forge(text: str, change: Callable[[Body], Body], **header: object) -> str:
    """Open a file with the published key, change its body, and seal it again."""
    envelope = read_envelope(text)
    body = change(unpack(envelope, Published()))
    blank = replace(envelope, **header)  # type: ignore[arg-type]
    clear = write_body(body, blank.ply, blank.about)
    return replace(blank, sealed=seal(Published(), clear, blank.about)).text()


def body_of(text: str) -> Body:
    """Return what a file of the published provider holds."""
    return unpack(read_envelope(text), Published())


def relabel(text: str, **header: object) -> str:
    """Change a header and leave the seal as it is; the sum is made to fit."""
    envelope: Envelope = replace(read_envelope(text), **header)  # type: ignore[arg-type]
    return envelope.text()
