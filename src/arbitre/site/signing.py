"""What the page of a person who plays says for the proof: bounded, in form, and only from whoever sits there."""

from arbitre.errors import ArenaError, shorten
from arbitre.records.record import is_code
from arbitre.referee.player import Agreement, Decline, Greeting
from arbitre.site.arena.page import SeatPage
from arbitre.site.caller import Caller
from arbitre.site.matches import DIGITS, find, seat_of
from arbitre.site.site import Site

SIGNATURE = 128
"""Hexadecimal digits of a signature; keys, promises and nonces have 64."""


def _page(site: Site, caller: Caller, name: str) -> SeatPage:
    seat = seat_of(caller, find(site, caller, name))
    person = site.arena.live(name).people.get(seat)
    if person is None:
        raise ArenaError("no person sits on this chair")
    return person.page


def _digits(text: str, count: int = 64) -> str:
    """Return hexadecimal digits as they came, if they are so many."""
    if len(text) != count or not DIGITS.issuperset(text):
        raise ArenaError("%(count)s hexadecimal digits are due, not %(text)r", count=count, text=shorten(text))
    return text


def greet(site: Site, caller: Caller, name: str, key: str, promise: str) -> bool:
    """Take a page's key, and its promise of a nonce where there is one; False where it comes too late."""
    brought = Greeting(_digits(key), _digits(promise) if promise else "")
    return _page(site, caller, name).say("greeting", brought)


def agree(site: Site, caller: Caller, name: str, nonce: str, signature: str) -> bool:
    """Take a page's agreement to the opening, with its nonce where it promised one."""
    agreed = Agreement(_digits(nonce) if nonce else None, _digits(signature, SIGNATURE))
    return _page(site, caller, name).say("agreement", agreed)


def decline(site: Site, caller: Caller, name: str, code: str) -> bool:
    """Hear that a page does not play by the opening."""
    return _page(site, caller, name).say("agreement", Decline(_code(code)))


def unsealed(site: Site, caller: Caller, name: str) -> bytes:
    """Return the record as it is to be signed; `ArenaError` where nobody waits for a signature."""
    record = _page(site, caller, name).record
    if not record:
        raise ArenaError("there is nothing to sign now")
    return record


def sign(site: Site, caller: Caller, name: str, signature: str, code: str) -> bool:
    """Take a page's signature under the record, or under the code with which it declines."""
    signed = _digits(signature, SIGNATURE)
    return _page(site, caller, name).say("word", Decline(_code(code), signed) if code else signed)


def _code(text: str) -> str:
    if not is_code(text):
        raise ArenaError("%(text)r is no code", text=shorten(text))
    return text
