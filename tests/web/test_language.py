"""French and English: chosen by the browser and by a switch, and complete."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

from arbitre.errors import UnfitError
from arbitre.words import preferred, words
from tests.web.site import Client

TOOL = Path(__file__).parents[2] / "tools" / "messages"


@pytest.fixture(scope="module")
def messages() -> Any:
    loader = SourceFileLoader("messages", str(TOOL))
    spec = spec_from_loader("messages", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_every_word_is_translated(messages: Any) -> None:
    assert len(messages.found()) > 50
    assert messages.missing("fr") == []


def test_no_translation_is_stale(messages: Any) -> None:
    assert messages.stale("fr") == []
    assert messages.stale("en") == []


def test_translations_fill_in_the_same_parts(messages: Any) -> None:
    for catalogue in messages.known("fr").values():
        for one in catalogue:
            assert not list(one.check(catalogue)), one.id


def test_words_have_no_exclamation_marks(messages: Any) -> None:
    for catalogue in messages.known("fr").values():
        assert not [one.id for one in catalogue if one.id and "!" in f"{one.id}{one.string}".replace("!r}", "}")]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("fr", "fr"),
        ("fr-CH, en;q=0.8", "fr"),
        ("en-GB,en;q=0.9,fr;q=0.5", "en"),
        ("de, fr;q=0.3, en;q=0.2", "fr"),
        ("xx", "en"),
        ("fr;q=x", "en"),
        ("fr;q=0", "en"),
        (",;,;q=,=", "en"),
        ("fr," * 10_000, "fr"),
    ],
)
def test_the_browser_chooses(accepted: str, language: str) -> None:
    assert preferred(accepted) == language


def test_pages_speak_the_language_of_the_browser(client: Client) -> None:
    text = client.get("/", Accept_Language="fr-FR").text
    assert '<html lang="fr"' in text
    assert "Un arbitre à qui personne" in text
    assert '<html lang="en"' in client.get("/", Accept_Language="de").text


def test_the_switch_beats_the_browser(client: Client) -> None:
    answer = client.post("/language", {"language": "fr", "back": "/about"})
    assert (answer.status, answer.headers["location"]) == (303, "/about")
    assert "Comment ça marche" in client.get("/about", Accept_Language="en").text
    client.post("/language", {"language": "tlh"})
    assert "Comment ça marche" in client.get("/about").text
    assert "Il n’y a rien ici" in client.get("/nowhere").text


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "", "é", "/\n/x"]
)
def test_the_switch_leads_nowhere_else(client: Client, back: str) -> None:
    assert client.post("/language", {"language": "fr", "back": back}).headers["location"] == "/"


def test_light_and_dark(client: Client) -> None:
    assert "data-theme" not in client.get("/").text
    client.post("/theme", {"theme": "dark"})
    assert 'data-theme="dark"' in client.get("/").text
    client.post("/theme", {"theme": ""})
    assert "data-theme" not in client.get("/").text


def test_no_line_begins_with_a_colon_in_french() -> None:
    assert words("fr")("You have one already?").endswith("\N{NO-BREAK SPACE}?")
    assert words("fr").of(UnfitError("name", "at least four different characters")).startswith("nom\N{NO-BREAK SPACE}: ")
