"""What an operator sees: numbers at /metrics for those who may read them, a page of what waits, a log without secrets."""

import json
import logging
from pathlib import Path

import pytest

from arbitre.community.accounts import Role
from arbitre.web.house import House
from arbitre.web.logs import Machine, told
from tests.web.site import Running, quiet, running


def numbers(text: str) -> dict[str, float]:
    rows = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(number) for name, _, number in rows}


def test_instruments_read_counts_and_gauges(open_site: Running) -> None:
    client = open_site.client()
    assert client.get("/nothing-there").status == 404
    before = numbers(client.get("/metrics").text)
    assert before['arbitre_requests_total{status="4xx"}'] >= 1
    client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1"})
    after = numbers(client.get("/metrics").text)
    assert after["arbitre_matches_live"] == before["arbitre_matches_live"] + 1
    assert after['arbitre_requests_total{status="2xx"}'] > before.get('arbitre_requests_total{status="2xx"}', 0)


def test_strangers_do_not_find_them(tmp_path: Path) -> None:
    with running(quiet(tmp_path, metrics_from=("192.0.2.0/24",))) as site:
        assert site.client().get("/metrics").status == 404


def test_the_house_is_shown_to_operators_alone(open_site: Running) -> None:
    house = open_site.site.state.house
    assert isinstance(house, House)
    house.community.accounts.create("olga", "correct horse battery", Role.OPERATOR)
    house.community.accounts.create("peter", "correct horse battery", Role.PLAYER)
    statuses = {}
    for name in ("olga", "peter"):
        client = open_site.client()
        client.post("/login", {"name": name, "password": "correct horse battery"}, page="/login")
        statuses[name] = client.get("/operator/house")
    assert statuses["olga"].status == 200
    assert "How the house is doing" in statuses["olga"].text
    assert statuses["peter"].status == 403
    assert open_site.client().get("/operator/house").status == 303  # to log in


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/games/00ff", "/games/00ff"),
        ("/return/0123456789abcdef", "/return/…"),
        ("/answer/handle/secret", "/answer/…"),
        ("/invite/CODE", "/invite/…"),
        ("/reset/TOKEN", "/reset/…"),
    ],
)
def test_a_log_tells_no_secret_of_a_path(path: str, shown: str) -> None:
    assert told(path) == shown


def test_a_line_for_machines_is_json() -> None:
    record = logging.LogRecord("arbitre.access", logging.INFO, "", 0, "GET %s", ("/é\n",), None)
    record.fields = {"status": 200}
    line = Machine().format(record)
    assert "\n" not in line
    assert json.loads(line)["status"] == 200
    assert json.loads(line)["text"] == "GET /é\n"
