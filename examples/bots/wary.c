/* A bot in C that need not trust the referee: it brings a nonce, and keeps a journal by which anybody can check the record.
 *
 *     cc -O2 -o wary wary.c        as a player: cmd:./wary JOURNAL
 *     arbitre verify game.record --journal JOURNAL
 *
 * It plays like first.c. What it computes needs SHA-256 and nothing else, so it links with nothing but libc. It does not sign:
 * Ed25519 is in no libc, and twice this file; wary.js shows what a bot with a key does besides. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ── SHA-256 (FIPS 180-4) ─────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct { uint32_t h[8]; uint64_t length; unsigned char block[64]; } Hash;

static uint32_t round_constants[64];

static uint32_t right(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* The first 32 bits of the fraction of a root of a prime: by bisection, in whole numbers of 128 bits. */
static uint32_t fraction(unsigned prime, int degree)
{
    unsigned __int128 low = 0, high = (unsigned __int128)8 << 32, target = (unsigned __int128)prime << (32 * degree);
    while (high - low > 1) {
        unsigned __int128 middle = (low + high) / 2, power = middle * middle;
        if ((degree == 2 ? power : power * middle) <= target)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void hash_begin(Hash *hash)
{
    unsigned found = 0;
    for (unsigned candidate = 2; found < 64; candidate++) {
        unsigned divisor = 2;
        while (candidate % divisor != 0)
            divisor++;
        if (divisor != candidate)
            continue;
        if (found < 8)
            hash->h[found] = fraction(candidate, 2);
        round_constants[found++] = fraction(candidate, 3);
    }
    hash->length = 0;
}

static void hash_block(Hash *hash)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)hash->block[4 * i] << 24 | (uint32_t)hash->block[4 * i + 1] << 16 | (uint32_t)hash->block[4 * i + 2] << 8 | hash->block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3) + (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, hash->h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t one = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + w[i];
        uint32_t two = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        hash->h[i] += s[i];
}

static void hash_add(Hash *hash, const void *data, size_t size)
{
    for (const unsigned char *octet = data; size--; octet++) {
        hash->block[hash->length++ % 64] = *octet;
        if (hash->length % 64 == 0)
            hash_block(hash);
    }
}

static void hash_end(Hash *hash, unsigned char digest[32])
{
    uint64_t bits = hash->length * 8;
    unsigned char last[8];
    hash_add(hash, "\x80", 1);
    while (hash->length % 64 != 56)
        hash_add(hash, "", 1);
    for (int i = 0; i < 8; i++)
        last[i] = (unsigned char)(bits >> (56 - 8 * i));
    hash_add(hash, last, 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(hash->h[i / 4] >> (24 - 8 * (i % 4)));
}

/* ── hexadecimal and JSON ─────────────────────────────────────────────────────────────────────────────────────────────── */

static void hex(const unsigned char octets[32], char text[65])
{
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", octets[i]);
}

static void unhex(const char *text, unsigned char octets[32])
{
    memset(octets, 0, 32);
    for (int i = 0; i < 64 && text[i] != '\0'; i++)
        octets[i / 2] = (unsigned char)(octets[i / 2] << 4 | (text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10));
}

static void json(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', file);
        putc(*text, file);
    }
    putc('"', file);
}

/* ── the match ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static FILE *journal;
static char match[512], commitment[65], referee[65], nonce[65], promise[65], refused[8192];
static char *shown; /* the position */

/* The promise of a fresh nonce: it contains the commitment, the match and the seat, so it is of use nowhere else. */
static void make_promise(unsigned seat)
{
    unsigned char random[32], digest[32], committed[32], place[4] = {0, 0, 0, (unsigned char)seat};
    Hash hash;
    FILE *source = fopen("/dev/urandom", "rb");
    if (source == NULL || fread(random, 1, 32, source) != 32)
        exit(1);
    fclose(source);
    hex(random, nonce);
    hash_begin(&hash);
    hash_add(&hash, match, strlen(match));
    hash_end(&hash, digest);
    unhex(commitment, committed);
    hash_begin(&hash);
    hash_add(&hash, "arbitre/nonce/2", 15);
    hash_add(&hash, committed, 32);
    hash_add(&hash, digest, 32);
    hash_add(&hash, place, 4);
    hash_add(&hash, random, 32);
    hash_end(&hash, digest);
    hex(digest, promise);
}

static int field(const char *word, const char *name, char *into, size_t room)
{
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || word[length] != '=')
        return 0;
    snprintf(into, room, "%s", word + length + 1);
    return 1;
}

