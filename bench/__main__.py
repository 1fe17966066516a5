"""`make bench`: measure everything (or the topics named as arguments), print the tables, keep them in the manual."""

import platform
import sys
from datetime import UTC, datetime
from importlib import import_module
from os import cpu_count
from pathlib import Path

from bench.table import ROOT, markdown

TOPICS = (
    "rules",
    "referee",
    "engines",
    "draughts_engine",
    "reversi_engine",
    "five_engine",
    "hidden_engines",
    "public_engines",
    "analysis",
    "kriegspiel",
    "kref",
    "league",
    "arcade",
    "rochambeau",
    "site",
    "scale",
    "nodes",
)
"""One module each, in the order of the manual."""

FIGURES = ROOT / "docs" / "figures"


def main(chosen: list[str]) -> None:
    """Measure the chosen topics and write `docs/figures/<topic>.md` for each."""
    unknown = [name for name in chosen if name not in TOPICS]
    if unknown:
        sys.exit(f"arbitre: error: no topic {unknown[0]!r} to measure; there are: {' '.join(TOPICS)}")
    FIGURES.mkdir(parents=True, exist_ok=True)
    for topic in chosen or TOPICS:
        print(f"measuring {topic}", file=sys.stderr)
        module = import_module(f"bench.{topic}")
        lines = list(module.lines() if hasattr(module, "lines") else markdown(list(module.measure())))
        if hasattr(module, "further"):
            lines += ["", *module.further()]
        print("\n".join(lines))
        (FIGURES / f"{topic.replace('_', '-')}.md").write_text(page(topic, module.__doc__ or "", lines), encoding="utf-8")


def page(topic: str, promise: str, lines: list[str]) -> str:
    """Return the manual's page of one topic."""
    today = datetime.now(UTC).date().isoformat()
    machine = f"{platform.python_implementation()} {platform.python_version()}, {cpu_count()} cores, {platform.machine()}"
    body = promise.strip()
    return "\n".join(
        [f"# Figures: {topic.replace('_', ' ')}", "", body, "", f"Measured {today} ({machine}) by `make bench`.", "", *lines, ""]
    )


if __name__ == "__main__":
    main([Path(argument).stem for argument in sys.argv[1:]])
