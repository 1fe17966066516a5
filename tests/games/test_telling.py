"""What happens in a game in words: every golden game is told, nothing is left in codes, and no eye hears a secret."""

import pytest

from arbitre.games.catalogue import game, listing
from arbitre.games.game import FIRST, SECOND
from arbitre.games.notation import notation_of
from arbitre.games.poker.hands import Card, strength
from arbitre.games.poker.telling import called
from arbitre.games.telling import telling_of
from arbitre.reasons import Reason
from arbitre.records.record import read_record
from arbitre.referee.scenes import scenes
from arbitre.referee.story import story, tell
from arbitre.web.telling import Teller, screen_for
from arbitre.words import words
from tests.golden.make import FOLDER
from tests.house import HOUSE
from tests.reasons import gives


def golden(name: str) -> tuple[list[str], list[str]]:
    """Return the story of a golden game in both languages."""
    told = tell(read_record((FOLDER / f"game-{name}.record").read_bytes()))
    english, french = (list(story(told, said=words(language).of)) for language in ("en", "fr"))
    return english, french


@pytest.mark.parametrize("name", HOUSE)
def test_every_golden_game_is_told_in_both_languages(name: str) -> None:
    english, french = golden(name)
    assert len(english) == len(french) > 3
    if not listing(name).telling or name in ("pente", "kriegspiel"):  # no pair is taken there, and the umpire tells the other
        return
    moves = [line for line in english if " · " in line and line[:4].strip().isdigit()]
    assert moves, "something is said of a move"
    assert moves != [line for line in french if " · " in line and line[:4].strip().isdigit()]


@pytest.mark.words("a sentence ends with a full stop")
@pytest.mark.parametrize("name", HOUSE)
def test_every_game_says_what_one_plays_for(name: str) -> None:
    goal = telling_of(game(name)).goal()
    assert goal is not None
    english, french = (words(language).of(goal) for language in ("en", "fr"))
    assert english != french
    assert english.endswith(".")
    assert french.endswith(".")


def test_a_goal_follows_the_options() -> None:
    assert telling_of(game("bigtictactoe", {"first": True})).goal() != telling_of(game("bigtictactoe")).goal()
    assert gives(telling_of(game("rochambeau", {"goal": 7})).goal(), "The first to come to %(points)s.", points=7)


@pytest.mark.parametrize("name", HOUSE)
@pytest.mark.parametrize("eye", [FIRST, SECOND, "spectator", "referee"])
def test_every_eye_is_told_every_scene(name: str, eye: object) -> None:
    told = tell(read_record((FOLDER / f"game-{name}.record").read_bytes()))
    teller = Teller(screen_for(told.match.game, frozenset()), ("Ada", "Zoë"), words("en"), game=told.match.game, below=FIRST)
    assert all(teller.tell(scene) for scene in scenes(told, eye))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "seat", "before", "text", "said"),
    [
        ("reversi", 0, "", "D3", "one disc turned"),
        ("tictactoe", 0, "", "5", "the centre"),
        ("draughts", 0, "W:W33:B28 1", "33x22", "one piece taken"),
    ],
)
def test_a_move_in_words(name: str, seat: int, before: str, text: str, said: str) -> None:
    table = game(name)
    notation = notation_of(table)
    start = notation.read_state(before) if before else table.start()
    after = table.play(start, {FIRST: notation.read(text, start)})
    deed = telling_of(table).move(text, FIRST, start, after, "Ada")
    assert deed is not None
    assert deed.words == Reason(said)


def test_a_hand_of_poker_has_its_name() -> None:
    cards = tuple(map(Card, (11, 24, 2, 15, 40, 46, 9)))  # two kings, two fours
    assert called(strength(cards)) == Reason("two pairs, %(one)s and %(two)s", one=Reason("kings"), two=Reason("fours"))
