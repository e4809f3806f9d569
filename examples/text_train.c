/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of programs that learn to continue text. */
#include "text_train.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "net.h"

/* SAMPLES counts the one at the end. */
enum { REPORTS = 10, SAMPLES = 3, SHORT_SAMPLE = 160 };

typedef struct {
    double ms, processor_s;
} start_t;

/* Of all threads of the process: those of the CPU driver are among them. */
static double processor_s(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double seconds_since(const start_t *start) {
    return (now_ms() - start->ms) * 1e-3;
}

/* Rises over the first twentieth of the steps, then falls along half a period of a cosine. */
static double rate_at(const text_training_t *t, int step) {
    const double rise = 1 + floor(t->steps / 20);
    if (step < rise) return t->rate * (step + 1) / rise;
    const double part = (step - rise) / fmax(1, t->steps - rise);
    const double mean = (1 + t->last_rate) / 2, swing = (1 - t->last_rate) / 2;
    return t->rate * (mean + swing * cos(3.14159265358979 * part));
}

/* Does this step end one of `parts` equal parts of the steps? */
static int ends_part(const text_training_t *t, int step, int parts) {
    return (int)((double)step * parts / t->steps) > (int)((double)(step - 1) * parts / t->steps);
}

/* A terminal shows the progress in a line that is written over and over. */
static void clear_progress(void) {
    if (isatty(STDOUT_FILENO)) printf("\r\033[K");
}

static void print_progress(const text_training_t *t, int step, double loss, const start_t *start) {
    if (!isatty(STDOUT_FILENO)) return;
    const double seconds = seconds_since(start);
    printf("\rstep %d of %.0f, loss %.3f, %.0f s, %.0f s left   ", step, t->steps, loss, seconds,
            seconds * (t->steps - step) / step);
    fflush(stdout);
}

/* Returns the loss on text held out. */
static double report(const text_training_t *t, int step, double loss, const start_t *start) {
    const double held_out = t->held_out_loss(t->model);
    clear_progress();
    printf("step %4d: loss %.3f, on text held out %.3f, %.1f s, of processors %.1f s\n", step, loss,
            held_out, seconds_since(start), processor_s() - start->processor_s);
    fflush(stdout);
    return held_out;
}

static void write_sample(const text_training_t *t, double count) {
    if (count == 0) return;
    clear_progress();
    printf("---- it writes: ----\n");
    t->write_text(t->model, (int)count);
    printf("--------------------\n");
}

double text_train(const text_training_t *t) {
    const start_t start = {.ms = now_ms(), .processor_s = processor_s()};
    double sum = 0, held_out = INFINITY;
    int summed = 0;
    for (int step = 1; step <= (int)t->steps; step++) {
        const double loss = t->train_step(t->model, rate_at(t, step - 1));
        sum += loss;
        summed++;
        print_progress(t, step, loss, &start);
        if (step == 1 && t->steps > REPORTS) report(t, step, loss, &start);
        if (ends_part(t, step, REPORTS)) {
            held_out = report(t, step, sum / summed, &start);
            sum = summed = 0;
        }
        if (step < (int)t->steps && ends_part(t, step, SAMPLES))
            write_sample(t, fmin(t->sample, SHORT_SAMPLE));
    }
    return held_out;
}

void text_write_sample(const text_training_t *t) {
    write_sample(t, t->sample);
}

int text_check_loss(const text_training_t *t, const char *program, double loss) {
    if (loss < t->bound) return 0;
    fprintf(stderr, "%s: the loss on text held out ends at %.3f, not below %g\n", program, loss,
            t->bound);
    return 1;
}
