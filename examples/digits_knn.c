/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies handwritten digits by their nearest neighbour, with everything that an application
 * owns in Level Zero being its own: driver, device, context, memory, two command lists and a
 * kernel that runs between the library's primitives on the same list.
 *
 * For a batch of M images q and N known ones t, |q - t|^2 - |q|^2 = |t|^2 - 2 q.t is smallest
 * where the distance is:
 *     list 1: 8-bit pixels -> f32 (reorder); signals an event
 *     list 2: -2 q.t (matmul), waits for the event; + |t|^2 (binary); argmin (the application's
 *             kernel); s32 -> u8 labels (reorder)
 * While list 2 works on a batch, list 1 converts the next one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "data/load_digits.h"
#include "dnnl_ze.h"

/* The application's SPIR-V, put into the program by the assembler. */
__asm__(".section .rodata\n.balign 4\nnearest_spirv: .incbin \"" NEAREST_SPV
        "\"\nnearest_spirv_end:\n.previous\n");
extern const uint8_t nearest_spirv[] __attribute__((visibility("hidden")));
extern const uint8_t nearest_spirv_end[] __attribute__((visibility("hidden")));

enum { BATCH = 256, CHECKED = 200 };

static dnnl_memory_desc_t desc_2d(
        int64_t rows, int64_t cols, dnnl_data_type_t dt, int64_t row_stride, int64_t col_stride) {
    dnnl_memory_desc_t md;
    CHECK_DNNL(dnnl_memory_desc_create_with_strides(
            &md, 2, (dnnl_dims_t){rows, cols}, dt, (dnnl_dims_t){row_stride, col_stride}));
    return md;
}

static dnnl_memory_t wrap(dnnl_engine_t engine, dnnl_memory_desc_t md, void *pointer) {
    dnnl_memory_t memory;
    CHECK_DNNL(dnnl_ze_interop_memory_create(&memory, md, engine, 1, &pointer));
    return memory;
}

static dnnl_primitive_t finish(dnnl_primitive_desc_t pd) {
    dnnl_primitive_t primitive;
    CHECK_DNNL(dnnl_primitive_create(&primitive, pd));
    CHECK_DNNL(dnnl_primitive_desc_destroy(pd));
    return primitive;
}

static dnnl_primitive_t make_reorder(
        dnnl_engine_t engine, dnnl_memory_desc_t from, dnnl_memory_desc_t to) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(&pd, from, engine, to, engine, NULL));
    return finish(pd);
}

static dnnl_primitive_t make_binary(dnnl_engine_t engine, dnnl_alg_kind_t alg,
        dnnl_memory_desc_t src0, dnnl_memory_desc_t src1, dnnl_memory_desc_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_binary_primitive_desc_create(&pd, engine, alg, src0, src1, dst, NULL));
    return finish(pd);
}

/* dst = factor * src x weights */
static dnnl_primitive_t make_matmul(dnnl_engine_t engine, dnnl_memory_desc_t src,
        dnnl_memory_desc_t weights, dnnl_memory_desc_t dst, float factor) {
    dnnl_post_ops_t post_ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_post_ops_create(&post_ops));
    CHECK_DNNL(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_linear, factor, 0));
    CHECK_DNNL(dnnl_primitive_attr_create(&attr));
    CHECK_DNNL(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, engine, src, weights, NULL, dst, attr));
    CHECK_DNNL(dnnl_primitive_attr_destroy(attr));
    CHECK_DNNL(dnnl_post_ops_destroy(post_ops));
    return finish(pd);
}

/* Runs a primitive of one or two sources; both `after` (may be NULL) and `signal` (may be NULL)
 * are events.
 */
static void run(dnnl_primitive_t primitive, dnnl_stream_t stream, dnnl_memory_t src, int second_arg,
        dnnl_memory_t second, dnnl_memory_t dst, ze_event_handle_t after,
        ze_event_handle_t *signal) {
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {second_arg, second}};
    CHECK_DNNL(dnnl_ze_interop_primitive_execute(
            primitive, stream, second ? 3 : 2, args, after != NULL, after ? &after : NULL, signal));
}

