/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blobs of primitives. */
#include "rt.h"

#include <stdlib.h>

static uint8_t *get_blob(dnnl_primitive_t primitive, size_t *size) {
    assert_ok(dnnl_primitive_get_cache_blob(primitive, size, NULL));
    assert_true(*size > 0);
    uint8_t *blob = malloc(*size);
    assert_ok(dnnl_primitive_get_cache_blob(primitive, size, blob));
    return blob;
}

/* As in a new process: nothing of the primitive is left. */
static void forget(void) {
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
}

static void round_trip(void **state) {
    (void)state;
    static const affine_t shapes[] = {{.n = N, .steps = 1, .factor = 4, .addend = 1},
            {.n = N, .steps = 3, .factor = 2, .addend = 1},
            {.n = N, .steps = 14, .factor = 1, .addend = 2, .split = true}, {.n = 0, .steps = 1}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        bench_t b = bench_begin(dnnl_stream_in_order);
        dnnl_primitive_desc_t desc = new_affine(b.engine, &shapes[i]);
        dnnl_primitive_t primitive;
        size_t size, again;
        assert_ok(dnnl_primitive_create(&primitive, desc));
        uint8_t *blob = get_blob(primitive, &size), *twin = get_blob(primitive, &again);
        assert_int_equal(size, again);
        assert_memory_equal(blob, twin, size);
        again = size - 1;
        assert_status(dnnl_primitive_get_cache_blob(primitive, &again, twin), invalid_arguments);
        assert_status(dnnl_primitive_get_cache_blob(primitive, NULL, twin), invalid_arguments);
        assert_status(dnnl_primitive_get_cache_blob(NULL, &size, NULL), invalid_arguments);
        free(twin);
        assert_ok(dnnl_primitive_destroy(primitive));
        forget();
        assert_ok(dnnl_primitive_create_from_cache_blob(&primitive, desc, size, blob));
        if (shapes[i].n) {
            assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
            assert_ok(dnnl_stream_wait(b.stream));
            bench_check(&b, &shapes[i], N);
        }
        twin = get_blob(primitive, &again);
        assert_int_equal(size, again);
        free(twin);
        free(blob);
        assert_ok(dnnl_primitive_destroy(primitive));
        free_affine(desc);
        bench_end(&b);
    }
}

static void refused(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 4, .addend = 1};
    const affine_t others[] = {
            {.n = N, .steps = 1, .factor = 5, .addend = 1}, {.n = N, .steps = 1, .broken = true}};
    dnnl_engine_t engine = new_engine();
    dnnl_primitive_desc_t desc = new_affine(engine, &affine);
    dnnl_primitive_t primitive, none = NULL;
    size_t size;
    assert_ok(dnnl_primitive_create(&primitive, desc));
    uint8_t *blob = get_blob(primitive, &size);
    /* Refused whether or not the cache could answer without the blob. */
    for (int cached = 1; cached >= 0; cached--) {
        const size_t step = size / 500 + 1;
        for (size_t i = 0; i < size; i += i < 200 ? 1 : step) {
            assert_status(
                    dnnl_primitive_create_from_cache_blob(&none, desc, i, blob), invalid_arguments);
            blob[i] ^= (uint8_t)(1 << i % 8);
            assert_status(dnnl_primitive_create_from_cache_blob(&none, desc, size, blob),
                    invalid_arguments);
            blob[i] ^= (uint8_t)(1 << i % 8);
        }
        for (size_t i = 0; i < COUNT_OF(others); i++) {
            dnnl_primitive_desc_t other = new_affine(engine, &others[i]);
            assert_status(dnnl_primitive_create_from_cache_blob(&none, other, size, blob),
                    invalid_arguments);
            free_affine(other);
        }
        if (cached) assert_ok(dnnl_primitive_destroy(primitive));
        forget();
    }
    assert_status(
            dnnl_primitive_create_from_cache_blob(&none, desc, size, NULL), invalid_arguments);
    assert_status(
            dnnl_primitive_create_from_cache_blob(&none, NULL, size, blob), invalid_arguments);
    assert_status(dnnl_primitive_create_from_cache_blob(NULL, desc, size, blob), invalid_arguments);
    assert_null(none);

    /* An engine's blob is not a primitive's. */
    uint8_t engine_blob[4096];
    size_t engine_size = 0;
    assert_ok(runtime->engine_blob(engine, &engine_size, NULL));
    assert_true(engine_size <= sizeof engine_blob);
    assert_ok(runtime->engine_blob(engine, &engine_size, engine_blob));
    assert_status(dnnl_primitive_create_from_cache_blob(&none, desc, engine_size, engine_blob),
            invalid_arguments);
    free(blob);
    free_affine(desc);
    assert_ok(dnnl_engine_destroy(engine));
}

int main(void) {
    const struct CMUnitTest blobs[] = {TEST(round_trip), TEST(refused)};
    return RUN_TESTS(blobs);
}
