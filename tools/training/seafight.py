"""Where Seafight's best player puts its ships: `tools/train seafight --out FOLDER`.

Every berth has a weight, equal for berths that are images of each other on the board; a fleet is drawn by the product of its
berths' weights. Fleets so drawn are shot at by a gunner who knows the weights: he counts berths by them, those across hits many
times. Berths of fleets that were sunk later than the average gain weight, the others lose some. As the gunner knows
the weights at every step, what is climbed is what the fleet is worth against somebody who has read the file.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from training.luck import chance
from training.progress import Bar, begun_with

from arbitre.games.seafight.berths import FILE, kind, name
from arbitre.games.seafight.rules import BERTHS
from arbitre.games.seafight.rules import SIZES as SHIPS

SIDE = 10
CELLS = SIDE * SIDE
MOST = 180
"""Berths of a size at most."""
PARTS = 16
"""Into so many parts a round's games are split, whatever the number of jobs."""
LURE = 20.0
STEP = 0.08


BERTHED = [[tuple(ship.cells) for ship, _ in BERTHS[size]] for size in SHIPS]
"""The berths of each ship."""


@njit("void(f8[:,::1],i8[::1],i8[:,:,::1],u8[::1],i8[::1],i8[::1])", nogil=True)
def place(sums, counts, cells, seed, fleet, owner):  # type: ignore[no-untyped-def]
    """Draw a fleet by the product of its berths' weights; `sums` are those added up."""
    while True:
        owner[:] = -1
        good = True
        for ship in range(5):
            mark = chance(seed) * sums[ship, counts[ship] - 1]
            low, high = 0, counts[ship] - 1
            while low < high:
                middle = (low + high) // 2
                if sums[ship, middle] > mark:
                    high = middle
                else:
                    low = middle + 1
            fleet[ship] = low
            for nth in range(SHIPS[ship]):
                cell = cells[ship, low, nth]
                good = good and owner[cell] < 0
                owner[cell] = ship
        if good:
            return


@njit("i8(f8[:,::1],i8[::1],i8[:,:,::1],f8,u8[::1],i8[::1])", nogil=True)
def sink(weights, counts, cells, lure, seed, owner):  # type: ignore[no-untyped-def]  # noqa: PLR0912 - compiled: quicker in one piece
    """Return how many shots a gunner needs who believes in these weights."""
    state = np.zeros(CELLS, np.int64)
    heat = np.zeros(CELLS)
    left = np.array(SHIPS)
    powers = np.array([lure**nth for nth in range(6)])
    for shot in range(1, CELLS + 1):
        heat[:] = 0
        for ship in range(5):
            if left[ship] == 0:
                continue
            for berth in range(counts[ship]):
                hits = 0
                for nth in range(SHIPS[ship]):
                    one = state[cells[ship, berth, nth]]
                    if one == 1:
                        hits = -1
                        break
                    hits += one == 2
                if 0 <= hits < SHIPS[ship]:
                    weight = weights[ship, berth] * powers[hits]
                    for nth in range(SHIPS[ship]):
                        heat[cells[ship, berth, nth]] += weight
        best, ties = -1, 0
        for cell in range(CELLS):
            if state[cell] == 0:
                if best < 0 or heat[cell] > heat[best] * (1 + 1e-9):
                    best, ties = cell, 1
                elif heat[cell] >= heat[best] * (1 - 1e-9):
                    ties += 1
                    if chance(seed) * ties < 1:
                        best = cell
        ship = owner[best]
        if ship < 0:
            state[best] = 1
            continue
        state[best] = 2
        left[ship] -= 1
        if left[ship] == 0:
            for cell in range(CELLS):
                if owner[cell] == ship:
                    state[cell] = 1
            if left.sum() == 0:
                return shot
    return CELLS


@njit("void(f8[:,::1],f8[:,::1],i8[::1],i8[:,:,::1],f8,u8,i8[::1],i8[:,::1])", nogil=True)
def play(sums, believed, counts, cells, lure, seed, shots, fleets):  # type: ignore[no-untyped-def]
    """Play games of fleets hidden by weights that add up to `sums` against a gunner who believes in others."""
    state = np.zeros(1, np.uint64)
    state[0] = seed
    owner = np.zeros(CELLS, np.int64)
    for game in range(shots.shape[0]):
        place(sums, counts, cells, state, fleets[game], owner)
        shots[game] = sink(believed, counts, cells, lure, state, owner)


