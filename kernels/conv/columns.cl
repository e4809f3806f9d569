/* SPDX-License-Identifier: Apache-2.0 */
/* Copies what windows read to the rows of a matrix. */
#include "columns.h"
#include "diff_weights_params.h"

#if VW == 1
/* A work-item writes one column of some rows, which are not in panels. */
__kernel void conv_columns(gcptr_t src, gptr_t dst, const cv_columns_t p) {
    const int padded = p.vectors * 16, g = (int)get_global_id(0) / padded,
              column = (int)get_global_id(0) % padded;
    const long first = (long)get_global_id(1) * p.rows_of_item;
    if (g >= p.groups) return;
    const long end = min(first + p.rows_of_item, (long)p.rows);
    const column_t c = seek_column(column, p.channels, &p.win);
    const long channel = channel_at(&p.src, g * p.channels + c.channel);
    long to = g * p.to_group + column + first * p.to_row;
    position_t position = seek_position(p.first + first, &p.win);
    for (long row = first; row < end; row++, next_position(&position, &p.win)) {
        long from = position.n * p.src.n + channel;
        bool reads = column < p.columns;
        for (int d = 0; d < 3; d++) {
            const int at = position.at[d] + c.tap[d] * p.win.dilation[d];
            from += at * p.src.sp[d];
            reads = reads && (uint)at < (uint)p.win.in[d];
        }
        store_1(reads ? load_1(src, from, src_dt()) : 0, dst, to, dst_dt());
        to += p.to_row;
    }
}
#else
/* A work-item writes 16 columns of some rows. */
__kernel void conv_columns(gcptr_t src, gptr_t dst, const cv_columns_t p) {
    const int vector = get_global_id(0);
    long row = (long)get_global_id(1) * p.rows_of_item;
    if (vector >= p.groups * p.vectors || row >= p.rows) return;
    const long end = min(row + p.rows_of_item, (long)p.rows);
    const int g = vector / p.vectors, column = vector % p.vectors * 16;
    columns_t x;
    set_columns(&x, column, p.columns, p.channels, g * p.channels, &p.src, &p.win);

    long in_chunk = row % p.chunk;
    long to = g * p.to_group + column / p.panel * p.to_panel + column % p.panel +
              row / p.chunk * p.to_chunk + in_chunk * p.to_row;
    position_t position = seek_position(p.first + row, &p.win);
    for (; row < end; row++, next_position(&position, &p.win)) {
        store_v(gather(src, &position, &x, &p.src, &p.win), dst, to, 1, 16, dst_dt());
        to += p.to_row;
        if (++in_chunk == p.chunk) {
            in_chunk = 0;
            to += p.to_chunk - p.chunk * p.to_row;
        }
    }
}
#endif
