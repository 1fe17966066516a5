"""The strategy of poker's best player: `tools/train poker --out FOLDER`.

Counterfactual regret minimisation on the tree of `arbitre.games.poker.betting`. Cards are put into groups: 169 before the flop;
on flop and turn by how often they win in the end against any others, and by how much that depends on the cards to come; on the
river by how often they win. Each part of the work draws boards and goes through the whole tree with all 1,081 hands of both
players at a time. The parts of a round are played with the same strategy and added up in their order, and later rounds weigh
more: the result depends on the seed and the numbers alone, not on the jobs.

At the end the strategy is frozen, a response to it is learned in the same groups, and what that wins on other boards is told.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from training.luck import drawn
from training.progress import Bar, begun_with

from arbitre.games.poker.betting import tree
from arbitre.games.poker.blueprint import FILE, GROUPS, LEVELS, SPREADS, Header, preflop_group, written

HANDS = 1326
LIVE = 1081
"""Hands that can be held beside five cards of a board."""
ACTIONS = 4
LANES = 16
"""Into so many parts a round is split, whatever the number of jobs."""
DEPTH = 24
KEEP = 50
"""Rounds between two times that what was learned is kept."""

NODES = tree()
PAIRS = list(combinations(range(52), 2))
PAIR = np.full((52, 52), -1, np.int64)
for _nth, (_one, _two) in enumerate(PAIRS):
    PAIR[_one, _two] = PAIR[_two, _one] = _nth
CARDS = np.array(PAIRS, np.int64)
PREFLOP = np.array([preflop_group(pair) for pair in PAIRS], np.uint8)


def _laid() -> tuple[Any, Any, Any, Any, Any]:
    """Return the tree as arrays: children, who speaks, round, actions, chips; fold is action 0, -1 shows the cards."""
    children = np.full((len(NODES), ACTIONS), -2, np.int64)
    speaker, rounds, counts = (np.zeros(len(NODES), np.int64) for _ in range(3))
    chips = np.zeros((len(NODES), ACTIONS))
    for node in NODES:
        speaker[node.number] = 0 if node.dealer else 1
        rounds[node.number] = node.round
        counts[node.number] = 1 + len(node.totals)
        chips[node.number, 0] = node.own
        for nth, (total, following) in enumerate(zip(node.totals, node.next, strict=True), 1):
            children[node.number, nth] = -1 if following is None else following.number
            chips[node.number, nth] = total
    return children, speaker, rounds, counts, chips


CHILDREN, SPEAKER, ROUND, COUNT, CHIPS = _laid()
ROOT = len(NODES) - 1


@njit("i8(i8,i8)", nogil=True)
def top(mask, number):  # type: ignore[no-untyped-def]
    """Return the highest so many bits of a mask."""
    found = 0
    for bit in range(12, -1, -1):
        if number == 0:
            break
        if mask >> bit & 1:
            found |= 1 << bit
            number -= 1
    return found


@njit("i8(i8)", nogil=True)
def straight(mask):  # type: ignore[no-untyped-def]
    """Return the highest value of the best straight, or 0."""
    run = mask << 1 | mask >> 12
    run &= run << 1
    run &= run << 1
    run &= run << 1
    run &= run << 1
    best = 0
    for bit in range(13, 3, -1):
        if run >> bit & 1:
            best = bit
            break
    return best


@njit("i8(i8)", nogil=True)
def bits(mask):  # type: ignore[no-untyped-def]
    """Count bits."""
    found = 0
    while mask:
        mask &= mask - 1
        found += 1
    return found


def _tables() -> tuple[Any, Any, Any]:
    """Return for every set of values its straight, its five highest, and how many it has."""
    straights, fives, numbers = (np.zeros(8192, np.int64) for _ in range(3))
    for mask in range(8192):
        straights[mask], fives[mask], numbers[mask] = straight(mask), top(mask, 5), bits(mask)
    return straights, fives, numbers


STRAIGHTS, FIVES, NUMBERS = _tables()


@njit("i8(i8,i8,i8,i8)", nogil=True)
def strength(a, b, c, d):  # type: ignore[no-untyped-def]
    """Return how good seven cards are, given the values of each suit: the greater wins."""
    for suit in (a, b, c, d):
        if NUMBERS[suit] >= 5:
            if STRAIGHTS[suit]:
                return 8 << 26 | STRAIGHTS[suit]
            return 5 << 26 | FIVES[suit]
    some = a | b | c | d
    two = a & b | a & c | a & d | b & c | b & d | c & d
    if two == 0:
        return (4 << 26 | STRAIGHTS[some]) if STRAIGHTS[some] else FIVES[some]
    three = a & b & (c | d) | c & d & (a | b)
    four = a & b & c & d
    if four:
        return 7 << 26 | four << 13 | top(some & ~four, 1)
    if three:
        high = top(three, 1)
        pair = two & ~high
        if pair:
            return 6 << 26 | high << 13 | top(pair, 1)
        if STRAIGHTS[some]:
            return 4 << 26 | STRAIGHTS[some]
        return 3 << 26 | high << 13 | top(some & ~high, 2)
    if STRAIGHTS[some]:
        return 4 << 26 | STRAIGHTS[some]
    high = top(two, 2)
    if NUMBERS[high] == 2:
        return 2 << 26 | high << 13 | top(some & ~high, 1)
    return 1 << 26 | high << 13 | top(some & ~high, 3)


@njit("void(i8[::1],i8[::1],i8[::1],i8[::1])", nogil=True)
def ranked(board, order, worth, counts):  # type: ignore[no-untyped-def]
    """List the hands beside a board of five by strength, the weakest first; the second half of `counts` says where ties begin."""
    suits = np.zeros(4, np.int64)
    used = np.zeros(52, np.bool_)
    for card in board:
        suits[card // 13] |= 1 << card % 13
        used[card] = True
    number = 0
    keys = np.empty(LIVE, np.int64)
    for nth in range(HANDS):
        one, two = CARDS[nth, 0], CARDS[nth, 1]
        if used[one] or used[two]:
            continue
        suits[one // 13] |= 1 << one % 13
        suits[two // 13] |= 1 << two % 13
        keys[number] = strength(suits[0], suits[1], suits[2], suits[3]) << 11 | nth
        suits[one // 13] &= ~(1 << one % 13)
        suits[two // 13] &= ~(1 << two % 13)
        number += 1
    keys.sort()
    for nth in range(LIVE):
        order[nth] = keys[nth] & 2047
        worth[nth] = keys[nth] >> 11
    counts[0] = number


@njit("void(i8[::1],i8[::1],f8[::1])", nogil=True)
def shares(order, worth, share):  # type: ignore[no-untyped-def]
    """Find for each hand of a list by strength the share of the 990 others that it beats, ties counting a half."""
    below = np.zeros(52)
    count = 0.0
    begin = 0
    seen = np.zeros(52)
    while begin < LIVE:
        end = begin
        while end < LIVE and worth[end] == worth[begin]:
            end += 1
        for nth in range(begin, end):
            one, two = CARDS[order[nth], 0], CARDS[order[nth], 1]
            seen[one] += 1
            seen[two] += 1
        for nth in range(begin, end):
            one, two = CARDS[order[nth], 0], CARDS[order[nth], 1]
            weaker = count - below[one] - below[two]
            equal = (end - begin) - (seen[one] + seen[two] - 1)
            share[nth] = (weaker + 0.5 * equal) / 990.0
        for nth in range(begin, end):
            one, two = CARDS[order[nth], 0], CARDS[order[nth], 1]
            below[one] += 1
            below[two] += 1
            seen[one] -= 1
            seen[two] -= 1
        count += end - begin
        begin = end


@njit("void(i8[::1],f8[:,::1],f8[:,:,::1])", nogil=True)
def looked(flop, flops, turns):  # type: ignore[no-untyped-def]
    """Add up the share and its square over all that may follow a flop: for the flop, and for each turn."""
    board = np.empty(5, np.int64)
    board[:3] = flop
    order, worth = np.empty(LIVE, np.int64), np.empty(LIVE, np.int64)
    share, counts = np.empty(LIVE), np.empty(2, np.int64)
    flops[:] = 0
    turns[:] = 0
    for turn in range(52):
        if turn == flop[0] or turn == flop[1] or turn == flop[2]:
            continue
        for river in range(turn + 1, 52):
            if river == flop[0] or river == flop[1] or river == flop[2]:
                continue
            board[3], board[4] = turn, river
            ranked(board, order, worth, counts)
            shares(order, worth, share)
            for nth in range(LIVE):
                hand, here = order[nth], share[nth]
                flops[hand, 0] += here
                flops[hand, 1] += here * here
                turns[turn, hand, 0] += here
                turns[turn, hand, 1] += here * here
                turns[river, hand, 0] += here
                turns[river, hand, 1] += here * here
    flops /= 1081.0
    turns /= 46.0


@njit("i8(f8[::1],f8[:,::1],f8,f8)", nogil=True)
def group(edges, inner, mean, square):  # type: ignore[no-untyped-def]
    """Return the group of a hand: by its mean, then by how far its share may go from there."""
    spread = np.sqrt(max(0.0, square - mean * mean))
    level = 0
    while level < edges.shape[0] and mean >= edges[level]:
        level += 1
    part = 0
    while part < inner.shape[1] and spread >= inner[level, part]:
        part += 1
    return level * (inner.shape[1] + 1) + part


@njit("void(f8[::1],f8[:,::1],f8[:,::1],u1[::1])", nogil=True)
def grouped(edges, inner, found, out):  # type: ignore[no-untyped-def]
    """Put every hand into its group."""
    for hand in range(HANDS):
        out[hand] = group(edges, inner, found[hand, 0], found[hand, 1])


@njit("f8(i8[::1],i8[::1],f8[::1],f8[::1])", nogil=True)
def held(one, two, reach, cards):  # type: ignore[no-untyped-def]
    """Add up a reach, and for each card that of the hands that hold it."""
    total = 0.0
    for nth in range(LIVE):
        cards[one[nth]] += reach[nth]
        cards[two[nth]] += reach[nth]
        total += reach[nth]
    return total


@njit("void(i8[::1],i8[::1],i8[::1],f8[::1],f8,f8[::1])", nogil=True)
def shown(one, two, worth, reach, chips, value):  # type: ignore[no-untyped-def]
    """Find what a showdown brings each hand against a reach of the other's."""
    cards = np.zeros(52)
    total = held(one, two, reach, cards)
    below = np.zeros(52)
    count = 0.0
    begin = 0
    while begin < LIVE:
        end = begin
        level = worth[begin]
        while end < LIVE and worth[end] == level:
            value[end] = count - below[one[end]] - below[two[end]]
            end += 1
        for nth in range(begin, end):
            below[one[nth]] += reach[nth]
            below[two[nth]] += reach[nth]
            count += reach[nth]
        for nth in range(begin, end):
            here_one, here_two = one[nth], two[nth]
            above = (total - count) - (cards[here_one] - below[here_one]) - (cards[here_two] - below[here_two])
            value[nth] = chips * (value[nth] - above)
        begin = end


