"""What the Kriegspiel referee says besides the umpire's words, in English and French: commands and terminal program alike.

Sentences of ours are pairs under a key. What the rooms below say, errors and reasons of verdicts, is English there and is said in
French with the catalogue of the site, which is loaded only then.
"""

from collections.abc import Iterable, Sequence
from textwrap import wrap

from arbitre.games.kriegspiel.announcements import SIDES, Language, words
from arbitre.games.kriegspiel.umpire import REFUSALS, Announcement
from arbitre.kref.log import LogLine
from arbitre.records.event import Event, Kind, plain
from arbitre.referee.story import sentence
from arbitre.referee.verdict import Verdict

WORDS: dict[str, tuple[str, str]] = {
    # the door
    "call": ("{name}: a new game. You are Black.", "{name} : nouvelle partie. Vous avez les Noirs."),
    "sit": ("{name}: sit down as White.", "{name} : prenez les Blancs."),
    "login": ("{name}: password, please. {mover}", "{name} : votre mot de passe. {mover}"),
    "hidden": ("Everything is hidden: hand the seat over.", "Tout est caché : laissez la place."),
    "empty": ("An empty password or Esc leaves without moving.", "Un mot de passe vide ou Échap quitte sans jouer."),
    "name": ("your name", "votre nom"),
    "password": ("password", "mot de passe"),
    "again": ("the same password again", "le même mot de passe encore une fois"),
    "differ": ("the two passwords differ: type them again", "les deux mots de passe diffèrent : tapez-les encore"),
    "checking": ("checking…", "vérification…"),
    "left": ("{path} is saved: send it on.", "{path} est enregistré : transmettez-le."),
    # the table
    "you": ("you are {side} · ply {ply}", "vous avez les {side} · demi-coup {ply}"),
    "wait": ("White has not sat down yet: send the file.", "Les Blancs ne sont pas assis : envoyez le fichier."),
    "made": ("Made. Enter hands the seat over, Esc leaves.", "C’est joué. Entrée passe la main, Échap quitte."),
    "theirs": ("The other side is to move: Enter hands the seat over.", "À l’autre de jouer : Entrée passe la main."),
    "choose": ("Choose a piece and its goal, or place guesses.", "Choisissez une pièce et son but, ou placez des hypothèses."),
    "held": ("{piece} {square} in hand: where to? Esc puts it down.", "{piece} {square} en main : où ? Échap la repose."),
    "offered": ("A draw is offered: F7 accepts, a move declines.", "Nulle proposée : F7 accepte, un coup refuse."),
    "planning": ("Plan: choose tries in order, F5 signs them.", "Plan : choisissez les essais, F5 les signe."),
    "planned": ("Planned: send the file, the other program judges.", "Plan signé : envoyez le fichier, l’autre juge."),
    "resigned": (
        "Resigned. Send the file: the board opens on return.",
        "Abandon. Envoyez le fichier : l’échiquier s’ouvre au retour.",
    ),
    "acknowledge": ("The other side gave up: F4 acknowledges.", "L’autre a abandonné : F4 en prend acte."),
    "tries": ("this turn: {tries}", "ce tour : {tries}"),
    "becomes": (
        "The pawn becomes: Q queen, R rook, B bishop, N knight?",
        "Le pion devient : D dame, T tour, F fou, C cavalier ?",
    ),
    "resign?": ("Give up the game? Y / N", "Abandonner la partie ? O / N"),
    "accuse?": (
        "Accusing the referee of a mistake FORFEITS the game.\nIt may have been en passant. Accuse all the same? Y / N",
        "Accuser l’arbitre d’une erreur FAIT PERDRE la partie.\nC’était peut-être en passant. Accuser quand même ? O / N",
    ),
    # the replay
    "step": ("{at} of {all}", "{at} sur {all}"),
    "saw": ("{name} ({side}) saw", "{name} ({side}) voyait"),
    "truth": ("the truth", "la vérité"),
    "gives up": ("gives up", "abandonne"),
    "acknowledges": ("acknowledges", "en prend acte"),
    # keys below
    "key leave": ("leave", "quitter"),
    "key resign": ("resign", "abandonner"),
    "key accuse": ("accuse", "accuser"),
    "key acknowledge": ("acknowledge", "prendre acte"),
    "key plan": ("sign plan", "signer le plan"),
    "key hand": ("hand over", "passer la main"),
    "key draw": ("draw", "nulle"),
    "key log": ("log", "journal"),
    "key back": ("back", "recule"),
    "key on": ("on", "avance"),
    "key start": ("to the start", "au début"),
    "key end": ("to the end", "à la fin"),
    # commands
    "prompt": ("password (empty: leave)", "mot de passe (vide : quitter)"),
    "left without": ("left without moving", "quitté sans jouer"),
    "called": (
        "{path} is called: send it to White, who says arbitre kref white {name}",
        "{path} est créé : envoyez-le aux Blancs, qui disent arbitre kref white {name}",
    ),
    "hint": ("arbitre: hint: {text}", "arbitre: conseil : {text}"),
    "hides nothing": (
        "the provider simulation hides nothing; it is for tests",
        "le fournisseur simulation ne cache rien ; il est fait pour les essais",
    ),
    "site judges": (
        "{site} judges this game, and alone opens its file: it sees everything, and the other player nothing of yours",
        "{site} arbitre cette partie, et lui seul ouvre le fichier : il voit tout, et l’autre joueur rien de ce qui est à vous",
    ),
    "site's word": (
        "this is the word of {site}; when the game is over, the file proves everything by itself",
        "c’est la parole de {site} ; la partie finie, le fichier prouve tout par lui-même",
    ),
    "you are white": ("you are White: arbitre kref try {name} e2e4", "vous avez les Blancs : arbitre kref try {name} e2e4"),
    "head": (
        "{game} · {white} – {black} · you are {side} · ply {ply}",
        "{game} · {white} – {black} · vous avez les {side} · demi-coup {ply}",
    ),
    "not seated": (
        "White has not sat down yet: send the file, then arbitre kref white FILE",
        "Les Blancs ne sont pas assis : envoyez le fichier, puis arbitre kref white FICHIER",
    ),
    "waiting plan": (
        "planned: {tries} (send the file: the other program adjudicates)",
        "plan : {tries} (envoyez le fichier : l’autre programme juge)",
    ),
    "plan signed": (
        "planned: send the file, the other player's program adjudicates",
        "plan signé : envoyez le fichier, le programme de l’autre juge",
    ),
    "opens": ("arbitre kref acknowledge FILE opens the board", "arbitre kref acknowledge FICHIER ouvre l’échiquier"),
    "opens later": ("the board opens in the file that comes back", "l’échiquier s’ouvre dans le fichier qui revient"),
    "gave up": (
        "resigned: send the file; the board opens in the one that comes back",
        "abandonné : envoyez le fichier ; l’échiquier s’ouvre dans celui qui revient",
    ),
    "forfeited": (
        "forfeited: once it is acknowledged, arbitre kref verify FILE judges the referee",
        "partie perdue : quand l’autre en aura pris acte, arbitre kref verify FICHIER juge l’arbitre",
    ),
    "accuse": (
        "Accusing the referee forfeits the game (it may have been en passant). Accuse?",
        "Accuser l’arbitre fait perdre la partie (c’était peut-être en passant). Accuser ?",
    ),
    "send back": (
        "send the file back, so that the other player sees the board too",
        "renvoyez le fichier, pour que l’autre joueur voie aussi l’échiquier",
    ),
    "intact": (
        "intact: {game}, {white} – {black}, ply {ply}, {status}",
        "intact : {game}, {white} – {black}, demi-coup {ply}, {status}",
    ),
    "right": (
        "the referee was right: {tries} rulings, {refused} of them refusals, all confirmed",
        "l’arbitre avait raison : {tries} décisions, dont {refused} refus, toutes confirmées",
    ),
    "over": ("the game is over", "la partie est finie"),
    "no games": ("no game by file was opened here yet", "aucune partie par fichier n’a encore été ouverte ici"),
    "missing": ("the file is not there", "le fichier n’est plus là"),
    # how a game stands
    "status waiting": ("waiting", "attend les Blancs"),
    "status play": ("play", "en cours"),
    "status resigned": ("resigned", "abandonnée"),
    "status over": ("over", "finie"),
    "to move": ("{side} to move", "aux {side} de jouer"),
}


