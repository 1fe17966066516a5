"""A finished game of Kriegspiel as PGN, for chess programs to replay.

The true moves stand in SAN; what the umpire said, and each try that he refused, stand in comments. Names and refused words come
from strangers, so nothing of theirs can end a tag or a comment, begin a line that PGN reads as an escape, or break a line.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import chess

from arbitre.errors import shorten
from arbitre.games.exports import Finished
from arbitre.games.game import Outcome
from arbitre.games.kriegspiel.announcements import Language, words
from arbitre.games.kriegspiel.rules import Told, Truth
from arbitre.values import value

Result = Literal["1-0", "0-1", "1/2-1/2", "*"]

WIDE = 79
UNSAFE = re.compile(r"[^A-Za-z0-9+=#.,:-]")
"""What a refused try is shown without: braces, percent signs, quotes, controls."""
INSIDE = re.compile(r"[{}%\x00-\x1f\x7f]")
"""What an ending, in which names may stand, is shown without."""


@value
class Tags:
    """Who played where and when: six of PGN's seven obligatory tags; the result is the seventh."""

    event: str = "?"
    site: str = "?"
    date: str = "????.??.??"
    round: str = "?"
    white: str = "?"
    black: str = "?"


def export(match: Finished, language: Language = "en", ending: str = "") -> str:
    """Return a finished match as PGN, with the umpire's words in a language and `ending` as its last word."""
    notes = match.notes
    date = notes.get("date", "????.??.??").replace("-", ".")
    tags = Tags(notes.get("event", "?"), "?", date, notes.get("round", "?"), match.names[0], match.names[1])
    result = match.result("1-0", "1/2-1/2", "0-1")
    return write_pgn(match.start, match.said, tags, result, language, ending)  # type: ignore[arg-type]


def write_pgn(
    start: Truth,
    tries: Iterable[tuple[str, Truth]],
    tags: Tags | None = None,
    result: Result | None = None,
    language: Language = "en",
    ending: str = "",
) -> str:
    """Return the game that began at `start`: each try as it was said, with the truth after it.

    The result is that of the last truth unless it was decided otherwise, by resignation or the clock. The last comment ends with
    `ending`, where that is said, or with the reason that the rules give.
    """
    story = list(tries)
    last = story[-1][1] if story else start
    ended: Result = result or result_of(last.end)
    why = ending or (str(last.end.reason) if last.end else "")
    tokens = [*_movetext(start, story, language, why), ended]
    return "\n".join([*_header(start, tags or Tags(), ended), "", *_lines(tokens), ""])


def result_of(end: Outcome | None) -> Result:
    """Return an outcome as PGN writes it, `*` for none."""
    if end is None:
        return "*"
    white, black = end.scores
    return "1/2-1/2" if white == black else "1-0" if white > black else "0-1"


def _header(start: Truth, tags: Tags, result: Result) -> Iterator[str]:
    named = {
        "Event": tags.event,
        "Site": tags.site,
        "Date": tags.date,
        "Round": tags.round,
        "White": tags.white,
        "Black": tags.black,
        "Result": result,
    }
    if start.board.fen() != chess.STARTING_FEN:
        named |= {"SetUp": "1", "FEN": start.board.fen(en_passant="fen")}
    for name, text in named.items():
        yield f'[{name} "{escape(text)}"]'


def escape(text: str) -> str:
    """Return a tag's value as PGN quotes it: on one line, backslashes and quotes behind a backslash."""
    line = "".join(character if character.isprintable() else " " for character in shorten(text, 200))
    return line.replace("\\", "\\\\").replace('"', '\\"')


def _movetext(start: Truth, story: list[tuple[str, Truth]], language: Language, ending: str) -> Iterator[str]:
    """Yield moves, their numbers and the words of comments, each a token that a line may break after."""
    said = _sentences(start.now, language)
    before = start
    for text, after in story:
        if after.turn == before.turn:
            answer = ". ".join(_sentences(after.now[len(before.now) :], language))
            said.append(f"{UNSAFE.sub('?', shorten(text.strip(), 20))}: {answer}")
        else:
            yield from _comment(said)
            board = before.board
            yield f"{board.fullmove_number}{'.' if board.turn else '...'}"
            yield board.san(chess.Move.from_uci(text.strip().lower()))
            said = _sentences(after.past[-1][len(before.now) :] + after.now, language)
        before = after
    yield from _comment([*said, *([INSIDE.sub("?", ending)] if ending else ())])


def _sentences(told: Told, language: Language) -> list[str]:
    return [words(one, language) for one in told]


def _comment(sentences: list[str]) -> Iterator[str]:
    if sentences:
        yield from f"{{{'. '.join(sentences)}}}".split(" ")


def _lines(tokens: Iterable[str]) -> Iterator[str]:
    line = ""
    for token in tokens:
        if line and len(line) + 1 + len(token) > WIDE:
            yield line
            line = token
        else:
            line = f"{line} {token}" if line else token
    yield line
