"""What a player's program and the site that judges a game by file say to each other (spec: proof, section 7).

Three requests, each a POST below the site's address, each a JSON object:

=========================  ==============================================================  ==============================
`/api/kriegspiel`          `call`: how Black calls the game, without a seed; `sign`        a new file
`/api/kriegspiel/show`     `file`; `sign`, or nothing for what both players know           how the game stands
`/api/kriegspiel/enter`    `file`; `entry`: what the player does, as the log has it;       the new file, the ruling, how
                           `sign`                                                          the game stands
=========================  ==============================================================  ==============================

`sign` is made with the key that the player's password makes on his own machine: the site never hears the password, and cannot
enter anything in a player's name. What is signed names the site's address, so a site in the middle cannot pass it on.
"""

from arbitre.kref.file import canonical
from arbitre.reasons import declare

CALL, SHOW, ENTER = "/api/kriegspiel", "/api/kriegspiel/show", "/api/kriegspiel/enter"
MOST_ENTRIES = 2_000
"""Entries of a game that a site takes tries for: it hears the whole log at every request."""
LONGEST_FILE = 400_000
"""Characters of a file that a site takes."""
LONGEST_CALL, LONGEST_ENTRY = 2_000, 1_000

REFUSALS = declare(
    {
        "file-not-newest": (
            "this file is not the newest one of its game: use the newer one, or ask the other player for it",
            "ce fichier n’est pas le plus récent de sa partie : prenez le plus récent, ou demandez-le à l’autre joueur",
        ),
        "file-not-ours": (
            "the site did not seal this file, or somebody has changed it",
            "le site n’a pas scellé ce fichier, ou quelqu’un l’a modifié",
        ),
        "file-other-site": (
            "this site is called %(public)s: say --sealing site:%(public)s",
            "ce site s’appelle %(public)s : dites --sealing site:%(public)s",
        ),
        "file-wrong-password": ("wrong password", "mauvais mot de passe"),
        "file-shared-password": (
            "this password cannot be White's in this game: choose another",
            "ce mot de passe ne peut pas être celui des Blancs dans cette partie : choisissez-en un autre",
        ),
        "file-white-sits": (
            "White has a password in this game already",
            "les Blancs ont déjà un mot de passe dans cette partie",
        ),
        "file-bad-request": (
            "this is nothing that a player's program says to a site",
            "ce n’est rien que le programme d’un joueur dise à un site",
        ),
        "file-too-many-tries": (
            "after %(most)s entries a site takes no more tries of a game: one of the players must give up",
            "après %(most)s inscriptions, un site n’accepte plus d’essais dans une partie : l’un des joueurs doit abandonner",
        ),
    }
)
"""What a site refuses, by code: the player's program says it in the player's language."""


def show_message(site: str, game: str, head: str) -> bytes:
    """Return what a player signs to see the board."""
    return b"\0".join((b"arbitre/ksg-show/2", site.encode(), bytes.fromhex(game) + bytes.fromhex(head)))


def request_octets(what: str, body: dict[str, object]) -> bytes:
    """Return a request as it is hashed: word for word, however JSON was written on the way."""
    return f"{what} {canonical(body)}".encode()
