/* A robot of the draughts league in one file: sockets, framing, rules and the report. It plays some legal move.
 *
 *   cc -Wall -Wextra -O2 -o robot robot.c
 *   ./robot defend 7777 registrar.example.org 5777          answers every challenge, as white
 *   ./robot attack alice.example.org 7777 registrar.example.org 5777 [OWN-ADDRESS]
 *
 * Leave the registrar out, and nothing is reported. How the words and the 256 octets are made is told in docs/league.md.
 * Replace choose() by something that thinks. */

#define _GNU_SOURCE
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ── rules ────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { WHITE = 1, BLACK = -1, MAN = 1, KING = 2, PLIES = 100, MOST_MOVES = 4096, LONGEST = 21 };

typedef struct {
    int square[51]; /* colour * kind, 0 where nobody stands; 1 to 50 as Manoury counts */
    int turn, plies;
} Board;

typedef struct {
    int length, path[LONGEST]; /* every square where the piece stands, the first included */
    int captures, taken[LONGEST];
} Move;

static Move moves[MOST_MOVES];
static int count;

static int colour(int piece) { return piece > 0 ? WHITE : piece < 0 ? BLACK : 0; }

/* The square one step further, 0 beyond the edge. Rows are counted from the top; odd ones begin one column further left. */
static int step(int square, int dx, int dy) {
    int row = (square - 1) / 5, x = 2 * ((square - 1) % 5) + (row % 2 == 0);
    row += dy, x += dx;
    return row < 0 || row > 9 || x < 0 || x > 9 ? 0 : row * 5 + x / 2 + 1;
}

static void keep(const Move *move) {
    if (count > 0 && move->captures < moves[0].captures) return; /* the most pieces must be taken */
    if (count > 0 && move->captures > moves[0].captures) count = 0;
    if (count < MOST_MOVES) moves[count++] = *move;
}

/* Takes on from where the piece stands now. What was taken stays on the board until the end, and cannot be taken twice. */
static void capture(const Board *board, int kind, Move *move) {
    int from = move->path[move->length - 1];
    for (int dx = -1; dx <= 1; dx += 2)
        for (int dy = -1; dy <= 1; dy += 2) {
            int over = step(from, dx, dy);
            while (kind == KING && over && !board->square[over]) over = step(over, dx, dy);
            if (!over || colour(board->square[over]) != -board->turn) continue;
            int again = 0;
            for (int i = 0; i < move->captures; i++) again |= move->taken[i] == over;
            if (again || move->length == LONGEST) continue;
            for (int to = step(over, dx, dy); to && !board->square[to]; to = step(to, dx, dy)) {
                move->path[move->length++] = to;
                move->taken[move->captures++] = over;
                keep(move);
                capture(board, kind, move);
                move->length--, move->captures--;
                if (kind == MAN) break;
            }
        }
}

static void quiet(const Board *board, int from, int kind) {
    for (int dx = -1; dx <= 1; dx += 2)
        for (int dy = -1; dy <= 1; dy += 2) {
            if (kind == MAN && dy != -board->turn) continue; /* white goes up */
            for (int to = step(from, dx, dy); to && !board->square[to]; to = step(to, dx, dy)) {
                Move move = {.length = 2, .path = {from, to}};
                keep(&move);
                if (kind == MAN) break;
            }
        }
}

/* Fills `moves` with every legal move. */
static void legal(Board *board) {
    count = 0;
    for (int from = 1; from <= 50; from++) {
        int piece = board->square[from];
        if (colour(piece) != board->turn) continue;
        Move move = {.length = 1, .path = {from}};
        board->square[from] = 0; /* the piece has left when it comes back to its first square */
        capture(board, abs(piece), &move);
        board->square[from] = piece;
        quiet(board, from, abs(piece));
    }
}

static void play(Board *board, const Move *move) {
    int piece = board->square[move->path[0]], end = move->path[move->length - 1];
    board->square[move->path[0]] = 0;
    for (int i = 0; i < move->captures; i++) board->square[move->taken[i]] = 0;
    if (abs(piece) == MAN && (piece > 0 ? end <= 5 : end >= 46)) piece *= KING;
    board->square[end] = piece;
    board->turn = -board->turn;
    board->plies++;
}

