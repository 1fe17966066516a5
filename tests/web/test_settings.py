"""Settings: one value from a file and from options; errors name where, what and why."""

from dataclasses import fields
from pathlib import Path

import pytest

from arbitre.cli import run
from arbitre.errors import SettingsError
from arbitre.site.settings import Settings, make_settings, option_name

MANUAL = Path(__file__).parents[2] / "docs" / "serving.md"


def written(folder: Path, text: str) -> Path:
    path = folder / "site.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_options_beat_the_file_and_the_file_beats_the_default(tmp_path: Path) -> None:
    path = written(tmp_path, 'port = 9000\nname = "Club"\nallow-private = ["10.0.0.0/8"]\nregistration = false\n')
    settings = make_settings(path, {"port": 9001})
    assert (settings.port, settings.name, settings.host, settings.registration) == (9001, "Club", "127.0.0.1", False)
    assert settings.allow_private == ("10.0.0.0/8",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("port = 70000", ("port", "0 to 65535")),
        ('port = "x"', ("port", "whole number")),
        ("prot = 1", ("prot", "did you mean 'port'")),
        ('allow-private = "10.0.0.0/8"', ("allow-private", "list")),
        ('allow-private = ["ten"]', ("allow-private", "'ten'")),
        ('metrics-from = ["localhost"]', ("metrics-from", "'localhost'")),
        ("trusted-proxy = [1]", ("trusted-proxy", "list of texts")),
        ('public-url = "games.example"', ("public-url", "https://")),
        ('public-url = "https://games.example/x"', ("public-url", "without a path")),
        ('public-url = "https://a;script-src *"', ("public-url", "https://")),
        ('timezone = "Mars/X"', ("timezone", "'Mars/X'", "try Europe/Paris")),
        ('timezone = "/etc/passwd"', ("timezone", "no time zone")),
        ("registration = 1", ("registration", "true or false")),
        ("port = \n", ("line 1",)),
        ("x" * 70_000, ("more than",)),
    ],
)
def test_errors_name_the_file_the_key_and_why(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        make_settings(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read settings"):
        make_settings(tmp_path / "none.toml")


def test_the_public_address_comes_from_settings_alone() -> None:
    assert Settings(port=80).public == "http://127.0.0.1:80"
    assert Settings(host="::1").public == "http://[::1]:8000"
    assert Settings(public_url="https://games.example/").public == "https://games.example"
    assert Settings(public_url="https://games.example:8443").origin == "https://games.example:8443"


def test_a_site_bound_to_loopback_may_call_loopback() -> None:
    assert any(str(one) == "127.0.0.0/8" for one in Settings().callable)
    assert Settings(host="192.0.2.1").callable == ()


@pytest.mark.parametrize("one", fields(Settings), ids=lambda one: str(one.name))
def test_every_setting_is_in_the_manual(one: object) -> None:
    name = option_name(one)  # type: ignore[arg-type]
    assert f"`{name}`" in MANUAL.read_text(encoding="utf-8")


def test_every_setting_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--help"]) == 0
    printed = capsys.readouterr().out
    for one in fields(Settings):
        assert f"--{option_name(one)}" in printed