@njit("void(i8[::1],i8[::1],f8[::1],f8,f8[::1])", nogil=True)
def folded(one, two, reach, chips, value):  # type: ignore[no-untyped-def]
    """Find what a fold brings each hand against a reach of the other's."""
    cards = np.zeros(52)
    total = held(one, two, reach, cards)
    for nth in range(LIVE):
        value[nth] = chips * (total - cards[one[nth]] - cards[two[nth]] + reach[nth])


@njit(
    "void(i8,i8,i8[::1],i8[::1],i8[::1],u1[:,::1],f4[:,:,::1],f4[:,:,::1],f4[:,:,::1],f8[:,:,::1],f8[:,:,:,::1],f8[:,:,::1],i8)",
    nogil=True,
)
def walk(node, depth, one, two, worth, groups, played, regrets, sums, reach, value, found, learner):  # type: ignore[no-untyped-def]
    """Go through the tree below a node, and find what each hand of both brings; `learner`: who learns, 2 for both."""
    player = SPEAKER[node]
    rival = 1 - player
    actions = COUNT[node]
    here = groups[ROUND[node]]
    mine = reach[depth, player]
    total = found[depth]
    total[:] = 0
    reach[depth + 1, rival] = reach[depth, rival]
    for action in range(actions):
        values = value[depth, action]
        child = CHILDREN[node, action]
        for nth in range(LIVE):
            reach[depth + 1, player, nth] = mine[nth] * played[node, here[nth], action]
        if action == 0:
            folded(one, two, reach[depth + 1, rival], -CHIPS[node, 0], values[player])
            folded(one, two, reach[depth + 1, player], CHIPS[node, 0], values[rival])
        elif child == -1:
            shown(one, two, worth, reach[depth + 1, rival], CHIPS[node, action], values[player])
            shown(one, two, worth, reach[depth + 1, player], CHIPS[node, action], values[rival])
        else:
            walk(child, depth + 1, one, two, worth, groups, played, regrets, sums, reach, value, found, learner)
            values[:] = found[depth + 1]
        for nth in range(LIVE):
            total[player, nth] += played[node, here[nth], action] * values[player, nth]
            total[rival, nth] += values[rival, nth]
    if learner in (2, player):
        for action in range(actions):
            values = value[depth, action]
            for nth in range(LIVE):
                at = here[nth]
                regrets[node, at, action] += np.float32(values[player, nth] - total[player, nth])
                sums[node, at, action] += np.float32(mine[nth] * played[node, at, action])


