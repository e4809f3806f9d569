/* SPDX-License-Identifier: Apache-2.0 */
/* From a line of a batch to a primitive (docs/problem-language.md). */
#ifndef TESTS_FUZZ_PROBLEM_LINE_H
#define TESTS_FUZZ_PROBLEM_LINE_H

#include "execute.h"

/* Creates the first problem of the line, and executes it if it is small and that is wanted. Ends
 * the process if the library does what it must not, with the line for replay. Returns false if the
 * text is no problem. */
bool problem_line_run(executor_t *x, const void *text, size_t size);

#endif
