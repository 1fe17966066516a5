"""Escapes from the sandbox of the workshop, tried one by one in a real browser; each names what stopped it (spec: workshop, 4).

There are three walls. A pupil's program finds no name by which to reach anything. Where it finds one all the same, it is in a
Worker under the policy of the frame. And were it in the frame's document, which it never is, that has no origin. A second server
listens, by TCP and UDP, and nobody comes.
"""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tests.browser import browsing
from tests.web.site import Running
from tests.web.workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page


class Elsewhere:
    """A server of somebody else, that writes down whoever comes."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.came: list[bytes] = []

    def wait_tcp(self) -> None:
        """Write down every connection and its first octets."""
        with suppress(OSError):
            while True:
                one, _ = self.tcp.accept()
                one.settimeout(1)
                with one, suppress(OSError):
                    self.came.append(one.recv(200) or b"a connection")

    def wait_udp(self) -> None:
        """Write down every datagram."""
        with suppress(OSError):
            while True:
                self.came.append(self.udp.recv(200))


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    found = Elsewhere()
    threads = [threading.Thread(target=one, daemon=True) for one in (found.wait_tcp, found.wait_udp)]
    for one in threads:
        one.start()
    yield found
    for line in (found.tcp, found.udp):
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        line.close()
    for one in threads:
        one.join(5)


# ── a pupil's program ──────────────────────────────────────────────────────────────────────────────────────────────

NAMES = {
    "fetch": "fetch(URL_)",
    "xhr": "new XMLHttpRequest().open('GET', URL_)",
    "websocket": "new WebSocket(WS_)",
    "eventsource": "new EventSource(URL_)",
    "beacon": "navigator.sendBeacon(URL_)",
    "importScripts": "importScripts(URL_)",
    "image": "new Image().src = URL_",
    "webrtc": "new RTCPeerConnection({iceServers: [{urls: STUN_}]})",
    "webtransport": "new WebTransport(URL_)",
    "worker": "new Worker(URL_)",
    "blob": "new Blob(['fetch(1)'])",
    "shared worker": "new SharedWorker(URL_)",
    "service worker": "navigator.serviceWorker.register(URL_)",
    "message": "postMessage('I speak without being asked')",
    "parent": "parent.document.title",
    "top": "top.location = URL_",
    "window": "window.open(URL_)",
    "document": "document.cookie",
    "storage": "localStorage.length",
    "session": "sessionStorage.length",
    "indexedDB": "indexedDB.open('x')",
    "caches": "caches.open('x')",
    "cookies": "cookieStore.get('x')",
    "channel": "new BroadcastChannel('arbitre')",
    "ports": "new MessageChannel()",
    "timers": "setTimeout(() => 0, 1)",
    "locks": "navigator.locks.request('x', () => 0)",
    "fonts": "new FontFace('x', `url(${URL_})`)",
    "wasm": "new WebAssembly.Memory({initial: 1})",
    "shared memory": "new SharedArrayBuffer(8)",
    "listener": "addEventListener('message', () => 0)",
    "close": "close()",
}
"""What is tried by its name: none is there."""
OTHERWISE = {
    "by another function": "Function('return fetch')()(URL_)",
    "by eval": "(0, eval)('fetch')(URL_)",
    "by an async function": "(async () => {}).constructor('return fetch')().catch(() => 0) && 'a promise'",
    "by the prototypes": "Object.getPrototypeOf(Object.getPrototypeOf(globalThis))?.fetch?.(URL_) ?? 'nothing'",
    "by the constructor": "globalThis.constructor.prototype.postMessage?.call(globalThis, 1) ?? 'nothing'",
    "by import": "import(URL_).catch(() => 0) && 'a promise'",
    "by location": "String(globalThis.location)",
    "by this": "(function () { return typeof this.importScripts; }).call(null)",
    "by the stack": "(() => { try { null.x } catch (e) { return typeof e.constructor.prepareStackTrace } })()",
}
"""What is tried on other ways; each finds nothing, or comes to the policy."""
FOUND = {
    "by another function": "ReferenceError",
    "by eval": "ReferenceError",
    "by an async function": "a promise",
    "by the prototypes": "nothing",
    "by the constructor": "nothing",
    "by import": "a promise",
    "by location": "undefined",
    "by this": "undefined",
    "by the stack": "undefined",
}

PROGRAM = """const URL_ = "http://127.0.0.1:%(port)d/", WS_ = "ws://127.0.0.1:%(port)d/", STUN_ = "stun:127.0.0.1:%(port)d";
const tried = { %(tried)s };
function move(p) {
  const found = {};
  for (const [name, escape] of Object.entries(tried)) {
    try { found[name] = String(escape()); } catch (error) { found[name] = error.name; }
  }
  return JSON.stringify(found);
}
"""

POISON = """
Object.prototype.error = null;
Object.defineProperty(Object.prototype, "move", { set() { throw 1; }, get: () => "9", configurable: true });
Array.prototype.push = Array.prototype.join = Array.prototype.map = String.prototype.slice = () => "poisoned";
JSON.stringify = String = Function.prototype.call = Reflect.apply = structuredClone = () => "poisoned";
function move(p) { return "1"; }
"""

GREEDY = """const all = [];
function move(p) {
  for (;;) if (all.length < 300) all.push(new Uint8Array(1 << 20).fill(1));
}
"""

SPOILED = """import builtins, sys
sys.stdout = None
builtins.isinstance = builtins.str = builtins.callable = None
def move(p):
    games = sys.modules.get("harness")
    return "1"
