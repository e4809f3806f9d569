/* SPDX-License-Identifier: Apache-2.0 */
/* Format tags: names, and the layouts that the names spell. */
#ifndef CORE_TAGS_H
#define CORE_TAGS_H

#include <stdbool.h>

#include "oneapi/dnnl/dnnl_types.h"

/* A layout without sizes. aBc16b has ndims 3, order {0, 1, 2}, and one inner block of 16 over
 * dimension 1. */
typedef struct {
    int ndims;
    int order[DNNL_MAX_NDIMS]; /* dimensions, slowest first */
    int nblks;
    int blk[DNNL_MAX_NDIMS]; /* inner blocks, outermost first */
    int blk_dim[DNNL_MAX_NDIMS];
} layout_t;

/* NULL if the value is not a tag. */
const char *tag_name(dnnl_format_tag_t tag);
/* The tag with this name, or dnnl_format_tag_undef. */
dnnl_format_tag_t tag_find(const char *name);

/* False unless the name spells a layout: it has every dimension once, and a capital letter for
 * exactly the dimensions that have blocks. Blocks of 1 are dropped. */
bool layout_parse(const char *name, layout_t *layout);
/* False for undef, for any, and for values that are not a tag. */
bool layout_of_tag(dnnl_format_tag_t tag, layout_t *layout);

#endif
