/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of tests/problem's language in the benchmarks: read, described in plain words, raced. */
#include "bench_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_train.h"
#include "core/direction.h"
#include "core/primitive_desc.h"
#include "oneapi/dnnl/dnnl.h"

/* ---- plain words ---- */

/* The descriptor that the caller's data have: row-major where the library chooses the layout.
 * Answers whether it does. */
static bool given_md(const pd_t *pd, const pd_arg_t *arg, md_t *md) {
    *md = arg->md;
    for (int i = 0; i < pd->request.ntensors; i++) {
        const pd_tensor_t *t = &pd->request.tensor[i];
        if (t->arg != arg->arg || !md_is_any(t->md)) continue;
        *md = *t->md;
        CHECK(md_set_plain(md));
        return true;
    }
    return false;
}

static const char *describe_tensor(plain_tensor_t *t, const pd_t *pd, const pd_arg_t *arg) {
    md_t md;
    t->any = given_md(pd, arg, &md);
    t->arg = arg->arg;
    if (t->arg == DNNL_ARG_WORKSPACE) t->any = true; /* each library has its own */
    t->type = enum_name(NAMES_DATA_TYPE, (int)md.data_type);
    if (!md_is_plain(&md)) return "a tensor has a layout in blocks";
    if (library_find(t->type) < 0) return "a tensor has a type that benchmarks do not know";
    t->ndims = md.ndims;
    memcpy(t->dims, md.dims, sizeof(t->dims));
    memcpy(t->strides, md.format_desc.blocking.strides, sizeof(t->strides));
    return NULL;
}

static const char *describe_tensors(plain_problem_t *p, const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++) {
        if (md_is_zero(&pd->args[i].md)) continue;
        if (p->ntensors == PLAIN_TENSORS) return "there are too many tensors";
        if (pd->args[i].arg == DNNL_ARG_SCRATCHPAD) continue;
        if (pd->args[i].arg == pd_result(pd)) p->dst = p->ntensors;
        TRY_TEXT(describe_tensor(&p->tensor[p->ntensors++], pd, &pd->args[i]));
    }
    return NULL;
}

static const char *describe(plain_problem_t *p, const pd_t *pd, const line_t *line) {
    const op_params_t *params = &pd->params;
    const bool windows = params->kind == dnnl_convolution || params->kind == dnnl_pooling;
    const bool backward = pd_result(pd) != DNNL_ARG_DST;
    *p = (plain_problem_t){.kind = line->kind,
            .alg = enum_name(NAMES_ALG_KIND, (int)params->alg_kind),
            .backward = backward ? enum_name(NAMES_PROP_KIND, (int)params->prop_kind) : NULL,
            .training = params->prop_kind == dnnl_forward_training,
            .global_stats = strchr(line_aux(line, "flags", ""), 'G') != NULL,
            .axis = params->kind == dnnl_rnn ? 0 : params->axis,
            .relu = !strcmp(line->attr, "attr-post-ops:eltwise_relu"),
            .epsilon = params->epsilon};
    if (params->kind == dnnl_lrn) {
        p->local_size = (int)params->local_size;
        p->alpha = params->alpha, p->beta = params->beta, p->k = params->k;
    }
    if (params->kind == dnnl_rnn)
        p->activation = enum_name(NAMES_ALG_KIND, params->activation_kind);
    if (params->kind == dnnl_rnn && params->direction != dnnl_unidirectional_left2right)
        return "it goes through time in another direction";
    if (line->attr[0] && !p->relu) return "it has attributes other than relu as post-op";
    for (int d = 0; windows && d < PLAIN_DIMS; d++) {
        if (params->dilates[d]) return "it has dilations";
        p->strides[d] = params->strides[d];
        p->kernel[d] = params->kernel[d];
        p->pad_left[d] = params->padding[0][d];
        p->pad_right[d] = params->padding[1][d];
    }
    return describe_tensors(p, pd);
}

