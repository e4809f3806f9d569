/* SPDX-License-Identifier: Apache-2.0 */
/* A 1x1 convolution with a depthwise one as post-op: two convolutions with the tensor between them
 * in the scratchpad. Each is planned as a primitive of its own; their arguments and steps are then
 * put together. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/conv/depthwise_fused.h"
#include "ops/conv/problem.h"
#include "plan/op.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "convolution", __VA_ARGS__)

int conv_find_depthwise(const attr_t *attr) {
    for (int i = 0; i < attr->post_ops.len; i++)
        if (attr->post_ops.entry[i].kind == dnnl_convolution) return i;
    return -1;
}

static dnnl_status_t check(const pd_t *pd, int index) {
    planner_t p = {.pd = pd};
    const conv_t cv = conv_of(&p);
    const struct dnnl_post_ops *ops = &pd->attr.post_ops;
    if (pd->params.kind != dnnl_convolution)
        return REFUSE("only convolutions support a depthwise post-op");
    if (attr_nondefault(&pd->attr) & ATTR_ROUNDING)
        return REFUSE("a depthwise post-op needs the default rounding mode");
    if (cv.ndims != 4 || cv.groups != 1)
        return REFUSE("a depthwise post-op needs 2 dimensions and no groups");
    for (int i = 0; i < 3; i++)
        if (cv.win.k[i] != 1 || cv.win.stride[i] != 1 || cv.win.pad[i] != 0)
            return REFUSE(
                    "a depthwise post-op follows 1x1 windows with strides of 1 and no padding");
    for (int i = index + 1; i < ops->len; i++)
        if (ops->entry[i].kind == dnnl_convolution)
            return REFUSE("there is more than one depthwise post-op");
    for (int i = 0; i < index; i++)
        if (ops->entry[i].kind == dnnl_sum)
            return REFUSE("a sum cannot come before the depthwise post-op");
    return dnnl_success;
}

/* ---- attributes of the two ---- */

/* The first one has the zero points of source and weights, the second one that of the
 * destination. */
static void split_zero_points(attr_t *first, attr_t *second) {
    quant_map_t *map[] = {&first->zero_points, &second->zero_points};
    for (int m = 0; m < 2; m++) {
        int n = 0;
        for (int i = 0; i < map[m]->len; i++)
            if ((map[m]->entry[i].arg == DNNL_ARG_DST) == (m == 1))
                map[m]->entry[n++] = map[m]->entry[i];
        map[m]->len = n;
    }
}

/* Scales of an argument become those of another. */
static dnnl_status_t move_scales(attr_t *to, int to_arg, const attr_t *from, int from_arg) {
    const quant_t *q = quant_find(&from->scales, from_arg);
    if (!q) return dnnl_success;
    quant_t moved = *q;
    moved.arg = to_arg;
    return quant_set(&to->scales, &moved);
}

/* Both parts get the attributes but scales, and those of the post-ops that are theirs. */
static dnnl_status_t copy_attr(attr_t *first, attr_t *second, const attr_t *attr, int index) {
    attr_t bare = *attr; /* shares what attr owns, for copying */
    bare.scratchpad_mode = dnnl_scratchpad_mode_library;
    bare.post_ops.len = index;
    bare.scales.len = 0;
    TRY(attr_copy(first, &bare));
    bare.post_ops.entry += index + 1;
    bare.post_ops.len = attr->post_ops.len - index - 1;
    return attr_copy(second, &bare);
}

/* The scales of the tensor between the two, which attr has as those of the destination, go to the
 * second one's source as well. */
