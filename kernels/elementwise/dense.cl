/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src), where all tensors have the same dense layout or a single element, so that
 * the kernel needs no strides. */
#include "io.h"
#include "postops.h"

/* Each work-item processes `block` consecutive elements. */
__kernel void flat(
        __global const uchar *src, __global uchar *dst, long nelems, long block, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    long item = get_global_id(0);
    long begin = item * block, head = 0;
#if VW == 16
    /* Blocks begin at aligned addresses. The first block also contains the elements before the
     * first aligned address. */
    if (flags() & SPECF_STREAM) {
        int size = dst_dt() == DT_F32 || dst_dt() == DT_S32    ? 4
                   : dst_dt() == DT_F16 || dst_dt() == DT_BF16 ? 2
                                                               : 1;
        head = min((long)(-(ulong)dst & 63) / size, nelems);
        if (item > 0) begin += head;
    }
#endif
    long end = min(item * block + head + block, nelems);
    NO_UNROLL_FOR (long k = begin; k < end;) {
        int n = min((long)VW, (k < head ? head : end) - k);
        accv_t x = load_v(src, k, 1, n, src_dt());
        x = po_apply(x, &ctx, &po, k, n);
#if VW == 16
        if ((flags() & SPECF_STREAM) && n == 16 && k >= head) stream_16(x, dst, k, dst_dt());
        else
#endif
            store_v(x, dst, k, 1, n, dst_dt());
        k += n;
    }
}
