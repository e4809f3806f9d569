/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in one primitive. */
#ifndef GRAPH_ATTENTION_H
#define GRAPH_ATTENTION_H

#include "graph/build.h"
#include "graph/pattern.h"

enum { ATTENTION_FORMS = 5 };
/* The patterns of operations that attention and its gradients may be. */
const char *attention_form(int i);
/* Does an operation start one, whose inner values no one else sees? */
bool attention_find(const build_t *b, const pattern_t *pattern, const searched_t *searched,
        size_t first, match_t *match);
/* Appends the primitive of operations that were found. Answers unimplemented or invalid_arguments,
 * and appends nothing, if it does not support them. */
dnnl_status_t attention_emit(build_t *b, const match_t *match);

#endif