"""


@browsing()
def test_a_program_reaches_nothing(page: "Page", open_site: Running) -> None:
    with elsewhere() as other:
        bench = Bench(page, open_site, patience=400)
        tried = ",\n".join(f"{json.dumps(name)}: () => {code}" for name, code in (NAMES | OTHERWISE).items())
        told = bench.ask(PROGRAM % {"port": other.port, "tried": tried})
        found: dict[str, str] = json.loads(told["move"])
        assert {name: found[name] for name in NAMES} == dict.fromkeys(NAMES, "ReferenceError")
        assert {name: found[name] for name in OTHERWISE} == FOUND
        # an endless loop, print, or list ends within its two seconds, and the next program finds everything as it was
        for endless in ("for (;;) {}", "for (;;) print('x'.repeat(1000))"):
            assert bench.ask(f"function move(p) {{ {endless} }}")["error"]["kind"] == "TooSlow"
        assert bench.ask(GREEDY)["error"]["kind"] == "TooSlow"
        # whoever poisons the harness spoils his own game alone
        assert "move" not in bench.ask(POISON) or bench.ask(POISON)["move"] in ("1", "9", "poisoned")
        assert bench.ask("function move(p) { return p.any; }")["move"] == "2"
        _python(bench)
        assert other.came == []


def _python(bench: Bench) -> None:
    """Try the same from Python: its modules lead to the same empty world, and it may spoil itself alone."""
    found = bench.ask("import javascript\ndef move(p):\n    return str(javascript.this().fetch)\n", "python")
    assert found["error"]["kind"] == "AttributeError"
    assert bench.ask("from browser import ajax\ndef move(p):\n    return '1'\n", "python")["error"]["line"] == 1
    bench.ask(SPOILED, "python")
    assert bench.ask("def move(p):\n    return p['any']\n", "python")["move"] == "2"
    assert bench.ask("def move(p):\n    while True:\n        print('x')\n", "python")["error"]["kind"] == "TooSlow"


# ── the policy ───────────────────────────────────────────────────────────────────────────────────────────────────────

WORKER = """([tried, stopped, port]) => new Promise((told) => {
  const text = `
    const URL_ = "http://127.0.0.1:${port}/", WS_ = "ws://127.0.0.1:${port}/";
    const stopped = ${JSON.stringify(stopped)}, blocked = [];
    addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
    const late = (ms) => new Promise((done) => setTimeout(done, ms));
    const packed = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const heard = (one, start) => new Promise((ok, no) => {
      one.onload = one.onopen = () => ok("out");
      one.onmessage = (event) => ok(event.data);
      one.onerror = no;
      start?.(one);
    });
    (async () => {
      const found = {};
      for (const [name, escape] of Object.entries({${tried}})) {
        blocked.length = 0;
        let said;
        try { said = String(await escape()); } catch (error) { said = error.name ?? error.type ?? String(error); }
        for (let n = 0; n < (stopped.includes(name) ? 1000 : 1) && !blocked.length; n++) await late(5);
        found[name] = blocked[0] ?? said;
      }
      postMessage(found);
    })();`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  worker.onmessage = (event) => { told(event.data); worker.terminate(); };
  worker.onerror = (event) => told({ error: event.message });
})"""

IN_A_WORKER = {
    "fetch": ("fetch(URL_)", "connect-src"),
    "xhr": ("heard(new XMLHttpRequest(), (one) => { one.open('GET', URL_); one.send(); })", "connect-src"),
    "websocket": ("heard(new WebSocket(WS_))", "connect-src"),
    "eventsource": ("heard(new EventSource(URL_))", "connect-src"),
    "importScripts": ("importScripts(URL_)", "script-src-elem"),
    "import": ("import(URL_)", "script-src-elem"),
    "worker": ("heard(new Worker(URL_))", "SecurityError"),
    "indexedDB": ("indexedDB.open('x')", "SecurityError"),
    "caches": ("caches.open('x')", "ReferenceError"),
    "webrtc": ("new RTCPeerConnection()", "ReferenceError"),
    "image": ("new Image()", "ReferenceError"),
    "storage": ("localStorage.length", "ReferenceError"),
    "document": ("document.cookie", "ReferenceError"),
    "location": ("location.assign(URL_)", "TypeError"),
    "worker in a worker": (
        "heard(new Worker(packed(`fetch('${URL_}').then(() => postMessage('out'), (e) => postMessage(e.name))`)))",
        "TypeError",
    ),
    "channel": ("new BroadcastChannel('arbitre').postMessage('out')", "undefined"),
}
"""What is tried in a Worker of the frame in which every name still is, and what stops it."""

DOCUMENT = """async ([tried, stopped, port]) => {
  const URL_ = `http://127.0.0.1:${port}/`, WS_ = `ws://127.0.0.1:${port}/`;
  const blocked = [], found = {};
  const late = (ms) => new Promise((done) => setTimeout(done, ms));
  const put = (tag, fields) => document.documentElement.appendChild(Object.assign(document.createElement(tag), fields));
  document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
  for (const [name, code] of Object.entries(tried)) {
    blocked.length = 0;
    let said;
    try {
      said = String(await new Function("URL_", "WS_", "put", `return (${code})`)(URL_, WS_, put));
    } catch (error) {
      said = error.name ?? error.type ?? String(error);
    }
    for (let n = 0; n < (stopped.includes(name) ? 1000 : 1) && !blocked.length; n++) await late(30);
    found[name] = blocked[0] ?? said;
  }
  return found;
}"""

IN_THE_DOCUMENT = {
    "fetch": ("fetch(URL_)", "connect-src"),
    "beacon": ("navigator.sendBeacon(URL_)", "connect-src"),
    "websocket": ("new WebSocket(WS_)", "connect-src"),
    "eventsource": ("new EventSource(URL_)", "connect-src"),
    "image": ("put('img', { src: URL_ })", "img-src"),
    "script": ("put('script', { src: URL_ })", "script-src-elem"),
    "module": ("import(URL_)", "script-src-elem"),
    "style": ("put('link', { rel: 'stylesheet', href: URL_ })", "style-src-elem"),
    "css": ("put('style', { textContent: `@import '${URL_}'` })", "style-src-elem"),
    "frame": ("put('iframe', { src: URL_ })", "frame-src"),
    "object": ("put('object', { data: URL_ })", "[object HTMLObjectElement]"),  # by the sandbox: nothing is plugged in
    "media": ("put('video', { src: URL_ })", "media-src"),
    "font": ("new FontFace('x', `url(${URL_})`).load()", "font-src"),
    "form": ("(() => { const form = put('form', { action: URL_ }); form.submit(); })()", "undefined"),
    "window": ("window.open(URL_)", "null"),
    "top": ("(() => { top.location = URL_; })()", "SecurityError"),
    "parent": ("parent.document.title", "SecurityError"),
    "storage": ("localStorage.length", "SecurityError"),
    "session": ("sessionStorage.length", "SecurityError"),
    "cookie": ("document.cookie", "SecurityError"),
    "indexedDB": ("indexedDB.open('x')", "SecurityError"),
    "shared worker": ("new SharedWorker(URL_)", "SecurityError"),
    "service worker": ("navigator.serviceWorker.register(URL_)", "SecurityError"),
    "channel": ("new BroadcastChannel('arbitre').postMessage('out')", "undefined"),
}
"""What is tried in the document of the frame, where nobody's program ever is: each with what stops it; a form by the sandbox."""


