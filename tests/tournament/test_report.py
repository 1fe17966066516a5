"""The report is one file that needs nothing, and text in it stays text."""

import json
import re
from fractions import Fraction
from functools import partial
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.tournament.charts import _step, apart, escape
from arbitre.tournament.config import Entrant, TournamentPlan, plan_of
from arbitre.tournament.report import report
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import Fixture, Result
from arbitre.tournament.style import DARK, LIGHT
from arbitre.tournament.summary import Summary, summarise, to_json
from arbitre.tournament.tables import printable
from tests.reasons import english
from tests.tournament.scripted import Judge, chance, lower_wins, played

report_of = partial(report, said=english)

GAME = plan_of({"game": "tictactoe", "players": ["a", "b"]}).game

HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</style></title>&amp;<!--",
    "日本 \x00\x1b[31m\u202e",
)


def of(names: tuple[str, ...], reason: str = "late", judge: Judge = lower_wins, **keys: Any) -> Summary:
    """A summary whose names need not be ones that a plan read from a file would accept."""
    made = plan_of({"game": "tictactoe", "players": ["a", "b"], **keys})
    held = made.format if keys.get("format") else RoundRobin(games=2)
    plan = TournamentPlan(names[0], GAME, held, tuple(Entrant(name, name) for name in names), seed="1")

    def result(number: int, scores: tuple[Fraction, ...] | None) -> Result:
        return Result(
            number, scores, Termination.OUT_OF_TIME if number % 3 == 0 else Termination.RULES, Reason("quoted", text=reason)
        )

    results = {number: result(number, one.scores) for number, one in played(plan.schedule, judge).items()}
    return summarise(plan, results, {names[0]: names[-1]})


