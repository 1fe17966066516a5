"""The pages of an engine that dials in: its token once, the file that plays, who is there; and the door of a lesson."""

from itertools import count

import pytest

from arbitre.site.accounts import Account
from arbitre.web.visit import SESSION_COOKIE
from tests.web.dialer import Dialler, Line, house_of
from tests.web.site import Client, Running

NUMBERS = count(1)


@pytest.fixture
def owner(open_site: Running) -> Account:
    return house_of(open_site).community.accounts.create(f"pager{next(NUMBERS)}", "correct horse battery")


@pytest.fixture
def browser(open_site: Running, owner: Account) -> Client:
    client = open_site.client()
    client.cookies[SESSION_COOKIE] = house_of(open_site).community.sessions.start(owner, "test").token
    return client


def test_an_engine_that_dials_in_is_registered_and_gets_its_token_once(open_site: Running, browser: Client) -> None:
    fields = {"game": "tictactoe", "name": f"Paged{next(NUMBERS)}", "dials": "yes", "public": "yes"}
    made = browser.post("/program/engines", fields, page="/program/engines/new")
    assert made.status == 303
    page = made.headers["location"]
    assert "Nobody listens for it now." in browser.get(page).text
    shown = browser.post(f"{page}/token", page=page).text
    token = shown.partition('id="token">')[2].partition("<")[0]
    assert token.startswith("arbe_")
    assert token not in browser.get(page).text
    with Line(open_site.port, "me", token) as line:
        next(line.rows())
        assert "Somebody listens for it now." in browser.get(page).text
        assert "dials in, there now" in browser.get("/program/engines").text
        file = browser.post(f"{page}/dial.py", page=page)
        assert (file.status, file.headers["content-disposition"]) == (200, 'attachment; filename="dial.py"')
        assert 'TOKEN = "arbe_' in file.text
        assert token not in file.text
        assert list(line.rows()) == []  # the file has a new token, and the one before has ended
    assert browser.post(f"{page}/token/end", page=page).status == 303


def test_nobody_makes_a_token_for_anothers_engine(open_site: Running, owner: Account) -> None:
    dialler = Dialler(open_site, owner, name=f"Mine{next(NUMBERS)}")
    stranger = open_site.client()
    other = house_of(open_site).community.accounts.create(f"other{next(NUMBERS)}", "correct horse battery")
    stranger.cookies[SESSION_COOKIE] = house_of(open_site).community.sessions.start(other, "test").token
    for what in ("token", "dial.py", "token/end"):
        assert stranger.post(f"/program/engines/{dialler.engine.id}/{what}", page="/program/engines").status == 403
    assert dialler.status("wait=0") == 200
