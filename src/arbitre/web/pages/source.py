"""The program itself, to take away: `pip install SITE/source/arbitre.tar.gz` is all that a bot's author needs.

Whoever uses a site may have the source of what it runs, as it runs: this is the package of this very process, packed once, with a
project file made from what is installed.
"""

import asyncio
import io
import os
import re
import tarfile
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path

from litestar import Response, get

import arbitre

LEFT_OUT = ("__pycache__", ".pyc", ".pyo")
FILE = "arbitre.tar.gz"
EXTRA = re.compile(r"""([^;]+); extra == ["'](agents|engines|postgresql)["']""")
"""What an extra needs that a site may want, as it stands in what is installed."""


@get(f"/source/{FILE}")
async def source() -> Response[bytes]:
    """Hand the source out."""
    headers = {"Content-Disposition": f'attachment; filename="{FILE}"', "Cache-Control": "public, max-age=3600"}
    return Response(await asyncio.to_thread(packed), media_type="application/gzip", headers=headers)


@cache
def packed() -> bytes:
    """Return the source as an archive that pip installs."""
    home = Path(arbitre.__file__).parent
    top = f"arbitre-{arbitre.__version__}"
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w:gz", dereference=True) as archive:
        installed = distribution("arbitre")
        _add(archive, f"{top}/pyproject.toml", project(installed).encode())
        for terms in (file for file in installed.files or () if file.match("licenses/*")):
            _add(archive, f"{top}/{terms.name}", terms.read_binary())
        for path in files(home):
            _add(archive, f"{top}/src/arbitre/{path.relative_to(home).as_posix()}", path.read_bytes())
    return body.getvalue()


def files(folder: Path) -> list[Path]:
    """Return the files below a folder; in a checkout the manual lies behind a link."""
    walked = (Path(place, name) for place, _, names in os.walk(folder, followlinks=True) for name in names)
    return sorted(path for path in walked if not any(part.endswith(LEFT_OUT) for part in path.parts))


def _add(archive: tarfile.TarFile, name: str, octets: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(octets), 0o644
    archive.addfile(entry, io.BytesIO(octets))


def project(installed: Distribution) -> str:
    """Return a project file that builds the package as it is installed here."""
    needed = [one for one in installed.requires or () if "extra ==" not in one]
    extras: dict[str, list[str]] = {}
    for one, extra in (found.groups() for found in map(EXTRA.fullmatch, installed.requires or ()) if found is not None):
        extras.setdefault(extra, []).append(one)
    groups: dict[str, list[str]] = {}
    for entry in installed.entry_points:
        groups.setdefault(entry.group, []).append(f"{_quoted(entry.name)} = {_quoted(entry.value)}")
    lines = [
        "[build-system]",
        'requires = ["hatchling"]',
        'build-backend = "hatchling.build"',
        "[project]",
        'name = "arbitre"',
        f"version = {_quoted(installed.version)}",
        'license = "GPL-3.0-or-later"',
        'requires-python = ">=3.11"',
        f"dependencies = [{', '.join(map(_quoted, needed))}]",
        "[project.optional-dependencies]",
        *(f"{extra} = [{', '.join(map(_quoted, extras[extra]))}]" for extra in sorted(extras)),
        "[project.scripts]",
        *groups.pop("console_scripts", []),
    ]
    for group, entries in sorted(groups.items()):
        lines += [f"[project.entry-points.{_quoted(group)}]", *entries]
    return "\n".join([*lines, "[tool.hatch.build.targets.wheel]", 'packages = ["src/arbitre"]', ""])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
