/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of constant tensors: a list of constants for each hash. Nothing leaves it by itself;
 * what does not fit is not kept. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/env.h"
#include "core/hash.h"
#include "graph/cache_key.h"
#include "graph/constants.h"
#include "graph/device.h"

enum { LISTS = 256, MIB = 1 << 20 };

struct kept {
    atomic_int refs;
    kept_t *next; /* in its list */
    dnnl_engine_t engine;
    void *data;
    size_t size; /* bytes */
    uint64_t hash;
    bool pinned;
    size_t ninputs;
    const cache_key_t *key; /* a copy of the program's */
    const void *inputs[];   /* addresses */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards: */
static kept_t *lists[LISTS];
static bool has_read_environment;
static size_t capacities[2]; /* MiB, by kind of engine: cpu, gpu */

void *constants_data(const kept_t *kept) {
    return kept->data;
}

static void free_kept(kept_t *kept) {
    device_free_unused(kept->engine, kept->data);
    dz_free((void *)kept->key);
    dz_free(kept);
}

void constants_unref(kept_t *kept) {
    if (atomic_fetch_sub(&kept->refs, 1) == 1) free_kept(kept);
}

/* "cpu:1024;gpu:2048". A kind that is missing has capacity 0. */
static size_t read_capacity(const char *text, const char *kind) {
    const char *at = text ? strstr(text, kind) : NULL;
    char *end;
    if (!at) return 0;
    at += strlen(kind);
    const unsigned long long number = strtoull(at, &end, 10);
    return *at < '0' || *at > '9' || (*end && *end != ';') ? 0 : (size_t)number;
}

static void set(size_t *capacity, size_t mib) {
    const size_t largest = SIZE_MAX / MIB;
    *capacity = mib < largest ? mib : largest;
}

/* Called with the lock held. */
static size_t *capacity_of(dnnl_engine_kind_t kind) {
    if (!has_read_environment) {
        const char *text = env_string("GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY");
        set(&capacities[0], read_capacity(text, "cpu:"));
        set(&capacities[1], read_capacity(text, "gpu:"));
        has_read_environment = true;
    }
    return &capacities[kind == dnnl_gpu];
}

static size_t capacity_now(dnnl_engine_kind_t kind) {
    pthread_mutex_lock(&lock);
    const size_t mib = *capacity_of(kind);
    pthread_mutex_unlock(&lock);
    return mib;
}

bool constants_wanted(dnnl_engine_kind_t kind) {
    return capacity_now(kind) != 0;
}

static bool is_same(const kept_t *a, const kept_t *b) {
    return a->hash == b->hash && a->engine == b->engine && a->ninputs == b->ninputs &&
           !memcmp(a->inputs, b->inputs, a->ninputs * sizeof a->inputs[0]) &&
           cache_key_equal(a->key, b->key);
}

/* Called with the lock held. */
static kept_t *find(const kept_t *wanted) {
    kept_t *kept = lists[wanted->hash % LISTS];
    while (kept && !is_same(kept, wanted)) kept = kept->next;
    return kept;
}

/* Bytes of an engine's constants. Called with the lock held. */
static size_t used_by(dnnl_engine_t engine) {
    size_t used = 0;
    for (int i = 0; i < LISTS; i++)
        for (const kept_t *kept = lists[i]; kept; kept = kept->next)
            if (kept->engine == engine) used += kept->size;
    return used;
}

static bool fits(const kept_t *kept) {
    dnnl_engine_kind_t kind = dnnl_gpu;
    dnnl_engine_get_kind(kept->engine, &kind);
    const size_t capacity = *capacity_of(kind) * MIB, used = used_by(kept->engine);
    return used <= capacity && kept->size <= capacity - used;
}

bool constants_fit(const kept_t *kept) {
    pthread_mutex_lock(&lock);
    const bool fit = fits(kept);
    pthread_mutex_unlock(&lock);
    return fit;
}

void constants_publish(kept_t *kept) {
    pthread_mutex_lock(&lock);
    if (!find(kept) && fits(kept)) {
        kept_t **list = &lists[kept->hash % LISTS];
        kept->next = *list;
        *list = kept;
        atomic_fetch_add(&kept->refs, 1);
    }
    pthread_mutex_unlock(&lock);
}

void constants_pin(kept_t *kept) {
    pthread_mutex_lock(&lock);
    kept->pinned = true;
    pthread_mutex_unlock(&lock);
}

/* Takes constants out: those of one engine, or all that are not pinned. */
static void drop(dnnl_engine_t engine) {
    kept_t *dropped = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < LISTS; i++) {
        for (kept_t **link = &lists[i], *kept; (kept = *link);) {
            if (engine ? kept->engine != engine : kept->pinned) {
                link = &kept->next;
                continue;
            }
            *link = kept->next;
            kept->next = dropped;
            dropped = kept;
        }
    }
    pthread_mutex_unlock(&lock);
    for (kept_t *next; dropped; dropped = next) {
        next = dropped->next;
        constants_unref(dropped);
    }
}

