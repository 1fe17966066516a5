"""A visit: what the site knows of one request before any page looks at it (spec: tournoyons, section 9).

The gate (`arbitre.web.security`) makes it; handlers get it as `visit` and may say in it what their answer needs: which frames it
shows, who may frame it, which cookies to set.
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from time import time

from arbitre.site.accounts import Account
from arbitre.site.caller import Caller
from arbitre.site.engines import Engine
from arbitre.site.sessions import SessionId
from arbitre.site.tokens import Bearer
from arbitre.words import Words

GUEST_COOKIE = "arbitre_guest"
DEVICE_COOKIE = "arbitre_device"
LANGUAGE_COOKIE = "arbitre_language"
THEME_COOKIE = "arbitre_theme"
CHOICE_COOKIE = "arbitre_choice"
THEMES = ("light", "dark")
SESSION_COOKIE = "arbitre_session"
SIGNS_COOKIE = "arbitre_signs"
"""Set by our script itself: a browser without it plays without a key."""
YEAR = 365 * 86_400
GUEST_BYTES = 16


class Signer:
    """Signs small things for itself: guests' identities, form tokens. One secret of the data folder."""

    def __init__(self, secret: bytes, *, secure: bool) -> None:
        self._secret = secret
        self.secure = secure
        self.now: Callable[[], float] = time
        """Tells the time; where several nodes share the secret, that of their database."""

    def mark(self, what: str, text: str) -> str:
        """Return the mark of a text for one purpose."""
        return hmac.new(self._secret, f"{what}\0{text}".encode("utf-8", "replace"), sha256).hexdigest()[:40]

    def good(self, what: str, text: str, mark: str) -> bool:
        """Tell whether we made this mark."""
        return hmac.compare_digest(self.mark(what, text).encode(), mark.encode("utf-8", "replace"))


@dataclass(slots=True)
class Visit:
    """One request, and what its answer is to carry."""

    path: str
    address: str
    """The visitor's address, behind the proxies that we believe."""
    words: Words
    guest: str
    """A random identity that the visitor's browser keeps: whoever is not logged in still has games and seats."""
    signer: Signer
    session: str = ""
    """The token of a session, as the browser sent it: not looked at yet."""
    device: str = ""
    """In whose names this browser has logged in before, as it says: `web.door` looks at it."""
    theme: str = ""
    signs: bool = False
    """Whether the browser runs our script, as it says."""
    choice: str = ""
    """What was chosen last for a game, as the browser says: `web.choice` looks at it."""
    here: str = ""
    """Where the switches of the page lead back to: this address with its query."""
    person: Account | None = None
    """Who is logged in; or whose token a program came with, below `/api/`."""
    stay: SessionId | None = None
    """The session, when somebody is logged in."""
    bearer: Bearer | None = None
    """The token that a program came with: handlers ask it for the scope they need."""
    engine: Engine | None = None
    """The engine whose own token a program came with: it opens that engine's questions, and nothing else."""
    secret: str = ""
    """That token, as it came: whoever listens for long is asked again whether it is good."""
    offered: bool = False
    """Whether something came that should be a token, good or not."""
    frames: list[str] = field(default_factory=list)
    """Origins beside our own that this page may frame: the chosen interface's."""
    framers: str = "'none'"
    """Who may frame this page, as `frame-ancestors` says it."""
    cookies: list[str] = field(default_factory=list)
    """Values of Set-Cookie headers."""

    @property
    def caller(self) -> Caller:
        """Who asks, without anything of HTTP."""
        return Caller(self.person, self.guest, self.address, self.signs and self.bearer is None)

    @property
    def language(self) -> str:
        """`fr` or `en`."""
        return self.words.language

    @property
    def token(self) -> str:
        """What forms must send back: bound to this browser and this session."""
        return self.signer.mark("form", f"{self.guest}\0{self.session}")

    def trusts(self, token: str) -> bool:
        """Tell whether a form is ours and this browser's."""
        return self.signer.good("form", f"{self.guest}\0{self.session}", token)

    def keep(self, name: str, text: str, seconds: int = YEAR, *, path: str = "/") -> None:
        """Let the browser keep a cookie; no script sees it, and other sites' forms do not send it."""
        flags = "; HttpOnly; SameSite=Lax" + ("; Secure" if self.signer.secure else "")
        self.cookies.append(f"{name}={text}; Path={path}; Max-Age={seconds}{flags}")

    def drop(self, name: str) -> None:
        """Let the browser forget a cookie."""
        self.keep(name, "", 0)

    def new_guest(self) -> None:
        """Give the browser an identity it never had: before the first page, and when somebody logs out."""
        self.guest = token_urlsafe(GUEST_BYTES)
        self.keep(GUEST_COOKIE, f"{self.guest}.{self.signer.mark('guest', self.guest)}", YEAR)


def read_guest(signer: Signer, text: str) -> str:
    """Return the identity in a cookie, empty where we did not sign it."""
    guest, _, mark = text.partition(".")
    return guest if guest and signer.good("guest", guest, mark) else ""


def read_cookies(header: str) -> dict[str, str]:
    """Return the cookies of a header; whatever cannot be read is left out."""
    found: dict[str, str] = {}
    for part in header[:8192].split(";"):
        name, _, text = part.strip().partition("=")
        if name.startswith("arbitre_"):
            found.setdefault(name, text.strip('"')[:512])
    return found
