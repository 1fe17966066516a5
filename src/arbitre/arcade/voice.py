"""What referee and commentator say, in French or English (spec: arcade, sections 1 and 3).

They speak in comments only, so that a peer that knows nothing but the seven verbs is never disturbed. A comment that programs
read begins with a word of its own (`level`, `encoding`, `seat`, `round`, `error`, `over` …); the rest is for people. On the
wire everything is ASCII: French loses its accents there, and keeps them on a screen. Signs, roles and levels have French names
on the wire whatever the language, for they are the protocol's; a screen says them in its reader's.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from arbitre.arcade.bout import PENALTY, ROLES, Bout, Ending, Finish, Issue, News, Refused, Ruling
from arbitre.arcade.wire import Sign
from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.words import words

Language = Literal["en", "fr"]

SIGN_WORDS: Final[Mapping[Language, Mapping[Sign, str]]] = {
    "en": {Sign.PIERRE: "rock", Sign.FEUILLE: "paper", Sign.CISEAUX: "scissors"},
    "fr": {Sign.PIERRE: "pierre", Sign.FEUILLE: "feuille", Sign.CISEAUX: "ciseaux"},
}
SIGN_KEYS: Final[Mapping[Language, Mapping[str, Sign]]] = {
    language: {word[0]: sign for sign, word in words.items()} for language, words in SIGN_WORDS.items()
}
"""The keys that throw a sign: its first letter."""
ROLE_WORDS: Final[Mapping[Language, tuple[str, str]]] = {"en": ("player", "opponent"), "fr": ("joueur", "adversaire")}
LEVEL_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {"en": {"Facile": "Easy", "Difficile": "Hard"}, "fr": {}}
"""Where a level is called otherwise than on the wire."""


def level_word(level: str, language: Language) -> str:
    """Return what a level is called on a screen."""
    return LEVEL_WORDS[language].get(level, level)


class Line(NamedTuple):
    """One thing that is said: by whom, and the words."""

    kind: Literal["commentator", "referee", "error"]
    words: str


Names = tuple[str, str]


def tell(news: News, names: Names, language: Language, *, screen: bool = False) -> Iterator[Line]:
    """Say what is to be said about a piece of news; on a screen signs have the names of the language, else those of the wire."""
    if isinstance(news, Issue):
        signs = [SIGN_WORDS[language][sign] if screen else sign.name for sign in news.signs]
        yield from _issue(news, (signs[0], signs[1]), names, language)
    elif isinstance(news, Refused):
        rest = f"credits left: {news.credits}" if language == "en" else f"crédits restants : {news.credits}"
        yield Line("error", f"{words(language).of(news.why)} ({rest})")
    elif isinstance(news, Finish):
        yield Line("commentator", _finish(news, names, language))


def _issue(news: Issue, signs: tuple[str, str], names: Names, language: Language) -> Iterator[Line]:
    french = language == "fr"
    if news.accuser is not None:
        yield Line("referee", _ruling(news, news.accuser, signs, names, french))
    one, two = signs
    if news.winner is None:
        issue = f"{one} des deux côtés, égalité" if french else f"{one} on both sides, a draw"
    elif news.ruling is Ruling.FOUNDED:
        issue = f"la manche va à {names[news.winner]}" if french else f"the round goes to {names[news.winner]}"
    else:
        best, worst = (one, two) if news.winner == FIRST else (two, one)
        issue = f"{best} {'bat' if french else 'beats'} {worst}, point {'pour' if french else 'for'} {names[news.winner]}"
    score = f"{names[0]} {news.scores[0]}, {names[1]} {news.scores[1]}"
    yield Line("commentator", f"manche {news.round} : {issue} ; {score}" if french else f"round {news.round}: {issue}; {score}")


def _ruling(news: Issue, accuser: Seat, signs: tuple[str, str], names: Names, french: bool) -> str:
    accused = other(accuser)
    sign = signs[accused]
    if news.ruling is Ruling.UNFOUNDED:
        if french:
            return f"{names[accuser]} accuse à tort : la mise en gage s'ouvre sur {sign} ; {PENALTY} points de moins"
        return f"{names[accuser]} accuses wrongly: the commitment does open to {sign}; {PENALTY} points off"
    if french:
        return f"triche avérée de {names[accused]} : la mise en gage ne s'ouvre pas sur {sign} ; {PENALTY} points de moins"
    return f"{names[accused]} cheated: the commitment does not open to {sign}; {PENALTY} points off"


def _finish(news: Finish, names: Names, language: Language) -> str:
    score = f"{news.scores[0]} – {news.scores[1]}"
    if news.winner is None:
        even = ("nobody wins", "personne ne gagne") if news.ending is Ending.SILENCE else ("a draw", "match nul")
        return f"{even[language == 'fr']}, {score}"
    winner, loser = names[news.winner], names[other(news.winner)]
    english = {
        Ending.GOAL: f"{winner} wins, {score}",
        Ending.LENGTH: f"{winner} wins on points, {score}",
        Ending.DISGRACE: f"{loser} has fallen too low and forfeits to {winner}, {score}",
        Ending.FAULTS: f"{loser} has no credit left and forfeits to {winner}, {score}",
        Ending.SILENCE: f"{loser} said nothing in time and forfeits to {winner}, {score}",
        Ending.GONE: f"{loser} is gone and forfeits to {winner}, {score}",
    }
    french = {
        Ending.GOAL: f"{winner} gagne, {score}",
        Ending.LENGTH: f"{winner} gagne aux points, {score}",
        Ending.DISGRACE: f"{loser} est tombé trop bas : forfait, {winner} gagne, {score}",
        Ending.FAULTS: f"{loser} n'a plus de crédit : forfait, {winner} gagne, {score}",
        Ending.SILENCE: f"{loser} n'a rien dit à temps : forfait, {winner} gagne, {score}",
        Ending.GONE: f"{loser} est parti : forfait, {winner} gagne, {score}",
    }
    return (french if language == "fr" else english)[news.ending]


# ── on the wire ────────────────────────────────────────────────────────────────────────────────────────────────────


def comment(words: str) -> str:
    """Return words as a comment of the wire: ASCII, on one line."""
    if words.isascii() and words.isprintable():
        return f"# {words}"
    dashes = words.replace("–", "-").replace("’", "'").replace("−", "-")
    plain = unicodedata.normalize("NFKD", dashes).encode("ascii", "ignore").decode("ascii")
    return "# " + "".join([char if char.isprintable() else " " for char in plain])


def wire(news: News, names: Names, language: Language) -> Iterator[str]:
    """Return the comments that go out about a piece of news."""
    for line in tell(news, names, language):
        yield comment(f"{line.kind} {line.words}")
    if isinstance(news, Finish):
        winner = "nobody" if news.winner is None else ROLES[news.winner]
        yield comment(f"over {winner} {news.scores[0]} {news.scores[1]} {news.ending.value}: {news.reason}")


def round_line(bout: Bout) -> str:
    """Return the comment that announces a round."""
    return comment(f"round {bout.round} {ROLES[bout.starter]}")


def fingerprint(bout: Bout) -> str:
    """Return a short name of both keys together, the same for both sides unless somebody between them swapped a key.

    96 bits, because whoever swaps chooses two keys and may look for any two whose names are alike.
    """
    digest = sha256(b"arbitre/arcade/keys/1")
    for seat in (FIRST, SECOND):
        group, h = bout.lock(seat)
        for number in (group.p, group.g, group.q, h):
            digits = number.digits(16).encode("ascii")
            digest.update(len(digits).to_bytes(4, "big") + digits)
    text = digest.hexdigest()[:24]
    return " ".join(text[at : at + 4] for at in range(0, 24, 4))
