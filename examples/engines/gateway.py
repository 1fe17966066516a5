"""A school's gateway, with nothing but Python: one address outside, the pupils' engines stay inside.

python3 gateway.py KEYFILE 8400 ada=http://10.0.0.21:8003/ bob=http://10.0.0.22:8003/

KEYFILE holds the key of your class. What the referee asks of `ada` is asked of her address, with an empty Referee, and the body
of her answer goes back as the Value.
"""

import hmac
import json
import sys
import time
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

KEY = Path(sys.argv[1]).read_text().strip().encode()
ENGINES = dict(one.split("=", 1) for one in sys.argv[3:])


def ours(header, body):
    """Tell whether the referee signed this body within the last minute."""
    said = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    at = said.get("t", "")
    fresh = at.isdigit() and abs(time.time() - int(at)) <= 60
    good = hmac.new(KEY, at.encode() + b"." + body, "sha256").hexdigest()
    return fresh and hmac.compare_digest(good, said.get("v1", ""))


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 65536))
        if not ours(self.headers.get("Arbitre-Signature", ""), body):
            return self.answer(401, {"Error": "this was not signed with our key"})
        asked = json.loads(body)
        engine = ENGINES.get(asked.pop("Engine"))
        if engine is None:
            return self.answer(404, {"Error": "no engine has this name here"})
        try:
            with urlopen(engine + "?" + urlencode(asked), timeout=int(asked.get("TimeOut", 10))) as answer:
                return self.answer(200, {"Value": answer.read(1000).decode()})
        except (OSError, HTTPException) as error:
            return self.answer(200, {"Error": f"the engine did not answer: {error}"})

    def answer(self, status, said):
        text = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


server = ThreadingHTTPServer(("", int(sys.argv[2])), Gateway)
print(server.server_port, flush=True)
server.serve_forever()
