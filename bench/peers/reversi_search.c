/* The search of the Reversi kernel in C: `reversi_search SECONDS OWN FOES DEPTH END BUCKETS FILE` prints
 * `[positions, worth, positions per CPU second]`. FILE holds the weights as the kernel reads them, then the powers, then the
 * offsets. The same algorithm line by line, so that what differs is the compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t U;
typedef int64_t I;
typedef struct { U cell, turned, rank; } Move;
typedef struct { U key, what; } Entry;

enum { NUMBER = 46, WIDTH = 48, STAGES = 15, STAGE = 4, DISC = 16, MOST = 64 * DISC, SPAN = 226314, NEAR = 6, JUDGED = 12 };
enum { EXACT, AT_LEAST, AT_MOST };
#define INNER 0x7E7E7E7E7E7E7E7EULL
#define CORNERS 0x8100000000000081ULL
#define C1 0x9E3779B97F4A7C15ULL
#define C2 0xC2B2AE3D27D4EB4FULL
#define C3 0x165667B19E3779F9ULL

static int16_t weights[STAGES * 2 * SPAN];
static uint16_t powers[64][WIDTH], codes[64][WIDTH];
static I offsets[NUMBER];
static U rays[64][8], nodes, buckets, age;
static Move moves_of[64 * 34];
static Entry *table;

static int count(U x) { return __builtin_popcountll(x); }
static int lowest(U x) { return __builtin_ctzll(x); }
static I most(I a, I b) { return a > b ? a : b; }
static I least(I a, I b) { return a < b ? a : b; }
static I balance(U own, U foes) { return count(own) - count(foes); }

static void prepare(void) {
    static const int ways[8][2] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}, {0, -1}, {-1, 1}, {-1, 0}, {-1, -1}};
    for (int cell = 0; cell < 64; cell++)
        for (int way = 0; way < 8; way++)
            for (int row = cell / 8 + ways[way][0], column = cell % 8 + ways[way][1];
                 row >= 0 && row < 8 && column >= 0 && column < 8; row += ways[way][0], column += ways[way][1])
                rays[cell][way] |= 1ULL << (8 * row + column);
}

static inline U along(U own, U mask, int step) {
    U up = mask & own << step, down = mask & own >> step;
    up |= mask & up << step, down |= mask & down >> step;
    U pairs = mask & mask << step, others = mask & mask >> step;
    up |= pairs & up << 2 * step, down |= others & down >> 2 * step;
    up |= pairs & up << 2 * step, down |= others & down >> 2 * step;
    return up << step | down >> step;
}

static U mobility(U own, U foes) {
    U inner = foes & INNER;
    return (along(own, inner, 1) | along(own, foes, 8) | along(own, inner, 7) | along(own, inner, 9)) & ~(own | foes);
}

static U flips(U own, U foes, int cell) {
    U found = 0;
    for (int way = 0; way < 4; way++) {
        U ray = rays[cell][way], other = ray & ~foes;
        if (other) {
            U end = other & -other & own;
            if (end) found |= ray & (end - 1);
        }
        ray = rays[cell][4 + way], other = ray & ~foes;
        if (other) {
            U end = 1ULL << (63 - __builtin_clzll(other)) & own;
            if (end) found |= ray & ~((end << 1) - 1);
        }
    }
    return found;
}

static U key_of(U own, U foes) {
    U key = own * C1 ^ (foes ^ foes >> 29) * C2;
    key = (key ^ key >> 32) * C3;
    key = (key ^ key >> 29) * C1;
    return key ^ key >> 32;
}

static inline void add(uint16_t *to, const uint16_t *one, const uint16_t *two) {
    for (int nth = 0; nth < WIDTH; nth++) to[nth] = one[nth] + two[nth];
}

static inline void subtract(uint16_t *to, const uint16_t *one, const uint16_t *two) {
    for (int nth = 0; nth < WIDTH; nth++) to[nth] = one[nth] - two[nth];
}

static void begin(U own, U foes) {
    memset(codes[0], 0, sizeof codes[0]);
    for (int cell = 0; cell < 64; cell++) {
        if ((own | foes) >> cell & 1) add(codes[0], codes[0], powers[cell]);
        if (foes >> cell & 1) add(codes[0], codes[0], powers[cell]);
    }
}

static void put(I ply, int side, int cell, U turned) {
    uint16_t *there = codes[ply + 1];
    add(there, codes[ply], powers[cell]);
    if (side == 0) {
        for (; turned; turned &= turned - 1) subtract(there, there, powers[lowest(turned)]);
    } else {
        add(there, there, powers[cell]);
        for (; turned; turned &= turned - 1) add(there, there, powers[lowest(turned)]);
    }
}

static I evaluate(U own, U foes, int side, I ply) {
    if (!own || !foes) return DISC * balance(own, foes);
    I base = (2 * least((count(own | foes) - 4) / STAGE, STAGES - 1) + side) * SPAN, worth = 0;
    for (int nth = 0; nth < NUMBER; nth++) worth += weights[base + offsets[nth] + codes[ply][nth]];
    return most(1 - MOST, least(MOST - 1, worth));
}

static void remember(U key, I depth, I worth, U bound, U cell) {
    Entry *at = table + 2 * (key & buckets);
    if (at->key != key) {
        if ((at->what >> 24 & 255) == age && (I)(at->what >> 16 & 255) > depth) at++;
        else if (at->what) at[1] = at[0];
    }
    *at = (Entry){key, (U)(worth + 2 * MOST) << 32 | age << 24 | (U)depth << 16 | bound << 8 | cell};
}

static U odd(U empty) {
    static const U quarters[4] = {0x0F0F0F0FULL, 0xF0F0F0F0ULL, 0x0F0F0F0FULL << 32, 0xF0F0F0F0ULL << 32};
    U found = 0;
    for (int nth = 0; nth < 4; nth++)
        if (count(empty & quarters[nth]) & 1) found |= quarters[nth];
    return found;
}

static I last(U own, U foes, U empty) {
    int cell = lowest(empty), gained = count(flips(own, foes, cell));
    if (gained) return balance(own, foes) + 2 * gained + 1;
    int lost = count(flips(foes, own, cell));
    return lost ? balance(own, foes) - 2 * lost - 1 : balance(own, foes);
}

static I finish(U own, U foes, I low, I high) {
    nodes++;
    U empty = ~(own | foes);
    if (!empty) return balance(own, foes);
    if (!(empty & (empty - 1))) return last(own, foes, empty);
    I best = -65;
    U first = empty & odd(empty);
    for (int part = 0; part < 2; part++)
        for (U cells = part ? empty & ~first : first; cells; cells &= cells - 1) {
            int cell = lowest(cells);
            U turned = flips(own, foes, cell);
            if (!turned) continue;
            I worth = -finish(foes ^ turned, own | turned | 1ULL << cell, -high, -most(low, best));
            if (worth > best && (best = worth) >= high) return best;
        }
    if (best > -65) return best;
    return mobility(foes, own) ? -finish(foes, own, -high, -low) : balance(own, foes);
}

static Move *order(U own, U foes, U moves, int side, I depth, I ply, Move *at, int hint) {
    U empty = ~(own | foes), quarters = odd(empty);
    int empties = count(empty), exact = depth == empties, judged = exact ? empties > JUDGED : depth >= 3;
    for (; moves; moves &= moves - 1) {
        int cell = lowest(moves);
        U bit = 1ULL << cell, turned = flips(own, foes, cell), mine = own | turned | bit, theirs = foes ^ turned;
        U replies = mobility(theirs, mine);
        I free = count(replies) + count(replies & CORNERS), rank = 1 << 20;
        if (cell == hint) rank = 1 << 30;
        else if (judged) {
            put(ply, side, cell, turned);
            rank -= evaluate(theirs, mine, 1 - side, ply + 1) + (exact ? DISC : DISC / 4) * free;
        } else {
            rank -= 16 * free;
            if (exact && bit & quarters) rank += 8;
            if (bit & CORNERS) rank += 24;
        }
        *at++ = (Move){cell, turned, rank};
    }
    return at;
}

static void pick(Move *at, Move *end) {
    Move *best = at;
    for (Move *one = at + 1; one < end; one++)
        if (one->rank > best->rank) best = one;
    Move kept = *at;
    *at = *best, *best = kept;
}

static I floor_of(I x) { return x >= 0 ? x / DISC : -((-x + DISC - 1) / DISC); }

static I search(U own, U foes, int side, I depth, I low, I high, I ply, Move *top) {
    nodes++;
    I empties = 64 - count(own | foes);
    if (depth >= empties) {
        depth = empties;
        if (empties <= NEAR) return DISC * finish(own, foes, floor_of(low), -floor_of(-high));
    } else if (depth <= 0) return evaluate(own, foes, side, ply);
    U moves = mobility(own, foes);
    if (!moves) return mobility(foes, own) ? -search(foes, own, 1 - side, depth, -high, -low, ply, top) : DISC * balance(own, foes);
    I best = -MOST;
    if (depth == 1 && empties > 1) {
        for (; moves && best < high; moves &= moves - 1) {
            int cell = lowest(moves);
            U turned = flips(own, foes, cell);
            put(ply, side, cell, turned);
            nodes++;
            best = most(best, -evaluate(foes ^ turned, own | turned | 1ULL << cell, 1 - side, ply + 1));
        }
        return best;
    }
    U key = key_of(own, foes);
    int hint = 64;
    Entry *at = table + 2 * (key & buckets);
    if (at->key != key) at++;
    if (at->key == key) {
        hint = at->what & 255;
        if ((I)(at->what >> 16 & 255) >= depth) {
            I worth = (I)(at->what >> 32) - 2 * MOST;
            U bound = at->what >> 8 & 255;
            if (bound == EXACT || (bound == AT_LEAST && worth >= high) || (bound == AT_MOST && worth <= low)) return worth;
        }
    }
    Move *below = order(own, foes, moves, side, depth, ply, top, hint);
    int coded = depth < empties || empties > JUDGED, choice = 64;
    I bar = low;
    best = -2 * MOST;
    for (Move *one = top; one < below; one++) {
        pick(one, below);
        if (coded) put(ply, side, one->cell, one->turned);
        U mine = own | one->turned | 1ULL << one->cell, theirs = foes ^ one->turned;
        I worth;
        if (one == top) worth = -search(theirs, mine, 1 - side, depth - 1, -high, -bar, ply + 1, below);
        else {
            worth = -search(theirs, mine, 1 - side, depth - 1, -bar - 1, -bar, ply + 1, below);
            if (bar < worth && worth < high) worth = -search(theirs, mine, 1 - side, depth - 1, -high, -worth, ply + 1, below);
        }
        if (worth > best) {
            best = worth, choice = one->cell;
            bar = most(bar, worth);
            if (worth >= high) break;
        }
    }
    remember(key, depth, best, best >= high ? AT_LEAST : best > low ? EXACT : AT_MOST, choice);
    return best;
}

static void round_of(U own, U foes, I depth, I low, I high, Move *end) {
    I best = low;
    for (Move *one = moves_of; one < end; one++) {
        put(0, 0, one->cell, one->turned);
        U mine = own | one->turned | 1ULL << one->cell, theirs = foes ^ one->turned;
        I worth = best + 1;
        if (one > moves_of) worth = -search(theirs, mine, 1, depth - 1, -best - 1, -best, 1, end);
        if (worth > best && (one == moves_of || worth < high)) worth = -search(theirs, mine, 1, depth - 1, -high, -best, 1, end);
        one->rank = worth + 2 * MOST;
        best = most(best, worth);
        if (best >= high) {
            while (++one < end) one->rank = 1;
            break;
        }
    }
    for (Move *one = moves_of + 1; one < end; one++)
        for (Move *at = one; at > moves_of && at->rank > at[-1].rank; at--) {
            Move kept = *at;
            *at = at[-1], at[-1] = kept;
        }
}

static I think(U own, U foes, I depth, I end) {
    nodes = 0, age = (age + 1) & 255;
    begin(own, foes);
    I empties = 64 - count(own | foes);
    Move *stop = order(own, foes, mobility(own, foes), 0, 3, 0, moves_of, 64);
    for (Move *one = moves_of + 1; one < stop; one++)
        for (Move *at = one; at > moves_of && at->rank > at[-1].rank; at--) {
            Move kept = *at;
            *at = at[-1], at[-1] = kept;
        }
    int counted = empties <= end;
    I deepest = least(depth, counted ? empties / 2 : empties);
    for (I deep = 1; deep <= deepest; deep++) round_of(own, foes, deep, -2 * MOST, 2 * MOST, stop);
    if (deepest == empties || counted) {
        round_of(own, foes, empties, -1, 1, stop);
        I worth = (I)moves_of[0].rank - 2 * MOST;
        if (worth) round_of(own, foes, empties, worth > 0 ? 0 : -2 * MOST, worth > 0 ? 2 * MOST : 0, stop);
    }
    return (I)moves_of[0].rank - 2 * MOST;
}

int main(int argc, char **argv) {
    if (argc != 8) return 2;
    double seconds = atof(argv[1]), spent = 0;
    U own = strtoull(argv[2], 0, 10), foes = strtoull(argv[3], 0, 10), seen = 0;
    buckets = strtoull(argv[6], 0, 10) - 1;
    FILE *file = fopen(argv[7], "rb");
    if (!file || fread(weights, sizeof weights, 1, file) != 1 || fread(powers, sizeof powers, 1, file) != 1 ||
        fread(offsets, sizeof offsets, 1, file) != 1)
        return 3;
    prepare();
    I worth = 0;
    do {
        table = calloc(2 * (buckets + 1), sizeof(Entry));
        age = 0;
        clock_t begun = clock();
        worth = think(own, foes, atoi(argv[4]), atoi(argv[5]));
        spent += (double)(clock() - begun) / CLOCKS_PER_SEC;
        seen += nodes;
        free(table);
    } while (spent < seconds);
    printf("[%llu, %lld, %f]\n", (unsigned long long)nodes, (long long)worth, seen / spent);
    return 0;
}