static dnnl_status_t split_attr(attr_t *first, attr_t *second, const attr_t *attr, int index) {
    static const int of_first[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
                     of_second[] = {DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    TRY(copy_attr(first, second, attr, index));
    split_zero_points(first, second);
    for (int i = 0; i < ARRAY_LEN(of_first); i++)
        TRY(move_scales(first, of_first[i], attr, of_first[i]));
    TRY(move_scales(second, DNNL_ARG_SRC, attr, DNNL_ARG_DST));
    for (int i = 0; i < ARRAY_LEN(of_second); i++)
        TRY(move_scales(second, of_second[i], attr, DNNL_ARG_ATTR_POST_OP_DW | of_second[i]));
    return dnnl_success;
}

/* ---- the two ---- */

static dnnl_status_t add_arg(
        pd_t *pd, int arg, unsigned flags, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt) {
    md_t md;
    TRY(md_init_tag(&md, ndims, dims, dt, dnnl_format_tag_any));
    return pd_add_arg(pd, arg, flags, &md);
}

static pd_t *make_first(const pd_t *pd, const attr_t *attr) {
    pd_t *first = pd_create(&pd->params, attr, pd->request.core);
    for (int i = 0; first && i < pd->nargs; i++)
        if (pd_add_arg(first, pd->args[i].arg, pd->args[i].flags, &pd->args[i].md) !=
                dnnl_success) {
            pd_unref(first);
            return NULL;
        }
    if (!first) return NULL;
    first->op = pd->op;
    first->request.hints = pd->request.hints;
    return first;
}

/* The depthwise convolution has the size of its window, stride and left padding; the right padding
 * is as much as the last window needs. out: dimensions of its destination. */
static void set_depthwise_window(
        op_params_t *params, const post_op_t *po, const md_t *between, dnnl_dims_t out) {
    params->alg_kind = dnnl_convolution_direct;
    for (int d = 0; d < 2; d++) {
        out[d] = between->dims[d];
        const int64_t in = between->dims[2 + d], stride = po->depthwise.stride,
                      pad = po->depthwise.padding;
        out[2 + d] = div_up(in, stride);
        params->strides[d] = stride;
        params->padding[0][d] = pad;
        params->padding[1][d] = (out[2 + d] - 1) * stride - in + po->depthwise.kernel - pad;
    }
}

/* given: the destination of the whole primitive. */
static dnnl_status_t add_second_args(pd_t *second, const post_op_t *po, const md_t *between,
        const md_t *given, const dnnl_dim_t *out) {
    const int64_t channels = between->dims[1];
    const dnnl_dims_t wei = {channels, 1, 1, po->depthwise.kernel, po->depthwise.kernel};
    TRY(pd_add_arg(second, DNNL_ARG_SRC, PD_IN, between));
    TRY(add_arg(second, DNNL_ARG_WEIGHTS, PD_IN, 5, wei, po->depthwise.wei_dt));
    if (po->depthwise.bias_dt != dnnl_data_type_undef)
        TRY(add_arg(second, DNNL_ARG_BIAS, PD_IN, 1, &channels, po->depthwise.bias_dt));
    TRY(add_arg(second, DNNL_ARG_DST, PD_OUT, 4, out, po->depthwise.dst_dt));
    if (md_is_any(given)) return dnnl_success;
    return md_set_like(&second->args[second->nargs - 1].md, given);
}

/* between: what the first one writes. */
static pd_t *make_second(
        const pd_t *pd, const attr_t *attr, const post_op_t *po, const md_t *between) {
    op_params_t params = pd->params;
    dnnl_dims_t out = {0};
    set_depthwise_window(&params, po, between, out);
    pd_t *second = pd_create(&params, attr, pd->request.core);
    if (!second) return NULL;
    second->op = pd->op;
    second->request.hints = pd->request.hints;
    if (add_second_args(second, po, between, pd_md(pd, DNNL_ARG_DST), out) == dnnl_success)
        return second;
    pd_unref(second);
    return NULL;
}

/* ---- putting them together ---- */

enum { BETWEEN = 0 }; /* not an argument: the tensor between the two */

static int first_arg(int arg, int index) {
    (void)index;
    return arg == DNNL_ARG_DST ? BETWEEN : arg;
}

static int second_arg(int arg, int index) {
    if (arg == DNNL_ARG_SRC) return BETWEEN;
    if (arg == DNNL_ARG_DST || arg == (DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST)) return arg;
    if (arg == (DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC)) return DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST;
    if (arg >= DNNL_ARG_ATTR_MULTIPLE_POST_OP(0))
        return arg + DNNL_ARG_ATTR_MULTIPLE_POST_OP(index);
    return arg | DNNL_ARG_ATTR_POST_OP_DW;
}

typedef struct {
    const pd_t *from;
    int (*arg)(int arg, int index);
    uint64_t scratch;
} part_t;

/* Adds the arguments of a part; the tensor between the two is none. */
static dnnl_status_t add_args(pd_t *pd, const part_t *part, int index) {
    for (int i = 0; i < part->from->nargs; i++) {
        const pd_arg_t *a = &part->from->args[i];
        const int arg = part->arg(a->arg, index);
        if (arg != BETWEEN && pd_find_arg(pd, arg) < 0) TRY(pd_add_arg(pd, arg, a->flags, &a->md));
    }
    return dnnl_success;
}

/* Adds the steps of a part. `between`: where the tensor between the two begins in the
 * scratchpad. */
static dnnl_status_t add_steps(pd_t *pd, const part_t *part, int index, uint64_t between) {
    plan_place_t *place = dz_calloc((size_t)part->from->nargs + 1, sizeof(*place));
    if (!place) return dnnl_out_of_memory;
    for (int i = 0; i < part->from->nargs; i++) {
        const int arg = part->arg(part->from->args[i].arg, index);
        place[i] = arg == BETWEEN ? (plan_place_t){.kind = PLACE_SCRATCH, .offset = between}
                                  : (plan_place_t){.kind = PLACE_ARG, .slot = pd_find_arg(pd, arg)};
    }
    plan_append(&pd->plan, &part->from->plan, place, part->scratch);
    dz_free(place);
    return dnnl_success;
}

static dnnl_status_t join(pd_t *pd, const pd_t *first, const pd_t *second, int index) {
    planner_t p = planner_of(pd, NULL);
    planner_restart(&p);
    planner_reserve(&p, first->scratchpad_size);
    const uint64_t between = planner_reserve(&p, md_size(pd_md(first, DNNL_ARG_DST), 0));
    const part_t parts[] = {{first, first_arg, 0},
            {second, second_arg, planner_reserve(&p, second->scratchpad_size)}};
    pd->nargs = 0;
    for (int i = 0; i < ARRAY_LEN(parts); i++) TRY(add_args(pd, &parts[i], index));
    for (int i = 0; i < ARRAY_LEN(parts); i++) TRY(add_steps(pd, &parts[i], index, between));
    pd->variant = first->variant;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "%s", first->impl_name);
    if (!pd->plan.nsteps) p.scratch = 0;
    return planner_finish(&p, pd);
}

/* Plans both; part[] are descriptors for the caller to release, whatever is returned. */
static dnnl_status_t plan_parts(
        const pd_t *pd, const caps_t *caps, int index, const attr_t attr[2], pd_t *part[2]) {
    part[0] = make_first(pd, &attr[0]);
    if (!part[0]) return dnnl_out_of_memory;
    TRY(pd->op->init(part[0], caps));
    const post_op_t *po = &pd->attr.post_ops.entry[index];
    part[1] = make_second(pd, &attr[1], po, pd_md(part[0], DNNL_ARG_DST));
    if (!part[1]) return dnnl_out_of_memory;
    return pd->op->init(part[1], caps);
}

dnnl_status_t conv_init_fused(pd_t *pd, const caps_t *caps) {
    const int index = conv_find_depthwise(&pd->attr);
    attr_t attr[2];
    pd_t *part[2] = {NULL, NULL};
    if (pd->impl_index) return REFUSE("there is one implementation with a depthwise post-op");
    TRY(check(pd, index));
    attr_init(&attr[0]);
    attr_init(&attr[1]);
    dnnl_status_t status = split_attr(&attr[0], &attr[1], &pd->attr, index);
    if (status == dnnl_success) status = plan_parts(pd, caps, index, attr, part);
    if (status == dnnl_success) status = join(pd, part[0], part[1], index);
    for (int i = 0; i < 2; i++) {
        pd_unref(part[i]);
        attr_fini(&attr[i]);
    }
    return status;
}
