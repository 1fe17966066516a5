"""The one module of the pages' cryptography says what published vectors and the house say, with and without WebCrypto.

Everything is computed in one load of a page; each test looks at its part of it.
"""

from hashlib import sha256, sha512
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import arbitre.web
from arbitre.crypto.keys import Key, signed
from arbitre.records.event import canonical
from tests.browser import Chromium
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

STATIC = Path(arbitre.web.__file__).parent / "static"
L = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19

SCRIPT = """async (given) => {
  const c = await import("/static/crypto.js?" + given.subtle);
  if (Boolean(crypto.subtle) !== given.subtle) throw new Error("WebCrypto should be " + (given.subtle ? "there" : "hidden"));
  const caught = (make) => { try { return make(); } catch (error) { return error.name; } };
  const odd = [1.5, 2 ** 53, NaN, undefined, 1n, "a\\ud800", ["\\udc00b"], { "\\ud83d": 1 }, () => 1];
  const drawn = Array.from({ length: 300 }, () => Number(c.below(5n)));
  return {
    hashes: given.messages.map((text) => [c.sha256, c.sha512].map((digest) => c.hex(digest(c.unhex(text))))),
    signatures: given.signing.map(([key, text]) => [c.publicKey(c.unhex(key)), c.sign(c.unhex(key), c.unhex(text))].map(c.hex)),
    verified: given.verifying.map(([key, text, signature]) => c.verify(...[key, text, signature].map(c.unhex))),
    canonical: given.values.map((value) => c.canonical(value)),
    refused: odd.map((one) => caught(() => c.canonical(one))),
    numbers: given.numbers.map(([n, size]) => [c.hex(c.big(n, size)), c.number(c.big(n, size))]),
    drawn: [[...new Set(drawn)].sort(), String(c.below(1n)), c.random(40).length],
    octets: [c.hex(c.utf8("é😀")), c.hex(c.unhex("00ff"))],
    same: [["0102", "0102"], ["01", "0102"], ["0103", "0102"]].map((both) => c.same(...both.map(c.unhex))),
  };
}"""

RFC_8032 = (  # section 7.1: secret key, public key, message, signature
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)

FIPS_180 = {  # message: SHA-256 and SHA-512
    b"abc": (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
    ),
}

VALUES: tuple[object, ...] = (
    None,
    True,
    -7,
    2**53 - 1,
    "",
    'quotes " and \\ and / and\ttabs\n\r\b\f\x00\x1f',
    "DEL \x7f, C1 \x85 \x9f, separators \u2028\u2029, é😀",
    [],
    {},
    {"b": [1, {"z": None, "a": "é"}], "a": False, "a-1": 0, "a_1": 1, "B": 2},
)

NUMBERS = ((0, 1), (255, 1), (256, 2), (34, 4), (2**32 - 1, 4), (2**40 + 3, 8), (2**53 - 1, 8))


def small_order() -> list[bytes]:
    """Return the octets of all points whose order divides eight, in every spelling."""
    one = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    ys = [0, 1, int.from_bytes(one, "little"), P - int.from_bytes(one, "little"), P - 1, P, P + 1]
    return [(y | sign << 255).to_bytes(32, "little") for y in ys for sign in (0, 1)]


