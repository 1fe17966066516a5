"""The form of a competition: every way to hold one, the options of its game, dates in one's own time; programs say the same."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args, get_type_hints

import pytest

from arbitre.client import Client as Programs
from arbitre.errors import SiteError
from arbitre.site.accounts import Role
from arbitre.site.competitions.competitions import Competition, CompetitionId, trial_plan
from arbitre.tournament.config import DOUBLE, FITTING, FORMATS
from arbitre.web.api.competitions import NewCompetition
from arbitre.web.pages.announce import TEMPLATES
from arbitre.web.render import dated
from tests.browser import browsing, picture
from tests.web.people import DESK
from tests.web.place import Place
from tests.web.site import quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page

PASSWORD = "a long password"  # noqa: S105 - of nobody


class Hall(Place):
    """A site with an organiser."""

    def announced(self, **fields: str) -> Competition:
        answer = self.visitor("Oscar").post("/compete/new", {"game": "bigtictactoe", "listed": "1", **fields})
        assert answer.status == 303, answer.text
        return self.community.competitions.find(CompetitionId(int(answer.headers["location"].rpartition("/")[2])))


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with running(quiet(tmp_path_factory.mktemp("hall"))) as site:
        create = site.site.state.house.community.accounts.create
        yield Hall(
            site, {name: create(name, PASSWORD, role) for name, role in (("Oscar", Role.ORGANISER), ("Ann", Role.PLAYER))}, ""
        )


def test_every_format_of_the_tournament_code_is_offered_to_people_and_programs(hall: Hall) -> None:
    assert {keys["format"] for keys in TEMPLATES.values()} == {*FORMATS, DOUBLE, FITTING}
    assert set(get_args(get_type_hints(NewCompetition)["format"])) == {*FORMATS, DOUBLE, FITTING}
    page = hall.visitor("Oscar").get("/compete/new").text
    for name, keys in TEMPLATES.items():
        assert f'name="template" value="{name}"' in page
        found = hall.announced(template=name)
        assert found.announcement.plan["format"] == keys["format"]
    twice = hall.announced(template="twice")
    assert "everybody meets everybody, 2 times" in hall.visitor("Ann").get(f"/compete/{twice.id}").text


def test_a_competition_without_a_title_is_called_by_its_game_and_day(hall: Hall) -> None:
    assert re.fullmatch(r"BigTicTacToe, \d{1,2} [A-Z][a-z]+ 20\d\d", hall.announced().announcement.title)
    first = int(datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp())
    assert [dated(language, first) for language in ("en", "fr")] == ["1 May 2026", "1er mai 2026"]
    assert dated("fr", first + 86_400) == "2 mai 2026"


def test_the_options_of_the_game_are_chosen_and_said(hall: Hall) -> None:
    fields = {"option.bigtictactoe.first": "yes", "option.draughts.plies": "80", "option.kriegspiel.plies": "600"}
    found = hall.announced(**fields)
    assert found.announcement.plan["options"] == {"first": True}
    assert trial_plan(found.announcement.plan).game.first is True  # type: ignore[attr-defined]
    page = hall.visitor("Ann").get(f"/compete/{found.id}", Accept_Language="fr").text
    assert "Le premier alignement de cinq gagne" in page
    assert "options" not in hall.announced().announcement.plan


def test_the_options_may_change_until_somebody_relies_on_them(hall: Hall) -> None:
    found, oscar = hall.announced(**{"option.bigtictactoe.first": "yes"}), hall.visitor("Oscar")
    path = f"/compete/{found.id}/change"
    assert re.search(r'name="option.bigtictactoe.first" value="yes" checked', oscar.get(path).text)
    assert oscar.post(path, {"title": "Cup", "listed": "1"}).status == 303
    kept = hall.community.competitions.find(found.id)
    assert kept.announcement.plan == found.announcement.plan, "a form without the rules says nothing about them"
    assert oscar.post(path, {"title": "Cup", "listed": "1", "rules": "1"}).status == 303
    assert "options" not in hall.community.competitions.find(found.id).announcement.plan
    assert "first=1" in hall.visitor("Ann").get(f"/compete/{found.id}").text


@pytest.mark.parametrize(
    ("game", "field", "text", "said"),
    [
        ("draughts", "option.draughts.plies", "many", "a whole number"),
        ("mastermind", "option.mastermind.pegs", "6", "pegs=4"),
        ("rochambeau", "option.rochambeau.goal", "0", "not by elimination"),
    ],
)
def test_options_that_are_none_are_refused_in_words(hall: Hall, game: str, field: str, text: str, said: str) -> None:
    answer = hall.visitor("Oscar").post("/compete/new", {"game": game, field: text})
    assert answer.status == 400
    assert said in answer.text


def test_a_program_says_options_and_formats_too(hall: Hall) -> None:
    secret = hall.community.tokens.make(hall.people["Oscar"], "all", ("read", "compete")).secret
    with Programs(hall.site.url, secret) as program:
        say = {"title": "By program", "game": "bigtictactoe", "format": DOUBLE, "options": {"first": True}}
        made = program.ask("POST", "/api/competitions", say)
        found = hall.community.competitions.find(CompetitionId(made["id"]))
        assert found.announcement.plan["options"] == {"first": True}
        assert trial_plan(found.announcement.plan).format.cycles == 2  # type: ignore[attr-defined]
        with pytest.raises(SiteError, match="pegs=4"):
            program.ask("POST", "/api/competitions", {"title": "No", "game": "mastermind", "options": {"pegs": 5}})


def login(page: "Page", hall: Hall) -> None:
    page.goto(hall.site.url + "/login")
    page.locator("input[name=name]").fill("Oscar")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button").first.click()
    page.wait_for_selector(".account")


@browsing(viewport=DESK, color_scheme="light", locale="en-GB", timezone_id="Asia/Kolkata")
def test_dates_are_entered_and_shown_in_ones_own_time_beside_utc(page: "Page", hall: Hall) -> None:
    login(page, hall)
    page.goto(hall.site.url + "/compete/new?game=bigtictactoe")
    page.locator("details", has_text="Dates").locator("summary").last.click()
    page.locator("#begins").fill("2030-06-01T10:00")
    assert page.locator("#begins-own").input_value() == "2030-06-01T15:30"
    page.locator("#begins-own").fill("2030-06-02T02:00")
    assert page.locator("#begins").input_value() == "2030-06-01T20:30"
    page.locator("details.rules > summary").click()
    page.get_by_label("The first row of five wins").check()
    assert page.locator("fieldset.rules:visible").count() == 1
    picture(page, "announce-own-time")
    page.get_by_role("button", name="Announce it").click()
    page.wait_for_url(re.compile(r"/compete/\d+$"))
    told = page.locator(".facts-line time").first.inner_text()
    assert re.search(r"^1 Jun 2030 20:30 UTC \(.*\b2\b.*02:00 GMT\+5:30\)$", told), told
    assert "The first row of five wins" in page.locator("main").inner_text()
    picture(page, "announce-shown-in-own-time")


@pytest.mark.campaign
@browsing(viewport=DESK, locale="en-GB", java_script_enabled=False)
def test_without_scripts_the_form_is_whole_in_utc(page: "Page", hall: Hall) -> None:
    login(page, hall)
    page.goto(hall.site.url + "/compete/new?game=bigtictactoe")
    page.locator("details.rules > summary").click()
    page.locator("details", has_text="Dates").locator("summary").last.click()
    page.locator("#begins").fill("2030-06-01T10:00")
    page.get_by_label("The first row of five wins").check()
    page.get_by_role("button", name="Announce it").click()
    page.wait_for_url(re.compile(r"/compete/\d+$"))
    assert "1 Jun 2030 10:00 UTC" in page.locator("main").inner_text()
