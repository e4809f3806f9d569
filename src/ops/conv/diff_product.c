/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by weights as a matmul: channels of `out` times columns of what the window
 * reads, summed over the positions of the window. A step before the product copies the columns,
 * unless the window is one element and the image is such a matrix. The positions are divided into
 * chunks, which are matrices of a batch: so they share the device, whatever the variant of matmul
 * is, and always add up in the same order. */
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/conv/diff_weights.h"
#include "ops/conv/planners.h"
#include "ops/matmul/matmul.h"
#include "plan/device.h"
#include "plan/split_k.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

enum { NDIMS = 4 };   /* of the matmul: chunks, groups, rows, columns */
enum { VECTOR = 16 }; /* columns that a work-item of the copy writes at once */
/* Bytes that a step copies, for the next one to multiply: of a GPU, and of a CPU, whose caches
 * should still have them. And the most such steps of a plan: beyond it, each copies more. */
static const int64_t most_copied = (int64_t)64 << 20, most_copied_cpu = (int64_t)16 << 20;
enum { MOST_STEPS = 64 };
/* Positions of a chunk: of a CPU, so that a panel of columns fits into a nearby cache; and the
 * fewest that are worth a chunk on a GPU. */
enum { CPU_CHUNK = 512, LEAST_CHUNK = 512 };

/* A matrix for each group: columns of a window, or channels. A row is a position of the window. */
typedef struct {
    operand_t at;
    dnnl_data_type_t dt;
    int64_t start;              /* elements */
    int64_t row, group, column; /* from one to the next, in elements */
    int64_t columns;            /* of a group */
    int64_t bytes;              /* of a row of all groups */
    bool copied;                /* rows are those of a chunk of steps, not of all positions */
} rows_t;

typedef struct {
    matmul_t mm; /* first: it has the planner */
    diff_weights_t x;
    int64_t positions, chunk, of_step; /* in all; of a chunk; of a step, which has whole chunks */
    rows_t in, out;
    int64_t panel; /* columns of a panel of copied columns; 0: a row has all of them */
    md_t copy, channels_last;
    md_t a, b, c;
} diff_product_t;

/* ---- the problem ---- */

static int64_t groups_of(const diff_product_t *m) {
    return m->x.cv.groups;
}

static int64_t taps_of(const cv_window_t *win) {
    return (int64_t)win->k[0] * win->k[1] * win->k[2];
}

static int64_t padded_to(int64_t size, int64_t multiple) {
    return div_up(size, multiple) * multiple;
}

/* Channels of a group. */
static int64_t in_channels(const conv_t *cv) {
    return cv->transposed ? cv->oc : cv->ic;
}

static int64_t out_channels(const conv_t *cv) {
    return cv->transposed ? cv->ic : cv->oc;
}

static const char *check(const planner_t *p, int variant) {
    const conv_t cv = conv_of((planner_t *)p);
    if (cv.src.md->data_type == dnnl_f64) return "the data is double precision";
    if (variant_is_forced(p->pd, variant)) return NULL;
    if (variants[variant].target == TARGET_PORTABLE)
        return "a kernel without copied columns is as fast";
    if (cv.groups > 1 && cv.ic * cv.oc < DIFF_WEIGHTS_FEW_PRODUCTS)
        return "groups have few channels";
    if (variants[variant].target == TARGET_CPU && !diff_tile_why_not(&cv))
        return "tiles that copy columns as they go are faster";
    return NULL;
}

/* ---- chunks ---- */

/* Chunks that the matrices of all groups need to keep the device busy. Matmul divides k itself,
 * but for the tiles of matrix units with 8 lanes. */
static int64_t wanted_chunks(const diff_product_t *m, int variant) {
    const variant_geometry_t *g = &variants[variant].geometry;
    if (variants[variant].target != TARGET_XMX8) return 1;
    enum { COLUMNS = 32 }; /* of a sub-group */
    const int64_t groups = split_k_threads(m->x.cv.caps) / (g->sgm * g->sgn),
                  tiles = div_up(m->out.columns, g->mt * g->sgm) *
                          div_up(m->in.columns, COLUMNS * g->sgn) * groups_of(m);
    return max_i64(div_up(groups, tiles), 1);
}

