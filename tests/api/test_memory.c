/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects: handles, kinds of memory, mapping, host scalars. */
#include "rt.h"

#include <stdlib.h>

#include "ze/engine.h"

static void *new_usm_of(ze_memory_type_t type, size_t size) {
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *ptr = NULL;
    if (type == ZE_MEMORY_TYPE_DEVICE)
        assert_ze(zeMemAllocDevice(app.context, &device, size, 64, app.device, &ptr));
    else if (type == ZE_MEMORY_TYPE_SHARED)
        assert_ze(zeMemAllocShared(app.context, &device, &host, size, 64, app.device, &ptr));
    else ptr = new_usm(size);
    return ptr;
}

static void creation(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine(), got;
    dnnl_memory_t memory = NULL;
    const_dnnl_memory_desc_t got_md;
    md_t md, any, runtime, scalar;
    const int64_t n = N, unknown = DNNL_RUNTIME_DIM_VAL;
    void *handle = DNNL_MEMORY_NONE, *allocate = DNNL_MEMORY_ALLOCATE;
    floats_md(&md, N);
    assert_ok(md_init_tag(&any, 1, &n, dnnl_f32, dnnl_format_tag_any));
    assert_ok(md_init_tag(&runtime, 1, &unknown, dnnl_f32, dnnl_a));
    assert_ok(md_init_host_scalar(&scalar, dnnl_f32));
    const md_t *bad[] = {&any, &runtime, &scalar};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_status(dnnl_memory_create(&memory, bad[i], engine, NULL), invalid_arguments);
        assert_status(
                dnnl_memory_create_v2(&memory, bad[i], engine, 1, &handle), invalid_arguments);
        assert_status(dnnl_ze_interop_memory_create(&memory, bad[i], engine, 1, &handle),
                invalid_arguments);
    }
    assert_status(dnnl_memory_create(NULL, &md, engine, NULL), invalid_arguments);
    assert_status(dnnl_memory_create(&memory, &md, NULL, NULL), invalid_arguments);
    assert_status(dnnl_memory_create_v2(&memory, &md, engine, 1, NULL), invalid_arguments);
    static const int bad_counts[] = {-1, 0, 2, 1000};
    for (size_t i = 0; i < COUNT_OF(bad_counts); i++) {
        assert_status(dnnl_memory_create_v2(&memory, &md, engine, bad_counts[i], &handle),
                invalid_arguments);
        assert_status(dnnl_ze_interop_memory_create(&memory, &md, engine, bad_counts[i], &handle),
                invalid_arguments);
    }
    assert_null(memory);

    assert_ok(dnnl_ze_interop_memory_create(&memory, &md, engine, 1, &allocate));
    assert_ok(dnnl_memory_get_memory_desc(memory, &got_md));
    assert_true(md_equal(got_md, &md));
    assert_ok(dnnl_memory_get_engine(memory, &got));
    assert_ptr_equal(got, engine);
    assert_status(dnnl_memory_get_memory_desc(NULL, &got_md), invalid_arguments);
    assert_status(dnnl_memory_get_memory_desc(memory, NULL), invalid_arguments);
    assert_status(dnnl_memory_get_engine(NULL, &got), invalid_arguments);
    assert_status(dnnl_memory_get_engine(memory, NULL), invalid_arguments);
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_non_null(handle);
    ze_memory_allocation_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t device;
    assert_ze(zeMemGetAllocProperties(app.context, handle, &properties, &device));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_DEVICE);
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_memory_destroy(NULL));
    assert_ok(dnnl_engine_destroy(engine));
}