class Reader(HTMLParser):
    """Collects elements, attributes and texts as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= set(attrs)
        if tag not in {"meta", "line", "circle", "rect", "polyline"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "elements are closed in order"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


TAGS = re.compile(
    "html|head|meta|title|style|body|main|h[123]|d[ldt]|div|p|b|section|table|thead|tbody|t[rhd]|small|span|i|details|summary|ul|li"
    "|svg|line|text|circle|rect|polyline"
)
ATTRIBUTES = re.compile(
    "lang|charset|name|content|class|scope|viewbox|role|aria-label|[xy][12]?|c[xy]|r|width|height|text-anchor|points"
)


@pytest.mark.parametrize("held", ["round-robin", "swiss", "knockout", "gauntlet"])
def test_hostile_names_are_text(held: str) -> None:
    page = report_of(of(HOSTILE, reason=HOSTILE[0], format=held))
    reader = read(page)
    assert all(TAGS.fullmatch(tag) for tag in reader.tags)
    assert all(ATTRIBUTES.fullmatch(name) for name, _ in reader.attributes)
    texts = " ".join(reader.texts)
    for name in HOSTILE:
        assert printable(name) in texts
    assert "\x1b" not in page
    assert "\x00" not in page


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=30), min_size=2, max_size=3, unique=True), st.text(max_size=60))
def test_any_names_are_text(names: list[str], reason: str) -> None:
    reader = read(report_of(of(tuple(names), reason)))
    assert all(TAGS.fullmatch(tag) for tag in reader.tags)
    assert all(ATTRIBUTES.fullmatch(name) for name, _ in reader.attributes)
    assert all(printable(name) in reader.texts for name in names)


def test_the_report_needs_nothing_from_outside() -> None:
    page = report_of(of(("ann", "ben", "cat")))
    assert not re.search(r"(https?:|//|src=|href=|url\(|@import|<script|<link)", page)
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page


def test_charts_are_sound_svg() -> None:
    page = report_of(of(("ann", "ben <b>", "cat & dog", "dan")))
    charts = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(charts) == 3
    for chart in charts:
        root = ET.fromstring(chart)  # noqa: S314 - our own text
        height = float(root.attrib["viewBox"].split()[3])
        for part in root.iter():
            for axis, most in (("x", 720), ("x1", 720), ("x2", 720), ("cx", 720), ("y", height), ("y1", height), ("cy", height)):
                assert -1 <= float(part.attrib.get(axis, 0)) <= most


def test_the_sections_are_there() -> None:
    titles = re.findall(r"<h2>(.*?)</h2>", report_of(of(("ann", "ben", "cat"))))
    assert titles == ["Standings", "Strength", "Cross table", "Course", "Ends", "Faults", "Games"]
    assert "Bracket" in re.findall(r"<h2>(.*?)</h2>", report_of(of(("ann", "ben", "cat"), format="knockout")))


def test_a_report_before_the_first_game() -> None:
    plan = plan_of({"game": "tictactoe", "seed": 1, "players": ["a", "b"]})
    page = report_of(summarise(plan, {}))
    read(page)
    assert "0 of 1 games" in page


def test_faults_are_told_with_who_what_and_where() -> None:
    page = report_of(of(("ann", "ben"), reason="said nothing for 5 s", format="round-robin", games=4))
    assert re.search(r'<p class="referee"><b>out of time</b> (ann|ben), game 3, round 1: said nothing for 5 s</p>', page)


def test_the_seed_stays_closed_while_games_are_to_be_played() -> None:
    plan = plan_of({"game": "tictactoe", "seed": "the secret of the draws", "players": ["a", "b", "c"]})
    live, over = summarise(plan, {}), summarise(plan, played(plan.schedule, chance(1)))
    assert plan.seed not in report(live) + json.dumps(to_json(live))
    assert plan.seed in report(over)
    assert to_json(over)["plan"]["seed"] == plan.seed


def test_json_is_plain_and_complete() -> None:
    told = of(("ann", "ben", "cat"), format="swiss")
    plain = json.loads(json.dumps(to_json(told), allow_nan=False))
    assert [row["name"] for row in plain["standings"]] == [row.name for row in told.standings.rows]
    assert len(plain["games"]) == plain["played"] == len(told.progress.entries)
    assert plain["over"] is True
    assert sum(plain["terminations"].values()) == plain["played"]
    assert plain["standings"][0]["sorted_by"].keys() == set(told.standings.order)


def test_json_of_a_sweep_has_no_infinity() -> None:
    plan = plan_of({"game": "tictactoe", "seed": 1, "players": ["a", "b"], "games": 4, "sprt": {"elo1": 30}})

    def judge(fixture: Fixture) -> tuple[Fraction, Fraction]:
        return (Fraction(1), Fraction(0)) if fixture.seats[0] == 0 else (Fraction(0), Fraction(1))

    plain = to_json(summarise(plan, played(plan.schedule, judge)))
    json.dumps(plain, allow_nan=False)
    assert plain["standings"][0]["against_field"]["elo"] is None
    assert plain["standings"][1]["against_field"]["low"] is None
    assert plain["standings"][0]["against_field"]["low"] == -plain["standings"][1]["against_field"]["high"]
    assert plain["sprt"]["units"] == 2


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_stand_out_from_the_paper(colours: dict[str, str]) -> None:
    """Contrast AA: at least 4.5 to 1 for every colour that words are written in."""
    paper = luminance(colours["paper"])
    for name in ("ink", "quiet", "felt", "referee", "good", "bad"):
        bright, dark = sorted((luminance(colours[name]), paper), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, name


def test_labels_are_keptapart() -> None:
    placed = apart([10.0, 11.0, 50.0, 10.0], 14)
    assert sorted(placed) == [10.0, 24.0, 38.0, 52.0]


@pytest.mark.parametrize(("span", "step"), [(0.0, 2), (60.0, 10), (100.0, 20), (700.0, 200), (5000.0, 1000)])
def test_ticks_are_round(span: float, step: int) -> None:
    assert _step(span) == step


def test_escape() -> None:
    assert escape("<a href=\"x\" b='y'>&\n") == "&lt;a href=&quot;x&quot; b=&#x27;y&#x27;&gt;&amp;�"
