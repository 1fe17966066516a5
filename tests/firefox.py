"""A real Firefox for the campaign: the system's own, led by Marionette, the protocol that it speaks by itself.

Messages are JSON behind their length, over a socket of this machine: `[0, number, command, parameters]` goes out, and
`[1, number, error, result]` comes back. Nothing is installed or downloaded; a test skips, naming what is missing, where there is
no Firefox.
"""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

NAMES = ("firefox-esr", "firefox")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element, as WebDriver has it."""
PATIENCE = 60.0
LOOK = 0.05

PREFERENCES: Mapping[str, bool | int | str] = {
    "marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "browser.startup.homepage": "about:blank",
    "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False, "app.update.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False,
    "extensions.update.enabled": False, "ui.prefersReducedMotion": 1,
}  # fmt: skip
"""It stays at home, and asks nobody anything."""


class CommandError(Exception):
    """Firefox does not do what it is told."""


class Firefox:
    """The browser, by the commands of WebDriver."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._number = 0
        self._heard = b""
        self._message()  # how it greets

    def _message(self) -> Any:
        while b":" not in self._heard:
            self._more()
        size, _, self._heard = self._heard.partition(b":")
        while len(self._heard) < int(size):
            self._more()
        text, self._heard = self._heard[: int(size)], self._heard[int(size) :]
        return json.loads(text)

    def _more(self) -> None:
        more = self._line.recv(1 << 16)
        assert more, "Firefox has gone"
        self._heard += more

    def do(self, command: str, **parameters: object) -> Any:
        """Give a command, and return what it comes to."""
        self._number += 1
        text = json.dumps([0, self._number, f"WebDriver:{command}", parameters]).encode()
        self._line.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._message()
        assert number == self._number
        if error is not None:
            raise CommandError(f"{command}: {error['error']}, {error['message']}")
        return result.get("value") if isinstance(result, dict) and "value" in result else result

    def find(self, chosen: str) -> str:
        """Return the first element that a selector chooses, when it is there."""
        self.until(f"return document.querySelector({json.dumps(chosen)}) !== null")
        found: dict[str, str] = self.do("FindElement", using="css selector", value=chosen)
        return found[ELEMENT]

    def click(self, chosen: str) -> None:
        self.do("ElementClick", id=self.find(chosen))

    def fill(self, chosen: str, text: str) -> None:
        """Type into a field."""
        self.do("ElementSendKeys", id=self.find(chosen), text=text)

    def run(self, script: str) -> Any:
        """Return what a script of the page returns."""
        return self.do("ExecuteScript", script=script, args=[])

    def until(self, script: str) -> None:
        """Wait until a script of the page returns something true."""
        late = monotonic() + PATIENCE
        while not self.run(script):
            assert monotonic() < late, script
            sleep(LOOK)

    def accept(self) -> None:
        """Say yes to what the page asks, when it does."""
        late = monotonic() + PATIENCE
        while monotonic() < late:
            try:
                self.do("AcceptAlert")
            except CommandError as error:
                if "no such alert" not in str(error):
                    raise
                sleep(LOOK)
            else:
                return
        raise AssertionError("nothing is asked")

    def enter(self, chosen: str) -> None:
        """Go into a frame."""
        self.do("SwitchToFrame", element=self.find(chosen))

    def leave(self) -> None:
        """Go out of all frames."""
        self.do("SwitchToFrame", id=None)


@contextmanager
def firefox(folder: Path, *, language: str, width: int, height: int) -> Iterator[Firefox]:
    """Open the browser with a profile of its own; skip where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Firefox on this system: none of {', '.join(NAMES)} is on the path")
    folder.mkdir(parents=True)
    wanted = {**PREFERENCES, "intl.accept_languages": language}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(one)});" for name, one in wanted.items()]
    (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
    asked = [program, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    with subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with socket.create_connection(("127.0.0.1", _port(folder, process)), PATIENCE) as line:
                browser = Firefox(line)
                browser.do("NewSession")
                browser.do("SetWindowRect", width=width, height=height)
                yield browser
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _port(folder: Path, process: "subprocess.Popen[bytes]") -> int:
    """Return where it listens: it writes that into its profile."""
    late = monotonic() + PATIENCE
    while not (written := folder / "MarionetteActivePort").exists() or not written.read_text(encoding="utf-8").strip():
        assert process.poll() is None, "Firefox did not start"
        assert monotonic() < late, "Firefox does not listen"
        sleep(LOOK)
    return int(written.read_text(encoding="utf-8"))
