"""What a bot's author imports: a class becomes a program, and mistakes are told in words."""

import subprocess
import sys
from pathlib import Path

import pytest

from arbitre.bot import load
from arbitre.crypto.keys import Key
from arbitre.errors import PlayerStringError
from tests.reasons import english
from tests.transport.tables import EXAMPLES

HEAD = "0f" * 32
DIALOGUE = f"hello 2 tictactoe 2\nposition 000010000 2\nask 2 5000 {HEAD} 1 2 3\n"

LOUD = """
import os
from arbitre.bot import Bot, Resign, run

print("loading")

class First(Bot):
    def move(self, position):
        print("thinking about", position.text, position.left, position.refused)
        os.write(1, b"from below\\n")
        return position.legal[0]

class Second(Bot):
    def move(self, position):
        raise Resign("no use")

class Third(Bot):
    def move(self, position):
        return position.legal[1 // 0]

run(First)
"""


@pytest.fixture
def loud(tmp_path: Path) -> Path:
    file = tmp_path / "loud.py"
    file.write_text(LOUD)
    return file


def talk(*command: str, said: str = DIALOGUE) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], input=said, capture_output=True, text=True, check=False)


def test_what_a_bot_prints_harms_nobody(loud: Path) -> None:
    done = talk("-m", "arbitre.bot", f"{loud}:First")
    assert (done.returncode, done.stdout) == (0, "hello 2 First\nmove 1\n")
    assert "loading" in done.stderr
    assert "thinking about 000010000 2 5000" in done.stderr
    assert "from below" in done.stderr


def test_the_class_is_chosen(loud: Path) -> None:
    assert talk("-m", "arbitre.bot", f"{loud}:Second").stdout == "hello 2 Second\nresign no use\n"


def test_the_file_may_run_itself(loud: Path) -> None:
    assert talk(str(loud)).stdout == "loading\nhello 2 First\nmove 1\n", "what is printed before run is the author's own affair"


def test_a_crash_is_told_last(loud: Path) -> None:
    done = talk("-m", "arbitre.bot", f"{loud}:Third")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ZeroDivisionError")


PLAIN = """import random

def move(p):
    print(sorted(p), p["text"], p["left"], p["refused"], p["seat"], p["any"] in p["legal"])
    return random.choice(p["legal"])
"""


def test_a_file_may_have_a_function_instead_of_a_class(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(PLAIN)
    for named in ("", ":move"):
        done = talk("-m", "arbitre.bot", f"{file}{named}")
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, "hello 2 mine")
        assert "['any', 'left', 'legal', 'refused', 'seat', 'text', 'turn'] 000010000 2 5000" in done.stderr


def test_one_match_after_the_other(loud: Path) -> None:
    refused, end = '{"cell":1,"code":"occupied"}', '{"code":"three-in-a-row","seat":0}'
    twice = f"{DIALOGUE}refused {refused}\nask 2 10 {HEAD}\nend 1 rules {end}\n{DIALOGUE}"
    done = talk("-m", "arbitre.bot", f"{loud}:First", said=twice)
    assert done.stdout == "hello 2 First\nmove 1\nmove 1\nhello 2 First\nmove 1\n"
    assert "10 1 is taken\n" in done.stderr


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("hello 2 checkers 1\n", "no game is called 'checkers'"),
        ("hello 2 tictactoe 1 size=4\n", "has no option 'size'"),
        ("hello 1 tictactoe 1\n", "version '1' of the protocol"),
        (f"hello 2 tictactoe 1\nposition 3\nask 1 - {HEAD}\n", "bad position '3'"),
        (f"ask 1 - {HEAD}\n", "the referee said no hello"),
    ],
)
def test_a_referee_that_makes_no_sense(said: str, why: str) -> None:
    done = talk("-m", "arbitre.bot", str(EXAMPLES / "first.py"), said=said)
    assert done.returncode == 1
    assert why in done.stderr.splitlines()[-1]
    assert done.stderr.startswith("arbitre: error: ")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nowhere.py", "there is no file 'nowhere.py'"),
        ("", "there is no file ''"),
        ("loud.py", "there are First, Second, Third: say loud.py:CLASS"),
        ("loud.py:Fourth", "there are First, Second, Third: say loud.py:CLASS"),
        ("loud.py:Bot", "there are First, Second, Third: say loud.py:CLASS"),
        ("empty.py", "there is none: say empty.py:CLASS"),
        ("notes.txt", "'notes.txt' is no Python file"),
    ],
)
def test_a_file_that_names_no_bot(text: str, why: str, loud: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(loud.parent)
    for name in ("empty.py", "notes.txt"):
        Path(name).touch()
    with pytest.raises(PlayerStringError) as caught:
        load(text)
    assert why in english(caught.value)


def test_usage() -> None:
    done = talk("-m", "arbitre.bot")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m arbitre.bot ")
    assert "FILE[:CLASS]" in done.stderr


def test_a_bot_signs_records_and_nothing_else() -> None:
    source = "from arbitre.bot import run; from arbitre.crypto.keys import Key; from arbitre.games.anyone import Anyone\n"
    called = f"hello 2 tictactoe 1 match=m commitment={HEAD} referee={HEAD}\n"
    done = talk("-c", f"{source}run(Anyone, Key(bytes(32)))", said=f"{called}sign {HEAD}\nrecord 1 15\npay the bearer\n")
    hello, answer = done.stdout.splitlines()
    assert hello == f"hello 2 Anyone key={Key(bytes(32)).public.hex()}"
    assert answer.startswith("decline no-journal "), "it signs what it says of it, and says no"
