/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors of a given shape: layouts, and damage. */
#include <algorithm>
#include <cstring>
#include <string>

#include "draw.hpp"
#include "problem.hpp"

static md_t plain(const shape_t &shape, dnnl_data_type_t dt) {
    md_t md = {};
    md_init_strides(&md, (int)shape.size(), shape.data(), dt, nullptr);
    return md;
}

static std::string letters(size_t n) {
    return std::string("abcdefghijkl").substr(0, n);
}

static std::string permuted(size_t n) {
    std::string tag = letters(n);
    for (size_t i = n; i > 1; i--) std::swap(tag[i - 1], tag[below(i)]);
    return tag;
}

static std::string blocked(size_t n) {
    static const int sizes[] = {16, 8, 4, 2, 3, 32};
    std::string tag = below(2) ? permuted(n) : letters(n), inner;
    for (uint64_t i = 0, count = 1 + below(2); i < count; i++) {
        const char letter = (char)('a' + below(n));
        std::replace(tag.begin(), tag.end(), letter, (char)(letter - 'a' + 'A'));
        inner += std::to_string(one_of(sizes)) + letter;
    }
    return tag + inner;
}

/* Rows with holes between them, in any order; now and then the same elements more than once. */
static md_t strided(const shape_t &shape, dnnl_data_type_t dt) {
    const std::string order = permuted(shape.size());
    dnnl_dims_t strides = {};
    dnnl_dim_t stride = 1 + (dnnl_dim_t)(below(4) == 3);
    for (size_t i = shape.size(); i-- > 0;) {
        const int d = order[i] - 'a';
        strides[d] = below(16) == 15 ? (dnnl_dim_t)below(3) : stride;
        stride *= std::max<dnnl_dim_t>(shape[(size_t)d], 1) + (dnnl_dim_t)below(3);
    }
    md_t md;
    return md_init_strides(&md, (int)shape.size(), shape.data(), dt, strides) ? plain(shape, dt)
                                                                              : md;
}

/* A part of a larger tensor. */
static md_t part(const shape_t &shape, dnnl_data_type_t dt) {
    shape_t whole = shape, offsets;
    const std::string tag = below(3) ? permuted(shape.size()) : blocked(shape.size());
    for (dnnl_dim_t &d : whole) {
        offsets.push_back((dnnl_dim_t)one_of({0, 0, 1, 2, 8, 16}));
        d += offsets.back() + (dnnl_dim_t)below(2);
    }
    md_t parent, md;
    if (md_init_string_tag(&parent, (int)whole.size(), whole.data(), dt, tag.c_str()))
        return plain(shape, dt);
    return md_init_submemory(&md, &parent, shape.data(), offsets.data()) ? plain(shape, dt) : md;
}

md_t draw_md(const shape_t &shape, dnnl_data_type_t dt, bool may_be_any) {
    md_t md;
    const int n = (int)shape.size();
    switch (below(10)) {
    case 1:
    case 2:
        if (may_be_any && !md_init_tag(&md, n, shape.data(), dt, dnnl_format_tag_any)) return md;
        break;
    case 3:
        if (!md_init_string_tag(&md, n, shape.data(), dt, permuted((size_t)n).c_str())) return md;
        break;
    case 4:
    case 5:
        if (!md_init_string_tag(&md, n, shape.data(), dt, blocked((size_t)n).c_str())) return md;
        break;
    case 6: return strided(shape, dt);
    case 7: return part(shape, dt);
    case 8: /* channels last */
        if (n > 2) {
            std::string tag = letters((size_t)n);
            tag = tag.substr(0, 1) + tag.substr(2) + "b";
            if (!md_init_string_tag(&md, n, shape.data(), dt, tag.c_str())) return md;
        }
        break;
    default: break;
    }
    return plain(shape, dt);
}

void damage(md_t *md) {
    md_blocking_t *b = &md->format_desc.blocking;
    const uint64_t d = below(DNNL_MAX_NDIMS);
    const int64_t value = below(2) ? odd_dim() : (int64_t)below(64) - 8;
    switch (below(14)) {
    case 0: md->ndims = (int)value; break;
    case 1: md->dims[d] = value; break;
    case 2: md->data_type = (dnnl_data_type_t)value; break;
    case 3: md->padded_dims[d] = value; break;
    case 4: md->padded_offsets[d] = value; break;
    case 5: md->offset0 = value; break;
    case 6: md->format_kind = (dnnl_format_kind_t)below(8); break;
    case 7: b->strides[d] = value; break;
    case 8: b->inner_nblks = (int)value; break;
    case 9: b->inner_blks[d % 4] = value; break;
    case 10: b->inner_idxs[d % 4] = value; break;
    case 11: md->extra.flags = (uint64_t)value; break;
    case 12: md->dims[d % 4] = md->padded_dims[d % 4] = value; break;
    default: /* any byte */ ((uint8_t *)md)[below(256) * 3] = (uint8_t)below(256); break;
    }
}
