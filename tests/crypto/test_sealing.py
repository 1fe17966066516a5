"""Sealing providers: the built-in ones, a package's, an external program; all held to the alphabet."""

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from runpy import run_path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.crypto.passwords import LIGHT, USUAL, Work, secret
from arbitre.crypto.sealing import BUILT_IN, Published, Sealing, Simulation, provider, seal, unseal
from arbitre.errors import PasswordError, SealingError
from tests.reasons import raises

ROOT = Path(__file__).parent.parent.parent
texts = st.text(st.sampled_from([chr(n) for n in range(35, 127)]), max_size=200)


def club() -> Sealing:
    """Return the example's provider, installed or not."""
    space = run_path(str(ROOT / "examples" / "sealing-club" / "src" / "arbitre_sealing_club" / "__init__.py"))
    made: Sealing = space["Club"]()
    return made


PROVIDERS: dict[str, Sealing] = {"default": Published(), "simulation": Simulation(), "club": club()}


@pytest.mark.parametrize("name", PROVIDERS)
@given(clear=texts, about=texts)
def test_what_is_sealed_opens(name: str, clear: str, about: str) -> None:
    sealing = PROVIDERS[name]
    assert unseal(sealing, seal(sealing, clear, about), about) == clear


@pytest.mark.parametrize("name", ["default", "club"])
def test_an_edit_and_another_place_do_not_open(name: str) -> None:
    sealing = PROVIDERS[name]
    sealed = seal(sealing, "clear", "here")
    edited = sealed[:30] + ("A" if sealed[30] != "A" else "B") + sealed[31:]
    for text, about in ((sealed, "there"), (edited, "here"), (sealed[:20], "here"), ("", "here"), ("~~~", "here")):
        with pytest.raises(SealingError):
            unseal(sealing, text, about)
    assert seal(sealing, "clear", "here") != sealed, "the same text is never sealed the same way twice"


def test_the_alphabet_is_kept() -> None:
    with raises(SealingError, "only characters 35 to 126 are allowed", what="the clear text", found=" ", found2=2):
        seal(Published(), "a b", "")

    class Sloppy(Simulation):
        def encrypt(self, key: float, clear: str, about: str) -> str:  # noqa: ARG002 - the interface's
            return clear + "\n"

    with raises(SealingError, "only characters 35 to 126 are allowed", what="the sealed text", found2=2):
        seal(Sloppy(), "a", "")


def test_names() -> None:
    assert set(BUILT_IN) == {"default", "simulation"}
    for name in ("", "../x", "command:../x", "command:/bin/sh", "Default", "x" * 60):
        with raises(SealingError, "no sealing provider can be called"):
            provider(name)


def test_packages_bring_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = EntryPoints(
        EntryPoint(name, value, "arbitre.sealing")
        for name, value in (
            ("theirs", "arbitre.crypto.sealing:Simulation"),
            ("twice", "arbitre.crypto.sealing:Simulation"),
            ("twice", "arbitre.crypto.sealing:Published"),
            ("wrong", "arbitre.errors:shorten"),
        )
    )
    monkeypatch.setattr("importlib.metadata.entry_points", entries.select)
    assert isinstance(provider("theirs"), Simulation)
    with raises(SealingError, "packages claim the sealing provider", found=2, name="twice"):
        provider("twice")
    with raises(SealingError, "has not get_key, encrypt and decrypt", name="wrong", group="arbitre.sealing"):
        provider("wrong")
    with raises(SealingError, "is installed; there are", known="default simulation theirs twice wrong"):
        provider("nobodys")


PROGRAM = """#!{python}
import sys
if sys.argv[1] == "get_key":
    print("13")
else:
    key, about, text = sys.stdin.read().splitlines()
    if text == "bad":
        sys.exit("I did not seal this")
    by = int(key) if sys.argv[1] == "encrypt" else -int(key)
    print("".join(chr((ord(c) - 35 + by) % 92 + 35) for c in text))
"""


def test_the_manuals_program(tmp_path: Path) -> None:
    """What the manual prints works, for the whole alphabet."""
    text = (ROOT / "docs" / "sealing.md").read_text(encoding="utf-8")
    program = tmp_path / "turn"
    program.write_text(text.split("```sh\n")[1].split("```")[0])
    program.chmod(0o755)
    sealing = provider("command:turn", tmp_path)
    alphabet = "".join(map(chr, range(35, 127)))
    sealed = seal(sealing, alphabet, "game")
    assert sorted(sealed) == sorted(alphabet)
    assert sealed != alphabet
    assert unseal(sealing, sealed, "game") == alphabet


def test_an_external_program(tmp_path: Path) -> None:
    program = tmp_path / "secretary"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    sealing = provider("command:secretary", tmp_path)
    sealed = seal(sealing, "clear#~text", "game")
    assert sealed != "clear#~text"
    assert unseal(sealing, sealed, "game") == "clear#~text"
    with raises(SealingError, "the sealing command", name="secretary", what="decrypt", why="I did not seal this"):
        unseal(sealing, "bad", "game")
    with raises(SealingError, "put the program that its author gave you into"):
        provider("command:another", tmp_path)


def test_passwords() -> None:
    salt, other = bytes(16), b"x" * 16
    one = secret("sesame", salt, LIGHT)
    assert one.key.public == secret("sesame", salt, LIGHT).key.public
    keys = {
        secret(word, s, w).key.public
        for word, s, w in [("Sesame", salt, LIGHT), ("sesame", other, LIGHT), ("sesame", salt, USUAL)]
    }
    assert len(keys) == 3
    assert one.key.public not in keys
    assert one.open(one.hide("note")) == "note"
    assert secret("Sesame", salt, LIGHT).open(one.hide("note")) is None
    assert one.open("zz") is None
    for word in ("", "x" * 1025):
        with pytest.raises(PasswordError):
            secret(word, salt, LIGHT)


@pytest.mark.parametrize("work", [(0, 8), (17, 8), (1, 7), (1, 2 << 20), (16, 1 << 20)])
def test_a_file_cannot_make_its_reader_work_for_minutes(work: tuple[int, int]) -> None:
    with raises(PasswordError, "out of bounds"):
        Work(*work)