/* ---- reading ---- */

static const char *create(
        bench_problem_t *p, const bench_t *b, const batch_line_t *line, int64_t index) {
    static char text[LINE_LENGTH];
    batch_problem(line, index, text, sizeof(text));
    TRY_TEXT(line_parse(&p->line, text));
    TRY_TEXT(problem_create(&p->problem, &p->line, b->engine));
    if (p->problem.status != dnnl_success) return "this library does not support it";
    TRY_TEXT(describe(&p->plain, p->problem.pd->pd, &p->line));
    batch_text(line, index, text, sizeof(text));
    if (!problem_name(p->name, &p->plain)) snprintf(p->name, sizeof(p->name), "%.63s", text);
    return NULL;
}

void bench_problem_create(
        bench_problem_t *p, const bench_t *b, const batch_line_t *line, int64_t index) {
    static char text[LINE_LENGTH];
    const char *wrong = create(p, b, line, index);
    if (!wrong) return;
    batch_text(line, index, text, sizeof(text));
    fprintf(stderr, "%s: %s\n", text, wrong);
    exit(1);
}

void bench_problem_create_from(bench_problem_t *p, const bench_t *b, const char *text) {
    char copy[256];
    batch_line_t line;
    snprintf(copy, sizeof(copy), "%s", text);
    batch_t batch = {.file = fmemopen(copy, strlen(copy), "r")};
    CHECK(!batch.file || batch_read(&batch, &line) != 1);
    bench_problem_create(p, b, &line, 0);
    batch_free(&line);
    fclose(batch.file);
}

void bench_problem_destroy(bench_problem_t *p) {
    CHECK(dnnl_primitive_desc_destroy(p->problem.pd));
}

/* ---- data ---- */

/* With the holes of the layout. */
static int64_t tensor_elements(const plain_tensor_t *t) {
    int64_t last = 0;
    for (int d = 0; d < t->ndims; d++) last += (t->dims[d] - 1) * t->strides[d];
    return last + 1;
}

static dnnl_data_type_t tensor_type(const plain_tensor_t *t) {
    return (dnnl_data_type_t)library_find(t->type);
}

static size_t tensor_size(const plain_tensor_t *t) {
    return (size_t)tensor_elements(t) * dt_size(tensor_type(t));
}

/* Max pooling's: each window has its largest element at this tap, as far as the image goes. */
enum { MAX_TAP = 4 };

/* Eighths for floats and small integers: sums are exact in either library, whatever their order
 * (oneDNN's sums of bytes saturate where the processor has no better instruction). */
static void fill(void *data, const plain_tensor_t *t) {
    const int64_t n = tensor_elements(t);
    const dnnl_data_type_t type = tensor_type(t);
    for (int64_t i = 0; i < n; i++) {
        const unsigned random = (unsigned)(i * 2654435761u) >> 12;
        float x = (float)((int)(random % 17) - 8) / 8;
        if (t->arg == DNNL_ARG_VARIANCE) x = 1.5f + x;
        if (t->ndims == 5) x /= 32; /* weights of a network in which errors do not grow */
        switch (t->arg == DNNL_ARG_WORKSPACE ? dnnl_data_type_undef : type) {
        case dnnl_f32: ((float *)data)[i] = x; break;
        case dnnl_bf16:
            memcpy((uint16_t *)data + i, (const char *)&x + 2, 2);
            break; /* the upper half */
        case dnnl_u8: ((uint8_t *)data)[i] = (uint8_t)(random % 8); break;
        case dnnl_s8: ((int8_t *)data)[i] = (int8_t)((int)(random % 7) - 3); break;
        case dnnl_data_type_undef:
            memset((char *)data + i * (int64_t)dt_size(type), MAX_TAP, 1);
            break;
        default: ((int32_t *)data)[i] = (int)random;
        }
    }
}