def word(key: str, language: Language, **fields: object) -> str:
    """Return a sentence."""
    return WORDS[key][0 if language == "en" else 1].format(**fields)


def said(what: object, language: Language) -> str:
    """Return what a room below said, an error or a reason."""
    if language == "en":
        return str(what)
    from arbitre.words import words as catalogue  # noqa: PLC0415 - takes a moment to load, and English needs none

    return catalogue("fr").of(what)


def verdict_words(verdict: Verdict, names: Sequence[str], language: Language) -> str:
    """Say who won and why."""
    shown = [name or "?" for name in names]
    if language == "en":
        return plain(str(sentence(verdict, shown)))
    why = said(verdict.reason, language)
    best = max(verdict.scores or (0,))
    winners = [name for name, score in zip(shown, verdict.scores or (), strict=False) if score == best]
    return f"{winners[0]} gagne : {why}" if len(winners) == 1 else f"partie nulle : {why}"


def answer_words(line: LogLine, language: Language) -> str:
    """Return what the umpire said in one line of the log, and where something was taken."""
    square = f" ({line.square})" if line.square else ""
    return ". ".join(words(one, language) for one in line.said) + square


def mark(made: bool, said: Iterable[Announcement]) -> str:
    """Return the sign of a try by what was said to it: made, refused, or a word about a draw."""
    return "✓" if made else "✗" if any(one.kind in REFUSALS for one in said) else "½"


