"""The file NAME.ksg: a game of Kriegspiel as text that survives the mail (spec: kriegspiel, section 2). No input, no output here.

    #KSG-BEGIN#2#PROVIDER#GAME#PLY#PREVIOUS#  SEALED  #SUM#KSG-END#

All in characters 35 to 126, so there are no spaces in it: white space of every kind may be added and removed, lines may be
wrapped anywhere, quoted with `>`, ended as any system ends them, and other text may stand around. Within SEALED `~`, `>` and `#`
are written `~0`, `~1` and `~2`: every `>` that is met is the mail's, every `#` is ours. SUM tells damage, which is nobody's
fault, from an edit.

SEALED is what the provider makes of the *body*: the log, the latest signature of each seat, and each seat's guesses, hidden by
its password. The log is a list of entries, the first two of which seat the players; every entry is folded into a salted hash
chain. A seat signs its last entry and the head before it, which stands for all that came earlier: so one signature a seat proves
all its turns, and both seats vouch for what they played on. Whoever signs need not know how the log goes on within the seal: that
is what lets a site judge a game for players who see nothing but their own. The body is padded to a size that follows from the ply
alone, unless a player makes hundreds of vain tries: neither a refusal nor a guess changes the length of the file.
"""

import json
import re
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from arbitre.crypto.chain import START, fold, leaf, salt
from arbitre.crypto.keys import signed
from arbitre.crypto.passwords import SALT_BYTES, Work
from arbitre.crypto.sealing import NAME, OUTSIDE, Sealing, seal, unseal
from arbitre.errors import GameFileError, PasswordError, SealingError
from arbitre.games.game import Seat
from arbitre.reasons import Reason
from arbitre.values import value

VERSION = 2
BEGIN = f"#KSG-BEGIN#{VERSION}#"
ANY_BEGIN = re.compile(r"#KSG-BEGIN#(\d{1,6})#")
END = "#KSG-END#"
HEADER = re.compile(r"([^#]{1,300})#([0-9a-f]{32})#(\d{1,6})#([0-9a-f]{64})#([^#]*)#([0-9a-f]{8})")
LINE = 72
LONGEST = 4 << 20
"""No file is longer: what is, is refused unread."""

SMALLEST, STEP, PLIES_A_STEP = 3_072, 768, 16
MOST_ENTRIES = 50_000
LONGEST_NAME = 80
SQUARES = 64
NO_GUESS = "0" * SQUARES
HIDDEN = 2 * (SQUARES + 40)
"""Hexadecimal digits of hidden guesses: nonce, tag and 64 squares, always."""

COLOURS = ("White", "Black")


# ── the text around ────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Envelope:
    """A file before it is opened."""

    provider: str
    game: str
    """The name of the game among all games: 32 hexadecimal digits that follow from how it was called."""
    ply: int
    """Plies made so far, which both players know."""
    previous: str
    """The head before the last entry."""
    sealed: str = ""

    @property
    def about(self) -> str:
        """What the seal is bound to."""
        return f"{VERSION}#{self.game}#{self.ply}#{self.previous}"

    def text(self) -> str:
        """Return the file, in lines that any mail program leaves alone."""
        middle = f"{self.provider}#{self.game}#{self.ply}#{self.previous}#{_escaped(self.sealed)}"
        whole = f"{BEGIN}{middle}#{_sum(middle)}{END}"
        return "".join(f"{whole[n : n + LINE]}\n" for n in range(0, len(whole), LINE))


def read_envelope(text: str) -> Envelope:
    """Return the file that stands somewhere in a text; of several, as under a reply, the one that is furthest."""
    if len(text) > LONGEST:
        raise GameFileError("no file of a game has %(text)s characters", text=len(text))
    dense = "".join(c for c in text if c != ">" and unicodedata.category(c)[0] not in "ZC")
    found = list(ANY_BEGIN.finditer(dense))
    if not found:
        raise GameFileError("no file of a game: the mark #KSG-BEGIN# is missing")
    read = []
    for one in found:
        if int(one[1]) != VERSION:
            raise GameFileError(
                "this file has format %(one)s; this program knows format %(version)s", one=int(one[1]), version=VERSION
            )
        end = dense.find(END, one.end())
        following = ANY_BEGIN.search(dense, one.end())
        if end < 0 or (following and following.start() < end):
            raise GameFileError("the file is truncated: the mark #KSG-END# is missing")
        read.append(_envelope(dense[one.end() : end]))
    last = max(read, key=lambda one: one.ply)
    if any(one != last and one.ply == last.ply for one in read):
        raise GameFileError(
            "the text holds %(read)s different files of ply %(ply)s: keep one of them", read=len(read), ply=last.ply
        )
    return last


