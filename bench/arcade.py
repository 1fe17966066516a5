"""What the arcade costs, and how well its machine plays.

Rounds per CPU second of the server's process, with matches judged, chained, signed and recorded, over real sockets on the
loopback; beside them the bare arithmetic of the same rounds in the same run: in two rounds a commitment and the check of an
opening. Then the machine against the 43 RoShamBo bots that OpenSpiel ships, 1,000 throws each: points won less points lost,
summed over all bots, beside the best of those bots in the same arena; and how many of a thousand races to 32 it wins against
each, and against two who know its program by heart, with intervals of 95 %. The share without luck has the same mean as the
share that was won: every round's luck is known and taken out (see `Guarded` in `engines/predictors.py`).
"""

import asyncio
from collections.abc import Callable, Iterator
from time import process_time

import gmpy2
from gmpy2 import mpz

from arbitre.crypto.elgamal import Key, generator_table
from arbitre.crypto.groups import exponent, oakley
from arbitre.games.rochambeau import predictors
from bench.arcade_load import play, scripts, served
from bench.arcade_races import COINS, OPENSPIEL, SCRIPT, Tally, arguments, run, table
from bench.table import Row, ask, peer

REPETITIONS = 4
HALF = 0.48
"""The share of races that Nightmare wins at least from everybody, with what an interval needs below one half."""

RACED: dict[str, dict[str, Tally]] = {}

SECONDS = 6.0
VISITORS = 8
STRANGERS = 140
"""Keys that visitors have in turn: more than the server remembers."""

CROWD = 1_000
FLOOD = 60
PROMISE = 0.1
"""Seconds by which a flood of groups may delay the others."""

IOCAINE, GREENBERG = 10_843, 12_491
"""Totals of the two most famous winners in this arena, as the issue of the arcade sets them."""


def measure() -> Iterator[Row]:
    """Measure speed, crowds, floods, and strength."""
    yield from asyncio.run(speed())
    yield from asyncio.run(crowd())
    yield asyncio.run(flood())
    yield from strength()
    yield from raced()


# ── speed ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def floor(full: bool) -> float:
    """Return rounds per CPU second if there were nothing but arithmetic: per two rounds one commitment and one check.

    As the specification reckons: a commitment takes two powers from tables, a check one from a table where the exponent is short
    and one plain power of the visitor's key.
    """
    group = oakley(14)
    key, table, h = Key(group, tables=True), generator_table(group), Key(group).h
    count = 30 if full else 300
    ks = [group.q - 1 - at if full else exponent(group) for at in range(count)]

    def check(k: mpz) -> None:
        _ = gmpy2.powmod(group.g, k, group.p) if full else table.power(k)
        _ = gmpy2.powmod(h, k, group.p)

    return 2 / (_each([mpz(1)] * count, key.commit) + _each(ks, check))


def _each(numbers: list[mpz], work: Callable[[mpz], object]) -> float:
    start = process_time()
    for number in numbers:
        work(number)
    return (process_time() - start) / len(numbers)


async def speed() -> list[Row]:
    """Measure rounds per CPU second of the server."""
    rows = []
    for full, what in ((False, "short exponents"), (True, "full-size exponents from the visitor")):
        prepared = scripts(8 if full else STRANGERS, full)
        async with served("Difficile") as server:
            await play(server.port, prepared, 0.5, VISITORS)
            before = server.cpu()
            rounds, _ = await play(server.port, prepared, SECONDS, VISITORS)
            rate = rounds / (server.cpu() - before)
        rows.append(Row(f"rounds over sockets, {what}, Difficile", rate, "arithmetic alone", floor(full), aim=0.5, unit="/CPU s"))
    return rows


async def crowd() -> list[Row]:
    """Measure a thousand connections at once, beside a few."""
    prepared = scripts(STRANGERS)
    rates = []
    async with served("Difficile") as server:
        for visitors in (VISITORS, CROWD):
            before = server.cpu()
            rounds, waits = await play(server.port, prepared, SECONDS, visitors)
            rates.append(rounds / (server.cpu() - before))
    waits.sort()
    what = f"rounds of {CROWD:,} connections at once, Difficile (half of the answers within {waits[len(waits) // 2]:.1f} s)"
    return [Row(what, rates[1], f"{VISITORS} connections", rates[0], aim=0.8, unit="/CPU s")]


async def flood() -> Row:
    """Measure how long others wait while strangers' groups are tested."""
    prepared = scripts(STRANGERS)
    async with served("Difficile") as server:
        _, calm = await play(server.port, prepared, SECONDS / 2, 1)
        strangers = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(FLOOD)]
        for number, (_, writer) in enumerate(strangers):
            writer.write(stranger(number))
        _, waits = await play(server.port, prepared, SECONDS, 1)
        for _, writer in strangers:
            writer.close()
    within = 100 * sum(wait <= PROMISE for wait in waits) / len(waits)
    what = f"answers within 100 ms while {FLOOD} strangers' groups of 2,048 bits are tested (worst {1000 * max(waits):.0f} ms"
    return Row(f"{what}, without strangers {1000 * max(calm):.0f} ms)", within, "all", 100, aim=1.0, unit=" %")


def stranger(number: int) -> bytes:
    """Return the prologue of somebody with a sound group of his own, dear to test."""
    q = mpz(2) ** 255 + 95
    p = 2 * q * (mpz(2) ** 1791 + 138) + 1
    g = gmpy2.powmod(2 + number, (p - 1) // q, p)
    h = gmpy2.powmod(g, 5 + number, p)
    return f"# begin\nGROUP {p.digits(16)} {g.digits(16)} {q.digits(16)}\nPKEY {h.digits(16)}\n".encode()


# ── strength ───────────────────────────────────────────────────────────────────────────────────────────────────────


def strength() -> Iterator[Row]:
    """Measure the machine against the bots."""
    python = peer("openspiel", OPENSPIEL)
    best = {name: _mean(ask(python, SCRIPT, "bot", name, "4")["totals"]) for name in ("greenberg", "iocainebot")}
    for level in COINS:
        found = ask(python, SCRIPT, "ours", predictors.__file__, "Guarded", arguments(level), str(REPETITIONS))
        total = _mean(found["totals"])
        worst = min(found["means"], key=found["means"].__getitem__)
        what = f"{level} against {found['bots']} bots, total (worst: {worst} {found['means'][worst]:+.0f})"
        yield Row(what, total, "aim, Greenberg's level", GREENBERG, aim=1.0, unit="")
        yield Row(f"{level}, total", total, "aim, Iocaine Powder's level", IOCAINE, aim=1.0, unit="")
        for name, theirs in best.items():
            yield Row(f"{level}, total", total, f"{name} in this run", theirs, unit="")
        yield Row(
            f"{level}, throws", found["throws"], "rounds that the server's arithmetic allows", floor(full=False), unit="/CPU s"
        )


def raced() -> Iterator[Row]:
    """Measure races to 32; keep what was found for the table below the figures."""
    for level in COINS:
        RACED[level] = tallies = run(level)
        yield Row(
            f"{level}, races won, mean over all", 100 * _mean([one.share for one in tallies.values()]), "even", 50, unit=" %"
        )
        worst = min(tallies, key=lambda name: tallies[name].least)
        aim = 100 * (HALF - (COINS[level] if level == "Difficile" else 0))
        what = f"{level}, races won without luck, lower end of the interval, the worst ({worst})"
        yield Row(what, 100 * tallies[worst].least, "aim", aim, aim=1.0, unit=" %")


def further() -> Iterator[str]:
    """Return the table of all races."""
    return table(RACED)


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
