/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: order of eviction, owners, failures, lack of memory, and threads that ask for the
 * same thing. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/lru.h"
#include "oneapi/dnnl/dnnl.h"

typedef struct {
    int key;
    atomic_int refs;
} value_t;

static atomic_int builds, alive;

static bool keys_equal(const void *a, const void *b) {
    return *(const int *)a == *(const int *)b;
}
static const void *key_of(const void *value) {
    return &((const value_t *)value)->key;
}
static void ref(void *value) {
    atomic_fetch_add(&((value_t *)value)->refs, 1);
}
static void unref(void *value) {
    if (atomic_fetch_sub(&((value_t *)value)->refs, 1) != 1) return;
    atomic_fetch_sub(&alive, 1);
    free(value);
}
static const lru_class_t cls = {keys_equal, key_of, ref, unref};

/* ctx: the status to answer, or NULL. */
static dnnl_status_t build(void **value, const void *key, void *ctx) {
    atomic_fetch_add(&builds, 1);
    if (ctx) return *(dnnl_status_t *)ctx;
    value_t *v = malloc(sizeof(*v));
    if (!v) return dnnl_out_of_memory;
    v->key = *(const int *)key;
    atomic_init(&v->refs, 1);
    atomic_fetch_add(&alive, 1);
    *value = v;
    return dnnl_success;
}

static bool get(lru_t *lru, int key, const void *owner) {
    void *value = NULL;
    bool hit;
    /* Few hash values: chains are walked. */
    assert_int_equal(
            lru_get(lru, &cls, (uint64_t)(key % 3), owner, &key, build, NULL, &value, &hit),
            dnnl_success);
    assert_int_equal(((value_t *)value)->key, key);
    unref(value);
    return hit;
}

static void test_order(void **state) {
    (void)state;
    lru_t *lru = lru_create(3);
    for (int i = 0; i < 3; i++) assert_false(get(lru, i, NULL));
    assert_true(get(lru, 0, NULL));
    assert_false(get(lru, 3, NULL)); /* 1 is the oldest */
    assert_int_equal(lru_size(lru), 3);
    assert_int_equal(atomic_load(&alive), 3);
    assert_true(get(lru, 0, NULL));
    assert_true(get(lru, 2, NULL));
    assert_true(get(lru, 3, NULL));
    assert_false(get(lru, 1, NULL));
    assert_false(get(lru, 0, NULL));
    lru_set_capacity(lru, 1);
    assert_int_equal(lru_size(lru), 1);
    assert_true(get(lru, 0, NULL));
    lru_set_capacity(lru, 0);
    assert_int_equal(lru_size(lru), 0);
    assert_false(get(lru, 0, NULL));
    assert_false(get(lru, 0, NULL));
    assert_int_equal(lru_size(lru), 0);
    lru_destroy(lru);
    assert_int_equal(atomic_load(&alive), 0);
}

static void test_many(void **state) {
    (void)state;
    lru_t *lru = lru_create(1000);
    for (int i = 0; i < 1500; i++) assert_false(get(lru, i, NULL));
    for (int i = 500; i < 1500; i++) assert_true(get(lru, i, NULL));
    assert_false(get(lru, 499, NULL));
    assert_int_equal(lru_size(lru), 1000);
    lru_destroy(lru);
    assert_int_equal(atomic_load(&alive), 0);
}

static void test_owners(void **state) {
    (void)state;
    static const char a, b;
    lru_t *lru = lru_create(10);
    for (int i = 0; i < 8; i++) get(lru, i, i % 2 ? &a : &b);
    lru_evict(lru, &a);
    assert_int_equal(lru_size(lru), 4);
    for (int i = 0; i < 8; i += 2) assert_true(get(lru, i, &b));
    assert_false(get(lru, 1, &a));
    lru_evict(lru, &a);
    lru_evict(lru, &b);
    assert_int_equal(atomic_load(&alive), 0);
    lru_destroy(lru);
}

static void test_value_outlives_cache(void **state) {
    (void)state;
    lru_t *lru = lru_create(2);
    int key = 1;
    void *value;
    assert_int_equal(lru_get(lru, &cls, 1, NULL, &key, build, NULL, &value, NULL), dnnl_success);
    lru_destroy(lru);
    assert_int_equal(((value_t *)value)->key, 1);
    unref(value);
    assert_int_equal(atomic_load(&alive), 0);
}

static void test_failure(void **state) {
    (void)state;
    lru_t *lru = lru_create(2);
    dnnl_status_t refusal = dnnl_unimplemented;
    int key = 1;
    void *value = NULL;
    bool hit = true;
    assert_int_equal(
            lru_get(lru, &cls, 1, NULL, &key, build, &refusal, &value, &hit), dnnl_unimplemented);
    assert_null(value);
    assert_false(hit);
    assert_int_equal(lru_size(lru), 0); /* failures are not kept */
    assert_false(get(lru, 1, NULL));
    lru_destroy(lru);
}

static void test_no_memory(void **state) {
    (void)state;
    lru_t *lru = lru_create(4);
    atomic_store(&dz_alloc_fail_forever, 1);
    atomic_store(&dz_alloc_fail_after, 1);
    assert_false(get(lru, 1, NULL)); /* works, but is not kept */
    assert_int_equal(lru_size(lru), 0);
    assert_null(lru_create(1));
    atomic_store(&dz_alloc_fail_forever, 0);
    atomic_store(&dz_alloc_fail_after, 0);
    assert_false(get(lru, 1, NULL));
    assert_true(get(lru, 1, NULL));
    lru_destroy(lru);
    assert_int_equal(atomic_load(&alive), 0);
}

