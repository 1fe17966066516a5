"""What the rooms below say is said in the visitor's language, whatever its values; what is not ours stays as it is."""

import re
from collections.abc import Callable
from time import sleep

import pytest
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import (
    ArbitreError,
    ForbiddenAddressError,
    IllegalMoveError,
    PlayerLateError,
    PositionError,
    RecordError,
    StageError,
    UnfitError,
    shorten,
)
from arbitre.games.catalogue import game, listings
from arbitre.games.notation import notation_of
from arbitre.reasons import Reason, keep, kept
from arbitre.records.event import read_reason, write_reason
from arbitre.referee.verdict import Termination
from arbitre.site.competitions.competitions import Stage
from arbitre.site.forms import check_name, check_password
from arbitre.words import FOLDER, words
from tests.web.site import Client, Running
from tests.web.test_siege import hearing

FR = words("fr")
NO_BREAK = "\N{NO-BREAK SPACE}"
PLACE = re.compile(r"%\((\w+)\)[a-z]")


def french(what: object) -> str:
    """Return what is told in French, its spaces as they are typed."""
    return FR.of(what).replace(NO_BREAK, " ")


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
        (refused("tictactoe", "1", "100000000"), "coup illégal 1 : la case 1 est prise"),
        (refused("reversi", "A1"), "coup illégal A1 : un pion posé en A1 n’en retourne aucun"),
        (refused("reversi", "XX"), "coup illégal XX : seul un joueur sans coup passe, et D3 en est un"),
        (refused("pente", "zz9"), "coup invalide 'zz9' : un coup est une case de AA à SS, colonne et ligne"),
        (refused("mastermind", "ABC"), "coup invalide 'ABC' : un code est fait de 4 lettres parmi ABCDEFGH"),
        (refused("draughts", "1-2"), "coup illégal 1-2 : aucune de vos pièces n’est en 1"),
        (refused("draughts", "31-20"), "coup illégal 31-20 : la case 20 est prise"),
        (refused("kriegspiel", "e2e5"), "coup illégal e2e5 : un pion ne se déplace pas ainsi"),
        (refused("seafight", "A0"), "coup illégal A0 : une flotte est attendue avant le premier tir"),
        (lambda: notation_of(game("tictactoe")).read_state("12"), "mauvaise position '12' : le plateau a 9 cases, et non 2"),
        (lambda: notation_of(game("tictactoe")).read_state("12x456789"),
         "mauvaise position '12x456789', au caractère 3 : 'x' n’est aucun de 012"),
        (refused("mastermind", "AB?C"), "coup invalide 'AB?C' : un code est fait de 4 lettres parmi ABCDEFGH"),
        (lambda: check_name("a"), "nom : 3 à 30 caractères, et non 1"),
        (lambda: check_password("aaaaaaaa", "Ada"), "mot de passe : au moins quatre caractères différents"),
    ],
)  # fmt: skip
def test_errors_are_told_in_french(wrong: Callable[[], None], told: str) -> None:
    with pytest.raises(ArbitreError) as caught:
        wrong()
    said = french(caught.value)
    assert said == told
    assert words("en").of(caught.value) == str(caught.value)
    for english in (" the ", " not ", " is ", "illegal", "invalid move"):
        assert english not in said, said


def declared(code: str, /, **fields: object) -> Reason:
    """Return a reason as a record of any game tells it."""
    for one in listings():
        one.game()  # a game declares its codes when it is loaded
    return read_reason(write_reason(Reason(code, **fields)))


