"""Engines and external referees at addresses, as contestants (the manual's page "Engines by URL").

An engine is `http(s)://…`; `#direct`, `#full` and `#notify`, with commas between, say how it wants to be spoken to.
"""

import os

from arbitre.errors import PlayerStringError, shorten
from arbitre.games.game import AnyGame
from arbitre.games.wires import unspeakable
from arbitre.players import Contestant, Setting, is_called, unknown
from arbitre.referee.terms import LONGEST_NAME
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.referee import ExternalReferee
from arbitre.tournoyons.wire import Style

WISHES = ("direct", "full", "notify")
"""How an engine may want to be spoken to, behind its address on the command line."""


def engine(text: str, rest: str, setting: Setting) -> Contestant:
    """Return an engine at an address."""
    if not rest.startswith("//"):
        raise unknown(text, setting)
    url, _, words = text.partition("#")
    wishes = [word for word in words.split(",") if word]
    strange = [word for word in wishes if word not in WISHES]
    if strange:
        raise PlayerStringError(
            "%(strange)r behind %(url)r is none of %(wishes)s", strange=strange[0], url=shorten(url), wishes=", ".join(WISHES)
        )
    if why := unspeakable(setting.game):
        raise PlayerStringError(why)
    switchboard = setting.switchboard
    if not isinstance(switchboard, Switchboard):
        raise PlayerStringError("%(url)r is an address, and engines are not called from here", url=shorten(url))
    style = Style(full="full" in wishes, direct="direct" in wishes, notify="notify" in wishes)
    mine = os.urandom(16)  # a tournament's seed may be public, and who knows a MoveId could answer for others
    shown = bare_address(url)
    called = setting.name or shorten(shown.partition("//")[2].rstrip("/"), LONGEST_NAME)
    return Contestant(called, shown, lambda seed: HttpPlayer(url, switchboard, mine + seed, style=style), outside=True)


def read_referee(text: str, game: AnyGame, switchboard: Switchboard | None) -> Contestant:
    """Return the external referee of an added game at an address, as somebody who sits down with the players."""
    if not is_called(text) or "://" not in text:
        raise PlayerStringError(
            "the referee of %(called)s is an address, http://… or https://…, not %(text)r", called=game.called, text=shorten(text)
        )
    if switchboard is None:
        raise PlayerStringError("%(text)r is an address, and nobody is called from here", text=shorten(text))
    name, player = game.court
    mine = os.urandom(16)  # as with engines: who knows the address of an answer could give it
    return Contestant(name, player, lambda seed: ExternalReferee(text, switchboard, mine + seed), outside=True)


def bare_address(text: str) -> str:
    """Return an address as records have it: without what stands behind it, and without passwords."""
    scheme, _, rest = text.partition("#")[0].partition("?")[0].partition("//")
    return f"{scheme}//{rest.rpartition('@')[2]}"
