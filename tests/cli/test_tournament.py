"""`arbitre tournament` as a user meets it: faults told in words, and the same command twice."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.cli.test_cli import arbitre

DEAD = "http://127.0.0.1:9/engine"
RUN = ("tournament", "run", "--game", "tictactoe", "--player", "random", "--player")


def test_an_engine_that_is_not_there_is_named_with_its_games_and_a_warning(tmp_path: Path) -> None:
    done = arbitre(*RUN, f"quiet={DEAD}", "--games", "2", "--data", str(tmp_path))
    assert done.returncode == 0
    assert "quiet: gone, or never there, 2 games lost (numbers 1, 2)" in done.stdout
    assert f"arbitre: warning: quiet lost every game because nobody was there: does {DEAD} run?" in done.stderr
    shown = arbitre("tournament", "show", "--data", str(tmp_path))
    assert (shown.stdout, shown.stderr) == (done.stdout, done.stderr)
    told = next(line for line in shown.stdout.splitlines() if "is told by: arbitre " in line)
    story = arbitre(*told.partition("is told by: arbitre ")[2].split())
    assert story.returncode == 0
    assert "the call was not taken" in story.stdout


def test_the_same_command_twice_makes_two_tournaments(tmp_path: Path) -> None:
    for name in ("tictactoe tournament", "tictactoe tournament 2", "tictactoe tournament 3"):
        done = arbitre(*RUN, "other=random", "--data", str(tmp_path))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"{name}: finished")
    named = arbitre(*RUN, "other=random", "--data", str(tmp_path), "--name", "tictactoe tournament")
    assert named.returncode == 1
    assert "is in" in named.stderr
    assert "already: resume it, or give this one another --name" in named.stderr


def test_two_terminals_at_once_make_two_tournaments(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as terminals:
        held = [terminals.submit(arbitre, *RUN, "other=random", "--data", str(tmp_path)) for _ in range(4)]
    assert [one.result().stderr for one in held] == [""] * 4
    names = {one.result().stdout.partition(":")[0] for one in held}
    assert names == {"tictactoe tournament", *(f"tictactoe tournament {number}" for number in (2, 3, 4))}


def test_a_bot_that_chatters_is_told_what_to_say(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text("print('ready to play', flush=True)\ninput()\n", encoding="ascii")
    done = arbitre(*RUN, f"chatty=cmd:{sys.executable} {tmp_path}/chatty.py", "--data", str(tmp_path))
    told = " ".join(done.stdout.split())
    assert "'ready to play' is no line of a bot: say move MOVE or resign, and debug on standard error" in told


def test_players_are_looked_at_before_names(tmp_path: Path) -> None:
    arbitre(*RUN, "other=random", "--data", str(tmp_path), "--name", "club")
    wrong = arbitre(*RUN, "nobody:here", "--data", str(tmp_path), "--name", "club")
    assert wrong.returncode == 1
    assert "a player is one of" in wrong.stderr
