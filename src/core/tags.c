/* SPDX-License-Identifier: Apache-2.0 */
/* Format tags: a table of names, indexed by value, and the parser of names. */
#include "core/tags.h"

#include <string.h>

/* Arrays instead of pointers need no relocations in the shared library. */
static const char names[dnnl_format_tag_last][18] = {
        [dnnl_format_tag_undef] = "undef",
        [dnnl_format_tag_any] = "any",
#define TAG(name) [dnnl_##name] = #name,
#include "core/tags.def"
#undef TAG
};

const char *tag_name(dnnl_format_tag_t tag) {
    if (tag == dnnl_format_tag_last) return "format_tag_last";
    return (unsigned)tag < dnnl_format_tag_last ? names[tag] : NULL;
}

dnnl_format_tag_t tag_find(const char *name) {
    for (int tag = 0; tag < dnnl_format_tag_last; tag++)
        if (!strcmp(names[tag], name)) return (dnnl_format_tag_t)tag;
    return dnnl_format_tag_undef;
}

bool layout_parse(const char *name, layout_t *layout) {
    unsigned seen = 0, capital = 0, blocked = 0;
    *layout = (layout_t){0};

    for (; (*name >= 'a' && *name <= 'l') || (*name >= 'A' && *name <= 'L'); name++) {
        const bool is_capital = *name <= 'L';
        const int dim = *name - (is_capital ? 'A' : 'a');
        if (seen & 1u << dim) return false;
        seen |= 1u << dim;
        if (is_capital) capital |= 1u << dim;
        layout->order[layout->ndims++] = dim;
    }
    if (!seen || seen != (1u << layout->ndims) - 1) return false;

    while (*name) {
        int blk = 0;
        for (; *name >= '0' && *name <= '9'; name++) {
            blk = blk * 10 + (*name - '0');
            if (blk > 1 << 20) return false;
        }
        const int dim = *name - 'a';
        if (blk == 0 || dim < 0 || dim >= layout->ndims) return false;
        blocked |= 1u << dim;
        name++;
        if (blk == 1) continue;
        if (layout->nblks == DNNL_MAX_NDIMS) return false;
        layout->blk[layout->nblks] = blk;
        layout->blk_dim[layout->nblks++] = dim;
    }
    return blocked == capital;
}

bool layout_of_tag(dnnl_format_tag_t tag, layout_t *layout) {
    if (tag == dnnl_format_tag_undef || tag == dnnl_format_tag_any ||
            (unsigned)tag >= dnnl_format_tag_last)
        return false;
    return layout_parse(names[tag], layout);
}
