"""What a page finds in a record (`static/record.js`), beside what the house finds: golden records, mutants, and re-signed lies.

Everything is computed in one load of a page, with WebCrypto and without; each test looks at its part of it.
"""

import re
from collections.abc import Callable, Iterator
from hashlib import shake_256
from json import loads
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.crypto import chain, draws
from arbitre.crypto.keys import Key, fingerprint
from arbitre.crypto.statements import SeatState, Statement, Subject, code_hash, opening_hash, seats_hash, view_hash
from arbitre.records.event import canonical
from arbitre.records.record import Chain, Word
from arbitre.referee.verify import Proof, verify
from tests.browser import Chromium
from tests.golden.make import FOLDER, PLAYERS
from tests.referee.tables import KEY, SEED, Hearing, make_match
from tests.web.site import Running
from tests.web.test_crypto_js import HIDE, L, small_order

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECORDS = sorted(FOLDER.glob("*.record"))
GOLDEN = {path.stem: path.read_bytes() for path in RECORDS}
MANUAL = Path(__file__).parents[2] / "docs" / "records.md"
NOBODY = 0xFFFF_FFFF

SCRIPT = """async (given) => {
  const c = await import("/static/crypto.js");
  const n = await import("/static/chain.js?" + given.subtle);
  const { check, CHECKS, FAULTS } = await import("/static/record.js?" + given.subtle);
  if (Boolean(crypto.subtle) !== given.subtle) throw new Error("WebCrypto should be " + (given.subtle ? "there" : "hidden"));
  const x = c.unhex;
  const about = ([opening, count, head]) => ({ opening: x(opening), count, head: x(head) });
  const made = given.random.map((one) => [
    n.commitment(x(one.seed)), c.hex(n.salt(x(one.seed), one.count)),
    c.hex(n.extend(x(one.head), x(one.seed), one.count, one.line)),
    c.hex(n.opening(one.line)), n.view(one.line), n.promise(x(one.nonce), one.head, one.line, one.seat),
    n.fingerprint(x(one.head)),
    c.hex(n.mix(x(one.seed), new Map(one.nonces.map(([seat, nonce]) => [seat, x(nonce)])))),
    c.hex(c.shake256(c.utf8(one.line), one.size)),
    n.state(x(one.nonce), about(one.subject), one.kind, one.seat, x(one.seed)),
    c.hex(n.spoken(one.seats)), c.hex(n.disputes(one.line)),
  ]);
  const drawn = given.draws.map(([secret, number, below]) => String(n.draw(x(secret), number, BigInt(below))));
  const found = [];
  for (const [octets, key] of given.records) {
    const steps = [];
    const one = await check(x(octets), { key, step: (...step) => { steps.push(step); } });
    found.push({ ...one, steps });
  }
  const text = new TextDecoder().decode(x(given.records[0][0]));
  return { made, drawn, found, text: (await check(text)).standing, CHECKS, FAULTS };
}"""


# ── what the browser is given ──


def lines_of(data: bytes) -> list[str]:
    """Return the events' lines."""
    return data.decode().split("\n")[:-2]


def resealed(lines: list[str], words: tuple[Word, ...] | None = None, referee: Key = KEY) -> bytes:
    """Return a record with these lines, signed by both players, or with other words of theirs, and by the referee."""
    grown = Chain(SEED)
    grown.extend(lines)
    keys = [chair["key"] for chair in loads(loads(lines[0])["text"])["chairs"]]
    signed = tuple(Word(SeatState.SIGNED, grown.subject.sign(PLAYERS[seat], Statement.PLAYED, seat).hex()) for seat in (0, 1))
    seal = grown.seal(referee, keys, signed if words is None else words)
    return "".join(f"{line}\n" for line in [*lines, seal.line()]).encode()


def at(lines: list[str], kind: str, number: int = 0) -> int:
    """Return where the event of a kind is."""
    return [place for place, line in enumerate(lines) if f'"kind":"{kind}"' in line][number]


def changed(name: str, kind: str, change: Callable[[dict[str, Any]], None], number: int = 0) -> bytes:
    """Return a golden record in which one event is another, signed by everybody all the same."""
    lines = lines_of(GOLDEN[name])
    place = at(lines, kind, number)
    event = loads(lines[place])
    change(event)
    lines[place] = canonical(event)
    return resealed(lines)


