/* SPDX-License-Identifier: Apache-2.0 */
/* Which modules problems need on Intel's GPUs: the list of what is compiled ahead of time.
 * Nothing is built: the choice is made with the capabilities of each product. */
#ifndef TESTS_REPLAY_MODULES_H
#define TESTS_REPLAY_MODULES_H

#include <stdbool.h>

/* Adds what the problem of a verbose line needs; prints what is wrong. */
bool modules_add(const char *text);
/* Prints the list, in the form of kernels/aot_modules.txt. */
void modules_print(void);
/* Compares it with a file and prints the differences. */
bool modules_check(const char *name);
void modules_free(void);

#endif