static void empty_and_enormous(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_t memory = NULL;
    void *mapped = &memory, *handle = &memory;
    md_t md;
    /* No descriptor: an empty one. */
    assert_ok(dnnl_memory_create(&memory, NULL, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    assert_null(mapped);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_destroy(memory));
    memory = new_floats(engine, 0, DNNL_MEMORY_ALLOCATE);
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_null(handle);
    assert_ok(dnnl_memory_destroy(memory));

    memory = NULL;
    const int64_t dims[] = {INT64_C(1) << 30, INT64_C(1) << 20};
    assert_ok(md_init_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    assert_status(dnnl_memory_create(&memory, &md, engine, DNNL_MEMORY_ALLOCATE), out_of_memory);
    assert_null(memory);
    assert_ok(dnnl_engine_destroy(engine));
}

static void pointer_kinds(void **state) {
    (void)state;
    static const ze_memory_type_t types[] = {
            ZE_MEMORY_TYPE_HOST, ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_SHARED};
    dnnl_engine_t engine = new_engine();
    md_t md;
    floats_md(&md, N);
    float expected[N];
    for (int i = 0; i < N; i++) expected[i] = (float)i;
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const size_t inside = 128; /* pointers into an allocation are as good as its start */
        void *base = new_usm_of(types[t], sizeof expected + inside), *ptr = (char *)base + inside,
             *got, *mapped, *again;
        dnnl_memory_t memory;
        assert_ok(dnnl_ze_interop_memory_create(&memory, &md, engine, 1, &ptr));
        assert_ok(dnnl_memory_get_data_handle(memory, &got));
        assert_ptr_equal(got, ptr);
        assert_ok(dnnl_memory_map_data(memory, &mapped));
        assert_non_null(mapped);
        if (types[t] == ZE_MEMORY_TYPE_DEVICE) assert_ptr_not_equal(mapped, ptr);
        else assert_ptr_equal(mapped, ptr);
        memcpy(mapped, expected, sizeof expected);
        assert_ok(dnnl_memory_unmap_data(memory, mapped));
        assert_ok(dnnl_memory_map_data(memory, &mapped));
        assert_memory_equal(mapped, expected, sizeof expected);
        /* Twice at the same time. */
        assert_ok(dnnl_memory_map_data(memory, &again));
        assert_ok(dnnl_memory_unmap_data(memory, again));
        assert_ok(dnnl_memory_unmap_data(memory, mapped));
        if (types[t] == ZE_MEMORY_TYPE_DEVICE)
            assert_status(dnnl_memory_unmap_data(memory, mapped), invalid_arguments);
        assert_status(dnnl_memory_unmap_data(memory, &md), invalid_arguments);
        /* Destroyed while it is mapped. */
        assert_ok(dnnl_memory_map_data(memory, &mapped));
        assert_ok(dnnl_memory_destroy(memory));
        assert_ze(zeMemFree(app.context, base));
    }

    void *plain = malloc(sizeof expected);
    dnnl_memory_t memory = NULL;
    if (engine_caps(engine)->has_system_usm) {
        assert_ok(dnnl_ze_interop_memory_create(&memory, &md, engine, 1, &plain));
        assert_ok(dnnl_memory_destroy(memory));
    } else {
        assert_status(
                dnnl_ze_interop_memory_create(&memory, &md, engine, 1, &plain), invalid_arguments);
        assert_null(memory);
    }
    /* The function of the common API takes pointers as they are. */
    assert_ok(dnnl_memory_create(&memory, &md, engine, plain));
    assert_ok(dnnl_memory_destroy(memory));
    free(plain);
    assert_ok(dnnl_engine_destroy(engine));
}

static void mapping_arguments(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_t memory = new_floats(engine, N, DNNL_MEMORY_ALLOCATE);
    void *mapped = NULL;
    assert_status(dnnl_memory_map_data(NULL, &mapped), invalid_arguments);
    assert_status(dnnl_memory_map_data(memory, NULL), invalid_arguments);
    assert_status(dnnl_memory_map_data_v2(memory, &mapped, -1), invalid_arguments);
    assert_status(dnnl_memory_map_data_v2(memory, &mapped, 1), invalid_arguments);
    assert_status(dnnl_memory_unmap_data(NULL, mapped), invalid_arguments);
    assert_status(dnnl_memory_unmap_data_v2(memory, mapped, 1), invalid_arguments);
    assert_ok(dnnl_memory_unmap_data(memory, NULL));
    assert_null(mapped);
    assert_ok(dnnl_memory_destroy(memory));
    memory = new_floats(engine, N, DNNL_MEMORY_NONE);
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    assert_null(mapped);
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_engine_destroy(engine));
}

