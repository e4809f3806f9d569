/* SPDX-License-Identifier: Apache-2.0 */
/* What the pointwise steps of both directions of propagation share. */
#include "core/status.h"
#include "core/util.h"
#include "ops/rnn/rnn.h"
#include "plan/device.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

/* Vectors that are worth a work-item on a CPU, and work-items for each of its threads. */
enum { FEW_VECTORS = 16, ITEMS_PER_THREAD = 4 };
enum { LANES = 16 }; /* channels of a panel */
/* Time steps from which on copying the weights pays. */
enum { FEW_STEPS = 4 };
/* Weights that stay in the caches of each core. */
enum { CACHED_WEIGHTS = 1 << 16 };
/* Products for each hardware thread of a GPU that the portable step computes in the time of a
 * launch, by a count of instructions. */
enum { PRODUCTS_PER_LAUNCH = 1 << 12 };
/* On matrix units, channels of a row begin with lines of so many bytes; and the most rows for which
 * low tiles fill a device. */
enum { UNIT_LINE = 64, FEW_ROWS = 64 };

static bool is_cpu(const rnn_t *r) {
    return variants[r->variant].target == TARGET_CPU;
}

/* The gates of a product of the state, or the channels of a projection. */
static int64_t channels_of(const rnn_t *r, int part) {
    return part == RNN_PROJECTION ? r->dic : r->dhc;
}

/* Do sub-groups of 16 lanes multiply in the step, in parts along k? */
static bool has_parts(const rnn_t *r) {
    return r->is_fused && variants[r->variant].geometry.mt > 0;
}

/* On matrix units? */
static bool has_units(const rnn_t *r) {
    return r->is_fused && variants[r->variant].target == TARGET_XMX16;
}

static uint32_t flags_of(const rnn_t *r, int part) {
    if (part == RNN_PROJECTION)
        return (r->is_int8 ? RNN_INT8 : 0) | (r->projection_scales.dt ? RNN_SCALES : 0);
    return (r->has_bias ? RNN_BIAS : 0) | (r->has_peephole ? RNN_PEEPHOLE : 0) |
           (r->has_attention ? RNN_ATTENTION : 0) | (r->is_training ? RNN_SAVES : 0) |
           (r->is_int8 ? RNN_INT8 : 0) | (r->scales.dt ? RNN_SCALES : 0);
}

/* ---- the variant ---- */

static bool is_in_panels(const rnn_t *r, int arg) {
    matrix_view_t v;
    if (r->is_backward) return rnn_weights_transposed(r, arg, 0, 0, &v);
    return rnn_weights(r, arg, 0, 0, &v) && v.panel;
}

/* Can a time step have more than two launches unless it multiplies itself? */
static bool has_many_launches(rnn_t *r) {
    return r->is_gru || r->has_projection || !rnn_multiplies_at_once(r);
}

/* The portable step saves launches. Few rows read the weights once with it, as in tiles; for more
 * it pays while its arithmetic is short. Tiles of matrix units save half of it. */
static const char *check_time(rnn_t *r) {
    const int worth = r->dt == dnnl_f32 ? 2 : 1;
    const caps_t *caps = r->mm.planner.caps;
    const int64_t slots = has_small_registers(caps) ? 2 : 1,
                  products = r->batch * r->gates * r->dhc * r->sic;
    if (products * slots <= groups_wanted(caps, PRODUCTS_PER_LAUNCH * worth)) return NULL;
    if (has_many_launches(r)) return NULL;
    return "products are faster in tiles";
}

static const char *check_rows(rnn_t *r) {
    return r->batch <= RNN_ROWS ? NULL : check_time(r);
}

static const char *check_units(const rnn_t *r) {
    const bool ints = variants[r->variant].geometry.ints;
    const int64_t line = UNIT_LINE / (int64_t)dt_size(r->weights_dt);
    if (ints != r->is_int8) return "the matrix units multiply other types";
    if (!ints && r->dt != dnnl_f16 && r->dt != dnnl_bf16)
        return "a step on matrix units supports f16 and bf16";
    if (!ints && r->weights_dt != r->dt) return "source and weights have different types";
    if ((r->is_gru || r->has_projection || r->is_backward ? r->dhc % line : r->dhc % LANES) ||
            r->sic % line || r->dic % line || r->pitch % line)
        return "block loads do not support the numbers of channels";
    return NULL;
}

enum { MOST_SMALL = 128 }; /* registers of a thread without the large file */

/* Half as large registers do not hold the sums of 8 rows for three gates or four, nor those of
 * GRU's two beside what several time steps keep. */
