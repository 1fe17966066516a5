"""Commit and Reveal, octet by octet (seed 003, sections 4.4 to 4.7, with the errata of spec rochambeau, section 1).

========  =======================================================================================
Commit    two octets of type, then C = H(nonce ‖ M)
Reveal    two octets of type, two octets length of the nonce, the nonce, M: q in m octets
========  =======================================================================================

Numbers are big-endian. The length of C follows from H and the length of M from N, so every payload has exactly one length that is
right. `judge` is the whole law about one party: from what it sent it makes a contestant or says why there is none.
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from arbitre.elections.terms import BINDER_OCTETS, LONGEST_NONCE, NONCE_OCTETS, SAFE_NONCE, Mode, Terms
from arbitre.errors import PayloadError, TermsError
from arbitre.reasons import N_, Reason, declare
from arbitre.values import value


class Fault(StrEnum):
    """Why a party is left out: a code, with which transcripts and programs name it."""

    NO_COMMIT = "no-commit"
    """No Commit of it was heard before the phase closed."""
    BAD_COMMIT = "malformed-commit"
    """Its Commit has the wrong type or length."""
    NO_REVEAL = "no-reveal"
    """It committed, and no Reveal of it was heard in time."""
    BAD_REVEAL = "malformed-reveal"
    """Its Reveal has the wrong type or length."""
    MISMATCH = "mismatch"
    """Its Reveal does not open its Commit."""
    BAD_STATE = "state-out-of-range"
    """It opened a state that does not exist."""
    BAD_NONCE = "bad-nonce"
    """Strong mode: its nonce is not of 48 octets."""
    COPIED = "copied"
    """Strong mode: it opened a Commit that was made for another player or another game."""
    EQUIVOCATED = "equivocated"
    """It signed two different Commits."""

    @property
    def unheard(self) -> bool:
        """Tell whether the party is only missing: that is nobody's proof against it."""
        return self in {Fault.NO_COMMIT, Fault.NO_REVEAL}


REASONS = declare(
    {
        "no-commit": ("no commit", "pas de Commit"),
        "malformed-commit": ("malformed commit", "Commit mal formé"),
        "no-reveal": ("no reveal", "pas de Reveal"),
        "malformed-reveal": ("malformed reveal", "Reveal mal formé"),
        "mismatch": ("mismatch", "discordance"),
        "state-out-of-range": ("state out of range", "état hors des bornes"),
        "bad-nonce": ("bad nonce", "mauvais nonce"),
        "copied": ("copied", "copié"),
        "equivocated": ("equivocated", "double langage"),
    }
)


class Opening(NamedTuple):
    """What a party keeps to itself between Commit and Reveal. A named tuple, because there may be millions."""

    nonce: bytes
    state: int


class Contestant(NamedTuple):
    """A party that committed and revealed. A named tuple, because there may be millions."""

    player: str
    commit: bytes
    """C, without the type."""
    state: int
    """q, as it was chosen."""
    short: bool = False
    """Whether its nonce could have been guessed."""


@value
class Excluded:
    """A party that does not take part in the rounds, and why."""

    player: str
    fault: Fault
    why: Reason


Judged: TypeAlias = Contestant | Excluded


def new_opening(terms: Terms, player: str, random_octets: bytes, state: int) -> Opening:
    """Return an opening with a nonce of 32 random octets, bound to game and player in strong mode."""
    if len(random_octets) != NONCE_OCTETS:
        raise TermsError(
            "a nonce takes %(nonce_octets)s random octets, not %(random_octets)s",
            nonce_octets=NONCE_OCTETS,
            random_octets=len(random_octets),
        )
    if not terms.least_state <= state < terms.states:
        raise TermsError(
            "a state is from %(least_state)s to %(states)s, not %(state)s",
            least_state=terms.least_state,
            states=terms.states - 1,
            state=state,
        )
    return Opening(random_octets + terms.binder(player), state)


def write_commit(terms: Terms, opening: Opening) -> bytes:
    """Return the Commit payload of an opening."""
    sealed = terms.hasher()(opening.nonce + opening.state.to_bytes(terms.width, "big")).digest()
    return terms.commit_type.to_bytes(2, "big") + sealed


