/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on a command line: --name VALUE. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

typedef struct {
    const char *name, *help;
    double *value, least, most;
    int whole;
} number_t;

/* One line of help for each, with the value that it has now. */
void numbers_print(const number_t *numbers, int count);

/* Sets the number that `name` names. Returns NULL, or what is wrong. */
const char *numbers_set(const number_t *numbers, int count, const char *name, const char *value);

#endif