static ze_kernel_handle_t make_kernel(const app_t *app, ze_module_handle_t *module) {
    ze_module_desc_t module_desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = (size_t)(nearest_spirv_end - nearest_spirv),
            .pInputModule = nearest_spirv};
    ze_kernel_desc_t kernel_desc = {
            .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "nearest"};
    ze_kernel_handle_t kernel;
    CHECK_ZE(zeModuleCreate(app->context, app->device, &module_desc, module, NULL));
    CHECK_ZE(zeKernelCreate(*module, &kernel_desc, &kernel));
    CHECK_ZE(zeKernelSetGroupSize(kernel, 1, 1, 1));
    return kernel;
}

static int64_t distance2(const uint8_t *a, const uint8_t *b, size_t n) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* In plain C: is the image that was found as near as any? f32 sums of large pixels round, hence
 * the tolerance of 1e-4. */
static int count_not_nearest(const digits_t *known, const digits_t *asked, const int *index) {
    int bad = 0;
    for (size_t i = 0; i < asked->count && i < CHECKED; i++) {
        const uint8_t *q = asked->image + i * asked->pixels;
        int64_t best = INT64_MAX;
        for (size_t j = 0; j < known->count; j++) {
            int64_t d = distance2(q, known->image + j * known->pixels, known->pixels);
            if (d < best) best = d;
        }
        int64_t found =
                distance2(q, known->image + (size_t)index[i] * known->pixels, known->pixels);
        bad += (double)found > (double)best * 1.0001;
    }
    return bad;
}

