/* SPDX-License-Identifier: Apache-2.0 */
/* Inference with convolutional nets through the C API, on the application's own command list:
 * AlexNet's layers, a small net that learns digits in closed form and then classifies them in three
 * data types, and the net that digits_train has trained. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cnn.h"

static int usage(const char *name) {
    fprintf(stderr,
            "usage: %s                          the first two nets\n"
            "       %s alexnet [BATCH]          AlexNet's layers on BATCH images (2)\n"
            "       %s digits [FILES]           learns and classifies digits, which it draws or "
            "reads\n"
            "       %s trained WEIGHTS [FILES]  classifies with the weights of digits_train\n",
            name, name, name, name);
    return 2;
}

/* Without weights it learns first. */
static int digits(const char *weights, int nfiles, char **files) {
    digits_t known, asked;
    if (digits_load(&known, &asked, nfiles, files)) return 1;
    const int failed = weights ? cnn_trained(weights, &asked) : cnn_digits(&known, &asked);
    digits_free(&known);
    digits_free(&asked);
    return failed;
}

int main(int argc, char **argv) {
    if (argc == 1) return cnn_alexnet(2) | digits(NULL, 0, NULL);
    if (!strcmp(argv[1], "alexnet") && argc <= 3) {
        const long batch = argc == 3 ? strtol(argv[2], NULL, 10) : 2;
        if (batch >= 1 && batch <= 1024) return cnn_alexnet(batch);
    }
    if (!strcmp(argv[1], "digits")) return digits(NULL, argc - 2, argv + 2);
    if (!strcmp(argv[1], "trained") && argc > 2) return digits(argv[2], argc - 3, argv + 3);
    return usage(argv[0]);
}