/* The largest equal parts of `all` that are no larger than `most`; the last part may be smaller. */
static int64_t part_of(int64_t all, int64_t most) {
    return div_up(all, div_up(all, most));
}

/* As a test wants it: two steps of so many chunks. */
static void set_forced_chunks(diff_product_t *m, int64_t chunks) {
    m->chunk = div_up(div_up(m->positions, 2), chunks);
    m->of_step = m->chunk * chunks;
}

static void set_best_chunks(diff_product_t *m, int variant) {
    const bool is_cpu = m->x.cv.caps->is_cpu;
    const int64_t most = is_cpu ? most_copied_cpu : most_copied,
                  row = max_i64(m->in.bytes, m->out.bytes),
                  fitting = max_i64(div_up(m->positions, MOST_STEPS), most / row);
    const int64_t of_step = part_of(m->positions, max_i64(fitting, 1));
    const int64_t chunk =
            is_cpu ? CPU_CHUNK : max_i64(LEAST_CHUNK, div_up(of_step, wanted_chunks(m, variant)));
    m->chunk = part_of(of_step, min_i64(chunk, of_step));
    m->of_step = div_up(of_step, m->chunk) * m->chunk;
}

static void set_chunks(diff_product_t *m, int variant) {
    const int64_t forced = m->x.cv.pd->request.hints.forced_splits;
    if (forced) set_forced_chunks(m, forced);
    else set_best_chunks(m, variant);
    m->x.chunks = div_up(m->positions, m->chunk);
}

/* ---- matrices in place ---- */

static bool is_pixel(const cv_window_t *win) {
    for (int i = 0; i < 3; i++)
        if (win->k[i] != 1 || win->stride[i] != 1 || win->pad[i] || win->in[i] != win->out[i])
            return false;
    return true;
}

static void place(rows_t *to, const operand_t *at, const cv_tensor_t *t, int64_t channels) {
    to->at = *at;
    to->dt = at->md->data_type;
    to->start = at->slot < 0 ? 0 : at->md->offset0;
    to->row = t->sp[2];
    to->group = channels * t->c_inner;
    to->column = t->c_inner;
    to->columns = channels;
}

/* ---- the values of `out` ---- */

static const char *place_out(diff_product_t *m) {
    diff_weights_t *x = &m->x;
    planner_t *p = x->cv.p;
    operand_t out = x->out;
    cv_tensor_t t = x->p.out;
    const dnnl_data_type_t dt = dt_in(out.md, FLOATS) ? out.md->data_type : dnnl_f32;
    if (!diff_weights_is_matrix(&t, out.md, x->p.win.out) || dt != out.md->data_type) {
        REFUSE_IF(why_not_of(md_init_string_tag(&m->channels_last, out.md->ndims, out.md->dims, dt,
                                     image_channels_last(out.md->ndims)),
                "a copy of an image would be too large"));
        REFUSE_IF(image_copy(p, &x->out, &m->channels_last, &out));
        image_tensor(&t, &m->channels_last);
        if (!diff_weights_is_matrix(&t, out.md, x->p.win.out)) return "an image is no matrix";
    }
    place(&m->out, &out, &t, out_channels(&x->cv));
    m->out.bytes = out_channels(&x->cv) * groups_of(m) * (int64_t)dt_size(m->out.dt);
    return NULL;
}

/* ---- the columns of windows ---- */

/* In panels, if the kernel reads them so. */
static void place_copied(diff_product_t *m, int variant) {
    const variant_t *v = &variants[variant];
    const conv_t *cv = &m->x.cv;
    rows_t *in = &m->in;
    const bool is_half = dt_in(m->x.in.md, DT_SET(dnnl_f16) | DT_SET(dnnl_bf16));
    in->copied = true;
    in->dt = is_half && v->target != TARGET_CPU ? m->x.in.md->data_type : dnnl_f32;
    m->panel = v->target == TARGET_CPU ? VECTOR * v->geometry.nv : 0;
    in->columns = in_channels(cv) * taps_of(&m->x.p.win);
    in->column = 1;
    const int64_t padded = padded_to(in->columns, max_i64(m->panel, VECTOR));
    in->row = m->panel ? m->panel : padded * groups_of(m);
    in->group = padded; /* in panels: times the positions of a chunk */
    in->bytes = padded * groups_of(m) * (int64_t)dt_size(in->dt);
}

