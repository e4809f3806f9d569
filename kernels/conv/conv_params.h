/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the convolution kernels receive by value, and their flags. */
#ifndef KERNELS_CONV_PARAMS_H
#define KERNELS_CONV_PARAMS_H

#include "../lib/image_params.h"
#include "../lib/spec.h"

/* Bits of SPEC_FLAGS in the convolution kernels. */
enum {
    CVF_INT = 1,        /* source and weights are integers, and the 32-bit sum is exact */
    CVF_ZA = 2,         /* source zero point */
    CVF_ZB = 4,         /* weights zero point */
    CVF_TRANSPOSED = 8, /* deconvolution: the window slides over the destination */
    CVF_BIAS = 16,      /* tile.cl: the sum starts at the bias */
    CVF_PADDED = 32,    /* tile.cl: windows reach beyond the source */
    /* tile.cl: pixels have a constant distance over all images, in source and destination */
    CVF_EVEN = 64,
    /* tile.cl: the pixels of a row are contiguous in the destination, and channels are not */
    CVF_PLANES = 2048,
    /* tile.cl: non-temporal stores of floats or bf16, as dst is larger than the caches */
    CVF_STREAM = 32768,
    /* tile.cl: rows are numbered last, and some rows of the source are padding */
    CVF_ROWS = 524288,
    /* tile.cl: windows have one tap, and pixels are a multiple of 4 KiB apart. Their channels share
     * a set of the L1 cache, which has fewer ways than a tile has pixels, so a tile copies them. */
    CVF_COPIED = 1048576,
    /* tile.cl: the pixels of a tile lie beside one another in a row of the destination */
    CVF_PIECES = 2097152,
    CVF_SHORT = 4194304, /* tile.cl: the epilogue is SPEC_BLOCK_OPS */
    CVF_TILES = 8388608, /* dots.h: tile registers multiply */
    /* tile.cl: all panels have all their channels, and these are contiguous in the destination */
    CVF_WHOLE = 16777216
};

/* The portable kernel: one element of the destination per work-item. */
typedef struct {
    cv_tensor_t src, dst;
    par_i64_t wei_g, wei_o, wei_i, wei_k[3];
    cv_window_t win;
    par_i32_t groups, ic, oc; /* channels per group */
    /* Channels of the destination. Padding after groups * oc is set to zero. */
    par_i32_t padded_channels;
    /* The source zero point: its type, and the elements from channel to channel (0 or 1). */
    par_i32_t za_dt, za_step;
    par_i32_t zb_dt, reserved;
} cv_any_t;

/* Pixels whose results tile.cl stores together: a multiple of what most of its variants have in
 * registers. */
#define CV_TILE_PIXELS 12 /* the preprocessor divides it */
/* The most channels of a pixel that tile.cl copies. */
#define CV_TILE_COPIED 2048
/* tile.cl with PIECE: the pixels of a tile, PIECE at most. */
enum { SPEC_CONV_PIXELS = SPEC_FIRST_FREE };
/* The register tile of tile.cl. The tiles of pixels are divided into `runs` runs of nearly equal
 * length. A work-item computes those of a run one after the other, and `chunk` panels of output
 * channels for each of them. */
typedef struct {
    cv_tensor_t src, dst;                 /* the channels of a block are contiguous in the source */
    par_i64_t wei_g, wei_panel, wei_k[3]; /* from group to group, panel to panel, tap to tap */
    /* Position n of the window is position out_first + out_step * n of the destination. */
    cv_window_t win;
    par_i32_t out_first[3], out_step[3];
    par_i32_t groups, ic, oc; /* channels per group */
    /* Channels per group in the destination. Padding after oc is set to zero. */
    par_i32_t padded_oc;
    par_i32_t pixels; /* pixels of the destination, over all images */
    par_i32_t panels; /* panels per group */
    par_i32_t runs, chunk;
    par_i32_t images, first_row, end_row; /* CVF_ROWS: rows of the source that are no padding */
    /* Work-group dimension 0 counts chunks of panels and dimension 1 counts pixels; otherwise it is
     * the other way round. */
    par_i32_t by_panel;
} cv_tile_t;

