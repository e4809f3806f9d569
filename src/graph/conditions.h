/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that patterns name. */
#ifndef GRAPH_CONDITIONS_H
#define GRAPH_CONDITIONS_H

#include "graph/pattern.h"

condition_t condition_find(const char *name, size_t length); /* NULL: no such condition */

#endif
