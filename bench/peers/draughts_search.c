/* The search of the draughts kernel in C: `draughts_search SECONDS OWN FOES KINGS SEAT DEPTH PLIES TURN BUCKETS FILE` prints
 * `[positions, worth, positions per CPU second]`. FILE holds what men are worth and then the solved endings, as the kernel reads
 * them; its other numbers are given to the compiler. The same algorithm line by line, so that what differs is the compiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draughts_moves.h"

typedef int64_t I;
typedef struct { U key, what; } Entry;

enum { SPAN = 54, CHUNK = 9, PLY_MOST = 120, LATE = 60, EXACT = 0, AT_LEAST = 1, AT_MOST = 2, UNKNOWN = -1 };
#define C1 0x9E3779B97F4A7C15ULL
#define C2 0xC2B2AE3D27D4EB4FULL
#define C3 0x165667B19E3779F9ULL
#define C4 0xD6E8FEB86659FD93ULL

static I men_worth[SPAN / CHUNK << CHUNK];
static U endings[(ENDINGS + 7) / 8], ahead_of[SPAN], killers[2 * 128], path[128], calm[128], history[2][4096];
static U nodes, limit = 1ULL << 62, buckets, age, plies, turn_of_root;
static volatile U stop;
static int ended;
static Entry *table;

static int count(U x) { return __builtin_popcountll(x); }
static I most(I a, I b) { return a > b ? a : b; }
static I least(I a, I b) { return a < b ? a : b; }
static inline I over(I a, I b) { return a / b - (a % b < 0); }

static U backwards(U x) {
    x = (x >> 1 & 0x5555555555555555ULL) | (x & 0x5555555555555555ULL) << 1;
    x = (x >> 2 & 0x3333333333333333ULL) | (x & 0x3333333333333333ULL) << 2;
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0FULL) | (x & 0x0F0F0F0F0F0F0F0FULL) << 4;
    return __builtin_bswap64(x);
}

/* ── the smallest endings ── */

static I piece(U rest, U kings, int seat) {
    int at = lowest(rest);
    I square = at - at / 11;
    if (seat == 1) square = 49 - square;
    return kings & 1ULL << at ? square + 50 : square;
}

static I place(U own, U foes, U kings, int seat) {
    int ours = count(own), theirs = count(foes), pieces = ours + theirs;
    if (!ours || !theirs || pieces > 4 || (pieces == 4 && (ours == 2 || kings != (own | foes)))) return UNKNOWN;
    U many = ours > 1 ? own : foes;
    I one = piece(ours > 1 ? foes : own, kings, seat), a = piece(many, kings, seat), kept;
    if (pieces == 2) return one * 100 + a;
    many &= many - 1;
    I b = piece(many, kings, seat);
    if (a > b) kept = a, a = b, b = kept;
    if (pieces == 3) return (ours > 1 ? MORE : FEWER) + (a * 100 + b) * 100 + one;
    I c = piece(many & (many - 1), kings, seat);
    if (c < a) kept = c, c = b, b = a, a = kept;
    else if (c < b) kept = b, b = c, c = kept;
    return (ours > 1 ? CROWD : LONE) + (((a - 50) * 50 + b - 50) * 50 + c - 50) * 50 + one - 50;
}

static I ending(U own, U foes, U kings, int seat, I ply) {
    I index = place(own, foes, kings, seat);
    if (index == UNKNOWN) return WON + 1;
    I value = endings[index >> 3] >> 8 * (index & 7) & 255;
    if (!value || (I)turn_of_root + ply + value - 2 > (I)plies) return 0;
    I distance = ply + value - 1;
    return value & 1 ? distance - WON : WON - distance;
}

/* ── what a position is worth ── */