static bool has_few_registers(const rnn_t *r) {
    const caps_t *caps = r->mm.planner.caps;
    const bool walks = r->walker >= 0;
    /* Backward a sub-group has the sums of one gate. */
    if (r->is_backward) return walks && r->gates > 1 && caps->max_registers <= MOST_SMALL;
    return has_small_registers(caps) && (walks ? r->gates > 1 : !r->is_gru && r->gates > 2);
}

/* Has a test forced the variant? */
static bool is_forced(const rnn_t *r) {
    return variant_is_forced(r->mm.planner.pd, r->walker >= 0 ? r->walker : r->variant);
}

/* The sub-groups of a work-group that has all channels of its rows, and of its teams, which have 16
 * channels each and one part of k for each row at most. */
static int64_t walk_groups(const rnn_t *r) {
    const int64_t teams = min_i64(div_up(r->dhc, LANES), RNN_TEAMS);
    return teams * min_i64(RNN_TEAMS / teams, variants[r->variant].geometry.mt);
}

/* All but the first step of forward propagation; of those of backward propagation, which begins
 * with the last one, the first if it has a state before it. */
int64_t rnn_walk_steps(const rnn_t *r) {
    return r->steps - (r->is_backward && !r->has_state ? 2 : 1);
}

int64_t rnn_walk_parts(const rnn_t *r) {
    return has_parts(r) ? walk_groups(r) / min_i64(div_up(r->dhc, LANES), RNN_TEAMS) : 1;
}

/* A work-group computes its rows on one core, and saves a launch for each step. Half of the launch
 * is left for what the count of instructions does not have: waiting for memory and barriers. */
static const char *check_walk(const rnn_t *r) {
    /* Vector engines of a core, bytes of weights in a clock, and clocks of half a launch. unit:
     * products of a matrix unit in a clock. loop: slots for a product of 16 lanes. */
    enum { ENGINES = 8, LINE = 64, MOST = 5000 };
    const caps_t *caps = r->mm.planner.caps;
    const int64_t rows = variants[r->variant].geometry.mt, macs = r->gates * r->dhc * r->sic,
                  bytes = macs * (int64_t)dt_size(r->weights_dt), unit = r->is_int8 ? 256 : 128,
                  loop = r->is_backward ? 4 : 3,
                  slots = has_units(r) ? macs * rows / (unit * ENGINES)
                                       : loop * macs * rows / (LANES * ENGINES),
                  cores = max_i64(
                          caps->compute_units / (ENGINES * max_i64(caps->threads_per_eu, 1)), 1),
                  turns = div_up(div_up(r->batch, rows), cores);
    if (r->steps < FEW_STEPS) return "there are few time steps";
    return turns * max_i64(slots * (has_small_registers(caps) ? 2 : 1), bytes / LINE) > MOST
                   ? "one core computes longer than a launch takes"
                   : NULL;
}

/* Steps on sub-groups read the weights once for the rows of a tile. */
static const char *check_parts(rnn_t *r) {
    const planner_t *p = &r->mm.planner;
    const int rows = variants[r->variant].geometry.mt;
    const bool is_small = dt_size(r->dt) < dt_size(dnnl_f32);
    if (has_units(r)) REFUSE_IF(check_units(r));
    if (p->caps->max_group_size <
            LANES * (r->walker >= 0 ? walk_groups(r) : (int64_t)RNN_PARTS_OF(rows)))
        return "the device has small work-groups";
    /* Where there is a large register file, a forced variant takes it. */
    if (!has_units(r) && has_few_registers(r) &&
            (p->caps->max_registers <= MOST_SMALL || !is_forced(r)))
        return "the registers do not hold the sums of so many rows and gates";
    if (is_forced(r)) return NULL;
    if (r->walker >= 0) return check_walk(r);
    if (r->batch <= RNN_ROWS) return "the portable step is as fast for so few rows";
    if (has_units(r) && rows <= LANES && r->batch > FEW_ROWS)
        return "so many rows are faster in higher tiles";
    if (!has_units(r) && is_small && p->caps->matrix_subgroup) return check_time(r);
    return NULL;
}

/* On CPUs each thread reads all weights at all steps, so that they have to be in the nearest
 * caches. */
static const char *check_steps(const rnn_t *r) {
    if (r->has_projection) return "a step has the product of a projection, too";
    if (rnn_walk_steps(r) < 1) return "there are few time steps";
    if (!is_cpu(r) || is_forced(r)) return NULL;
    return r->gates * r->dhc * r->sic > CACHED_WEIGHTS ? "the weights leave the caches" : NULL;
}

