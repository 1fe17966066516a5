"""Texts of poker: the trays of the protocol, what is read, what is written, what is refused and why."""

from random import Random

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND, Eye, playout
from arbitre.games.poker.notation import CARDS, NUMBERS, PokerNotation, engine_tray, interface_tray, past_tray
from arbitre.games.poker.rules import Poker
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Poker()
TEXT = PokerNotation(GAME)

FOLDED = "01001????????M1-2"
SHOWN = "01009SASKC7D2HKH9C3S4DJM3-3M4-4M5-5M6-6"


def test_cards_are_suit_and_value() -> None:
    assert len(set(CARDS)) == 52
    assert {"SA", "HT", "D2", "CK"} <= set(CARDS)
    assert NUMBERS["S1"] == NUMBERS["SA"], "an ace may come as 1"


@pytest.mark.parametrize(
    ("state", "eye", "engine", "interface"),
    [
        ("01001SASKC7D2M1-2 0 -", FIRST, "01001SASK????M1-2", "01001SASK????M1-2"),
        ("01002SASKC7D2M12-?2 0 -", SECOND, "01002????C7D2M12-?2", "01002????C7D2M12-?2"),
        ("01001SASKC7D2M?10-12 0 -", FIRST, "01001SASK????M?10-12", "01001SASK????M?10-12"),
        ("07033SASKC7D2HKH9C3M6-6M6-6 0 -", SECOND, "07033????C7D2HKH9C3M6-6M6-6", "07033????C7D2HKH9C3M6-6"),
        ("07034SASKC7D2HKH9C3M6-6M?6-8 0 -", FIRST, "07034SASK????HKH9C3M6-6M?6-8", "07034SASK????HKH9C3M?6-8"),
        (
            "07037SASKC7D2HKH9C3S4DJM6-6M8-8M9-9M20-?10 0 -",
            "spectator",
            "07037????????HKH9C3S4DJM6-6M8-8M9-9M20-?10",
            "07037????????HKH9C3S4DJM20-?10",
        ),
        ("01009SASKC7D2M100-100 0 -", "referee", "01009SASKC7D2M100-100", "01009SASKC7D2M100-100"),
        ("01001SA------M1-2 0 -", FIRST, "01001SA??????M1-2", "01001SA??????M1-2"),
    ],
)
def test_trays(state: str, eye: Eye, engine: str, interface: str) -> None:
    view = GAME.view(TEXT.read_state(state), eye)
    assert engine_tray(view) == engine
    assert interface_tray(view) == interface


@pytest.mark.parametrize(
    ("present", "past", "tray"),
    [
        ("02001--------M2-1 -1", FOLDED, "01001????????M0-2"),
        ("02001--------M2-1 2", "01002????????M12-?2", "01002????????M12-0"),
        ("02001--------M2-1 -10", "01001????????M?10-12", "01001????????M0-12"),
        ("02001--------M2-1 6", "01003????????HKH9C3M6-6M6-6", "01003????????HKH9C3M6-0"),
        ("02011--------M2-1 6", SHOWN, "01009SASKC7D2HKH9C3S4DJM6-6"),
    ],
)
def test_the_last_tray_of_a_hand(present: str, past: str, tray: str) -> None:
    assert past_tray(TEXT.read_state(f"{present} {past}").past[-1]) == tray