# ── the work ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Training:
    """One run and its folder: the weights after each round are kept."""

    def __init__(self, folder: Path, rounds: int, games: int, seed: int, jobs: int) -> None:
        self.folder, self.rounds, self.games, self.seed = folder, rounds, games, seed
        self.pool, self.bar = ThreadPoolExecutor(jobs), Bar()
        begun_with(folder, {"games": games, "seed": seed})
        self.counts = np.array([len(listed) for listed in BERTHED])
        self.cells = np.zeros((len(SHIPS), MOST, max(SHIPS)), np.int64)
        self.kinds = np.zeros((len(SHIPS), MOST), np.int64)
        self.names: list[str] = []
        """The kinds of all berths; ships of one size share theirs."""
        for ship, listed in enumerate(BERTHED):
            for nth, berth in enumerate(listed):
                named = name(kind(berth))
                if named not in self.names:
                    self.names.append(named)
                self.kinds[ship, nth] = self.names.index(named)
                self.cells[ship, nth, : len(berth)] = berth

    def spread(self, kept: Any) -> Any:
        """Return the weight of each berth of each ship."""
        weights = np.exp(kept)[self.kinds]
        for ship, count in enumerate(self.counts):
            weights[ship, count:] = 0
        return np.ascontiguousarray(weights)

    def met(self, hidden: Any, believed: Any, games: int, seed: int) -> tuple[Any, Any]:
        """Return the shots and the berths of games."""
        shots, fleets = np.zeros(games, np.int64), np.zeros((games, len(SHIPS)), np.int64)
        sums = np.ascontiguousarray(np.cumsum(hidden, axis=1))

        def part(nth: int) -> None:
            some = slice(nth * games // PARTS, (nth + 1) * games // PARTS)
            luck = np.uint64(seed << 32 | nth << 24)
            play(sums, believed, self.counts, self.cells, LURE, luck, shots[some], fleets[some])

        list(self.pool.map(part, range(PARTS)))
        return shots, fleets

    def run(self) -> None:
        """Climb round after round; write the mean of the later half."""
        kept = np.zeros(len(self.names))
        trail = []
        for nth in range(self.rounds):
            path = self.folder / f"round-{nth + 1:03}.npy"
            if path.exists():
                kept = np.load(path)
            else:
                weights = self.spread(kept)
                shots, fleets = self.met(weights, weights, self.games, self.seed << 12 | nth)
                kept = kept + self.step(shots, fleets)
                new = path.with_suffix(".part")
                with new.open("wb") as file:
                    np.save(file, kept)
                new.replace(path)
            trail.append(kept)
            self.bar.show("rounds", nth + 1, self.rounds)
        self.tell(np.mean(trail[len(trail) // 2 :], axis=0))

    def step(self, shots: Any, fleets: Any) -> Any:
        """Return by how much the logarithm of each weight grows: by how much later than all its fleets were sunk."""
        late = shots - shots.mean()
        gain, seen = np.zeros(len(self.names)), np.zeros(len(self.names))
        for ship in range(len(SHIPS)):
            which = self.kinds[ship][fleets[:, ship]]
            gain += np.bincount(which, late, len(self.names))
            seen += np.bincount(which, minlength=len(self.names))
        return STEP * gain / (seen + 30)

    def tell(self, kept: Any) -> None:
        """Write the weights as whole numbers, and say how they fare."""
        sizes = [one.split()[0] for one in self.names]
        most = np.array([max(one for one, size in zip(kept, sizes, strict=True) if size == here) for here in sizes])
        weights = np.rint(1000 * np.exp(kept - most)).astype(int)
        lines = [f"{named} {weight}" for named, weight in zip(self.names, weights, strict=True)]
        (self.folder / FILE).write_text("\n".join(lines) + "\n")
        found, plain = self.spread(np.log(np.maximum(weights, 1e-9))), self.spread(np.zeros(len(self.names)))
        for what, hidden, believed in (
            ("knows the weights", found, found), ("does not", found, plain), ("does not, of fleets by chance", plain, plain),
        ):  # fmt: skip
            shots, _ = self.met(hidden, believed, 10_000, self.seed << 12 | 4_000)
            error = shots.std() / len(shots) ** 0.5
            print(f"a gunner who {what}: {shots.mean():.2f} ± {error:.2f} shots", file=sys.stderr)


def main(arguments: list[str]) -> None:
    """Read the arguments and train."""
    asked = argparse.ArgumentParser(
        prog="tools/train seafight", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--out", type=Path, required=True, help="the folder to work in; the same one goes on with a run")
    asked.add_argument("--rounds", type=int, default=80)
    asked.add_argument("--games", type=int, default=4_000, help="in each round")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    told = asked.parse_args(arguments)
    Training(told.out, told.rounds, told.games, told.seed, told.jobs).run()
