/* SPDX-License-Identifier: Apache-2.0 */
/* One batch over all devices of the machine: each device, or each sub-device of one that has
 * some, is an engine and takes its share of the rows. Devices of one driver share a context, and
 * with it the batch and the result; another driver has copies. The result is the one that the
 * first device computes alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "dnnl_ze.h"

enum { BATCH = 1000, IN = 256, HIDDEN = 512, OUT = 64, MAX_DRIVERS = 8, MAX_PARTS = 64 };

/* What the devices of one driver share. */
typedef struct {
    app_t app;
    float *batch, *result,
            *weights[2]; /* host memory, which each of the devices reads and writes */
} shared_t;

/* A device at work: two layers, relu after the first. */
typedef struct {
    shared_t *shared;
    ze_device_handle_t device;
    int is_sub_device, driver;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t layer[2];
    dnnl_memory_t src, hidden, dst, weights[2];
    int row, rows;
} part_t;

static shared_t shared[MAX_DRIVERS];
static part_t parts[MAX_PARTS];
static int n_shared, n_parts;

static void add_part(shared_t *s, ze_device_handle_t device, int is_sub_device) {
    if (n_parts < MAX_PARTS)
        parts[n_parts++] = (part_t){.shared = s,
                .device = device,
                .is_sub_device = is_sub_device,
                .driver = (int)(s - shared)};
}

/* Leaves only: a device and its sub-devices are the same processors. */
static void add_device(void *arg, ze_driver_handle_t driver, ze_device_handle_t device,
        const ze_device_properties_t *properties) {
    (void)arg;
    int i = 0;
    while (i < n_shared && shared[i].app.driver != driver) i++;
    if (i == MAX_DRIVERS) return;
    if (i == n_shared) {
        shared[n_shared++].app =
                (app_t){.driver = driver, .device = device, .properties = *properties};
        const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
        CHECK_ZE(zeContextCreate(driver, &desc, &shared[i].app.context));
    }
    ze_device_handle_t subs[MAX_PARTS];
    uint32_t count = MAX_PARTS;
    CHECK_ZE(zeDeviceGetSubDevices(device, &count, subs));
    for (uint32_t j = 0; j < count; j++) add_part(&shared[i], subs[j], 1);
    if (!count) add_part(&shared[i], device, 0);
}

static float *filled(const app_t *app, size_t n, unsigned seed, float scale) {
    float *x = app_alloc_host(app, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = ((float)(seed >> 8) / (float)(1 << 23) - 1) * scale;
    }
    return x;
}

