"""What pages make of a competition and of people's words: trees that fit together, words once, text that stays text."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import StageError
from arbitre.reasons import Reason
from arbitre.records.event import write_reason
from arbitre.site.competitions.bracket import tree
from arbitre.site.competitions.runner import STUMBLES, WITHDREW, not_come
from arbitre.tournament.charts import NARROW, WIDE, course_chart, ratings_chart
from arbitre.tournament.config import plan_of
from arbitre.tournament.fixtures import ABANDONED, NOT_BEGUN, Halt
from arbitre.tournament.summary import Summary, summarise
from arbitre.web.prose import prose
from arbitre.web.scoreboard import SHOWN, TIES
from arbitre.web.telling import reason_in
from arbitre.words import words
from tests.tournament.scripted import all_drawn, chance, played

REL = 'rel="nofollow ugc noopener noreferrer"'


def knockout(size: int, games: int | None = None, seed: int = 0, **keys: object) -> Summary:
    """Return a knockout of so many after so many games; None: after all."""
    names = [f"p{number}" for number in range(size)]
    plan = plan_of({"game": "tictactoe", "format": "knockout", "seed": "1", "players": names, **keys})
    results = played(plan.schedule, chance(seed))
    return summarise(plan, {number: one for number, one in results.items() if games is None or number <= games})


@given(st.integers(2, 40), st.integers(0, 5), st.integers(0, 200))
def test_every_box_of_a_bracket_stands_between_those_that_lead_to_it(size: int, seed: int, games: int) -> None:
    stages = tree(knockout(size, games, seed), {})
    sizes = [len(stage["slots"]) for stage in stages]
    assert sizes[-1] == 1
    assert all(2 * later == earlier for earlier, later in itertools.pairwise(sizes))
    for earlier, later in itertools.pairwise(stages):
        for at, box in enumerate(later["slots"]):
            before = earlier["slots"][2 * at : 2 * at + 2]
            winners = [side["name"] for one in before for side in one["sides"] if side["won"]]
            assert [side["name"] for side in box["sides"]] in ([], winners)


def test_a_bracket_shows_byes_lots_and_a_match_for_the_third_place() -> None:
    stages = tree(knockout(5), {})
    assert [len(stage["slots"]) for stage in stages] == [4, 2, 1]
    assert sum(box["bye"] for box in stages[0]["slots"]) == 3
    plan = plan_of({"game": "tictactoe", "format": "knockout", "seed": "1", "players": ["a", "b"]})
    (final,) = tree(summarise(plan, played(plan.schedule, all_drawn)), {})
    assert final["slots"][0]["by_lot"]
    assert len(tree(knockout(8, third=True), {})[-1]["slots"]) == 2


def test_charts_say_what_they_show_in_words_that_the_catalogue_knows() -> None:
    found = knockout(12)
    for draw, title in zip((ratings_chart, course_chart), SHOWN, strict=True):
        for paper in (WIDE, NARROW):
            assert f"<title>{title}</title>" in draw(found, paper).svg()
            assert f'viewBox="0 0 {paper.width} ' in draw(found, paper).svg()
        assert words("fr")(SHOWN[title]) != SHOWN[title]
    assert all(words("fr")(meaning) != meaning for _, meaning in TIES.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (write_reason(not_come(600)), "n’est pas venu en 10 min"),
        (write_reason(Reason("nobody-came", why=WITHDREW)),
         "aucun joueur n’est venu\N{NO-BREAK SPACE}; du premier\N{NO-BREAK SPACE}: s’est retiré de la compétition"),
        (write_reason("something that an engine said"), "something that an engine said"),
        (write_reason(Reason("quoted", text="one\ntwo")), "one\\ntwo"),
        ("no reason of ours\n", "no reason of ours\\n"),
        ("", ""),
    ],
)  # fmt: skip
def test_why_a_game_ended_is_told_from_its_record(text: str, told: str) -> None:
    assert reason_in(words("fr"), text) == told


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        ((not_come(600), not_come(600)), "n’est pas venu en 10 min"),
        ((WITHDREW, not_come(90)), "s’est retiré de la compétition; n’est pas venu en 90 s"),
        ((), ""),
    ],
)
def test_who_failed_alike_is_told_once(reasons: tuple[Reason, ...], told: str) -> None:
    assert words("fr").of(reasons) == told


@pytest.mark.parametrize(
    ("why", "told"),
    [
        (Halt(ABANDONED, 3, 6, Reason("quoted", text="the cat came")), "la partie 3 a été abandonnée 6 fois\u00a0: the cat came"),
        (Halt(NOT_BEGUN, 7, why=Reason("no room\nat all")), "la partie 7 ne peut pas commencer\u00a0: no room\nat all"),
        (Halt(NOT_BEGUN, 7, why=WITHDREW), "la partie 7 ne peut pas commencer\u00a0: s’est retiré de la compétition"),
        (StageError("nobody plays alone: at least two must have entered"),
         "personne ne joue seul\u00a0: il faut au moins deux inscrits"),
        (STUMBLES, "notre maison a trébuché, et réessaie d’elle-même"),
        (Reason("anything else"), "anything else"),
        (None, ""),
    ],
)  # fmt: skip
def test_why_a_competition_waits(why: object, told: str) -> None:
    assert words("fr").of(why) == told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("- a\n- <b>", "<ul><li>a</li><li>&lt;b&gt;</li></ul>"),
        ("    x = 1 < 2\n    y", "<pre><code>x = 1 &lt; 2\ny</code></pre>"),
        ("see http://a.example/?y&z.", f'<p>see <a href="http://a.example/?y&amp;z" {REL}>http://a.example/?y&amp;z</a>.</p>'),
        ("javascript:alert(1)", "<p>javascript:alert(1)</p>"),
        ('http://a.example/"x=', f'<p><a href="http://a.example/" {REL}>http://a.example/</a>&#34;x=</p>'),
    ],
)  # fmt: skip
def test_what_people_write_is_shown_as_they_meant_it(text: str, shown: str) -> None:
    assert prose(text) == shown


@given(st.text(max_size=300))
def test_text_stays_text(text: str) -> None:
    bare = prose(text)
    for tag in ("p", "ul", "li", "pre", "code", "br", "a"):
        for mark in (f"<{tag}>", f"</{tag}>", f"<{tag} "):
            bare = bare.replace(mark, "")
    assert "<" not in bare
