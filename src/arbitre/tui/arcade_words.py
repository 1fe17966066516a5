"""Words and pictures of the arcade machine, in both languages."""

from collections.abc import Mapping
from typing import Final

from arbitre.protocol.arcade_voice import Language
from arbitre.protocol.arcade_wire import Sign

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "subtitle": ("rock, paper, scissors that nobody can change", "pierre, feuille, ciseaux que personne ne peut changer"),
    "coin": ("press Enter to play", "Entrée pour jouer"),
    "levels": ("level: ← → or 1 to 4", "niveau : ← → ou 1 à 4"),
    "vulnerable": (
        "vulnerable by design: the manual tells how to cheat it",
        "vulnérable à dessein : le manuel dit comment la tromper",
    ),
    "groups": ("GROUP allowed, everything is checked", "GROUP permis, tout est vérifié"),
    "nightmare": ("GROUP disabled, the strongest player", "GROUP désactivé, le joueur le plus fort"),
    "fame": ("hall of fame", "tableau d'honneur"),
    "nobody": ("nobody has beaten the machine yet", "personne n'a encore battu la machine"),
    "you start": ("you commit first: P, F or C", "vous vous engagez d'abord : P, F ou C"),
    "you answer": ("the machine has committed: P, F or C", "la machine s'est engagée : P, F ou C"),
    "checking": ("OK in a moment; R calls the referee", "OK dans un instant ; R saisit l'arbitre"),
    "over": ("Enter: again · H: hall of fame · Q: leave", "Entrée : encore · H : tableau d'honneur · Q : quitter"),
    "back": ("Enter or Escape: back", "Entrée ou Échap : retour"),
    "round": ("round", "manche"),
    "seal": ("record {0}, seal {1}: arbitre arcade judge {0}", "procès-verbal {0}, sceau {1} : arbitre arcade judge {0}"),
    "machine": ("machine", "machine"),
    "true": ("r = g^k ✓  c = E(m)·h^k ✓", "r = g^k ✓  c = E(m)·h^k ✓"),
    "false": ("the opening is false ✗", "l'ouverture est fausse ✗"),
    "keys attract": ("Enter play · H hall of fame · Q quit", "Entrée jouer · H tableau d'honneur · Q quitter"),
    "keys duel": (
        "P pierre (rock) · F feuille (paper) · C ciseaux (scissors) · R referee · Q leave",
        "P pierre · F feuille · C ciseaux · R saisir l'arbitre · Q abandonner",
    ),
}


def word(key: str, language: Language) -> str:
    """Return a word in a language."""
    return WORDS[key][language == "fr"]


TITLE = r"""
  ▄▀█ █▀█ █▄▄ █ ▀█▀ █▀█ █▀▀   ▄▀█ █▀█ █▀▀ ▄▀█ █▀▄ █▀▀
  █▀█ █▀▄ █▄█ █  █  █▀▄ ██▄   █▀█ █▀▄ █▄▄ █▀█ █▄▀ ██▄
""".strip("\n")

PICTURES: Final[Mapping[Sign, tuple[str, ...]]] = {
    Sign.PIERRE: (
        "   ▄▄▄▄▄▄   ",
        " ▄████████▄ ",
        "▐██████████▌",
        " ▀████████▀ ",
        "   PIERRE   ",
    ),
    Sign.FEUILLE: (
        " ┌────────┐ ",
        " │ ────── │ ",
        " │ ────── │ ",
        " └────────┘ ",
        "  FEUILLE   ",
    ),
    Sign.CISEAUX: (
        "  ╲╲    ╱╱  ",
        "    ╲╲╱╱    ",
        "   ╭─╳╳─╮   ",
        "   ╰─╯╰─╯   ",
        "  CISEAUX   ",
    ),
}

CLOSED = (
    " ╔════════╗ ",
    " ║ ▒▒▒▒▒▒ ║ ",
    " ║ ▒▒▒▒▒▒ ║ ",
    " ╚════════╝ ",
    "  COMMIT    ",
)

EMPTY = (
    "            ",
    "    ·  ·    ",
    "    ·  ·    ",
    "            ",
    "            ",
)