def _envelope(middle: str) -> Envelope:
    if outside := OUTSIDE.search(middle):
        raise GameFileError(
            "the file is damaged: %(outside)r stands in it, which is none of the characters 35 to 126", outside=outside[0]
        )
    fields = HEADER.fullmatch(middle)
    if fields is None or not NAME.fullmatch(fields[1]):
        raise GameFileError("the file is damaged: its header is not in form")
    if _sum(middle[: -len(fields[6]) - 1]) != fields[6]:
        raise GameFileError("the file was damaged on the way: its sum does not fit; ask for it again")
    return Envelope(fields[1], fields[2], int(fields[3]), fields[4], _unescaped(fields[5]))


def _sum(middle: str) -> str:
    return sha256(b"arbitre/ksg-sum/1" + middle.encode()).hexdigest()[:8]


ESCAPES = {"~": "~0", ">": "~1", "#": "~2"}
PLAIN = {escape: character for character, escape in ESCAPES.items()}


def _escaped(text: str) -> str:
    return re.sub(r"[~>#]", lambda found: ESCAPES[found[0]], text)


def _unescaped(text: str) -> str:
    return re.sub(r"~[012]", lambda found: PLAIN[found[0]], text)


# ── the body ───────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Entry:
    """A player's entry: the name, the salt and work of the password, the key that it makes."""

    name: str
    salt: str
    work: Work
    key: str

    def fields(self) -> dict[str, object]:
        """Return what is written of it."""
        return {"key": self.key, "name": self.name, "salt": self.salt, "work": [self.work.passes, self.work.kibibytes]}


@value
class Mark:
    """A seat's signature under its last entry, the one with this number; none at all before the first."""

    count: int = 0
    signature: str = ""


@value
class Body:
    """What a file holds."""

    log: tuple[str, ...]
    marks: tuple[Mark, Mark] = (Mark(), Mark())
    guesses: tuple[str, str] = ("", "")
    """By seat, hidden guesses; nothing before the first login."""


def identity(call: str) -> str:
    """Return the game's name among all games, from the first entry."""
    return sha256(b"arbitre/ksg-game/1" + call.encode()).hexdigest()[:32]


def heads(seed: bytes, log: Sequence[str]) -> list[str]:
    """Return the head before the first entry and after each."""
    head = START
    found = [head.hex()]
    for number, entry in enumerate(log):
        head = fold(head, leaf(salt(seed, number), entry.encode()))
        found.append(head.hex())
    return found


def call_message(call: str) -> bytes:
    """Return what Black signs: how the game was called, in canonical form without its seed."""
    return b"arbitre/ksg-call/2\0" + call.encode()


def entry_message(site: str, game: str, head: str, entry: str) -> bytes:
    """Return what a seat signs: the site that judges, if one does, the game, the head before the entry, the entry."""
    return b"\0".join((b"arbitre/ksg-entry/2", site.encode(), bytes.fromhex(game) + bytes.fromhex(head) + entry.encode()))


