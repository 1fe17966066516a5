"""A package put beside Arbitre as an installer puts it: its modules, and what says which entry points it has."""

import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from venv import create

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def installed(name: str, target: Path) -> str:
    """Install an example into a fresh environment that has what ours has besides; return its Python."""
    project = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    create(target, symlinks=True, with_pip=False)
    (packages,) = target.glob("lib/python*/site-packages")
    ours = sysconfig.get_paths()["purelib"]
    (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n", encoding="utf-8")
    for package in (EXAMPLES / name / "src").iterdir():
        shutil.copytree(package, packages / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    described(packages, project)
    return str(target / "bin" / "python")


def described(target: Path, project: dict[str, object]) -> None:
    """Write what an installer writes about a project: its name, and its entry points."""
    told = target / f"{str(project['name']).replace('-', '_')}-{project['version']}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = project["entry-points"]
    assert isinstance(groups, dict)
    lines = [line for group, entries in groups.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in entries.items()))]
    (told / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def arbitre(python: str, *arguments: str, status: int = 0) -> str:
    """Run the program of an environment; return what it said, errors behind the rest."""
    done = subprocess.run([python, "-m", "arbitre", *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr
