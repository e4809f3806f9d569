/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of an operation besides its tensors and attributes. */
#ifndef CORE_OP_PARAMS_H
#define CORE_OP_PARAMS_H

#include "oneapi/dnnl/dnnl_types.h"

/* Each kind of primitive uses what it needs and leaves the rest zero: the whole is hashed and
 * compared by its bytes. What stands in one union has one type and is one number under the names
 * that kinds have for it. */
typedef struct {
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    union {
        unsigned flags;     /* normalizations and recurrent networks: their flags of dnnl_types.h */
        unsigned attn_mask; /* attention: dnnl_ze_attn_mask_t */
    };
    union {
        float alpha; /* eltwise, LRN, recurrent networks */
        float p;     /* reduction */
    };
    union {
        float beta; /* eltwise, LRN, recurrent networks */
        float eps;  /* reduction */
    };
    float k;       /* LRN */
    float epsilon; /* normalizations */
    int axis;      /* softmax, shuffle, concat */
    union {
        int64_t group_size; /* shuffle */
        int64_t groups;     /* group normalization: how many */
        int64_t local_size; /* LRN: channels or positions that are summed */
        int64_t kv_heads;   /* attention: heads of keys and values */
    };
    union {
        int direction;    /* recurrent networks: dnnl_rnn_direction_t */
        int invert_scale; /* attention: 1 to divide by the scale */
    };
    int cell_kind, activation_kind; /* recurrent networks */
    union {
        dnnl_data_type_t scale_shift_dt; /* layer normalization */
        dnnl_data_type_t weight_dt;      /* attention: what weights are rounded to */
    };
    dnnl_data_type_t diff_scale_shift_dt; /* layer normalization */
    /* From here on: convolution, deconvolution, pooling and resampling. Others do not hash it. */
    dnnl_dims_t strides, dilates, padding[2], kernel;
    float factors[DNNL_MAX_NDIMS];
} op_params_t;

#endif
