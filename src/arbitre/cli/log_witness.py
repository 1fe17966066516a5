"""The door of a witness: two addresses of HTTP, bounded, and nothing behind them but a folder."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from arbitre.errors import ArbitreError
from arbitre.records.log.witness import LONGEST_REQUEST, Witness, WitnessAnswer

SECONDS = 20.0
"""How long a log may take to say one line."""


def door(host: str, port: int, witness: Witness) -> ThreadingHTTPServer:
    """Return the server of a witness, which listens already."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = SECONDS

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit() and len(length) < 9 and int(length) <= LONGEST_REQUEST):
                self.close_connection = True
                self._say(WitnessAnswer(413, "say how long the request is, and not more than a checkpoint takes\n"))
            elif self.path.partition("?")[0].rstrip("/").endswith("/add-checkpoint"):
                body = self.rfile.read(int(length))
                try:
                    self._say(witness.add(body))
                except (ArbitreError, OSError) as error:  # a full disk: nothing was signed
                    self._say(WitnessAnswer(503, f"{error}\n"))
            else:
                self.close_connection = True
                self._say(WitnessAnswer(404, "add-checkpoint is all that is done here\n"))

        def do_GET(self) -> None:
            *_, digest, word = ["", "", *self.path.split("/")]
            self._say(witness.monitored(digest) if word == "checkpoint" else WitnessAnswer(404, "there is nothing here\n"))

        def _say(self, answer: WitnessAnswer) -> None:
            body = answer.text.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind if "x." in answer.kind else f"{answer.kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing: who asks is nobody's affair."""

    return ThreadingHTTPServer((host, port), Handler)