void constants_forget(dnnl_engine_t engine) {
    drop(engine);
}

static kept_t *describe(const program_t *program, const const_dnnl_graph_tensor_t *in) {
    const constants_t *constants = &program->constants;
    kept_t *kept = dz_calloc(1, sizeof *kept + constants->ninputs * sizeof kept->inputs[0]);
    if (!kept) return NULL;
    atomic_init(&kept->refs, 1);
    kept->engine = program->engine;
    kept->size = constants->size;
    kept->ninputs = constants->ninputs;
    kept->key = constants->key;
    for (size_t i = 0; i < kept->ninputs; i++) {
        const const_dnnl_graph_tensor_t tensor = in[constants->inputs[i]];
        kept->inputs[i] = tensor ? tensor->ptr : NULL;
    }
    kept->hash =
            hash_bytes(kept->inputs, kept->ninputs * sizeof kept->inputs[0], constants->key->hash);
    return kept;
}

/* Memory for constants, and a key of their own. */
static dnnl_status_t make_room(kept_t *kept) {
    const size_t size = sizeof *kept->key + kept->key->size;
    cache_key_t *key = dz_malloc(size);
    if (!key) return dnnl_out_of_memory;
    memcpy(key, kept->key, size);
    const dnnl_status_t status = device_allocate(kept->engine, kept->size, &kept->data);
    if (status == dnnl_success) kept->key = key;
    else dz_free(key);
    return status;
}

dnnl_status_t constants_get(
        const program_t *program, const const_dnnl_graph_tensor_t *in, kept_t **kept, bool *ready) {
    kept_t *wanted = describe(program, in);
    if (!wanted) return dnnl_out_of_memory;
    pthread_mutex_lock(&lock);
    kept_t *found = find(wanted);
    if (found) atomic_fetch_add(&found->refs, 1);
    pthread_mutex_unlock(&lock);
    *ready = found != NULL;
    *kept = found ? found : wanted;
    const dnnl_status_t status = found ? dnnl_success : make_room(wanted);
    if (found || status != dnnl_success) dz_free(wanted);
    return status;
}

static dnnl_status_t check_kind(dnnl_engine_kind_t kind) {
    CHECK_ARG(kind == dnnl_cpu || kind == dnnl_gpu, "graph", "%d is no kind of engine", (int)kind);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_set_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t size) {
    TRY(check_kind(eng_kind));
    pthread_mutex_lock(&lock);
    set(capacity_of(eng_kind), size);
    pthread_mutex_unlock(&lock);
    if (eng_kind == dnnl_gpu) drop(NULL);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_get_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t *size) {
    CHECK_NOT_NULL(size, "graph");
    TRY(check_kind(eng_kind));
    *size = capacity_now(eng_kind);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_set_constant_tensor_cache(int flag) {
    CHECK_ARG(flag >= 0, "graph", "a flag of %d", flag);
    TRY(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, flag ? SIZE_MAX : 0));
    return dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, flag ? SIZE_MAX : 0);
}

dnnl_status_t dnnl_graph_get_constant_tensor_cache(int *flag) {
    CHECK_NOT_NULL(flag, "graph");
    *flag = capacity_now(dnnl_cpu) || capacity_now(dnnl_gpu);
    return dnnl_success;
}
