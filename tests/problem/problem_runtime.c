/* SPDX-License-Identifier: Apache-2.0 */
/* Matmul and reorder, whose dims may be given at run time. The log of an execution prints the
 * dims that were there and masks of those that the descriptor left open; the log of a creation
 * prints stars, for which sizes are chosen here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"
#include "problem.h"

/* A tensor with dims left open where the mask has bits; its other descriptor is the one to
 * execute with. */
static const char *open_md(problem_t *p, const char *name, int arg, md_t *md, int ndims,
        const dnnl_dim_t *dims, unsigned mask) {
    const md_text_t *text = line_md(p->line, name);
    if (!text) return memset(md, 0, sizeof(*md)), NULL;
    if (!mask && strcmp(text->tag, "*") != 0) return md_make(md, text, ndims, dims);
    md_text_t known = *text;
    md_t actual;
    dnnl_dims_t open;
    if (!strcmp(known.tag, "*")) known.tag[0] = 0;
    TRY_TEXT(md_make(&actual, &known, ndims, dims));
    for (int d = 0; d < ndims; d++) open[d] = mask >> d & 1 ? DNNL_RUNTIME_DIM_VAL : dims[d];
    TRY_TEXT(md_make(md, text, ndims, open));
    problem_add_actual(p, arg, &actual);
    return NULL;
}

/* Bits for the stars among the dims, which become numbers. */
static unsigned choose(int ndims, dnnl_dim_t *dims, const dnnl_dim_t *numbers) {
    unsigned mask = 0;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] != DNNL_RUNTIME_DIM_VAL) continue;
        mask |= 1u << d;
        dims[d] = numbers[d];
    }
    return mask;
}

enum { M = 13, N = 37, K = 17, BATCH = 2 };

static const char *matmul_dims(const problem_t *p, dims_list_t *z, unsigned *masks) {
    if (problem_dims(p, z) != 2 || z->ndims[0] != z->ndims[1] || z->ndims[0] < 2)
        return "the problem is not the dims of two matrices";
    const int nd = z->ndims[0];
    dnnl_dim_t *src = z->dims[0], *wei = z->dims[1];
    dnnl_dims_t numbers;
    sscanf(line_aux(p->line, "runtime_dims_masks", "0:0"), "%u:%u", &masks[0], &masks[1]);
    for (int d = 0; d < nd; d++) numbers[d] = BATCH;
    numbers[nd - 2] = M;
    numbers[nd - 1] = wei[nd - 2] == DNNL_RUNTIME_DIM_VAL ? K : wei[nd - 2];
    masks[0] |= choose(nd, src, numbers);
    numbers[nd - 2] = src[nd - 1];
    numbers[nd - 1] = N;
    masks[1] |= choose(nd, wei, numbers);
    return NULL;
}

const char *replay_matmul(problem_t *p) {
    dims_list_t z;
    unsigned masks[2];
    const md_text_t *first = line_md(p->line, "src");
    if (first && !strcmp(first->tag, "grouped")) return replay_grouped_matmul(p);
    md_t src, wei, bias, dst;
    dnnl_dims_t dims, bias_dims;
    TRY_TEXT(matmul_dims(p, &z, masks));
    const int nd = z.ndims[0], m = nd - 2, n = nd - 1;
    unsigned open = (masks[0] | masks[1]) & ((1u << m) - 1);
    for (int d = 0; d < m; d++) dims[d] = z.dims[0][d] == 1 ? z.dims[1][d] : z.dims[0][d];
    dims[m] = z.dims[0][m];
    dims[n] = z.dims[1][n];
    open |= (masks[0] & 1u << m) | (masks[1] & 1u << n);
    TRY_TEXT(open_md(p, "src", DNNL_ARG_SRC, &src, nd, z.dims[0], masks[0]));
    TRY_TEXT(open_md(p, "wei", DNNL_ARG_WEIGHTS, &wei, nd, z.dims[1], masks[1]));
    TRY_TEXT(open_md(p, "dst", DNNL_ARG_DST, &dst, nd, dims, open));
    const md_text_t *text = line_md(p->line, "bia");
    const int mask = text && text->mask >= 0 ? text->mask : 1 << n;
    for (int d = 0; d < nd; d++) bias_dims[d] = mask >> d & 1 ? dims[d] : 1;
    TRY_TEXT(open_md(p, "bia", DNNL_ARG_BIAS, &bias, nd, bias_dims, open & (unsigned)mask));
    TRY_TEXT(problem_attr(p, nd, dims));
    p->low = -1;
    p->high = 1;
    if (p->status == dnnl_success)
        p->status = dnnl_matmul_primitive_desc_create(
                &p->pd, p->engine, &src, &wei, md_is_zero(&bias) ? NULL : &bias, &dst, p->attr);
    return NULL;
}

const char *replay_reorder(problem_t *p) {
    static const dnnl_dims_t numbers = {5, 6, 7, 8, 9, 10, 2, 2, 2, 2, 2, 2};
    dims_list_t z;
    md_t src, dst;
    if (problem_dims(p, &z) != 1) return "the problem is not the dims of a tensor";
    unsigned mask = (unsigned)strtoul(line_aux(p->line, "runtime-dim-mask", "0"), NULL, 10);
    mask |= choose(z.ndims[0], z.dims[0], numbers);
    TRY_TEXT(open_md(p, "src", DNNL_ARG_SRC, &src, z.ndims[0], z.dims[0], mask));
    TRY_TEXT(open_md(p, "dst", DNNL_ARG_DST, &dst, z.ndims[0], z.dims[0], mask));
    TRY_TEXT(problem_attr(p, z.ndims[0], z.dims[0]));
    if (p->status == dnnl_success)
        p->status = dnnl_reorder_primitive_desc_create(
                &p->pd, &src, p->engine, &dst, p->engine, p->attr);
    return NULL;
}
