/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the standard output into a file for a while. */
#include "heard.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rt.h"

static FILE *kept;
static int terminal;

void listen_to_log(void) {
    fflush(stdout);
    kept = tmpfile();
    terminal = dup(STDOUT_FILENO);
    assert_non_null(kept);
    assert_true(terminal >= 0 && dup2(fileno(kept), STDOUT_FILENO) >= 0);
}

const char *heard(void) {
    static char text[1 << 16];
    fflush(stdout);
    assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
    close(terminal);
    rewind(kept);
    text[fread(text, 1, sizeof text - 1, kept)] = 0;
    fclose(kept);
    return text;
}

int errors_in(const char *log) {
    int count = 0;
    for (const char *at = log; (at = strstr(at, "onednn_verbose,")); at++) {
        const char *error = strstr(at, ",error,"), *end = strchr(at, '\n');
        count += error && (!end || error < end);
    }
    return count;
}