static double value_at(dnnl_data_type_t type, const void *data, int64_t i) {
    float x = 0;
    switch (type) {
    case dnnl_f32: return (double)((const float *)data)[i];
    case dnnl_s32: return ((const int32_t *)data)[i];
    case dnnl_u8: return ((const uint8_t *)data)[i];
    case dnnl_s8: return ((const int8_t *)data)[i];
    default: memcpy((char *)&x + 2, (const uint16_t *)data + i, 2); return (double)x;
    }
}

static void compare(const char *name, const plain_tensor_t *t, const void *here, const void *there,
        double tolerance) {
    const dnnl_data_type_t type = tensor_type(t);
    for (int64_t i = 0; i < tensor_elements(t); i++) {
        const double a = value_at(type, here, i), b = value_at(type, there, i);
        if (fabs(a - b) <= tolerance + (type == dnnl_bf16 ? fabs(b) / 128 : 0)) continue;
        fprintf(stderr, "%s: element %lld: %g here, %g there\n", name, (long long)i, a, b);
        exit(1);
    }
}

/* ---- races ---- */

/* The forward primitive whose workspace this one reads; NULL: none. */
static dnnl_primitive_desc_t training_desc(const bench_problem_t *p) {
    dnnl_primitive_desc_t forward = NULL;
    const op_params_t *params = &p->problem.pd->pd->params;
    if (!p->plain.backward) return NULL;
    if (params->kind == dnnl_rnn)
        CHECK(case_training_desc(&forward, p->problem.pd->pd, p->problem.engine));
    if (params->kind == dnnl_lrn) {
        const md_t *src = pd_md(p->problem.pd->pd, DNNL_ARG_SRC);
        CHECK(dnnl_lrn_forward_primitive_desc_create(&forward, p->problem.engine,
                dnnl_forward_training, params->alg_kind, src, src, params->local_size,
                params->alpha, params->beta, params->k, NULL));
    }
    return forward;
}

static candidate_t candidate(
        const char *name, const library_t *library, const bench_problem_t *p, void *const *data) {
    dnnl_primitive_desc_t forward = training_desc(p);
    void *op = library->create(&p->plain, p->problem.pd, forward, data);
    if (forward) CHECK(dnnl_primitive_desc_destroy(forward));
    if (op) return (candidate_t){name, library->run, op, 0};
    fprintf(stderr, "%s: %s does not support it\n", p->name, name);
    exit(1);
}

race_t race_problem(bench_t *b, const library_t *here, const library_t *there,
        const bench_problem_t *p, double tolerance, int rounds, double seconds) {
    const int n = p->plain.ntensors, dst = p->plain.dst;
    const plain_tensor_t *tensor = p->plain.tensor;
    void *data[PLAIN_TENSORS] = {NULL}, *theirs[PLAIN_TENSORS] = {NULL};
    for (int i = 0; i < n; i++) {
        theirs[i] = data[i] = bench_alloc(b, tensor_size(&tensor[i]));
        fill(data[i], &tensor[i]);
    }
    theirs[dst] = bench_alloc(b, tensor_size(&tensor[dst]));
    fill(theirs[dst], &tensor[dst]);
    candidate_t c[2] = {candidate("this library", here, p, data)};
    if (there) {
        c[1] = candidate("oneDNN", there, p, theirs);
        for (int i = 0; i < 2; i++) c[i].run(c[i].arg);
        here->result(c[0].arg, data[dst]);
        there->result(c[1].arg, theirs[dst]);
        compare(p->name, &tensor[dst], data[dst], theirs[dst], tolerance);
    }
    bench_race(c, there ? 2 : 1, rounds, seconds);
    here->destroy(c[0].arg);
    if (there) there->destroy(c[1].arg);
    for (int i = 0; i < n; i++) bench_free(b, data[i]);
    bench_free(b, theirs[dst]);
    return (race_t){c[0].best, there ? c[1].best : 0};
}
