/* SPDX-License-Identifier: Apache-2.0 */
/* A process that starts from the blobs of another one compiles nothing, whatever the kind of
 * primitive: several kernels in one, packed weights, run-time dimensions. The same process runs
 * twice; the second time it is a child of the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "ze/loader.h"

#define OK(call) assert_int_equal(call, dnnl_success)
enum { MAX_ARGS = 3, ROWS = 12, COLUMNS = 32 };

static dnnl_engine_t engine;
static int compiled, loaded;
static __typeof__(ze.ModuleCreate) real_create;

static ze_result_t ZE_APICALL count_modules(ze_context_handle_t context, ze_device_handle_t device,
        const ze_module_desc_t *desc, ze_module_handle_t *module,
        ze_module_build_log_handle_t *log) {
    *(desc->format == ZE_MODULE_FORMAT_IL_SPIRV ? &compiled : &loaded) += 1;
    return real_create(context, device, desc, module, log);
}

static dnnl_memory_desc_t md(
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t made;
    OK(dnnl_memory_desc_create_with_tag(&made, ndims, dims, type, tag));
    return made;
}

static const dnnl_dims_t square = {COLUMNS, COLUMNS}, given = {ROWS, COLUMNS},
                         open = {DNNL_RUNTIME_DIM_VAL, COLUMNS};

static dnnl_primitive_desc_t matmul(void) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t src = md(2, given, dnnl_f32, dnnl_ab),
                       wei = md(2, square, dnnl_f32, dnnl_ab);
    OK(dnnl_matmul_primitive_desc_create(&pd, engine, src, wei, NULL, src, NULL));
    OK(dnnl_memory_desc_destroy(src));
    OK(dnnl_memory_desc_destroy(wei));
    return pd;
}

static dnnl_primitive_desc_t softmax_of(const dnnl_dims_t dims) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t data = md(2, dims, dnnl_f32, dnnl_ab);
    OK(dnnl_softmax_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, dnnl_softmax_accurate, data, data, 1, NULL));
    OK(dnnl_memory_desc_destroy(data));
    return pd;
}
static dnnl_primitive_desc_t softmax(void) {
    return softmax_of(given);
}
static dnnl_primitive_desc_t open_softmax(void) {
    return softmax_of(open);
}

static dnnl_primitive_desc_t open_inner_product(void) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t src = md(2, open, dnnl_f32, dnnl_ab), wei = md(2, square, dnnl_f32, dnnl_ab);
    OK(dnnl_inner_product_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, src, wei, NULL, src, NULL));
    OK(dnnl_memory_desc_destroy(src));
    OK(dnnl_memory_desc_destroy(wei));
    return pd;
}

static dnnl_primitive_desc_t nothing(void) {
    const dnnl_dims_t dims = {0, COLUMNS};
    return softmax_of(dims);
}

static const struct {
    dnnl_primitive_desc_t (*desc)(void);
    bool has_weights, is_empty;
} kinds[] = {{matmul, true, false}, {softmax, false, false}, {open_softmax, false, false},
        {open_inner_product, true, false}, {nothing, false, true}};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static dnnl_memory_t new_memory(int rows, dnnl_format_tag_t tag) {
    const dnnl_dims_t dims = {rows, COLUMNS};
    dnnl_memory_desc_t desc = md(2, dims, dnnl_f32, tag);
    float values[COLUMNS * COLUMNS];
    dnnl_memory_t memory;
    for (int i = 0; i < COLUMNS * COLUMNS; i++) values[i] = (float)(i * 7 % 13) / 16;
    void *host;
    OK(dnnl_memory_create(&memory, desc, engine, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_memory_map_data(memory, &host));
    memcpy(host, values, sizeof(float) * (size_t)rows * COLUMNS);
    OK(dnnl_memory_unmap_data(memory, host));
    OK(dnnl_memory_desc_destroy(desc));
    return memory;
}

/* Runs it, and answers the sum of what comes out. */
static double run(dnnl_primitive_t primitive, int kind) {
    dnnl_stream_t stream;
    dnnl_memory_t src = new_memory(ROWS, dnnl_ab), dst = new_memory(ROWS, dnnl_ab),
                  wei = new_memory(COLUMNS, dnnl_ab);
    const dnnl_exec_arg_t args[MAX_ARGS] = {
            {DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_WEIGHTS, wei}};
    OK(dnnl_stream_create(&stream, engine, dnnl_stream_in_order));
    OK(dnnl_primitive_execute(primitive, stream, kinds[kind].has_weights ? 3 : 2, args));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_stream_destroy(stream));
    float *values;
    double sum = 0;
    OK(dnnl_memory_map_data(dst, (void **)&values));
    for (int i = 0; i < ROWS * COLUMNS; i++) sum += (i + 1) * (double)values[i];
    OK(dnnl_memory_unmap_data(dst, values));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(dst));
    OK(dnnl_memory_destroy(wei));
    return sum;
}

