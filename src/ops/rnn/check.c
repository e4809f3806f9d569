/* SPDX-License-Identifier: Apache-2.0 */
/* Types, layouts and attributes of recurrent networks. The constructor has checked the
 * dimensions. */
#include <math.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/rnn/rnn.h"
#include "plan/type_rules.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "rnn", __VA_ARGS__)

/* ---- types ---- */

/* The types that a tensor may have beside an input of floats, and of integers; 0: it must not be
 * there. */
enum { SAME = 1, F32 = 2, S8 = 4 };
typedef struct {
    int arg;
    unsigned floats, ints; /* SAME (as the input), F32, S8 */
} rnn_type_rule_t;

static const rnn_type_rule_t rules[] = {
        {DNNL_ARG_SRC_ITER, SAME, SAME | F32},
        {DNNL_ARG_SRC_ITER_C, SAME | F32, F32},
        {DNNL_ARG_AUGRU_ATTENTION, SAME, 0},
        {DNNL_ARG_WEIGHTS_PEEPHOLE, F32, 0},
        {DNNL_ARG_WEIGHTS_PROJECTION, SAME, S8},
        {DNNL_ARG_BIAS, SAME | F32, F32},
        {DNNL_ARG_DST_LAYER, SAME, SAME | F32},
        {DNNL_ARG_DST_ITER, SAME, SAME | F32},
        {DNNL_ARG_DST_ITER_C, SAME | F32, F32},
};

static bool is_allowed(const md_t *md, dnnl_data_type_t input, unsigned allowed) {
    return (allowed & SAME && md->data_type == input) ||
           (allowed & F32 && md->data_type == dnnl_f32) ||
           (allowed & S8 && md->data_type == dnnl_s8);
}

static dnnl_status_t check_weights(const pd_t *pd, bool is_int) {
    const dnnl_data_type_t input = pd_md(pd, DNNL_ARG_SRC_LAYER)->data_type,
                           wanted = is_int ? dnnl_s8 : input;
    if (pd_md(pd, DNNL_ARG_WEIGHTS_LAYER)->data_type != wanted ||
            pd_md(pd, DNNL_ARG_WEIGHTS_ITER)->data_type != wanted)
        return REFUSE("weights do not have the type that goes with the type of src_layer");
    return dnnl_success;
}

static dnnl_status_t check_types(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC_LAYER);
    const bool is_int = dt_in(src, BYTES);
    if (!is_int && !dt_in(src, FLOATS)) return REFUSE("src_layer has a type that is not supported");
    TRY(check_weights(pd, is_int));
    for (int i = 0; i < ARRAY_LEN(rules); i++) {
        const md_t *md = pd_md(pd, rules[i].arg);
        const unsigned allowed = is_int ? rules[i].ints : rules[i].floats;
        if (!md_is_zero(md) && !is_allowed(md, src->data_type, allowed))
            return REFUSE(
                    "argument %d has a type that does not go with that of src_layer", rules[i].arg);
    }
    for (int i = 0; i < pd->nargs; i++)
        if (pd->args[i].arg >= DNNL_ARG_DIFF_SRC_LAYER && pd->args[i].md.data_type != dnnl_f32)
            return REFUSE("a gradient is not f32");
    return dnnl_success;
}

/* Scales are one, or one for each position of the dimensions in `each`. */
static dnnl_status_t check_scales(const attr_rnn_scales_t *scales, int each, int64_t count) {
    if (!scales->set) return dnnl_success;
    if (scales->mask != 0 && scales->mask != each)
        return REFUSE("the mask of the scales of weights is %d", scales->mask);
    if (scales->count != (scales->mask ? count : 1))
        return verbose_check(dnnl_invalid_arguments, "rnn",
                "there are %lld scales of weights, and the mask names %lld",
                (long long)scales->count, (long long)(scales->mask ? count : 1));
    for (int64_t i = 0; i < scales->count; i++)
        if (isnan(scales->scales[i])) return REFUSE("a scale of weights is known at run time only");
    return dnnl_success;
}

static dnnl_status_t check_qparams(const pd_t *pd) {
    enum { GATES = 1 << 3, CHANNELS = 1 << 4, PROJECTED = 1 << 3 };
    const attr_t *attr = &pd->attr;
    const md_t *u = pd_md(pd, DNNL_ARG_WEIGHTS_ITER),
               *projection = pd_md(pd, DNNL_ARG_WEIGHTS_PROJECTION);
    if (isnan(attr->rnn_data_scale) || isnan(attr->rnn_data_shift))
        return REFUSE("scale or shift of the data are known at run time only");
    TRY(check_scales(&attr->rnn_weights, GATES | CHANNELS, u->dims[3] * u->dims[4]));
    if (!attr->rnn_projection.set) return dnnl_success;
    if (md_is_zero(projection)) return REFUSE("there are scales of a projection, but none of it");
    return check_scales(&attr->rnn_projection, PROJECTED, projection->dims[3]);
}

