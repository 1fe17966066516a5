/* The generator of the draughts kernel in C: `draughts_perft SECONDS OWN FOES KINGS SEAT DEPTH` prints
 * `[leaves, leaves per CPU second]`. The same algorithm line by line, so that what differs is the compiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "draughts_moves.h"

static int counted(int top, U own, U foes, U kings, int seat) {
    U occupied = own | foes, free = every ^ occupied, men = own & ~kings;
    if (takers(men, foes, free)) return captures(top, own, foes, kings);
    int found = 0;
    for (U flying = own & kings; flying; flying &= flying - 1)
        for (int way = 0; way < 4; way++) {
            U victim = met(way, lowest(flying), occupied);
            if (victim & foes && reach(way, lowest(victim), occupied)) return captures(top, own, foes, kings);
            found += __builtin_popcountll(reach(way, lowest(flying), occupied));
        }
    if (seat == 0) return found + __builtin_popcountll((men >> 6) & free) + __builtin_popcountll((men >> 5) & free);
    return found + __builtin_popcountll((men << 5) & free) + __builtin_popcountll((men << 6) & free);
}

static int64_t perft(int top, U own, U foes, U kings, int seat, int depth) {
    if (depth == 1) return counted(top, own, foes, kings, seat);
    int below = top + listing(top, own, foes, kings, seat);
    int64_t total = 0;
    for (int entry = top; entry < below; entry++) {
        Move m = moves[entry];
        U after = crowned(kings, m, seat);
        total += perft(below, foes ^ m.taken, (own ^ m.start) | m.end, after, 1 - seat, depth - 1);
    }
    return total;
}

int main(int count, char **given) {
    if (count != 7) return 2;
    prepare();
    double seconds = atof(given[1]), spent = 0;
    U own = strtoull(given[2], 0, 10), foes = strtoull(given[3], 0, 10), kings = strtoull(given[4], 0, 10);
    int seat = atoi(given[5]), depth = atoi(given[6]);
    int64_t leaves = perft(0, own, foes, kings, seat, depth), done = 0;
    clock_t begun = clock();
    while ((spent = (double)(clock() - begun) / CLOCKS_PER_SEC) < seconds) done += perft(0, own, foes, kings, seat, depth);
    printf("[%lld, %.0f]\n", (long long)leaves, done / spent);
    return 0;
}
