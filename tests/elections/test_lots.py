"""Lots: an order from one set of Commits, with a transcript that proves it; and the trials behind the manual's figures."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from arbitre.elections import Fault, Opening, write_commit, write_reveal
from arbitre.elections.lots import draw_lots, draw_lots_here, lot_terms, order_of
from arbitre.elections.proof import verify_source
from arbitre.elections.transcript import open_source
from arbitre.elections.trial import Fairness, Trial, abort, chi_square_tail, copy, equivocate, fairness, grind, pact
from arbitre.errors import ElectionError, OptionError
from arbitre.referee.verify import Proof
from tests.elections.forge import nonce
from tests.reasons import gives, raises

NAMES = ["north", "south", "east", "west"]


def made(purpose: str, names: list[str]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    terms = lot_terms(purpose)
    openings = {name: Opening(nonce(terms, name, purpose), index) for index, name in enumerate(names)}
    return {name: write_commit(terms, one) for name, one in openings.items()}, {
        name: write_reveal(terms, one) for name, one in openings.items()
    }


def test_every_contestant_has_one_place_and_the_transcript_proves_it(tmp_path: Path) -> None:
    commits, reveals = made("cup-1/seeding", NAMES)
    lots = draw_lots("cup-1/seeding", NAMES, commits, reveals)
    assert sorted(lots.order) == sorted(NAMES)
    path = tmp_path / "lots.jsonl"
    path.write_text(lots.transcript)
    with open_source(path) as source:
        assert order_of(source) == lots.order
        assert verify_source(source).standing is Proof.INTACT
    again = draw_lots("cup-1/seeding", list(reversed(NAMES)), dict(reversed(commits.items())), reveals)
    assert again == lots, "who is named first has no part in it"


def test_colours_seats_and_pairs() -> None:
    lots = draw_lots("table-7", NAMES, *made("table-7", NAMES))
    assert set(lots.deal(["white", "black", "red", "green"]).values()) == {"white", "black", "red", "green"}
    assert [one for pair in lots.pairs() for one in pair] == list(lots.order)
    odd = draw_lots("t", NAMES[:3], *made("t", NAMES[:3]))
    assert odd.pairs()[-1][1] is None
    with raises(ElectionError, "%(things)s things for %(places)s contestants", things=2, places=4):
        lots.deal(["white", "black"])


def test_whoever_does_not_reveal_comes_last() -> None:
    commits, reveals = made("p", NAMES)
    del reveals["south"]
    lots = draw_lots("p", NAMES, commits, reveals)
    assert lots.order[-1] == "south"
    assert lots.places[-1].forfeit is not None
    assert lots.places[-1].forfeit.fault is Fault.NO_REVEAL


def test_a_changed_transcript_is_broken(tmp_path: Path) -> None:
    lots = draw_lots("p", NAMES, *made("p", NAMES))
    order = '"order":["' + '","'.join(lots.order)
    path = tmp_path / "t"
    path.write_text(lots.transcript.replace(order, '"order":["' + '","'.join(reversed(lots.order))))
    with open_source(path) as source:
        assert gives(verify_source(source).why, "another order")


@pytest.mark.parametrize(
    ("players", "commits", "why"),
    [(["a", "a"], {}, "different"), (["a"], {"b": b""}, "no contestant")],
)
def test_lots_that_cannot_be_drawn(players: list[str], commits: dict[str, bytes], why: str) -> None:
    with raises(ElectionError, why):
        draw_lots("p", players, commits, {})


def test_all_orders_are_equally_likely() -> None:
    random = Random(3)
    orders = Counter(draw_lots_here(f"g{i}", "abc", random.randbytes, random.randrange).order for i in range(1_200))
    assert len(orders) == 6
    assert chi_square_tail(sum((count - 200) ** 2 / 200 for count in orders.values()), 5) > 0.001


# ── trials ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [(7.31, 4, 0.1203), (0.0, 3, 1.0), (3.841459, 1, 0.05), (18.307, 10, 0.05), (124.342, 100, 0.05), (200.0, 4, 3.79e-42)],
)
def test_tail_of_chi_square(statistic: float, degrees: int, tail: float) -> None:
    """Against printed tables, and the spec's own figure."""
    assert chi_square_tail(statistic, degrees) == pytest.approx(tail, rel=2e-3)


def test_the_figure_of_the_spec() -> None:
    figure = Fairness((20043, 20215, 19690, 20044, 20008), 0)
    assert figure.statistic == pytest.approx(7.31, abs=0.005)
    assert figure.p_value == pytest.approx(0.12, abs=0.005)


def test_honest_elections_are_fair() -> None:
    found = fairness(Trial(games=4_000))
    assert found.undecided == 0
    assert found.p_value > 0.001


TRIAL = Trial(games=400, tries=32)


def test_copying_never_ends_in_draft_mode_and_convicts_in_strong_mode() -> None:
    loose, strict = copy(TRIAL, "draft"), copy(TRIAL, "strong")
    assert loose.rate == pytest.approx(0.25, abs=5 * loose.error)
    assert (strict.rate, strict.convicted) == (0.0, 1.0)


def test_two_of_five_who_reveal_last_win_two_thirds() -> None:
    loose = abort(TRIAL, "draft")
    assert loose.rate == pytest.approx(0.667, abs=5 * loose.error)
    assert abort(TRIAL, "strong").convicted > 0.2, "and in strong mode each abort has a name"
    late = abort(TRIAL, "announced")
    assert late.rate < 0.4 + 5 * late.error


def test_grinding_pays_for_few_states_in_draft_mode_only() -> None:
    few = Trial(games=300, states=3, tries=64)
    loose, strict = grind(few, "draft"), grind(few, "strong")
    assert loose.rate > 0.2 + 5 * loose.error
    assert strict.rate == pytest.approx(0.2, abs=5 * strict.error)


def test_a_pact_of_last_committers_pays_unless_a_value_is_announced() -> None:
    trial = Trial(parties=3, states=2**31 - 1, games=150, tries=32)
    assert pact(trial, "strong").rate > 2 / 3 + 0.05
    late = pact(trial, "announced")
    assert late.rate == pytest.approx(2 / 3, abs=5 * late.error)


def test_equivocation_divides_in_draft_mode_and_convicts_in_strong_mode() -> None:
    loose, strict = equivocate(Trial(games=100), "draft"), equivocate(Trial(games=4), "strong")
    assert loose.rate > 0.5
    assert (strict.rate, strict.convicted) == (0.0, 1.0)


@pytest.mark.parametrize("wrong", [{"parties": 1}, {"parties": 65}, {"games": 0}, {"coalition": 5}, {"tries": 0}])
def test_trials_that_would_not_end(wrong: dict[str, int]) -> None:
    with pytest.raises(OptionError):
        Trial(**wrong)