static I standing(U men, U flying, U foes, U foe_kings, I pieces) {
    U free = every ^ (men | flying | foes), rest = men;
    I worth = KINGS * count(flying) + ON_HIGHWAY * count(flying & HIGHWAY);
    for (int part = 0; part < SPAN / CHUNK; part++, rest >>= CHUNK)
        worth += men_worth[(part << CHUNK) + (rest & ((1 << CHUNK) - 1))];
    U left = men & (men >> 5), right = men & (men >> 6);
    worth += LEFT_PAIRS * count(left) + RIGHT_PAIRS * count(right) + THORNS * count(left & right & OUTPOSTS);
    worth += LEFT_TRIPLES * count(left & (men >> 10)) + RIGHT_TRIPLES * count(right & (men >> 12));
    worth += LEFT_GAPS * count(men & (free >> 5) & (men >> 10));
    worth += RIGHT_GAPS * count(men & (free >> 6) & (men >> 12));
    worth += ALONE * count(men & ~(men << 5 | men << 6 | men >> 5 | men >> 6) & ~GUARDS);
    worth += OPEN * count(men & (free << 5) & (free << 6)) + BLOCKED * count(men & ~(free << 5 | free << 6));
    I steps = count((men >> 6) & free) + count((men >> 5) & free);
    worth += STEPS * steps;
    if (steps < 3 && !flying) worth += STUCK * (3 - steps);
    worth += LOPSIDED * labs(count(men & LEFT) - count(men & RIGHT));
    if (!foe_kings && pieces <= 24) {
        I best = 0;
        for (U runners = men & ~RUNWAY; runners; runners &= runners - 1) {
            int at = lowest(runners);
            if (!(ahead_of[at] & foes)) best = most(best, 10 - (at - at / 11) / 5);
        }
        worth += RUNNER * best;
    }
    I bare = ((worth + HALVES / 2) & (HALVES - 1)) - HALVES / 2;
    return over((worth - bare) / HALVES * pieces + bare * (40 - pieces), 40);
}

static I evaluate(U own, U foes, U kings, int seat, I left) {
    I pieces = count(own | foes);
    if (seat == 1) own = backwards(own) >> 10, foes = backwards(foes) >> 10, kings = backwards(kings) >> 10;
    I ours = standing(own & ~kings, own & kings, foes, foes & kings, pieces);
    own = backwards(own) >> 10, foes = backwards(foes) >> 10, kings = backwards(kings) >> 10;
    I theirs = standing(foes & ~kings, foes & kings, own, own & kings, pieces), worth = ours - theirs + TURN_WORTH;
    U strong = worth > 0 ? own : foes, weak = worth > 0 ? foes : own;
    I ahead = count(strong) - count(weak);
    if (ahead > 0) worth += 2 * ahead * (40 - pieces) * (worth > 0 ? 1 : -1);
    if (weak & kings) {
        if (weak & kings & HIGHWAY && count(strong) < 4) worth = over(worth, 32);
        else if (ahead <= 1 || count(strong) < 4) worth = over(worth, 8);
        else if (ahead == 2) worth = over(worth, 3);
    } else if (!(strong & kings) && ahead == 0 && pieces <= 4) worth = over(worth, 2);
    if (left < 24) worth = over(worth * (left + 4), 28);
    return most(-SURE + 200, least(SURE - 200, worth));
}

/* ── the search ── */

static U key_of(U own, U foes, U kings, int seat) {
    U key = own * C1 ^ (foes ^ foes >> 29) * C2;
    key = (key ^ key >> 32) * C3 ^ (kings ^ kings >> 31) * C4 ^ (U)seat;
    key = (key ^ key >> 29) * C1;
    return key ^ key >> 32;
}

static I settled(I worth, I ply, I sign) { return worth >= SURE ? worth + sign * ply : worth <= -SURE ? worth - sign * ply : worth; }

static void remember(U key, I depth, I worth, U bound, U choice) {
    Entry *at = table + 2 * (key & buckets);
    if (at->key != key && at->what >> 48 == age && (I)(at->what >> 20 & 255) > depth + 8) at++;
    *at = (Entry){key, (U)(worth + 32768) | (U)(depth + 8) << 20 | bound << 28 | choice << 32 | age << 48};
}

