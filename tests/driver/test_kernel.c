/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: arguments of every kind, group sizes, geometry, properties. */
#include "ze_test.h"

static ze_module_handle_t args_module, geometry_module;

static void run_now(ze_kernel_handle_t kernel, ze_group_count_t count) {
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &count, NULL, 0, NULL));
    assert_ok(zeCommandListDestroy(list));
}
static const ze_group_count_t one_group = {1, 1, 1};

static void scalars_of_each_size(void **state) {
    (void)state;
    int64_t *out = usm(USM_SHARED, 64);
    float *fout = usm(USM_SHARED, 4);
    ze_kernel_handle_t k = get_kernel(args_module, "scalars");
    set_pointer(k, 0, out);
    set_value(k, 1, int8_t, -100);
    set_value(k, 2, uint8_t, 200);
    set_value(k, 3, int16_t, -30000);
    set_value(k, 4, uint16_t, 60000);
    set_value(k, 5, int32_t, -2000000000);
    set_value(k, 6, uint32_t, 4000000000u);
    set_value(k, 7, int64_t, INT64_MIN + 5);
    set_value(k, 8, uint64_t, UINT64_MAX - 5);
    set_pointer(k, 9, fout);
    set_value(k, 10, float, 0.1f);
    run_now(k, one_group);
    const int64_t expected[] = {
            -100, 200, -30000, 60000, -2000000000, 4000000000, INT64_MIN + 5, -6};
    assert_memory_equal(out, expected, sizeof expected);
    assert_true(*fout == 0.1f);
    set_value(k, 5, int32_t, 3); /* one is changed, the others stay */
    run_now(k, one_group);
    assert_int_equal(out[4], 3);
    assert_int_equal(out[3], 60000);
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
    usm_free(fout);
}

