/* The search of the kernel of five in a row in C: `five_search SECONDS RULE SIDE TURN COLOUR DEPTH BUCKETS TABLES STONES` prints
 * `[positions, worth, positions per CPU second]`. TABLES is a file with the tables as the kernel reads them; STONES are cells of
 * the kernel with their colours, `CELL:COLOUR,...`. The same algorithm line by line, so that what differs is the compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t U;
typedef int64_t I;
typedef struct { U cell, rank; } Move;
typedef struct { U key, what; } Entry;

enum { FIRST, MOST, PAIRED };
enum { WINS, DOUBLES, FOURS, THREES, NEAR, LOOT, SORTS = 8 };
enum { FOUR = 5, FIVE = 7, STRIDE = 32, EDGE = 4, CELLS = 1024, ENOUGH = 5 };
enum { COMBINED = 1 << 16, VALUED = COMBINED + 4096, RANKED = VALUED + 4096, CONSTANTS = RANKED + 4096 };
enum { TEMPO = CONSTANTS, ROW, PAIR, TAKEN, TAKEN_MORE, WIDTH, FOURS_SEEN, THREES_SEEN, THREES_FROM, SOON, SHORTS = CONSTANTS + 16 };
enum { EXACT, AT_LEAST, AT_MOST };
enum { WON = 30000, SURE = 29000, FULL_BOARD = 20000, DEEPEST = 90, FOURS_DEEP = 14, THREES_DEEP = 9, PROOF = 30 };
#define C1 0x9E3779B97F4A7C15ULL
#define C2 0xC2B2AE3D27D4EB4FULL
#define C3 0x165667B19E3779F9ULL
#define BY_FOURS 0x5D588B656C078965ULL
#define BY_THREES 0xA24BAED4963EE407ULL

static uint16_t tables[SHORTS];
static U board[CELLS], codes[CELLS], kinds_of[CELLS], sets[3][SORTS][16], nodes, key, buckets, age, cap, proved, turn, solved;
static I counts[3][SORTS], worth_of[3], rows[3], pairs[3], empty, rule, low_word, high_word;
static Move moves_of[64 * 128 + 512];
static Move *const ROOM = moves_of + 64 * 128;
static Entry *table;
static const I steps[4] = {1, STRIDE, STRIDE + 1, STRIDE - 1};
static U masks[4];

static int lowest(U x) { return __builtin_ctzll(x); }
static I most(I a, I b) { return a > b ? a : b; }
static I least(I a, I b) { return a < b ? a : b; }
static I summed(U p) { return (p & 3) + (p >> 2 & 3) + (p >> 4 & 3) + (p >> 6 & 3); }

static void regrade(I cell, U before, U after) {
    I word = cell >> 6;
    U bit = 1ULL << (cell & 63);
    for (int colour = 1; colour < 3; colour++) {
        I was = before >> (12 * colour - 12) & 4095, now = after >> (12 * colour - 12) & 4095;
        U took = before >> (16 + 8 * colour) & 255, takes = after >> (16 + 8 * colour) & 255;
        if (was == now && took == takes) continue;
        I worth = tables[VALUED + now] - tables[VALUED + was];
        U differ = tables[COMBINED + was] ^ tables[COMBINED + now];
        if (took != takes) {
            worth += tables[PAIR] * (summed(takes) - summed(took));
            if (!took != !takes) differ |= 1 << LOOT;
        }
        worth_of[colour] += worth;
        for (; differ; differ &= differ - 1) {
            int sort = lowest(differ);
            U there = sets[colour][sort][word] ^= bit;
            counts[colour][sort] += there & bit ? 1 : -1;
        }
    }
}

static U graded(U kinds, int way, U lines) {
    U grade = tables[lines >> 16 * way & 0xFFFF];
    kinds &= masks[way];
    kinds |= (grade & 7) << 3 * way | (grade >> 3 & 7) << (12 + 3 * way);
    return kinds | (grade >> 6 & 3) << (24 + 2 * way) | (grade >> 8 & 3) << (32 + 2 * way);
}

static void refresh(I cell) {
    U kinds = 0;
    for (int way = 0; way < 4; way++) kinds = graded(kinds, way, codes[cell]);
    regrade(cell, kinds_of[cell], kinds);
    kinds_of[cell] = kinds;
}

static void tell(I cell, int way, U differs) {
    for (int side = 0; side < 2; side++) {
        I step = side ? -steps[way] : steps[way], there = cell;
        for (int far = 1; far < 5; far++) {
            there += step;
            U lies = board[there];
            if (lies == 3) break;
            int slot = side ? 3 + far : 4 - far;
            U lines = codes[there] ^= differs << (16 * way + 2 * slot);
            if (!lies) {
                U before = kinds_of[there], after = graded(before, way, lines);
                if (after != before) {
                    regrade(there, before, after);
                    kinds_of[there] = after;
                }
            }
        }
    }
}

static void spread(I cell, U colour) {
    for (int way = 0; way < 4; way++) tell(cell, way, colour);
}

static U key_of(I cell, I colour) {
    U k = (U)(4 * cell + colour) * C1;
    k = (k ^ k >> 29) * C2;
    k = (k ^ k >> 32) * C3;
    return k ^ k >> 29;
}

static void turn_over(I cell, I colour) {
    int was = board[cell] == 0;
    if (was) {
        regrade(cell, kinds_of[cell], 0);
        kinds_of[cell] = 0;
    }
    board[cell] = was ? colour : 0;
    empty += was ? -1 : 1;
    key ^= key_of(cell, colour);
    spread(cell, colour);
    if (!was) refresh(cell);
}

static void exchange(I cell, I colour, I taken) {
    for (int nth = 0; nth < 17; nth++) {
        int way = (nth - 1) / 2, far = 1 + (nth - 1) % 2;
        I there = cell, whose = colour;
        if (nth > 0) {
            if (!(taken >> way & 1)) continue;
            there = cell + far * (way < 4 ? steps[way & 3] : -steps[way & 3]), whose = 3 - colour;
        }
        turn_over(there, whose);
        if (!taken) return;
    }
}

static I length(I cell, I step, I colour) {
    I along = 0;
    while (board[cell + step * (along + 1)] == (U)colour) along++;
    return along;
}

static I settled(I cell, I colour) {
    I more = 0;
    for (int way = 0; way < 4; way++) {
        I step = steps[way], one = length(cell, -step, colour), two = length(cell, step, colour);
        if (one + two < 4) continue;
        more += 1 - (one >= 5) - (two >= 5);
        for (I far = one >= 5 ? 0 : -one; far <= (two >= 5 ? 0 : two); far++) tell(cell + far * step, way, 3 ^ colour);
    }
    return more;
}

static I captured(I cell, I colour) {
    I found = 0, other = 3 - colour;
    U behind = other | other << 2 | colour << 4, before = colour | other << 2 | other << 4;
    for (int way = 0; way < 4; way++) {
        U line = codes[cell] >> 16 * way;
        if ((line >> 8 & 63) == behind) found |= 1 << way;
        if ((line >> 2 & 63) == before) found |= 16 << way;
    }
    return found;
}

static I put(I cell, I colour) {
    I taken = 0;
    if (rule == PAIRED) {
        if (kinds_of[cell] >> (16 + 8 * colour) & 255) taken = captured(cell, colour);
    }
    exchange(cell, colour, taken);
    if (rule == MOST) rows[colour] += settled(cell, colour);
    pairs[colour] += __builtin_popcountll(taken);
    turn++;
    return taken;
}

static void back(I cell, I colour, I taken) {
    pairs[colour] -= __builtin_popcountll(taken);
    if (rule == MOST) rows[colour] -= settled(cell, colour);
    exchange(cell, colour, taken);
    turn--;
}

static void begin(I side, const char *stones) {
    memset(board, 0, sizeof board), memset(codes, 0, sizeof codes), memset(kinds_of, 0, sizeof kinds_of);
    memset(sets, 0, sizeof sets), memset(counts, 0, sizeof counts), memset(worth_of, 0, sizeof worth_of);
    memset(rows, 0, sizeof rows), memset(pairs, 0, sizeof pairs);
    key = 0, empty = side * side, low_word = EDGE * STRIDE >> 6, high_word = ((EDGE + side) * STRIDE >> 6) + 1;
    for (int way = 0; way < 4; way++)
        masks[way] = ~(7ULL << 3 * way | 7ULL << (12 + 3 * way) | 3ULL << (24 + 2 * way) | 3ULL << (32 + 2 * way));
    for (I cell = 0; cell < CELLS; cell++) {
        I row = cell / STRIDE - EDGE, column = cell % STRIDE - EDGE;
        if (least(row, column) < 0 || most(row, column) >= side) board[cell] = 3;
    }
    for (I cell = 0; cell < CELLS; cell++)
        if (!board[cell]) {
            for (int way = 0; way < 4; way++)
                for (int slot = 0; slot < 8; slot++)
                    if (board[cell + (slot < 4 ? slot - 4 : slot - 3) * steps[way]] == 3)
                        codes[cell] |= 3ULL << (16 * way + 2 * slot);
            refresh(cell);
        }
    for (I cell, colour; sscanf(stones, "%ld:%ld", &cell, &colour) == 2;) {
        turn_over(cell, colour);
        if (rule == MOST) rows[colour] += settled(cell, colour);
        stones = strchr(stones, ',');
        if (!stones++) break;
    }
}

static int barred(I cell) {
    if (turn != 3 || rule != PAIRED) return 0;
    I row = cell / STRIDE - EDGE, column = cell % STRIDE - EDGE;
    return row >= 7 && row < 12 && column >= 7 && column < 12;
}

static int enough(I cell, I colour) {
    U takes = kinds_of[cell] >> (16 + 8 * colour) & 255;
    return takes && pairs[colour] + summed(takes) >= ENOUGH;
}

static I goals(I colour, Move *top) {
    Move *at = top;
    if (counts[colour][WINS] + counts[colour][LOOT] == 0) return 0;
    for (I word = low_word; word < high_word; word++) {
        U cells = sets[colour][WINS][word] | sets[colour][LOOT][word];
        while (cells) {
            I cell = 64 * word + lowest(cells);
            U wins = sets[colour][WINS][word] & cells & -cells;
            cells &= cells - 1;
            if (wins || enough(cell, colour)) *at++ = (Move){cell, 1 << 20};
        }
    }
    return at - top;
}

static I urgency(I cell, I colour) {
    U kinds = kinds_of[cell], takes = kinds >> (16 + 8 * colour) & 255, loses = kinds >> (40 - 8 * colour) & 255;
    I rank = 4 * tables[RANKED + (kinds >> (12 * colour - 12) & 4095)] + 3 * tables[RANKED + (kinds >> (24 - 12 * colour) & 4095)];
    if (takes | loses) rank += summed(takes) * (60 + 40 * pairs[colour]) + summed(loses) * (50 + 30 * pairs[3 - colour]);
    return rank;
}

static I gather(I colour, I own, I foes, Move *top, I hint) {
    Move *at = top;
    for (I word = low_word; word < high_word; word++) {
        U cells = 0;
        for (int sort = 0; sort < SORTS; sort++) {
            if (own >> sort & 1) cells |= sets[colour][sort][word];
            if (foes >> sort & 1) cells |= sets[3 - colour][sort][word];
        }
        for (; cells; cells &= cells - 1) {
            I cell = 64 * word + lowest(cells);
            if (!barred(cell)) *at++ = (Move){cell, urgency(cell, colour) + (cell == hint ? 1 << 30 : 0)};
        }
    }
    return at - top;
}

static I anywhere(Move *top) {
    Move *at = top;
    I middle = 0;
    while (board[(EDGE + middle) * (STRIDE + 1)] != 3) middle++;
    for (I cell = 0; cell < CELLS; cell++)
        if (!board[cell] && !barred(cell)) {
            I row = 2 * (cell / STRIDE - EDGE) + 1, column = 2 * (cell % STRIDE - EDGE) + 1;
            *at++ = (Move){cell, 1024 - labs(row - middle) - labs(column - middle)};
        }
    return at - top;
}

static void pick(Move *at, Move *end) {
    Move *best = at, kept = *at;
    for (Move *entry = at + 1; entry < end; entry++)
        if (entry->rank > best->rank) best = entry;
    if (best != at) *at = *best, *best = kept;
}

static U key_now(I colour) {
    U k = key ^ (U)(colour | pairs[1] << 8 | pairs[2] << 16) * C2;
    return k ^ k >> 31;
}

static Entry *known(U k) {
    Entry *at = table + 2 * (k & buckets);
    return at->key == k ? at : at[1].key == k ? at + 1 : NULL;
}

static void remember(U k, I depth, I worth, U bound, U cell) {
    Entry *at = table + 2 * (k & buckets);
    if (at->key != k) {
        if ((at->what >> 32 & 255) == (age & 255) && (I)(at->what >> 24 & 255) > depth)
            at++;
        else if (at->what)
            at[1] = *at;
    }
    *at = (Entry){k, (U)(worth + 2 * WON) << 40 | (age & 255) << 32 | (U)depth << 24 | bound << 16 | cell};
}

static I answers(I colour, I threats, I threes, Move *top) {
    if (threats > 0) {
        if (rule == PAIRED && counts[colour][LOOT] > 0) return threats + gather(colour, 1 << LOOT, 0, top + threats, -1);
        return threats;
    }
    if (!threes || counts[3 - colour][DOUBLES] == 0 || counts[colour][DOUBLES] > 0) return -1;
    return gather(colour, 1 << FOURS, 1 << FOURS, top, -1);
}

static I attacks(I colour, I threes, Move *top) {
    I sorts = 1 << FOURS;
    if (threes) sorts |= 1 << THREES;
    if (rule == PAIRED && pairs[colour] >= 2) sorts |= 1 << LOOT;
    return gather(colour, sorts, 0, top, -1);
}

static int prove(I colour, I attacker, I depth, I ply, Move *top, I threes) {
    if (++nodes >= cap) return 0;
    int first = rule == FIRST, done;
    if (goals(colour, top) > 0) {
        proved = top->cell;
        return colour == attacker;
    }
    if (depth <= 0 || top >= ROOM) return 0;
    U k = key_now(colour) ^ (threes ? BY_THREES : BY_FOURS) ^ (U)attacker;
    Entry *at = known(k);
    if (ply > 0 && at) {
        if ((I)(at->what >> 40) - 2 * WON > 0) return 1;
        if ((I)(at->what >> 24 & 255) >= depth) return 0;
    }
    I threats = goals(3 - colour, top), count;
    if (first && threats > 1) return colour != attacker;
    if (colour == attacker) {
        if (threats > 0)
            count = answers(colour, threats, threes, top);
        else if (first && counts[colour][DOUBLES] > 0) {
            gather(colour, 1 << DOUBLES, 0, top, -1);
            proved = top->cell;
            return 1;
        } else
            count = attacks(colour, threes, top);
        done = 0;
    } else {
        count = answers(colour, threats, threes, top);
        if (count < 0) return 0;
        done = 1;
    }
    Move *below = top + count;
    for (Move *entry = top; entry < below; entry++) {
        pick(entry, below);
        I cell = entry->cell, taken = put(cell, colour);
        int wins = prove(3 - colour, attacker, depth - 1, ply + 1, below, threes);
        back(cell, colour, taken);
        if (nodes >= cap) return 0;
        if (wins == (colour == attacker)) {
            done = wins;
            if (wins) proved = cell;
            break;
        }
    }
    remember(k, depth, done ? 1 : -1, EXACT, 0);
    return done;
}

static I evaluate(I colour) {
    I own = worth_of[colour], worth = own + (own * tables[TEMPO] >> 4) - worth_of[3 - colour];
    if (rule == PAIRED) {
        I mine = pairs[colour], theirs = pairs[3 - colour];
        worth += (mine - theirs) * tables[TAKEN] + (mine * mine - theirs * theirs) * tables[TAKEN_MORE];
    } else if (rule == MOST)
        worth += tables[ROW] * (rows[colour] - rows[3 - colour]) + (counts[colour][WINS] > 0) * tables[SOON];
    return most(-FULL_BOARD, least(FULL_BOARD, worth));
}

static I full(I colour) {
    I more = rows[colour] - rows[3 - colour];
    return more + (more > 0 ? FULL_BOARD : more < 0 ? -FULL_BOARD : 0);
}

static int forced(I colour, I depth, I ply, Move *top) {
    if (rule == MOST) return 0;
    I threes = 0, deep = FOURS_DEEP, seen = tables[FOURS_SEEN];
    if (depth >= tables[THREES_FROM]) threes = 1, deep = THREES_DEEP, seen = tables[THREES_SEEN] * depth;
    I chances = counts[colour][FOURS] + threes * counts[colour][THREES];
    if (chances == 0 && (counts[colour][LOOT] == 0 || pairs[colour] < 3)) return 0;
    cap = nodes + seen;
    return prove(colour, colour, deep, ply, top, threes);
}

static I candidates(I colour, I threats, Move *top, I hint) {
    if (threats > 0) return answers(colour, threats, 0, top);
    if (rule == FIRST && counts[3 - colour][DOUBLES] > 0) return gather(colour, 1 << FOURS, 1 << FOURS, top, hint);
    I count = gather(colour, 1 << NEAR | 1 << LOOT, 1 << NEAR | 1 << LOOT, top, hint);
    return count > 0 ? count : anywhere(top);
}

static I search(I colour, I depth, I low, I high, I ply, Move *top) {
    nodes++;
    I threats = 0;
    if (rule != MOST) {
        if (goals(colour, top) > 0) return WON - ply - 1;
        threats = goals(3 - colour, top);
        if (rule == FIRST) {
            if (threats > 1) return ply + 2 - WON;
            if (threats == 0 && counts[colour][DOUBLES] > 0) return WON - ply - 3;
        }
    }
    if (!empty) return full(colour);
    if (ply >= DEEPEST || top >= ROOM) return evaluate(colour);
    U k = key_now(colour);
    I hint = -1;
    Entry *at = threats > 0 || depth > 0 ? known(k) : NULL;
    if (at) {
        U there = at->what;
        hint = there & 0xFFFF;
        if ((I)(there >> 24 & 255) >= most(0, depth)) {
            I worth = (I)(there >> 40) - 2 * WON, bound = there >> 16 & 255;
            if (worth >= SURE) worth -= ply;
            else if (worth <= -SURE) worth += ply;
            if (bound == EXACT || (bound == AT_LEAST && worth >= high) || (bound == AT_MOST && worth <= low)) return worth;
        }
    }
    if (threats == 0) {
        if (depth != 1 && forced(colour, depth, ply, top)) return WON - ply - 5;
        if (depth <= 0) return evaluate(colour);
    }
    I count = candidates(colour, threats, top, hint), best = -WON, choice = 0, bar = low;
    Move *below = top + count, *last = below;
    if (threats == 0) last = top + least(count, least(tables[WIDTH], 6 + 4 * depth));
    for (Move *entry = top; entry < last || (entry < below && best <= -SURE); entry++) {
        pick(entry, below);
        I cell = entry->cell, nth = entry - top, next = threats > 0 ? depth : depth - 1, less = 0, worth;
        if (threats == 0 && depth >= 3 && nth >= 3) less = 1 + (nth >= 8 && depth >= 4) + (nth >= 14 && depth >= 6);
        I taken = put(cell, colour);
        if (nth == 0)
            worth = -search(3 - colour, next, -high, -bar, ply + 1, below);
        else {
            worth = -search(3 - colour, next - less, -bar - 1, -bar, ply + 1, below);
            if (less > 0 && worth > bar) worth = -search(3 - colour, next, -bar - 1, -bar, ply + 1, below);
            if (bar < worth && worth < high) worth = -search(3 - colour, next, -high, -worth, ply + 1, below);
        }
        back(cell, colour, taken);
        if (worth > best) {
            best = worth, choice = cell;
            if (worth > bar) {
                bar = worth;
                if (worth >= high) break;
            }
        }
    }
    I bound = best >= high ? AT_LEAST : best > low ? EXACT : AT_MOST;
    remember(k, most(0, depth), best >= SURE ? best + ply : best <= -SURE ? best - ply : best, bound, choice);
    return best;
}

static void rank(I moves) {
    for (I nth = 1; nth < moves; nth++)
        for (Move *at = moves_of + nth; at > moves_of && at->rank > at[-1].rank; at--) {
            Move kept = *at;
            *at = at[-1], at[-1] = kept;
        }
}

static void weigh(I colour, I depth, I moves) {
    I best = -WON;
    for (I nth = 0; nth < moves; nth++) {
        I worth = best + 1, cell = moves_of[nth].cell, taken = put(cell, colour);
        I less = nth && depth >= 3 ? (nth >= 4) + (nth >= 12) + (nth >= 24) : 0;
        if (nth) worth = -search(3 - colour, depth - 1 - less, -best - 1, -best, 1, moves_of + moves);
        if (less && worth > best) worth = -search(3 - colour, depth - 1, -best - 1, -best, 1, moves_of + moves);
        if (worth > best) worth = -search(3 - colour, depth - 1, -WON, -best, 1, moves_of + moves);
        back(cell, colour, taken);
        moves_of[nth].rank = worth + 2 * WON;
        best = most(best, worth);
    }
}

static I certain(I cell) {
    moves_of[0] = (Move){cell, 3 * WON - 1};
    solved = 1;
    return 1;
}

static int proof(I colour, I deep) {
    if (rule == MOST) return 0;
    cap = nodes + nodes / 4 + 500;
    return prove(colour, colour, least(PROOF, 3 * deep), 0, moves_of + 400, rule == FIRST);
}

static I think(I colour, I depth) {
    nodes = solved = 0, age++;
    I threats = 0;
    if (rule != MOST) {
        if (goals(colour, moves_of) > 0) return certain(moves_of->cell);
        threats = goals(3 - colour, moves_of);
    }
    I moves = candidates(colour, threats, moves_of, -1);
    rank(moves);
    for (I nth = 0; nth < moves; nth++) moves_of[nth].rank = 2 * WON;
    if (moves < 2) return moves;
    for (I deep = 1; deep <= depth; deep++) {
        if (proof(colour, deep)) return certain(proved);
        weigh(colour, deep, moves);
        rank(moves);
        if (labs((I)moves_of->rank - 2 * WON) >= SURE || deep >= empty) return moves;
    }
    return moves;
}

int main(int argc, char **argv) {
    if (argc != 10) return 1;
    double seconds = atof(argv[1]);
    rule = atol(argv[2]);
    I side = atol(argv[3]), now = atol(argv[4]), colour = atol(argv[5]), depth = atol(argv[6]), size = atol(argv[7]);
    buckets = size - 1, table = calloc(2 * size, sizeof *table);
    FILE *file = fopen(argv[8], "rb");
    if (!table || !file || fread(tables, sizeof tables, 1, file) != 1) return 1;
    U done = 0;
    clock_t start = 0, spent = 0;
    for (int warm = 0; !warm || spent < seconds * CLOCKS_PER_SEC; warm = 1) {
        memset(table, 0, 2 * size * sizeof *table), age = 0;
        begin(side, argv[9]);
        turn = now;
        think(colour, depth);
        if (!warm) start = clock();
        else done += nodes;
        spent = clock() - start;
    }
    printf("[%lu, %ld, %.0f]\n", nodes, (I)moves_of->rank - 2 * WON, done * (double)CLOCKS_PER_SEC / spent);
    return 0;
}
