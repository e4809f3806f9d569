/* SPDX-License-Identifier: Apache-2.0 */
/* The portable matrix product: any types and strides, one element of the result per work-item. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

static inline acc_t scale_of(gcptr_t ptr, const mm_quant_t *q, int ndims, const int *pos) {
    return load_1(ptr, quant_at(q, ndims, pos), q->dt);
}

static inline int zero_of(gcptr_t ptr, int host, const mm_quant_t *q, int ndims, const int *pos) {
    return ptr ? load_int(ptr, quant_at(q, ndims, pos), q->dt) : host;
}

__kernel void matmul_any(gcptr_t a, gcptr_t b, gptr_t c, const mm_any_t p, gcptr_t sa, gcptr_t sb,
        gcptr_t za_ptr, int za, gcptr_t zb_ptr, int zb, PO_ARGS) {
    const int nd = p.ndims;
    const int col = get_global_id(0);
    if (col >= AT(p.dims, MM_DIMS, nd - 1, )) return;
    int pos[PAR_MAX_DIMS], a_pos[MM_DIMS], b_pos[MM_DIMS];
    po_ctx_t ctx = PO_CTX;

    pos[nd - 2] = get_global_id(1);
    pos[nd - 1] = col;
    batch_position(pos, get_global_id(2), p.dims, nd);
    long a_at = 0, b_at = 0, c_at = 0;
    EACH (d, nd, MM_DIMS) {
        a_at += pos[d] * p.a_stride[d];
        b_at += pos[d] * p.b_stride[d];
        c_at += pos[d] * p.c_stride[d];
        a_pos[d] = b_pos[d] = pos[d];
    }

    acc_t x = 0;
    int sum = 0;
    for (int k = 0; k < p.k; k++, a_at += p.a_k, b_at += p.b_k) {
        a_pos[nd - 1] = b_pos[nd - 2] = k;
        acc_t scale = 1;
        if (mm_flag(MMF_SA)) scale = scale_of(sa, &p.sa, nd, a_pos);
        if (mm_flag(MMF_SB)) scale *= scale_of(sb, &p.sb, nd, b_pos);
        if (mm_flag(MMF_INT)) {
            int av = load_int(a, a_at, src_dt()), bv = load_int(b, b_at, wei_dt());
            if (mm_flag(MMF_ZA)) av -= zero_of(za_ptr, za, &p.za, nd, a_pos);
            if (mm_flag(MMF_ZB)) bv -= zero_of(zb_ptr, zb, &p.zb, nd, b_pos);
            if (mm_flag(MMF_SA | MMF_SB)) x += scale * (acc_t)(av * bv);
            else sum += av * bv;
        } else {
            acc_t bv = load_1(b, b_at, wei_dt());
            if (mm_flag(MMF_ZB)) bv -= (acc_t)zero_of(zb_ptr, zb, &p.zb, nd, b_pos);
            x = fma(load_1(a, a_at, src_dt()) * scale, bv, x);
        }
    }
    if (mm_flag(MMF_INT) && !mm_flag(MMF_SA | MMF_SB)) {
        if (po_count() == 0 && dst_dt() == DT_S32) {
            ((__global int *)c)[c_at] = sum;
            return;
        }
        x = sum;
    }
    pos[nd - 1] = 0;
    po_seek(&ctx, &po, pos, nd);
    store_1(po_apply(x, &ctx, &po, col, 1), c, c_at, dst_dt());
}
