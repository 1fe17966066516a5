"""A player at the arcade of a site, through its interface for programs: it commits and checks for itself (spec: arcade).

    from arbitre.client.arcade import play
    from arbitre.arcade.visitor import Player

    class Mirror(Player):
        name = "mirror"

        def throw(self, past):
            return past[-1].theirs if past else "PIERRE"

    with Client("http://127.0.0.1:8000", token) as site:
        print(play(site, Mirror(), level="Normal").reason)

The same player plays over TCP (`arbitre.arcade.visitor.join`); only what carries the lines differs.
"""

from collections.abc import Callable

from arbitre.arcade.bout import Finish
from arbitre.arcade.visitor import Player, Visitor
from arbitre.client.site import Client
from arbitre.crypto.keys import Key
from arbitre.errors import PlayerLeftError


def play(
    site: Client,
    player: Player,
    *,
    table: str = "",
    level: str = "",
    language: str = "",
    keep: Callable[[Visitor], None] | None = None,
    key: Key | None = None,
) -> Finish:
    """Play one match and return how it ended, by our own book.

    `table` is a code under which two meet; `keep` is given the visitor afterwards, with its own record of the match,
    signed by `key`.
    """
    visitor = Visitor(player, table=table, level=level, language=language, key=key)
    visit = site.ask("POST", "/api/arcade/visits", {"lines": _lines(visitor.hello())})["visit"]
    said = 0
    for told in site.follow_lines(f"/api/arcade/visits/{visit}/lines"):
        spoken = _lines(visitor.receive(f"{told['line']}\n".encode("ascii", "replace")))
        if spoken:
            said += 1
            site.ask("POST", f"/api/arcade/visits/{visit}", {"lines": spoken, "number": said})
    visitor.lost()
    if visitor.finish is None:
        raise PlayerLeftError(
            "the arcade hung up before the match began; last heard: %(heard)r", heard=visitor.heard[-1] if visitor.heard else ""
        )
    if keep is not None:
        keep(visitor)
    return visitor.finish


def _lines(octets: bytes) -> list[str]:
    return octets.decode("ascii").splitlines()
