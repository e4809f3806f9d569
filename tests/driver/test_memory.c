/* SPDX-License-Identifier: Apache-2.0 */
/* Unified shared memory: kinds, sizes, alignment, queries, and what is refused. */
#include "ze_test.h"

#include <pthread.h>

static const ze_memory_type_t memory_types[] = {
        ZE_MEMORY_TYPE_HOST, ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_SHARED};

static ze_memory_type_t type_of(const void *pointer, ze_device_handle_t *device) {
    ze_memory_allocation_properties_t p = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .type = 99};
    *device = (ze_device_handle_t)(uintptr_t)8; /* must be overwritten */
    assert_ok(zeMemGetAllocProperties(zt.context, pointer, &p, device));
    assert_int_equal(p.stype, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
    return p.type;
}

static void kinds_are_told_apart(void **state) {
    (void)state;
    uint64_t ids[USM_KINDS];
    char *pointers[USM_KINDS];
    for (int kind = 0; kind < USM_KINDS; kind++) {
        pointers[kind] = usm(kind, 1000);
        for (size_t offset = 0; offset < 1000; offset += 333) { /* interior pointers too */
            ze_device_handle_t device;
            assert_int_equal(type_of(pointers[kind] + offset, &device), memory_types[kind]);
            assert_ptr_equal(device, kind == USM_HOST ? NULL : zt.device);
        }
        ze_memory_allocation_properties_t p = {
                .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        assert_ok(zeMemGetAllocProperties(zt.context, pointers[kind], &p, NULL));
        ids[kind] = p.id;
    }
    assert_true(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    for (int kind = 0; kind < USM_KINDS; kind++) usm_free(pointers[kind]);
}

static void shared_memory_without_a_device(void **state) {
    (void)state;
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *pointer = NULL;
    assert_ok(zeMemAllocShared(zt.context, &desc, &host, 100, 0, NULL, &pointer));
    ze_device_handle_t device;
    assert_int_equal(type_of(pointer, &device), ZE_MEMORY_TYPE_SHARED);
    memset(pointer, 3, 100);
    usm_free(pointer);
}

static void unknown_pointers_are_unknown(void **state) {
    (void)state;
    char on_stack[64];
    void *on_heap = malloc(64);
    assert_non_null(on_heap);
    char *freed = usm(USM_SHARED, 4096);
    usm_free(freed);
    const void *strangers[] = {
            on_stack, on_heap, freed, (void *)(uintptr_t)16, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < COUNT_OF(strangers); i++) {
        ze_device_handle_t device;
        assert_int_equal(type_of(strangers[i], &device), ZE_MEMORY_TYPE_UNKNOWN);
        void *base;
        size_t size;
        assert_refused(zeMemGetAddressRange(zt.context, strangers[i], &base, &size));
    }
    free(on_heap);
}

static void ranges_cover_the_allocation(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 63, 64, 65, 4095, 4096, 4097, 1000003};
    for (int kind = 0; kind < USM_KINDS; kind++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            char *p = usm(kind, sizes[i]);
            const char *at[] = {p, p + sizes[i] / 2, p + sizes[i] - 1};
            for (size_t j = 0; j < COUNT_OF(at); j++) {
                void *base = NULL;
                size_t size = 0;
                assert_ok(zeMemGetAddressRange(zt.context, at[j], &base, &size));
                assert_ptr_equal(base, p);
                assert_true(size >= sizes[i]);
                if (zt.is_cpu) assert_true(size <= sizes[i] + 65535);
                assert_ok(zeMemGetAddressRange(zt.context, at[j], &base, NULL));
                assert_ok(zeMemGetAddressRange(zt.context, at[j], NULL, &size));
            }
            usm_free(p);
        }
}

static void neighbours_do_not_overlap(void **state) {
    (void)state;
    enum { N = 200 };
    struct {
        char *p;
        size_t size;
    } a[N];
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) {
        a[i].size = 1 + random_u64(&seed) % 5000;
        a[i].p = usm(i % 2 ? USM_SHARED : USM_HOST, a[i].size);
        memset(a[i].p, i, a[i].size);
    }
    for (int i = 0; i < N; i++) {
        for (size_t j = 0; j < a[i].size; j++) assert_int_equal((unsigned char)a[i].p[j], i);
        void *base;
        assert_ok(zeMemGetAddressRange(zt.context, a[i].p + a[i].size - 1, &base, NULL));
        assert_ptr_equal(base, a[i].p);
    }
    for (int i = 0; i < N; i += 2) usm_free(a[i].p);
    for (int i = 1; i < N; i += 2) { /* the others are still known */
        void *base;
        assert_ok(zeMemGetAddressRange(zt.context, a[i].p + a[i].size / 2, &base, NULL));
        assert_ptr_equal(base, a[i].p);
        usm_free(a[i].p);
    }
}

static void alignments_are_kept(void **state) {
    (void)state;
    for (int kind = 0; kind < USM_KINDS; kind++)
        for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
            void *p = NULL, *q = NULL;
            ze_result_t result = usm_try(kind, 100, alignment, &p);
            if (result == ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT && !zt.is_cpu) continue;
            assert_int_equal(result, ZE_RESULT_SUCCESS);
            assert_ok(usm_try(kind, 77, alignment, &q));
            assert_int_equal((uintptr_t)p % alignment, 0);
            assert_int_equal((uintptr_t)q % alignment, 0);
            usm_free(p);
            usm_free(q);
        }
}

