/* SPDX-License-Identifier: Apache-2.0 */
/* Primitive attributes and post-ops. They are stored and validated here; plan/attributes.c turns
 * them into parameters of kernels. */
#ifndef CORE_ATTR_H
#define CORE_ATTR_H

#include "core/memory_desc.h"
#include "oneapi/dnnl/dnnl_types.h"

enum { POST_OPS_MAX = 32 };

typedef struct {
    dnnl_primitive_kind_t kind; /* eltwise, sum, convolution (depthwise), binary, prelu */
    union {
        struct {
            dnnl_alg_kind_t alg;
            float scale, alpha, beta;
        } eltwise;
        struct {
            float scale;
            int32_t zero_point;
            dnnl_data_type_t dt; /* undef: the destination's */
        } sum;
        struct {
            dnnl_data_type_t wei_dt, bias_dt, dst_dt;
            dnnl_dim_t kernel, stride, padding;
        } depthwise;
        struct {
            dnnl_alg_kind_t alg;
            md_t src1, src2; /* as the caller gave them; src2 for select only */
        } binary;
        struct {
            int mask;
        } prelu;
    };
} post_op_t;

struct dnnl_post_ops {
    int len;
    int cap;
    post_op_t *entry;
};

/* Scales, zero points or precomputed reductions of one argument. */
typedef struct {
    int arg; /* DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_MULTIPLE_SRC + i, ... */
    int mask;
    dnnl_data_type_t dt;
    int group_ndims;
    dnnl_dims_t group_dims;
    bool on_host; /* the value comes in a host scalar memory object */
    dnnl_quantization_mode_t qmode;
} quant_t;

typedef struct {
    int len;
    int cap;
    quant_t *entry; /* sorted by arg */
} quant_map_t;

/* Scales whose values are part of the attributes (recurrent networks). */
typedef struct {
    bool set;
    int mask;
    dnnl_dim_t count;
    float *scales;
} attr_rnn_scales_t;

/* What tests, and executions with any_address, ask of planning. No public function sets it. */
typedef struct {
    int forced_variant; /* where the variant's family is asked for: this one or none; -1: no wish */
    int64_t forced_splits; /* of a long sum; 0: as the cost rules say */
    int64_t max_loop;      /* longer loops of elementwise steps are split; 0: as kernels need it */
    int64_t loop_piece;    /* elements of the inner loop then */
    bool any_address;      /* kernels expect no alignment of buffers beyond that of an element */
} plan_hints_t;
#define NO_PLAN_HINTS ((plan_hints_t){.forced_variant = -1})

struct dnnl_primitive_attr {
    dnnl_scratchpad_mode_t scratchpad_mode;
    dnnl_fpmath_mode_t fpmath_mode;
    bool fpmath_apply_to_int;
    dnnl_accumulation_mode_t acc_mode;
    bool deterministic;
    quant_map_t scales, zero_points, precomputed_reductions;
    struct {
        int arg;
        dnnl_rounding_mode_t mode;
    } rounding[8]; /* arg 0: free */
    struct {
        bool set;
        md_t mask_md;
        dnnl_data_type_t seed_dt;
        bool use_offset, use_host_scalars;
    } dropout;
    struct dnnl_post_ops post_ops;
    /* rnn */
    float rnn_data_scale, rnn_data_shift;
    bool rnn_data_set;
    attr_rnn_scales_t rnn_weights, rnn_projection, rnn_tparams_scales;
    bool rnn_tparams_mode;
    float rnn_tparams_cscale;
    plan_hints_t hints; /* compared and hashed as a part of the request */
};
typedef struct dnnl_primitive_attr attr_t;

dnnl_status_t attr_copy(attr_t *dst, const attr_t *src); /* dst is raw memory */
void attr_fini(attr_t *attr);                            /* frees what attr owns, not attr */
void attr_init(attr_t *attr);                            /* documented defaults */
/* Attributes with the values of attr_init(), in `storage` or in static memory. They must not be
 * given to attr_fini(). */
const attr_t *attr_default(attr_t *storage);
bool attr_equal(const attr_t *a, const attr_t *b);
uint64_t attr_hash(const attr_t *attr, uint64_t seed);
int attr_format(const attr_t *attr, char *buf, size_t size); /* verbose form, like snprintf */

const quant_t *quant_find(const quant_map_t *map, int arg); /* NULL: not set */
/* Adds q or replaces the entry of its argument; out of memory is the only failure. */
dnnl_status_t quant_set(quant_map_t *map, const quant_t *q);
dnnl_status_t post_ops_copy(
        struct dnnl_post_ops *dst, const struct dnnl_post_ops *src); /* dst is raw memory */
/* A cleared entry at the end; NULL: out of memory. The caller checks POST_OPS_MAX. */
post_op_t *post_ops_append(struct dnnl_post_ops *post_ops);
dnnl_rounding_mode_t attr_rounding_mode(const attr_t *attr, int arg);
void attr_set_rounding_mode(
        attr_t *attr, int arg, dnnl_rounding_mode_t mode); /* for at most 8 arguments */

/* The math mode of new attributes: ONEDNN_DEFAULT_FPMATH_MODE or dnnl_set_default_fpmath_mode(). */
dnnl_fpmath_mode_t attr_default_fpmath_mode(void);
dnnl_status_t attr_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/* The groups of attributes that a primitive must not ignore: one bit for each that is not at its
 * default. */
enum {
    ATTR_SCALES = 1 << 0,
    ATTR_ZERO_POINTS = 1 << 1,
    ATTR_POST_OPS = 1 << 2,
    ATTR_PRECOMPUTED = 1 << 3,
    ATTR_ROUNDING = 1 << 4,
    ATTR_DROPOUT = 1 << 5,
    ATTR_RNN = 1 << 6,
    ATTR_GROUPS = 1 << 7, /* any scale or zero point with groups */
    ATTR_QMODE = 1 << 8,  /* a dynamic quantisation mode */
};
/* The modes of fpmath, accumulation, determinism and scratchpad are hints: no primitive has to
 * refuse them, so they have no bit here. */
unsigned attr_nondefault(const attr_t *attr);

#endif
