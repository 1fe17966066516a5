/* A first bot in C: it says one of the legal moves that the referee lists.  cc -O2 -o first first.c */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    srand((unsigned)time(NULL) ^ (unsigned)getpid());
    setvbuf(stdout, NULL, _IOLBF, 0); /* a line must not wait in a buffer */
    while (getline(&line, &room, stdin) > 0) {
        char *word = strtok(line, " \r\n");
        if (word == NULL)
            continue;
        if (strcmp(word, "hello") == 0) {
            puts("hello 2 first.c");
        } else if (strcmp(word, "ask") == 0) {
            char *chosen = NULL, *move;
            int seen = 0;
            strtok(NULL, " \r\n"); /* the turn */
            strtok(NULL, " \r\n"); /* the milliseconds left */
            strtok(NULL, " \r\n"); /* the head of the record */
            while ((move = strtok(NULL, " \r\n")) != NULL)
                if (rand() % ++seen == 0) /* each of the moves seen so far with the same chance */
                    chosen = move;
            printf("move %s\n", chosen ? chosen : "");
        }
    }
    free(line);
    return 0;
}
