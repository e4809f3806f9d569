/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors as the verbose log prints them. Programs parse these lines: fields and
 * separators are fixed. */
#include <inttypes.h>
#include <string.h>

#include "core/memory_desc.h"
#include "core/memory_desc_impl.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/tags.h"

static void add_tag(text_t *text, const md_t *md) {
    const md_blocking_t *b = &md->format_desc.blocking;
    int order[DNNL_MAX_NDIMS];
    unsigned blocked = 0;
    for (int d = 0; d < md->ndims; d++)
        if (b->strides[d] == DNNL_RUNTIME_DIM_VAL) return text_add(text, "*");
    for (int i = 0; i < b->inner_nblks; i++) blocked |= 1u << b->inner_idxs[i];
    md_order(md, order);
    for (int i = 0; i < md->ndims; i++)
        text_add(text, "%c", (blocked & 1u << order[i] ? 'A' : 'a') + order[i]);
    for (int i = 0; i < b->inner_nblks; i++)
        text_add(text, "%" PRId64 "%c", (int64_t)b->inner_blks[i], 'a' + (int)b->inner_idxs[i]);
}

static void add_strides(text_t *text, const md_t *md) {
    if (md_has_runtime_dims_or_strides(md) || md_is_dense(md, true)) return;
    text_add_dims(text, md->format_desc.blocking.strides, md->ndims);
}

static void add_extra(text_t *text, const md_extra_t *x) {
    text_add(text, ":f%" PRIu64, x->flags);
    if (x->flags & MD_EXTRA_COMP_S8S8) text_add(text, ":s8m%d", x->compensation_mask);
    if (x->flags & MD_EXTRA_COMP_ASYMM_SRC) text_add(text, ":zpm%d", x->asymm_compensation_mask);
    if (x->flags & MD_EXTRA_COMP_GPU_ASYMM_SRC) {
        const struct {
            char name;
            const int64_t *dhw;
        } parts[] = {{'i', x->idhw}, {'o', x->odhw}, {'p', x->pdhw}, {'d', x->ddhw}};
        for (int i = 0; i < 12; i++)
            text_add(text, ":z%c%c%" PRId64, parts[i / 3].name, "dhw"[i % 3],
                    parts[i / 3].dhw[i % 3]);
        text_add(text, ":zs%" PRId64, x->dst_size);
    }
    if ((x->flags & MD_EXTRA_SCALE_ADJUST) && x->scale_adjust != 1.f)
        text_add(text, ":sa%g", (double)x->scale_adjust);
}

int md_format_as(const md_t *md, bool user_any, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    if (md_is_zero(md)) {
        text_add(&text, "undef::undef:::");
        return text.len;
    }
    bool padded = false, shifted = false;
    for (int d = 0; d < md->ndims; d++) {
        padded |= md->dims[d] != md->padded_dims[d];
        shifted |= md->padded_offsets[d] != 0;
    }
    text_add(&text, "%s:%s%s%s%s:%s", enum_name(NAMES_DATA_TYPE, md->data_type),
            user_any ? "a" : "", padded ? "p" : "", shifted ? "o" : "", md->offset0 ? "0" : "",
            enum_name(NAMES_FORMAT_KIND, md->format_kind));
    switch ((int)md->format_kind) {
    case dnnl_blocked:
        text_add(&text, ":");
        add_tag(&text, md);
        text_add(&text, ":");
        add_strides(&text, md);
        break;
    case dnnl_format_kind_sparse: {
        const md_sparse_t *s = &md->format_desc.sparse;
        text_add(&text, ":%s", enum_name(NAMES_SPARSE_ENCODING, s->encoding));
        if (s->encoding == dnnl_grouped)
            text_add(&text, ":%d:%" PRId64, s->grouped.variable_dim_idx, s->grouped.group_count);
        text_add(&text, ":");
        break;
    }
    case dnnl_format_kind_any: text_add(&text, ":any:"); break;
    default: text_add(&text, "::"); break;
    }
    add_extra(&text, &md->extra);
    return text.len;
}

int md_format(const md_t *md, char *buf, size_t size) {
    return md_format_as(md, false, buf, size);
}

int md_format_tag(const md_t *md, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    if (md_is_blocked(md)) add_tag(&text, md);
    return text.len;
}

int md_format_strides(const md_t *md, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    if (md_is_blocked(md)) add_strides(&text, md);
    return text.len;
}

int md_format_dims(const md_t *md, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    if (!md_is_zero(md)) text_add_dims(&text, md->dims, md->ndims);
    return text.len;
}

dnnl_format_tag_t md_find_tag(const md_t *md) {
    char name[128];
    md_format_tag(md, name, sizeof(name));
    const dnnl_format_tag_t tag = tag_find(name);
    return md_matches_tag(md, tag) ? tag : dnnl_format_tag_undef;
}