def put(**fields: object) -> Callable[[dict[str, Any]], None]:
    """Change fields of an event."""
    return lambda event: event.update(fields)


def within(**fields: object) -> Callable[[dict[str, Any]], None]:
    """Change fields of the JSON in an event's text."""
    return lambda event: event.update(text=canonical(loads(event["text"]) | fields))


def spelt(old: str, new: str, name: str = "end-rules") -> bytes:
    """Return a golden record with another spelling somewhere, signed by everybody all the same."""
    lines = lines_of(GOLDEN[name])
    place = next(number for number, line in enumerate(lines) if old in line)
    lines[place] = lines[place].replace(old, new, 1)
    return resealed(lines)


def swapped(name: str, kind: str) -> bytes:
    """Return a record in which two events of a kind have changed places."""
    lines = lines_of(GOLDEN[name])
    one = at(lines, kind)
    two = next(place for place in range(one + 1, len(lines)) if f'"kind":"{kind}"' in lines[place] and lines[place] != lines[one])
    lines[one], lines[two] = lines[two], lines[one]
    return resealed(lines)


def without(name: str, kind: str) -> bytes:
    """Return a record without one event."""
    lines = lines_of(GOLDEN[name])
    del lines[at(lines, kind)]
    return resealed(lines)


def worded(change: Callable[[list[str], Subject], tuple[Word, ...]]) -> bytes:
    """Return a record in which the referee signs other words of the seats."""
    lines = lines_of(GOLDEN["end-rules"])
    grown = Chain(SEED)
    grown.extend(lines)
    return resealed(lines, change(lines, grown.subject))


def signed_as(key: Key, kind: Statement, seat: int) -> Callable[[list[str], Subject], tuple[Word, ...]]:
    """Let one seat's word be a signature of something else."""

    def words(_: list[str], subject: Subject) -> tuple[Word, ...]:
        own = Word(SeatState.SIGNED, subject.sign(PLAYERS[1], Statement.PLAYED, 1).hex())
        return (Word(SeatState.SIGNED, subject.sign(key, kind, seat).hex()), own)

    return words


def plus_order(_: list[str], subject: Subject) -> tuple[Word, ...]:
    """Let S of seat 0 be S + L."""
    signature = subject.sign(PLAYERS[0], Statement.PLAYED, 0)
    s = int.from_bytes(signature[32:], "little") + L
    own = Word(SeatState.SIGNED, subject.sign(PLAYERS[1], Statement.PLAYED, 1).hex())
    return (Word(SeatState.SIGNED, (signature[:32] + s.to_bytes(32, "little")).hex()), own)


def small_key() -> bytes:
    """Return a record in which a seat has a key of small order, which signs everything."""
    lines = lines_of(GOLDEN["end-rules"])
    opened, agreed = loads(lines[0]), loads(lines[1])
    opening = loads(opened["text"])
    point = small_order()[2].hex()
    opening["chairs"][0]["key"] = point
    lines[0] = canonical(opened | {"text": canonical(opening)})
    lines[1] = canonical(agreed | {"text": canonical(loads(agreed["text"]) | {"signature": point + "00" * 32})})
    return resealed(lines, (Word(SeatState.SIGNED, point + "00" * 32), Word(SeatState.SILENT)))


def silent_word(state: SeatState, code: str = "") -> Callable[[list[str], Subject], tuple[Word, ...]]:
    """Let the referee put a state in a seat's mouth."""
    return lambda _lines, _subject: (Word(state, "", code), Word(SeatState.SILENT))


def false_agreement(kind: str) -> bytes:
    """Return an honest record of a match that ended because an agreement was false."""
    hearing = Hearing(make_match("poker", keys={0: PLAYERS[0]}, nonces={0: b"\x41" * 32}))
    nonce, key = (b"\x42" * 32, PLAYERS[0]) if kind == "false-nonce" else (b"\x41" * 32, PLAYERS[1])
    hearing.agree(0, nonce, key)
    return hearing.record(words=(Word(SeatState.SILENT), Word())).text().encode()


def a_seat_less() -> bytes:
    """Return a record whose seal speaks of one seat alone, and is signed so."""
    lines = lines_of(GOLDEN["end-rules"])
    grown = Chain(SEED)
    grown.extend(lines)
    signature = grown.subject.sign(PLAYERS[0], Statement.PLAYED, 0)
    rest = seats_hash([(SeatState.SIGNED, PLAYERS[0].public, "", signature)])
    seal = {
        "count": len(lines),
        "head": grown.head.hex(),
        "seats": [{"code": "", "signature": signature.hex(), "state": "signed"}],
        "signature": grown.subject.sign(KEY, Statement.SEALED, rest=rest).hex(),
    }
    return "".join(f"{line}\n" for line in [*lines, canonical(seal)]).encode()