@pytest.mark.parametrize(
    ("code", "fields", "told"),
    [
        ("three-in-a-row", {}, "trois d’affilée"),
        ("checkmate", {}, "échec et mat"),
        ("plies-played", {"plies": 100}, "100 demi-coups ont été joués"),
        ("more-chips-showdowns", {}, "plus de jetons après douze abattages"),
        ("no-answer-within-because", {"seconds": 4, "why": Reason("call-back-refused", why=Reason("too-late"))},
         "pas de réponse en 4 secondes ; un rappel a été refusé : trop tard : le temps pour ce coup est écoulé"),
        ("call-failed", {"why": Reason("connection-refused")}, "l’appel a échoué : la connexion a été refusée"),
        ("referee-refused", {"text": "your words"}, "l’arbitre du jeu a refusé le coup : your words"),
        ("quoted", {"text": "a third party says: what it likes"}, "a third party says: what it likes"),
        ("quoted", {"text": ""}, ""),
        ("quoted", {"text": ": "}, ": "),
        ("quoted", {"text": "%(name)s"}, "%(name)s"),
    ],
)  # fmt: skip
def test_recorded_reasons_are_told_in_french(code: str, fields: dict[str, object], told: str) -> None:
    assert french(declared(code, **fields)) == told


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (IllegalMoveError("5", "occupied", cell=5), "coup illégal 5 : la case 5 est prise"),
        (UnfitError("url", ForbiddenAddressError("not-public", address="10.0.0.1").reason),
         "adresse : 10.0.0.1 n’est pas une adresse publique ; l’exploitant ne l’a pas permise"),
        (PlayerLateError("no-answer-within", 4_000, seconds=4), "pas de réponse en 4 secondes"),
        (RecordError("the seal closes another chain", 7), "événement 7 : le sceau ferme une autre chaîne"),
        (StageError("this competition is %(stage)s: it takes no entries", stage=Stage.RUNNING),
         "l’état de cette compétition est « en cours » : elle ne prend pas d’inscriptions"),
        (Termination.ILLEGAL_MOVE, "coup illégal"),
        (None, ""),
        ("a third party says: what it likes", "a third party says: what it likes"),
        ("three in a row", "three in a row"),
        ("%(name)s", "%(name)s"),
        ("", ""),
    ],
)  # fmt: skip
def test_whatever_has_words_is_told_in_french(what: object, told: str) -> None:
    assert french(what) == told


def test_every_sentence_is_told_with_its_values() -> None:
    entries: dict[str, set[str]] = {}
    for path in sorted((FOLDER / "fr" / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            for one in read_po(file, locale="fr"):
                if one.id and isinstance(one.id, str):
                    entries.setdefault(one.id, set()).add(str(one.string).replace(NO_BREAK, " "))
    assert len(entries) > 500
    for text, others in entries.items():
        values = dict(zip(PLACE.findall(text), map(str, range(7_000, 7_100)), strict=False))
        if values:
            said = FR.of(Reason(text, **values))
            assert all(value in said for value in values.values()), said
            assert said == FR(text) % values
        elif not Reason(text).proper:  # a word of a page may be written like a code
            assert french(Reason(text)) in others


@given(st.text(max_size=60), st.text(max_size=60))
def test_values_stay_as_they_are(one: str, two: str) -> None:
    """Whatever somebody brings into a sentence, it comes out in the other one; nothing is read as a sentence by itself."""
    template = "%(command)s out of order: yours is %(due)s"
    assert template == Reason("out-of-order").template()
    assert FR.of(Reason("out-of-order", command=one, due=two)) == f"{one} hors de son tour{NO_BREAK}: on attend de vous {two}"
    told = FR.of(StageError("this competition is %(stage)s: it takes no entries", stage=one))
    assert told == f"l’état de cette compétition est «{NO_BREAK}{one}{NO_BREAK}»{NO_BREAK}: elle ne prend pas d’inscriptions"


@given(st.text(max_size=400))
def test_no_text_is_too_much(text: str) -> None:
    assert FR.of(text) == text
    FR.of(PositionError(text, "no-cell", 3, first=text, last=text))
    FR.of(PositionError(text, Reason("quoted", text=text), 3))
    assert FR.of(read_reason(write_reason(text))) == FR.of(Reason("quoted", text=text))
    assert FR.of(kept(keep(Reason("quoted", text=shorten(text) * 50)))) is not None


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
    with hearing(client, f"{path}/events") as ear:
        ear.wait(b"URLReturn=")  # the person is asked
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
    assert b'"code":"unknown-record"' in client.get("/api/matches/0123456789abcdef").body