static dnnl_status_t check_int8(const pd_t *pd) {
    const int kind = pd->params.cell_kind;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC_LAYER);
    if (!dt_in(src, BYTES)) return dnnl_success;
    if (kind != dnnl_vanilla_lstm && kind != dnnl_vanilla_gru)
        return REFUSE("only LSTM and GRU support 8-bit integers");
    if (pd->params.prop_kind != dnnl_forward_inference)
        return REFUSE("8-bit integers are for inference only");
    if (src->data_type == dnnl_s8 && pd->attr.rnn_data_shift != 0)
        return REFUSE("the data are s8 and have a shift");
    return check_qparams(pd);
}

/* ---- layouts ---- */

static bool is_contiguous(const md_t *md, int dim) {
    return md->dims[dim] == 1 || md->format_desc.blocking.strides[dim] == 1;
}

/* Vectors of channels are contiguous, and what is written is without blocks. */
static dnnl_status_t check_layouts(const pd_t *pd) {
    static const int vectors[] = {DNNL_ARG_BIAS, DNNL_ARG_WEIGHTS_PEEPHOLE, DNNL_ARG_DIFF_DST_LAYER,
            DNNL_ARG_DIFF_DST_ITER, DNNL_ARG_DIFF_DST_ITER_C};
    for (int i = 0; i < pd->nargs; i++) {
        const int arg = pd->args[i].arg;
        const bool is_weights = arg == DNNL_ARG_WEIGHTS_LAYER || arg == DNNL_ARG_WEIGHTS_ITER ||
                                arg == DNNL_ARG_WEIGHTS_PROJECTION;
        const md_t *md = &pd->args[i].md;
        if (!md_is_blocked(md) || (!is_weights && !md_is_plain(md)))
            return REFUSE("argument %d has blocks", arg);
        if (md->extra.flags) return REFUSE("argument %d has a compensation", arg);
    }
    for (int i = 0; i < ARRAY_LEN(vectors); i++) {
        const md_t *md = pd_md(pd, vectors[i]);
        if (!md_is_zero(md) && !is_contiguous(md, md->ndims - 1))
            return REFUSE("channels of argument %d are not contiguous", vectors[i]);
    }
    return dnnl_success;
}

dnnl_status_t rnn_check_support(const pd_t *pd) {
    TRY(check_types(pd));
    TRY(check_int8(pd));
    const bool is_int = dt_in(pd_md(pd, DNNL_ARG_SRC_LAYER), BYTES);
    TRY(attr_check(pd, is_int ? ATTR_RNN : 0, 0, NULL));
    if (pd->attr.rnn_tparams_mode) return REFUSE("the attributes have scales of a test mode");
    return dnnl_success;
}

/* Columns of the panels in which a CPU reads weights fastest; 0: they are to be plain. Products of
 * few rows read plain weights as fast. */
static int panel_width(const pd_t *pd, const caps_t *caps, int arg) {
    enum { FEW_ROWS = 8 };
    const bool is_backward = pd->params.prop_kind == dnnl_backward,
               is_state = arg == DNNL_ARG_WEIGHTS_ITER;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC_LAYER), *md = pd_md(pd, arg);
    const int width = is_state || caps->simd_width < 16 ? 16 : 32;
    if (!caps->is_cpu || pd->impl_index > 0 || md->data_type != dnnl_f32) return 0;
    if (!is_state && src->dims[0] * src->dims[1] <= FEW_ROWS) return 0;
    return md->dims[is_backward ? 2 : 4] % width ? 0 : width;
}

/* Panels of channels or, for the transposed weights, of inputs. */
static dnnl_status_t set_panels(md_t *md, bool is_backward, int width) {
    md_t like = *md;
    TRY(md_set_tag(&like, is_backward ? dnnl_abCde32c : dnnl_abdEc32e));
    like.format_desc.blocking.inner_blks[0] = width;
    return md_set_like(md, &like);
}

/* Backward propagation multiplies by the transposed weights. Gradients have the layout in which
 * oneDNN's programs expect them. */
static dnnl_status_t resolve(pd_t *pd, const caps_t *caps, int slot) {
    const bool is_backward = pd->params.prop_kind == dnnl_backward;
    const int arg = pd->args[slot].arg;
    md_t *md = &pd->args[slot].md;
    if (!md_is_any(md)) return dnnl_success;
    if (arg == DNNL_ARG_WEIGHTS_LAYER || arg == DNNL_ARG_WEIGHTS_ITER) {
        const int width = panel_width(pd, caps, arg);
        if (width) return set_panels(md, is_backward, width);
        if (is_backward) return md_set_tag(md, dnnl_ldgoi);
    }
    if (is_backward && arg == DNNL_ARG_WEIGHTS_PROJECTION) return md_set_tag(md, dnnl_ldoi);
    return md_set_plain(md);
}

dnnl_status_t rnn_resolve_any(pd_t *pd, const caps_t *caps) {
    for (int i = 0; i < pd->nargs; i++) TRY(resolve(pd, caps, i));
    return check_layouts(pd);
}
