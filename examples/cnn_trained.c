/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies digits with the weights that digits_train has saved, in f32 and bf16. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cnn.h"
#include "lenet.h"

enum { BATCH = 256 };
static const double allowed_loss = 1.0, least_accuracy = 80.0; /* in percent */

static double classify(
        const lenet_t *l, const float *weights, dnnl_data_type_t type, const digits_t *asked) {
    net_t net;
    lenet_pass_t pass;
    net_open(&net, 0);
    lenet_inference(&pass, &net, l, BATCH, type, lenet_array(&net, l, weights));
    const size_t right = lenet_right(&pass, asked, 0, asked->count);
    net_close(&net);
    return 100 * (double)right / (double)asked->count;
}

int cnn_trained(const char *path, const digits_t *asked) {
    lenet_t l;
    if (lenet_init(&l, asked)) return 1;
    float *weights = check_alloc(malloc(l.elements * sizeof *weights));
    int failed = lenet_load(&l, weights, path);
    if (!failed) {
        const double f32 = classify(&l, weights, dnnl_f32, asked),
                     bf16 = classify(&l, weights, dnnl_bf16, asked);
        failed = f32 < least_accuracy || fabs(f32 - bf16) > allowed_loss;
        printf("trained: %.2f %% of %zu digits in f32, %.2f %% in bf16%s\n", f32, asked->count,
                bf16, failed ? " TOO FAR OFF" : "");
    }
    free(weights);
    return failed != 0;
}