@njit(
    "void(u8[::1],i8[:,::1],i8[::1],u1[:,::1],u1[:,:,::1],u1[::1],i8,f4[:,:,::1],f4[:,:,::1],f4[:,:,::1],i8,f8[::1])", nogil=True
)
def learn(seed, flops, weights, flop_groups, turn_groups, preflop, boards, played, regrets, sums, learner, won):  # type: ignore[no-untyped-def]
    """Draw boards and go through the tree with each; `won` adds up what the dealer wins, and the ways to deal."""
    board = np.empty(5, np.int64)
    order, worth, counts = np.empty(LIVE, np.int64), np.empty(LIVE, np.int64), np.empty(2, np.int64)
    share = np.empty(LIVE)
    one, two = np.empty(LIVE, np.int64), np.empty(LIVE, np.int64)
    groups = np.empty((4, LIVE), np.uint8)
    reach, found = np.ones((DEPTH + 1, 2, LIVE)), np.zeros((DEPTH + 1, 2, LIVE))
    value = np.zeros((DEPTH + 1, ACTIONS, 2, LIVE))
    for _ in range(boards):
        mark = np.int64(drawn(seed) % np.uint64(22100))
        flop = 0
        while mark >= weights[flop]:
            mark -= weights[flop]
            flop += 1
        board[:3] = flops[flop]
        for nth in range(3, 5):
            again = True
            while again:
                board[nth] = np.int64(drawn(seed) % np.uint64(52))
                again = False
                for before in range(nth):
                    again = again or board[before] == board[nth]
        ranked(board, order, worth, counts)
        shares(order, worth, share)
        for nth in range(LIVE):
            hand = order[nth]
            one[nth], two[nth] = CARDS[hand, 0], CARDS[hand, 1]
            groups[0, nth] = preflop[hand]
            groups[1, nth] = flop_groups[flop, hand]
            groups[2, nth] = turn_groups[flop, board[3], hand]
            groups[3, nth] = min(GROUPS - 1, np.int64(share[nth] * GROUPS))
        reach[0] = 1.0
        walk(ROOT, 0, one, two, worth, groups, played, regrets, sums, reach, value, found, learner)
        won[0] += found[0, 0].sum()
        won[1] += LIVE * 990.0