LIES: dict[str, tuple[bytes, str, int | None]] = {
    "another draw": (changed("game-poker", "drawn", put(text="0/52")), "draw", 4),
    "a draw in another form": (changed("game-poker", "drawn", put(text="01/52")), "draw", 4),
    "two draws swapped": (swapped("game-poker", "drawn"), "draw", 4),
    "a draw left out": (without("game-poker", "drawn"), "draw", 4),
    "another nonce": (changed("game-poker", "agreed", within(nonce="43" * 32)), "nonce", 2),
    "no nonce": (changed("game-poker", "agreed", within(nonce=None)), "nonce", 2),
    "no agreement": (without("game-poker", "agreed"), "order", None),
    "the other seat's agreement": (changed("end-rules", "agreed", put(seat=1)), "nonce", 2),
    "an agreement of nobody's": (changed("end-rules", "agreed", put(seat=-1)), "agreement", 2),
    "another signature under the opening": (changed("end-rules", "agreed", within(signature="00" * 64)), "agreement", 2),
    "an agreement with more": (changed("end-rules", "agreed", within(more=1)), "agreement", 2),
    "a key of small order": (small_key(), "agreement", 2),
    "a time where no clock runs": (changed("end-rules", "said", put(at=5)), "time", None),
    "a seat that is not there": (changed("end-rules", "said", put(seat=2)), "form", None),
    "a question without its view": (changed("end-rules", "asked", put(text="")), "question", None),
    "a view in capitals": (changed("end-rules", "asked", lambda one: one.update(text=one["text"].upper())), "question", None),
    "no verdict": (without("end-rules", "ended"), "order", None),
    "a verdict in another form": (changed("end-rules", "ended", within(scores="1")), "verdict", None),
    "another seed": (changed("end-rules", "revealed", put(text="11" * 32)), "commitment", None),
    "a kind of the future": (changed("end-rules", "said", put(kind="sung")), "form", None),
    "a field more": (changed("end-rules", "said", put(more=1)), "form", None),
    "a space": (spelt('"turn":1}', '"turn": 1}'), "form", None),
    "a needless escape": (spelt('"kind":"said"', '"kind":"s\\u0061id"'), "form", None),
    "a fraction": (spelt('"turn":1}', '"turn":1.0}'), "form", None),
    "minus nothing": (spelt('"at":0,"kind":"said"', '"at":-0,"kind":"said"'), "form", None),
    "a number past 2^53": (spelt('"turn":1}', '"turn":9007199254740993}'), "form", None),
    "a key twice": (spelt('"turn":1}', '"turn":1,"turn":1}'), "form", None),
    "a lone surrogate": (spelt('"text":"1"', '"text":"\\ud800"'), "form", None),
    "a line too long": (spelt('"text":"1"', f'"text":"{"1" * (1 << 20)}"'), "too-long", None),
    "a name that steers the text": (spelt("Ada", "A\u202eda"), "opening", 1),
    "a name with a space behind": (spelt("Ada", "Ada "), "opening", 1),
    "a key of capitals": (spelt('\\"notes\\":{}', '\\"notes\\":{\\"A\\":\\"b\\"}'), "opening", 1),
    "seat 1 signs for seat 0": (worded(signed_as(PLAYERS[1], Statement.PLAYED, 1)), "seat-word", None),
    "kind 2 for kind 3": (worded(signed_as(PLAYERS[0], Statement.AGREED, 0)), "seat-word", None),
    "the referee signs for a seat": (worded(signed_as(KEY, Statement.SEALED, NOBODY)), "seat-word", None),
    "S + L": (worded(plus_order), "seat-word", None),
    "said to be keyless": (worded(silent_word(SeatState.KEYLESS)), "seat-word", None),
    "said to have declined": (worded(silent_word(SeatState.DECLINED, "head")), "seat-word", None),
    "a player seals": (resealed(lines_of(GOLDEN["end-rules"]), None, PLAYERS[0]), "seal-signature", None),
    "a seat less": (a_seat_less(), "seal-seats", None),
    "cut before the seed": (
        GOLDEN["end-rules"].replace(lines_of(GOLDEN["end-rules"])[-1].encode() + b"\n", b""),
        "unrevealed",
        None,
    ),
    "cut in a line": (GOLDEN["end-rules"][:-1], "cut", None),
    "a blank line": (GOLDEN["end-rules"] + b"\n", "form", None),
    "no UTF-8": (GOLDEN["end-rules"].replace(b"Ada", b"A\xffa"), "not-utf8", None),
    "a mark before the first line": (b"\xef\xbb\xbf" + GOLDEN["end-rules"], "form", 1),
    "nothing": (b"", "empty", 1),
    "a seal alone": (GOLDEN["end-rules"].splitlines(keepends=True)[-1], "opening", 1),
}
"""Records that are not sound: octets, the fault, and the line where it must be found."""

