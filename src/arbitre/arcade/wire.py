"""The lines of the arcade: text of commands, and octets cut into lines (spec: arcade, section 1).

A line is ASCII, ended by LF (CR LF is accepted), of at most 8,192 octets; a verb in upper case and its arguments, apart by spaces
or tabs; `#` begins a comment. Whatever octets arrive, they give lines, each of which is a command, nothing, or a fault that says
what is wrong; and no more is kept of a line than may be used.
"""

import re
from collections.abc import Iterator
from enum import IntEnum, StrEnum
from typing import NamedTuple

from gmpy2 import mpz

from arbitre.errors import PlayerGarbledError, shorten
from arbitre.reasons import declare

LONGEST = 8_192
"""Octets of a line, without its end."""

INTEGER = re.compile(r"(?:0x)?([0-9a-fA-F]{1,2048})", re.ASCII)
"""Matched before conversion, because Python's `int` also takes signs, underscores and the digits of every script."""


class Sign(IntEnum):
    """What a hand shows. Each beats the one before it, and PIERRE beats CISEAUX."""

    PIERRE = 1
    FEUILLE = 2
    CISEAUX = 3

    @property
    def code(self) -> int:
        """The word's ASCII octets as an integer."""
        return int.from_bytes(self.name.encode("ascii"), "big")


SIGNS = {sign.name: sign for sign in Sign}
CODES = {sign.code: sign for sign in Sign}


def beats(one: Sign, two: Sign) -> bool:
    """Tell whether sign `one` beats sign `two`."""
    return (one - two) % 3 == 1


class Verb(StrEnum):
    """What a command asks."""

    GROUP = "GROUP"
    """`GROUP p g q`: my commitments are made in this group."""
    PKEY = "PKEY"
    """`PKEY h`: and under this public key."""
    COMMIT = "COMMIT"
    """`COMMIT r c`: my sign is chosen, and closed."""
    MOVE = "MOVE"
    """`MOVE m`: my sign."""
    OPEN = "OPEN"
    """`OPEN k`: what opens my commitment."""
    OK = "OK"
    """`OK`: the round stands."""
    REFEREE = "REFEREE"
    """`REFEREE`: the other's opening is false."""


ARGUMENTS = {
    Verb.GROUP: "p g q",
    Verb.PKEY: "h",
    Verb.COMMIT: "r c",
    Verb.MOVE: "m",
    Verb.OPEN: "k",
    Verb.OK: "",
    Verb.REFEREE: "",
}
ARITY = {verb: len(names.split()) for verb, names in ARGUMENTS.items()}
VERBS = {verb.value: verb for verb in Verb}


class Command(NamedTuple):
    """One command: its verb, its integers, and for `MOVE` the sign."""

    verb: Verb
    numbers: tuple[mpz, ...] = ()
    sign: Sign | None = None

    def line(self) -> str:
        """Return the canonical text: integers in lower case without prefix or leading zero, a sign as its word."""
        if self.sign is not None:
            return f"{self.verb} {self.sign.name}"
        return " ".join([self.verb, *[number.digits(16) for number in self.numbers]])


REASONS = declare(
    {
        "arcade-long-line": ("a line has at most %(most)s octets", "une ligne a au plus %(most)s octets"),
        "no-command": (
            "no command is called %(given)r; there are: %(known)s",
            "aucune commande ne s’appelle %(given)r ; il y a : %(known)s",
        ),
        "command-form": (
            "the form is %(form)r, with %(arguments)s arguments, not %(given)s",
            "la forme est %(form)r, avec %(arguments)s arguments, et non %(given)s",
        ),
        "no-integer": (
            "an integer is 1 to 2048 hexadecimal digits, not %(given)r",
            "un entier a 1 à 2048 chiffres hexadécimaux, et non %(given)r",
        ),
        "no-hand": (
            "a move is PIERRE, FEUILLE or CISEAUX, not %(given)r",
            "un coup est PIERRE, FEUILLE ou CISEAUX, et non %(given)r",
        ),
    }
)


def read_command(line: str) -> Command | None:
    """Return the command of a line, None where there is nothing but a comment; `PlayerGarbledError` says what is wrong."""
    if len(line) > LONGEST:
        raise PlayerGarbledError("arcade-long-line", most=LONGEST)
    # spaces and tabs alone are blanks: `split()` would take those of every script
    words = [word for word in line.partition("#")[0].rstrip("\r").replace("\t", " ").split(" ") if word]
    if not words:
        return None
    verb = VERBS.get(words[0])
    if verb is None:
        raise PlayerGarbledError("no-command", given=shorten(words[0], 20), known=" ".join(VERBS))
    arguments = words[1:]
    if len(arguments) != ARITY[verb]:
        form = f"{verb.value} {ARGUMENTS[verb]}".rstrip()
        raise PlayerGarbledError("command-form", form=form, arguments=ARITY[verb], given=len(arguments))
    if verb is Verb.MOVE:
        return Command(verb, (), read_sign(arguments[0]))
    return Command(verb, tuple([read_integer(argument) for argument in arguments]))


def read_integer(text: str) -> mpz:
    """Return an integer of the wire."""
    found = INTEGER.fullmatch(text)
    if found is None:
        raise PlayerGarbledError("no-integer", given=shorten(text, 20))
    return mpz(found[1], 16)


def read_sign(text: str) -> Sign:
    """Return a sign, from its word or from the hexadecimal of its octets."""
    if text in SIGNS:
        return SIGNS[text]
    sign = CODES.get(int(read_integer(text))) if INTEGER.fullmatch(text) else None
    if sign is None:
        raise PlayerGarbledError("no-hand", given=shorten(text, 20))
    return sign


def says_nothing(line: str) -> bool:
    """Tell whether a line is blank, or only a comment."""
    # most lines begin with their verb
    return not line[:1].isalpha() and not line.partition("#")[0].strip(" \t\r")


class LineReader:
    """Cuts octets into lines; of a line that is too long only so much is kept that everybody sees it was."""

    def __init__(self) -> None:
        self._data = b""
        self._at = 0

    def feed(self, data: bytes) -> None:
        """Take octets as they arrive."""
        self._data = self._data[self._at :] + data if self._at < len(self._data) else data
        self._at = 0

    def line(self) -> str | None:
        """Return the next line that is complete, as text, without its end; each costs only its own length."""
        end = self._data.find(b"\n", self._at)
        if end < 0:
            if len(self._data) - self._at > LONGEST + 2:
                self._data = self._data[self._at : self._at + LONGEST + 2]
                self._at = 0
            return None
        line = self._data[self._at : end]
        self._at = end + 1
        return _text(line)

    def receive(self, data: bytes) -> Iterator[str]:
        """Take octets as they arrive; yield the lines that they complete."""
        self.feed(data)
        while (line := self.line()) is not None:
            yield line


def _text(line: bytes) -> str:
    if line.endswith(b"\r"):
        line = line[:-1]
    # an octet that is no ASCII is kept as an escape, so that the record is text and the fault is seen again by whoever reads it
    return line[: LONGEST + 1].decode("ascii", "backslashreplace")[: LONGEST + 1]