/* Depthwise convolution: a work-item computes `rows` rows of an image for 16 channels. */
typedef struct {
    cv_tensor_t src, dst;
    cv_window_t win;
    par_i32_t channels, padded_channels;
    par_i32_t rows, nrows; /* nrows: rows of all images and depths */
    par_i32_t za_dt, za_step;
} cv_depthwise_t;

/* Deconvolution to few channels: a work-item computes `rows_of_item` rows of the destination, or
 * segments of them, in an array of sums. */
enum { CV_FOLD_VECTORS = 3, CV_FOLD_COLUMNS = 8 * CV_FOLD_VECTORS, CV_FOLD_SUMS = 1024 };
typedef struct {
    cv_tensor_t src, dst; /* channels are contiguous in the source */
    cv_window_t win;
    par_i32_t ic, oc, padded_oc; /* padding after oc is set to zero */
    par_i32_t columns;           /* taps of a row times oc: CV_FOLD_COLUMNS at most */
    par_i32_t margin;            /* sums before a segment */
    par_i32_t rows, rows_of_item;
    par_i32_t segment; /* pixels */
} cv_fold_t;

/* Copies the part of a source that windows cover to a dense array of floats with channels last,
 * including the padding. */
typedef struct {
    cv_tensor_t src;
    par_i32_t in[3], out[3], first[3]; /* first: position of the copy in the source */
    par_i32_t channels;
    par_i32_t rows, nrows; /* rows along the width per work-item */
    par_i32_t flat, pad;   /* flat: pixels are contiguous in the source */
    par_i32_t za_dt, za_step;
    /* prepare_dots.cl: channels of the source, and what is added to its bytes (128 or 0) */
    par_i32_t src_channels, moved;
} cv_prepare_t;

/* Sums of the weights in panels of words: words of a panel for one channel, channels of a group. */
typedef struct {
    par_i64_t wei_g, wei_panel;
    par_i32_t words, oc, moved, pad;
} cv_dots_sums_t;

/* Matrix units with channels last. The spatial dimensions are ordered outer, rows, columns. Block
 * loads read positions along `rows` as the rows of a rectangle. A row of the rectangle consists of
 * columns times channels, so that elements outside of the image are 0. Sizes and distances in the
 * source are in bytes. */
enum {
    /* Bits of SPEC_FLAGS: the rows are the pixels of all images, and there are no columns. */
    CVF_DENSE = 128,
    /* Rows are positions along the width. Otherwise they lie along the height, and columns along
     * the width. */
    CVF_ALONG_W = 256,
    /* Work-groups of CONV_XMX_GROUP_M x CONV_XMX_GROUP_N tiles share their prefetches. */
    CVF_PREFETCH = 512,
    /* A deconvolution with strides: all positions of a work-group are reached by the same taps. */
    CVF_PHASES = 1024,
    /* 8 lanes (CVF_PADDED is also set where windows reach beyond the source): */
    CVF_PART_OF_LINE = 4096, /* channels are a multiple of 16 bytes, but not of 64 */
    CVF_MANY_TAPS = 8192,    /* windows have more than 32 taps */
    CVF_SPLIT = 16384,       /* a work-group has one tile; each sub-group sums a part of k */
    CVF_BLOCKS = 65536,      /* xmx16.cl: block stores write dst (xmx_write.h) */
    /* xmx16.cl: src, weights and, with CVF_BLOCKS, dst begin at a multiple of 64 bytes. */
    CVF_ALIGNED = 131072,
    CVF_FLAT = 262144 /* xmx16.cl: the outer dimension has one position and one tap */
};
enum { CONV_XMX_GROUP_M = 8, CONV_XMX_GROUP_N = 4 };
/* xmx8.cl: a stage of local memory holds 64 bytes of k for `rows` pixels and `columns` channels.
 * With CVF_MANY_TAPS, local memory also holds the position of each pixel, 16 bytes four times
 * per pixel. */