/* What lies before the first element is allocated and mapped as well. */
static void submemory(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_desc_t parent, part;
    dnnl_memory_t memory;
    const dnnl_dims_t dims = {8, 8}, part_dims = {4, 4}, offsets = {4, 4};
    float *mapped;
    assert_ok(dnnl_memory_desc_create_with_tag(&parent, 2, dims, dnnl_f32, dnnl_ab));
    assert_ok(dnnl_memory_desc_create_submemory(&part, parent, part_dims, offsets));
    assert_ok(dnnl_memory_create(&memory, part, engine, DNNL_MEMORY_ALLOCATE));
    for (int turn = 0; turn < 2; turn++) {
        assert_ok(dnnl_memory_map_data(memory, (void **)&mapped));
        for (int i = 4; i < 8; i++) {
            for (int j = 4; j < 8; j++) {
                if (turn) assert_true(mapped[8 * i + j] == (float)(i * j));
                else mapped[8 * i + j] = (float)(i * j);
            }
        }
        assert_ok(dnnl_memory_unmap_data(memory, mapped));
    }
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_memory_desc_destroy(part));
    assert_ok(dnnl_memory_desc_destroy(parent));
    assert_ok(dnnl_engine_destroy(engine));
}

static void handles(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_t memory = new_floats(engine, N, DNNL_MEMORY_ALLOCATE);
    void *usm = new_usm(N * sizeof(float)), *got = NULL, *mapped;
    assert_ok(dnnl_memory_set_data_handle(memory, usm)); /* lets go of its own buffer */
    assert_ok(dnnl_memory_get_data_handle(memory, &got));
    assert_ptr_equal(got, usm);
    assert_ok(dnnl_memory_map_data(memory, &mapped)); /* the kind of memory is found out again */
    assert_ptr_equal(mapped, usm);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_status(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_ALLOCATE), invalid_arguments);
    assert_status(dnnl_memory_set_data_handle(NULL, usm), invalid_arguments);
    assert_status(dnnl_memory_set_data_handle_v2(memory, usm, 1), invalid_arguments);
    assert_status(dnnl_memory_set_data_handle_v2(memory, usm, -1), invalid_arguments);
    assert_status(dnnl_memory_get_data_handle_v2(memory, &got, 1), invalid_arguments);
    assert_status(dnnl_memory_get_data_handle(memory, NULL), invalid_arguments);
    assert_ptr_equal(got, usm);
    assert_ok(dnnl_memory_get_data_handle(NULL, &got));
    assert_null(got);
    assert_ok(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_NONE));
    assert_ok(dnnl_memory_get_data_handle(memory, &got));
    assert_null(got);
    assert_ok(dnnl_memory_destroy(memory));
    free_usm(usm);
    assert_ok(dnnl_engine_destroy(engine));
}

static void sparse(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_desc_t md;
    dnnl_memory_t memory = NULL;
    const dnnl_dims_t dims = {16, 16};
    void *buffers[3] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_NONE}, *got,
         *mapped;
    assert_ok(dnnl_memory_desc_create_with_csr_encoding(
            &md, 2, dims, dnnl_f32, 10, dnnl_s32, dnnl_s32));
    assert_status(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE), invalid_arguments);
    assert_status(dnnl_memory_create_v2(&memory, md, engine, 2, buffers), invalid_arguments);
    assert_null(memory);
    assert_ok(dnnl_memory_create_v2(&memory, md, engine, 3, buffers));
    for (int i = 0; i < 3; i++) {
        assert_ok(dnnl_memory_get_data_handle_v2(memory, &got, i));
        assert_int_equal(got != NULL, i < 2);
        assert_ok(dnnl_memory_map_data_v2(memory, &mapped, i));
        assert_int_equal(mapped != NULL, i < 2);
        if (mapped) {
            memset(mapped, i, dnnl_memory_desc_get_size_v2(md, i));
            assert_status(dnnl_memory_unmap_data_v2(memory, mapped, 1 - i), invalid_arguments);
        }
        assert_ok(dnnl_memory_unmap_data_v2(memory, mapped, i));
    }
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_engine_destroy(engine));
}

