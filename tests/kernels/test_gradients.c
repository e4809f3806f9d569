/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients beside central differences of this library's own forward propagation
 * (cases/gradients.txt). With L = sum of diff_dst * dst, the gradient of L by an element x of an
 * argument is nearly (L(x + h) - L(x - h)) / 2h. No formula of a gradient is in this file. And
 * gradients of equal calls are equal, bit by bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

enum { ELEMENTS = 24, SAMPLE = 8 }; /* of each argument: two forward runs each */

/* An argument of the forward primitive, and of the backward one its gradient. */
static const struct {
    int arg, gradient;
} pairs[] = {{DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC}, {DNNL_ARG_SRC_1, DNNL_ARG_DIFF_SRC_1},
        {DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS}, {DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS},
        {DNNL_ARG_SRC_2, DNNL_ARG_DIFF_SRC_2}, {DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE},
        {DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SHIFT},
        {DNNL_ARG_AUGRU_ATTENTION, DNNL_ARG_DIFF_AUGRU_ATTENTION},
        {DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_DIFF_WEIGHTS_ITER},
        {DNNL_ARG_WEIGHTS_PEEPHOLE, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE},
        {DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_DIFF_WEIGHTS_PROJECTION}};

/* Results of the forward primitive, and what the backward one reads of the loss. Only recurrent
 * networks have more than one. */
static const struct {
    int arg, gradient;
} results[] = {{DNNL_ARG_DST, DNNL_ARG_DIFF_DST}, {DNNL_ARG_DST_ITER, DNNL_ARG_DIFF_DST_ITER},
        {DNNL_ARG_DST_ITER_C, DNNL_ARG_DIFF_DST_ITER_C}};

/* The problem of a case, forward or as it stands. Answers false if a variant is missing. */
static bool open_as(case_t *run, const test_case_t *c, bool forward) {
    static char text[LINE_LENGTH], copy[LINE_LENGTH];
    static line_t line;
    problem_t p;
    batch_problem(c->line, c->index, text, sizeof(text));
    char *prop = strstr(text, ",backward");
    assert_non_null(prop);
    const char *rest = prop + 1 + strcspn(prop + 1, ",");
    snprintf(copy, sizeof(copy), "%.*s,forward_training%s", (int)(prop - text), text, rest);
    const char *wrong = line_parse(&line, forward ? copy : text);
    if (!wrong) wrong = problem_create_hinted(&p, &line, harness_engine, &harness_hints);
    if (wrong) fail_msg("%s: %s", c->text, wrong);
    if (p.status != dnnl_success) print_error("%s\n", c->text);
    return case_open_problem(run, &p);
}

/* What the forward primitive has read and written, the backward one reads. */
static void hand_over(case_t *backward, const case_t *forward) {
    for (int i = 0; i < backward->pd->nargs; i++) {
        if (backward->pd->args[i].flags & PD_OUT || md_is_zero(&backward->md[i])) continue;
        const int from = pd_find_arg(forward->pd, backward->pd->args[i].arg);
        if (from < 0 || md_is_zero(&forward->md[from])) continue;
        if (!md_equal(&forward->md[from], &backward->md[i]))
            fail_msg("argument %d has another layout", backward->pd->args[i].arg);
        memcpy(backward->data[i], forward->data[from], forward->size[from]);
    }
}

static double value_at(const case_t *c, int slot, const dnnl_dim_t *pos) {
    return ref_load(c->md[slot].data_type, c->data[slot], md_offset(&c->md[slot], pos));
}

/* The sum of diff_dst * dst. */
static double loss(const case_t *forward, const case_t *backward) {
    double sum = 0;
    for (int i = 0; i < ARRAY_LEN(results); i++) {
        const int dst = pd_find_arg(forward->pd, results[i].arg),
                  diff = pd_find_arg(backward->pd, results[i].gradient);
        if (dst < 0 || diff < 0 || md_is_zero(&backward->md[diff])) continue;
        dnnl_dims_t pos = {0};
        do sum += value_at(forward, dst, pos) * value_at(backward, diff, pos);
        while (ref_next(forward->md[dst].dims, forward->md[dst].ndims, pos));
    }
    return sum;
}

static double loss_with(case_t *forward, const case_t *backward, int slot, int64_t at, double x) {
    ref_store(forward->md[slot].data_type, forward->data[slot], at, x);
    case_run(forward);
    return loss(forward, backward);
}

/* The positions of every so manyth element. */
static int64_t step_of(const md_t *md) {
    const int64_t n = md_nelems(md, false), most = harness_leaves_out() ? SAMPLE : ELEMENTS;
    return n > most ? n / most : 1;
}

static double largest(const case_t *c, int slot) {
    double most = 0;
    dnnl_dims_t pos = {0};
    do most = fmax(most, fabs(value_at(c, slot, pos)));
    while (ref_next(c->md[slot].dims, c->md[slot].ndims, pos));
    return most;
}

/* Does the backward primitive read what the forward one has rounded to a float: bases, statistics?
 */
static bool reads_floats(const case_t *backward) {
    for (int i = 0; i < backward->pd->nargs; i++)
        if (!(backward->pd->args[i].flags & PD_OUT) && backward->md[i].data_type == dnnl_f32)
            return true;
    return false;
}

/* The largest difference from a gradient of at most 1. */
static double limit_of(const case_t *backward, bool doubles) {
    if (!doubles) return 0x1p-8;
    return reads_floats(backward) ? 0x1p-18 : 0x1p-28;
}