def canonical(fields: object) -> str:
    """Return the one way to write a value."""
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def room(ply: int, needed: int) -> int:
    """Return how many octets the body is padded to: by the ply alone, doubled only where hundreds of tries need it."""
    size = SMALLEST + STEP * (ply // PLIES_A_STEP)
    while size < needed:
        size *= 2
    return size


def write_body(body: Body, ply: int, about: str) -> str:
    """Return the clear text for the provider, in characters 35 to 126."""
    fields = {
        "about": about,
        "guesses": [guess or "0" * HIDDEN for guess in body.guesses],
        "log": list(body.log),
        # before a seat has signed, as many characters stand where its signature will
        "marks": [[f"{mark.count:06}", mark.signature or "0" * 128] for mark in body.marks],
    }
    octets = canonical(fields).encode()
    return b64encode(octets.ljust(room(ply, len(octets)))).decode()


def read_body(clear: str, about: str) -> Body:
    """Return what `write_body` wrote; `GameFileError` for anything else."""
    try:
        fields = json.loads(b64decode(clear, validate=True))
    except (ValueError, RecursionError):
        raise GameFileError("the file is forged: its seal opens, but holds no game") from None
    match fields:
        case {"about": str(bound), "guesses": [str(first), str(second)], "log": list(log), "marks": [white, black]}:
            pass
        case _:
            raise GameFileError("the file is forged: its body is not in form")
    if bound != about:
        raise GameFileError("the file was put together from two: its header belongs to another file than its body")
    if not 1 <= len(log) <= MOST_ENTRIES or not all(isinstance(one, str) and len(one) <= 4_096 and one.isascii() for one in log):
        raise GameFileError("the file is forged: its log is not in form")
    guesses = (_digits(first, HIDDEN), _digits(second, HIDDEN))
    return Body(tuple(log), (_mark(white), _mark(black)), guesses)


def _mark(given: object) -> Mark:
    match given:
        case [str(count), str(signature)] if re.fullmatch(r"[0-9]{6}", count):
            number = int(count)
            return Mark(number, _digits(signature, 128)) if number else Mark()
        case _:
            raise GameFileError("the file is forged: a signature is not in form")


def _digits(text: object, many: int) -> str:
    if not isinstance(text, str) or len(text) != many or set(text) - set("0123456789abcdef"):
        raise GameFileError("the file is forged: %(many)s hexadecimal digits are missing", many=many)
    return text


def read_entry(fields: Any) -> Entry:
    """Return a player's entry; `GameFileError`."""
    match fields:
        case {"key": str(key), "name": str(name), "salt": str(salted), "work": [int(passes), int(kibibytes)]}:
            if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
                # a name is shown on the other player's terminal: it must not steer it
                raise GameFileError("a player's name is not printable")
            try:
                return Entry(name, _digits(salted, 2 * SALT_BYTES), Work(passes, kibibytes), _digits(key, 64))
            except PasswordError as error:
                raise GameFileError(error.reason) from None
        case _:
            raise GameFileError("a player's entry is not in form")


# ── sealing and signing ────────────────────────────────────────────────────────────────────────────────────────────


def pack(body: Body, seed: bytes, ply: int, name: str, sealing: Sealing) -> Envelope:
    """Seal a body."""
    previous = heads(seed, body.log[:-1])[-1]
    blank = Envelope(name, identity(body.log[0]), ply, previous)
    sealed = seal(sealing, write_body(body, ply, blank.about), blank.about)
    return Envelope(name, blank.game, ply, previous, sealed)


def unpack(envelope: Envelope, sealing: Sealing) -> Body:
    """Open a file with its provider; `GameFileError` where it is not what its header says."""
    try:
        body = read_body(unseal(sealing, envelope.sealed, envelope.about), envelope.about)
    except SealingError as error:
        raise GameFileError("the file does not open: %(error)s", error=error) from None
    if identity(body.log[0]) != envelope.game:
        raise GameFileError("the file is forged: it was called otherwise than its header says")
    return body


def check_marks(body: Body, message: Callable[[int], bytes], keys: Sequence[str], last: Sequence[int]) -> None:
    """Refuse a log that the seats did not sign: `last` is the number of each seat's last entry, `message` what is signed."""
    for seat, (mark, key) in enumerate(zip(body.marks, keys, strict=True)):
        who = Reason(COLOURS[Seat(seat)])
        if not key:
            if mark.count:
                raise GameFileError("the file is forged: %(who)s signed before sitting down", who=who)
            continue
        if mark.count < last[seat]:
            raise GameFileError(
                "the file is forged: entry %(last)s is %(who)s's, but %(who2)s signed only %(count)s entries",
                last=last[seat],
                who=who,
                who2=who,
                count=mark.count,
            )
        if mark.count > len(body.log):
            raise GameFileError(
                "the file is cut short: %(who)s signed %(count)s entries, and %(log)s are here",
                who=who,
                count=mark.count,
                log=len(body.log),
            )
        if not signed(bytes.fromhex(key), message(mark.count), bytes.fromhex(mark.signature)):
            raise GameFileError(
                "the file is forged: %(who)s's signature does not fit what %(who2)s is said to have played", who=who, who2=who
            )