int main(int argc, char **argv) {
    digits_t known, asked;
    if (digits_load(&known, &asked, argc - 1, argv + 1)) return 1;
    const int64_t n = (int64_t)known.count, d = (int64_t)known.pixels;
    const size_t batches = (asked.count + BATCH - 1) / BATCH;

    app_t app;
    app_open(&app);
    printf("device: %s\n", app.properties.name);
    ze_command_list_handle_t list[2] = {app_immediate_list(&app), app_immediate_list(&app)};
    ze_module_handle_t module;
    ze_kernel_handle_t nearest = make_kernel(&app, &module);

    dnnl_engine_t engine;
    dnnl_stream_t convert, search;
    CHECK_DNNL(dnnl_ze_interop_engine_create(&engine, app.driver, app.device, app.context));
    CHECK_DNNL(dnnl_ze_interop_stream_create(&convert, engine, list[0], 0));
    CHECK_DNNL(dnnl_ze_interop_stream_create(&search, engine, list[1], 0));

    /* Memory that the host fills or reads, and memory of the device alone. The last batch is
     * filled up with blank images. */
    uint8_t *known_u8 = app_alloc_host(&app, (size_t)(n * d)),
            *known_label = app_alloc_host(&app, known.count);
    uint8_t *asked_u8 = app_alloc_host(&app, batches * BATCH * (size_t)d),
            *label = app_alloc_host(&app, batches * BATCH);
    int *index = app_alloc_host(&app, batches * BATCH * sizeof(int));
    float *ones = app_alloc_host(&app, (size_t)d * sizeof(float));
    memcpy(known_u8, known.image, (size_t)(n * d));
    memcpy(known_label, known.label, known.count);
    memset(asked_u8, 0, batches * BATCH * (size_t)d);
    memcpy(asked_u8, asked.image, asked.count * (size_t)d);
    for (int64_t i = 0; i < d; i++) ones[i] = 1;
    float *known_f32 = app_alloc_device(&app, (size_t)(n * d) * sizeof(float));
    float *square = app_alloc_device(&app, (size_t)(n * d) * sizeof(float));
    float *norm = app_alloc_device(&app, (size_t)n * sizeof(float));
    float *distance = app_alloc_device(&app, BATCH * (size_t)n * sizeof(float));
    int *predicted = app_alloc_device(&app, BATCH * sizeof(int));
    float *query[2];
    for (int i = 0; i < 2; i++)
        query[i] = app_alloc_device(&app, BATCH * (size_t)d * sizeof(float));

    /* Descriptors: [N][D] twice, the same seen as weights D x N, |t|^2 as a column and as a row
     * that broadcasts. */
    dnnl_memory_desc_t known_u8_md = desc_2d(n, d, dnnl_u8, d, 1),
                       known_md = desc_2d(n, d, dnnl_f32, d, 1);
    dnnl_memory_desc_t weights_md = desc_2d(d, n, dnnl_f32, 1, d),
                       ones_md = desc_2d(d, 1, dnnl_f32, 1, 1);
    dnnl_memory_desc_t norm_col_md = desc_2d(n, 1, dnnl_f32, 1, 1),
                       norm_row_md = desc_2d(1, n, dnnl_f32, n, 1);
    dnnl_memory_desc_t batch_u8_md = desc_2d(BATCH, d, dnnl_u8, d, 1),
                       batch_md = desc_2d(BATCH, d, dnnl_f32, d, 1);
    dnnl_memory_desc_t distance_md = desc_2d(BATCH, n, dnnl_f32, n, 1);
    dnnl_memory_desc_t predicted_md = desc_2d(BATCH, 1, dnnl_s32, 1, 1),
                       label_md = desc_2d(BATCH, 1, dnnl_u8, 1, 1);

    dnnl_memory_t known_u8_mem = wrap(engine, known_u8_md, known_u8),
                  known_mem = wrap(engine, known_md, known_f32);
    dnnl_memory_t square_mem = wrap(engine, known_md, square),
                  ones_mem = wrap(engine, ones_md, ones);
    dnnl_memory_t norm_col_mem = wrap(engine, norm_col_md, norm),
                  norm_row_mem = wrap(engine, norm_row_md, norm);
    dnnl_memory_t weights_mem = wrap(engine, weights_md, known_f32),
                  distance_mem = wrap(engine, distance_md, distance);
    dnnl_memory_t query_mem[2] = {
            wrap(engine, batch_md, query[0]), wrap(engine, batch_md, query[1])};
    dnnl_memory_t predicted_mem = wrap(engine, predicted_md, predicted);
    dnnl_memory_t batch_u8_mem = wrap(engine, batch_u8_md, DNNL_MEMORY_NONE);
    dnnl_memory_t label_mem = wrap(engine, label_md, DNNL_MEMORY_NONE);

    dnnl_primitive_t to_float = make_reorder(engine, known_u8_md, known_md);
    dnnl_primitive_t times = make_binary(engine, dnnl_binary_mul, known_md, known_md, known_md);
    dnnl_primitive_t sum_rows = make_matmul(engine, known_md, ones_md, norm_col_md, 1);
    dnnl_primitive_t batch_to_float = make_reorder(engine, batch_u8_md, batch_md);
    dnnl_primitive_t products = make_matmul(engine, batch_md, weights_md, distance_md, -2);
    dnnl_primitive_t add_norms =
            make_binary(engine, dnnl_binary_add, distance_md, norm_row_md, distance_md);
    dnnl_primitive_t to_label = make_reorder(engine, predicted_md, label_md);

    double start = now_ms();
    run(to_float, search, known_u8_mem, 0, NULL, known_mem, NULL, NULL);
    run(times, search, known_mem, DNNL_ARG_SRC_1, known_mem, square_mem, NULL, NULL);
    run(sum_rows, search, square_mem, DNNL_ARG_WEIGHTS, ones_mem, norm_col_mem, NULL, NULL);

    const int columns = (int)n;
    ze_event_handle_t used[2] = {
            NULL, NULL}; /* the batch before the last one has read this query buffer */
    for (size_t b = 0; b < batches; b++) {
        ze_event_handle_t converted;
        CHECK_DNNL(dnnl_memory_set_data_handle(batch_u8_mem, asked_u8 + b * BATCH * (size_t)d));
        CHECK_DNNL(dnnl_memory_set_data_handle(label_mem, label + b * BATCH));
        run(batch_to_float, convert, batch_u8_mem, 0, NULL, query_mem[b % 2], used[b % 2],
                &converted);
        run(products, search, query_mem[b % 2], DNNL_ARG_WEIGHTS, weights_mem, distance_mem,
                converted, &used[b % 2]);
        run(add_norms, search, distance_mem, DNNL_ARG_SRC_1, norm_row_mem, distance_mem, NULL,
                NULL);

        int *batch_index = index + b * BATCH;
        CHECK_ZE(zeKernelSetArgumentValue(nearest, 0, sizeof(distance), &distance));
        CHECK_ZE(zeKernelSetArgumentValue(nearest, 1, sizeof(known_label), &known_label));
        CHECK_ZE(zeKernelSetArgumentValue(nearest, 2, sizeof(columns), &columns));
        CHECK_ZE(zeKernelSetArgumentValue(nearest, 3, sizeof(batch_index), &batch_index));
        CHECK_ZE(zeKernelSetArgumentValue(nearest, 4, sizeof(predicted), &predicted));
        CHECK_ZE(zeCommandListAppendLaunchKernel(
                list[1], nearest, &(ze_group_count_t){BATCH, 1, 1}, NULL, 0, NULL));

        run(to_label, search, predicted_mem, 0, NULL, label_mem, NULL, NULL);
    }
    CHECK_DNNL(dnnl_stream_wait(convert));
    CHECK_DNNL(dnnl_stream_wait(search));
    double elapsed = now_ms() - start;

    size_t right = 0;
    for (size_t i = 0; i < asked.count; i++) right += label[i] == asked.label[i];
    int bad = count_not_nearest(&known, &asked, index);
    printf("%zu images of %zu pixels against %zu: %.1f ms\n", asked.count, known.pixels,
            known.count, elapsed);
    printf("accuracy: %.2f %%\n", 100.0 * (double)right / (double)asked.count);
    printf("checked with plain C: %d of %zu not nearest\n", bad,
            asked.count < CHECKED ? asked.count : CHECKED);

    dnnl_primitive_t primitives[] = {
            to_float, times, sum_rows, batch_to_float, products, add_norms, to_label};
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
        CHECK_DNNL(dnnl_primitive_destroy(primitives[i]));
    dnnl_memory_t memories[] = {known_u8_mem, known_mem, square_mem, ones_mem, norm_col_mem,
            norm_row_mem, weights_mem, distance_mem, query_mem[0], query_mem[1], predicted_mem,
            batch_u8_mem, label_mem};
    for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
        CHECK_DNNL(dnnl_memory_destroy(memories[i]));
    dnnl_memory_desc_t descs[] = {known_u8_md, known_md, weights_md, ones_md, norm_col_md,
            norm_row_md, batch_u8_md, batch_md, distance_md, predicted_md, label_md};
    for (size_t i = 0; i < sizeof(descs) / sizeof(descs[0]); i++)
        CHECK_DNNL(dnnl_memory_desc_destroy(descs[i]));
    CHECK_DNNL(dnnl_stream_destroy(convert));
    CHECK_DNNL(dnnl_stream_destroy(search));
    CHECK_DNNL(dnnl_engine_destroy(engine));

    CHECK_ZE(zeKernelDestroy(nearest));
    CHECK_ZE(zeModuleDestroy(module));
    for (int i = 0; i < 2; i++) CHECK_ZE(zeCommandListDestroy(list[i]));
    void *buffers[] = {known_u8, known_label, asked_u8, label, index, ones, known_f32, square, norm,
            distance, predicted, query[0], query[1]};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) app_free(&app, buffers[i]);
    app_close(&app);
    digits_free(&known);
    digits_free(&asked);
    return bad || (double)right < 0.97 * (double)asked.count;
}
