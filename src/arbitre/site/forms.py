"""What people type, judged: names, titles, addresses, codes. Everything has a bound, and `UnfitError` names the field.

A name is 3 to 30 letters, digits, `_`, `-` or `.`. Two names that look alike are the same name: `fold` forgets case, accents and
which of `0 O o` or `1 I l i` was typed. Letters that only resemble the Latin ones are no letters here.
"""

import unicodedata
from hashlib import sha256
from secrets import choice, token_urlsafe

from arbitre.errors import ExpiredError, ForbiddenAddressError, UnfitError, shorten
from arbitre.games.catalogue import listing
from arbitre.reasons import Reason, reason_of
from arbitre.transport.guard import check_form, read_url

SHORTEST_NAME, LONGEST_NAME = 3, 30
LONGEST_TITLE = 100
LONGEST_ABOUT = 4_000
LONGEST_URL = 2_048
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 1_024

LIGATURES = {"œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "ł": "l", "đ": "d"}
"""Letters of Latin alphabets that Unicode does not take apart."""

ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "_": "-", ".": "-"})
MARKS = "_-."

RESERVED = ("arbitre", "house", "guest", "anonymous", "nobody", "referee", "spectator")
NEUTRAL = ("player", "engine")
"""What follows these and a mark is a neutral name, which nobody chooses for himself."""

CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Thirty-two letters and digits, five bits each; none looks like another."""

JOIN_LENGTH = 9
"""45 bits: a pupil types it from the blackboard."""
LINK_LENGTH = 26
"""130 bits: nobody types it."""


def check_name(text: str, field: str = "name") -> str:
    """Return a name in its composed form, if it is one."""
    if len(text) > 4 * LONGEST_NAME:
        raise UnfitError(field, "at most %(longest_name)s characters", longest_name=LONGEST_NAME)
    name = unicodedata.normalize("NFKC", text).strip()
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        raise UnfitError(
            field,
            "%(shortest_name)s to %(longest_name)s characters, not %(name)s",
            shortest_name=SHORTEST_NAME,
            longest_name=LONGEST_NAME,
            name=len(name),
        )
    for letter in name:
        if not (letter in MARKS or (letter.isascii() and letter.isalnum()) or _latin(letter)):
            raise UnfitError(field, "letters, digits, '_', '-' and '.' only, not %(letter)r", letter=letter)
    if not name[0].isalnum() or not name[-1].isalnum():
        raise UnfitError(field, "begins and ends with a letter or a digit")
    folded = fold(name)
    if folded in {fold(word) for word in RESERVED} or any(folded.startswith(fold(word) + "-") for word in NEUTRAL):
        raise UnfitError(field, "%(name)r is kept for the house", name=shorten(name))
    return name


def _latin(letter: str) -> bool:
    base = unicodedata.normalize("NFKD", letter.lower())[0]
    return letter.lower() in LIGATURES or (letter.isalpha() and base.isascii() and base.isalpha())


def fold(name: str) -> str:
    """Return what all names that look like this one have in common."""
    low = "".join(LIGATURES.get(letter, letter) for letter in unicodedata.normalize("NFKC", name).lower())
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", low) if not unicodedata.combining(letter))
    return bare.casefold().translate(ALIKE)


def check_password(text: str, name: str) -> str:
    """Return a new password, if it is not too easy."""
    if not SHORTEST_PASSWORD <= len(text) <= LONGEST_PASSWORD:
        raise UnfitError(
            "password",
            "%(shortest_password)s to %(longest_password)s characters",
            shortest_password=SHORTEST_PASSWORD,
            longest_password=LONGEST_PASSWORD,
        )
    if fold(name) in (fold(text), fold(text[::-1])):
        raise UnfitError("password", "something else than the name")
    if len(set(text)) < 4:
        raise UnfitError("password", "at least four different characters")
    return typed(text)


def typed(password: str) -> str:
    """Return a password as it is hashed: keyboards differ in how they compose an accent."""
    return unicodedata.normalize("NFC", password)


def check_title(text: str, field: str = "title", most: int = LONGEST_TITLE) -> str:
    """Return one line of printable text."""
    if len(text) > 4 * most:
        raise UnfitError(field, "at most %(most)s characters", most=most)
    title = " ".join(unicodedata.normalize("NFC", text).split())
    if not 1 <= len(title) <= most:
        raise UnfitError(field, "1 to %(most)s characters, not %(title)s", most=most, title=len(title))
    if not title.isprintable():
        raise UnfitError(field, "holds characters that cannot be shown")
    return title


def check_about(text: str, field: str = "about", most: int = LONGEST_ABOUT) -> str:
    """Return some lines of text, maybe none."""
    if len(text) > most:
        raise UnfitError(field, "at most %(most)s characters, not %(text)s", most=most, text=len(text))
    lines = [line.rstrip() for line in unicodedata.normalize("NFC", text).replace("\t", " ").splitlines()]
    if not all(line.isprintable() for line in lines):
        raise UnfitError(field, "holds characters that cannot be shown")
    return "\n".join(lines).strip()


def check_url(text: str, field: str = "url") -> str:
    """Return an address of the web without name and password; where it leads is the guard's question, at every call."""
    address = text.strip()
    if len(address) > LONGEST_URL:
        raise UnfitError(
            field, "at most %(longest_url)s characters, not %(address)s", longest_url=LONGEST_URL, address=len(address)
        )
    if not address.isprintable() or " " in address:
        raise UnfitError(field, "holds spaces or characters that cannot be shown")
    try:
        url = read_url(address)
        check_form(url)
        alone = url.user is None and url.password is None
        port = url.port
    except (ValueError, ForbiddenAddressError) as error:
        raise UnfitError(field, reason_of(error) or str(error)) from None
    if not alone or url.fragment or not port:
        raise UnfitError(field, "carries no user name, no password, no fragment and no port 0")
    return address


def check_game(name: str) -> str:
    """Return the identifier of a game of the catalogue; `UnknownGameError` lists them."""
    return listing(name).name


def new_code(length: int) -> str:
    """Return a code that nobody guesses."""
    return "".join(choice(CODE_LETTERS) for _ in range(length))


def read_code(text: str, length: int) -> str:
    """Return a code as it was made, however it was typed; `ExpiredError` if it cannot be one."""
    code = "".join(letter for letter in text[:200].upper() if not letter.isspace() and letter != "-")
    if len(code) != length or any(letter not in CODE_LETTERS for letter in code):
        raise ExpiredError(GONE)
    return code


GONE = Reason("this code is not valid, or not any more: ask for a new one")


def new_secret() -> str:
    """Return a token of 256 bits."""
    return token_urlsafe(32)


def digest(secret: str) -> str:
    """Return what is kept of a token: enough to recognise it, nothing to use it with."""
    return sha256(b"arbitre/token/1" + secret[:1_000].encode("utf-8", "surrogatepass")).hexdigest()
