/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the convolution kernels take by value, and the meaning of their flags. */
#ifndef KERNELS_CONV_PARAMS_H
#define KERNELS_CONV_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

/* Bits of SPEC_FLAGS in the convolution kernels. */
enum {
    CVF_INT = 1, /* source and weights hold 8-bit integers and the sum is an exact 32-bit one */
    CVF_ZA = 2,  /* source zero point */
    CVF_ZB = 4,  /* weights zero point */
    CVF_TRANSPOSED = 8, /* deconvolution: the window slides over the destination */
    CVF_BIAS = 16,      /* tile: the sum starts at the bias */
    CVF_PADDED = 32,    /* tile: windows reach outside of the source */
    /* tile: pixels are equally far apart over all images, in the source and the destination */
    CVF_EVEN = 64
};

/* A tensor of activations. Channel c is at (c / block) * c_outer + (c % block) * c_inner. */
typedef struct {
    par_i64_t n, c_outer, c_inner;
    par_i64_t sp[3]; /* depth, height, width */
    par_i32_t block, pad;
} cv_tensor_t;

/* The window: position o of the destination meets position o * stride - pad + k * dilation of the
 * source. */
typedef struct {
    par_i32_t in[3], out[3];
    par_i32_t k[3], stride[3], dilation[3], pad[3];
} cv_window_t;

/* The portable kernel: one element of the destination for each work-item. */
typedef struct {
    cv_tensor_t src, dst;
    par_i64_t wei_g, wei_o, wei_i, wei_k[3];
    cv_window_t win;
    par_i32_t groups, ic, oc;  /* channels of a group */
    par_i32_t padded_channels; /* of the destination; what comes after groups * oc is set to zero */
    par_i32_t za_dt,
            za_step; /* source zero point: type, and elements from channel to channel (0 or 1) */
    par_i32_t zb_dt, reserved;
} cv_any_t;

/* The register tile: source and weights as tile.cl reads them, a work-item does `tiles` tiles of
 * pixels, one after the other, each by `chunk` panels of output channels. */
typedef struct {
    cv_tensor_t src, dst; /* channels of a block lie next to each other in the source */
    par_i64_t wei_g, wei_panel, wei_k[3]; /* from group to group, panel to panel, tap to tap */
    cv_window_t win;                      /* its positions are out_first + out_step * n */
    par_i32_t out_first[3], out_step[3];
    par_i32_t groups, ic, oc; /* channels of a group */
    par_i32_t padded_oc; /* of a group in the destination; what comes after oc is set to zero */
    par_i32_t pixels;    /* of the destination, over all images */
    par_i32_t panels;    /* of a group */
    par_i32_t tiles, chunk;
    par_i32_t pad;
    /* group 0 counts chunks of panels and group 1 pixels; else the other way round */
    par_i32_t by_panel;
} cv_tile_t;

/* Depthwise: a work-item does `rows` rows of an image by 16 channels. */
typedef struct {
    cv_tensor_t src, dst;
    cv_window_t win;
    par_i32_t channels, padded_channels;
    par_i32_t rows, nrows; /* nrows: of all images and depths */
    par_i32_t za_dt, za_step;
} cv_depthwise_t;

/* Copies the part of a source that windows cover to a dense array of floats, channels last, with
 * the padding in it. */
typedef struct {
    cv_tensor_t src;
    par_i32_t in[3], out[3], first[3]; /* position of the copy's first element in the source */
    par_i32_t channels;
    par_i32_t rows, nrows; /* a work-item does `rows` rows along the width */
    par_i32_t flat, pad;   /* pixels lie next to each other in the source */
    par_i32_t za_dt, za_step;
} cv_prepare_t;

/* Matrix units, channels last. The spatial dimensions in the order outer, rows, columns: block
 * loads take positions along `rows` as the rows of a rectangle, and columns times channels as what
 * lies beside one another in it, so that what is outside of the image reads as 0. A tile has CVX_*
 * positions. Sizes and distances of the source in bytes. */