static U step_of(const Move *m) { return (U)(lowest(m->start) * 64 + lowest(m->end)); }

static void order(int top, int below, int seat, I ply, I hint, U kings) {
    U one = killers[2 * ply], two = killers[2 * ply + 1];
    for (int at = top; at < below; at++) {
        U step = step_of(moves + at), promise = history[seat][step] << 10, taken = moves[at].taken;
        if (at - top == hint) promise = 1ULL << 62;
        else if (taken) promise += (U)count(taken & kings) << 50;
        else if (step + 1 == one) promise += 1ULL << 52;
        else if (step + 1 == two) promise += 1ULL << 51;
        moves[at].rank = promise | (U)(at - top);
    }
}

static void pick(int at, int below) {
    int best = at;
    for (int other = at + 1; other < below; other++)
        if (moves[other].rank > moves[best].rank) best = other;
    Move kept = moves[at];
    moves[at] = moves[best], moves[best] = kept;
}

static void praise(const Move *m, int seat, I ply, I depth) {
    U step = step_of(m), more = history[seat][step] + (U)(depth * depth + 1);
    history[seat][step] = more < 1 << 30 ? more : 1 << 30;
    if (killers[2 * ply] != step + 1) killers[2 * ply + 1] = killers[2 * ply], killers[2 * ply] = step + 1;
}

static int again(I ply, U key) {
    path[ply] = key;
    for (I back = 4, until = least((I)calm[ply], ply); back <= until; back += 2)
        if (path[ply - back] == key) return 1;
    return 0;
}

static I search(U own, U foes, U kings, int seat, I depth, I low, I high, I ply, int top) {
    nodes++;
    if (nodes > limit || (!(nodes & 511) && stop)) ended = 1;
    if (ended) return 0;
    if (count(own | foes) <= 4) {
        I found = ending(own, foes, kings, seat, ply);
        if (found <= WON) return found;
    }
    I left = (I)plies + 1 - (I)turn_of_root - ply, hint = -1;
    U key = key_of(own, foes, kings, seat);
    if (again(ply, key)) return 0;
    if (left < LATE) key ^= (U)(most(0, left) + 1) * C3;
    Entry *at = table + 2 * (key & buckets);
    if (at->key != key) at++;
    if (at->key == key) {
        hint = at->what >> 32 & 1023;
        if ((I)(at->what >> 20 & 255) - 8 >= depth && ply > 0) {
            I worth = settled((I)(at->what & 0xFFFFF) - 32768, ply, -1);
            U bound = at->what >> 28 & 3;
            if (bound == EXACT || (bound == AT_LEAST && worth >= high) || (bound == AT_MOST && worth <= low)) return worth;
        }
    }
    int found = listing(top, own, foes, kings, seat), below = top + found;
    if (!found) return ply - WON;
    if (left <= 0) return 0;
    int capture = moves[top].taken != 0;
    if (ply >= PLY_MOST) return evaluate(own, foes, kings, seat, left);
    int threatened = !capture && hunts(foes, own, kings);
    if (depth <= 0 && !capture && (depth <= -1 || !threatened)) return evaluate(own, foes, kings, seat, left);
    order(top, below, seat, ply, hint, kings);
    I best = -WON, bar = low, next_depth = found == 1 || (capture && depth <= 0) ? depth : depth - 1;
    U choice = 0;
    for (int nth = 0; nth < found; nth++) {
        pick(top + nth, below);
        Move m = moves[top + nth];
        U after = crowned(kings, m, seat), own_after = foes ^ m.taken, foes_after = (own ^ m.start) | m.end;
        calm[ply + 1] = !capture && m.start & kings ? calm[ply] + 1 : 0;
        I reduced = 0, worth;
        if (nth >= 1 && depth >= 2 && !capture) reduced = nth < 4 || depth < 4 ? 1 : 2;
        if (nth == 0) worth = -search(own_after, foes_after, after, 1 - seat, next_depth, -high, -bar, ply + 1, below);
        else {
            worth = -search(own_after, foes_after, after, 1 - seat, next_depth - reduced, -bar - 1, -bar, ply + 1, below);
            if (worth > bar && (reduced > 0 || worth < high))
                worth = -search(own_after, foes_after, after, 1 - seat, next_depth, -high, -bar, ply + 1, below);
        }
        if (ended) return 0;
        if (worth > best) {
            best = worth, choice = m.rank & 1023;
            if (worth > bar) {
                bar = worth;
                if (worth >= high) {
                    if (!capture) praise(moves + top + nth, seat, ply, most(depth, 1));
                    break;
                }
            }
        }
    }
    remember(key, most(depth, -8), settled(best, ply, 1), best >= high ? AT_LEAST : best > low ? EXACT : AT_MOST, choice);
    return best;
}