static Board start(void) {
    Board board = {.turn = WHITE};
    for (int i = 1; i <= 50; i++) board.square[i] = i <= 20 ? BLACK * MAN : i > 30 ? WHITE * MAN : 0;
    return board;
}

static const Move *choose(void) { return &moves[rand() % count]; }

/* ── words ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static int transmit(int sock, const void *data, size_t size) {
    for (const char *at = data; size > 0;) {
        ssize_t sent = send(sock, at, size, MSG_NOSIGNAL);
        if (sent <= 0) return -1;
        at += sent, size -= (size_t)sent;
    }
    return 0;
}

static int say(int sock, const char *word) { return transmit(sock, word, strlen(word) + 1); } /* the word and one NUL */

/* Reads the next word, which NUL, LF or CR ends, whatever the packets are; 0 where nothing more comes. */
static int hear(int sock, char *word, size_t room) {
    size_t length = 0;
    char c;
    while (recv(sock, &c, 1, 0) == 1) {
        if (c != '\0' && c != '\n' && c != '\r') {
            if (length + 1 < room) word[length++] = c;
        } else if (length > 0) {
            word[length] = '\0';
            return 1;
        }
    }
    return 0;
}

static void write_move(const Move *move, char *text) {
    text += sprintf(text, "%d", move->path[0]);
    for (int i = 1; i < move->length; i++) text += sprintf(text, "%c%d", move->captures ? 'x' : '-', move->path[i]);
}

/* The legal move that a word says; a comment may follow after a space. */
static const Move *read_move(const char *word) {
    for (int i = 0; i < count; i++) {
        char text[4 * LONGEST];
        write_move(&moves[i], text);
        size_t length = strlen(text);
        if (strncasecmp(word, text, length) == 0 && (word[length] == '\0' || word[length] == ' ')) return &moves[i];
    }
    return NULL;
}

/* ── the report ───────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct {
    unsigned char octets[256];
    int length;
} Report;

static void note(Report *report, const Move *move) {
    for (int i = 0; i < move->length && report->length < 256; i++) {
        int last = !move->captures || i == move->length - 1;
        report->octets[report->length++] = (unsigned char)(move->path[i] + (last ? 128 : 0));
    }
}

/* Connects to a host of either family; from one's own address, where one is given. */
static int reach(const char *host, const char *port, const struct sockaddr_in6 *own) {
    struct addrinfo hints = {.ai_family = AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = AI_V4MAPPED | AI_ALL}, *found;
    if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
    int sock = -1;
    for (struct addrinfo *one = found; one && sock < 0; one = one->ai_next) {
        sock = socket(AF_INET6, SOCK_STREAM, 0);
        if (sock < 0) break;
        if ((own && bind(sock, (const struct sockaddr *)own, sizeof *own) < 0) ||
            connect(sock, one->ai_addr, one->ai_addrlen) < 0) {
            close(sock);
            sock = -1;
        }
    }
    freeaddrinfo(found);
    return sock;
}

/* Reports from the address that the game was played from: the registrar knows us by it. */
static void deliver(int game, const Report *report, const char *host, const char *port) {
    struct sockaddr_in6 own;
    socklen_t size = sizeof own;
    if (getsockname(game, (struct sockaddr *)&own, &size) < 0) return;
    own.sin6_port = 0;
    int sock = reach(host, port, &own);
    if (sock < 0) {
        perror("the registrar");
        return;
    }
    char answer[512];
    if (transmit(sock, report->octets, sizeof report->octets) == 0 && hear(sock, answer, sizeof answer))
        printf("the registrar: %s\n", answer);
    close(sock);
}

