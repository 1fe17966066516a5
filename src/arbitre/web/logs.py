"""The log of a site: lines for people, or one JSON object a line for machines.

A request is told by method, path, status, time and household; never by query, and never with what is secret in a path: tickets,
invitations, resets and the addresses of answers are cut off.
"""

import json
import logging
import sys
from datetime import UTC, datetime

from arbitre.records.event import plain

SECRET = (
    "/return/", "/answer/", "/invite/", "/reset/", "/compete/join/", "/program/returned/", "/arcade/visits/", "/arcade/table/",
    "/elections/rooms/", "/api/invitations/", "/api/elections/rooms/", "/api/arcade/visits/",
    "/workshop/shared/", "/api/sources/shared/",
)  # fmt: skip
"""Paths whose rest opens something."""

access = logging.getLogger("arbitre.access")


class Plain(logging.Formatter):
    """A line for people; whatever a visitor brings into it, it stays one line, and a terminal obeys nothing in it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name of logging
        """Return the line of a record, without the trace behind it."""
        return plain(super().formatMessage(record))


class Machine(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, object] = {"at": at, "level": record.levelname.lower(), "log": record.name, "text": record.getMessage()}
        fields |= getattr(record, "fields", {})
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def open_log(form: str, requests: bool) -> None:
    """Let the log of a site go to standard error, in a form, with or without requests."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Machine() if form == "json" else Plain("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("arbitre")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(logging.INFO)
    access.setLevel(logging.INFO if requests else logging.CRITICAL)


def told(path: str) -> str:
    """Return as much of a path as may be written down."""
    for prefix in SECRET:
        if path.startswith(prefix):
            return prefix + "…"
    return path[:200]


def note(method: str, path: str, status: int, seconds: float, household: str) -> None:
    """Write a request down."""
    if access.isEnabledFor(logging.INFO):
        shown = told(path)
        fields = {"method": method, "path": shown, "status": status, "ms": round(seconds * 1000, 1), "from": household}
        access.info("%s %s %s %.0f ms", method, shown, status, seconds * 1000, extra={"fields": fields})