def write_reveal(terms: Terms, opening: Opening) -> bytes:
    """Return the Reveal payload of an opening."""
    if len(opening.nonce) > LONGEST_NONCE:
        raise PayloadError(Fault.BAD_REVEAL, "a nonce of %(nonce)s octets; its length has two", nonce=len(opening.nonce))
    head = terms.reveal_type.to_bytes(2, "big") + len(opening.nonce).to_bytes(2, "big")
    return head + opening.nonce + opening.state.to_bytes(terms.width, "big")


def _check_type(payload: bytes, wanted: int, fault: Fault) -> None:
    if payload[:2] != wanted.to_bytes(2, "big"):
        given = payload[:2].hex() or Reason("missing")
        raise PayloadError(fault, "type %(given)s, not %(wanted)s", given=given, wanted=f"{wanted:04x}")


def read_commit(terms: Terms, payload: bytes) -> bytes:
    """Return C of a Commit payload."""
    _check_type(payload, terms.commit_type, Fault.BAD_COMMIT)
    if len(payload) != 2 + terms.digest_octets:
        raise PayloadError(
            Fault.BAD_COMMIT, "%(payload)s octets, not %(part)s", payload=len(payload), part=2 + terms.digest_octets
        )
    return payload[2:]


def read_reveal(terms: Terms, payload: bytes) -> Opening:
    """Return what a Reveal payload opens; whether that is the Commit, and a state at all, is not asked here."""
    _check_type(payload, terms.reveal_type, Fault.BAD_REVEAL)
    if len(payload) < 4:
        raise PayloadError(Fault.BAD_REVEAL, "%(payload)s octets: the length of the nonce is missing", payload=len(payload))
    size = int.from_bytes(payload[2:4], "big")
    if len(payload) != 4 + size + terms.width:
        raise PayloadError(
            Fault.BAD_REVEAL,
            "%(payload)s octets, not %(part)s with a nonce of %(size)s",
            payload=len(payload),
            part=4 + size + terms.width,
            size=size,
        )
    return Opening(payload[4 : 4 + size], int.from_bytes(payload[4 + size :], "big"))


def judge(terms: Terms, player: str, commit: bytes | None, reveal: bytes | None) -> Judged:
    """Return the contestant that a party's two payloads make, or why they make none."""
    if commit is None:
        why = N_("no Commit was heard") if reveal is None else N_("a Reveal without a Commit is discarded")
        return Excluded(player, Fault.NO_COMMIT, Reason(why))
    try:
        sealed = read_commit(terms, commit)
        if reveal is None:
            return Excluded(player, Fault.NO_REVEAL, Reason("committed, but no Reveal was heard"))
        opening = read_reveal(terms, reveal)
    except PayloadError as error:
        return Excluded(player, Fault(error.fault), error.why)
    # H is taken over the octets as they came: `write_commit` would refuse nothing here that `read_reveal` let through
    if terms.hasher()(reveal[4:]).digest() != sealed:
        return Excluded(player, Fault.MISMATCH, Reason("the Reveal does not open the Commit"))
    if not terms.least_state <= opening.state < terms.states:
        why = N_("state %(state)s is not from %(least)s to %(most)s")
        reason = Reason(why, state=opening.state, least=terms.least_state, most=terms.states - 1)
        return Excluded(player, Fault.BAD_STATE, reason)
    if terms.mode is Mode.STRONG:
        size = NONCE_OCTETS + BINDER_OCTETS
        if len(opening.nonce) != size:
            reason = Reason("a nonce of %(octets)s octets, not %(size)s", octets=len(opening.nonce), size=size)
            return Excluded(player, Fault.BAD_NONCE, reason)
        if opening.nonce[NONCE_OCTETS:] != terms.binder(player):
            return Excluded(player, Fault.COPIED, Reason("opened a Commit that was made for another player or another game"))
    return Contestant(player, sealed, opening.state, len(opening.nonce) < SAFE_NONCE)
