/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the weights of a convolution or deconvolution: each work-item sums one element
 * over a chunk of the rows of the image that windows have positions in. */
#include "conv.h"
#include "diff_weights_params.h"
#include "place.h"

SPEC_GETTER(image_dt, SPEC_SRC1_DT, DT_F32)

/* The first position of a window that reads at least position `at` of dimension d with a tap that
 * is `tap` positions behind its start. */
static inline int first_reading(const cv_window_t *w, int d, int at, int tap) {
    const int from = at + w->pad[d] - tap;
    return from <= 0 ? 0 : (from + w->stride[d] - 1) / w->stride[d];
}

/* in: what windows slide over; out: a value for each position of a window. */
__kernel void conv_diff_weights(gcptr_t in, gcptr_t out, gptr_t sums, const cv_diff_weights_t p) {
    const long at = (long)get_global_id(0);
    if (at >= p.elements) return;
    /* From the fastest dimension: input channels, taps, output channels, groups. */
    int rest = (int)at, tap[3];
    const int ci = rest % p.ic;
    rest /= p.ic;
    for (int d = 2; d >= 0; d--) {
        tap[d] = rest % p.win.k[d] * p.win.dilation[d];
        rest /= p.win.k[d];
    }
    const int co = rest % p.oc, g = rest / p.oc;
    const bool transposed = cv_flag(CVF_TRANSPOSED);
    const int in_channel = transposed ? g * p.oc + co : g * p.ic + ci;
    const int out_channel = transposed ? g * p.ic + ci : g * p.oc + co;
    const long in_c = channel_at(&p.in, in_channel), out_c = channel_at(&p.out, out_channel);

    const int first = first_reading(&p.win, 2, 0, tap[2]);
    const int end = min(first_reading(&p.win, 2, p.win.in[2], tap[2]), p.win.out[2]);
    const long chunk = get_global_id(1), row_end = min((chunk + 1) * p.chunk, (long)p.rows);
    acc_t x = 0;
    for (long row = chunk * p.chunk; row < row_end; row++) {
        const int oh = (int)(row % p.win.out[1]);
        const long image = row / p.win.out[1];
        const int od = (int)(image % p.win.out[0]);
        const long n = image / p.win.out[0];
        const int id = od * p.win.stride[0] - p.win.pad[0] + tap[0];
        const int ih = oh * p.win.stride[1] - p.win.pad[1] + tap[1];
        if (id < 0 || id >= p.win.in[0] || ih < 0 || ih >= p.win.in[1]) continue;
        const long in_row = in_c + n * p.in.n + id * p.in.sp[0] + ih * p.in.sp[1] +
                            (tap[2] - p.win.pad[2]) * p.in.sp[2];
        const long out_row = out_c + n * p.out.n + od * p.out.sp[0] + oh * p.out.sp[1];
        for (int ow = first; ow < end; ow++)
            x = fma(load_1(in, in_row + (long)ow * p.win.stride[2] * p.in.sp[2], src_dt()),
                    load_1(out, out_row + ow * p.out.sp[2], image_dt()), x);
    }
    store_1(x, sums, chunk * p.elements + at, dst_dt());
}
