"""What the rooms below say is said in the visitor's language, whatever its values; what is not ours stays as it is."""

from collections.abc import Callable
from time import sleep

import pytest
from arbitre.sayings import PLACE, Sayings
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ArbitreError, PositionError, shorten
from arbitre.games.catalogue import game
from arbitre.games.notation import notation_of
from arbitre.site.forms import check_name, check_password
from arbitre.words import FOLDER, SAID, words
from tests.web.site import Client, Running

FR = words("fr")


def refused(name: str, said: str, start: str = "") -> Callable[[], None]:
    """Return a move that the rules of a game refuse."""

    def play() -> None:
        rules = game(name)
        notation = notation_of(rules)
        state = notation.read_state(start) if start else rules.start()
        view = rules.view(state, 0)  # type: ignore[arg-type]
        rules.check(view, notation.read(said, view))

    return play


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (refused("tictactoe", "x"), "coup invalide 'x' : un coup est une case, un chiffre de 1 à 9"),
        (refused("tictactoe", "1", "100000000"), "coup illégal 1 : la case est prise"),
        (refused("reversi", "A1"), "coup illégal A1 : un pion posé là n’en retourne aucun"),
        (refused("reversi", "XX"), "coup illégal XX : seul un joueur sans coup passe, et "),
        (refused("pente", "zz9"), "coup invalide 'zz9' : un coup est une case de AA à SS, colonne et ligne"),
        (refused("mastermind", "ABC"), "coup invalide 'ABC' : un code est fait de 4 lettres parmi ABCDEF"),
        (refused("draughts", "1-2"), "coup "),
        (refused("draughts", "31-20"), "coup illégal 31-20 : "),
        (refused("kriegspiel", "e2e5"), "coup illégal e2e5 : cette pièce (pion) ne se déplace pas ainsi"),
        (refused("seafight", "A0"), "coup illégal A0 : une flotte est attendue avant le premier tir"),
        (lambda: notation_of(game("tictactoe")).read_state("12"), "position incorrecte '12' : le plateau a 9 cases, et non 2"),
        (lambda: notation_of(game("tictactoe")).read_state("12x456789"), "position incorrecte '12x456789' au caractère 3 : "),
        (refused("mastermind", "AB?C"), "coup in"),
        (lambda: check_name("a"), "nom : 3 à 30 caractères, et non 1"),
        (lambda: check_password("aaaaaaaa", "Ada"), "mot de passe : au moins quatre caractères différents"),
    ],
)  # fmt: skip
def test_errors_are_told_in_french(wrong: Callable[[], None], told: str) -> None:
    with pytest.raises(ArbitreError) as caught:
        wrong()
    said = FR.said(caught.value)
    assert said.startswith(told), said
    assert words("en").said(caught.value) == str(caught.value)
    for english in (" the ", " not ", " is ", "illegal", "invalid move"):
        assert english not in said, said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("three in a row", "trois d’affilée"),
        ("checkmate", "échec et mat"),
        ("100 plies were played", "100 demi-coups ont été joués"),
        ("more chips after twelve showdowns", "plus de jetons après douze abattages"),
        ("illegal-move: illegal move 5: the cell is taken", "coup illégal : coup illégal 5 : la case est prise"),
        ("no answer within 4 seconds; a call back was refused: too late: the time for this move is over",
         "pas de réponse en 4 secondes ; un rappel a été refusé : trop tard : le temps pour ce coup est écoulé"),
        ("the external referee: gives no answer", "l’arbitre externe : ne donne pas de réponse"),
        ("the call failed: Connection refused", "l’appel a échoué : connexion refusée"),
        ("the referee refused the move of the first player: your words",
         "l’arbitre a refusé le coup du premier joueur : your words"),
        ("illegal move ABXD: 'X' is none of the colours ABCDEF", "coup illégal ABXD : 'X' n’est aucune des couleurs ABCDEF"),
        ("url: '10.0.0.1' is not a public address; the operator has not allowed it",
         "adresse : '10.0.0.1' n’est pas une adresse publique ; l’opérateur ne l’a pas permise"),
        ("event 7: the seal closes another chain", "événement 7 : le sceau ferme une autre chaîne"),
        ("this competition is running: it takes no entries", None),
        ("a third party says: what it likes", "a third party says: what it likes"),
        ("", ""),
        (": ", ": "),
        ("%(name)s", "%(name)s"),
    ],
)  # fmt: skip
def test_recorded_reasons_are_told_in_french(text: str, told: str | None) -> None:
    said = FR.said(text)
    assert said == told if told is not None else "en cours" in said and "inscriptions" in said


def test_every_sentence_is_found_again() -> None:
    with (FOLDER / "fr" / "LC_MESSAGES" / SAID).open("rb") as file:
        entries = {str(one.id): str(one.string) for one in read_po(file, locale="fr") if one.id}
    assert len(entries) > 500
    for text, other in entries.items():
        numbers = iter(range(7_000, 7_100))
        values = {place: str(next(numbers)) for place in PLACE.findall(text)}
        filled, wanted = (PLACE.sub(lambda place: values[place[1]], one) for one in (text, other))  # noqa: B023
        assert FR.said(filled) == wanted or PLACE.sub("…", text) in {PLACE.sub("…", one) for one in entries if one != text}, (
            filled
        )


@given(st.text(max_size=60), st.text(max_size=60))
def test_values_stay_as_they_are(one: str, two: str) -> None:
    """Whatever somebody brings into a sentence, it comes out in the other one; nothing is read as a sentence by itself."""
    sayings = Sayings({"a %(name)s met %(other)s here": "ici %(other)s a vu un %(name)s"})
    assert sayings.say(f"a {one} met {two} here") == f"ici {two} a vu un {one}" or " met " in one


@given(st.text(max_size=400))
def test_no_text_is_too_much(text: str) -> None:
    FR.said(text)
    FR.said(PositionError(text, text, 3))
    FR.said(shorten(text) * 50)


# ── on pages ───────────────────────────────────────────────────────────────────────────────────────────────────────


def begun(client: Client, **fields: str) -> str:
    answer = client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1", **fields}, page="/play?game=tictactoe")
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def test_a_game_is_told_in_french_from_the_slip_to_the_proof(open_site: Running) -> None:
    client = open_site.client()
    client.post("/language", {"language": "fr"})
    path = begun(client)
    token = client.get(path).text
    assert "Abandonner" in token
    answer = client.post(f"{path}/move", {"move": "99"}, page=path, Accept="application/json")
    assert answer.status == 400
    assert "coup invalide" in answer.text
    assert "un chiffre de 1 à 9" in answer.text
    assert client.post(f"{path}/resign", page=path).status == 303
    while "telling" not in (text := client.get(path).text):
        sleep(0.02)
    assert "<b>vérifié</b> maison 1 gagne" in text
    assert "événements, clé " in text
    assert "invité abandonne" in text
    english = open_site.client().get(path).text
    assert "<b>verified</b> house 1 wins: the other side gave up" in english


def test_refusals_are_pages_in_french(open_site: Running) -> None:
    client = open_site.client()
    client.post("/language", {"language": "fr"})
    assert "aucune partie ne s’appelle" in client.get("/games/0123456789abcdef").text
    wrong = client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1", "start": "12"}, page="/play?game=tictactoe")
    assert "le plateau a 9 cases, et non 2" in wrong.text.replace("&#39;", "'")
    assert b'"error":"no match is called' in client.get("/api/matches/0123456789abcdef").body
