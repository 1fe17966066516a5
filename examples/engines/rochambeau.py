"""A Rochambeau engine at http://127.0.0.1:8003/, with nothing but Python: it shows what would have beaten your last sign."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import choice
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import urlopen

BEATS = {"1": "2", "2": "3", "3": "1"}  # paper beats rock, scissors beat paper, rock beats scissors


class Engine(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        if asked.get("Set") != "Rochambeau" or asked.get("Status", "0") != "0":
            return self.show("")  # another game, or the end of this one
        theirs = asked.get("Move1") or asked.get("Move2")
        value = BEATS[theirs] if theirs in BEATS else choice("123")
        if not asked.get("Referee"):
            return self.show(value)  # a tester, or a referee who reads the body
        answer = {"Game": asked["Game"], "MoveId": asked["MoveId"], "Value": value}
        urlopen(asked["Referee"] + "?" + urlencode(answer), timeout=10).close()
        return self.show("")

    def show(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8003), Engine).serve_forever()
