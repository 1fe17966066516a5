"""The browser's arithmetic is ours: what one commits the other opens, what one refuses the other refuses, line by line."""

from random import Random
from typing import TYPE_CHECKING, Any

import gmpy2
import pytest
from gmpy2 import mpz

from arbitre.arcade.bout import Bout, hear
from arbitre.arcade.terms import DIFFICILE, FACILE, Encoding, Lock, Terms, encode
from arbitre.arcade.voice import fingerprint
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Commitment, Key, opens
from arbitre.crypto.groups import PI, E, Group, ffdhe, oakley
from arbitre.games.game import Seat
from tests.browser import browsing
from tests.crypto.test_groups import SOUND, Q, sound
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

G14 = oakley(14)
P14 = G14.p


def run(page: "Page", site: Running, script: str, given: object = None) -> Any:
    """Run a script that has all modules of the arcade; big numbers travel as text."""
    page.goto(site.url + "/about")
    names = ("numbers", "groups", "elgamal", "wire", "bout", "party")
    loads = "\n".join(f"const {name} = await import('/static/arcade/{name}.js');" for name in names)
    loads += "const { power } = await import('/static/crypto.js');"
    return page.evaluate(f"async (given) => {{ {loads}\nconst big = (text) => BigInt('0x' + text);\n{script} }}", given)


def digits(group: Group) -> list[str]:
    return [group.p.digits(16), group.g.digits(16), group.q.digits(16)]


@browsing()
def test_the_toy_vector(page: "Page", open_site: Running) -> None:
    script = """
    const key = new elgamal.Key({ p: 0x17n, g: 2n, q: 0xbn }, 7n);
    const line = (sign, k) => { const { r, c } = key.commit(elgamal.encode("subgroup", key.group, sign), k); return wire.writeCommand({ verb: "COMMIT", numbers: [r, c] }); };
    return [wire.writeCommand({ verb: "PKEY", numbers: [key.h] }), line("PIERRE", 5n), line("FEUILLE", 5n), line("CISEAUX", 9n)];
    """  # noqa: E501 - a script
    assert run(page, open_site, script) == ["PKEY d", "COMMIT 9 8", "COMMIT 9 10", "COMMIT 6 1"]


@browsing()
def test_named_groups_are_ours(page: "Page", open_site: Running) -> None:
    script = """
    const made = [...[14, 15, 16, 17, 18].map(groups.oakley), ...[2048, 3072, 4096, 6144, 8192].map(groups.ffdhe)];
    return made.map(({ p, g, q }) => [p, g, q].map((one) => one.toString(16)));
    """
    assert run(page, open_site, script) == [digits(one) for one in [*map(oakley, PI), *map(ffdhe, E)]]


@browsing()
def test_what_the_browser_commits_opens_here(page: "Page", open_site: Running) -> None:
    script = """
    const key = new elgamal.Key(groups.oakley(14));
    return Object.keys(elgamal.SIGNS).flatMap((sign) => ["subgroup", "ascii"].map((encoding) => {
      const { r, c, k } = key.commit(elgamal.encode(encoding, key.group, sign));
      return [sign, encoding, ...[key.h, r, c, k].map((one) => one.toString(16))];
    }));
    """
    exponents = set()
    for sign, encoding, *numbers in run(page, open_site, script):
        h, r, c, k = (mpz(one, 16) for one in numbers)
        exponents.add(k)
        assert k.bit_length() <= 320
        for other in Sign:
            element = encode(Encoding(encoding), G14, other)
            assert opens(G14, h, Commitment(r, c), element, k) is (other.name == sign)
    assert len(exponents) == 6