/* Programs for GPUs cut an allocation into parts that they align themselves. */
static void the_usual_alignment_is_a_page(void **state) {
    (void)state;
    const char *type = getenv("ZE_CPU_OPENCL_TYPE");
    skip_unless(zt.is_cpu && !setting("ZE_CPU_STRICT", 0), "strict mode aligns to less");
    for (int kind = 0; kind < USM_KINDS; kind++)
        for (size_t size = 1; size <= 4 << 20; size *= 16) {
            void *p = NULL;
            assert_ok(usm_try(kind, size, 0, &p));
            assert_int_equal((uintptr_t)p % (type ? 128 : 4096), 0);
            usm_free(p);
        }
}

static void bad_sizes_and_alignments_are_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < USM_KINDS; kind++) {
        void *p = NULL;
        if (zt.is_cpu || zt.layers) {
            assert_result(usm_try(kind, 0, 64, &p), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
            assert_result(usm_try(kind, 64, 3, &p), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
            assert_result(usm_try(kind, 64, 96, &p), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        }
        static const size_t too_large[] = {
                SIZE_MAX, SIZE_MAX - 63, SIZE_MAX - 4095, (size_t)1 << 63, (size_t)1 << 56};
        for (size_t i = 0; i < COUNT_OF(too_large); i++)
            assert_refused(usm_try(kind, too_large[i], 4096, &p));
        assert_refused(usm_try(kind, SIZE_MAX / 2, (size_t)1 << 62, &p));
        assert_null(p);
    }
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    assert_result(zeMemAllocDevice(zt.context, NULL, 64, 0, zt.device, &p),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeMemAllocDevice(zt.context, &desc, 64, 0, zt.device, NULL),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(
            zeMemAllocHost(zt.context, NULL, 64, 0, &p), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeMemAllocShared(zt.context, &desc, NULL, 64, 0, NULL, &p),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    host.flags = 0x100;
    desc.flags = 0x100;
    assert_result(
            zeMemAllocHost(zt.context, &host, 64, 0, &p), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeMemAllocDevice(zt.context, &desc, 64, 0, zt.device, &p),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(p);
}

/* More than 2 GiB of address space; only the ends are touched. */
static void large_allocations(void **state) {
    (void)state;
    size_t size = ((size_t)5 << 29) + 1; /* 2.5 GiB and a byte */
    skip_unless(
            zt.properties.maxMemAllocSize >= size, "the device's largest allocation is smaller");
    for (int kind = 0; kind < USM_KINDS; kind++) {
        char *p = usm(kind, size);
        void *base;
        size_t got;
        assert_ok(zeMemGetAddressRange(zt.context, p + size - 1, &base, &got));
        assert_ptr_equal(base, p);
        assert_true(got >= size);
        if (kind != USM_DEVICE) {
            p[0] = 1;
            p[size - 1] = 2;
            assert_int_equal(p[0] + p[size - 1], 3);
        }
        usm_free(p);
    }
}

static void bad_frees_are_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "undefined elsewhere");
    char *p = usm(USM_SHARED, 1000);
    char on_stack[8];
    assert_result(zeMemFree(zt.context, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_refused(zeMemFree(zt.context, p + 1));
    assert_refused(zeMemFree(zt.context, p + 999));
    assert_refused(zeMemFree(zt.context, on_stack));
    memset(p, 1, 1000); /* still there */
    usm_free(p);
    assert_refused(zeMemFree(zt.context, p));
}

static void free_with_a_policy(void **state) {
    (void)state;
    ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
            .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    void *p = usm(USM_DEVICE, 1000);
    ze_result_t result = zeMemFreeExt(zt.context, &desc, p);
    if (result == ZE_RESULT_SUCCESS) {
        ze_device_handle_t device;
        assert_int_equal(type_of(p, &device), ZE_MEMORY_TYPE_UNKNOWN);
        return;
    }
    assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    usm_free(p);
}

static void *allocate_much(void *arg) {
    uint64_t seed = (uintptr_t)arg;
    size_t bad = 0;
    for (int i = 0; i < 500; i++) {
        size_t size = 1 + random_u64(&seed) % 100000;
        char *p = NULL;
        void *base = NULL;
        bad += usm_try((usm_kind_t)(i % USM_KINDS), size, 0, (void **)&p) != ZE_RESULT_SUCCESS;
        bad += zeMemGetAddressRange(zt.context, p + size - 1, &base, NULL) != ZE_RESULT_SUCCESS ||
               base != p;
        bad += zeMemFree(zt.context, p) != ZE_RESULT_SUCCESS;
    }
    return (void *)bad;
}

static void threads_allocate_at_once(void **state) {
    (void)state;
    pthread_t threads[8];
    for (uintptr_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_much, (void *)(i + 1)), 0);
    for (int i = 0; i < 8; i++) {
        void *bad;
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(kinds_are_told_apart),
            TEST(shared_memory_without_a_device),
            TEST(unknown_pointers_are_unknown),
            TEST(ranges_cover_the_allocation),
            TEST(neighbours_do_not_overlap),
            TEST(alignments_are_kept),
            TEST(the_usual_alignment_is_a_page),
            TEST(bad_sizes_and_alignments_are_refused),
            TEST(large_allocations),
            TEST(bad_frees_are_refused),
            TEST(free_with_a_policy),
            TEST(threads_allocate_at_once),
    };
    return RUN_TESTS(tests);
}
