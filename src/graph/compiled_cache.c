/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/compiled_cache.h"

#include <pthread.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/env.h"
#include "core/lru.h"
#include "graph/compile_key.h"
#include "graph/frames.h"

/* What compiled partitions share. */
typedef struct {
    atomic_int refs;
    cache_key_t *key;
    frames_t *frames; /* one reference */
    ports_t in, out;
} compiled_t;

static void compiled_unref(compiled_t *compiled) {
    if (atomic_fetch_sub(&compiled->refs, 1) != 1) return;
    frames_unref(compiled->frames);
    dz_free(compiled->in.list);
    dz_free(compiled->out.list);
    dz_free(compiled->key);
    dz_free(compiled);
}

static bool key_equal(const void *a, const void *b) {
    return cache_key_equal(a, b);
}
static const void *key_of(const void *value) {
    return ((const compiled_t *)value)->key;
}
static void value_ref(void *value) {
    atomic_fetch_add(&((compiled_t *)value)->refs, 1);
}
static void value_unref(void *value) {
    compiled_unref(value);
}
static const lru_class_t compiled_partitions = {key_equal, key_of, value_ref, value_unref};

/* NULL: out of memory. It lives as long as the process. */
static lru_t *cache(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static lru_t *made;
    pthread_mutex_lock(&lock);
    if (!made) {
        const int capacity = env_int("GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", 1024);
        made = lru_create(capacity < 0 ? 1024 : capacity);
    }
    lru_t *lru = made;
    pthread_mutex_unlock(&lock);
    return lru;
}

void compiled_cache_forget(dnnl_engine_t engine) {
    lru_t *lru = cache();
    if (lru) lru_evict(lru, engine);
}

static dnnl_status_t copy_ports(ports_t *to, const ports_t *from) {
    for (size_t i = 0; i < from->count; i++) TRY(ports_add(to, &from->list[i]));
    return dnnl_success;
}

typedef struct {
    dnnl_graph_compiled_partition_t cp;
    dnnl_engine_t engine;
    compile_fn compile;
    cache_key_t *key; /* owned until a value has it */
} build_t;

static dnnl_status_t fill(compiled_t *compiled, build_t *b) {
    TRY(b->compile(b->cp, b->engine));
    compiled->frames = b->cp->frames;
    frames_ref(compiled->frames);
    TRY(copy_ports(&compiled->in, &b->cp->in));
    return copy_ports(&compiled->out, &b->cp->out);
}

static dnnl_status_t build(void **value, const void *key, void *ctx) {
    build_t *b = ctx;
    compiled_t *compiled = dz_calloc(1, sizeof *compiled);
    (void)key;
    if (!compiled) return dnnl_out_of_memory;
    atomic_init(&compiled->refs, 1);
    const dnnl_status_t status = fill(compiled, b);
    if (status != dnnl_success) {
        compiled_unref(compiled);
        return status;
    }
    compiled->key = b->key;
    b->key = NULL;
    *value = compiled;
    return dnnl_success;
}

static dnnl_status_t take(dnnl_graph_compiled_partition_t cp, const compiled_t *compiled) {
    ports_t in = {0}, out = {0};
    dnnl_status_t status = copy_ports(&in, &compiled->in);
    if (status == dnnl_success) status = copy_ports(&out, &compiled->out);
    if (status != dnnl_success) {
        dz_free(in.list);
        dz_free(out.list);
        return status;
    }
    dz_free(cp->in.list);
    dz_free(cp->out.list);
    cp->in = in;
    cp->out = out;
    cp->frames = compiled->frames;
    frames_ref(cp->frames);
    return dnnl_success;
}

dnnl_status_t compiled_cache_get(
        dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine, compile_fn compile, bool *hit) {
    lru_t *lru = cache();
    void *value;
    *hit = false;
    if (!lru || !lru_capacity(lru)) return compile(cp, engine);
    build_t b = {cp, engine, compile, compile_key(cp, engine)};
    if (!b.key) return dnnl_out_of_memory;
    dnnl_status_t status =
            lru_get(lru, &compiled_partitions, b.key->hash, engine, b.key, build, &b, &value, hit);
    dz_free(b.key);
    if (status != dnnl_success) return status;
    if (!cp->frames) status = take(cp, value);
    compiled_unref(value);
    return status;
}

dnnl_status_t dnnl_graph_get_compiled_partition_cache_capacity(int *capacity) {
    CHECK_NOT_NULL(capacity, "graph");
    lru_t *lru = cache();
    if (!lru) return dnnl_out_of_memory;
    *capacity = lru_capacity(lru);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_set_compiled_partition_cache_capacity(int capacity) {
    CHECK_ARG(capacity >= 0, "graph", "a capacity of %d", capacity);
    lru_t *lru = cache();
    if (!lru) return dnnl_out_of_memory;
    lru_set_capacity(lru, capacity);
    return dnnl_success;
}
