"""A small server of the usual interface of chat completions: it answers as its script says, well or badly, and remembers all."""

import gzip
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Scripted = Callable[[str], str]
"""What a model says to a question."""

LEGAL = re.compile(r"^Legal moves: (.+)$", re.MULTILINE)


def first_legal(question: str) -> str:
    """Say the first of the moves that are listed."""
    found = LEGAL.search(question)
    return f"I think for a while.\n\n**MOVE: {found[1].split()[0]}**" if found else "MOVE: 5"


class Models:
    """What the server does: `troubles` come first, one for each call; then `says` answers."""

    def __init__(self, says: Scripted = first_legal, *troubles: str) -> None:
        self.says = says
        self.troubles = list(troubles)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self.url = self.elsewhere = ""
        self.gone = threading.Event()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        models = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                models.asked.append(asked)
                models.paths.append(self.path)
                models.keys.append(self.headers.get("Authorization"))
                trouble = models.troubles.pop(0) if models.troubles else ""
                getattr(self, f"be_{trouble}" if trouble else "answer")(asked)

            def answer(self, asked: dict[str, Any]) -> None:
                said = models.says(asked["messages"][-1]["content"])
                usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
                self.send(
                    200, {"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": said}}], "usage": usage}
                )

            def be_busy(self, _: object) -> None:
                self.send(429, {"error": {"message": "slow down"}})

            def be_broken(self, _: object) -> None:
                self.send(500, {"error": "inside"})

            def be_strict(self, _: object) -> None:
                self.send(401, {"error": f"what is {self.headers.get('Authorization')}?"})

            def be_garbage(self, _: object) -> None:
                self.send(200, "no completion")

            def be_empty(self, _: object) -> None:
                self.send(200, {"choices": []})

            def be_huge(self, _: object) -> None:
                self.send(200, {"choices": [{"message": {"content": "x" * (2 << 20)}}]})

            def be_cut(self, _: object) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"choices":')
                self.close_connection = True

            def be_slow(self, _: object) -> None:
                models.gone.wait(30)
                self.close_connection = True

            def be_mumbling(self, _: object) -> None:
                self.send(200, {"choices": [{"message": {"content": "Well, there are many moves.\nI cannot decide."}}]})

            def be_redirecting(self, _: object) -> None:
                self.send_response(307)
                self.send_header("Location", models.elsewhere)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def be_packed(self, _: object) -> None:
                self.send(200, gzip.compress(b" " * (64 << 20)), "gzip")

            def be_dripping(self, _: object) -> None:
                self.send_response(200)
                self.end_headers()
                self.close_connection = True
                try:
                    while not models.gone.wait(0.02):
                        self.wfile.write(b" ")
                except ConnectionError:
                    return

            def be_echoing(self, _: object) -> None:
                key = str(self.headers.get("Authorization")).removeprefix("Bearer ")
                self.send(200, {"choices": [{"message": {"content": f"Your key is {key}.\nMOVE: {key}"}}]})

            def be_adorned(self, asked: dict[str, Any]) -> None:
                said = models.says(asked["messages"][-1]["content"])
                self.send(200, {"choices": [{"message": {"content": f"\x1b[31m<script>\0\u202e score=9\n{said}"}}]})

            def be_owing(self, _: object) -> None:
                usage = {"prompt_tokens": -5, "completion_tokens": -(10**30)}
                self.send(200, {"choices": [{"message": {"content": ""}}], "usage": usage})

            def be_odd(self, _: object) -> None:
                self.send(200, {"choices": [{"message": {"content": ""}}], "usage": {"prompt_tokens": float("nan")}})

            def be_boasting(self, _: object) -> None:
                self.send(200, {"choices": [{"message": {"content": ""}}], "usage": {"prompt_tokens": 10**4299}})

            def send(self, status: int, told: object, packed: str = "") -> None:
                body = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                if packed:
                    self.send_header("Content-Encoding", packed)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except ConnectionError:  # nobody reads an answer to its end that is too long
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


@contextmanager
def serving(says: Scripted = first_legal, *troubles: str) -> Iterator[Models]:
    """Serve models on a free port."""
    models = Models(says, *troubles)
    with ThreadingHTTPServer(("127.0.0.1", 0), models.handler()) as server:
        server.daemon_threads = True
        models.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield models
        finally:
            models.gone.set()
            server.shutdown()
            thread.join()
