/* SPDX-License-Identifier: Apache-2.0 */
/* A network is computed once, when the first element of an output is compared. */
#include "ref_rnn_case.h"

#include <math.h>
#include <stdlib.h>

#include "core/util.h"
#include "ref_rnn.h"

/* ---- sizes ---- */

static ref_rnn_t sizes_of(const ref_t *ref) {
    const pd_t *pd = ref->pd;
    const attr_t *attr = &pd->attr;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC_LAYER), *u = pd_md(pd, DNNL_ARG_WEIGHTS_ITER),
               *projection = pd_md(pd, DNNL_ARG_WEIGHTS_PROJECTION);
    const bool is_lbr =
            pd->params.cell_kind == dnnl_lbr_gru || pd->params.cell_kind == dnnl_lbr_augru;
    ref_rnn_t r = {.cell = (dnnl_alg_kind_t)pd->params.cell_kind,
            .activation = (dnnl_alg_kind_t)pd->params.activation_kind,
            .direction = (dnnl_rnn_direction_t)pd->params.direction,
            .alpha = (double)pd->params.alpha,
            .epsilon = ref->epsilon,
            .dt = src->data_type,
            .t = src->dims[0],
            .n = src->dims[1],
            .slc = src->dims[2],
            .l = u->dims[0],
            .d = u->dims[1],
            .sic = u->dims[2],
            .g = u->dims[3],
            .b = u->dims[3] + is_lbr,
            .dhc = u->dims[4],
            .dic = md_is_zero(projection) ? u->dims[4] : projection->dims[3],
            .dlc = pd_md(pd, DNNL_ARG_DST_LAYER)->dims[2],
            .backward = pd->params.prop_kind == dnnl_backward,
            .has_peephole = !md_is_zero(pd_md(pd, DNNL_ARG_WEIGHTS_PEEPHOLE)),
            .has_projection = !md_is_zero(projection)};
    r.pitch = max_i64(r.sic, r.dic);
    if (dt_is_int(r.dt)) r.scale = (double)attr->rnn_data_scale;
    if (dt_is_int(r.dt)) r.shift = (double)attr->rnn_data_shift;
    return r;
}

/* ---- arguments ---- */

/* Where an argument is in the network: rows of `pitch` values, of which the argument has those of
 * its last dimension. `apart` is the distance of layers and directions, if they are no rows like
 * others. */
typedef struct {
    num_t *at;
    int64_t pitch, apart;
    bool is_data; /* integers have the scale and shift of data */
} place_t;

static place_t state_at(const ref_rnn_t *r, int64_t step) {
    return (place_t){r->h + step * r->n * r->pitch, r->pitch, (r->t + 1) * r->n * r->pitch, true};
}

static place_t cell_at(const ref_rnn_t *r, int64_t step) {
    return (place_t){r->c + step * r->n * r->dhc, r->dhc, (r->t + 1) * r->n * r->dhc, false};
}

static place_t place_of(const ref_rnn_t *r, int arg) {
    const int64_t w = r->dhc;
    switch (arg) {
    case DNNL_ARG_SRC_LAYER: return (place_t){r->x, r->slc, 0, true};
    case DNNL_ARG_SRC_ITER: return state_at(r, 0);
    case DNNL_ARG_SRC_ITER_C: return cell_at(r, 0);
    case DNNL_ARG_AUGRU_ATTENTION: return (place_t){r->attention, 1, 0, false};
    case DNNL_ARG_WEIGHTS_LAYER: return (place_t){r->w, w, 0, false};
    case DNNL_ARG_WEIGHTS_ITER: return (place_t){r->u, w, 0, false};
    case DNNL_ARG_WEIGHTS_PEEPHOLE: return (place_t){r->peephole, w, 0, false};
    case DNNL_ARG_WEIGHTS_PROJECTION: return (place_t){r->projection, r->dic, 0, false};
    case DNNL_ARG_BIAS: return (place_t){r->bias, w, 0, false};
    case DNNL_ARG_DST_LAYER: return (place_t){r->y, r->dlc, 0, true};
    case DNNL_ARG_DST_ITER: return state_at(r, r->t);
    case DNNL_ARG_DST_ITER_C: return cell_at(r, r->t);
    case DNNL_ARG_DIFF_DST_LAYER: return (place_t){r->dy, r->dlc, 0, false};
    case DNNL_ARG_DIFF_DST_ITER:
    case DNNL_ARG_DIFF_SRC_ITER: return (place_t){r->dh, r->pitch, 0, false};
    case DNNL_ARG_DIFF_DST_ITER_C:
    case DNNL_ARG_DIFF_SRC_ITER_C: return (place_t){r->dc, w, 0, false};
    case DNNL_ARG_DIFF_SRC_LAYER: return (place_t){r->dx, r->slc, 0, false};
    case DNNL_ARG_DIFF_AUGRU_ATTENTION: return (place_t){r->dattention, 1, 0, false};
    case DNNL_ARG_DIFF_WEIGHTS_LAYER: return (place_t){r->dw, w, 0, false};
    case DNNL_ARG_DIFF_WEIGHTS_ITER: return (place_t){r->du, w, 0, false};
    case DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE: return (place_t){r->dpeephole, w, 0, false};
    case DNNL_ARG_DIFF_WEIGHTS_PROJECTION: return (place_t){r->dprojection, r->dic, 0, false};
    default: return (place_t){r->dbias, w, 0, false}; /* DNNL_ARG_DIFF_BIAS */
    }
}