static void host_scalar(void **state) {
    (void)state;
    dnnl_engine_t engine;
    dnnl_memory_t memory = NULL;
    md_t md, tensor;
    int32_t value = 42, got = 0;
    void *handle = &value;
    assert_ok(md_init_host_scalar(&md, dnnl_s32));
    floats_md(&tensor, 1);
    assert_status(dnnl_memory_create_host_scalar(&memory, &tensor, &value), invalid_arguments);
    assert_status(dnnl_memory_create_host_scalar(&memory, NULL, &value), invalid_arguments);
    assert_status(dnnl_memory_create_host_scalar(&memory, &md, NULL), invalid_arguments);
    assert_status(dnnl_memory_create_host_scalar(NULL, &md, &value), invalid_arguments);
    assert_null(memory);
    assert_ok(dnnl_memory_create_host_scalar(&memory, &md, &value));
    value = 0;
    assert_ok(dnnl_memory_get_host_scalar_value(memory, &got));
    assert_int_equal(got, 42);
    got = -7;
    assert_ok(dnnl_memory_set_host_scalar_value(memory, &got));
    assert_ok(dnnl_memory_get_host_scalar_value(memory, &value));
    assert_int_equal(value, -7);
    assert_ok(dnnl_memory_get_engine(memory, &engine));
    assert_null(engine);
    assert_status(dnnl_memory_get_data_handle(memory, &handle), invalid_arguments);
    assert_status(dnnl_memory_set_data_handle(memory, &value), invalid_arguments);
    assert_ok(dnnl_memory_map_data(memory, &handle));
    assert_int_equal(*(int32_t *)handle, -7);
    assert_ok(dnnl_memory_unmap_data(memory, handle));
    assert_status(dnnl_memory_map_data_v2(memory, &handle, 1), invalid_arguments);
    assert_status(dnnl_memory_unmap_data(memory, &value), invalid_arguments);
    assert_status(dnnl_memory_get_host_scalar_value(memory, NULL), invalid_arguments);
    assert_status(dnnl_memory_get_host_scalar_value(NULL, &value), invalid_arguments);
    assert_status(dnnl_memory_set_host_scalar_value(NULL, &value), invalid_arguments);
    assert_ok(dnnl_memory_destroy(memory));

    engine = new_engine();
    memory = new_floats(engine, 1, NULL);
    assert_status(dnnl_memory_get_host_scalar_value(memory, &value), invalid_arguments);
    assert_status(dnnl_memory_set_host_scalar_value(memory, &value), invalid_arguments);
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_engine_destroy(engine));
}

/* Every way to give a memory object the pointer. */
static void expect_fit(dnnl_engine_t engine, const md_t *md, float *ptr, bool fits) {
    const dnnl_status_t status = fits ? dnnl_success : dnnl_invalid_arguments;
    dnnl_memory_t memory = NULL, other;
    void *handle = ptr, *kept;
    assert_int_equal(dnnl_ze_interop_memory_create(&memory, md, engine, 1, &handle), status);
    if (fits) assert_ok(dnnl_memory_destroy(memory));
    else assert_null(memory);
    memory = NULL;
    assert_int_equal(dnnl_memory_create(&memory, md, engine, handle), status);
    if (fits) assert_ok(dnnl_memory_destroy(memory));
    else assert_null(memory);
    assert_ok(dnnl_memory_create(&other, md, engine, DNNL_MEMORY_NONE));
    assert_int_equal(dnnl_memory_set_data_handle(other, ptr), status);
    assert_ok(dnnl_memory_get_data_handle(other, &kept));
    assert_ptr_equal(kept, fits ? ptr : NULL);
    assert_ok(dnnl_memory_destroy(other));
}