#define CVX8_STAGE(rows, columns) (((rows) + (columns)) * 64)
#define CVX8_PLACES(rows) ((rows) * 64)
enum { CVX8_STAGES = 2 };
typedef struct {
    par_i64_t src_n, src_outer, src_row, wei_g;
    par_i64_t dst_n, dst_outer, dst_row, dst_column;
    par_i64_t dst_c_outer, dst_c_inner;
    par_i32_t dst_block;
    par_i32_t images;
    par_i32_t in[3], out[3], k[3], stride[3], dilation[3], pad[3];
    par_i32_t size[3]; /* CVF_DENSE: depth, height and width, for post-ops */
    /* Tap 0 reads rows at a distance of first_rest + stride * first_step. From tap to tap the
     * distance grows by tap_rest + stride * tap_step. */
    par_i32_t first_step, first_rest, tap_step, tap_rest;
    /* Rows of the source, divided by the stride, and the rest of it. */
    par_i32_t in_steps, in_rest;
    par_i32_t column; /* bytes from column to column, a multiple of 4 */
    par_i32_t width, pitch;
    par_i32_t dst_width, dst_pitch; /* CVF_BLOCKS: bytes of a group's channels; from row to row */
    par_i32_t channels;             /* bytes of channels per group */
    /* Bytes that a tap sums: the channels of a group, or those of all taps along the columns. */
    par_i32_t run;
    par_i32_t oc, padded_oc; /* channels per group; padding after oc is set to zero */
    /* Steps of 64 bytes of k per panel of weights, and rows of all panels. */
    par_i32_t panel_steps, panel_rows;
    par_i32_t tiles[2];                /* tiles per image, along rows and columns */
    par_i32_t none;                    /* 0, which the compiler does not know */
    par_i32_t zero_taps, zero_columns; /* CVF_ZA: sizes of the sums (cv_zero_t) */
    cv_window_t win;                   /* CVF_ZA: finds the taps inside of the image */
    /* CVF_PHASES: strides, their product, and sizes of the destination; `out` then has the sizes of
     * the largest phase. */
    par_i32_t apart[3], phases, whole[3];
    par_i32_t part; /* CVF_SPLIT: steps of 64 bytes per part of k */
} cv_xmx_t;

/* Sums of zero point * weight for 8-bit weights in panels: sums[group][tap][column]. */
typedef struct {
    par_i64_t wei_g;
    par_i32_t channels;      /* channels per group */
    par_i32_t taps, columns; /* per group; columns as in the panels */
    /* taps with contiguous channels, and elements from such a run of taps to the next */
    par_i32_t inner, outer_run;
    par_i32_t panel_steps; /* as in cv_xmx_t */
    par_i32_t za_dt, za_step;
} cv_zero_t;

/* Copies each group of a pixel to `lines` lines of 64 bytes, in a dense copy with `size` positions.
 * A dimension that is not gathered has k = 1 and keeps its size. */
typedef struct {
    cv_tensor_t src;
    par_i64_t group; /* from group to group, if the channels have no blocks (`whole` is set) */
    par_i32_t in[3], size[3];
    par_i32_t k[3], stride[3], dilation[3], pad[3];
    par_i32_t rows; /* size[0] * size[1] */
    par_i32_t channels, groups;
    /* Contiguous elements: the channels of a tap, or of a row of taps (k[2] is 1 in that case). */
    par_i32_t run;
    par_i32_t lines, whole;
} cv_gather_t;

/* Panels of weights. k runs over taps: `inner` taps, padding up to outer_run, and so on. Each tap
 * has the channels of all merged groups. */
typedef struct {
    par_i64_t wei_g, wei_o, wei_i, wei_k[3];
    par_i32_t k[3];
    par_i32_t merged, ic, oc; /* merged groups, and channels per group */
    par_i32_t inner, outer_run;
    par_i32_t panel_steps, rows; /* as in cv_xmx_t, per merged group */
} cv_panels_t;

#endif
