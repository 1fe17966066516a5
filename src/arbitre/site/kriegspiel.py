"""The site as umpire of games by file: the provider `site:URL` (spec: proof, section 7).

The file is sealed and opened here alone. A request is a file and what a player does, signed with the key that his password makes:
the answer is the new file and what this player may hear. It follows from the site's secrets and the request, to the last octet;
what the site remembers is which content of a game is the newest (`site.file_games`):

===========================================================  ===========================================================
the file is the newest                                       the answer, once the new content is noted durably
it is older, but this is the last request, word for word     the same answer
it is older                                                  refused: nobody tries twice from one file
it is newer than what is remembered (a backup came back)     as the newest; the seal vouches for it
===========================================================  ===========================================================

When the secrets are open the file is handed out under the published provider: nothing is left to hide, and it proves itself.
"""

import asyncio
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from arbitre.crypto.keys import keep_secret, signed
from arbitre.crypto.sealing import SITE, Held, Repeated
from arbitre.errors import GameFileError, GameStageError, StageError, WrongPasswordError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import options_of
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.kref.course import ENTRY, Call, Ruling
from arbitre.kref.file import canonical, read_entry, read_envelope
from arbitre.kref.game import GameFile, Seated, called, read_call, read_game, seating, try_text
from arbitre.kref.requests import CALL, ENTER, LONGEST_FILE, MOST_ENTRIES, request_octets, show_message
from arbitre.kref.standing import Standing
from arbitre.reasons import Reason
from arbitre.records.event import read_object
from arbitre.site.file_games import FileGames, Newest

KEY_FILE = re.compile(r"kriegspiel-([1-9][0-9]{0,8})\.key")


class Told(NamedTuple):
    """What a player is told."""

    file: str
    standing: Standing
    ruling: Ruling | None = None


class Presented(NamedTuple):
    """A signature that came with a request, in the player's stead: it must be of the key, under what is to be signed."""

    key: str
    signature: str

    def sign(self, message: bytes) -> bytes:
        """Return the signature; `WrongPasswordError` where it is of another key, or of something else."""
        if not _signed(self.key, message, self.signature):
            raise WrongPasswordError(Reason("file-wrong-password"))
        return bytes.fromhex(self.signature)

    def hide(self, clear: str) -> str:  # noqa: ARG002 - it never comes here
        """Hide nothing: guesses stay on the player's machine."""
        raise GameStageError("guesses stay on the player's machine")

    def open(self, hidden: str) -> str | None:  # noqa: ARG002
        """Open nothing."""
        return None


def _signed(key: str, message: bytes, signature: str) -> bool:
    return signed(bytes.fromhex(key), message, bytes.fromhex(signature))


# ── the secrets ────────────────────────────────────────────────────────────────────────────────────────────────────