enum {
    /* bits of SPEC_FLAGS: rows are the pixels of all images, and there are no columns */
    CVF_FLAT = 128,
    /* rows are positions along the width; else along the height, and columns along the width */
    CVF_ALONG_W = 256,
    /* work-groups of CONV_XMX_GROUP_M x CONV_XMX_GROUP_N tiles, which load ahead together */
    CVF_PREFETCH = 512,
    /* a deconvolution with strides: each work-group has positions that the same taps reach */
    CVF_PHASES = 1024,
    /* 8 lanes, with CVF_PADDED where windows reach outside of the source: */
    CVF_PART_OF_LINE = 4096, /* channels are no multiple of 64 bytes, but of 16 */
    CVF_MANY_TAPS = 8192,    /* ... by windows of more than 32 taps */
    CVF_SPLIT = 16384        /* work-groups of one tile: each sub-group sums up a part of k */
};
enum { CONV_XMX_GROUP_M = 8, CONV_XMX_GROUP_N = 4 };
/* xmx8.cl: as in matmul, a stage of local memory holds 64 bytes of k for so many pixels and
 * channels. CVF_MANY_TAPS: there are also the places of pixels, four times each. */
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
    par_i32_t size[3]; /* CVF_FLAT: depth, height and width, for post-ops */
    /* Rows: tap 0 is first_rest + stride * first_step away, the next one by rest_step + stride *
     * tap_step further. */
    par_i32_t first_step, first_rest, tap_step, tap_rest;
    par_i32_t column; /* from column to column; multiples of 4 */
    par_i32_t width, pitch;
    par_i32_t channels; /* of a group */
    /* that a tap sums up: channels of a group, or those of all taps along the columns */
    par_i32_t run;
    par_i32_t oc, padded_oc;           /* of a group; what comes after oc is set to zero */
    par_i32_t panel_steps, panel_rows; /* 64 bytes of k in a panel of weights; rows of all panels */
    par_i32_t tiles[2];                /* of an image, along rows and columns */
    par_i32_t group_n;                 /* tiles of a work-group beside one another */
    par_i32_t none;                    /* 0, which compilers do not know */
    par_i32_t zero_taps, zero_columns; /* CVF_ZA: of cv_zero_t */
    cv_window_t win;                   /* CVF_ZA: what is inside of the image */
    /* CVF_PHASES: strides, and their product; sizes of the destination, where out has those of the
     * largest phase. */
    par_i32_t apart[3], phases, whole[3];
    par_i32_t part; /* CVF_SPLIT: steps of 64 bytes of k */
} cv_xmx_t;

/* Sums of zero point x weight, of 8-bit integers in panels: sums[group][tap][column]. */
typedef struct {
    par_i64_t wei_g;
    par_i32_t channels;      /* of a group */
    par_i32_t taps, columns; /* of a group; columns as the panels have them */
    /* taps whose channels lie beside one another, and from those to the next ones */
    par_i32_t inner, outer_run;
    par_i32_t panel_steps; /* as in cv_xmx_t */
    par_i32_t za_dt, za_step;
} cv_zero_t;

/* Pixels of so many lines of 64 bytes for each group, in a dense copy of `size` positions; where a
 * dimension is not gathered, k is 1 and nothing else is changed. */
typedef struct {
    cv_tensor_t src;
    par_i64_t group; /* from one to the next, where the channels are not in blocks: `whole` */
    par_i32_t in[3], size[3];
    par_i32_t k[3], stride[3], dilation[3], pad[3];
    par_i32_t rows; /* size[0] * size[1] */
    par_i32_t channels, groups;
    /* elements that lie beside one another: the channels of a tap, or of a row of taps (then k[2]
     * is 1) */
    par_i32_t run;
    par_i32_t lines, whole;
} cv_gather_t;

/* Panels of weights that have k in this order: taps, `inner` of them and then the padding up to
 * outer_run, and for each the channels of as many groups as are merged. */
typedef struct {
    par_i64_t wei_g, wei_o, wei_i, wei_k[3];
    par_i32_t k[3];
    par_i32_t merged, ic, oc; /* groups, and channels of one */
    par_i32_t inner, outer_run;
    par_i32_t panel_steps, rows; /* as in cv_xmx_t, of one group after merging */
} cv_panels_t;

#endif
