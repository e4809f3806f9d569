/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a graph twice: by the partitions that the library makes, and operation by operation. */
#ifndef TESTS_GRAPH_REPLAY_SESSION_H
#define TESTS_GRAPH_REPLAY_SESSION_H

#include "tests/graph/replay/document.h"

typedef enum { PASSED, REFUSED, FAILED } verdict_t;

/* Prints one line about the file, and what differs. */
verdict_t replay_file(const char *file);

#endif
