/* SPDX-License-Identifier: Apache-2.0 */
/* Executes graphs from files. Usage: graph_replay [--seconds N] file.json...
 *
 * Each graph is divided into partitions, which are compiled and executed on random data. The
 * results are compared with those of the operations one by one. If there are several files, each
 * has a process of its own, for N seconds at most (default 600). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/graph/replay/session.h"

static verdict_t replay_apart(const char *file, unsigned seconds) {
    int state;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return FAILED;
    if (!child) {
        alarm(seconds);
        const verdict_t verdict = replay_file(file);
        fflush(stdout);
        _exit((int)verdict);
    }
    if (waitpid(child, &state, 0) != child) return FAILED;
    if (WIFEXITED(state) && WEXITSTATUS(state) <= FAILED) return (verdict_t)WEXITSTATUS(state);
    if (WIFSIGNALED(state)) printf("%s: ended by signal %d\n", file, WTERMSIG(state));
    return FAILED;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"passed", "refused", "FAILED"};
    int counts[3] = {0}, first = 1;
    unsigned seconds = 600;
    if (argc > 2 && strcmp(argv[1], "--seconds") == 0) {
        seconds = (unsigned)atoi(argv[2]);
        first = 3;
    }
    if (first >= argc) {
        fputs("usage: graph_replay [--seconds N] file.json...\n", stderr);
        return 2;
    }
    /* The library says why it refuses something. */
    setenv("ONEDNN_VERBOSE", "error,check", 0);
    for (int i = first; i < argc; i++) {
        const verdict_t verdict =
                argc - first > 1 ? replay_apart(argv[i], seconds) : replay_file(argv[i]);
        counts[verdict]++;
        printf("%s: %s\n", names[verdict], argv[i]);
    }
    printf("%d passed, %d refused, %d failed\n", counts[PASSED], counts[REFUSED], counts[FAILED]);
    return counts[FAILED] != 0 || (counts[REFUSED] && !counts[PASSED]);
}