static void vectors_by_value(void **state) {
    (void)state;
    int32_t *out = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(args_module, "vectors");
    set_pointer(k, 0, out);
    const int8_t a[2] = {3, -4};
    const int16_t b[4] = {1, 2, 3, 1000};
    const int32_t c[4] = {5, 6, 7, 99};
    const float d[4] = {1, 2, 3, 4};
    int32_t e[16];
    for (int i = 0; i < 16; i++) e[i] = 100 * i;
    assert_ok(zeKernelSetArgumentValue(k, 1, sizeof a, a));
    assert_ok(zeKernelSetArgumentValue(k, 2, sizeof b, b));
    assert_ok(zeKernelSetArgumentValue(
            k, 3, sizeof c, c)); /* three components take the room of four */
    assert_ok(zeKernelSetArgumentValue(k, 4, sizeof d, d));
    assert_ok(zeKernelSetArgumentValue(k, 5, sizeof e, e));
    run_now(k, one_group);
    const int32_t expected[] = {-5, 1 + 4 + 12 + 8000, 5 + 12 + 28, 1 + 4 + 12 + 32, 2200};
    assert_memory_equal(out, expected, sizeof expected);
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

/* No value stands for zeros, whatever the type; a value that was set before does not stay. */
static void no_value_is_zero(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "other drivers need not accept it");
    int32_t *out = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(args_module, "vectors");
    static const uint32_t sizes[] = {8, 2, 8, 16, 16, 64};
    int32_t ones[16];
    for (int i = 0; i < 16; i++) ones[i] = 0x01010101;
    set_pointer(k, 0, out);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 1; i < COUNT_OF(sizes); i++)
            assert_ok(zeKernelSetArgumentValue(k, i, sizes[i], round ? NULL : ones));
    memset(out, 0xff, 64);
    run_now(k, one_group);
    for (int i = 0; i < 5; i++) assert_int_equal(out[i], 0);
    assert_result(
            zeKernelSetArgumentValue(k, 1, 3, NULL), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void structures_by_value(void **state) {
    (void)state;
    struct {
        int32_t a;
        int64_t b;
        float c[3];
        uint8_t d[5];
    } r = {-7, INT64_MAX, {1, 2, 3}, {10, 0, 0, 0, 245}};
    int64_t *out = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(args_module, "structure");
    set_pointer(k, 0, out);
    assert_result(zeKernelSetArgumentValue(k, 1, sizeof r - 8, &r),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_ok(zeKernelSetArgumentValue(k, 1, sizeof r, &r));
    set_value(k, 2, int32_t, 31);
    memset(&r, 0, sizeof r); /* it was copied */
    run_now(k, one_group);
    const int64_t expected[] = {-7, INT64_MAX, 321, 255, 31};
    assert_memory_equal(out, expected, sizeof expected);
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void local_memory_of_the_callers_size(void **state) {
    (void)state;
    enum { N = 48, GROUPS = 5 };
    uint32_t *out = usm(USM_SHARED, GROUPS * 4);
    ze_kernel_handle_t k = get_kernel(args_module, "local_memory");
    assert_ok(zeKernelSetGroupSize(k, N, 1, 1));
    set_pointer(k, 0, out);
    for (uint32_t n = N / 3; n <= N; n += N / 3) {
        memset(out, 0, GROUPS * 4);
        assert_ok(zeKernelSetArgumentValue(k, 1, n * 4, NULL));
        assert_ok(zeKernelSetArgumentValue(k, 2, n * 4, NULL));
        set_value(k, 3, uint32_t, n);
        run_now(k, (ze_group_count_t){GROUPS, 1, 1});
        for (int g = 0; g < GROUPS; g++) assert_int_equal(out[g], 1001 * n * (n + 1) / 2);
    }
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void too_much_local_memory_is_refused(void **state) {
    (void)state;
    uint32_t *out = usm(USM_SHARED, 4);
    ze_kernel_handle_t k = get_kernel(args_module, "local_memory");
    set_pointer(k, 0, out);
    size_t size = (size_t)zt.compute.maxSharedLocalMemory * 2;
    ze_result_t result = zeKernelSetArgumentValue(k, 1, size, NULL);
    if (result == ZE_RESULT_SUCCESS) {
        assert_ok(zeKernelSetArgumentValue(k, 2, 64, NULL));
        set_value(k, 3, uint32_t, 1);
        ze_command_list_handle_t list = regular_list();
        assert_refused(zeCommandListAppendLaunchKernel(list, k, &one_group, NULL, 0, NULL));
        assert_ok(zeCommandListDestroy(list));
    }
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void null_and_interior_pointers(void **state) {
    (void)state;
    uint32_t *out = usm(USM_SHARED, 8), *in = usm(USM_DEVICE, 64);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const uint32_t values[] = {1, 2, 3, 4, 5};
    assert_ok(zeCommandListAppendMemoryCopy(list, in, values, sizeof values, NULL, 0, NULL));
    ze_kernel_handle_t k = get_kernel(args_module, "null_pointer");
    set_pointer(k, 0, out);
    assert_ok(zeKernelSetArgumentValue(k, 1, sizeof(void *), NULL)); /* no value: a null pointer */
    set_pointer(k, 2, NULL); /* a value that is a null pointer */
    launch(list, k, 1, NULL, 0, NULL);
    assert_int_equal(out[0], 77);
    assert_int_equal(out[1], 88);
    set_pointer(k, 1, in + 3);
    set_pointer(k, 2, in + 1);
    launch(list, k, 1, NULL, 0, NULL);
    assert_int_equal(out[0], 4);
    assert_int_equal(out[1], 3);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
    usm_free(in);
}

/* A prefetch is a hint: it may name memory that nobody has. */
static void prefetching_never_fails(void **state) {
    (void)state;
    uint32_t *out = usm(USM_SHARED, 8);
    const uint64_t offsets[] = {0, 64, UINT64_C(1) << 46, (uint64_t)-(intptr_t)out};
    ze_kernel_handle_t k = get_kernel(args_module, "ask_ahead");
    set_pointer(k, 0, out);
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        out[0] = out[1] = 0;
        set_value(k, 1, uint64_t, offsets[i]);
        run_now(k, (ze_group_count_t){2, 1, 1});
        assert_int_equal(out[0], 1);
        assert_int_equal(out[1], 2);
    }
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void wrong_indices_and_sizes_are_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "other drivers leave this to the caller");
    ze_kernel_handle_t k = get_kernel(args_module, "scalars");
    char bytes[64] = {0};
    assert_result(zeKernelSetArgumentValue(k, 11, 4, bytes),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_result(zeKernelSetArgumentValue(k, UINT32_MAX, 4, bytes),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    static const size_t sizes[] = {8, 1, 1, 2, 2, 4, 4, 8, 8, 8, 4};
    for (uint32_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t size = 0; size <= 16; size++)
            if (size != sizes[i])
                assert_result(zeKernelSetArgumentValue(k, i, size, bytes),
                        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_ok(zeKernelDestroy(k));
}

static void unset_arguments_are_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "undefined elsewhere");
    uint32_t *out = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(args_module, "structure");
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_refused(zeCommandListAppendLaunchKernel(list, k, &one_group, NULL, 0, NULL));
    set_pointer(k, 0, out);
    set_value(k, 2, int32_t, 1);
    assert_refused(zeCommandListAppendLaunchKernel(list, k, &one_group, NULL, 0, NULL));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void check_ids(const uint32_t size[3], const uint32_t count[3]) {
    size_t n = (size_t)size[0] * size[1] * size[2] * count[0] * count[1] * count[2];
    uint32_t *out = usm(USM_SHARED, n * 80);
    memset(out, 0xff, n * 80);
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    assert_ok(zeKernelSetGroupSize(k, size[0], size[1], size[2]));
    set_pointer(k, 0, out);
    run_now(k, (ze_group_count_t){count[0], count[1], count[2]});
    for (uint32_t z = 0; z < size[2] * count[2]; z++)
        for (uint32_t y = 0; y < size[1] * count[1]; y++)
            for (uint32_t x = 0; x < size[0] * count[0]; x++) {
                const uint32_t id[3] = {x, y, z};
                const uint32_t *o =
                        out + 20 * (((size_t)z * size[1] * count[1] + y) * size[0] * count[0] + x);
                for (int d = 0; d < 3; d++) {
                    assert_int_equal(o[d], id[d]);
                    assert_int_equal(o[3 + d], id[d] % size[d]);
                    assert_int_equal(o[6 + d], id[d] / size[d]);
                    assert_int_equal(o[9 + d], count[d]);
                    assert_int_equal(o[12 + d], size[d]);
                    assert_int_equal(o[15 + d], size[d] * count[d]);
                }
                assert_int_equal(o[19], 0);
            }
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void work_items_know_where_they_are(void **state) {
    (void)state;
    static const uint32_t shapes[][2][3] = {
            {{1, 1, 1}, {1, 1, 1}},
            {{7, 1, 1}, {13, 1, 1}},
            {{4, 3, 2}, {3, 2, 5}},
            {{1, 1, 8}, {2, 3, 4}},
            {{64, 1, 1}, {1, 5, 1}},
    };
    for (size_t i = 0; i < COUNT_OF(shapes); i++) check_ids(shapes[i][0], shapes[i][1]);
}

static void global_offsets(void **state) {
    (void)state;
    uint32_t *out = usm(USM_SHARED, 6 * 80);
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    assert_ok(zeKernelSetGroupSize(k, 3, 1, 1));
    set_pointer(k, 0, out);
    ze_result_t result = zeKernelSetGlobalOffsetExp(k, 1000, 20, 3);
    if (result == ZE_RESULT_SUCCESS) {
        run_now(k, (ze_group_count_t){2, 1, 1});
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_equal(out[20 * i], 1000 + i);
            assert_int_equal(out[20 * i + 1], 20);
            assert_int_equal(out[20 * i + 2], 3);
            assert_int_equal(out[20 * i + 3], i % 3);
            assert_int_equal(out[20 * i + 6], i / 3);
            assert_int_equal(out[20 * i + 19], 1000);
        }
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void sum_groups(const char *name) {
    enum { SIZE = 64, GROUPS = 33 };
    uint32_t *in = usm(USM_SHARED, SIZE * GROUPS * 4), *out = usm(USM_SHARED, GROUPS * 4);
    for (uint32_t i = 0; i < SIZE * GROUPS; i++) in[i] = i * i;
    ze_kernel_handle_t k = get_kernel(geometry_module, name);
    set_pointer(k, 0, in);
    set_pointer(k, 1, out);
    for (uint32_t size = SIZE; size >= 4; size /= 4) {
        assert_ok(zeKernelSetGroupSize(k, size, 1, 1));
        memset(out, 0, GROUPS * 4);
        run_now(k, (ze_group_count_t){GROUPS, 1, 1});
        for (uint32_t g = 0; g < GROUPS; g++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < size; i++) sum += in[g * size + i];
            assert_int_equal(out[g], sum);
        }
    }
    assert_ok(zeKernelDestroy(k));
    usm_free(in);
    usm_free(out);
}

static void barriers_within_a_group(void **state) {
    (void)state;
    sum_groups("group_sum");
    sum_groups("group_sum_called");
}

static void group_sizes_have_limits(void **state) {
    (void)state;
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    const ze_device_compute_properties_t *c = &zt.compute;
    const uint32_t wrong[][3] = {{c->maxTotalGroupSize + 1, 1, 1}, {1, c->maxGroupSizeY + 1, 1},
            {1, 1, c->maxGroupSizeZ + 1}, {c->maxTotalGroupSize, 2, 1}, {65536, 65536, 1},
            {UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_result(zeKernelSetGroupSize(k, wrong[i][0], wrong[i][1], wrong[i][2]),
                ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_ok(zeKernelSetGroupSize(k, c->maxGroupSizeX, 1, 1));
    assert_ok(zeKernelDestroy(k));
    check_ids((uint32_t[3]){c->maxGroupSizeX, 1, 1}, (uint32_t[3]){2, 1, 1});
}

static void suggested_group_sizes_fit(void **state) {
    (void)state;
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    static const uint32_t globals[][3] = {{1, 1, 1}, {64, 64, 64}, {1000003, 1, 1}, {7, 11, 13},
            {1, 4096, 1}, {UINT32_MAX, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(globals); i++) {
        uint32_t s[3] = {0};
        assert_ok(zeKernelSuggestGroupSize(
                k, globals[i][0], globals[i][1], globals[i][2], &s[0], &s[1], &s[2]));
        assert_in_range(s[0], 1, zt.compute.maxGroupSizeX);
        assert_in_range(s[1], 1, zt.compute.maxGroupSizeY);
        assert_in_range(s[2], 1, zt.compute.maxGroupSizeZ);
        assert_true((uint64_t)s[0] * s[1] * s[2] <= zt.compute.maxTotalGroupSize);
        assert_ok(zeKernelSetGroupSize(k, s[0], s[1], s[2]));
        for (int d = 0; d < 3; d++) assert_true(s[d] <= globals[i][d]);
    }
    assert_ok(zeKernelDestroy(k));
}

static void a_required_group_size_is_required(void **state) {
    (void)state;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "required"};
    ze_kernel_handle_t k = NULL;
    assert_ok(zeKernelCreate(geometry_module, &desc, &k));
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(k, &p));
    assert_int_equal(p.requiredGroupSizeX, 4);
    assert_int_equal(p.requiredGroupSizeY, 2);
    assert_int_equal(p.requiredGroupSizeZ, 1);
    uint32_t x, y, z;
    assert_ok(zeKernelSuggestGroupSize(k, 64, 64, 1, &x, &y, &z));
    assert_true(x == 4 && y == 2 && z == 1);
    assert_result(zeKernelSetGroupSize(k, 8, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_ok(zeKernelSetGroupSize(k, 4, 2, 1));
    uint32_t *out = usm(USM_SHARED, 8 * 6 * 4);
    set_pointer(k, 0, out);
    run_now(k, (ze_group_count_t){2, 3, 1});
    for (int i = 0; i < 48; i++) assert_int_equal(out[i], 421);
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void properties_and_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t n_args;
    } kernels[] = {{"scalars", 11}, {"vectors", 6}, {"structure", 3}, {"local_memory", 4},
            {"null_pointer", 3}};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        ze_kernel_handle_t k = get_kernel(args_module, kernels[i].name);
        ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        assert_ok(zeKernelGetProperties(k, &p));
        assert_int_equal(p.numKernelArgs, kernels[i].n_args);
        assert_int_equal(p.requiredGroupSizeX + p.requiredGroupSizeY + p.requiredGroupSizeZ, 0);
        assert_int_equal(p.requiredSubgroupSize, 0);
        assert_true(p.maxSubgroupSize >= 1 || zt.compute.numSubGroupSizes == 0);
        assert_true(p.localMemSize <= zt.compute.maxSharedLocalMemory);

        size_t size = 0;
        assert_ok(zeKernelGetName(k, &size, NULL));
        assert_int_equal(size, strlen(kernels[i].name) + 1);
        char name[64];
        memset(name, 'x', sizeof name);
        assert_ok(zeKernelGetName(k, &size, name));
        assert_string_equal(name, kernels[i].name);
        assert_ok(zeKernelDestroy(k));
    }
}

/* Of local memory, a kernel has what it and the functions that it calls use, whatever other kernels
 * of the module have. */
static void local_memory_is_that_of_the_kernel(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t bytes;
    } kernels[] = {{"ids", 0}, {"group_sum", 256}, {"group_max", 512}, {"group_sum_called", 256}};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        ze_kernel_handle_t k = get_kernel(geometry_module, kernels[i].name);
        ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        assert_ok(zeKernelGetProperties(k, &p));
        assert_int_equal(p.localMemSize, kernels[i].bytes);
        assert_ok(zeKernelDestroy(k));
    }
}

static void settings_are_kept(void **state) {
    (void)state;
    ze_kernel_handle_t k = get_kernel(args_module, "scalars");
    ze_kernel_indirect_access_flags_t flags = 77;
    assert_ok(zeKernelGetIndirectAccess(k, &flags));
    assert_int_equal(flags, 0);
    assert_ok(zeKernelSetIndirectAccess(
            k, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
    assert_ok(zeKernelGetIndirectAccess(k, &flags));
    assert_int_equal(
            flags, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED);
    ze_result_t cache = zeKernelSetCacheConfig(k, ZE_CACHE_CONFIG_FLAG_LARGE_SLM);
    assert_true(cache == ZE_RESULT_SUCCESS || cache == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    char room
            [256] = "",
        *text = room; /* some drivers write to the caller's room, some give a string of their own */
    uint32_t size = sizeof room;
    assert_ok(zeKernelGetSourceAttributes(k, &size, &text));
    assert_non_null(text);
    assert_true(strlen(text) < sizeof room);
    assert_ok(zeKernelDestroy(k));
}

/* Sub-groups of the size that a kernel requires; without that size on the device, a build
 * failure with a reason. */
/* More work-groups along y than GPUs of other vendors take at a time: the driver divides them. The
 * kernel's module does not ask for numbers of work-groups. */
static void tall_grids(void **state) {
    (void)state;
    enum { ROWS = 70000, PLANES = 2, FIRST = 3 };
    ze_module_handle_t module = load_module("basic");
    uint8_t *x = usm(USM_SHARED, (FIRST + ROWS) * PLANES);
    memset(x, 0, (FIRST + ROWS) * PLANES);
    ze_kernel_handle_t k = get_kernel(module, "count_rows");
    set_pointer(k, 0, x);
    set_value(k, 1, uint32_t, FIRST + ROWS);
    assert_ok(zeKernelSetGroupSize(k, 1, 1, 1));
    assert_ok(zeKernelSetGlobalOffsetExp(k, 0, FIRST, 0));
    run_now(k, (ze_group_count_t){1, ROWS, PLANES});
    for (int plane = 0; plane < PLANES; plane++)
        for (int row = 0; row < FIRST + ROWS; row++)
            if (x[plane * (FIRST + ROWS) + row] != (row >= FIRST))
                fail_msg("row %d of plane %d: %d", row, plane, x[plane * (FIRST + ROWS) + row]);
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
    assert_ok(zeModuleDestroy(module));
}

/* A GPU's limit counts where a kernel asks for the number of its work-group. */
static void tall_grids_with_numbers(void **state) {
    (void)state;
    ze_device_compute_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_ok(zeDeviceGetComputeProperties(zt.device, &limits));
    if (limits.maxGroupCountY == UINT32_MAX) skip();
    uint32_t *out = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(geometry_module, "group_sum");
    set_pointer(k, 0, out);
    set_pointer(k, 1, out);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t count = {1, limits.maxGroupCountY + 1, 1};
    assert_int_equal(zeCommandListAppendLaunchKernel(list, k, &count, NULL, 0, NULL),
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void sub_groups(void **state) {
    (void)state;
    enum { SIZE = 16, N = 64, GROUPS = 3 };
    bool has_size = false;
    for (uint32_t i = 0; i < zt.compute.numSubGroupSizes; i++)
        has_size |= zt.compute.subGroupSizes[i] == SIZE;
    blob_t spirv = read_spirv("subgroups");
    ze_module_handle_t module;
    char log[2000];
    ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, log, sizeof log);
    free(spirv.bytes);
    if (!has_size) {
        assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        if (!zt.intercept) assert_true(log[0] != 0);
        return;
    }
    if (result) print_error("%s\n", log);
    assert_ok(result);
    uint32_t *in = usm(USM_SHARED, N * GROUPS * 4), *out = usm(USM_SHARED, N * GROUPS * 16);
    for (uint32_t i = 0; i < N * GROUPS; i++) in[i] = i * i + 1;
    memset(out, 0xff, N * GROUPS * 16);
    ze_kernel_handle_t k = get_kernel(module, "lanes");
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(k, &p));
    assert_int_equal(p.requiredSubgroupSize, SIZE);
    assert_ok(zeKernelSetGroupSize(k, N, 1, 1));
    set_pointer(k, 0, in);
    set_pointer(k, 1, out);
    run_now(k, (ze_group_count_t){GROUPS, 1, 1});
    for (uint32_t i = 0; i < N * GROUPS; i++) {
        uint32_t sum = 0, first = i / SIZE * SIZE;
        for (uint32_t j = first; j < first + SIZE; j++) sum += in[j];
        assert_int_equal(out[4 * i], sum);
        assert_int_equal(out[4 * i + 1], in[first + (SIZE - 1 - i % SIZE)]);
        assert_int_equal(out[4 * i + 2], in[first + 3]);
        assert_int_equal(out[4 * i + 3], SIZE * 100 + i % SIZE);
    }
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeModuleDestroy(module));
    usm_free(in);
    usm_free(out);
}

static void indirect_launch(void **state) {
    (void)state;
    uint32_t *out = usm(USM_SHARED, 8 * 80);
    ze_group_count_t *count = usm(USM_SHARED, sizeof *count);
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    set_pointer(k, 0, out);
    memset(out, 0, 8 * 80);
    *count = (ze_group_count_t){1, 1, 1};
    ze_event_pool_handle_t pool = event_pool(2, 0);
    ze_event_handle_t go = event(pool, 0), done = event(pool, 1);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_result_t result = zeCommandListAppendLaunchKernelIndirect(list, k, count, done, 1, &go);
    *count = (ze_group_count_t){4, 2, 1}; /* read when the kernel starts, not now */
    assert_ok(zeEventHostSignal(go));
    if (result == ZE_RESULT_SUCCESS) {
        await(done);
        for (uint32_t i = 0; i < 8; i++)
            assert_true(out[20 * i] == i % 4 && out[20 * i + 1] == i / 4 && out[20 * i + 9] == 4);
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(go));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
    usm_free(count);
}

static void cooperative_launch(void **state) {
    (void)state;
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    uint32_t most = 0, *out = usm(USM_SHARED, 8 * 80);
    ze_result_t result = zeKernelSuggestMaxCooperativeGroupCount(k, &most);
    if (result == ZE_RESULT_SUCCESS) {
        assert_true(most >= 1);
        ze_group_count_t count = {most < 8 ? most : 8, 1, 1};
        set_pointer(k, 0, out);
        memset(out, 0, 8 * 80);
        ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        assert_ok(zeCommandListAppendLaunchCooperativeKernel(list, k, &count, NULL, 0, NULL));
        for (uint32_t i = 0; i < count.groupCountX; i++)
            assert_int_equal(out[20 * i + 9], count.groupCountX);
        count.groupCountX = most + 1;
        if (zt.is_cpu)
            assert_refused(
                    zeCommandListAppendLaunchCooperativeKernel(list, k, &count, NULL, 0, NULL));
        assert_ok(zeCommandListDestroy(list));
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void an_empty_launch_is_harmless(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "undefined elsewhere");
    uint32_t *out = usm(USM_SHARED, 80);
    memset(out, 0, 80);
    ze_kernel_handle_t k = get_kernel(geometry_module, "ids");
    set_pointer(k, 0, out);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (int d = 0; d < 3; d++) {
        ze_group_count_t count = {d != 0, d != 1, d != 2};
        ze_result_t result = zeCommandListAppendLaunchKernel(list, k, &count, NULL, 0, NULL);
        assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(out[9], 0);
    launch(list, k, 1, NULL, 0, NULL);
    assert_int_equal(out[9], 1);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(out);
}

static void kernels_of_one_module_are_independent(void **state) {
    (void)state;
    uint32_t *a = usm(USM_SHARED, 80), *b = usm(USM_SHARED, 80);
    ze_kernel_handle_t ka = get_kernel(geometry_module, "ids"),
                       kb = get_kernel(geometry_module, "ids");
    set_pointer(ka, 0, a);
    set_pointer(kb, 0, b);
    memset(a, 0, 80);
    memset(b, 0, 80);
    run_now(ka, one_group);
    assert_int_equal(a[12], 1);
    assert_int_equal(b[12], 0);
    assert_ok(zeKernelDestroy(ka));
    run_now(kb, one_group);
    assert_int_equal(b[12], 1);
    assert_ok(zeKernelDestroy(kb));
    usm_free(a);
    usm_free(b);
}

static int setup(void **state) {
    (void)state;
    args_module = load_module("args");
    geometry_module = load_module("geometry");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return zeModuleDestroy(args_module) || zeModuleDestroy(geometry_module) ? -1 : 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(scalars_of_each_size),
            TEST(vectors_by_value),
            TEST(no_value_is_zero),
            TEST(structures_by_value),
            TEST(local_memory_of_the_callers_size),
            TEST(too_much_local_memory_is_refused),
            TEST(null_and_interior_pointers),
            TEST(prefetching_never_fails),
            TEST(wrong_indices_and_sizes_are_refused),
            TEST(unset_arguments_are_refused),
            TEST(work_items_know_where_they_are),
            TEST(global_offsets),
            TEST(barriers_within_a_group),
            TEST(group_sizes_have_limits),
            TEST(suggested_group_sizes_fit),
            TEST(a_required_group_size_is_required),
            TEST(properties_and_names),
            TEST(local_memory_is_that_of_the_kernel),
            TEST(settings_are_kept),
            TEST(tall_grids),
            TEST(tall_grids_with_numbers),
            TEST(sub_groups),
            TEST(indirect_launch),
            TEST(cooperative_launch),
            TEST(an_empty_launch_is_harmless),
            TEST(kernels_of_one_module_are_independent),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}