def forgeries() -> list[tuple[bytes, bytes, bytes]]:
    """Return signatures that some libraries accept: strictly, none of them holds, and the last one does."""
    random = Random(8032)
    key = Key(random.randbytes(32))
    message = b"this is the game I was asked and answered"
    signature = key.sign(message)
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    found = [(key.public, message, r + (s + n * L).to_bytes(32, "little")) for n in (1, 2, 15)]  # S + L
    for point in small_order():
        found.append((point, message, point + bytes(32)))  # such a key signs for everything, where that is not looked at
        found.append((point, message, r + bytes(32)))
        found.append((key.public, message, point + signature[32:]))
        found.append((key.public, message, point + bytes(32)))
    found += [
        (key.public, message, r[:31] + signature[32:]),
        (key.public, message, signature + b"\0"),
        (key.public[:31], message, signature),
        (key.public, message + b".", signature),
        (key.public, message, bytes(64)),
        ((2).to_bytes(32, "little"), message, signature),  # no point of the curve
        (key.public, message, signature),
    ]
    return found


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    """Return what the browser is to compute."""
    random = Random(1)
    sizes = (0, 1, 55, 56, 63, 64, 111, 112, 119, 120, 127, 128, 300, 5_000)
    messages = [*FIPS_180, *(random.randbytes(size) for size in sizes)]
    signing = [(bytes.fromhex(one[0]), bytes.fromhex(one[2])) for one in RFC_8032]
    signing += [(random.randbytes(32), random.randbytes(random.randrange(200))) for _ in range(12)]
    verifying = forgeries()
    for secret, message in signing[:8]:
        key = Key(secret)
        good = key.sign(message)
        spoilt = bytearray(good)
        spoilt[random.randrange(64)] ^= 1 << random.randrange(8)
        verifying += [(key.public, message, good), (key.public, message, bytes(spoilt)), (random.randbytes(32), message, good)]
    return {"messages": messages, "signing": signing, "verifying": verifying}


HIDE = "Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })"


@pytest.fixture(scope="module")
def computed(chromium: Chromium, open_site: Running, cases: dict[str, Any]) -> dict[bool, Any]:
    """Return what the browser computed, where browsers lend their cryptography and where they do not."""
    given: dict[str, Any] = {
        name: [one.hex() if isinstance(one, bytes) else [part.hex() for part in one] for one in cases[name]] for name in cases
    }
    given |= {"values": list(VALUES), "numbers": [list(one) for one in NUMBERS]}
    answers: dict[bool, Any] = {}

    def compute(page: "Page") -> None:
        page.goto(open_site.url + "/about")
        answers[True] = page.evaluate(SCRIPT, given | {"subtle": True})
        page.evaluate(HIDE)
        answers[False] = page.evaluate(SCRIPT, given | {"subtle": False})

    chromium.visit(compute)
    return answers


@pytest.fixture(params=[True, False], ids=["WebCrypto", "plain http"])
def found(request: pytest.FixtureRequest, computed: dict[bool, Any]) -> Any:
    return computed[request.param]


def test_hashes(found: Any, cases: dict[str, Any]) -> None:
    assert found["hashes"] == [[sha256(one).hexdigest(), sha512(one).hexdigest()] for one in cases["messages"]]
    assert [tuple(one) for one in found["hashes"][: len(FIPS_180)]] == list(FIPS_180.values())


def test_signatures(found: Any, cases: dict[str, Any]) -> None:
    made = [(Key(secret), message) for secret, message in cases["signing"]]
    assert found["signatures"] == [[key.public.hex(), key.sign(message).hex()] for key, message in made]
    assert [tuple(one) for one in found["signatures"][: len(RFC_8032)]] == [
        (public, signature) for _, public, _, signature in RFC_8032
    ]


def test_verification_is_strict(found: Any, cases: dict[str, Any]) -> None:
    """The house says the same of every case; of the forgeries only the last, which is none, holds."""
    count = len(forgeries())
    assert found["verified"][:count] == [False] * (count - 1) + [True]
    assert found["verified"] == [signed(*one) for one in cases["verifying"]]
    assert True in found["verified"][count:]


def test_canonical_json(found: Any) -> None:
    assert found["canonical"] == [canonical(one) for one in VALUES]
    assert found["refused"] == ["RangeError"] * 9


def test_octets_and_numbers(found: Any) -> None:
    assert found["numbers"] == [[n.to_bytes(size, "big").hex(), n] for n, size in NUMBERS]
    assert found["drawn"] == [[0, 1, 2, 3, 4], "0", 40]
    assert found["octets"] == ["é😀".encode().hex(), "00ff"]
    assert found["same"] == [True, False, False]


def test_there_is_no_other_cryptography() -> None:
    """One module draws random octets, turns words and writes hexadecimal; no page asks for a secure connection."""
    for file in sorted(STATIC.rglob("*.js")):
        text = file.read_text()
        for word in ("getRandomValues", "crypto.subtle", "setBigUint64", "isSecureContext"):
            assert file.name == "crypto.js" or word not in text, f"{file.name} has {word}"
