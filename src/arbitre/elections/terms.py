"""What an election agrees on before the first Commit (spec rochambeau, section 1; seed 003, sections 3 and 4.2).

N, H, the mode, the payload types and, in strong mode, the name of the game. Who takes part and until when is agreed
beforehand too; that is the business of the parties (`arbitre.elections.party`), because a finished transcript does
not need it.

* **draft** mode is the draft to the letter: 1 ≤ q < N, any nonce, whoever reveals nothing is left out.
* **strong** mode has the same payloads, but a nonce of 48 octets whose last sixteen name the game and the player, so that a
  copied Commit can only be opened by convicting the copier; and 0 ≤ q < N, so that the tweaked state of an honest player is
  uniform to everybody else and a last committer has nothing to grind for.
"""

import hashlib
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256
from typing import Final

from arbitre.errors import TermsError, shorten
from arbitre.values import value

LEAST_STATES: Final = 3
MOST_STATES: Final = 2**64 - 1
"""Beyond this a digest taken modulo N would be noticeably uneven for the shorter hashes, and a state no machine word."""

USUAL_STATES: Final = 2**31 - 1
USUAL_HASH: Final = "sha256"

NONCE_OCTETS: Final = 32
"""How many random octets we put into a nonce."""
SAFE_NONCE: Final = 16
"""A shorter nonce can be guessed: warned of in draft mode."""
BINDER_OCTETS: Final = 16
LONGEST_NONCE: Final = 2**16 - 1
LONGEST_NAME: Final = 255
"""Octets of a player's name."""

LAST_ROUND: Final = 255
"""The counter is one octet."""

HASHES: Final = (
    "sha256", "sha224", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"
)  # fmt: skip
"""The collision-resistant hashes that every Python has; MD5, SHA-1 and hashes without a length of their own are refused."""

DIGEST_OCTETS: Final[dict[str, int]] = {name: getattr(hashlib, name)().digest_size for name in HASHES}


class Mode(StrEnum):
    """How much the parties distrust each other."""

    DRAFT = "draft"
    """The protocol of the draft, to the letter."""
    STRONG = "strong"
    """The same payloads, bound to game and player, signed and echoed."""


@value
class Terms:
    """What is fixed before the first Commit, and without which a transcript means nothing."""

    states: int = USUAL_STATES
    hash: str = USUAL_HASH
    mode: Mode = Mode.DRAFT
    game: str = ""
    """The name of this one game; in strong mode no nonce is good for another."""
    announced: bool = False
    """Whether a value that nobody knows before the Reveal deadline is mixed into the tweaks."""
    commit_type: int = 0x0001
    reveal_type: int = 0x0002

    def __post_init__(self) -> None:
        """Refuse what the draft has no meaning for."""
        if not LEAST_STATES <= self.states <= MOST_STATES:
            raise TermsError(
                "the number of states is from %(least_states)s to %(most_states)s, not %(states)s",
                least_states=LEAST_STATES,
                most_states=MOST_STATES,
                states=self.states,
            )
        if self.states % 2 == 0:
            raise TermsError(
                "the number of states is odd, not %(states)s: each state beats half of the others", states=self.states
            )
        if self.hash not in HASHES:
            raise TermsError(
                "no hash %(hash)r that could be trusted; there are: %(hashes)s", hash=shorten(self.hash), hashes=", ".join(HASHES)
            )
        if self.mode is Mode.STRONG and not self.game:
            raise TermsError("a game in strong mode has a name, to which its Commits are bound")
        if len(self.game.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            raise TermsError(
                "the name of a game has at most %(longest_name)s octets: %(game)r",
                longest_name=LONGEST_NAME,
                game=shorten(self.game),
            )
        for kind in (self.commit_type, self.reveal_type):
            if not 0 <= kind <= 0xFFFF:
                raise TermsError("a payload type has two octets, not %(kind)s", kind=kind)
        if self.commit_type == self.reveal_type:
            raise TermsError("Commit and Reveal cannot share the payload type %(commit_type)s", commit_type=self.commit_type)

    @property
    def width(self) -> int:
        """Return m, the octets of a state: the smallest with 256^m > N."""
        return (self.states.bit_length() + 7) // 8

    @property
    def digest_octets(self) -> int:
        """Return the length of C."""
        return DIGEST_OCTETS[self.hash]

    @property
    def least_state(self) -> int:
        """Return the smallest q that may be chosen."""
        return 0 if self.mode is Mode.STRONG else 1

    def hasher(self) -> Callable[..., "hashlib._Hash"]:
        """Return H as a constructor: called once per party, so looked up once."""
        hasher: Callable[..., hashlib._Hash] = getattr(hashlib, self.hash)
        return hasher

    def binder(self, player: str) -> bytes:
        """Return the end of every nonce that this player may use in this game; empty in draft mode."""
        if self.mode is Mode.DRAFT:
            return b""
        return sha256(self.binding() + _sized(player)).digest()[:BINDER_OCTETS]

    def binding(self) -> bytes:
        """Return what stands before the player's length and name in what the binder is the hash of."""
        return b"rochambeau-s2" + _sized(self.game)


def _sized(text: str) -> bytes:
    octets = text.encode()
    return len(octets).to_bytes(2, "big") + octets


def check_name(player: str) -> str:
    """Return a player's name if it is one: 1 to 255 octets of UTF-8 that a terminal can print on one line."""
    try:
        size = len(player.encode())
    except UnicodeEncodeError:
        raise TermsError("the name %(player)r holds half a character", player=shorten(player)) from None
    if not 1 <= size <= LONGEST_NAME:
        raise TermsError(
            "a name has 1 to %(longest_name)s octets, not %(size)s: %(player)r",
            longest_name=LONGEST_NAME,
            size=size,
            player=shorten(player),
        )
    if not player.isprintable() or player != player.strip():
        raise TermsError("the name %(player)r does not print on one line", player=shorten(player))
    return player