static dnnl_memory_t matrix(const part_t *p, dnnl_dim_t rows, dnnl_dim_t columns, void *pointer) {
    const dnnl_dims_t dims = {rows, columns};
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    CHECK_DNNL(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    CHECK_DNNL(dnnl_memory_create(&memory, md, p->engine, pointer));
    CHECK_DNNL(dnnl_memory_desc_destroy(md));
    return memory;
}

static const_dnnl_memory_desc_t desc_of(const_dnnl_memory_t memory) {
    const_dnnl_memory_desc_t md;
    CHECK_DNNL(dnnl_memory_get_memory_desc(memory, &md));
    return md;
}

/* Each device reads its weights many times: they go into its own memory. */
static dnnl_memory_t upload(const part_t *p, dnnl_dim_t rows, dnnl_dim_t columns, float *host) {
    dnnl_memory_t from = matrix(p, rows, columns, host);
    dnnl_memory_t to = matrix(p, rows, columns, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t copy;
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, desc_of(from), p->engine, desc_of(to), p->engine, NULL));
    CHECK_DNNL(dnnl_primitive_create(&copy, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK_DNNL(dnnl_primitive_execute(copy, p->stream, 2, args));
    CHECK_DNNL(dnnl_stream_wait(p->stream));
    CHECK_DNNL(dnnl_primitive_destroy(copy));
    CHECK_DNNL(dnnl_primitive_desc_destroy(pd));
    CHECK_DNNL(dnnl_memory_destroy(from));
    return to;
}

static dnnl_primitive_t matmul(
        const part_t *p, dnnl_memory_t src, dnnl_memory_t weights, dnnl_memory_t dst, int relu) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    CHECK_DNNL(dnnl_primitive_attr_create(&attr));
    CHECK_DNNL(dnnl_post_ops_create(&ops));
    if (relu) CHECK_DNNL(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    CHECK_DNNL(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(
            &pd, p->engine, desc_of(src), desc_of(weights), NULL, desc_of(dst), attr));
    CHECK_DNNL(dnnl_primitive_create(&primitive, pd));
    CHECK_DNNL(dnnl_primitive_desc_destroy(pd));
    CHECK_DNNL(dnnl_post_ops_destroy(ops));
    CHECK_DNNL(dnnl_primitive_attr_destroy(attr));
    return primitive;
}

/* Rows `row` and following of the batch; the result goes to `result`. */
static void part_open(part_t *p, int row, int rows, float *result) {
    shared_t *s = p->shared;
    p->row = row;
    p->rows = rows;
    CHECK_DNNL(dnnl_ze_interop_engine_create(&p->engine, s->app.driver, p->device, s->app.context));
    CHECK_DNNL(dnnl_stream_create(&p->stream, p->engine, dnnl_stream_in_order));
    p->weights[0] = upload(p, IN, HIDDEN, s->weights[0]);
    p->weights[1] = upload(p, HIDDEN, OUT, s->weights[1]);
    p->src = matrix(p, rows, IN, s->batch + (size_t)row * IN);
    p->hidden = matrix(p, rows, HIDDEN, DNNL_MEMORY_ALLOCATE);
    p->dst = matrix(p, rows, OUT, result + (size_t)row * OUT);
    p->layer[0] = matmul(p, p->src, p->weights[0], p->hidden, 1);
    p->layer[1] = matmul(p, p->hidden, p->weights[1], p->dst, 0);
}

static void part_submit(const part_t *p) {
    const dnnl_exec_arg_t first[] = {
            {DNNL_ARG_SRC, p->src}, {DNNL_ARG_WEIGHTS, p->weights[0]}, {DNNL_ARG_DST, p->hidden}};
    const dnnl_exec_arg_t second[] = {
            {DNNL_ARG_SRC, p->hidden}, {DNNL_ARG_WEIGHTS, p->weights[1]}, {DNNL_ARG_DST, p->dst}};
    CHECK_DNNL(dnnl_primitive_execute(p->layer[0], p->stream, 3, first));
    CHECK_DNNL(dnnl_primitive_execute(p->layer[1], p->stream, 3, second));
}

static void part_close(part_t *p) {
    const dnnl_memory_t memories[] = {p->src, p->hidden, p->dst, p->weights[0], p->weights[1]};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        CHECK_DNNL(dnnl_memory_destroy(memories[i]));
    for (int i = 0; i < 2; i++) CHECK_DNNL(dnnl_primitive_destroy(p->layer[i]));
    CHECK_DNNL(dnnl_stream_destroy(p->stream));
    CHECK_DNNL(dnnl_engine_destroy(p->engine));
}

static void share_out(void) {
    for (int i = 0; i < n_parts; i++) {
        const int row = BATCH * i / n_parts, rows = BATCH * (i + 1) / n_parts - row;
        part_open(&parts[i], row, rows, parts[i].shared->result);
    }
    for (int i = 0; i < n_parts; i++) part_submit(&parts[i]); /* all at once ... */
    for (int i = 0; i < n_parts; i++)
        CHECK_DNNL(dnnl_stream_wait(parts[i].stream)); /* ... then wait */
}

int main(void) {
    if (for_each_device(add_device, NULL) == 0) {
        fprintf(stderr, "no Level Zero GPU or CPU device\n");
        return 1;
    }
    for (int i = 0; i < n_shared; i++) {
        shared_t *s = &shared[i];
        s->batch = filled(&s->app, (size_t)BATCH * IN, 1, 1);
        s->weights[0] = filled(&s->app, (size_t)IN * HIDDEN, 2, 0.1f);
        s->weights[1] = filled(&s->app, (size_t)HIDDEN * OUT, 3, 0.1f);
        s->result = filled(&s->app, (size_t)BATCH * OUT, 4, 1e9f);
    }
    share_out();

    part_t alone = {.shared = parts[0].shared, .device = parts[0].device};
    float *expected = app_alloc_host(&alone.shared->app, (size_t)BATCH * OUT * sizeof *expected);
    part_open(&alone, 0, BATCH, expected);
    part_submit(&alone);
    CHECK_DNNL(dnnl_stream_wait(alone.stream));

    double worst = 0;
    for (int i = 0; i < n_parts; i++) {
        const part_t *p = &parts[i];
        for (int k = p->row * OUT; k < (p->row + p->rows) * OUT; k++)
            worst = fmax(worst, fabs((double)p->shared->result[k] - (double)expected[k]));
        printf("driver %d, %s: rows %d to %d\n", p->driver,
                p->is_sub_device ? "sub-device" : "device", p->row, p->row + p->rows - 1);
    }
    printf("%d engines; greatest difference to one device alone: %g\n", n_parts, worst);

    part_close(&alone);
    app_free(&alone.shared->app, expected);
    for (int i = 0; i < n_parts; i++) part_close(&parts[i]);
    for (int i = 0; i < n_shared; i++) {
        float *const memory[] = {
                shared[i].batch, shared[i].result, shared[i].weights[0], shared[i].weights[1]};
        for (int j = 0; j < 4; j++) app_free(&shared[i].app, memory[j]);
        app_close(&shared[i].app);
    }
    return !(worst < 1e-4);
}