static void hello(void)
{
    char game[64], options[2048] = "", *word;
    unsigned seat;
    strtok(NULL, " "); /* the version */
    snprintf(game, sizeof game, "%s", strtok(NULL, " "));
    seat = (unsigned)atoi(strtok(NULL, " ")) - 1;
    match[0] = commitment[0] = referee[0] = refused[0] = '\0';
    while ((word = strtok(NULL, " ")) != NULL) {
        if (field(word, "match", match, sizeof match) || field(word, "commitment", commitment, 65) || field(word, "referee", referee, 65))
            continue;
        char *value = strchr(word, '=');
        size_t used = strlen(options);
        if (value != NULL)
            snprintf(options + used, sizeof options - used, "%s\"%.*s\":\"%s\"", used ? "," : "", (int)(value - word), word, value + 1);
    }
    if (match[0] == '\0') { /* nothing is recorded */
        puts("hello 2 wary.c");
        return;
    }
    make_promise(seat);
    fprintf(journal, "{\"commitment\":\"%s\",\"game\":\"%s\",\"key\":\"\",\"kind\":\"called\",\"match\":", commitment, game);
    json(journal, match);
    fprintf(journal, ",\"nonce\":\"%s\",\"options\":{%s},\"promise\":\"%s\",\"referee\":\"%s\",\"seat\":%u}\n", nonce, options, promise, referee, seat);
    printf("hello 2 wary.c nonce=%s\n", promise);
}

/* The opening: it must hold the commitment that we heard, its referee, and our promise, which nobody else can have made. */
static void opening(void)
{
    size_t size = strtoul(strtok(NULL, " "), NULL, 10);
    char *salt = strtok(NULL, " "), *signature = strtok(NULL, " "), *line = calloc(size + 2, 1);
    if (line == NULL || fread(line, 1, size + 1, stdin) != size + 1)
        exit(1);
    line[size] = '\0';
    fprintf(journal, "{\"kind\":\"opening\",\"line\":");
    json(journal, line);
    fprintf(journal, ",\"salt\":\"%s\",\"signature\":\"%s\"}\n", salt, signature);
    if (strstr(line, commitment) == NULL || strstr(line, referee) == NULL || strstr(line, promise) == NULL) {
        fprintf(journal, "{\"code\":\"opening\",\"kind\":\"declined\"}\n");
        puts("decline opening");
    } else {
        fprintf(journal, "{\"kind\":\"agreed\",\"nonce\":\"%s\",\"signature\":null}\n", nonce);
        printf("agree nonce=%s\n", nonce);
    }
    free(line);
}

static void ask(void)
{
    char view[65], *turn = strtok(NULL, " "), *left = strtok(NULL, " "), *head = strtok(NULL, " "), *chosen = "", *move;
    unsigned char digest[32];
    int seen = 0;
    Hash hash;
    hash_begin(&hash);
    hash_add(&hash, "arbitre/view/2", 14);
    hash_add(&hash, shown, strlen(shown));
    hash_end(&hash, digest);
    hex(digest, view);
    while ((move = strtok(NULL, " ")) != NULL)
        if (rand() % ++seen == 0) /* each of the moves seen so far with the same chance */
            chosen = move;
    fprintf(journal, "{\"head\":\"%s\",\"kind\":\"asked\",\"left\":%s,\"refused\":", head, strcmp(left, "-") == 0 ? "null" : left);
    json(journal, refused);
    fprintf(journal, ",\"turn\":%s,\"view\":\"%s\"}\n{\"kind\":\"said\",\"text\":", turn, view);
    json(journal, chosen);
    fputs("}\n", journal);
    fflush(journal); /* before it is said: the journal is the evidence */
    refused[0] = '\0';
    printf("move %s\n", chosen);
}

static void end(void)
{
    char *score = strtok(NULL, " "), *termination = strtok(NULL, " "), *reason = strtok(NULL, "");
    fputs("{\"kind\":\"ended\",\"reason\":", journal);
    json(journal, reason ? reason : "");
    fprintf(journal, ",\"score\":\"%s\",\"termination\":\"%s\"}\n", score, termination);
    fflush(journal);
}

int main(int count, char **words)
{
    char *line = NULL;
    size_t room = 0;
    journal = count > 1 ? fopen(words[1], "w") : NULL;
    if (journal == NULL) {
        fputs("usage: wary JOURNAL\n", stderr);
        return 2;
    }
    srand((unsigned)getpid());
    setvbuf(stdout, NULL, _IOLBF, 0); /* a line must not wait in a buffer */
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "position ", 9) == 0) {
            free(shown);
            shown = strdup(line + 9);
        } else if (strncmp(line, "refused ", 8) == 0) {
            snprintf(refused, sizeof refused, "%s", line + 8);
        } else {
            char *word = strtok(line, " ");
            if (word == NULL)
                continue;
            if (strcmp(word, "hello") == 0)
                hello();
            else if (strcmp(word, "opening") == 0)
                opening();
            else if (strcmp(word, "ask") == 0)
                ask();
            else if (strcmp(word, "end") == 0)
                end();
        }
    }
    free(line);
    return 0;
}
