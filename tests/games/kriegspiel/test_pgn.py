"""PGN that chess programs read back, whatever strangers called themselves or tried."""

import io
from random import Random

import chess
import chess.pgn
import pytest

from arbitre.games.game import playout
from arbitre.games.kriegspiel.notation import KriegspielNotation
from arbitre.games.kriegspiel.pgn import Tags, write_pgn
from arbitre.games.kriegspiel.rules import Kriegspiel, Truth
from arbitre.reasons import Reason

GAME = Kriegspiel()
TEXT = KriegspielNotation(GAME)


def told(state: Truth, *tries: str) -> list[tuple[str, Truth]]:
    """Play tries; what begins with an exclamation mark is refused as illegal."""
    story = []
    for text in tries:
        if text.startswith("!"):
            state = GAME.refuse(state, state.mover)
        else:
            state = GAME.play(state, {state.mover: TEXT.read(text, state)})
        story.append((text.removeprefix("!"), state))
    return story


def back(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    assert all(len(line) <= 79 for line in text.split("\n\n", 1)[1].split("\n"))
    return game


def test_a_whole_game() -> None:
    start = GAME.start()
    tags = Tags("Evening", "Paris", "2013.06.01", "1", "Ada", "Blaise")
    text = write_pgn(start, told(start, "f2f3", "e7d6", "e7e5", "g2g4", "d8h4"), tags)
    assert text == (
        '[Event "Evening"]\n[Site "Paris"]\n[Date "2013.06.01"]\n[Round "1"]\n[White "Ada"]\n[Black "Blaise"]\n[Result "0-1"]\n'
        "\n"
        "{White to move} 1. f3 {Black to move. e7d6: Not possible} 1... e5 {White to\n"
        "move} 2. g4 {Black to move} 2... Qh4# {" + str(Reason("checkmate", seat=1)) + "} 0-1\n"
    )


@pytest.mark.parametrize("seed", range(5))
def test_random_games_are_read_back(seed: int) -> None:
    steps = list(playout(GAME, Random(seed)))
    story = [(TEXT.write(next(iter(step.moves.values()))), step.after) for step in steps]
    game = back(write_pgn(GAME.start(), story))
    board = game.end().board()
    assert board.fen() == steps[-1].after.board.fen()
    made = [text for text, after in zip(story, [GAME.start(), *(s for _, s in story)], strict=False) if text[1].turn > after.turn]
    assert [move.uci() for move in game.mainline_moves()] == [text for text, _ in made]
    assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2")


def test_other_starts_are_set_up() -> None:
    start = TEXT.read_state("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 7")
    game = back(write_pgn(start, told(start, "e5d6")))
    assert game.headers["SetUp"] == "1"
    assert game.headers["FEN"] == "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 7"
    assert game.comment.split() == ["White", "to", "move", "with", "1", "possible", "pawn", "captures"]
    assert game.end().comment.split() == ["Pawn", "gone.", "Black", "to", "move"]
    assert game.headers["Result"] == "*"


def test_black_may_begin() -> None:
    start = TEXT.read_state("4k3/8/8/8/8/8/8/4K2R b K - 0 7")
    text = write_pgn(start, told(start, "e8d7", "e1g1"), result="1-0", language="fr")
    assert "7... Kd7" in text
    assert "Aux Blancs de jouer" in text.replace("\n", " ")
    assert back(text).headers["Result"] == "1-0"


@pytest.mark.parametrize(
    "name", ['Ann "the rook" Lee', "back\\slash", 'end"]\n[Result "1-0', "{x}", "x" * 500, "éà漢", '\\"', "\r\n%"]
)
def test_no_name_breaks_out_of_its_tag(name: str) -> None:
    start = GAME.start()
    game = back(write_pgn(start, told(start, "e2e4"), Tags(white=name)))
    assert game.headers["Result"] == "*"
    read = game.headers["White"].replace('\\"', '"').replace("\\\\", "\\")
    shown = "".join(c if c.isprintable() else " " for c in name)
    assert read == (shown if len(shown) <= 200 else shown[:199] + "…")
    assert list(game.mainline_moves()) == [chess.Move.from_uci("e2e4")]


@pytest.mark.parametrize("text", ["} 1. d4 {", "%evil", "a\nb", "; rest", "é" * 100, "", "(e5)", "[Result", "\\"])
def test_no_refused_words_break_out_of_their_comment(text: str) -> None:
    start = GAME.start()
    game = back(write_pgn(start, told(start, f"!{text}", f"!{text}", "e2e4")))
    assert list(game.mainline_moves()) == [chess.Move.from_uci("e2e4")]
    assert game.comment.replace("\n", " ").count(": Illegal move") == 2


def test_nothing_played() -> None:
    assert back(write_pgn(GAME.start(), [])).comment == "White to move"