OTHERS: dict[str, tuple[bytes, str]] = {
    "an honest end after a false nonce": (false_agreement("false-nonce"), "sound"),
    "an honest end after a false signature": (false_agreement("false-signature"), "sound"),
    "DEL in a move": (spelt('"text":"1"', '"text":"1\x7f\u2028"'), "sound"),
    "format 1": (spelt('\\"arbitre\\":2', '\\"arbitre\\":1'), "foreign"),
    "format 3": (spelt('\\"arbitre\\":2', '\\"arbitre\\":3'), "foreign"),
    "no seal": ("".join(f"{line}\n" for line in lines_of(GOLDEN["end-rules"])).encode(), "incomplete"),
    "no end": ("".join(f"{line}\n" for line in lines_of(GOLDEN["end-rules"])[:5]).encode(), "incomplete"),
}
"""Records of which something else is to be said."""


def mutants() -> Iterator[bytes]:
    """Yield golden records with one bit turned, one line dropped, doubled or swapped."""
    random = Random(6175)
    for data in GOLDEN.values():
        if len(data) < 4_000:
            place = random.randrange(len(data))
            yield data[:place] + bytes([data[place] ^ (1 << random.randrange(7))]) + data[place + 1 :]
    lines = GOLDEN["end-refused"].splitlines(keepends=True)
    for number in range(len(lines)):
        yield b"".join(lines[:number] + lines[number + 1 :])
        yield b"".join(lines[: number + 1] + lines[number:])
    yield b"".join([lines[1], lines[0], *lines[2:]])


def somethings() -> list[dict[str, Any]]:
    """Return what both sides hash and sign: the first is that of the manual, the others are random."""
    random = Random(2)
    states = ("keyless", "signed", "declined", "silent")

    def one() -> dict[str, Any]:
        seats = [
            {
                "state": states[random.randrange(4)],
                "key": random.choice(["", random.randbytes(32).hex()]),
                "code": random.choice(["", "head", "no-journal"]),
                "signature": random.choice(["", random.randbytes(64).hex()]),
            }
            for _ in range(random.randrange(1, 4))
        ]
        return {
            "seed": random.randbytes(32).hex(),
            "head": random.randbytes(32).hex(),
            "nonce": random.randbytes(32).hex(),
            "count": random.randrange(2**40),
            "seat": random.randrange(4),
            "kind": random.randrange(1, 6),
            "line": "".join(chr(random.choice([65, 233, 0x2028, 0x1F600, 127, 10])) for _ in range(random.randrange(200))),
            "nonces": [[seat, random.randbytes(32).hex()] for seat in random.sample(range(300), 3)],
            "size": random.choice([1, 8, 135, 136, 137, 300]),
            "subject": [random.randbytes(32).hex(), random.randrange(2**50), random.randbytes(32).hex()],
            "seats": seats,
        }

    return [one() for _ in range(12)]


def of_the_house(one: dict[str, Any]) -> list[str]:
    """Return what the house makes of the same."""
    seed, head, nonce = (bytes.fromhex(one[name]) for name in ("seed", "head", "nonce"))
    line, (opening, count, about) = one["line"].encode(), one["subject"]
    subject = Subject(bytes.fromhex(opening), count, bytes.fromhex(about))
    salted = chain.salt(seed, one["count"])
    words = [
        (SeatState[each["state"].upper()], bytes.fromhex(each["key"]), each["code"], bytes.fromhex(each["signature"]))
        for each in one["seats"]
    ]
    return [
        chain.commitment(seed),
        salted.hex(),
        chain.fold(head, chain.leaf(salted, line)).hex(),
        opening_hash(line).hex(),
        view_hash(one["line"]),
        draws.promise(nonce, one["head"], one["line"], one["seat"]),
        fingerprint(head),
        draws.mix(seed, {seat: bytes.fromhex(each) for seat, each in one["nonces"]}).hex(),
        shake_256(line).hexdigest(one["size"]),
        subject.sign(Key(nonce), Statement(one["kind"]), one["seat"], seed).hex(),
        seats_hash(words).hex(),
        code_hash(one["line"]).hex(),
    ]