static void place_in(diff_product_t *m, int variant) {
    diff_weights_t *x = &m->x;
    if (is_pixel(&x->p.win) && diff_weights_is_matrix(&x->p.in, x->in.md, x->p.win.in) &&
            dt_in(x->in.md, FLOATS)) {
        place(&m->in, &x->in, &x->p.in, in_channels(&x->cv));
        m->in.bytes = m->in.columns * groups_of(m) * (int64_t)dt_size(m->in.dt);
    } else {
        place_copied(m, variant);
    }
}

static const char *reserve_columns(diff_product_t *m) {
    if (!m->in.copied) return NULL;
    const dnnl_dims_t dims = {padded_to(m->of_step, m->chunk), m->in.bytes};
    REFUSE_IF(why_not_of(
            md_init_strides(&m->copy, 2, dims, dnnl_u8, NULL), "the copied columns are too large"));
    m->in.at = operand_in_scratch(m->x.cv.p, &m->copy);
    return NULL;
}

/* The step that copies the columns of positions from `first` on. */
static const char *copy_columns(diff_product_t *m, int64_t first, int64_t rows) {
    enum { ROWS = 32, COLUMNS = 64 }; /* of a work-item; of a work-group */
    const diff_weights_t *x = &m->x;
    planner_t *p = x->cv.p;
    const int64_t padded = m->in.group, in_panels = m->panel ? m->chunk : 1;
    const cv_columns_t params = {.src = x->p.in,
            .win = x->p.win,
            .first = first,
            .rows = rows,
            .chunk = m->chunk,
            .to_chunk = m->chunk * padded * groups_of(m),
            .to_group = padded * in_panels,
            .to_panel = m->panel * m->chunk,
            .to_row = m->in.row,
            .panel = (int32_t)(m->panel ? m->panel : padded),
            .groups = (int32_t)groups_of(m),
            .channels = (int32_t)in_channels(&x->cv),
            .columns = (int32_t)m->in.columns,
            .vectors = (int32_t)(padded / VECTOR),
            .rows_of_item = ROWS};
    const int64_t items = m->panel ? padded / VECTOR : padded;
    const uint32_t beside = m->panel ? 1 : COLUMNS;
    const uint32_t size[3] = {beside, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(items * groups_of(m), beside), (uint32_t)div_up(rows, ROWS), 1};
    plan_step(p->plan, m->panel ? KERNEL_conv_columns_panels : KERNEL_conv_columns, size, count);
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)x->in.md->data_type);
    plan_spec(p->plan, SPEC_DST_DT, (uint32_t)m->in.dt);
    bind_operand(p->plan, &x->in);
    bind_operand(p->plan, &m->in.at);
    plan_const(p->plan, &params, sizeof(params));
    return NULL;
}

/* ---- the product ---- */

/* The descriptor of matrices without a format tag. */
static void set_matrix(
        md_t *md, dnnl_data_type_t dt, const dnnl_dims_t dims, const dnnl_dims_t strides) {
    memset(md, 0, sizeof(*md));
    md->ndims = NDIMS;
    md->data_type = dt;
    md->format_kind = dnnl_blocked;
    for (int d = 0; d < NDIMS; d++) {
        md->dims[d] = md->padded_dims[d] = dims[d];
        md->format_desc.blocking.strides[d] = strides[d];
    }
}

/* Moves the operand to its first element. */
static operand_t begin_at(const operand_t *at, md_t *md, int64_t element) {
    operand_t to = {md, at->slot, at->offset};
    if (at->slot < 0) to.offset += (uint64_t)dt_offset(md->data_type, element);
    else md->offset0 = element;
    return to;
}

static void set_panels(diff_product_t *m) {
    md_t *md = &m->b;
    md_blocking_t *b = &md->format_desc.blocking;
    const int k = NDIMS - 2, n = NDIMS - 1;
    b->strides[0] = m->chunk * m->in.group * groups_of(m);
    b->strides[1] = m->chunk * m->in.group;
    b->strides[n] = m->chunk * m->panel;
    b->strides[k] = m->panel;
    b->inner_nblks = 2;
    b->inner_blks[0] = 1;
    b->inner_idxs[0] = k;
    b->inner_blks[1] = (dnnl_dim_t)m->panel;
    b->inner_idxs[1] = n;
    md->padded_dims[n] = padded_to(md->dims[n], m->panel);
}

