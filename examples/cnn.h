/* SPDX-License-Identifier: Apache-2.0 */
/* The nets of cnn_inference. Each prints what it finds and returns 0 if that is right. */
#ifndef EXAMPLES_CNN_H
#define EXAMPLES_CNN_H

#include "data/load_digits.h"
#include "dnnl.h"

int cnn_alexnet(dnnl_dim_t batch);
/* Learns from `known` and classifies `asked`, in f32, bf16 and int8. */
int cnn_digits(const digits_t *known, const digits_t *asked);
/* Classifies in f32 and bf16 with the weights that digits_train saved in a file. */
int cnn_trained(const char *path, const digits_t *asked);

#endif