/* Of several steps in one launch, and of those beside them. */
static const struct {
    int walker, step;
} walkers[] = {{KERNEL_rnn_steps_cpu, KERNEL_rnn_step_cpu},
        {KERNEL_rnn_steps_sg16, KERNEL_rnn_step_sg16},
        {KERNEL_rnn_steps_xmx16_f8, KERNEL_rnn_step_xmx16_f8},
        {KERNEL_rnn_steps_xmx16_i8, KERNEL_rnn_step_xmx16_i8},
        {KERNEL_rnn_steps_backward_cpu, KERNEL_rnn_step_backward_cpu},
        {KERNEL_rnn_steps_backward_sg16, KERNEL_rnn_step_backward_sg16},
        {KERNEL_rnn_steps_backward_xmx16_f8, KERNEL_rnn_step_backward_xmx16_f8}};

const char *rnn_set_variant(rnn_t *r, int variant, int weights) {
    const planner_t *p = &r->mm.planner;
    r->variant = variant;
    r->is_fused = variants[variant].geometry.mr > 0;
    r->walker = -1;
    if (!r->is_fused) return NULL;
    for (size_t i = 0; i < sizeof(walkers) / sizeof(walkers[0]); i++) {
        if (walkers[i].walker != variant) continue;
        r->walker = variant;
        r->variant = walkers[i].step;
        REFUSE_IF(check_steps(r));
    }
    if (has_parts(r)) return check_parts(r);
    if (!is_cpu(r) && p->caps->max_group_size < RNN_GROUP * RNN_PARTS)
        return "the device has small work-groups";
    if (variant_is_forced(p->pd, variant)) return NULL;
    if (!is_cpu(r)) return check_rows(r);
    if (r->steps >= FEW_STEPS) return NULL;
    if (is_in_panels(r, weights) || has_many_launches(r)) return NULL;
    return "copying the weights is slow for so few time steps";
}

/* ---- a step ---- */

static int64_t vectors_of(const rnn_t *r, int part) {
    return div_up(channels_of(r, part), max_i64(variants[r->variant].geometry.vw, 1));
}

/* Rows of a work-group on a CPU: all that its registers' tiles share weights for, while every
 * thread has work. */
static int64_t block_of(const rnn_t *r, int part) {
    if (r->walks)
        return min_i64(RNN_CPU_ROWS, div_up(r->batch, groups_wanted(r->mm.planner.caps, 1)));
    const int64_t tile = variants[r->variant].geometry.mr,
                  wanted = groups_wanted(r->mm.planner.caps, ITEMS_PER_THREAD),
                  blocks = max_i64(1, wanted / max_i64(1, 2 * vectors_of(r, part)));
    return min_i64(RNN_CPU_ROWS, max_i64(tile, div_up(r->batch, blocks)));
}

static int64_t rows_of_group(const rnn_t *r, int part) {
    if (!r->is_fused) return 1;
    if (has_parts(r)) return variants[r->variant].geometry.mt;
    return is_cpu(r) ? block_of(r, part) : RNN_ROWS;
}

/* Of a work-group of sub-groups, as the kernel counts them. */
static uint32_t channel_groups(const rnn_t *r, rnn_part_t part) {
    const int rows = variants[r->variant].geometry.mt;
    const int64_t gates = r->is_backward || part == RNN_PROJECTION ? 1
                          : !r->is_gru                             ? r->gates
                          : part == RNN_FIRST                      ? 2
                                                                   : 1;
    return (uint32_t)RNN_CHANNEL_GROUPS(rows, gates);
}