@njit("void(f4[:,:,::1],f4[:,:,::1])", nogil=True)
def matched(regrets, played):  # type: ignore[no-untyped-def]
    """Play every action as often as it is regretted not to have been played."""
    for node in range(regrets.shape[0]):
        actions = COUNT[node]
        for at in range(GROUPS):
            whole = np.float32(0)
            for action in range(actions):
                whole += max(np.float32(0), regrets[node, at, action])
            for action in range(actions):
                if whole > 0:
                    played[node, at, action] = max(np.float32(0), regrets[node, at, action]) / whole
                else:
                    played[node, at, action] = np.float32(1) / actions


# ── the work ───────────────────────────────────────────────────────────────────────────────────────────────────────


def flops_of() -> tuple[Any, Any]:
    """Return one flop of each kind that differs by more than suits, and how many there are of the kind."""
    kinds: dict[tuple[int, ...], int] = {}
    swaps = [[13 * swap[card // 13] + card % 13 for card in range(52)] for swap in permutations(range(4))]
    for flop in combinations(range(52), 3):
        least = min(tuple(sorted(swap[card] for card in flop)) for swap in swaps)
        kinds[least] = kinds.get(least, 0) + 1
    return np.array(list(kinds), np.int64), np.array(list(kinds.values()), np.int64)


class Training:
    """One run and its folder: groups, then the regrets and sums as they stand."""

    def __init__(self, told: argparse.Namespace) -> None:
        self.folder: Path = told.out
        self.rounds, self.boards, self.seed = told.rounds, told.boards, told.seed
        self.pool, self.bar = ThreadPoolExecutor(told.jobs), Bar()
        begun_with(self.folder, {"boards": self.boards, "seed": self.seed})
        self.flops, self.weights = flops_of()

    def group(self) -> None:
        """Find where groups begin from flops drawn by chance, then the group of every hand on every flop and turn."""
        random = np.random.default_rng(self.seed)
        drawn = random.choice(len(self.flops), 160, p=self.weights / self.weights.sum())
        samples: list[tuple[Any, Any]] = list(self.pool.map(self._looked, drawn))
        whole = [np.concatenate([one[one[:, 0] > 0] for one, _ in samples])]
        whole.append(np.concatenate([turns[turns[:, :, 0] > 0] for _, turns in samples]))
        self.edges = [_edges(one) for one in whole]
        self.flop_groups = np.zeros((len(self.flops), HANDS), np.uint8)
        self.turn_groups = np.zeros((len(self.flops), 52, HANDS), np.uint8)
        for done, _ in enumerate(self.pool.map(self._grouped, range(len(self.flops))), 1):
            self.bar.show("groups", done, len(self.flops))

    def _looked(self, nth: int) -> tuple[Any, Any]:
        flops, turns = np.zeros((HANDS, 2)), np.zeros((52, HANDS, 2))
        looked(self.flops[nth], flops, turns)
        return flops, turns

    def _grouped(self, nth: int) -> None:
        flops, turns = self._looked(nth)
        grouped(*self.edges[0], flops, self.flop_groups[nth])
        for card in range(52):
            grouped(*self.edges[1], turns[card], self.turn_groups[nth, card])

    def run(self) -> None:
        """Learn, write it, and tell how good it is."""
        self.group()
        average = _average(self.learned("strategy", self.rounds, None))
        (flop, flop_spread), (turn, turn_spread) = self.edges
        header = Header(tuple(flop.tolist()), tuple(turn.tolist()), _rows(flop_spread), _rows(turn_spread))
        written(self.folder / FILE, header, average)
        print(f"{(self.folder / FILE).stat().st_size} octets", file=sys.stderr)
        kept = _rounded(average)
        even = self.worth(kept, 4_001)
        dealer, other = (self.response(kept, learner) for learner in (0, 1))
        print(f"the dealer wins {even:+.4f} chips a hand of itself", file=sys.stderr)
        print(f"a response wins {dealer:+.4f} as dealer and {other:+.4f} as the other", file=sys.stderr)
        print(f"exploitable by {250 * (dealer + other):.1f} thousandths of a big blind a hand", file=sys.stderr)

    def learned(self, what: str, rounds: int, frozen: Any, learner: int = 2) -> Any:
        """Return how often each word was said in so many rounds, both learning or one against a frozen strategy."""
        shape = (len(NODES), GROUPS, ACTIONS)
        path = self.folder / f"{what}.npz"
        begun, regrets, sums = 0, np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        if path.exists():
            kept = np.load(path)
            begun, regrets, sums = int(kept["begun"]), kept["regrets"], kept["sums"]
        played = np.zeros(shape, np.float32)
        lanes = [(np.zeros(shape, np.float32), np.zeros(shape, np.float32)) for _ in range(LANES)]
        theirs = learner != SPEAKER
        for nth in range(begun, rounds):
            matched(regrets, played)
            if frozen is not None:
                played[theirs] = frozen[theirs]

            def lane(which: int, nth: int = nth) -> None:
                some, more = lanes[which]
                some[:] = 0
                more[:] = 0
                seed = np.array([self.seed << 40 | learner << 36 | nth << 8 | which], np.uint64)
                self.drawn(seed, self.boards, played, some, more, learner, np.zeros(2))

            def added(which: int, nth: int = nth) -> None:
                late = np.float32((nth + 1) / (nth + 2))
                some = slice(which * len(NODES) // LANES, (which + 1) * len(NODES) // LANES)
                for regret, total in lanes:
                    regrets[some] += regret[some]
                    sums[some] += total[some]
                regrets[some] *= late
                sums[some] *= late

            list(self.pool.map(lane, range(LANES)))
            list(self.pool.map(added, range(LANES)))
            self.bar.show(what, nth + 1, rounds)
            if (nth + 1) % KEEP == 0 or nth + 1 == rounds:
                with path.with_suffix(".part").open("wb") as file:
                    np.savez(file, begun=nth + 1, regrets=regrets, sums=sums)
                path.with_suffix(".part").replace(path)
        return sums

    def drawn(self, seed: Any, boards: int, played: Any, regrets: Any, sums: Any, learner: int, won: Any) -> None:
        """Go through the tree with so many boards."""
        cards = (self.flops, self.weights, self.flop_groups, self.turn_groups, PREFLOP)
        learn(seed, *cards, boards, played, regrets, sums, learner, won)

    def response(self, strategy: Any, learner: int) -> float:
        """Return what a response learned against a strategy wins of it, in chips a hand, on boards of their own."""
        played = _average(self.learned(f"response-{learner}", max(10, self.rounds // 8), strategy, learner))
        played[learner != SPEAKER] = strategy[learner != SPEAKER]
        worth = self.worth(played, 4_000)
        return worth if learner == 0 else -worth

    def worth(self, played: Any, mark: int) -> float:
        """Return what the dealer wins on average when both play by a strategy."""
        shape = (len(NODES), GROUPS, ACTIONS)
        kept = [np.zeros(2) for _ in range(LANES)]

        def lane(which: int) -> None:
            spare = np.zeros(shape, np.float32)
            self.drawn(np.array([mark << 40 | which], np.uint64), 20 * self.boards, played, spare, spare, 3, kept[which])

        list(self.pool.map(lane, range(LANES)))
        won, dealt = np.sum(kept, axis=0)
        return float(won / dealt)


def _edges(found: Any) -> tuple[Any, Any]:
    """Return where the levels of the mean begin, and within each where the parts of the spread do."""
    means = found[:, 0]
    spreads = np.sqrt(np.maximum(0, found[:, 1] - means * means))
    edges = np.quantile(means, np.arange(1, LEVELS) / LEVELS)
    level = np.searchsorted(edges, means, side="right")
    inner = np.array([np.quantile(spreads[level == nth], np.arange(1, SPREADS) / SPREADS) for nth in range(LEVELS)])
    return np.ascontiguousarray(edges), np.ascontiguousarray(inner)


def _rows(table: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in table)


def _average(sums: Any) -> Any:
    whole = sums.sum(axis=2, keepdims=True)
    even = (np.arange(ACTIONS) < COUNT[:, None]) / COUNT[:, None]
    return np.ascontiguousarray(np.where(whole > 0, sums / np.where(whole > 0, whole, 1), even[:, None, :]).astype(np.float32))


def _rounded(average: Any) -> Any:
    """Return the strategy as the file keeps it."""
    sixteenths = np.rint(average * 15)
    return np.ascontiguousarray((sixteenths / sixteenths.sum(axis=2, keepdims=True)).astype(np.float32))


def main(arguments: list[str]) -> None:
    """Read the arguments and train."""
    asked = argparse.ArgumentParser(
        prog="tools/train poker", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--out", type=Path, required=True, help="the folder to work in")
    asked.add_argument("--rounds", type=int, default=1_000)
    asked.add_argument("--boards", type=int, default=8, help="of each of the sixteen parts of a round")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    Training(asked.parse_args(arguments)).run()
