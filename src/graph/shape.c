/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/shape.h"

#include "core/util.h"

bool is_channels_last(const op_t *op) {
    return op_text_is(op, ATTR(data_format), "NXC");
}

int channel_axis(const op_t *op, int ndims) {
    return is_channels_last(op) ? ndims - 1 : 1;
}

int spatial_axis(const op_t *op, int i) {
    return is_channels_last(op) ? 1 + i : 2 + i;
}

static bool has_spatial_first(const op_t *op) {
    return op_text_is(op, ATTR(weights_format), "XIO") ||
           op_text_is(op, ATTR(weights_format), "XOI");
}

static bool has_out_before_in(const op_t *op) {
    return op_text_is(op, ATTR(weights_format), "OIX") ||
           op_text_is(op, ATTR(weights_format), "XOI");
}

int weights_out_axis(const op_t *op, int ndims) {
    const int first = has_spatial_first(op) ? ndims - 2 : 0;
    return has_out_before_in(op) ? first : first + 1;
}

int weights_in_axis(const op_t *op, int ndims) {
    const int first = has_spatial_first(op) ? ndims - 2 : 0;
    return has_out_before_in(op) ? first + 1 : first;
}

int weights_spatial_axis(const op_t *op, int i) {
    return has_spatial_first(op) ? i : 2 + i;
}

int normal_axis(int64_t axis, int ndims) {
    if (axis < 0) axis += ndims;
    return axis >= 0 && axis < ndims ? (int)axis : -1;
}

int64_t window_extent(const window_t *w) {
    return (w->kernel - 1) * w->dilation + 1;
}

static int64_t same_padding(const window_t *w, int64_t size, bool transposed) {
    const int64_t extent = window_extent(w), rest = size % w->stride;
    if (transposed) return max_i64(0, extent - w->stride);
    return max_i64(0, extent - (rest ? rest : w->stride));
}

window_t window_along(const op_t *op, int i, int64_t kernel, int64_t size, bool transposed) {
    const size_t at = (size_t)i;
    window_t w = {.kernel = kernel,
            .stride = op_item(op, ATTR(strides), at, 1),
            .dilation = op_item(op, ATTR(dilations), at, 1),
            .begin = op_item(op, ATTR(pads_begin), at, 0),
            .end = op_item(op, ATTR(pads_end), at, 0)};
    if (op_text_is(op, ATTR(auto_pad), "VALID")) w.begin = w.end = 0;
    const bool upper = op_text_is(op, ATTR(auto_pad), "SAME_UPPER");
    if (upper || op_text_is(op, ATTR(auto_pad), "SAME_LOWER")) {
        const int64_t total = same_padding(&w, size, transposed);
        w.begin = upper ? total / 2 : (total + 1) / 2;
        w.end = total - w.begin;
    }
    return w;
}

int64_t window_positions(const window_t *w, int64_t size, bool ceil) {
    const int64_t room = size + w->begin + w->end - window_extent(w);
    if (room < 0) return 0;
    return (ceil ? div_up(room, w->stride) : room / w->stride) + 1;
}