static void write_blobs(FILE *f) {
    for (int i = 0; i < NKINDS; i++) {
        dnnl_primitive_desc_t pd = kinds[i].desc();
        dnnl_primitive_t primitive;
        size_t size;
        OK(dnnl_primitive_create(&primitive, pd));
        const double sum = kinds[i].is_empty ? 0 : run(primitive, i);
        OK(dnnl_primitive_get_cache_blob(primitive, &size, NULL));
        uint8_t *blob = malloc(size);
        OK(dnnl_primitive_get_cache_blob(primitive, &size, blob));
        assert_int_equal(fwrite(&sum, sizeof sum, 1, f), 1);
        assert_int_equal(fwrite(&size, sizeof size, 1, f), 1);
        assert_int_equal(fwrite(blob, 1, size, f), size);
        free(blob);
        OK(dnnl_primitive_destroy(primitive));
        OK(dnnl_primitive_desc_destroy(pd));
    }
}

static void read_blobs(FILE *f) {
    for (int i = 0; i < NKINDS; i++) {
        dnnl_primitive_desc_t pd = kinds[i].desc();
        dnnl_primitive_t primitive;
        size_t size;
        double sum;
        assert_int_equal(fread(&sum, sizeof sum, 1, f), 1);
        assert_int_equal(fread(&size, sizeof size, 1, f), 1);
        uint8_t *blob = malloc(size);
        assert_int_equal(fread(blob, 1, size, f), size);
        /* The kinds share modules: forget those of the ones before. */
        OK(dnnl_set_primitive_cache_capacity(0));
        OK(dnnl_set_primitive_cache_capacity(64));
        loaded = 0;
        OK(dnnl_primitive_create_from_cache_blob(&primitive, pd, size, blob));
        free(blob);
        if (!kinds[i].is_empty) {
            if (run(primitive, i) != sum) fail_msg("primitive %d computes something else", i);
            assert_true(loaded > 0);
        }
        assert_int_equal(compiled, 0);
        OK(dnnl_primitive_destroy(primitive));
        OK(dnnl_primitive_desc_destroy(pd));
    }
}

static const char *self, *blob_file;

static void in_child(void **state) {
    (void)state;
    FILE *f = fopen(blob_file, "rb");
    assert_non_null(f);
    read_blobs(f);
    fclose(f);
}

static void all_kinds(void **state) {
    (void)state;
    char path[] = "/tmp/dnnl_ze_blobs.XXXXXX";
    FILE *f = fdopen(mkstemp(path), "wb");
    assert_non_null(f);
    write_blobs(f);
    assert_int_equal(fclose(f), 0);
    assert_true(compiled > NKINDS / 2);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execl(self, self, path, (char *)NULL);
        _exit(99);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    unlink(path);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}

int main(int argc, char **argv) {
    self = "/proc/self/exe";
    blob_file = argc > 1 ? argv[1] : NULL;
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) {
        printf("skipped: no Level Zero device\n");
        return 77;
    }
    real_create = ze.ModuleCreate;
    ze.ModuleCreate = count_modules;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_kinds)},
                            child[] = {cmocka_unit_test(in_child)};
    const int failed = blob_file ? cmocka_run_group_tests(child, NULL, NULL)
                                 : cmocka_run_group_tests(tests, NULL, NULL);
    return dnnl_engine_destroy(engine) == dnnl_success ? failed : 1;
}