static num_t *element(const place_t *p, const md_t *md, const dnnl_dim_t *pos) {
    const int last = md->ndims - 1;
    int64_t row = 0, part = 0;
    for (int d = 0; d < last; d++) {
        if (d == 2 && p->apart) {
            part = row;
            row = 0;
        }
        row = row * md->dims[d] + pos[d];
    }
    return p->at + part * p->apart + row * p->pitch + pos[last];
}

/* Integers are weights with a scale for all of them or for each gate and channel, or data. */
static double real_number(
        const ref_t *ref, const ref_rnn_t *r, const place_t *p, const dnnl_dim_t *pos, double v) {
    const attr_t *attr = &ref->pd->attr;
    const bool is_projection = p->at == r->projection;
    const attr_rnn_scales_t *scales = is_projection ? &attr->rnn_projection : &attr->rnn_weights;
    const int64_t column = is_projection ? pos[3] : pos[3] * r->dhc + pos[4];
    if (p->is_data) return (v - r->shift) / r->scale;
    if (!scales->set) return v;
    return v / (double)scales->scales[scales->mask ? column : 0];
}

/* The values of an argument become those of the network. */
static void give(const ref_t *ref, const ref_rnn_t *r, int arg) {
    const int slot = pd_find_arg(ref->pd, arg);
    const md_t *md = pd_md(ref->pd, arg);
    const place_t to = place_of(r, arg);
    dnnl_dims_t pos = {0};
    if (md_is_zero(md) || md_has_zero_dim(md)) return;
    do {
        const double v = ref_load(md->data_type, ref->data[slot], md_offset(md, pos));
        const bool is_real = !dt_is_int(md->data_type);
        element(&to, md, pos)->v = is_real ? v : real_number(ref, r, &to, pos, v);
    } while (ref_next(md->dims, md->ndims, pos));
}

/* ---- the network ---- */

static void give_all(const ref_t *ref, const ref_rnn_t *r, const int *args, int n) {
    for (int i = 0; i < n; i++) give(ref, r, args[i]);
}

static ref_rnn_t *compute(const ref_t *ref) {
    static const int inputs[] = {DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_SRC_ITER_C,
            DNNL_ARG_AUGRU_ATTENTION, DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER,
            DNNL_ARG_WEIGHTS_PEEPHOLE, DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_BIAS};
    static const int gradients[] = {
            DNNL_ARG_DIFF_DST_LAYER, DNNL_ARG_DIFF_DST_ITER, DNNL_ARG_DIFF_DST_ITER_C};
    static const int sums[] = {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
            DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, DNNL_ARG_DIFF_WEIGHTS_PROJECTION, DNNL_ARG_DIFF_BIAS};
    const bool overwrites = ref->pd->params.flags & dnnl_rnn_flags_diff_weights_overwrite;
    ref_rnn_t *r = malloc(sizeof(*r));
    *r = sizes_of(ref);
    ref_rnn_open(r);
    give_all(ref, r, inputs, ARRAY_LEN(inputs));
    ref_rnn_forward(r);
    if (!r->backward) return r;
    give_all(ref, r, gradients, ARRAY_LEN(gradients));
    if (!overwrites) give_all(ref, r, sums, ARRAY_LEN(sums));
    ref_rnn_backward(r);
    return r;
}

void ref_rnn_forget(ref_stats_t *stats) {
    if (stats->rnn) ref_rnn_close(stats->rnn);
    free(stats->rnn);
    stats->rnn = NULL;
}

static num_t stored(const ref_rnn_t *r, num_t x, double shift) {
    const double v = x.v * r->scale + shift;
    return (num_t){v, x.error * r->scale + 4 * r->epsilon * fabs(v)};
}

static ref_value_t value_of(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    const md_t *md = pd_md(ref->pd, arg);
    if (!ref->stats->rnn) ref->stats->rnn = compute(ref);
    const ref_rnn_t *r = ref->stats->rnn;
    const place_t from = place_of(r, arg);
    num_t x = *element(&from, md, pos);
    if (!from.is_data || !dt_is_int(r->dt)) return x;
    if (dt_is_int(md->data_type))
        return stored(r, x, arg == DNNL_ARG_DST_LAYER ? ref_rnn_result_shift(r) : r->shift);
    /* A real number is q (1 / scale) - shift / scale, all of it rounded. */
    x.error += 2 * r->epsilon * (fabs(x.v) + fabs((double)r->d * r->shift / r->scale));
    return x;
}

#define OUTPUT(name, arg)                                                                          \
    ref_value_t ref_rnn_##name(const ref_t *ref, const dnnl_dim_t *pos) {                          \
        return value_of(ref, arg, pos);                                                            \
    }
OUTPUT(dst_layer, DNNL_ARG_DST_LAYER)
OUTPUT(dst_iter, DNNL_ARG_DST_ITER)
OUTPUT(dst_iter_c, DNNL_ARG_DST_ITER_C)
OUTPUT(diff_src_layer, DNNL_ARG_DIFF_SRC_LAYER)
OUTPUT(diff_src_iter, DNNL_ARG_DIFF_SRC_ITER)
OUTPUT(diff_src_iter_c, DNNL_ARG_DIFF_SRC_ITER_C)
OUTPUT(diff_attention, DNNL_ARG_DIFF_AUGRU_ATTENTION)
OUTPUT(diff_weights_layer, DNNL_ARG_DIFF_WEIGHTS_LAYER)
OUTPUT(diff_weights_iter, DNNL_ARG_DIFF_WEIGHTS_ITER)
OUTPUT(diff_peephole, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE)
OUTPUT(diff_projection, DNNL_ARG_DIFF_WEIGHTS_PROJECTION)
OUTPUT(diff_bias, DNNL_ARG_DIFF_BIAS)
