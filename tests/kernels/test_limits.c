/* SPDX-License-Identifier: Apache-2.0 */
/* Huge tensors and unusual strides on Intel's products: which variant supports them, if any.
 * Nothing is built or executed. */
#include <string.h>

#include "case_run.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "products.h"
#include "strided.h"
#include "test_main.h"
#include "ze/engine.h"

/* The variants that run it with and without matrix units of 16 lanes, and their numbers of steps.
 * NULL: there is none. */
typedef struct {
    const char *what;
    strided_fn make;
    strided_t tensor[STRIDED_TENSORS];
    const char *with, *without;
    int steps_with, steps_without;
} limit_t;

/* ---- the table ---- */

static const limit_t limits[] = {
        /* rows at the largest distance that block loads support, and beyond */
        {"matmul: pitch of src 2^24", strided_matmul,
                {F16({512, 512}, {G(23), 1}), F16({512, 512}, DENSE), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: pitch of src 2^24 + 16", strided_matmul,
                {F16({512, 512}, {G(23) + 8, 1}), F16({512, 512}, DENSE), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: rows of src 2^31 apart", strided_matmul,
                {F16({512, 512}, {G(31), 1}), F16({512, 512}, DENSE), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: rows of src 2^31 apart, few", strided_matmul,
                {F16({4, 512}, {G(31), 1}), F16({512, 512}, DENSE), F16({4, 512}, DENSE)},
                "matmul_xmx16_f8x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: pitch of weights 2^24", strided_matmul,
                {S8({512, 512}, DENSE), S8({512, 512}, {G(24), 1}), F32({512, 512}, DENSE)},
                "matmul_xmx16_i64x32", "matmul_portable", 1, 1},
        {"matmul: rows of weights 2^32 apart", strided_matmul,
                {S8({512, 512}, DENSE), S8({512, 512}, {G(32), 1}), F32({512, 512}, DENSE)},
                "matmul_xmx16_i64x32", "matmul_portable", 2, 1},
        {"matmul: rows of weights 2^32 apart, few rows", strided_matmul,
                {F16({4, 512}, DENSE), F16({512, 512}, {G(32), 1}), F32({4, 512}, DENSE)},
                "matmul_sg16_8x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: columns of weights 2^31 apart", strided_matmul,
                {F16({512, 512}, DENSE), F16({512, 512}, {1, G(31)}), F32({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: odd rows of src", strided_matmul,
                {F16({512, 512}, {513, 1}), F16({512, 512}, DENSE), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: odd rows of weights", strided_matmul,
                {F16({512, 512}, DENSE), F16({512, 512}, {513, 1}), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: odd rows of dst", strided_matmul,
                {F16({512, 512}, DENSE), F16({512, 512}, DENSE), F16({512, 512}, {513, 1})},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: rows of dst 2^33 apart", strided_matmul,
                {F16({512, 512}, DENSE), F16({512, 512}, DENSE), F16({512, 512}, {G(33), 1})},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: any stride for one row", strided_matmul,
                {F16({1, 512}, {G(62), 1}), F16({512, 512}, DENSE), F16({1, 512}, {G(62), 1})},
                "matmul_xmx16_f8x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: any stride for one column", strided_matmul,
                {F16({512, 512}, DENSE), F16({512, 1}, {1, G(62)}), F16({512, 1}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        /* batches */
        {"matmul: matrices 2^32 apart", strided_matmul,
                {F16({4, 512, 512}, {G(32), 512, 1}), F16({4, 512, 512}, {G(33), 512, 1}),
                        F16({4, 512, 512}, {G(34), 512, 1})},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: matrices that do not begin with a line", strided_matmul,
                {F16({4, 512, 512}, {G(32) + 2, 512, 1}), F16({1, 512, 512}, DENSE),
                        F16({4, 512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: 2^32 matrices", strided_matmul,
                {S8({G(16), G(16), 1, 1}, DENSE), S8({1, 1, 1, 1}, DENSE),
                        S8({G(16), G(16), 1, 1}, DENSE)},
                NULL, NULL, 0, 0},
        {"matmul: 2^31 matrices", strided_matmul,
                {S8({G(15), G(16), 1, 1}, DENSE), S8({1, 1, 1, 1}, DENSE),
                        S8({G(15), G(16), 1, 1}, DENSE)},
                "matmul_portable", "matmul_portable", 1, 1},
        /* many rows, columns and k */
        {"matmul: 2^24 rows", strided_matmul,
                {F16({G(24), 64}, DENSE), F16({64, 64}, DENSE), F16({G(24), 64}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: 2^24 + 1 rows", strided_matmul,
                {F16({G(24) + 1, 64}, DENSE), F16({64, 64}, DENSE), F16({G(24) + 1, 64}, DENSE)},
                "matmul_sg16_8x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: 2^30 rows", strided_matmul,
                {F16({G(30), 64}, DENSE), F16({64, 64}, DENSE), F16({G(30), 64}, DENSE)},
                "matmul_portable", "matmul_portable", 1, 1},
        {"matmul: 2^31 - 1 rows", strided_matmul,
                {S8({G(31) - 1, 64}, DENSE), S8({64, 64}, DENSE), S8({G(31) - 1, 64}, DENSE)},
                "matmul_portable", "matmul_portable", 1, 1},
        {"matmul: 2^31 rows", strided_matmul,
                {S8({G(31), 64}, DENSE), S8({64, 64}, DENSE), S8({G(31), 64}, DENSE)}, NULL, NULL,
                0, 0},
        {"matmul: 2^23 columns", strided_matmul,
                {S8({64, 64}, DENSE), S8({64, G(23)}, DENSE), S8({64, G(23)}, DENSE)},
                "matmul_xmx16_i64x32", "matmul_portable", 1, 1},
        {"matmul: 2^24 columns", strided_matmul,
                {S8({64, 64}, DENSE), S8({64, G(24)}, DENSE), S8({64, G(24)}, DENSE)},
                "matmul_xmx16_i64x32", "matmul_portable", 2, 1},
        {"matmul: 2^24 + 64 columns that lie in columns", strided_matmul,
                {F16({64, 64}, DENSE), F16({64, G(24) + 64}, {1, 64}),
                        F16({64, G(24) + 64}, DENSE)},
                "matmul_sg16_8x32", "matmul_sg16_8x32", 1, 1},
        {"matmul: k of 2^22", strided_matmul,
                {F16({64, G(22)}, DENSE), F16({G(22), 64}, DENSE), F16({64, 64}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 2},
        {"matmul: k of 2^30", strided_matmul,
                {F16({1, G(30)}, DENSE), F16({G(30), 1}, DENSE), F16({1, 1}, DENSE)},
                "matmul_portable", "matmul_portable", 1, 1},
        {"matmul: k of 2^24", strided_matmul,
                {F16({64, G(24)}, DENSE), F16({G(24), 64}, DENSE), F16({64, 64}, DENSE)},
                "matmul_sg16_8x32", "matmul_sg16_8x32", 2, 2},
        {"matmul: k of 2^31 - 1", strided_matmul,
                {F16({1, G(31) - 1}, DENSE), F16({G(31) - 1, 1}, DENSE), F16({1, 1}, DENSE)},
                "matmul_portable", "matmul_portable", 1, 1},
        /* all elements are one */
        {"matmul: rows of src are one row", strided_matmul,
                {F16({512, 512}, {0, 1}), F16({512, 512}, DENSE), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: src is one row", strided_matmul,
                {F16({4, 512, 512}, {0, 0, 1}), F16({1, 512, 512}, DENSE),
                        F16({4, 512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: rows of weights are one row", strided_matmul,
                {F16({512, 512}, DENSE), F16({512, 512}, {0, 1}), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"matmul: matrices of src are one", strided_matmul,
                {F16({4, 512, 512}, {0, 512, 1}), F16({4, 512, 512}, DENSE),
                        F16({4, 512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 1, 1},
        {"inner product: rows 2^32 apart", strided_inner_product,
                {F16({512, 512}, {G(32), 1}), F16({512, 512}, DENSE), F16({512, 512}, DENSE)},
                "matmul_xmx16_f64x32", "matmul_sg16_8x32", 2, 1},
        {"inner product: 2^24 + 1 rows", strided_inner_product,
                {S8({G(24) + 1, 64}, DENSE), S8({64, 64}, DENSE), S8({G(24) + 1, 64}, DENSE)},
                "matmul_portable", "matmul_portable", 1, 1},
        {"inner product: k of 2^31", strided_inner_product,
                {S8({1, G(15), G(16)}, DENSE), S8({1, G(15), G(16)}, DENSE), S8({1, 1}, DENSE)},
                NULL, NULL, 0, 0},
        /* images */
        {"convolution: images 2^33 apart", strided_convolution,
                {F16({4, 64, 56, 56}, {G(33), 1, 64 * 56, 64}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, {G(34), 1, 64 * 56, 64})},
                "conv_xmx16_f8x4x64", "conv_sg16_8x32", 2, 2},
        {"convolution: rows of an image 2^24 bytes apart", strided_convolution,
                {F16({4, 64, 56, 56}, {G(32), 1, G(23), 64}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, DENSE)},
                "conv_xmx16_f8x4x64", "conv_sg16_8x32", 2, 2},
        {"convolution: rows of an image 2^31 apart", strided_convolution,
                {F16({4, 64, 56, 56}, {G(40), 1, G(31), 64}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, DENSE)},
                "conv_sg16_8x32", "conv_sg16_8x32", 2, 2},
        {"convolution: pixels 2^31 apart", strided_convolution,
                {F16({4, 64, 56, 56}, {G(50), 1, G(40), G(31)}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, DENSE)},
                "conv_sg16_8x32", "conv_sg16_8x32", 2, 2},
        {"convolution: 2^24 + 1 rows of pixels", strided_convolution,
                {F16({1, 64, G(24) + 1, 2}, DENSE), F16({64, 64, 1, 1}, DENSE),
                        F16({1, 64, G(24) + 1, 2}, DENSE)},
                "conv_sg16_8x32", "conv_sg16_8x32", 3, 3},
        {"convolution: 2^28 images", strided_convolution,
                {F16({G(28), 64, 4, 4}, {1024, 1, 256, 64}), F16({64, 64, 1, 1}, DENSE),
                        F16({G(28), 64, 4, 4}, {1024, 1, 256, 64})},
                "conv_xmx16_f8x4x64", "conv_sg16_8x32", 2, 2},
        {"convolution: 2^31 rows of pixels", strided_convolution,
                {F32({G(28), 32, 8, 4}, DENSE), F32({32, 32, 1, 1}, DENSE),
                        F32({G(28), 32, 8, 4}, DENSE)},
                "conv_portable", "conv_portable", 1, 1},
        {"convolution: channels 2^29", strided_convolution,
                {F16({1, G(29), 1, 1}, DENSE), F16({16, G(29), 1, 1}, DENSE),
                        F16({1, 16, 1, 1}, DENSE)},
                "conv_sg16_8x32", "conv_sg16_8x32", 2, 2},
        {"convolution: flat pixels 68 bytes apart", strided_convolution,
                {F16({40, 34, 1, 1}, DENSE), F16({64, 34, 1, 1}, DENSE),
                        F16({40, 64, 1, 1}, DENSE)},
                "conv_xmx16_f32x64", "conv_sg16_8x32", 3, 2},
        {"convolution: any stride for one image of one pixel", strided_convolution,
                {F16({1, 64, 1, 1}, {G(54), 1, G(55), G(56)}), F16({64, 64, 1, 1}, DENSE),
                        F16({1, 64, 1, 1}, {G(56), 1, G(55), G(54)})},
                "conv_xmx16_f8x16", "conv_sg16_8x32", 2, 2},
        {"convolution: images are one image", strided_convolution,
                {F16({4, 64, 56, 56}, {0, 1, 64 * 56, 64}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, DENSE)},
                "conv_xmx16_f8x4x64", "conv_sg16_8x32", 2, 2},
        {"convolution: rows of an image are one row", strided_convolution,
                {F16({4, 64, 56, 56}, {64 * 56, 1, 0, 64}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, DENSE)},
                "conv_xmx16_f8x4x64", "conv_sg16_8x32", 3, 2},
        {"convolution: pixels are one pixel", strided_convolution,
                {F16({4, 64, 56, 56}, {64 * 56, 1, 64, 0}), F16({64, 64, 1, 1}, DENSE),
                        F16({4, 64, 56, 56}, DENSE)},
                "conv_xmx16_f8x4x64", "conv_sg16_8x32", 3, 2},
        {"pooling: images 2^33 apart", strided_pooling,
                {F16({4, 64, 56, 56}, {G(33), 1, 64 * 56, 64}),
                        F16({4, 64, 54, 54}, {G(34), 1, 64 * 54, 64})},
                "pool_sg16_channels", "pool_sg16_channels", 1, 1},
        {"pooling: rows 2^31 apart", strided_pooling,
                {F16({4, 64, 56, 56}, {G(50), G(40), G(31), 1}), F16({4, 64, 54, 54}, DENSE)},
                "pool_sg16_rows", "pool_sg16_rows", 1, 1},
        {"pooling: rows of images are one row", strided_pooling,
                {F16({4, 64, 56, 56}, {0, 56, 0, 1}), F16({4, 64, 54, 54}, DENSE)},
                "pool_sg16_rows", "pool_sg16_rows", 1, 1},
        {"pooling: averages of 2^29 elements", strided_pooling,
                {S8({1, 2, G(15), G(14)}, DENSE), S8({1, 2, 1, 1}, DENSE)}, "pool_sg16_rows",
                "pool_sg16_rows", 1, 1},
        {"pooling: averages of 2^31 elements", strided_pooling,
                {S8({1, 2, G(16), G(15)}, DENSE), S8({1, 2, 1, 1}, DENSE)}, "pool_portable",
                "pool_portable", 1, 1},
        {"pooling: averages of 2^23 elements, channels last", strided_pooling,
                {S8({1, 64, G(12), G(11)}, {G(29), 1, G(17), 64}),
                        S8({1, 64, 1, 1}, {64, 1, 64, 64})},
                "pool_portable", "pool_portable", 1, 1},
        {"pooling: images of 2^31 results", strided_pooling,
                {S8({1, 1, G(16), G(15) + 1}, DENSE), S8({1, 1, G(16), G(15)}, DENSE)},
                "pool_sg16_rows", "pool_sg16_rows", 1, 1},
        {"pooling: 2^34 rows of images", strided_pooling,
                {S8({G(20), 1, G(14), 2}, DENSE), S8({G(20), 1, G(14), 1}, DENSE)}, "pool_portable",
                "pool_portable", 1, 1},
        /* rows */
        {"softmax: rows 2^32 apart", strided_softmax,
                {F16({64, 768}, {G(32), 1}), F16({64, 768}, {G(33), 1})}, "softmax_sg16",
                "softmax_sg16", 1, 1},
        {"softmax: rows of 2^30 elements", strided_softmax,
                {F16({4, G(30)}, DENSE), F16({4, G(30)}, DENSE)}, "reduce_sg16", "reduce_sg16", 5,
                5},
        {"softmax: rows of 2^30 - 1 elements", strided_softmax,
                {F16({4, G(30) - 1}, DENSE), F16({4, G(30) - 1}, DENSE)}, "softmax_sg16",
                "softmax_sg16", 1, 1},
        {"softmax: rows of 2^31 elements", strided_softmax,
                {F16({4, G(31)}, DENSE), F16({4, G(31)}, DENSE)}, "reduce_sg16", "reduce_sg16", 5,
                5},
        {"softmax: rows of 2^33 + 1 elements", strided_softmax,
                {S8({4, G(33) + 1}, DENSE), S8({4, G(33) + 1}, DENSE)}, "reduce_sg16",
                "reduce_sg16", 5, 5},
        {"softmax: 2^31 rows", strided_softmax,
                {F16({G(16), G(15), 16}, {G(21), 17, 1}), F16({G(16), G(15), 16}, DENSE)},
                "reduce_sg16", "reduce_sg16", 3, 3},
        {"softmax: 2^31 - 2^16 rows", strided_softmax,
                {F16({G(16), G(15) - 1, 16}, {G(21), 17, 1}), F16({G(16), G(15) - 1, 16}, DENSE)},
                "softmax_sg16", "softmax_sg16", 1, 1},
        {"softmax: rows are one row", strided_softmax,
                {F16({64, 768}, {0, 1}), F16({64, 768}, DENSE)}, "softmax_sg16", "softmax_sg16", 1,
                1},
        {"softmax: a row is one element", strided_softmax,
                {F16({64, 768}, {1, 0}), F16({64, 768}, DENSE)}, "reduce_sg16", "reduce_sg16", 5,
                5},
        {"softmax: odd rows", strided_softmax, {F16({64, 767}, {769, 1}), F16({64, 767}, {771, 1})},
                "softmax_sg16", "softmax_sg16", 1, 1},
        {"layer norm: rows 2^32 apart", strided_layer_norm,
                {F16({64, 768}, {G(32), 1}), F16({64, 768}, {G(33), 1})}, "layer_sg16",
                "layer_sg16", 1, 1},
        {"layer norm: rows of 2^30 elements", strided_layer_norm,
                {F16({4, G(30)}, DENSE), F16({4, G(30)}, DENSE)}, "reduce_sg16", "reduce_sg16", 6,
                6},
        {"layer norm: 2^31 rows", strided_layer_norm,
                {F16({G(16), G(15), 16}, {G(21), 17, 1}), F16({G(16), G(15), 16}, DENSE)},
                "reduce_sg16", "reduce_sg16", 4, 4},
        {"layer norm: rows are one row", strided_layer_norm,
                {F16({64, 768}, {0, 1}), F16({64, 768}, DENSE)}, "layer_sg16", "layer_sg16", 1, 1},
        {"sum: rows 2^32 apart", strided_sum, {F16({64, 768}, {G(32), 1}), F32({64, 1}, DENSE)},
                "reduce_sg16", "reduce_sg16", 1, 1},
        {"sum: along rows 2^32 apart", strided_sum,
                {F16({64, 768}, {G(32), 1}), F32({1, 768}, DENSE)}, "reduce_sg16", "reduce_sg16", 2,
                2},
        {"sum: results 2^32 apart", strided_sum, {F16({64, 768}, DENSE), F32({64, 1}, {G(32), 1})},
                "reduce_sg16", "reduce_sg16", 1, 1},
        {"sum: 2^31 results", strided_sum, {F16({G(31), 16}, DENSE), F32({G(31), 1}, DENSE)},
                "reduce_sg16", "reduce_sg16", 1, 1},
        {"sum: 2^30 results", strided_sum, {F16({G(30), 16}, {17, 1}), F32({G(30), 1}, DENSE)},
                "reduce_sg16", "reduce_sg16", 1, 1},
        {"sum: sums of 2^33 + 1 elements", strided_sum,
                {S8({2, G(33) + 1}, DENSE), F32({2, 1}, DENSE)}, "reduce_sg16", "reduce_sg16", 2,
                2},
        {"sum: sums of 2^32 elements", strided_sum,
                {F16({4, G(16), G(16)}, {G(34), G(17), 1}), F32({4, 1, 1}, DENSE)}, "reduce_sg16",
                "reduce_sg16", 2, 2},
        {"sum: rows are one row", strided_sum, {F16({64, 768}, {0, 1}), F32({64, 1}, DENSE)},
                "reduce_sg16", "reduce_sg16", 2, 2},
        {"sum: a row is one element", strided_sum, {F16({64, 768}, {1, 0}), F32({64, 1}, DENSE)},
                "reduce_sg16", "reduce_sg16", 2, 2},
        /* elements */
        {"eltwise: rows 2^32 apart", strided_eltwise,
                {F16({64, 768}, {G(32), 1}), F16({64, 768}, {G(33), 1})}, "contiguous_sg16",
                "contiguous_sg16", 1, 1},
        {"eltwise: 2^30 - 1 elements", strided_eltwise,
                {F16({G(30) - 1}, DENSE), F16({G(30) - 1}, DENSE)}, "contiguous_sg16",
                "contiguous_sg16", 1, 1},
        {"eltwise: 2^31 elements", strided_eltwise, {F16({G(31)}, DENSE), F16({G(31)}, DENSE)},
                "dense_portable", "dense_portable", 1, 1},
        {"eltwise: 2^33 elements", strided_eltwise, {S8({G(33)}, DENSE), S8({G(33)}, DENSE)},
                "dense_portable", "dense_portable", 1, 1},
        {"eltwise: 2^40 elements", strided_eltwise, {S8({G(40)}, DENSE), S8({G(40)}, DENSE)}, NULL,
                NULL, 0, 0},
        {"eltwise: 2^31 rows", strided_eltwise,
                {F16({G(31), 16}, {17, 1}), F16({G(31), 16}, DENSE)}, "strided_portable",
                "strided_portable", 1, 1},
        {"eltwise: 2^29 rows", strided_eltwise,
                {F16({G(29), 16}, {17, 1}), F16({G(29), 16}, DENSE)}, "contiguous_sg16",
                "contiguous_sg16", 1, 1},
        {"eltwise: rows of 2^31", strided_eltwise,
                {F16({3, G(31)}, {G(32), 1}), F16({3, G(31)}, DENSE)}, "contiguous_sg16",
                "contiguous_sg16", 1, 1},
        {"eltwise: rows of 2^33 + 1", strided_eltwise,
                {S8({3, G(33) + 1}, {G(34), 1}), S8({3, G(33) + 1}, DENSE)}, "strided_portable",
                "strided_portable", 1, 1},
        {"eltwise: rows are one row", strided_eltwise,
                {F16({64, 768}, {0, 1}), F16({64, 768}, DENSE)}, "contiguous_sg16",
                "contiguous_sg16", 1, 1},
        {"eltwise: odd rows", strided_eltwise, {F16({64, 767}, {769, 1}), F16({64, 767}, {771, 1})},
                "contiguous_sg16", "contiguous_sg16", 1, 1},
        {"binary: rows 2^32 apart", strided_binary,
                {F16({64, 768}, {G(32), 1}), F16({64, 768}, DENSE), F16({64, 768}, DENSE)},
                "contiguous_sg16", "contiguous_sg16", 1, 1},
        {"binary: rows of the second one 2^31 apart", strided_binary,
                {F16({64, 768}, DENSE), F16({64, 768}, {G(31), 1}), F16({64, 768}, DENSE)},
                "strided_portable", "strided_portable", 1, 1},
        {"binary: rows of the second one are one row", strided_binary,
                {F16({64, 768}, DENSE), F16({64, 768}, {0, 1}), F16({64, 768}, DENSE)},
                "contiguous_sg16", "contiguous_sg16", 1, 1},
        {"reorder: rows 2^32 apart", strided_reorder,
                {F16({64, 768}, {G(32), 1}), F32({64, 768}, DENSE)}, "contiguous_sg16",
                "contiguous_sg16", 1, 1},
        {"reorder: columns 2^32 apart", strided_reorder,
                {F16({64, 768}, {1, G(32)}), F32({64, 768}, DENSE)}, "transpose_sg16",
                "transpose_sg16", 1, 1},
        /* heads; queries and keys */
        {"attention: heads 2^33 apart", strided_attention,
                {F16({4, 128, 64}, {G(33), 64, 1}), F16({4, 64, 256}, {G(34), 1, 64}),
                        F16({4, 128, 64}, DENSE)},
                "sdpa_xmx16_64", "sdpa_portable", 1, 1},
        {"attention: keys 2^31 apart", strided_attention,
                {F16({4, 128, 64}, DENSE), F16({4, 64, 256}, {G(50), 1, G(31)}),
                        F16({4, 128, 64}, DENSE)},
                "sdpa_portable", "sdpa_portable", 1, 1},
        {"attention: keys in odd places", strided_attention,
                {F16({4, 128, 64}, DENSE), F16({4, 64, 256}, {67 * 256, 1, 67}),
                        F16({4, 128, 64}, DENSE)},
                "sdpa_portable", "sdpa_portable", 1, 1},
        {"attention: keys are one key", strided_attention,
                {F16({4, 128, 64}, DENSE), F16({4, 64, 256}, {64, 1, 0}), F16({4, 128, 64}, DENSE)},
                "sdpa_portable", "sdpa_portable", 1, 1},
        {"attention: 2^24 + 1 keys", strided_attention,
                {F16({4, 128, 64}, DENSE), F16({4, 64, G(24) + 1}, {G(31), 1, 64}),
                        F16({4, 128, 64}, DENSE)},
                "sdpa_portable", "sdpa_portable", 1, 1},
        {"attention: 2^24 + 1 queries", strided_attention,
                {F16({4, G(24) + 1, 64}, DENSE), F16({4, 64, 256}, {64 * 256, 1, 64}),
                        F16({4, G(24) + 1, 64}, DENSE)},
                "sdpa_portable", "sdpa_portable", 1, 1},
};

/* The variants for matrix units of 8 lanes that run it, and their numbers of steps. All other cases
 * are as without them. */
static const struct {
    const char *what, *row;
    int steps;
} of_8[] = {
        {"convolution: flat pixels 68 bytes apart", "conv_xmx8_f8x32", 3},
        {"convolution: any stride for one image of one pixel", "conv_xmx8_f8x32", 2},
        {"convolution: images are one image", "conv_xmx8_f128x64", 2},
        {"convolution: rows of an image are one row", "conv_xmx8_f128x64", 2},
        {"convolution: pixels are one pixel", "conv_xmx8_f128x64", 2},
        {"matmul: pitch of src 2^24", "matmul_xmx8_f128x128", 1},
        {"matmul: pitch of src 2^24 + 16", "matmul_xmx8_f128x128", 2},
        {"matmul: rows of src 2^31 apart", "matmul_xmx8_f128x128", 2},
        {"matmul: rows of src 2^31 apart, few", "matmul_xmx8_f8x32", 2},
        {"matmul: pitch of weights 2^24", "matmul_xmx8_i128x128", 1},
        {"matmul: rows of weights 2^32 apart", "matmul_xmx8_i128x128", 2},
        {"matmul: columns of weights 2^31 apart", "matmul_xmx8_f128x128", 2},
        {"matmul: odd rows of src", "matmul_xmx8_f128x128", 2},
        {"matmul: odd rows of weights", "matmul_xmx8_f128x128", 2},
        {"matmul: odd rows of dst", "matmul_xmx8_f128x128", 1},
        {"matmul: rows of dst 2^33 apart", "matmul_xmx8_f128x128", 1},
        {"matmul: any stride for one row", "matmul_xmx8_f8x32", 1},
        {"matmul: any stride for one column", "matmul_xmx8_f128x128", 1},
        {"matmul: matrices 2^32 apart", "matmul_xmx8_f128x128", 1},
        {"matmul: matrices that do not begin with a line", "matmul_xmx8_f128x128", 1},
        {"matmul: 2^24 rows", "matmul_xmx8_f128x128", 1},
        {"matmul: 2^24 + 1 rows", "matmul_xmx8_f128x128", 1},
        {"matmul: 2^23 columns", "matmul_xmx8_i128x128", 1},
        {"matmul: 2^24 columns", "matmul_xmx8_i128x128", 1},
        {"matmul: 2^24 + 64 columns that lie in columns", "matmul_xmx8_f128x128", 1},
        {"matmul: k of 2^22", "matmul_xmx8_f128x128", 1},
        {"matmul: rows of src are one row", "matmul_xmx8_f128x128", 1},
        {"matmul: src is one row", "matmul_xmx8_f128x128", 1},
        {"matmul: rows of weights are one row", "matmul_xmx8_f128x128", 1},
        {"matmul: matrices of src are one", "matmul_xmx8_f128x128", 1},
        {"inner product: rows 2^32 apart", "matmul_xmx8_f128x128", 2},
        {"inner product: 2^24 + 1 rows", "matmul_xmx8_i128x128", 1},
};

/* ---- ---- */

/* Buffers of 4 GiB or more need 64-bit addresses where the compiler would compute with 32 bits. */
static bool is_far(const pd_t *pd, const caps_t *caps) {
    bool far = pd->scratchpad_size > UINT32_MAX;
    for (int i = 0; i < pd->nargs; i++) far = far || md_size(&pd->args[i].md, 0) > UINT32_MAX;
    return far && caps->max_alloc_size <= UINT32_MAX;
}

static bool check(const limit_t *limit, const char *product, uint32_t lanes, int *nfar) {
    dnnl_primitive_desc_t handle = NULL;
    const dnnl_status_t status = strided_create(&handle, limit->make, limit->tensor, NULL);
    const char *row = NULL;
    int steps = 0;
    if (status == dnnl_success) {
        const pd_t *pd = case_pd(handle);
        assert_int_equal(pd->plan.large_offsets, is_far(pd, &harness_engine->core->caps));
        *nfar += pd->plan.large_offsets;
        row = pd->variant < 0 ? "none" : variants[pd->variant].id;
        steps = pd->plan.nsteps;
    }
    const char *wanted = lanes == 16 ? limit->with : limit->without;
    int wanted_steps = lanes == 16 ? limit->steps_with : limit->steps_without;
    for (size_t i = 0; i < ARRAY_LEN(of_8) && lanes == 8; i++)
        if (!strcmp(of_8[i].what, limit->what)) {
            wanted = of_8[i].row;
            wanted_steps = of_8[i].steps;
        }
    if (status != dnnl_success && status != dnnl_unimplemented)
        fail_msg("%s, %s: status %d", product, limit->what, (int)status);
    const bool same = row && wanted ? !strcmp(row, wanted) : row == wanted;
    if (!same || steps != wanted_steps)
        print_error("%s, %s: %s in %d steps, not %s in %d\n", product, limit->what,
                row ? row : "none", steps, wanted ? wanted : "none", wanted_steps);
    dnnl_primitive_desc_destroy(handle);
    return same && steps == wanted_steps;
}

static void test_products(void **state) {
    (void)state;
    caps_t *caps = &harness_engine->core->caps;
    const caps_t kept = *caps;
    int wrong = 0, nfar = 0;
    for (size_t p = 0; p < ARRAY_LEN(products); p++) {
        product_caps(&products[p], caps);
        caps->has_fp64 = false;
        caps->compute_units =
                64 * (caps->threads_per_eu = 8); /* another test covers the choice of tiles */
        for (size_t i = 0; i < ARRAY_LEN(limits); i++)
            wrong += !check(&limits[i], products[p].name, products[p].matrix_subgroup, &nfar);
    }
    *caps = kept;
    assert_int_equal(wrong, 0);
    assert_true(nfar > 0);
}

TEST_MAIN(cmocka_unit_test(test_products))