DRAWS = [
    (Random(number).randbytes(32), number, below) for number, below in enumerate((1, 2, 52, 6, 1000, 2**32, 2**63 + 1, 2**64))
]


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    """Return what the browser is to compute."""
    records = [(data, KEY.fingerprint) for data in GOLDEN.values()]
    records += [(data, KEY.fingerprint) for data, _, _ in LIES.values()] + [(data, "") for data, _ in OTHERS.values()]
    records += [(data, "") for data in mutants()]
    records += [(GOLDEN["end-refused"], key) for key in (PLAYERS[0].fingerprint, KEY.public.hex())]
    return {"records": records, "random": somethings()}


@pytest.fixture(scope="module")
def computed(chromium: Chromium, open_site: Running, cases: dict[str, Any]) -> dict[bool, Any]:
    """Return what the browser found: everything where browsers lend their cryptography, the golden records where they do not."""
    records = [(data.hex(), key) for data, key in cases["records"]]
    given = {"random": cases["random"], "draws": [(secret.hex(), number, str(below)) for secret, number, below in DRAWS]}
    answers: dict[bool, Any] = {}

    def compute(page: "Page") -> None:
        page.goto(open_site.url + "/about")
        answers[True] = page.evaluate(SCRIPT, given | {"subtle": True, "records": records})
        page.evaluate(HIDE)
        answers[False] = page.evaluate(SCRIPT, given | {"subtle": False, "records": records[: len(GOLDEN)]})

    chromium.visit(compute)
    return answers


# ── what it must find ──


@pytest.mark.parametrize("subtle", [True, False], ids=["WebCrypto", "plain http"])
def test_both_sides_hash_and_sign_alike(computed: dict[bool, Any], cases: dict[str, Any], subtle: bool) -> None:
    assert computed[subtle]["made"] == [of_the_house(one) for one in cases["random"]]
    assert computed[subtle]["drawn"] == [str(draws.draw(*one)) for one in DRAWS]


@pytest.mark.parametrize("subtle", [True, False], ids=["WebCrypto", "plain http"])
def test_golden_records_are_sound(computed: dict[bool, Any], subtle: bool) -> None:
    for (name, data), found in zip(GOLDEN.items(), computed[subtle]["found"], strict=False):
        assert (found["standing"], found["fault"]) == ("sound", None), name
        lines = lines_of(data)
        seal = loads(data.decode().splitlines()[-1])
        assert (found["events"], found["head"], found["key"]) == (len(lines), seal["head"], KEY.fingerprint), name
        assert [(one["state"], one["code"]) for one in found["seats"]] == [(one["state"], one["code"]) for one in seal["seats"]]
        assert found["draws"] == sum('"kind":"drawn"' in line for line in lines)
        assert found["steps"] == [[number, len(lines)] for number in range(1, len(lines) + 1)]
        assert found["unchecked"] == ["rules"]
        assert found["verdict"]["termination"] == loads(loads(lines[at(lines, "ended")])["text"])["termination"]
    poker = computed[subtle]["found"][list(GOLDEN).index("game-poker")]
    assert poker["checked"] == computed[subtle]["CHECKS"]
    assert [one["nonce"] for one in poker["seats"]] == [True, True]


def test_lies_are_found_though_everybody_signed_them(computed: dict[bool, Any]) -> None:
    """The house says the same of each."""
    for (name, (data, code, line)), found in zip(LIES.items(), computed[True]["found"][len(GOLDEN) :], strict=False):
        assert found["standing"] == "broken", name
        assert found["fault"]["code"] == code, (name, found["fault"])
        assert found["fault"]["code"] in computed[True]["FAULTS"]
        assert line is None or found["fault"]["line"] == line, (name, found["fault"])
        assert verify(data, given=KEY.fingerprint).standing is Proof.BROKEN, name


