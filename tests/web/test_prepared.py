"""Accounts that a teacher prepares: names go in, codes come out; only those of the class are the teacher's to reset."""

import re
from collections.abc import Iterator

import pytest

from arbitre.errors import LockedError, WrongPasswordError
from tests.web.programs_of import Doors, doors, refused


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("prepared")) as found:
        yield found


@pytest.fixture(scope="module")
def klass(place: Doors) -> dict[str, object]:
    with place.client("olga") as olga, place.client("anna") as anna:
        found: dict[str, object] = olga.ask("POST", "/api/classes", {"name": "6B"})
        anna.ask("POST", "/api/classes/join", {"code": found["code"]})
        return found


def logs_in(place: Doors, name: str, code: str) -> bool:
    try:
        place.house.community.accounts.authenticate(name, code)
    except (WrongPasswordError, LockedError):
        return False
    return True


def test_a_list_of_names_becomes_accounts_that_log_in_and_are_reset(place: Doors, klass: dict[str, object]) -> None:
    where = f"/api/classes/{klass['id']}"
    with place.client("olga") as olga:
        made = olga.ask("POST", f"{where}/accounts", {"names": ["Emma D.", "Léo", "", "ben"]})["accounts"]
        assert [one["name"] for one in made][:2] == ["Emma-D", "Léo"]
        assert re.fullmatch("ben-[a-z2-9]{4}", made[2]["name"])  # somebody elsewhere is called so
        assert all(re.fullmatch("[a-z2-9]{9}", one["code"]) for one in made)
        assert all(logs_in(place, one["name"], one["code"]) for one in made)
        assert {one["name"] for one in olga.pages(f"{where}/members")} >= {one["name"] for one in made}
        first = made[0]
        again = olga.ask("POST", f"{where}/members/{first['id']}/code")
        assert again["code"] != first["code"]
        assert (logs_in(place, first["name"], first["code"]), logs_in(place, first["name"], again["code"])) == (False, True)
        lesson = {"code": klass["code"], "name": "Visitor", "game": "tictactoe"}
        olga.ask("POST", "/api/classes/lesson", lesson)
        (visitor,) = [one for one in olga.pages(f"{where}/members") if one["name"] == "Visitor"]
        assert logs_in(place, "Visitor", olga.ask("POST", f"{where}/members/{visitor['id']}/code")["code"])


def test_nobody_is_taken_over(place: Doors, klass: dict[str, object]) -> None:
    """Whoever joined with an account of his own, or is in no class of the teacher's, keeps his password."""
    where, anna, ben = f"/api/classes/{klass['id']}", place.people["anna"].id, place.people["ben"].id
    with place.client("olga") as olga:
        refused(403, olga, "POST", f"{where}/members/{anna}/code")
        refused(404, olga, "POST", f"{where}/members/{ben}/code")
    for name in ("anna", "ben"):
        with place.client(name) as client:
            refused(403, client, "POST", f"{where}/accounts", {"names": ["Mallory"]})
    with place.client("tess") as tess:
        refused(404, tess, "POST", f"{where}/accounts", {"names": ["Mallory"]})
    assert logs_in(place, "anna", "the password of anna")


@pytest.mark.parametrize(
    "names",
    [
        ["Al"],
        ["<b>Bo</b>"],
        ["Nina", "nina"],
        ["Nina", "N1na"],
        ["anna"],
        ["x" * 90],
        [" "],
        [f"Pupil{one}" for one in range(61)],
    ],
    ids=["short", "markup", "twice", "alike", "here", "long", "none", "many"],
)
def test_a_list_with_a_bad_name_makes_nobody(place: Doors, klass: dict[str, object], names: list[str]) -> None:
    with place.client("olga") as olga:
        before = [one["id"] for one in olga.pages(f"/api/classes/{klass['id']}/members")]
        refused(400, olga, "POST", f"/api/classes/{klass['id']}/accounts", {"names": names})
        assert [one["id"] for one in olga.pages(f"/api/classes/{klass['id']}/members")] == before


def test_the_page_shows_codes_once(place: Doors, klass: dict[str, object]) -> None:
    browser = place.site.client()
    browser.post("/login", {"name": "olga", "password": "the password of olga"}, page="/login")
    page = f"/teach/{klass['id']}"
    shown = browser.post(f"{page}/accounts", {"names": "Noor\nTom <i>"}, page=page)
    assert (shown.status, "&lt;i&gt;" in shown.text or "&#39;" in shown.text) == (400, True)
    assert "<i>" not in shown.text
    shown = browser.post(f"{page}/accounts", {"names": "Noor\nTom"}, page=page)
    codes = re.findall(r"<code>([a-z2-9]{9})</code>", shown.text)
    assert (shown.status, len(codes)) == (200, 2)
    assert logs_in(place, "Noor", codes[0])
    seen = browser.get(page).text
    assert codes[0] not in seen
    noor = place.house.community.accounts.called("Noor").id
    assert f'name="pupil" value="{noor}"' in seen
    shown = browser.post(f"{page}/reset", {"pupil": str(noor)}, page=page)
    assert logs_in(place, "Noor", re.findall(r"<code>([a-z2-9]{9})</code>", shown.text)[0])
