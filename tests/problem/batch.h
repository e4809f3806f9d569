/* SPDX-License-Identifier: Apache-2.0 */
/* Files of lines, each of which stands for many problems; README.md has the grammar. */
#ifndef TESTS_PROBLEM_BATCH_H
#define TESTS_PROBLEM_BATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { AXES = 24, BATCH_LINE = 65536 };

typedef struct {
    const char *key; /* NULL: the problems */
    int n;
    char **value;
} axis_t;

typedef struct {
    char *text; /* what the values point into */
    const char *kind;
    bool refused;
    int naxes;
    axis_t axis[AXES];
    int64_t count; /* of problems */
} batch_line_t;

/* The next line that is not empty or a comment. Answers 1, 0 at the end of the file, or -1 after it printed
 * what is wrong. */
int batch_read(FILE *file, int *line_number, batch_line_t *line);
/* Writes problem `index` of the line as a line of the verbose log. */
void batch_problem(const batch_line_t *line, int64_t index, char *text, size_t size);
void batch_free(batch_line_t *line);

#endif
