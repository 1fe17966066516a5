"""`arbitre tournament` as a user meets it: faults told in words, and the same command twice."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.test_cli import arbitre

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "bots"
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


def test_a_seed_is_for_one_tournament_since_games_are_called_by_it(tmp_path: Path) -> None:
    """Spread over workers, games whose names are taken would be waited for, and never come."""
    for name, status in (("one", 0), ("two", 1)):
        done = arbitre(*RUN, "other=random", "--data", str(tmp_path), "--name", name, "--seed", "x")
        assert done.returncode == status
    assert "the tournament 'one' in" in done.stderr
    assert "has the same seed: choose another --seed, or another --data" in done.stderr
    renewed = arbitre(*RUN, "other=random", "--data", str(tmp_path), "--name", "two", "--seed", "y")
    assert renewed.returncode == 0, "nothing is kept of what was refused"


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


# ── added games ────────────────────────────────────────────────────────────────────────────────────────────────────


def described(example: str, folder: Path, **more: object) -> str:
    """Write the description of Hexapawn to a file, as a site shows it to its owner."""
    file = folder / "hexapawn.json"
    file.write_text(json.dumps({"name": "Hexapawn", "board": "222000111", "url": f"{example}/hexapawn/calls"} | more))
    return str(file)


def hexapawn(*more: str, example: str, data: Path) -> "subprocess.CompletedProcess[str]":
    engine = f"{example}/hexapawn/engine"
    players = [word for name in ("one", "two") for word in ("--player", f"{name}={engine}?key=secret")]
    return arbitre("tournament", "run", *more, *players, "--games", "2", "--data", str(data))


@pytest.mark.parametrize("way", ["a file", pytest.param("options", marks=pytest.mark.campaign)])
def test_engines_play_an_added_game_before_its_referee_and_others_judge_it(example: str, tmp_path: Path, way: str) -> None:
    said = f"--game added --option key=Hexapawn --option board=222000111 --referee {example}/hexapawn/referee?who=secret"
    words = ["--added", described(example, tmp_path)] if way == "a file" else said.split()
    data, out = tmp_path / "data", tmp_path / "out"
    done = hexapawn(*words, "--player", "liar=random", example=example, data=data)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.startswith("Hexapawn tournament: finished, 6 games")
    assert "liar: illegal move, 4 games lost" in done.stdout
    assert "the referee of the game refused the move: " in done.stdout
    handed = arbitre("tournament", "export", "--folder", str(out), "--data", str(data))
    assert "6 records and the plan" in handed.stdout
    assert "secret" not in (out / "plan.json").read_text()
    key = next(word for word in arbitre("tournament", "judge", str(out)).stdout.split() if len(word) == 32)
    checked = arbitre("verify", "--quiet", "--key", key, str(out / "records"))
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (5, "6 attested"), "on the word of somebody else"
    judged = arbitre("tournament", "judge", str(out))
    assert "every result follows from what the referee of Hexapawn said" in judged.stdout
    assert done.stdout.partition("\n  game ")[0] in judged.stdout, "the same standings"


def test_a_referee_who_is_not_there_stops_the_tournament_and_it_goes_on_when_he_is(example: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    engine = f"{example}/hexapawn/engine"
    file.write_text(
        f'game = "added"\nname = "pawns"\nplayers = ["{engine}", "{engine}"]\nreferee = "http://127.0.0.1:9/"\n'
        '[options]\nkey = "Hexapawn"\nboard = "222000111"\n'
    )
    store = str(tmp_path / "data")
    failed = arbitre("tournament", "run", str(file), "--data", store)
    assert failed.returncode == 1
    assert "game 1 was abandoned 3 times: the external referee: the call failed" in failed.stderr
    again = arbitre("tournament", "resume", "--data", store)
    assert "game 1 was abandoned 6 times" in again.stderr
    moved = arbitre("tournament", "resume", "--referee", f"{example}/hexapawn/referee", "--data", store)
    assert (moved.returncode, moved.stderr) == (0, "")
    assert moved.stdout.startswith("pawns: finished")


WRONG = {
    "no referee": (["--game", "added"], "give his address with --referee URL"),
    "no address": (["--game", "added", "--referee", "example.org"], "is an address, http://… or https://…, not 'example.org'"),
    "a referee of reversi": (["--game", "reversi", "--referee", "http://r.org/"], "only added games bring a referee"),
    "the house": (["--game", "added", "--referee", "http://r.org/", "--player", "house"], "the house does not know how to play"),
}


@pytest.mark.parametrize(("words", "named"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_held_of_an_added_game_is_named(tmp_path: Path, words: list[str], named: str) -> None:
    players = ["--player", "random", "--player", "other=random"]
    done = arbitre("tournament", "run", *words, *players, "--data", str(tmp_path))
    assert done.returncode == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_two_games_at_once_are_none(example: str, tmp_path: Path) -> None:
    done = hexapawn("--added", described(example, tmp_path), "--game", "reversi", example=example, data=tmp_path)
    assert done.returncode == 2
    assert "leave --game out" in done.stderr


def test_nobody_plays_an_added_game_in_the_terminal_alone() -> None:
    done = arbitre("play", "added")
    assert done.returncode == 2
    assert "arbitre tournament run --referee URL" in done.stderr


def test_paths_of_a_plan_count_from_the_plan(tmp_path: Path) -> None:
    bots = tmp_path / "plans" / "bots"
    bots.mkdir(parents=True)
    (bots / "mine.py").write_text((EXAMPLES / "plain.py").read_text())
    players = f'players = ["random", {{ name = "mine", player = "cmd:{sys.executable} mine.py" }}, "py:mine_too.py"]'
    (bots / "mine_too.py").write_text((EXAMPLES / "first.py").read_text())
    plan = tmp_path / "plans" / "plan.toml"
    plan.write_text(f'game = "tictactoe"\nfolder = "bots"\n{players}\n')
    done = arbitre("tournament", "run", str(plan), "--data", str(tmp_path / "data"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "gone" not in done.stdout
    written = arbitre("tournament", "export", "--folder", str(tmp_path / "out"), "--data", str(tmp_path / "data"))
    assert written.returncode == 0
    assert "folder" not in json.loads((tmp_path / "out" / "plan.json").read_text())


def test_openings_come_from_a_file(tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("5 1  # the centre first\n1 5\n")
    arguments = (*RUN, "other=random", "--games", "4", "--data", str(tmp_path), "--openings", str(openings))
    assert arbitre(*arguments).returncode == 0
    written = arbitre("tournament", "export", "--folder", str(tmp_path / "out"), "--data", str(tmp_path))
    assert written.returncode == 0
    assert json.loads((tmp_path / "out" / "plan.json").read_text())["starts"] == ["200010000 3", "100020000 3"]
    openings.write_text("5 5")
    assert "line 1" in arbitre(*arguments).stderr