def log_words(log: Sequence[LogLine], language: Language) -> list[str]:
    """Return the whole log in lines: the number of the turn where it begins, and what was tried in it; … is what is not known."""
    lines = []
    for line in log:
        if line.begins:
            lines.append(f"{line.turn:4}  {answer_words(line, language)}")
        else:
            lines.append(f"      {line.tried or '…':5} {mark(line.made, line.said)} {answer_words(line, language)}".rstrip())
    return lines


def hanging(lines: Iterable[str], width: int) -> list[str]:
    """Return the lines of a log broken to a width, what is broken off below the words and not below the numbers."""
    found: list[str] = []
    for line in lines:
        indent = " " * (6 if line[:4].strip().isdigit() else 14)  # the turn's number, or the try and its mark
        found += wrap(line, width, subsequent_indent=indent) if width > 2 * len(indent) else [line]
    return found


def side_words(seat: int, language: Language) -> str:
    """Return what a side is called."""
    return SIDES[language][seat]


def step_words(event: Event, language: Language) -> str:
    """Return who did what in one step of a finished game."""
    deed = {Kind.RESIGNED: "gives up", Kind.ACKNOWLEDGED: "acknowledges"}.get(event.kind)
    return f"{side_words(event.seat, language)}: {word(deed, language) if deed else event.text}"


def key_words(keys: Iterable[tuple[str, str, str]], language: Language) -> str:
    """Return a line of keys for the foot of a screen, in textual's markup: each can be clicked for its action."""
    names = {"Esc": "Échap", "Home": "Début", "End": "Fin"} if language == "fr" else {}
    return "  ".join(
        f'[@click="screen.{action}"][b]{names.get(key, key)}[/b] {word(f"key {what}", language)}[/]' for key, what, action in keys
    )
