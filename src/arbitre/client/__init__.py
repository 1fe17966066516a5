"""A small client of a site's interface for programs (the manual's page "The site for programs").

    with Client("http://127.0.0.1:8000", token) as site:
        match = site.call("reversi", "me", "house:2")
        while (turn := site.turn(match["name"]))["asked"]:
            site.move(match["name"], turn["legal"][0], turn["ticket"])

Writes may be repeated: whatever changes something is asked under a key, a move is said with the ticket of its question. What the
site refuses is a `SiteError` with the site's own words; what was not answered is tried again a few times.
`arbitre.client.elections` takes part in an election, `arbitre.client.arcade` plays at the arcade.
"""

from arbitre.client.site import Client

__all__ = ["Client"]