def site_seal(folder: Path) -> Held:
    """Return the seal of a data folder: its secrets `kriegspiel-NUMBER.key`, the first of which is made on first use."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Held({number: keep_secret(folder / f"kriegspiel-{number}.key") for number in _numbers(folder) or (1,)})


def renew_seal(folder: Path) -> int:
    """Make one more secret, and return its number: the site seals with it when it is opened again, and still opens the others."""
    number = max(_numbers(folder), default=0) + 1
    keep_secret(folder / f"kriegspiel-{number}.key")
    return number


def _numbers(folder: Path) -> list[int]:
    return [int(found[1]) for path in folder.iterdir() if (found := KEY_FILE.fullmatch(path.name))]


# ── the umpire ─────────────────────────────────────────────────────────────────────────────────────────────────────


class FileUmpire:
    """Judges games by file."""

    def __init__(self, games: FileGames, folder: Path, public: str) -> None:
        self._games = games
        self._seal = site_seal(folder)
        parts = urlsplit(public)
        self.public = f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"
        """The address under which players name this site."""

    async def call(self, said: str, sign: str) -> Told:
        """Call a game as Black."""
        return await asyncio.to_thread(self._call, said, sign)

    async def show(self, text: str, sign: str | None) -> Standing:
        """Return what both players know of a game, or what the player does whose signature came."""
        return await asyncio.to_thread(self._show, text, sign)

    async def enter(self, text: str, entry: str, sign: str) -> Told:
        """Let a player do something."""
        return await asyncio.to_thread(self._enter, text, entry, sign)

    # ── the three requests ─────────────────────────────────────────────────────────────────────────────────────────

    def _call(self, said: str, sign: str) -> Told:
        request = request_octets(CALL, {"call": said, "sign": sign})
        call = self._read_call(said, self._seal.seed(request))
        file = called(call, f"{SITE}{self.public}", self._seal, Presented(call.black.key, sign))
        made = _newest(file, request)
        if not self._games.advance(file.game, None, made) and self._games.find(file.game) != made:
            raise _old()
        return Told(file.text(), file.standing(SECOND))

    def _read_call(self, said: str, seed: bytes) -> Call:
        call = read_call({**read_object(said), "seed": seed.hex()})
        if call.site != self.public:
            raise GameFileError("file-other-site", public=self.public)
        rules = find_game("kriegspiel", call.options)
        if canonical(call.fields()) != said or call.mode != "classic" or options_of(rules) != call.options:
            raise _unfit()
        return call

    def _show(self, text: str, sign: str | None) -> Standing:
        file = self._opened(text)
        if not _fresh(file, self._games.find(file.game)):
            raise _old()
        if sign is None:
            return file.standing()
        message = show_message(self.public, file.game, file.chain[-1])
        for seat, key in _keys(file).items():
            if _signed(key, message, sign):
                return file.standing(seat)
        raise WrongPasswordError(Reason("file-wrong-password"))

    def _enter(self, text: str, entry: str, sign: str) -> Told:
        request = request_octets(ENTER, {"file": text, "entry": entry, "sign": sign})
        file = self._opened(text)
        known = self._games.find(file.game)
        fresh = _fresh(file, known)
        if not fresh and known is not None and known.request != sha256(request).digest():
            raise _old()
        after, seat, ruling = _entered(file, entry, sign)
        made = _newest(after, request)
        # durable before anybody is told; where two came with one file, one of them was quicker
        if not (fresh and self._games.advance(file.game, known, made)) and self._games.find(file.game) != made:
            raise _old()
        if after.open:
            return Told(
                replace(after, provider="default", sealing=Repeated()).text(), replace(after.standing(), seat=seat), ruling
            )
        return Told(after.text(), after.standing(seat), ruling)

    def _opened(self, text: str) -> GameFile:
        """Open a file that this site sealed; `GameFileError`."""
        if len(text) > LONGEST_FILE:
            raise _unfit()
        envelope = read_envelope(text)
        if envelope.provider != f"{SITE}{self.public}":
            raise GameFileError("file-other-site", public=self.public)
        try:
            return read_game(envelope.text(), lambda _: self._seal)
        except GameFileError:
            raise GameFileError("file-not-ours") from None


def _entered(file: GameFile, entry: str, sign: str) -> tuple[GameFile, Seat, Ruling | None]:
    """Return a game after what a player does, whose seat that is, and the ruling where it was a try."""
    if entry.startswith("{"):
        return _joined(file, entry, sign), FIRST, None
    found = ENTRY.fullmatch(entry)
    if found is None:
        raise _unfit()
    seat, kind, text = Seat(int(found[1])), found[2], found[3]
    if seat not in _keys(file):
        raise GameStageError("White has not sat down yet: arbitre kref white FILE")
    seated = Seated(file, seat, Presented(_keys(file)[seat], sign))
    match kind:
        case "t" if text is not None and text == try_text(text):
            if len(file.body.log) >= MOST_ENTRIES:
                raise StageError(Reason("file-too-many-tries", most=MOST_ENTRIES))
            after, ruling = seated.attempt(text)
            return after.file, seat, ruling
        case "r" | "x" if text is None:
            return seated.resign(accuse=kind == "x").file, seat, None
        case "a" if text is None:
            return seated.acknowledge().file, seat, None
        case _:
            raise _unfit()


def _joined(file: GameFile, entry: str, sign: str) -> GameFile:
    """Return a game with White seated, whose password becomes a key as Black's did."""
    if file.white is not None:
        raise StageError(Reason("file-white-sits"))
    white, black = read_entry(read_object(entry).get("white")), file.call.black
    if seating(white) != entry or (white.salt, white.work) != (black.salt, black.work):
        raise _unfit()
    if white.key == black.key:
        raise WrongPasswordError(Reason("file-shared-password"))
    return file.enter(entry, FIRST, Presented(white.key, sign))


def _keys(file: GameFile) -> dict[Seat, str]:
    """Return the keys of those who sit, by seat."""
    return {SECOND: file.call.black.key} | ({FIRST: file.white.key} if file.white is not None else {})


def _newest(file: GameFile, request: bytes) -> Newest:
    content = canonical([list(file.body.log), [[mark.count, mark.signature] for mark in file.body.marks]])
    return Newest(len(file.body.log), sha256(content.encode()).digest(), sha256(request).digest())


def _fresh(file: GameFile, known: Newest | None) -> bool:
    """Tell whether nothing newer than a file is known."""
    here = _newest(file, b"")
    return known is None or here.number > known.number or (here.number, here.content) == (known.number, known.content)


def _old() -> StageError:
    return StageError(Reason("file-not-newest"))


def _unfit() -> GameFileError:
    return GameFileError("file-bad-request")
