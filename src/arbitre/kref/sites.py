"""A game by file that a site judges: the provider `site:URL` from the player's side (spec: proof, section 7).

The file is sealed and opened by the site alone; this program sends it with what the player does, signed, and gets the new file
and what this player may hear. When the game is over and its secrets are open, the site hands the file out under the published
provider: from then on it is a file like any other, and is verified without the site.

What the site says may be hostile: it is bounded in time and size, redirects are not followed, nothing of it steers a terminal. A
request is kept on this machine until its answer is: where the line broke, or either side died, the same words are said again,
and the site answers them as it did before.
"""

import asyncio
import json
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, NoReturn, Protocol

from arbitre.crypto.passwords import SALT_BYTES, Secret, Work, secret
from arbitre.crypto.sealing import NAME, SITE, Published
from arbitre.errors import (
    ArbitreError,
    ForbiddenAddressError,
    GameFileError,
    GameStageError,
    NotTakenError,
    PasswordError,
    ProtocolError,
    SealingError,
    SiteError,
    shorten,
)
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.kref.course import Mode, Ruling
from arbitre.kref.file import NO_GUESS, Envelope, call_message, canonical, entry_message, read_envelope
from arbitre.kref.game import Seated, new_call, new_entry, placed, read_game, seating, try_text
from arbitre.kref.requests import CALL, ENTER, REFUSALS, SHOW, show_message
from arbitre.kref.standing import Player, Standing, read_ruling, read_standing
from arbitre.reasons import Reason
from arbitre.values import value

SECONDS = 20.0
"""How long a site may take."""
LONGEST_ANSWER = 4 << 20
FIELD = re.compile(r"%\((\w+)\)")
"""The place of a field in words."""


class Memory(Protocol):
    """What this machine keeps of a game that a site judges."""

    def promise(self, game: str, request: str) -> None:
        """Keep a request until its answer is on disk."""

    def notes(self, game: str, seat: Seat) -> str:
        """Return a player's hidden guesses."""

    def note(self, game: str, seat: Seat, hidden: str) -> None:
        """Keep a player's hidden guesses."""


# ── the way to a site ──────────────────────────────────────────────────────────────────────────────────────────────


def site_of(provider: str) -> str:
    """Return the address of the site that a provider names, or nothing where it is another provider."""
    return provider.removeprefix(SITE) if provider.startswith(SITE) else ""


def check_name(provider: str) -> None:
    """Refuse an address that cannot stand in a file; `SealingError`."""
    if not NAME.fullmatch(provider):
        raise SealingError(
            "a site is named by its address, like site:https://arbitre.example, in small letters and without a slash behind, "
            "not %(name)r",
            name=shorten(provider),
        )


def ask(site: str, what: str, body: Mapping[str, object]) -> dict[str, object]:
    """Ask a site; `SiteError` where it is not there or answers nonsense, else what it refuses as an error of ours."""
    octets = json.dumps(body).encode()
    with ThreadPoolExecutor(1) as aside:  # a loop of its own: the terminal program has one that is running
        return aside.submit(lambda: asyncio.run(_ask(site, what, octets))).result()


async def _ask(site: str, what: str, octets: bytes) -> dict[str, object]:
    from arbitre.transport.http import HttpPool  # noqa: PLC0415 - slow to import, and most games have no site

    pool = HttpPool(keep=False, most_body=LONGEST_ANSWER)
    try:
        async with asyncio.timeout(SECONDS):
            response = await pool.post(f"{site}{what}", octets, {"Content-Type": "application/json"})
    except TimeoutError:
        raise SiteError("%(site)s has not answered within %(seconds)s seconds", site=site, seconds=f"{SECONDS:g}") from None
    except (NotTakenError, ProtocolError, ForbiddenAddressError) as error:
        raise SiteError("%(site)s cannot be reached: %(why)s", site=site, why=error) from None
    except OSError:
        raise SiteError("%(site)s hung up before it had answered", site=site) from None
    finally:
        await pool.close()
    return _answer(site, response.status, response.body if response.whole else "")


def _answer(site: str, status: int, body: str) -> dict[str, object]:
    if 300 <= status < 400:
        raise SiteError("%(site)s sends us elsewhere, which we do not follow", status, site=site)
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SiteError(
            "%(site)s answers with status %(code)s, and not as a site of Arbitre does", status, site=site, code=status
        )
    if status >= 400:
        _refused(site, status, found)
    return found