@browsing()
def test_what_is_committed_here_opens_in_the_browser(page: "Page", open_site: Running) -> None:
    script = """
    return given.map(([[p, g, q], h, r, c, k, shown]) => {
      const group = { p: big(p), g: big(g), q: big(q) };
      return elgamal.opens(group, big(h), { r: big(r), c: big(c) }, elgamal.encode("subgroup", group, shown), big(k));
    });
    """
    cases, expected = [], []
    for group in (G14, sound()):
        key = Key(group)
        for sign in Sign:
            commitment, k = key.commit(encode(Encoding.SUBGROUP, group, sign))
            for shown, exponent in [*((other, k) for other in Sign), (sign, k + 1), (sign, k + group.q)]:
                numbers = (key.h, commitment.r, commitment.c, exponent)
                cases.append([digits(group), *(one.digits(16) for one in numbers), shown.name])
                expected.append(opens(group, key.h, commitment, encode(Encoding.SUBGROUP, group, shown), exponent))
    assert sum(expected) == 6
    assert run(page, open_site, script, cases) == expected


def attacks() -> list[tuple[str, Group, mpz, str]]:
    """What must be refused, as in the spec's table; each with a word of the reason."""
    square = 2 * Q * Q * (mpz(2) ** 1536 + 2051) + 1
    h = next(x for n in range(2, 100) if gmpy2.powmod(x := gmpy2.powmod(n, (square - 1) // (Q * Q), square), Q, square) != 1)
    composite = Group(2 * Q * (mpz(2) ** 1791 + 140) + 1, mpz(4), Q)
    return [
        ("a key outside", G14, mpz(11), "no square"),
        ("a group of two", Group(P14, P14 - 1, mpz(2)), mpz(3), "generator"),
        ("another order", Group(P14, mpz(2), P14 - 1), mpz(4), "order"),
        ("an order that is a square", Group(square, gmpy2.powmod(h, Q, square), Q * Q), h, "the order is not prime"),
        ("a composite modulus", composite, mpz(4), "g^q is not 1"),
        ("a short modulus", Group(mpz(101), mpz(2), mpz(25)), mpz(4), "bits"),
        ("a short order", Group(SOUND.p, sound().g, mpz(2)), mpz(4), "256"),
        ("a generator of nothing", Group(P14, mpz(1), G14.q), mpz(4), "generator"),
        ("no key", G14, mpz(0), "between"),
        ("the key 1", G14, mpz(1), "between"),
        ("the key p - 1", G14, P14 - 1, "between"),
        ("a key outside a stranger's group", sound(), mpz(2), "h^q is not 1"),
    ]


@browsing()
def test_the_attacks_of_the_table_are_refused(page: "Page", open_site: Running) -> None:
    script = """
    return given.map(([[p, g, q], h]) => groups.wrongKey({ p: big(p), g: big(g), q: big(q) }, big(h)));
    """
    table = attacks()
    found = run(page, open_site, script, [[digits(group), h.digits(16)] for _, group, h, _ in table])
    for (name, _, _, why), said in zip(table, found, strict=True):
        assert why in said, f"{name}: {said!r}"


@browsing()
def test_sound_groups_are_let_in(page: "Page", open_site: Running) -> None:
    script = "return given.map(([[p, g, q], h]) => groups.wrongKey({ p: big(p), g: big(g), q: big(q) }, big(h)));"
    group = sound()
    keys = [[digits(group), Key(group).h.digits(16)], [digits(G14), Key(G14).h.digits(16)]]
    assert run(page, open_site, script, keys) == ["", ""]


@browsing()
def test_primes_and_what_is_none(page: "Page", open_site: Running) -> None:
    """Small numbers one by one, strong pseudoprimes to the base 2, strong Lucas pseudoprimes, and large ones."""
    numbers = [*range(400), 2047, 3277, 4033, 5459, 5777, 10877, 1373653, 3215031751, 2**127 - 1, 2**127 + 1, int(Q), int(Q) * 7]
    script = "return given.map((text) => numbers.prime(big(text), 4));"
    found = run(page, open_site, script, [f"{number:x}" for number in numbers])
    assert [number for number, yes in zip(numbers, found, strict=True) if yes] == [
        number for number in numbers if gmpy2.is_prime(number)
    ]


@browsing()
def test_symbols_and_powers(page: "Page", open_site: Running) -> None:
    random = Random(7)
    cases = [(random.getrandbits(70), random.getrandbits(60), random.getrandbits(64) | 1) for _ in range(200)]
    script = "return given.map(([a, k, n]) => [numbers.jacobi(big(a), big(n)), power(big(a), big(k), big(n)).toString(16)]);"
    found = run(page, open_site, script, [[f"{one:x}" for one in case] for case in cases])
    assert found == [[gmpy2.jacobi(a, n), f"{pow(a, k, n):x}"] for a, k, n in cases]


@browsing()
def test_the_fingerprint_is_ours(page: "Page", open_site: Running) -> None:
    keys = (Key(G14), Key(sound()))
    bout = Bout(DIFFICILE, locks=(Lock(keys[0].group, keys[0].h), Lock(keys[1].group, keys[1].h)))
    script = (
        "return elgamal.fingerprint(given.map(([[p, g, q], h]) => ({ group: { p: big(p), g: big(g), q: big(q) }, h: big(h) })));"
    )
    assert run(page, open_site, script, [[digits(key.group), key.h.digits(16)] for key in keys]) == fingerprint(bout)


# ── the book ───────────────────────────────────────────────────────────────────────────────────────────────────────

GARBAGE = (
    "",
    "# nothing",
    "HELLO",
    "OPEN",
    "OPEN -1",
    "OPEN 1_0",
    "OPEN ５",
    "COMMIT 1",
    "MOVE STONE",
    "MOVE 504945525245",
    "OK 1",
)


def chatter(random: Random, terms: Terms) -> list[tuple[int, str]]:
    """Return a dialogue that mostly makes sense: what is awaited, from whom it is awaited, or something else."""
    bout, lines = Bout(terms), []
    if terms is FACILE:
        lines += [(seat, f"GROUP 17 2 {random.choice('ab')}") for seat in (0, 1) if random.random() < 0.8]
    keys = {0: "d", 1: "4"} if terms is FACILE else {0: Key(G14, mpz(7)).h.digits(16), 1: Key(G14, mpz(9)).h.digits(16)}
    lines += [(seat, f"PKEY {keys[seat]}") for seat in random.sample((0, 1), 2)]
    for seat, line in lines:
        bout, _ = hear(bout, Seat(seat), line)
    while len(lines) < 60 and bout.finish is None:
        seat = random.choice(bout.awaited or (Seat(0),))
        line = {
            "COMMIT": f"COMMIT {random.randrange(40):x} {random.randrange(1, 23):x}",
            "MOVE": f"MOVE {random.choice(list(Sign)).name}",
            "MOVE of the starter": f"MOVE {random.choice(list(Sign)).name}",
            "OPEN": f"OPEN {random.randrange(12):x}",
            "OK or REFEREE": random.choice(("OK", "REFEREE")),
        }.get(bout.step.value, "PKEY 2")
        if random.random() < 0.06:
            seat, line = Seat(random.randrange(2)), random.choice((*GARBAGE, line, "GROUP 17 2 b"))
        lines.append((seat, line))
        bout, _ = hear(bout, seat, line)
    return [(int(seat), line) for seat, line in lines]


@pytest.mark.parametrize("terms", [FACILE, DIFFICILE], ids=lambda terms: terms.level)
@browsing()
def test_both_books_say_the_same_of_any_dialogue(page: "Page", open_site: Running, terms: Terms) -> None:
    random = Random(terms.level)
    dialogues = [chatter(random, terms) for _ in range(25)]
    script = """
    return given.dialogues.map((lines) => {
      const book = new bout.Bout(bout.LEVELS[given.level], 4);
      return lines.map(([seat, line]) => {
        const asked = book.question(seat, line);
        let found = null;
        if (asked?.kind === "key") found = groups.wrongKey(asked.group, asked.h);
        if (asked?.kind === "opening") found = elgamal.looked(asked.group, asked.h, asked, elgamal.encode(asked.encoding, asked.group, asked.sign), asked.k, asked.full);
        book.hear(seat, line, found);
        return [book.round, [...book.scores], [...book.credits], [...book.awaited], book.finish ? [book.finish.winner, book.finish.ending] : null];
      });
    });
    """  # noqa: E501 - a script
    found = run(page, open_site, script, {"level": terms.level, "dialogues": dialogues})
    short = Terms(terms.level, terms.encoding, terms.checks, terms.groups, 4, terms.rounds)
    for lines, theirs in zip(dialogues, found, strict=True):
        bout = Bout(short)
        for (seat, line), said in zip(lines, theirs, strict=True):
            bout, _ = hear(bout, Seat(seat), line)
            end = None if bout.finish is None else [bout.finish.winner, bout.finish.ending.value]
            assert said == [bout.round, list(bout.scores), list(bout.credits), list(bout.awaited), end], (seat, line)


# ── a house that lies ──────────────────────────────────────────────────────────────────────────────────────────────

LISTEN = """
const told = [];
const ask = async (asked) => asked.kind === "key" ? groups.wrongKey(asked.group, asked.h)
  : elgamal.looked(asked.group, asked.h, asked, elgamal.encode(asked.encoding, asked.group, asked.sign), asked.k, asked.full);
const side = new party.Party({ level: "Nightmare", ask, send: () => {}, tell: (news) => told.push(news.kind === "stopped" ? `stopped ${news.why}` : news.kind) });
for (const line of given) await side.receive(line);
return told;
"""  # noqa: E501 - a script
GREETING = ["# arbitre arcade 1 record 0123456789ab", "# level Nightmare", "# encoding subgroup", "# checks full"]
SEATED = [*GREETING, "# seat joueur me against machine"]
SOUND_KEY = f"PKEY {Key(G14, mpz(9)).h.digits(16)}"


BROKEN = [
    (["# level Facile"], "stopped terms"),
    (["# level Nightmare", "# encoding ascii"], "stopped terms"),
    (["# level Nightmare", "# checks none"], "stopped terms"),
    (["PKEY 4"], "stopped broken"),
    ([*SEATED, "PKEY b"], "stopped broken"),
    ([*SEATED, "PKEY 0"], "stopped broken"),
    ([*SEATED, "GROUP 17 2 b"], "stopped broken"),
    ([*SEATED, SOUND_KEY, "# fingerprint 0000 0000 0000 0000 0000 0000"], "stopped broken"),
    ([*SEATED, SOUND_KEY, "COMMIT 2 2"], "stopped broken"),
    ([*SEATED, SOUND_KEY, "OPEN 2"], "stopped broken"),
    ([*SEATED, SOUND_KEY, "HELLO"], "stopped broken"),
    ([*SEATED, SOUND_KEY, "# over nobody: the house has failed"], "stopped nobody"),
    ([*SEATED, SOUND_KEY, "# over adversaire 0 0 gone: the joueur forfeits"], "finish"),
]
"""What a house says, and what the page makes of it at last."""


@browsing()
def test_a_house_that_breaks_the_rules_is_found_out(page: "Page", open_site: Running) -> None:
    script = f"const told = []; for (const one of given) told.push(await (async (given) => {{ {LISTEN} }})(one)); return told;"
    told = run(page, open_site, script, [lines for lines, _ in BROKEN])
    assert [one[-1] for one in told] == [last for _, last in BROKEN]


@browsing()
def test_a_house_that_counts_wrongly_is_found_out(page: "Page", open_site: Running) -> None:
    told = run(page, open_site, LISTEN, [*SEATED, SOUND_KEY, "# over adversaire 0 32 goal: the adversaire has 32 points"])
    assert told[-2:] == ["score", "finish"]
