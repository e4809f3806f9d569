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
    char *words; /* what the values are cut from, if it is not the line's text */
} axis_t;

/* What a line stands for: each of its problems, or why it must not be created. */
typedef enum { EXPECT_SUCCESS, EXPECT_REFUSED, EXPECT_INVALID } expected_t;

typedef struct {
    char *text; /* what the values point into */
    const char *kind;
    expected_t expected;
    int naxes;
    axis_t axis[AXES];
    int64_t count; /* of problems */
} batch_line_t;

/* A file that is being read, and the section that it is in: "[name] key=value ..." has values
 * for the keys that the lines after it lack. */
typedef struct {
    FILE *file;
    int number; /* of the line that was read last */
    char section[64], defaults[2048];
} batch_t;

/* The next line that is not empty or a comment. Answers 1, 0 at the end of the file, or -1 after
 * it printed what is wrong. */
int batch_read(batch_t *batch, batch_line_t *line);
/* The value of a key for problem `index` of the line, or otherwise; NULL asks for the problem
 * itself. */
const char *batch_value(
        const batch_line_t *line, int64_t index, const char *key, const char *otherwise);
/* Part i of the value, "f32:s8:f32"; what is not there is like the last. */
void batch_value_part(
        const batch_line_t *line, int64_t index, const char *key, int i, char *text, size_t size);
/* Gives a key other values; NULL: gives the line other problems. */
void batch_set(batch_line_t *line, const char *key, const char *value);
/* A line that stands for one problem of another one; to be freed. */
bool batch_copy(batch_line_t *copy, const batch_line_t *line, int64_t index);
/* Writes problem `index` of the line as a line of the verbose log, without what only the
 * kernel tests read, and with the values that the log does not print in its auxiliary column. */
void batch_problem(const batch_line_t *line, int64_t index, char *text, size_t size);
/* Writes it as a line of a batch. */
void batch_text(const batch_line_t *line, int64_t index, char *text, size_t size);
void batch_free(batch_line_t *line);

/* Calls run() for the problems of a section of a batch; NULL: of all sections that are not
 * optional. Answers whether there are any, and the file is right. Closes the file. */
bool batch_run_section(
        FILE *file, const char *section, void (*run)(const batch_line_t *line, int64_t index));

#endif