OVERHEAR = """() => {
  window.overheard = [];
  new BroadcastChannel("arbitre").onmessage = (event) => window.overheard.push(event.data);
}"""


@browsing()
def test_what_the_policy_stops_where_a_name_is_found(page: "Page", open_site: Running) -> None:
    with elsewhere() as other:
        bench = Bench(page, open_site)
        bench.ask("function move(p) { return '1'; }")
        page.evaluate(OVERHEAR)
        frame = next(one for one in page.frames if one.url.endswith("/workshop/frame"))
        tried = ", ".join(f"{json.dumps(name)}: () => {code}" for name, (code, _) in IN_A_WORKER.items())
        codes = {name: code for name, (code, _) in IN_THE_DOCUMENT.items()}
        for script, given, known in ((WORKER, tried, IN_A_WORKER), (DOCUMENT, codes, IN_THE_DOCUMENT)):
            stopped = [name for name, (_, why) in known.items() if why.endswith(("-src", "-src-elem"))]
            assert _named(frame, script, [given, stopped, other.port]) == {name: why for name, (_, why) in known.items()}
        assert page.evaluate("() => window.overheard") == []
        with page.expect_event("framenavigated"):  # the policy of the page around it shows an error instead
            frame.evaluate("(port) => { setTimeout(() => { location.href = `http://127.0.0.1:${port}/`; }); }", other.port)
        assert page.url.startswith(open_site.url)
        assert other.came == []


def _named(frame: "Frame", script: str, given: list[Any]) -> dict[str, str]:
    found: dict[str, str] = frame.evaluate(script, given)
    return found
