"""What an operator sees: numbers at /metrics for those who may read them, a page of what waits, a log without secrets."""

import json
import logging
import re
import time
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbitre.cli.serve import serve
from arbitre.errors import StoreError
from arbitre.site.accounts import Role
from arbitre.site.settings import Settings, option_name
from arbitre.tournoyons.calls import MOST_HOSTS, Calls
from arbitre.web.app import make_site
from arbitre.web.house import WebApp
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
    assert isinstance(house, WebApp)
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


SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? ([0-9.e+-]+)')


def test_the_exposition_is_one_that_prometheus_reads(open_site: Running) -> None:
    """Version 0.0.4: HELP and TYPE before the samples of a name, each name once; one charset, or newer versions refuse it."""
    house = open_site.site.state.house
    house.tally.answers[2] += 123_456_789
    answer = open_site.client().get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.text.endswith("\n")
    kinds: dict[str, str] = {}
    for line in answer.text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in kinds
            assert kind in ("counter", "gauge")
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            found = SAMPLE.fullmatch(line)
            assert found is not None, line
            assert list(kinds)[-1] == found[1], "samples stand below their own name"
            float(found[4])
    assert all(name.endswith("_total") for name, kind in kinds.items() if kind == "counter")
    assert numbers(answer.text)['arbitre_requests_total{status="2xx"}'] >= 123_456_789, "no digit of a large count is lost"


def test_a_site_that_cannot_write_says_so_everywhere(open_site: Running) -> None:
    store, client = open_site.site.state.house.store, open_site.client()
    store._failed = StoreError("the store in /somewhere cannot be used: database or disk is full")
    try:
        answer = client.get("/health")
        assert (answer.status, json.loads(answer.text)["status"]) == (503, "the store has failed")
        page = client.get("/", Accept_Language="fr")
        assert page.status == 200, "what is there can be read"
        assert "Ce site ne peut plus écrire" in page.text
        assert "/somewhere" not in page.text + answer.text
        assert numbers(client.get("/metrics").text)["arbitre_store_failed"] == 1
    finally:
        store._failed = None
    assert client.get("/health").status == 200
    assert "cannot write" not in client.get("/").text


def test_what_opens_something_is_never_written_down(tmp_path: Path) -> None:
    """Whatever route has a code, a token or a ticket in its path: the log has it not."""
    secret = re.compile(r"\{(code|token|ticket):str\}")
    paths = {route.path for route in make_site(quiet(tmp_path)).routes if secret.search(route.path)}
    assert len(paths) > 10
    for path in paths:
        assert "SECRET" not in told(secret.sub("SECRET", path)), path


def test_who_never_answers_is_not_quick_and_counts_never_go_back() -> None:
    calls = Calls()
    with suppress(TimeoutError), calls.asking("http://silent.example/"):
        time.sleep(0.02)
        raise TimeoutError
    with calls.asking("http://quick.example/"):
        pass
    assert [one.name for one in calls.hosts()] == ["silent.example", "quick.example"]
    for number in range(MOST_HOSTS + 5):
        with calls.asking(f"http://host-{number}.example/"):
            pass
    whole = calls.total()
    assert (whole.answered, whole.failed, whole.waiting) == (MOST_HOSTS + 6, 1, 0)
    assert len(calls.hosts()) == MOST_HOSTS


def test_the_help_of_serve_says_what_each_setting_is() -> None:
    said = " ".join(CliRunner().invoke(serve, ["--help"], terminal_width=200).output.split())
    for one in fields(Settings):
        assert f"--{option_name(one)}" in said
    assert "[default: 127.0.0.0/8, ::1]" in said
    assert "[default: registration]" in said
    assert "[default: no-log-requests]" in said