static double central_difference(
        case_t *forward, const case_t *backward, int slot, int64_t at, double h) {
    const dnnl_data_type_t dt = forward->md[slot].data_type;
    const double x = ref_load(dt, forward->data[slot], at);
    const double above = loss_with(forward, backward, slot, at, x + h),
                 below = loss_with(forward, backward, slot, at, x - h);
    ref_store(dt, forward->data[slot], at, x);
    return (above - below) / (2 * h);
}

/* Are gradients of weights added to what is there? */
static bool adds(const case_t *backward, int gradient) {
    const op_params_t *p = &backward->pd->params;
    const int arg = backward->pd->args[gradient].arg;
    return p->kind == dnnl_rnn && arg >= DNNL_ARG_DIFF_WEIGHTS &&
           !(p->flags & dnnl_rnn_flags_diff_weights_overwrite);
}

/* With doubles, a step of 2^-17 leaves errors of about 2^-34 from curvature and 2^-36 from
 * rounding; with floats, a step of 2^-7 leaves errors of about 2^-14 and 2^-17. A gradient that is
 * computed from a float has an error of 2^-24. All are relative to the largest gradient; the limits
 * leave a factor of 64 for sums and steep functions. */
static void compare(case_t *forward, const case_t *backward, int slot, int gradient) {
    const md_t *md = &forward->md[slot];
    const bool doubles = md->data_type == dnnl_f64;
    const double h = doubles ? 0x1p-17 : 0x1p-7;
    const double most = limit_of(backward, doubles) * fmax(1, largest(backward, gradient));
    const int64_t step = step_of(md);
    dnnl_dims_t pos = {0};
    int64_t i = 0;
    do {
        if (i++ % step) continue;
        const int64_t at = md_offset(md, pos);
        double got = value_at(backward, gradient, pos);
        if (adds(backward, gradient))
            got -= ref_load(backward->md[gradient].data_type, backward->before[gradient],
                    md_offset(&backward->md[gradient], pos));
        const double want = central_difference(forward, backward, slot, at, h);
        if (!(fabs(got - want) <= most))
            fail_msg("argument %d, element %lld: got %.9g, central difference %.9g +- %.3g",
                    backward->pd->args[gradient].arg, (long long)i - 1, got, want, most);
    } while (ref_next(md->dims, md->ndims, pos));
}

/* Runs both primitives of a case. Answers false if a variant is missing. */
static bool run_both(case_t *forward, case_t *backward, const test_case_t *c) {
    if (!open_as(forward, c, true)) return false;
    if (!open_as(backward, c, false)) {
        case_close(forward);
        return false;
    }
    case_fill(forward, NULL);
    case_run(forward);
    case_fill(backward, NULL);
    hand_over(backward, forward);
    backward->is_trained = true;
    case_run(backward);
    return true;
}

static void check(const test_case_t *c) {
    case_t forward, backward;
    harness_seed(1); /* values do not depend on the cases before */
    if (!run_both(&forward, &backward, c)) return;
    int compared = 0;
    for (int i = 0; i < ARRAY_LEN(pairs); i++) {
        const int slot = pd_find_arg(forward.pd, pairs[i].arg),
                  gradient = pd_find_arg(backward.pd, pairs[i].gradient);
        if (slot < 0 || gradient < 0 || md_is_zero(&backward.md[gradient])) continue;
        print_message("%s: gradient %d\n", c->text, pairs[i].gradient);
        compare(&forward, &backward, slot, gradient);
        compared++;
    }
    assert_true(compared > 0);
    harness_count.run++;
    case_close(&forward);
    case_close(&backward);
}

/* The bytes of all arguments that a primitive writes, one after the other. To be freed. */
static uint8_t *written(const case_t *c, size_t *size) {
    *size = 0;
    for (int i = 0; i < c->pd->nargs; i++)
        if (c->pd->args[i].flags & PD_OUT) *size += c->size[i];
    uint8_t *bytes = malloc(*size + 1), *to = bytes;
    assert_non_null(bytes);
    for (int i = 0; i < c->pd->nargs; i++) {
        if (!(c->pd->args[i].flags & PD_OUT) || !c->size[i]) continue;
        memcpy(to, c->data[i], c->size[i]);
        to += c->size[i];
    }
    return bytes;
}

/* So that a run which writes nothing gives other bytes. */
static void spoil(case_t *c) {
    for (int i = 0; i < c->pd->nargs; i++)
        if (c->pd->args[i].flags & PD_OUT && c->size[i]) memset(c->data[i], 0x5a, c->size[i]);
}

static void check_bits(const test_case_t *c) {
    enum { RUNS = 3 };
    case_t forward, backward;
    if (!run_both(&forward, &backward, c)) return;
    size_t size, same;
    uint8_t *first = written(&backward, &size);
    assert_true(size > 0);
    for (int i = 1; i < RUNS; i++) {
        spoil(&backward);
        case_run(&backward);
        uint8_t *again = written(&backward, &same);
        if (memcmp(first, again, size)) fail_msg("%s: run %d gives other bits", c->text, i);
        free(again);
    }
    free(first);
    harness_count.run++;
    case_close(&forward);
    case_close(&backward);
}

/* All problems, or one in twelve where the tests take samples. */
static void check_share(const test_case_t *c) {
    enum { SHARE = 12 };
    if (!harness_leaves_out() || (c->index + c->number) % SHARE == 0) check(c);
}

static void test_gradients(void **unused) {
    (void)unused;
    cases_each("gradients", "all", "", check_share);
}

static void test_recurrent(void **unused) {
    (void)unused;
    cases_each("gradients", "recurrent", "", check_share);
}

static void test_same_bits(void **unused) {
    (void)unused;
    cases_each("gradients", "same bits", "attr=deterministic:1", check_bits);
}

TEST_MAIN(cmocka_unit_test(test_gradients), cmocka_unit_test(test_recurrent),
        cmocka_unit_test(test_same_bits))
