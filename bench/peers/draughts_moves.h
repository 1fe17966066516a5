/* The moves of the draughts kernel in C, the same algorithm line by line: what `draughts_perft` counts and `draughts_search`
 * searches.
 */
#include <stdint.h>

typedef uint64_t U;
typedef struct { U start, end, taken, rank; } Move;

static U every, rays[4][54];
static const int ways[4] = {-6, -5, 5, 6}, takes[4] = {5, 6, -5, -6};
static Move moves[1 << 16];

static U shift(U x, int by) { return by > 0 ? x << by : x >> -by; }
static int lowest(U x) { return __builtin_ctzll(x); }

static void prepare(void) {
    for (int n = 0; n < 50; n++) every |= 1ULL << (n + n / 10);
    for (int way = 0; way < 4; way++)
        for (int n = 0; n < 50; n++)
            for (U at = shift(1ULL << (n + n / 10), ways[way]) & every; at; at = shift(at, ways[way]) & every)
                rays[way][n + n / 10] |= at;
}

static U met(int way, int at, U occupied) {
    U found = rays[way][at] & occupied;
    if (!found) return 0;
    return way < 2 ? 1ULL << (63 - __builtin_clzll(found)) : found & -found;
}

static U reach(int way, int at, U occupied) {
    U ray = rays[way][at], found = ray & occupied;
    if (!found) return ray;
    return way < 2 ? ray & ~((1ULL << (64 - __builtin_clzll(found))) - 1) : ray & ((found & -found) - 1);
}

static U takers(U men, U foes, U free) {
    return men & (((foes >> 5) & (free >> 10)) | ((foes >> 6) & (free >> 12)) | ((foes << 5) & (free << 10)) |
                  ((foes << 6) & (free << 12)));
}

static int hunts(U own, U foes, U kings) {
    U occupied = own | foes;
    if (takers(own & ~kings, foes, every ^ occupied)) return 1;
    for (U flying = own & kings; flying; flying &= flying - 1)
        for (int way = 0; way < 4; way++) {
            U victim = met(way, lowest(flying), occupied);
            if (victim & foes && reach(way, lowest(victim), occupied)) return 1;
        }
    return 0;
}

static int put(int at, U start, U end, U taken) {
    moves[at].start = start, moves[at].end = end, moves[at].taken = taken;
    return at + 1;
}

static int put_new(int since, int at, U start, U end, U taken) {
    for (int other = since; other < at; other++)
        if (moves[other].taken == taken && moves[other].end == end && moves[other].start == start) return at;
    return put(at, start, end, taken);
}

static int first_captures(int at, U own, U foes, U kings) {
    U occupied = own | foes, free = every ^ occupied;
    for (U hunting = takers(own & ~kings, foes, free); hunting; hunting &= hunting - 1) {
        U man = hunting & -hunting;
        for (int way = 0; way < 4; way++)
            if (shift(man, takes[way]) & foes && shift(man, 2 * takes[way]) & free)
                at = put(at, man, shift(man, 2 * takes[way]), shift(man, takes[way]));
    }
    for (U flying = own & kings; flying; flying &= flying - 1) {
        U king = flying & -flying;
        for (int way = 0; way < 4; way++) {
            U victim = met(way, lowest(king), occupied);
            if (victim & foes)
                for (U to = reach(way, lowest(victim), occupied); to; to &= to - 1) at = put(at, king, to & -to, victim);
        }
    }
    return at;
}

static int longer(int since, int at, Move m, U occupied, U foes, U kings) {
    U left = foes ^ m.taken, blocked = occupied ^ m.start, free = every & ~blocked;
    for (int way = 0; way < 4; way++) {
        if (!(m.start & kings)) {
            if (shift(m.end, takes[way]) & left && shift(m.end, 2 * takes[way]) & free)
                at = put_new(since, at, m.start, shift(m.end, 2 * takes[way]), m.taken | shift(m.end, takes[way]));
            continue;
        }
        U victim = met(way, lowest(m.end), blocked);
        if (victim & left)
            for (U to = reach(way, lowest(victim), blocked); to; to &= to - 1)
                at = put_new(since, at, m.start, to & -to, m.taken | victim);
    }
    return at;
}

static int captures(int top, U own, U foes, U kings) {
    int begin = top, end = first_captures(top, own, foes, kings);
    for (;;) {
        int at = end;
        for (int entry = begin; entry < end; entry++) at = longer(end, at, moves[entry], own | foes, foes, kings);
        if (at == end) break;
        begin = end, end = at;
    }
    if (begin != top)
        for (int n = 0; n < end - begin; n++) moves[top + n] = moves[begin + n];
    return end - begin;
}

static int put_steps(int at, U targets, int by, int seat) {
    for (; targets; targets &= targets - 1) {
        U to = targets & -targets;
        at = put(at, seat ? to >> by : to << by, to, 0);
    }
    return at;
}

static int listing(int top, U own, U foes, U kings, int seat) {
    if (hunts(own, foes, kings)) return captures(top, own, foes, kings);
    U occupied = own | foes, free = every ^ occupied, men = own & ~kings;
    int at = top;
    if (seat == 0) {
        at = put_steps(at, (men >> 6) & free, 6, seat);
        at = put_steps(at, (men >> 5) & free, 5, seat);
    } else {
        at = put_steps(at, (men << 5) & free, 5, seat);
        at = put_steps(at, (men << 6) & free, 6, seat);
    }
    for (U flying = own & kings; flying; flying &= flying - 1)
        for (int way = 0; way < 4; way++)
            for (U to = reach(way, lowest(flying), occupied); to; to &= to - 1) at = put(at, flying & -flying, to & -to, 0);
    return at - top;
}

static U crowned(U kings, Move m, int seat) {
    static const U crowns[2] = {0x1FULL, 0x1FULL << 49};
    kings &= ~m.taken;
    return m.start & kings ? (kings ^ m.start) | m.end : kings | (m.end & crowns[seat]);
}
