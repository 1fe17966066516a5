"""What the Kriegspiel referee's terminal program says besides the umpire's words, in English and French."""

from arbitre.notation.announcements import Language

WORDS: dict[str, tuple[str, str]] = {
    "call": ("{name}: a new game. You are Black.", "{name} : nouvelle partie. Vous avez les Noirs."),
    "sit": ("{name}: sit down as White.", "{name} : prenez les Blancs."),
    "wait": ("White has not sat down yet: send the file.", "Les Blancs ne sont pas assis : envoyez le fichier."),
    "login": ("{name}: password, please. {mover}", "{name} : votre mot de passe. {mover}"),
    "hidden": ("Everything is hidden: hand the seat over.", "Tout est caché : laissez la place."),
    "empty": ("An empty password or Esc leaves without moving.", "Un mot de passe vide ou Échap quitte sans jouer."),
    "name": ("your name", "votre nom"),
    "password": ("password", "mot de passe"),
    "checking": ("checking…", "vérification…"),
    "left": ("{path} is saved: send it on.", "{path} est enregistré : transmettez-le."),
    "you": ("you are {side} · ply {ply}", "vous avez les {side} · demi-coup {ply}"),
    "made": ("Made. Enter hands the seat over, Esc leaves.", "C’est joué. Entrée passe la main, Échap quitte."),
    "theirs": ("The other side is to move: Enter hands the seat over.", "À l’autre de jouer : Entrée passe la main."),
    "choose": ("Choose a piece and its goal, or place guesses.", "Choisissez une pièce et son but, ou placez des hypothèses."),
    "planning": ("Plan: choose tries in order, F5 signs them.", "Plan : choisissez les essais, F5 les signe."),
    "planned": ("Planned: send the file, the other program judges.", "Plan signé : envoyez le fichier, l’autre juge."),
    "resigned": (
        "Resigned. Send the file: the board opens on return.",
        "Abandon. Envoyez le fichier : l’échiquier s’ouvre au retour.",
    ),
    "acknowledge": ("The other side gave up: F4 acknowledges.", "L’autre a abandonné : F4 en prend acte."),
    "tries": ("this turn: {tries}", "ce tour : {tries}"),
    "becomes": ("The pawn becomes: Q, R, B or N?", "Le pion devient : Q, R, B ou N ?"),
    "resign?": ("Give up the game? Y / N", "Abandonner la partie ? Y / N"),
    "accuse?": (
        "Accusing the referee of a mistake FORFEITS the game.\nIt may have been en passant. Accuse all the same? Y / N",
        "Accuser l’arbitre d’une erreur FAIT PERDRE la partie.\nC’était peut-être en passant. Accuser quand même ? Y / N",
    ),
    "step": ("{at} of {all} · ← → Home End · Esc leaves", "{at} sur {all} · ← → Début Fin · Échap quitte"),
    "white": ("White saw", "vu par les Blancs"),
    "truth": ("the truth", "la vérité"),
    "black": ("Black saw", "vu par les Noirs"),
}


def word(key: str, language: Language, **fields: object) -> str:
    """Return a sentence."""
    return WORDS[key][0 if language == "en" else 1].format(**fields)