static void weigh(U own, U foes, U kings, int seat, I depth, int found) {
    I best = -WON;
    for (int nth = 0; nth < found; nth++) {
        Move m = moves[nth];
        U after = crowned(kings, m, seat), one = foes ^ m.taken, two = (own ^ m.start) | m.end;
        calm[1] = !m.taken && m.start & kings ? 1 : 0;
        I bar = nth ? best : -WON, worth = bar + 1;
        if (nth) worth = -search(one, two, after, 1 - seat, depth - 1, -bar - 1, -bar, 1, found);
        if (worth > bar) worth = -search(one, two, after, 1 - seat, depth - 1, -WON, -bar, 1, found);
        moves[nth].rank = (U)(worth + 2 * WON);
        best = most(best, worth);
    }
    for (int nth = 1; nth < found; nth++)
        for (int at = nth; at > 0 && moves[at].rank > moves[at - 1].rank; at--) {
            Move kept = moves[at];
            moves[at] = moves[at - 1], moves[at - 1] = kept;
        }
}

static I think(U own, U foes, U kings, int seat, I depth) {
    nodes = 0, age = 1;
    memset(killers, 0, sizeof killers);
    memset(history, 0, sizeof history);
    calm[0] = 0, path[0] = key_of(own, foes, kings, seat);
    int found = listing(0, own, foes, kings, seat);
    for (I deep = 1; deep <= depth; deep++) {
        weigh(own, foes, kings, seat, deep, found);
        if (labs((I)moves[0].rank - 2 * WON) >= SURE) break;
    }
    return (I)moves[0].rank - 2 * WON;
}

int main(int number, char **given) {
    if (number != 11) return 2;
    double seconds = atof(given[1]), spent = 0;
    U own = strtoull(given[2], 0, 10), foes = strtoull(given[3], 0, 10), kings = strtoull(given[4], 0, 10), seen = 0;
    plies = strtoull(given[7], 0, 10), turn_of_root = strtoull(given[8], 0, 10), buckets = strtoull(given[9], 0, 10) - 1;
    FILE *file = fopen(given[10], "rb");
    if (!file || fread(men_worth, sizeof men_worth, 1, file) != 1 || fread(endings, sizeof endings, 1, file) != 1) return 3;
    prepare();
    for (int n = 0; n < 50; n++)
        for (U at = 1ULL << (n + n / 10); at;) ahead_of[n + n / 10] |= at = (at >> 5 | at >> 6) & every;
    I worth = 0;
    do {
        table = calloc(2 * (buckets + 1), sizeof(Entry));
        clock_t begun = clock();
        worth = think(own, foes, kings, atoi(given[5]), atoi(given[6]));
        spent += (double)(clock() - begun) / CLOCKS_PER_SEC;
        seen += nodes;
        free(table);
    } while (spent < seconds);
    printf("[%llu, %lld, %f]\n", (unsigned long long)nodes, (long long)worth, seen / spent);
    return 0;
}
