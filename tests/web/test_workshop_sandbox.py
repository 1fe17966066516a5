"""The sandbox of the workshop in a real browser: both languages answer, and say in which line what is wrong."""

from typing import TYPE_CHECKING, Any

import pytest

from arbitre.web.brython import OFFERED, library, python
from tests.browser import browsing
from tests.web.site import Client, Running
from tests.web.workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Page

Wrong = list[tuple[str, tuple[str, int]]]

PYTHON: Wrong = [
    ("def move(p):\n    return p['any'\n", ("SyntaxError", 2)),
    ("def move(p):\n  x = 1\n   y = 2\n", ("IndentationError", 3)),
    ("def move(p):\n    x = 1\n    return chioce(p)\n", ("NameError", 3)),
    ("import random\ndef move(p):\n    return random.choice([])\n", ("IndexError", 3)),
    ("def move(p):\n    return p['lega']\n", ("KeyError", 2)),
    ("import numpy\ndef move(p):\n    return p['any']\n", ("ModuleNotFoundError", 1)),
    ("def move(p):\n    return move(p)\n", ("RecursionError", 2)),
    ("def move(p):\n    return input()\n", ("NoInput", 2)),
    ("import time\ndef move(p):\n    time.sleep(1)\n", ("NoSleep", 3)),
    ("def move(p):\n    pass\n", ("NoAnswer", 0)),
    ("def move(p):\n    return 1\n", ("NoText", 0)),
    ("x = 1\n", ("NoMove", 0)),
]
JAVASCRIPT: Wrong = [
    ("function move(p) {\n  x = ;\n}", ("SyntaxError", 2)),
    ("function move(p) {\n\n  return foo(p);\n}", ("ReferenceError", 3)),
    ("function move(p) { return move(p); }", ("RecursionError", 1)),
    ("function move(p) {}", ("NoAnswer", 0)),
    ("function move(p) { return 1; }", ("NoText", 0)),
    ("let x = 1;", ("NoMove", 0)),
    ("});\npostMessage(1); (function () {", ("SyntaxError", 0)),  # nothing of it is run to find out where
]
CORNERS = """import random

class Taste:
    def __init__(self, liked):
        self.liked = liked

GOOD = Taste(["7", "1"])
count = 0

def move(p):
    global count
    count += 1
    for m in GOOD.liked:
        if m in p["legal"]:
            print("a corner!", m, count, p["left"], p["seat"])
            return m
    return random.choice(p["legal"])
"""


def faulty(bench: Bench, programs: Wrong, language: str) -> None:
    """Let programs fail, and see where they say that they do."""
    found = [bench.ask(source, language).get("error") or {"kind": "none", "line": 0} for source, _ in programs]
    assert [(one["kind"], one["line"]) for one in found] == [wanted for _, wanted in programs]


@browsing()
def test_both_languages_answer_and_say_where_they_fail(page: "Page", open_site: Running) -> None:
    bench = Bench(page, open_site)
    told: dict[str, Any] = bench.ask("let n = 0;\nfunction move(p) { n += 1; print('hi', n, p.legal); return p.any; }")
    assert told == {"move": "2", "printed": 'hi 1 ["1","2"]\n'}
    faulty(bench, JAVASCRIPT, "javascript")
    assert bench.ask(CORNERS, "python") == {"move": "1", "printed": "a corner! 1 1 None 0\n"}
    assert bench.ask(CORNERS, "python", legal=["7"], left=5)["printed"] == "a corner! 7 2 5 0\n"
    assert bench.ask(CORNERS, "python", game="another")["printed"] == "a corner! 1 1 None 0\n"  # each game has its own
    everything = f"import {', '.join(OFFERED)}\ndef move(p):\n    return p['any']\n"
    assert bench.ask(everything, "python")["move"] == "2"
    faulty(bench, PYTHON[:3], "python")


@pytest.mark.campaign
@browsing()
def test_everything_that_goes_wrong_in_python_says_where(page: "Page", open_site: Running) -> None:
    faulty(Bench(page, open_site), PYTHON, "python")


@pytest.mark.parametrize("packed", [python(), library()])
def test_python_comes_small_and_stays_in_the_cache(client: Client, packed: Any) -> None:
    name = "python" if packed is python() else "library"
    whole = client.get(f"/workshop/{name}.js?v={packed.file.mark}")
    small = client.get(f"/workshop/{name}.js?v={packed.file.mark}", Accept_Encoding="gzip, br")
    assert whole.body == packed.file.body
    assert (small.body, small.headers["content-encoding"]) == (packed.small, "gzip")
    assert "immutable" in small.headers["cache-control"]
    assert client.get(f"/workshop/{name}.js", If_None_Match=whole.headers["etag"]).status == 304
    assert len(library().small) < 200_000


def test_the_frame_has_a_policy_of_its_own(client: Client, open_site: Running) -> None:
    answer = client.get("/workshop/frame")
    said = answer.headers["content-security-policy"]
    assert said.startswith("sandbox allow-scripts; default-src 'none'; script-src 'sha256-")
    assert "connect-src 'none'" in said
    assert "x-frame-options" not in answer.headers
    assert "unsafe" not in client.get("/workshop/tictactoe").headers["content-security-policy"]