/* ── one game ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Plays to the end; 1 where the rules ended the game, 0 where it was interrupted. */
static int duel(int sock, int ours, Report *report) {
    Board board = start();
    char word[1100];
    int tries = 0, claims = 0;
    char last[4 * LONGEST] = "";
    for (;;) {
        legal(&board);
        if (count == 0 || board.plies == PLIES) { /* a win on the hundredth ply is a win */
            if (count == 0 && board.turn == ours) say(sock, "PERDU");
            if (count != 0) say(sock, "EGALITE");
            printf("%s after %d plies\n", count != 0 ? "a draw" : board.turn == ours ? "lost" : "won", board.plies);
            return 1;
        }
        if (board.turn == ours) {
            const Move *move = choose();
            write_move(move, last);
            if (say(sock, last) < 0) return 0;
            note(report, move);
            play(&board, move);
            continue;
        }
        if (!hear(sock, word, sizeof word)) return 0;
        const Move *move = read_move(word);
        if (move) {
            note(report, move);
            play(&board, move);
            tries = claims = 0;
        } else if (strncmp(word, "COUP INVALIDE", 13) == 0 || strncmp(word, "INVALIDE", 8) == 0) {
            if (!*last || ++claims > 3) break; /* our move is legal: say it again, and not for ever */
            if (say(sock, last) < 0) return 0;
        } else if (word[0] >= '0' && word[0] <= '9' && ++tries <= 3) {
            if (say(sock, "COUP INVALIDE") < 0) return 0;
        } else {
            break; /* INTERUPTION, PERDU or EGALITE too early, or a word that nobody knows */
        }
    }
    printf("interrupted: the peer said %.80s\n", word);
    if (strncmp(word, "INTER", 5) != 0) say(sock, "INTERUPTION");
    return 0;
}

static void challenge(int sock, int ours, const char *registrar, const char *port) {
    struct timeval patience = {.tv_sec = 60};
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct sockaddr_in6 peer;
    socklen_t size = sizeof peer;
    Report report = {.length = 17};
    if (getpeername(sock, (struct sockaddr *)&peer, &size) == 0) {
        report.octets[0] = ours == WHITE ? 0xFF : 0x01;
        memcpy(report.octets + 1, &peer.sin6_addr, 16); /* an IPv4 address is mapped already: ::ffff:192.0.2.7 */
        if (duel(sock, ours, &report) && registrar) deliver(sock, &report, registrar, port);
    }
    fflush(stdout);
    close(sock);
}

static int defend(const char *port, const char *registrar, const char *registrar_port) {
    int sock = socket(AF_INET6, SOCK_STREAM, 0), off = 0, on = 1;
    struct sockaddr_in6 here = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT, .sin6_port = htons((unsigned short)atoi(port))};
    setsockopt(sock, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off); /* IPv4 too */
    setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (sock < 0 || bind(sock, (struct sockaddr *)&here, sizeof here) < 0 || listen(sock, 64) < 0) {
        perror("cannot listen");
        return 1;
    }
    signal(SIGCHLD, SIG_IGN);
    printf("defending on port %s\n", port);
    fflush(stdout);
    for (;;) {
        int game = accept(sock, NULL, NULL);
        if (game < 0) continue;
        if (fork() == 0) { /* a process for each challenge: many at once */
            close(sock);
            srand((unsigned)(time(NULL) ^ getpid()));
            challenge(game, WHITE, registrar, registrar_port);
            return 0;
        }
        close(game);
    }
}

int main(int argc, char **argv) {
    srand((unsigned)(time(NULL) ^ getpid()));
    if (argc >= 3 && strcmp(argv[1], "defend") == 0)
        return defend(argv[2], argc > 4 ? argv[3] : NULL, argc > 4 ? argv[4] : NULL);
    if (argc >= 4 && strcmp(argv[1], "attack") == 0) {
        struct sockaddr_in6 own, *from = NULL;
        struct addrinfo hints = {.ai_family = AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = AI_V4MAPPED}, *found;
        if (argc > 6 && getaddrinfo(argv[6], "0", &hints, &found) == 0) {
            memcpy(&own, found->ai_addr, sizeof own);
            freeaddrinfo(found);
            from = &own;
        }
        int sock = reach(argv[2], argv[3], from);
        if (sock < 0) {
            perror("cannot reach the defender");
            return 1;
        }
        challenge(sock, BLACK, argc > 5 ? argv[4] : NULL, argc > 5 ? argv[5] : NULL);
        return 0;
    }
    fprintf(stderr, "robot defend PORT [REGISTRAR PORT] | robot attack HOST PORT [REGISTRAR PORT [OWN-ADDRESS]]\n");
    return 2;
}