def _refused(site: str, status: int, found: Mapping[str, object]) -> NoReturn:
    """Raise what the site refuses: by its code, or in its own words, bounded."""
    code, fields = str(found.get("code")), found.get("fields")
    if code in REFUSALS:
        given = fields if isinstance(fields, dict) else {}
        needed = FIELD.findall(Reason(code).template() or "")
        if not all(name in given for name in needed):
            raise SiteError("%(site)s refuses without saying why", status, site=site)
        reason = Reason(code, **{name: _shown(given[name]) for name in needed})
        raise PasswordError(reason) if code.endswith("password") else GameFileError(reason)
    text = _shown(found.get("error", ""))
    raise SiteError("%(site)s refuses (%(code)s): %(text)s", status, site=site, code=status, text=text)


def _shown(found: object) -> object:
    """Return what a stranger said so that it steers no terminal."""
    return found if type(found) is int else "".join(c if c.isprintable() else " " for c in shorten(str(found)))


# ── a game at a site ───────────────────────────────────────────────────────────────────────────────────────────────


@value
class SiteGame:
    """A game that a site judges, as far as both players know it."""

    site: str
    envelope: Envelope
    public: Standing
    memory: Memory

    def standing(self) -> Standing:
        """Return what both players know."""
        return self.public

    def join(self, name: str, password: str, work: Work | None = None) -> Player:  # noqa: ARG002 - Black's is taken
        """Seat White."""
        if self.public.begun:
            raise GameStageError("White has a password in this game already")
        entry, made = new_entry(name, password, bytes.fromhex(self.public.salt), self.public.work)
        return self.enter(seating(entry), made)[0]

    def login(self, password: str, seat: Seat | None = None) -> Player:
        """Return the seat that a password opens."""
        public = self.public
        if seat == FIRST and not public.begun:
            raise GameStageError("White has no password yet: arbitre kref white FILE")
        made = secret(password, bytes.fromhex(public.salt), public.work)
        sign = made.sign(show_message(self.site, public.game, public.head)).hex()
        found = read_standing(ask(self.site, SHOW, {"file": self.envelope.text(), "sign": sign}))
        if found.seat is None or (seat is not None and found.seat != seat):
            raise PasswordError("wrong password")
        return SiteSeated(replace(self, public=found), found, found.seat, made)

    def enter(self, entry: str, hand: Secret) -> tuple[Player, dict[str, object]]:
        """Enter something for a player, and return him after it, with the answer; the request is kept until the answer is."""
        sign = hand.sign(entry_message(self.site, self.public.game, self.public.head, entry)).hex()
        request = {"file": self.envelope.text(), "entry": entry, "sign": sign}
        self.memory.promise(self.public.game, canonical(request))
        answer = ask(self.site, ENTER, request)
        return self.after(answer, hand), answer

    def after(self, answer: Mapping[str, object], hand: Secret) -> Player:
        """Return the player after an answer: where the secrets are open, with the file on his own machine."""
        envelope, standing = read_answer(self.site, answer)
        if standing.seat is None or standing.game != self.public.game:
            raise SiteError("%(site)s answers with a file of another game", site=self.site)
        if not standing.open:
            return SiteSeated(replace(self, envelope=envelope, public=standing), standing, standing.seat, hand)
        file = read_game(envelope.text(), lambda _: Published())
        entry = (file.white, file.call.black)[standing.seat]
        if entry is None or entry.key != hand.key.public.hex() or self.public.head not in file.chain[1:] or not file.open:
            # what was played here must be in it: else the site judged another game than the one that it told of
            raise SiteError("%(site)s ends another game than the one that was played here", site=self.site)
        return Seated(file, standing.seat, hand)


