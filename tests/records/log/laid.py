"""A log laid out as files by the definitions alone, for honest and crooked hosts; and a host that hands files out by HTTP."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from arbitre.crypto.keys import Key
from arbitre.records.log.checkpoint import LogProof, sign_checkpoint
from arbitre.records.log.entries import Entry
from arbitre.records.log.note import PLAIN, Verifier
from tests.records.log.naive import naive_path, naive_root

LOG_KEY = Key(b"the key of a log, for tests only")
ORIGIN = "games.example/log"


def laid(entries: Sequence[bytes], key: Key = LOG_KEY, origin: str = ORIGIN) -> dict[str, bytes]:
    """Return every file of a log with these entries, by its path."""
    size = len(entries)
    files = {
        "checkpoint": sign_checkpoint(origin, size, naive_root(entries), key).note.whole().encode(),
        "key": f"{Verifier(origin, PLAIN, key.public).text}\n".encode(),
    }
    level, span = 0, 1
    while size // span:
        for number, first in enumerate(range(0, size // span, 256)):
            hashes = [naive_root(entries[at * span : (at + 1) * span]) for at in range(first, min(first + 256, size // span))]
            files[f"tile/{level}/{number:03d}{partial(len(hashes))}"] = b"".join(hashes)
        level, span = level + 1, span * 256
    for number, first in enumerate(range(0, size, 256)):
        bundle = entries[first : first + 256]
        files[f"tile/entries/{number:03d}{partial(len(bundle))}"] = b"".join(len(one).to_bytes(2, "big") + one for one in bundle)
    return files


def partial(width: int) -> str:
    return "" if width == 256 else f".p/{width}"


def proven(entries: Sequence[bytes], match: str, wanted: Sequence[Entry], key: Key = LOG_KEY) -> dict[str, bytes]:
    """Return the files of the proofs that some entries of a match are in a log."""
    made = sign_checkpoint(ORIGIN, len(entries), naive_root(entries), key)
    found = {}
    for entry in wanted:
        index = entries.index(entry.octets())
        proof = LogProof(index, tuple(naive_path(index, entries)), made)
        found[f"proof/{match}.{entry.kind.word}"] = proof.text().encode()
    return found


class Host:
    """A host that hands out whatever files it pleases."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.url = ""


@contextmanager
def hosted() -> Iterator[Host]:
    """Open a host on a free port."""
    host = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = host.files.get(self.path.removeprefix("/log/"))
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            with suppress(ConnectionError):  # who is told too much hangs up
                self.wfile.write(body or b"")

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            host.url = f"http://127.0.0.1:{server.server_address[1]}"
            yield host
        finally:
            server.shutdown()
            thread.join()