def test_a_game_that_is_over_shows_its_last_hand_to_interfaces() -> None:
    table = TEXT.read_state(f"over 5 {SHOWN.replace('01009', '99009')}")
    assert interface_tray(GAME.view(table, "spectator")) == "99009SASKC7D2HKH9C3S4DJM6-6"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("01001--------M1-2 0 -", "01001--------M1-2 0 - 1"),
        ("02001--------M2-1 -1 -", "02001--------M2-1 -1 - 2"),
        ("02001--------M2-1 +2 -", "02001--------M2-1 2 - 2"),
        (f"02001--------M2-1 -1 {FOLDED} 2", f"02001--------M2-1 -1 {FOLDED} 2"),
        (f"02011--------M2-1 6 {SHOWN} 12", f"02011--------M2-1 6 {SHOWN} 12"),
        (" 01001s1skc7d2m1-2  0 -  1 ", "01001SASKC7D2M1-2 0 - 1"),
        ("01002SASKC7D2M003-?2 0 -", "01002SASKC7D2M3-?2 0 - 2"),
        ("01009SASKC7D2HKM100-100 0 -", "01009SASKC7D2HKM100-100 0 - 1"),
        ("01003SASKC7D2HKM3-3M3-3 0 -", "01003SASKC7D2HKM3-3M3-3 0 - 2"),
        ("99111--------M1-2 9800 -", "99111--------M1-2 9800 - 1"),
    ],
)
def test_positions(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", Reason("expected so many fields", fields=3)),
        ("01001--------M1-2", Reason("expected so many fields", fields=3)),
        ("Init 0 -", "a hand is rank, showdowns, step"),
        ("01001--------M1 0 -", "a hand is rank, showdowns, step"),
        ("00001--------M1-2 0 -", Reason("is a whole number from", what="the rank", least=1, most=99)),
        ("01011--------M1-2 0 -", Reason("is a whole number from", what="the number of showdowns", least=0, most=0)),
        ("20121--------M2-1 0 -", Reason("is a whole number from", what="the number of showdowns", least=0, most=11)),
        ("01001SASXC7D2M1-2 0 -", Reason("is no card: suits are S C H D, values 2 to 9 and T J Q K A", name="SX")),
        ("01001SASAC7D2M1-2 0 -", "no card is dealt twice"),
        ("01001SASKC7D2S1M1-2 0 -", "no card is dealt twice"),
        ("01003SASKC7D2HKH9??M3-3M3-3 0 -", Reason("is no card: suits are S C H D, values 2 to 9 and T J Q K A", name="??")),
        ("01001SASK????M1-2 0 -", Reason("hole card %(n)s cannot be %(name)s here: %(sight)s", n=3, name="??")),
        ("01001--SAC7D2M1-2 0 -", "the first player's cards are dealt first"),
        ("01002SASK----M3-?2 0 -", "nobody bets before the cards are dealt"),
        ("01001SASKC7D2M2-1 0 -", Reason("no bets lead to", one=2, two=1)),
        ("01001SASKC7D2M2-2 0 -", Reason("no bets lead to", one=2, two=2)),
        ("01002SASKC7D2M4-?3 0 -", Reason("no bets lead to", one=4, two=3)),
        ("01002SASKC7D2M101-?2 0 -", Reason("no bets lead to", one=101, two=2)),
        ("01002SASKC7D2M1-2 0 -", Reason("these bets make it step", step=1, step2=2)),
        ("01001SASKC7D2M?1-2 0 -", Reason("?' stands before the total of the seat that must answer a bet", last="M1-2")),
        ("01002SASKC7D2M3-2 0 -", Reason("?' stands before the total of the seat that must answer a bet", last="M3-?2")),
        ("01003SASKC7D2HKH9C3M?3-3M3-3 0 -", "'?' stands in the last round only"),
        ("01003SASKC7D2HKH9C3M3-4M4-4 0 -", Reason("a round before the last ends with equal totals above", base=2)),
        ("01005SASKC7D2HKH9C3S4M4-4M3-3M3-3 0 -", Reason("equal totals above", base=4)),
        ("01003SASKC7D2HKH9C3S4M3-3M3-3 0 -", Reason("cards on the board do not fit", cards=4)),
        ("01004SASKC7D2HKH9M3-3M?3-4 0 -", Reason("cards on the board do not fit", cards=2)),
        ("01009SASKC7D2HKH9C3S4DJM100-100 0 -", Reason("cards on the board do not fit", cards=5)),
        ("01001--------M1-2 1 -", Reason("the first player cannot have a gain of", gain=1, over=0)),
        ("02001--------M2-1 101 -", Reason("the first player cannot have a gain of", gain=101, over=1)),
        (f"02001--------M2-1 -2 {FOLDED}", Reason("the first player cannot have a gain of", gain=-2, over=1)),
        ("02001--------M2-1 1.5 -", "is a whole number from"),
        ("02001--------M2-1 -- -", "is a whole number from"),
        (f"03001--------M1-2 -1 {FOLDED}", Reason("showdowns before it, not hand", rank=1, rank2=2, showdowns=0, showdowns2=0)),
        (f"02001--------M2-1 6 {SHOWN}", Reason("showdowns before it, not hand", rank=1, rank2=2, showdowns=1, rank3=2)),
        (f"02001--------M2-1 -1 {FOLDED},{FOLDED},{FOLDED}", "at most the last two hands"),
        ("02001--------M2-1 -1 01001SASKC7D2M1-2", "a hand that is over was folded"),
        ("02011--------M2-1 0 01009SASKC7D2HKH9C3S4DJM3-3", Reason("no showdown at", one=3, two=3)),
        ("02011--------M2-1 0 01009SASKC7D2HKM100-100", "five cards on the board"),
        ("02011--------M2-1 0 01009????????M100-100", "a hand that is over was folded"),
        ("over 0 -", "a game that is over tells its last hand"),
        (f"over -1 {FOLDED}", Reason("the game is not over after hand", rank=1)),
        ("01001--------M1-2 0 99001????????M1-2", Reason("the game is over after hand", rank=99)),
        ("01001--------M1-2 0 - 2", Reason("player speaks: the turn is", which="first", which2="odd", turn=2)),
        ("01001--------M1-2 0 - 0", Reason("is a whole number from", what="the turn number")),
    ],
)
def test_bad_positions_say_why(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("01001SASK????M1-2 0 - nobody", Reason("the eye is one of %(eyes)s", eyes="first, second, spectator, referee")),
        ("01001SASKC7D2M1-2 0 - first", Reason("hole card %(n)s cannot be %(name)s here: %(sight)s", n=3, name="C7")),
        ("01001????????M1-2 0 - second", Reason("hole card %(n)s cannot be %(name)s here: %(sight)s", n=3, name="??")),
        (
            "01001SASK????M1-2 0 - spectator",
            Reason("hole card %(n)s cannot be %(name)s here: %(sight)s", n=1, name="SA", sight="a spectator sees no hole cards"),
        ),
    ],
)
def test_bad_views_say_why(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_view(text)


VIEW = GAME.view(TEXT.read_state("01001SASKC7D2M1-2 0 -"), FIRST)


@pytest.mark.parametrize(("text", "total"), [("0", 0), ("3", 3), (" 100 ", 100), ("007", 7), ("101", 101), ("-1", 0)])
def test_moves(text: str, total: int) -> None:
    assert TEXT.read(text, VIEW) == total


@pytest.mark.parametrize("text", ["", "fold", "-2", "--1", "+3", "3.0", "1000", "3 3", "٣", "²"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-total", most=100):
        TEXT.read(text, VIEW)


def test_a_picture_shows_what_the_eye_may_see() -> None:
    table = TEXT.read_state("07034SASKCTD2HKH9C3M6-6M?6-8 0 -")
    first, second, spectator = (TEXT.picture(GAME.view(table, eye)) for eye in (FIRST, SECOND, "spectator"))
    assert ["A♠" in picture for picture in (first, second, spectator)] == [True, False, False]
    assert ["10♣" in picture for picture in (first, second, spectator)] == [False, True, False]
    assert [picture.count("░░░") for picture in (first, second, spectator)] == [2, 2, 4]
    assert first.index("second") < first.index("you")
    assert second.index("first ") < second.index("you"), "one sits below"


def test_pictures_fit_a_terminal_whatever_the_cards() -> None:
    longest = (
        "over 0 98009HTDTSTCTHKH9C3S4DJM3-3M4-4M5-5M6-6,99019HTDTSTCTHKH9C3S4DJM97-97M98-98M99-99M100-100",
        "07038SASKCTD2HKH9C3S4DJM97-97M98-98M99-99M?99-100 -600 -",
    )
    views = [GAME.view(TEXT.read_state(text), "referee") for text in longest]
    views += [GAME.view(step.after, FIRST) for step in playout(GAME, Random(3))]
    for view in views:
        lines = TEXT.picture(view).split("\n")
        assert len(lines) <= 22
        assert max(map(len, lines)) <= 79
