/* SPDX-License-Identifier: Apache-2.0 */
/* The course of a training as an SVG image. */
#ifndef EXAMPLES_PLOT_H
#define EXAMPLES_PLOT_H

typedef struct {
    const char *title;
    int steps, epochs;
    const float *loss;      /* of each step */
    const double *accuracy; /* on digits held out, after each epoch, in percent */
} course_t;

/* Returns 0, or -1 after a message on stderr. */
int plot_course(const course_t *course, const char *path);

#endif
