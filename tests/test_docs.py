"""The README and the manual cannot rot: their examples are run.

In a `console` block each `$ ` line is a command, run in one fresh folder per page, which has the checkout's `examples`; what
follows it is what it prints. A line that is `…` stands for any lines, and `…` within a line for any text. A `python` block is run
as it stands, or as a doctest. Other blocks are only read.
"""

import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.forked import nursery
from tests.house import compiled

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
RUN = [page for page in PAGES if ROOT / "docs" / "fr" not in page.parents]
"""The blocks of the French pages are those of the English ones: tests/test_docs_french.py."""
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, kind: str) -> list[str]:
    """Return the blocks of a page, those within lists too."""
    return [dedent(body) for _, name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == kind]


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Return the commands of a block with what they print."""
    command = ""
    printed: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line[2:], []
        else:
            printed.append(line)
    yield command, printed


def pattern(printed: list[str]) -> str:
    """Return what the output must match."""
    lines = [r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n" for line in printed]
    return "".join(lines)


def pages(kind: str) -> list[Path]:
    return [page for page in RUN if blocks(page, kind)]


@pytest.mark.parametrize("page", pages("console"), ids=lambda page: str(page.relative_to(ROOT)))
def test_commands(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {
        "PATH": f"{nursery(LC_ALL='C.UTF-8').program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "LC_ALL": "C.UTF-8",
    } | compiled()
    for block in blocks(page, "console"):
        for command, printed in commands(block):
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
            if printed:
                assert re.fullmatch(pattern(printed), done.stdout), f"$ {command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", pages("python"), ids=lambda page: str(page.relative_to(ROOT)))
def test_python(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    space: dict[str, object] = {"__name__": "__manual__"}
    for block in blocks(page, "python"):
        if ">>> " in block:
            test = doctest.DocTestParser().get_doctest(block, space, page.name, str(page), 0)
            assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False).failed == 0
            space.update(test.globs)
        else:
            exec(compile(block, str(page), "exec"), space)  # noqa: S102 - our own manual


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert f" {page.relative_to(ROOT / 'docs')}" in contents, f"{page} is not in the contents of the manual"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page} links to {target}, which is not there"
