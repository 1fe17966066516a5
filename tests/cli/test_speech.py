"""The command line speaks French to the French: helps, what was called wrongly, what the system refused; English to others."""

import ast
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import click
import pytest

from arbitre.cli import COMMANDS, arbitre, run, speech

FRENCH = "fr_FR.UTF-8"
CLICK = ("click.core", "click.decorators", "click.exceptions", "click.formatting", "click.parser", "click.termui", "click.types")


def call(*arguments: str, language: str = FRENCH) -> tuple[int, str, str]:
    """Run a command with an environment in a language: status, output, errors."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setenv("LANGUAGE", "")
        patch.setenv("LC_ALL", language)
        status = run(list(arguments))
    return status, out.getvalue(), err.getvalue()


def below(*path: str) -> list[tuple[str, ...]]:
    """Return a command and all that lie below it."""
    command: click.Command = arbitre
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    several = command.commands if isinstance(command, click.Group) else {}
    return [path, *(deeper for name in several for deeper in below(*path, name))]


@pytest.mark.parametrize("path", [(), *(path for name in sorted(COMMANDS) for path in below(name))], ids=" ".join)
def test_every_help_is_french_and_then_english_again(path: tuple[str, ...]) -> None:
    english = call(*path, "--help", language="C")
    status, french, _ = call(*path, "--help")
    assert (status, french.startswith("Usage\N{NO-BREAK SPACE}: arbitre")) == (0, True)
    assert "Montrer ce message et finir." in french
    kept = {line.strip() for line in english[1].split("\n") if len(line.split()) > 3} & {
        line.strip() for line in french.split("\n")
    }
    assert not kept, "these lines were not translated"
    assert call(*path, "--help", language="C") == english


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("kref", "show"), "il manque l’argument 'FICHIER'."),
        (("kref", "show", "--nonsense", "x"), "il n’y a pas d’option '--nonsense'."),
        (("kref", "trz"), "il n’y a pas de commande 'trz'. Est-ce 'try' ?"),
        (("kref", "show", "--as", "grey"), "valeur non valable pour '--as' : 'grey' n’est aucun de ceux-ci : 'white', 'black'."),
        (("arcade", "serve", "--port", "x"), "valeur non valable pour '--port' : 'x' n’est pas un nombre qui convient."),
        (("arcade", "serve", "--port"), "l’option '--port' demande un argument."),
        (("arcade", "play", "now"), "un argument de trop (now)"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)  # fmt: skip
def test_what_is_called_wrongly_is_said_in_french(arguments: tuple[str, ...], said: str) -> None:
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    first, hint = err.splitlines()
    assert first == f"arbitre: erreur : {said}"
    assert hint.startswith("arbitre: conseil : arbitre ")
    before, after = arguments[:2], arguments[2:]
    assert call(*before, "--language", "en", *after)[2].startswith("arbitre: error: ")
    assert call(*before, "--language=fr", *after, language="C")[2] == err, "the option counts, wherever the call goes wrong"


def test_a_file_that_is_not_there() -> None:
    """As a process of its own: click names kinds of values when a command is loaded."""
    command = [sys.executable, "-m", "arbitre", "kref", "show", "x", "--password-file", "/nowhere"]
    done = subprocess.run(
        command, env={**os.environ, "LANGUAGE": "fr", "PYTHONIOENCODING": "utf-8"}, capture_output=True, check=False
    )
    assert "valeur non valable pour '--password-file' : Fichier '/nowhere' n’existe pas." in done.stderr.decode()


def test_no_command_has_that_name() -> None:
    assert call("krif")[2].startswith("arbitre: erreur : il n’y a pas de commande 'krif' ; il y a : analyse, arcade, bot, doctor")


def test_what_the_system_refuses_is_said_in_french(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("sesame\n")
    file = tmp_path / "no folder" / "game.ksg"
    mine = ("--password-file", str(tmp_path / "password"), "--hashing", "light")
    assert call("kref", "new", str(file), *mine) == (
        1, "", f"arbitre: erreur : impossible d’écrire {file} : Aucun fichier ni dossier de ce nom\n",
    )  # fmt: skip
    assert (
        call("kref", "show", str(file))[2]
        == f"arbitre: erreur : impossible de lire {file} : Aucun fichier ni dossier de ce nom\n"
    )


def test_an_error_of_the_system_alone() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LANGUAGE", "fr")
        refusal = PermissionError(13, "Permission denied", "/data")
        assert speech.refused(refusal).replace("\N{NO-BREAK SPACE}", " ") == "le système refuse : Permission refusée : '/data'"
        patch.setenv("LANGUAGE", "en")
        assert speech.refused(refusal) == "the system refused: [Errno 13] Permission denied: '/data'"


def test_click_still_has_the_words_that_we_translate() -> None:
    """And says them through us: a new release may word a complaint anew."""
    said: set[object] = set()
    for module in (sys.modules[name] for name in CLICK):
        assert module.__file__ is not None
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext"):
                texts = tuple(one.value for one in node.args if isinstance(one, ast.Constant))
                said.add(texts if len(texts) == 2 else texts[0] if texts else "")
        for name in ("_", "ngettext"):
            assert getattr(module, name, speech.spoken).__module__ == speech.__name__
    assert set(speech.CLICK) - said <= {"required"}, "`required` is told to gettext by a variable"


def test_every_command_can_show_its_help_in_french() -> None:
    for name in COMMANDS:
        assert call(name, "--help")[0] == 0