enum { THREADS = 8 };
static pthread_barrier_t start;
static lru_t *shared;
static dnnl_status_t *shared_refusal;

static dnnl_status_t slow_build(void **value, const void *key, void *ctx) {
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    return build(value, key, ctx);
}

typedef struct {
    dnnl_status_t status;
    bool hit;
} outcome_t;

static void *ask_the_same(void *arg) {
    outcome_t *outcome = arg;
    int key = 42;
    void *value;
    pthread_barrier_wait(&start);
    outcome->status = lru_get(
            shared, &cls, 42, NULL, &key, slow_build, shared_refusal, &value, &outcome->hit);
    if (outcome->status == dnnl_success) unref(value);
    return NULL;
}

/* cmocka's assertions are not for threads: these only take notes. */
static void run(void *(*body)(void *), outcome_t *outcomes) {
    pthread_t thread[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, body, &outcomes[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&start);
}

static void test_threads_build_once(void **state) {
    (void)state;
    outcome_t outcome[THREADS];
    shared = lru_create(4);
    shared_refusal = NULL;
    atomic_store(&builds, 0);
    run(ask_the_same, outcome);
    int hits = 0;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(outcome[i].status, dnnl_success);
        hits += outcome[i].hit;
    }
    assert_int_equal(atomic_load(&builds), 1);
    assert_int_equal(hits, THREADS - 1);
    lru_destroy(shared);
    assert_int_equal(atomic_load(&alive), 0);
}

static void test_threads_share_failure(void **state) {
    (void)state;
    outcome_t outcome[THREADS];
    dnnl_status_t refusal = dnnl_runtime_error;
    const long live = atomic_load(&dz_alloc_live);
    shared = lru_create(4);
    shared_refusal = &refusal;
    run(ask_the_same, outcome);
    for (int i = 0; i < THREADS; i++) assert_int_equal(outcome[i].status, dnnl_runtime_error);
    assert_int_equal(lru_size(shared), 0);
    lru_destroy(shared);
    assert_int_equal(atomic_load(&dz_alloc_live), live);
}

static void *churn(void *arg) {
    outcome_t *outcome = arg;
    outcome->status = dnnl_success;
    unsigned seed = (unsigned)(uintptr_t)arg;
    pthread_barrier_wait(&start);
    for (int i = 0; i < 3000; i++) {
        seed = seed * 1664525u + 1013904223u;
        int key = (int)(seed >> 16 & 31);
        void *value;
        if (lru_get(shared, &cls, (uint64_t)key, (void *)(uintptr_t)(key & 1), &key, build, NULL,
                    &value, NULL) != dnnl_success ||
                ((value_t *)value)->key != key)
            outcome->status = dnnl_runtime_error;
        else unref(value);
        if (i % 97 == 0) lru_evict(shared, (void *)(uintptr_t)(i & 1));
        if (i % 61 == 0) lru_set_capacity(shared, 4 + i % 13);
    }
    return NULL;
}

static void test_threads_churn(void **state) {
    (void)state;
    outcome_t outcome[THREADS];
    shared = lru_create(8);
    run(churn, outcome);
    for (int i = 0; i < THREADS; i++) assert_int_equal(outcome[i].status, dnnl_success);
    assert_true(lru_size(shared) <= lru_capacity(shared));
    assert_int_equal(lru_size(shared), atomic_load(&alive));
    lru_destroy(shared);
    assert_int_equal(atomic_load(&alive), 0);
}

static void test_capacity_api(void **state) {
    (void)state;
    int capacity;
    assert_int_equal(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
    assert_int_equal(capacity, 1024);
    assert_int_equal(dnnl_get_primitive_cache_capacity(NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_set_primitive_cache_capacity(-1), dnnl_invalid_arguments);
    assert_int_equal(dnnl_set_primitive_cache_capacity(0), dnnl_success);
    assert_int_equal(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
    assert_int_equal(capacity, 0);
    assert_int_equal(lru_capacity(pd_cache()), 0);
    assert_int_equal(dnnl_set_primitive_cache_capacity(1024), dnnl_success);
}

static void test_capacity_environment(void **state) {
    (void)state;
    static const struct {
        const char *value;
        int capacity;
    } cases[] = {{"7", 7}, {"0", 0}, {"-1", 1024}, {"many", 1024}, {"", 1024}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", cases[i].value, 1);
        lru_t *lru = lru_create(-1);
        assert_int_equal(lru_capacity(lru), cases[i].capacity);
        lru_destroy(lru);
    }
    unsetenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY");
    setenv("DNNL_PRIMITIVE_CACHE_CAPACITY", "3", 1);
    lru_t *lru = lru_create(-1);
    assert_int_equal(lru_capacity(lru), 3);
    lru_destroy(lru);
    unsetenv("DNNL_PRIMITIVE_CACHE_CAPACITY");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_capacity_api),
            cmocka_unit_test(test_capacity_environment), cmocka_unit_test(test_order),
            cmocka_unit_test(test_many), cmocka_unit_test(test_owners),
            cmocka_unit_test(test_value_outlives_cache), cmocka_unit_test(test_failure),
            cmocka_unit_test(test_no_memory), cmocka_unit_test(test_threads_build_once),
            cmocka_unit_test(test_threads_share_failure), cmocka_unit_test(test_threads_churn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