/* A buffer ends where the allocation ends that the driver knows. */
static void too_small(void **state) {
    (void)state;
    enum { ROWS = 4, COLUMNS = 8 };
    static const ze_memory_type_t types[] = {
            ZE_MEMORY_TYPE_HOST, ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_SHARED};
    const dnnl_dims_t dims = {ROWS, COLUMNS}, part_dims = {2, 3}, offsets = {2, 5}, none = {0, 3};
    dnnl_engine_t engine = new_engine();
    md_t whole, part, empty;
    assert_ok(md_init_tag(&whole, 2, dims, dnnl_f32, dnnl_ab));
    assert_ok(md_init_submemory(&part, &whole, part_dims, offsets));
    assert_ok(md_init_tag(&empty, 2, none, dnnl_f32, dnnl_ab));
    /* The size leaves the offset out, and has a hole that nobody uses at the end. */
    assert_int_equal(dnnl_memory_desc_get_size(&part), 2 * COLUMNS * sizeof(float));
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        float *buffer = new_usm_of(types[i], ROWS * COLUMNS * sizeof(float));
        expect_fit(engine, &whole, buffer, true);
        expect_fit(engine, &whole, buffer + 1, false);
        expect_fit(engine, &part, buffer, true);
        expect_fit(engine, &part, buffer + 1, false);
        expect_fit(engine, &empty, buffer + ROWS * COLUMNS - 1, true);
        free_usm(buffer);
        buffer = new_usm_of(types[i], dnnl_memory_desc_get_size(&part));
        expect_fit(engine, &part, buffer, false);
        free_usm(buffer);
    }
    assert_ok(dnnl_engine_destroy(engine));
}

/* Mapping copies what the allocation has, and execution sees that another descriptor's bytes are
 * not there. */
static void smaller_than_its_size(void **state) {
    (void)state;
    enum { ROWS = 4, COLUMNS = 8, N_PART = 35 };
    const dnnl_dims_t dims = {ROWS, COLUMNS}, part_dims = {2, 3}, offsets = {2, 5};
    const affine_t affine = {.n = N_PART, .steps = 1, .factor = 2};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    dnnl_memory_t memory;
    md_t whole, part;
    void *mapped;
    assert_ok(md_init_tag(&whole, 2, dims, dnnl_f32, dnnl_ab));
    assert_ok(md_init_submemory(&part, &whole, part_dims, offsets));
    void *buffer = new_usm_of(ZE_MEMORY_TYPE_DEVICE, ROWS * COLUMNS * sizeof(float));
    assert_ok(dnnl_ze_interop_memory_create(&memory, &part, b.engine, 1, &buffer));
    /* Offset and size together end behind the allocation. */
    assert_true(
            2 * COLUMNS + 5 + dnnl_memory_desc_get_size(&part) / sizeof(float) > ROWS * COLUMNS);
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    b.args[0].memory = memory; /* 35 floats are not there, but 37 were by offset and size */
    assert_status(dnnl_primitive_execute(primitive, b.stream, 2, b.args), invalid_arguments);
    b.args[0].memory = b.src_mem;
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    assert_ok(dnnl_memory_destroy(memory));
    free_usm(buffer);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

#define KINDS "kinds of Level Zero's memory; ocl_objects has those of OpenCL"

int main(void) {
    const struct CMUnitTest memories[] = {LEVEL_ZERO_TEST(creation, KINDS),
            TEST(empty_and_enormous), LEVEL_ZERO_TEST(pointer_kinds, KINDS),
            TEST(mapping_arguments), TEST(submemory), TEST(handles), TEST(sparse),
            TEST(host_scalar), LEVEL_ZERO_TEST(too_small, KINDS),
            LEVEL_ZERO_TEST(smaller_than_its_size, KINDS)};
    return RUN_TESTS(memories);
}