class SiteSeated(NamedTuple):
    """A game that a site judges with one player at it, who has given the password."""

    game: SiteGame
    standing: Standing
    seat: Seat
    secret: Secret

    def text(self) -> str:
        """Return the file."""
        return self.game.envelope.text()

    @property
    def guesses(self) -> str:
        """Where this player thinks the other's pieces stand: kept on this machine, for the site need not know them."""
        found = self.secret.open(self.game.memory.notes(self.standing.game, self.seat))
        return found if found is not None and len(found) == len(NO_GUESS) else NO_GUESS

    def guess(self, squares: Mapping[str, str]) -> "SiteSeated":
        """Place guessed pieces: they do not count."""
        hidden = self.secret.hide(placed(self.guesses, squares, self.seat))
        self.game.memory.note(self.standing.game, self.seat, hidden)
        return self

    def attempt(self, text: str) -> tuple[Player, Ruling]:
        """Try a move: a refusal is recorded, and costs nothing."""
        self.standing.check_try(self.seat, "classic")
        after, answer = self._enter(f"{self.seat:d}t:{try_text(text)}")
        return after, read_ruling(answer.get("ruling"))

    def plan(self, tries: Sequence[str]) -> Player:  # noqa: ARG002 - there are none
        """Refuse: a site judges tries at once."""
        self.standing.check_try(self.seat, "planned")
        raise GameStageError("this game is classic: tries are judged one by one")

    def adjudicate(self) -> tuple[Player, tuple[Ruling, ...]]:
        """Judge nothing: the site does."""
        return self, ()

    def resign(self, accuse: bool = False) -> Player:
        """Give up, or accuse the referee: the board stays closed until the other has acknowledged."""
        self.standing.check_resign()
        return self._enter(f"{self.seat:d}{'x' if accuse else 'r'}")[0]

    def acknowledge(self) -> Player:
        """Acknowledge the other's resignation: both may see the board now."""
        self.standing.check_acknowledge(self.seat)
        return self._enter(f"{self.seat:d}a")[0]

    def _enter(self, entry: str) -> tuple[Player, dict[str, object]]:
        return self.game.enter(entry, self.secret)


def read_answer(site: str, answer: Mapping[str, object]) -> tuple[Envelope, Standing]:
    """Return the file and the standing of an answer, which must belong together; `SiteError`."""
    standing = read_standing(answer)
    try:
        envelope = read_envelope(str(answer.get("file")))
    except GameFileError as error:
        raise SiteError("%(site)s answers with a file that is none: %(why)s", site=site, why=error) from None
    fits = envelope.provider == ("default" if standing.open else f"{SITE}{site}") and envelope.game == standing.game
    if not fits or standing.site != site:
        raise SiteError("%(site)s answers with a file of another game", site=site)
    return envelope, standing


# ── what a desk asks for ───────────────────────────────────────────────────────────────────────────────────────────


def call_at_site(
    site: str, name: str, player: str, password: str, mode: Mode, options: Mapping[str, object] | None, work: Work, *,
    date: str, memory: Memory,
) -> Player:  # fmt: skip
    """Call a game as Black, at a site."""
    check_name(f"{SITE}{site}")
    if mode != "classic":
        raise GameStageError("a site judges every try at once, and a copy gains nothing: leave --mode planned out")
    entry, made = new_entry(player, password, os.urandom(SALT_BYTES), work)
    said = canonical(new_call(name, entry, mode, options, b"", date, site).fields())
    answer = ask(site, CALL, {"call": said, "sign": made.sign(call_message(said)).hex()})
    envelope, standing = read_answer(site, answer)
    if standing.seat != SECOND or standing.open:
        raise SiteError("%(site)s answers with a file of another game", site=site)
    return SiteSeated(SiteGame(site, envelope, standing, memory), standing, SECOND, made)


def read_at_site(envelope: Envelope, memory: Memory) -> SiteGame:
    """Ask the site how a game stands that it judges."""
    site = site_of(envelope.provider)
    found = read_standing(ask(site, SHOW, {"file": envelope.text()}))
    if (found.game, found.ply, found.site) != (envelope.game, envelope.ply, site):
        raise SiteError("%(site)s speaks of another game", site=site)
    return SiteGame(site, envelope, found, memory)


def say_again(envelope: Envelope, request: str) -> Envelope | None:
    """Say a request again whose answer was lost; return the new file, None where the request is of no use any more.

    `SiteError` where the site cannot be reached: it stays open what became of the request.
    """
    try:
        body = json.loads(request)
        if read_envelope(str(body["file"])) != envelope:
            return None  # another file has come meanwhile
    except (ValueError, KeyError, TypeError, ArbitreError):
        return None
    site = site_of(envelope.provider)
    try:
        return read_answer(site, ask(site, ENTER, body))[0]
    except (GameFileError, PasswordError):
        return None
    except SiteError as error:
        if error.status in (400, 403, 409):
            return None
        raise
