"""The manual's page "Bots on a pipe" says what is so: its dialogue, its first bot, its bounds."""

import re
from fractions import Fraction

from arbitre.games.catalogue import game
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.transport import pipe as stdio
from arbitre.transport import process
from arbitre.transport.pipe import Asked, BotSide, Called, Ended, Garbled, RefereeSide, Refused, Shown
from arbitre.transport.process import ProcessLimits
from arbitre.transport.sandbox import ROOM
from tests.transport.tables import EXAMPLES

game("tictactoe")  # its codes are declared with its rules

PAGE = (EXAMPLES.parent.parent / "docs" / "bots.md").read_text(encoding="utf-8")


def test_the_first_bot_is_the_example() -> None:
    assert (EXAMPLES / "plain.py").read_text(encoding="utf-8") in PAGE


def proof(event: Called) -> dict[str, str]:
    return {"match": event.match, "commitment": event.commitment, "referee": event.referee}


def test_the_dialogue_is_in_the_protocol() -> None:
    [dialogue] = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    referee, bot = RefereeSide(), BotSide()
    refused: Reason | None = None
    shown = ""
    for line in dialogue.splitlines():
        side, said = line[0], line[2:].encode() + b"\n"
        if side == "<":
            assert not any(isinstance(event, Garbled) for event in referee.receive(said)), line
            continue
        [event] = bot.receive(said)
        if isinstance(event, Called):
            assert referee.hello(event.game, event.seat, None, **proof(event)) == said
        elif isinstance(event, Refused):
            refused = event.why
        elif isinstance(event, Shown):
            shown = event.text
        elif isinstance(event, Asked):
            assert referee.ask(shown, event.turn, event.left, event.head, event.moves, refused).endswith(said)
            refused = None
        elif isinstance(event, Ended):
            assert referee.end(Fraction(1), "rules", Reason("three-in-a-row", seat=0)) == said


def test_the_bounds_are_ours() -> None:
    for number in (stdio.LONGEST_LINE, stdio.MOST_COMMENT, process.ERRORS_KEPT):
        assert f"{number:,}" in PAGE
    limits = ProcessLimits()
    assert (limits.cpu, limits.memory, limits.file, ROOM) == (3_600, 2 << 30, 256 << 20, 64 << 20)
    assert f"{limits.group:,} processes and threads" in PAGE
    assert process.FAREWELL_SECONDS == 0.5
    for words in ("an hour of CPU time", "2 GiB of data", "files of 256 MiB", "64 MiB", "half a second", "twenty seconds"):
        assert words in PAGE.replace("\n", " ")


def test_every_way_a_bot_can_lose_is_told() -> None:
    for termination in set(Termination) - {Termination.RULES, Termination.ADJUDICATED}:
        assert f"`{termination.value}`" in PAGE