void rnn_begin_cell(rnn_t *r, rnn_part_t part, rnn_cell_t *params) {
    const planner_t *p = &r->mm.planner;
    const int64_t vectors = vectors_of(r, part), below = div_up(r->batch, rows_of_group(r, part)),
                  fair = vectors * below / groups_wanted(p->caps, ITEMS_PER_THREAD);
    const int64_t few = r->is_fused ? 1 : FEW_VECTORS,
                  several = is_cpu(r) ? min_i64(vectors, max_i64(fair, few)) : 1,
                  each = r->walks ? vectors : several;
    const int rows = variants[r->variant].geometry.mt;
    const uint32_t beside = is_cpu(r) ? 1 : RNN_GROUP,
                   along = !has_parts(r) ? 1
                           : r->walks    ? (uint32_t)walk_groups(r)
                                         : RNN_PARTS_OF(rows),
                   deep = r->is_fused && !is_cpu(r) && !has_parts(r) ? RNN_PARTS : 1,
                   channels = has_parts(r) && !r->walks ? beside * channel_groups(r, part) : beside;
    params->rows = (int32_t)r->batch;
    params->channels = (int32_t)channels_of(r, part);
    params->vectors = (int32_t)each;
    params->gates = part == RNN_PROJECTION ? r->dic : r->gates * r->dhc;
    params->h_prev = r->pitch;
    params->alpha = p->pd->params.alpha;
    plan_step(p->plan, r->walks ? r->walker : r->variant, (uint32_t[3]){beside * along, deep, 1},
            (uint32_t[3]){(uint32_t)div_up(div_up(vectors, each), channels), (uint32_t)below, 1});
    plan_spec(p->plan, SPEC_RNN_CELL,
            (uint32_t)(part == RNN_PROJECTION ? RNN_CELL_PROJECT : r->cell));
    plan_spec(p->plan, SPEC_RNN_PART, part == RNN_SECOND);
    plan_spec(p->plan, SPEC_RNN_FLAGS,
            flags_of(r, part) | (p->caps->is_emulated && has_parts(r) ? RNN_UNIFORM : 0));
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)r->dt);
    if (r->is_fused && !is_cpu(r)) plan_spec(p->plan, SPEC_RNN_WEIGHTS_DT, (uint32_t)r->weights_dt);
}

/* ---- products ---- */

/* A copy in panels of floats. Lanes without a channel are zero. */
static const char *copy_to_panels(
        rnn_t *r, const matrix_view_t *from, int64_t gates, int64_t channels, rnn_factors_t *to) {
    const int64_t panels = div_up(channels, LANES);
    const rnn_array_t array = rnn_reserve(r, gates * panels * LANES * from->rows, dnnl_f32);
    matrix_view_t source = *from;
    source.outer = gates;
    source.columns = channels;
    source.matrix = channels * from->column;
    to->at = (matrix_view_t){.slot = -1,
            .offset = array.offset,
            .dt = dnnl_f32,
            .outer = gates,
            .rows = from->rows,
            .columns = channels,
            .matrix = panels * LANES * from->rows,
            .row = LANES,
            .column = 1,
            .panel = from->rows * LANES};
    return rnn_copy(r, &source, &to->at, false);
}

static const char *copy_to_rows(rnn_t *r, const matrix_view_t *from, matrix_view_t *to) {
    const rnn_array_t array = rnn_reserve(r, from->rows * from->columns, from->dt);
    *to = *from;
    to->slot = -1;
    to->offset = array.offset;
    to->row = from->columns;
    to->column = 1;
    to->panel = 0;
    return rnn_copy(r, from, to, false);
}

const char *rnn_factors(
        rnn_t *r, const matrix_view_t *weights, int64_t gates, rnn_factors_t *factors) {
    const int64_t channels = weights->columns / gates;
    const int64_t line = UNIT_LINE / (int64_t)dt_size(weights->dt);
    const bool is_surface = weights->column == 1 && weights->row % line == 0 &&
                            weights->row >= weights->columns,
               is_slow = weights->panel || (weights->column != 1 && r->steps >= FEW_STEPS) ||
                         (has_units(r) && !is_surface);
    factors->at = *weights;
    if (is_cpu(r) && (!weights->panel || weights->row != LANES))
        REFUSE_IF(copy_to_panels(r, weights, gates, channels, factors));
    if (!is_cpu(r) && is_slow) REFUSE_IF(copy_to_rows(r, weights, &factors->at));
    const matrix_view_t *at = &factors->at;
    factors->k = at->row;
    factors->vector = at->panel ? at->panel : at->column;
    factors->gate = at->panel ? div_up(channels, LANES) * at->panel : channels * at->column;
    return NULL;
}

void rnn_bind_product(rnn_t *r, const matrix_view_t *a, const rnn_factors_t *u, int64_t k0) {
    matrix_view_t weights = u->at;
    if (a) weights.offset += dt_offset(weights.dt, k0 * u->k);
    bind_view(r->mm.planner.plan, a);
    bind_view(r->mm.planner.plan, a ? &weights : NULL);
}

void rnn_bind_factor(rnn_t *r, int part, const matrix_view_t *a, const rnn_factors_t *u) {
    const rnn_factor_t f = {.k = a ? (int32_t)a->columns : 0,
            .block = (int32_t)block_of(r, part),
            .a_row = a ? a->row : 0,
            .u_k = u->k,
            .u_gate = u->gate,
            .u_vector = u->vector};
    plan_const(r->mm.planner.plan, &f, sizeof(f));
}