static void set_matrices(diff_product_t *m, int64_t first, int64_t chunks, int64_t k) {
    matmul_t *mm = &m->mm;
    const rows_t *in = &m->in, *out = &m->out;
    const int64_t groups = groups_of(m), rows = out->columns, columns = in->columns;
    const dnnl_dims_t a = {chunks, groups, rows, k}, b = {chunks, groups, k, columns},
                      c = {chunks, groups, rows, columns};
    set_matrix(&m->a, out->dt, a,
            (dnnl_dims_t){m->chunk * out->row, out->group, out->column, out->row});
    set_matrix(&m->b, in->dt, b, (dnnl_dims_t){m->chunk * in->row, in->group, in->row, in->column});
    set_matrix(
            &m->c, dnnl_f32, c, (dnnl_dims_t){groups * rows * columns, rows * columns, columns, 1});
    if (in->copied && m->panel) set_panels(m);
    mm->src = begin_at(&out->at, &m->a, out->start + first * out->row);
    mm->wei = begin_at(&in->at, &m->b,
            in->copied ? first % m->of_step / m->chunk * m->chunk *
                                 (in->bytes / (int64_t)dt_size(in->dt))
                       : in->start + first * in->row);
    mm->dst = begin_at(&m->x.sums, &m->c, first / m->chunk * m->x.p.elements);
    mm->m = rows;
    mm->n = columns;
    mm->k = k;
}

/* What the product reserves is free again after it. */
static const char *multiply(
        diff_product_t *m, int variant, int64_t first, int64_t chunks, int64_t k, uint64_t *most) {
    planner_t *p = &m->mm.planner;
    const uint64_t before = p->scratch;
    if (!chunks || !k) return NULL;
    set_matrices(m, first, chunks, k);
    REFUSE_IF(matmul_plan(&m->mm, variant));
    if (p->scratch > *most) *most = p->scratch;
    p->scratch = before;
    return NULL;
}

static const char *plan_steps(diff_product_t *m, int variant) {
    uint64_t most = m->mm.planner.scratch;
    for (int64_t first = 0; first < m->positions; first += m->of_step) {
        const int64_t rows = min_i64(m->of_step, m->positions - first), chunks = rows / m->chunk;
        if (m->in.copied) REFUSE_IF(copy_columns(m, first, rows));
        REFUSE_IF(multiply(m, variant, first, chunks, m->chunk, &most));
        REFUSE_IF(multiply(m, variant, first + chunks * m->chunk, 1, rows % m->chunk, &most));
    }
    m->mm.planner.scratch = most;
    return NULL;
}

static const char *plan_product(planner_t *p, int variant) {
    diff_product_t *m = (diff_product_t *)p;
    diff_weights_t *x = &m->x;
    REFUSE_IF(check(p, variant));
    REFUSE_IF(diff_weights_init(x, p));
    x->rows_of_out = true;
    m->in.copied = false;
    m->positions = x->p.rows * x->p.win.out[2];
    if (m->positions > INT32_MAX) return "windows have 2^31 or more positions";
    REFUSE_IF(place_out(m));
    place_in(m, variant);
    set_chunks(m, variant);
    REFUSE_IF(reserve_columns(m));
    REFUSE_IF(diff_weights_place_sums(x, dnnl_f32));
    REFUSE_IF(plan_steps(m, variant));
    return diff_weights_finish(x);
}

dnnl_status_t diff_weights_choose(pd_t *pd, const caps_t *caps) {
    static const plan_family_t families[] = {{"matmul", plan_product}, {"conv_diff_weights", NULL}};
    diff_product_t m;
    memset(&m, 0, sizeof(m));
    m.mm.planner = planner_of(pd, caps);
    m.mm.ndims = NDIMS;
    epilogue_init(&m.mm.epilogue);
    TRY(plan_best_family(&m.mm.planner, pd, families, ARRAY_LEN(families)));
    const variant_t *variant = &variants[pd->variant];
    const bool direct = !strcmp(variant->family, families[1].name);
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:%s", target_name(variant),
            direct ? variant->entry : families[0].name);
    return planner_finish(&m.mm.planner, pd);
}