def test_what_else_is_to_be_said(computed: dict[bool, Any]) -> None:
    start = len(GOLDEN) + len(LIES)
    for (name, (_, standing)), found in zip(OTHERS.items(), computed[True]["found"][start:], strict=False):
        assert found["standing"] == standing, (name, found["fault"])
        assert "key" in found["unchecked"] or standing == "foreign", name
    assert computed[True]["found"][start + len(OTHERS) - 1]["unchecked"] == ["rules", "key", "proof"]
    assert computed[True]["text"] == "sound", "a text will do"


def test_no_mutant_is_sound(computed: dict[bool, Any]) -> None:
    start = len(GOLDEN) + len(LIES) + len(OTHERS)
    given = list(mutants())
    for data, found in zip(given, computed[True]["found"][start:], strict=False):
        assert found["standing"] != "sound"
        assert verify(data, given=KEY.fingerprint).standing is not Proof.VERIFIED
    other, same = computed[True]["found"][start + len(given) :]
    assert (other["fault"]["code"], other["fault"]["fields"]) == ("another-key", {"key": KEY.fingerprint})
    assert same["standing"] == "sound"


def test_vectors_of_the_manual(chromium: Chromium, open_site: Running) -> None:
    """What the manual's page gives is what the pages compute."""
    table = dict(re.findall(r"^\| ([^|]+) \| `([^`]+)` \|$", MANUAL.read_text(), re.MULTILINE))
    script = """async () => {
      const c = await import("/static/crypto.js");
      const n = await import("/static/chain.js");
      const [seed, own] = [Uint8Array.from({ length: 32 }, (_, at) => at), new Uint8Array(32).fill(0x33)];
      const nonces = [0x11, 0x22].map((octet) => new Uint8Array(32).fill(octet));
      const said = '{"at":0,"kind":"said","seat":0,"text":"5","turn":1}';
      const first = '{"at":0,"kind":"opened","seat":-1,"text":"{}","turn":0}';
      const committed = n.commitment(seed);
      const mixed = n.mix(seed, new Map(nonces.map((nonce, seat) => [seat, nonce])));
      const about = { opening: n.opening(first), count: 1, head: n.extend(n.START, seed, 0, first) };
      const three = n.state(own, about, 3, 0);
      const rest = n.spoken([
        { state: "signed", key: c.hex(c.publicKey(own)), code: "", signature: three },
        { state: "keyless", key: "", code: "", signature: "" }]);
      return {
        commitment: committed, "salt 0": c.hex(n.salt(seed, 0)), "salt 1": c.hex(n.salt(seed, 1)),
        leaf: c.hex(n.leaf(n.salt(seed, 0), said)), head: c.hex(n.extend(n.START, seed, 0, said)),
        mixed: c.hex(n.mix(seed, new Map())), "mixed with nonces": c.hex(mixed),
        promise: n.promise(nonces[0], committed, "m-1", 0),
        "draws below 52": Array.from({ length: 8 }, (_, at) => n.draw(DRAWN, at, 52n)).join(" "),
        "public key": c.hex(c.publicKey(seed)), fingerprint: n.fingerprint(c.publicKey(seed)),
        signature: c.hex(c.sign(seed, c.utf8("arbitre"))),
        "opening hash": c.hex(n.opening(first)), "leaf 0": c.hex(n.leaf(n.salt(seed, 0), first)), "head 1": c.hex(about.head),
        "kind 1 by the referee": n.state(seed, about, 1, n.REFEREE), "kind 2 by seat 0": n.state(own, about, 2, 0),
        "kind 3 by seat 0": three,
        "kind 4 by seat 0, `head`": n.state(own, about, 4, 0, n.disputes("head")), "rest of kind 5": c.hex(rest),
        "kind 5 by the referee": n.state(seed, about, 5, n.REFEREE, rest), view: n.view("000000000 1"),
      };
    }"""
    answers: dict[str, str] = {}

    def compute(page: "Page") -> None:
        page.goto(open_site.url + "/about")
        answers.update(page.evaluate(script.replace("DRAWN", "n.mix(seed, new Map())")))

    chromium.visit(compute)
    table["kind 4 by seat 0, `head`"] = re.findall(r"kind 4 by seat 0, `head` \| `([0-9a-f]+)`", MANUAL.read_text())[0]
    assert answers == {name: table[name] for name in answers}
    assert len(answers) == 22
