/* SPDX-License-Identifier: Apache-2.0 */
/* A problem run by this library beside oneDNN's CPU library. */
#include "bench_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tensor_t tensor(role_t role, type_t type, order_t order, int ndims, const int64_t *dims) {
    tensor_t t = {.role = role, .type = type, .order = order, .ndims = ndims};
    for (int d = 0; d < ndims; d++) t.dims[d] = dims[d];
    return t;
}

int64_t tensor_elements(const tensor_t *t) {
    int64_t n = 1;
    for (int d = 0; d < t->ndims; d++) n *= t->dims[d];
    return n;
}

static size_t type_size(type_t type) {
    return type == TYPE_F32 || type == TYPE_S32 ? 4 : type == TYPE_BF16 ? 2 : 1;
}

/* Eighths for floats and small integers: sums are exact in either library, whatever their order
 * (oneDNN's sums of bytes saturate where the processor has no better instruction). */
static void fill(void *data, const tensor_t *t) {
    const int64_t n = tensor_elements(t);
    for (int64_t i = 0; i < n; i++) {
        const unsigned random = (unsigned)(i * 2654435761u) >> 12;
        float x = (float)((int)(random % 17) - 8) / 8;
        if (t->role == ROLE_VARIANCE) x = 1.5f + x;
        switch (t->type) {
        case TYPE_F32: ((float *)data)[i] = x; break;
        case TYPE_BF16:
            memcpy((uint16_t *)data + i, (const char *)&x + 2, 2);
            break; /* the upper half */
        case TYPE_U8: ((uint8_t *)data)[i] = (uint8_t)(random % 8); break;
        case TYPE_S8: ((int8_t *)data)[i] = (int8_t)((int)(random % 7) - 3); break;
        default: ((int32_t *)data)[i] = (int)random;
        }
    }
}

static double value_at(type_t type, const void *data, int64_t i) {
    float x = 0;
    switch (type) {
    case TYPE_F32: return (double)((const float *)data)[i];
    case TYPE_S32: return ((const int32_t *)data)[i];
    case TYPE_U8: return ((const uint8_t *)data)[i];
    case TYPE_S8: return ((const int8_t *)data)[i];
    default: memcpy((char *)&x + 2, (const uint16_t *)data + i, 2); return (double)x;
    }
}

static void compare(const char *name, const tensor_t *t, const void *here, const void *there,
        double tolerance) {
    for (int64_t i = 0; i < tensor_elements(t); i++) {
        const double a = value_at(t->type, here, i), b = value_at(t->type, there, i);
        if (fabs(a - b) <= tolerance + (t->type == TYPE_BF16 ? fabs(b) / 128 : 0)) continue;
        fprintf(stderr, "%s: element %lld: %g here, %g there\n", name, (long long)i, a, b);
        exit(1);
    }
}

race_t race_problem(bench_t *b, const library_t *here, const library_t *there, const char *name,
        const problem_t *p, double tolerance, int rounds, double seconds) {
    const int last = p->ntensors - 1;
    const size_t dst_size =
            (size_t)tensor_elements(&p->tensor[last]) * type_size(p->tensor[last].type);
    void *data[PROBLEM_TENSORS] = {NULL}, *theirs[PROBLEM_TENSORS] = {NULL};
    for (int i = 0; i < p->ntensors; i++) {
        data[i] = bench_alloc(
                b, (size_t)tensor_elements(&p->tensor[i]) * type_size(p->tensor[i].type));
        fill(data[i], &p->tensor[i]);
        theirs[i] = data[i];
    }
    theirs[last] = bench_alloc(b, dst_size);
    candidate_t c[2] = {{"here", here->run, here->create(p, data), 0}};
    bool made = c[0].arg != NULL;
    if (there) {
        c[1] = (candidate_t){"oneDNN", there->run, there->create(p, theirs), 0};
        made = made && c[1].arg;
    }
    if (!made) {
        fprintf(stderr, "%s: %s does not take it\n", name, c[0].arg ? "oneDNN" : "this library");
        exit(1);
    }
    if (there) {
        for (int i = 0; i < 2; i++) c[i].run(c[i].arg);
        here->result(c[0].arg, data[last]);
        there->result(c[1].arg, theirs[last]);
        compare(name, &p->tensor[last], data[last], theirs[last], tolerance);
    }
    bench_race(c, there ? 2 : 1, rounds, seconds);
    here->destroy(c[0].arg);
    if (there) there->destroy(c[1].arg);
    for (int i = 0; i < p->ntensors; i++) bench_free(b, data[i]);
    bench_free(b, theirs[last]);
    return (race_t){c[0].best, there ? c[1].best : 0};
}
