"""Words and pictures of the arcade machine, in both languages and two sizes."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from arbitre.arcade.voice import SIGN_WORDS, Language
from arbitre.arcade.wire import Sign

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
    "you start": ("you commit first: R, P or S", "vous vous engagez d'abord : P, F ou C"),
    "you answer": ("the machine has committed: R, P or S", "la machine s'est engagée : P, F ou C"),
    "checking": ("OK in a moment; J calls the referee", "OK dans un instant ; J saisit l'arbitre"),
    "over": ("Enter: again · H: hall of fame · Q: leave", "Entrée : encore · H : tableau d'honneur · Q : quitter"),
    "back": ("Enter or Escape: back", "Entrée ou Échap : retour"),
    "round": ("round", "manche"),
    "seal": ("record {0}, seal {1}: arbitre arcade judge {0}", "procès-verbal {0}, sceau {1} : arbitre arcade judge {0}"),
    "machine": ("machine", "machine"),
    "true": ("r = g^k ✓  c = E(m)·h^k ✓", "r = g^k ✓  c = E(m)·h^k ✓"),
    "false": ("the opening is false ✗", "l'ouverture est fausse ✗"),
    "keys attract": ("Enter play · H hall of fame · Q quit", "Entrée jouer · H tableau d'honneur · Q quitter"),
    "keys duel": (
        "R rock · P paper · S scissors · J referee · Q leave",
        "P pierre · F feuille · C ciseaux · J saisir l'arbitre · Q abandonner",
    ),
}


def word(key: str, language: Language) -> str:
    """Return a word in a language."""
    return WORDS[key][language == "fr"]


TITLE = r"""
  ▄▀█ █▀█ █▄▄ █ ▀█▀ █▀█ █▀▀   ▄▀█ █▀█ █▀▀ ▄▀█ █▀▄ █▀▀
  █▀█ █▀▄ █▄█ █  █  █▀▄ ██▄   █▀█ █▀▄ █▄▄ █▀█ █▄▀ ██▄
""".strip("\n")


class Drawing(NamedTuple):
    """A picture, for a usual terminal and for a tall one."""

    small: tuple[str, ...]
    large: tuple[str, ...]

    def under(self, caption: str, *, large: bool = False) -> tuple[str, ...]:
        """Return the picture in one size, with a word below it."""
        rows = self.large if large else self.small
        return (*rows, caption.upper().center(len(rows[0])))


HANDS: Final[Mapping[Sign, Drawing]] = {
    Sign.PIERRE: Drawing(
        small=(
            "   ▄▄▄▄▄▄   ",
            " ▄████████▄ ",
            "▐██████████▌",
            " ▀████████▀ ",
        ),
        large=(
            "       ▄▄▄▄▄▄▄▄▄▄       ",
            "    ▄██████████████▄    ",
            "  ▄██████████████████▄  ",
            " ▐████████████████████▌ ",
            "▐██████████████████████▌",
            " ▐████████████████████▌ ",
            "  ▀██████████████████▀  ",
            "    ▀▀████████████▀▀    ",
        ),
    ),
    Sign.FEUILLE: Drawing(
        small=(
            " ┌────────┐ ",
            " │ ────── │ ",
            " │ ────── │ ",
            " └────────┘ ",
        ),
        large=(
            "  ┌──────────────────┐  ",
            "  │ ──────────────── │  ",
            "  │ ──────────────── │  ",
            "  │ ──────────────── │  ",
            "  │ ──────────────── │  ",
            "  │ ──────────────── │  ",
            "  │ ─────────        │  ",
            "  └──────────────────┘  ",
        ),
    ),
    Sign.CISEAUX: Drawing(
        small=(
            "  ╲╲    ╱╱  ",
            "    ╲╲╱╱    ",
            "   ╭─╳╳─╮   ",
            "   ╰─╯╰─╯   ",
        ),
        large=(
            "  ╲╲                ╱╱  ",
            "    ╲╲            ╱╱    ",
            "      ╲╲        ╱╱      ",
            "        ╲╲    ╱╱        ",
            "          ╲╲╱╱          ",
            "      ╭────╳╳────╮      ",
            "      │    ││    │      ",
            "      ╰────╯╰────╯      ",
        ),
    ),
}

CLOSED: Final = Drawing(
    small=(
        " ╔════════╗ ",
        " ║ ▒▒▒▒▒▒ ║ ",
        " ║ ▒▒▒▒▒▒ ║ ",
        " ╚════════╝ ",
    ),
    large=(
        "  ╔══════════════════╗  ",
        "  ║ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ║  ",
        "  ║ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ║  ",
        "  ║ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ║  ",
        "  ║ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ║  ",
        "  ║ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ║  ",
        "  ║ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ║  ",
        "  ╚══════════════════╝  ",
    ),
)

EMPTY: Final = Drawing(
    small=(
        "            ",
        "    ·  ·    ",
        "    ·  ·    ",
        "            ",
    ),
    large=(
        "                        ",
        "                        ",
        "          ·  ·          ",
        "                        ",
        "                        ",
        "          ·  ·          ",
        "                        ",
        "                        ",
    ),
)


def hand(sign: Sign, language: Language, *, large: bool = False) -> tuple[str, ...]:
    """Return the picture of a sign with its name."""
    return HANDS[sign].under(SIGN_WORDS[language][sign], large=large)
