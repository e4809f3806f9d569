/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, weights and inputs of a decoder layer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"

size_t llm_cache_row(const llm_t *llm) {
    return (size_t)(llm->s.key_heads * llm->s.size) * sizeof(uint16_t);
}

/* f16 of these values in memory that the host reads and writes. */
static dnnl_memory_t half(net_t *net, dnnl_memory_desc_t desc, const float *values, void *pointer) {
    float *host;
    dnnl_memory_t from = net_host_memory(net, net_plain(net, desc, dnnl_f32), &host);
    dnnl_memory_t to = net_host_memory(net, desc, pointer);
    dnnl_primitive_desc_t pd;
    memcpy(host, values, desc_elements(desc) * sizeof *values);
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, memory_desc(from), net->engine, desc, net->engine, NULL));
    const step_t step = {
            "half", net_primitive(net, pd), 2, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
    net_run(net, &step);
    return to;
}

static float *random_values(size_t count, uint64_t seed, float lo, float hi) {
    float *values = check_alloc(malloc(count * sizeof *values));
    random_fill(values, count, seed, lo, hi);
    return values;
}

/* int4 in pairs, the first one in the lower half of its byte. */
static void pack(net_t *net, matrix_t *m, uint64_t seed) {
    const size_t size = (size_t)(m->in * m->out) / 2;
    uint8_t *host = app_alloc_host(&net->app, size);
    void *device;
    for (size_t i = 0; i < size; i++) host[i] = (uint8_t)random_index(seed + i, 256);
    for (size_t i = 0; i < 2 * size; i++) {
        const int four = host[i / 2] >> (i % 2 ? 4 : 0) & 15;
        m->values[i] = four < 8 ? four : four - 16;
    }
    m->packed = net_device_memory(net, NET_DESC(net, dnnl_s4, dnnl_ab, m->in, m->out));
    CHECK_DNNL(dnnl_memory_get_data_handle(m->packed, &device));
    CHECK_ZE(zeCommandListAppendMemoryCopy(net->list, device, host, size, NULL, 0, NULL));
    net_wait(net);
    app_free(&net->app, host);
}

static void make_matrix(llm_t *llm, int which, dnnl_dim_t in, dnnl_dim_t out) {
    net_t *net = &llm->net;
    matrix_t *m = &llm->matrices[which];
    const float scale = 0.2f / sqrtf((float)in);
    dnnl_memory_desc_t desc = NET_DESC(net, dnnl_f16, dnnl_ab, in / llm->s.group, out);
    void *pointer;
    *m = (matrix_t){.in = in, .out = out};
    m->values = check_alloc(malloc((size_t)(in * out) * sizeof *m->values));
    pack(net, m, 1000000 * (uint64_t)(which + 1));
    float *given = random_values(desc_elements(desc), (uint64_t)which, scale / 2, scale);
    m->scales = half(net, desc, given, &pointer);
    free(given);
    float *scales = net_read(net, m->scales);
    for (dnnl_dim_t i = 0; i < in * out; i++)
        m->values[i] *= scales[i / out / llm->s.group * out + i % out];
    free(scales);
}

static void make_norms(llm_t *llm) {
    for (int i = 0; i < NORMS; i++) {
        float *values = random_values((size_t)llm->s.width, 100 + (uint64_t)i, 0.5f, 1.5f);
        llm->norms[i] = net_vector(&llm->net, values, llm->s.width);
        llm->norm_values[i] = net_read_double(&llm->net, llm->norms[i]);
        free(values);
    }
}

/* Element i of a head becomes -x[i + size / 2], or x[i - size / 2] in the second half. */
static void make_rotation(llm_t *llm) {
    const dnnl_dim_t size = llm->s.size, part = size / 2;
    float *values = check_alloc(calloc((size_t)(size * size), sizeof *values));
    void *pointer;
    for (dnnl_dim_t i = 0; i < part; i++) {
        values[(i + part) * size + i] = -1;
        values[i * size + i + part] = 1;
    }
    llm->rotation =
            half(&llm->net, NET_DESC(&llm->net, dnnl_f16, dnnl_ab, size, size), values, &pointer);
    net_wait(&llm->net);
    free(values);
}

static void make_angles(llm_t *llm, dnnl_dim_t rows) {
    const dnnl_dim_t size = llm->s.size, part = size / 2;
    dnnl_memory_desc_t desc = NET_DESC(&llm->net, dnnl_f16, dnnl_ab, rows, size);
    float *cosines = check_alloc(malloc((size_t)(rows * size) * sizeof *cosines)),
          *sines = check_alloc(malloc((size_t)(rows * size) * sizeof *sines));
    for (dnnl_dim_t i = 0; i < rows * size; i++) {
        const double angle = (double)(i / size) * pow(10000, -(double)(i % part) / (double)part);
        cosines[i] = (float)cos(angle);
        sines[i] = (float)sin(angle);
    }
    half(&llm->net, desc, cosines, &llm->cosines);
    half(&llm->net, desc, sines, &llm->sines);
    net_wait(&llm->net);
    free(cosines);
    free(sines);
}

static void make_inputs(llm_t *llm, dnnl_dim_t rows) {
    dnnl_memory_desc_t desc = NET_DESC(&llm->net, dnnl_f16, dnnl_ab, rows, llm->s.width);
    float *values = random_values(desc_elements(desc), 7, -1, 1);
    llm->x_values = net_read_double(&llm->net, half(&llm->net, desc, values, &llm->x));
    free(values);
}

/* Without values that are no numbers: shares of zero would not hide them. */
static dnnl_memory_t make_cache(llm_t *llm) {
    net_t *net = &llm->net;
    static const uint8_t zero = 0;
    const size_t size = (size_t)llm->capacity * llm_cache_row(llm);
    void *pointer;
    dnnl_memory_t cache = net_device_memory(
            net, NET_DESC(net, dnnl_f16, dnnl_ab, llm->capacity, llm->s.key_heads * llm->s.size));
    CHECK_DNNL(dnnl_memory_get_data_handle(cache, &pointer));
    CHECK_ZE(zeCommandListAppendMemoryFill(net->list, pointer, &zero, 1, size, NULL, 0, NULL));
    return cache;
}

static void make_phase(llm_t *llm, phase_t *phase) {
    net_t *net = &llm->net;
    dnnl_memory_desc_t x = NET_DESC(net, dnnl_f16, dnnl_ab, phase->tokens, llm->s.width),
                       angles = NET_DESC(net, dnnl_f16, dnnl_ab, phase->tokens, llm->s.size);
    phase->x = net_host_memory(net, x, &phase->x_values);
    phase->y = net_device_memory(net, x);
    phase->cosines = net_host_memory(net, angles, &phase->cosine_values);
    phase->sines = net_host_memory(net, angles, &phase->sine_values);
    phase->mask = net_host_memory(
            net, NET_DESC(net, dnnl_f32, dnnl_ab, phase->tokens, phase->keys), &phase->mask_values);
}

void llm_make(llm_t *llm, const llm_sizes_t *sizes) {
    const llm_sizes_t *s = &llm->s;
    *llm = (llm_t){.s = *sizes, .capacity = sizes->prompt + sizes->tokens + 1};
    net_open(&llm->net, 0);
    const dnnl_dim_t queries = s->heads * s->size, keys = s->key_heads * s->size;
    const dnnl_dim_t dims[MATRICES][2] = {{s->width, queries}, {s->width, keys}, {s->width, keys},
            {queries, s->width}, {s->width, s->inner}, {s->width, s->inner}, {s->inner, s->width}};
    for (int i = 0; i < MATRICES; i++) make_matrix(llm, i, dims[i][0], dims[i][1]);
    make_norms(llm);
    make_rotation(llm);
    make_angles(llm, s->prompt + s->tokens);
    make_inputs(llm, s->prompt + s->tokens);
    llm->keys = make_cache(llm);
    llm->values = make_cache(llm);
    llm->prefill = (phase_t){.tokens = s->prompt, .keys = s->prompt, .causal = 1};
    llm->decode = (phase_t){.tokens = 1, .keys = llm->capacity, .row = llm->capacity - 1};
    make_phase(llm, &llm->prefill);
    make_phase(llm, &llm->decode);
    net_wait(&llm->net);
}

void llm_end(llm_t *llm) {
    for (int i = 0; i < MATRICES; i++) free(llm->matrices[i].values);
    for (int i = 0; i < NORMS; i++) free(llm->norm_values[i]);
    free(llm->x_values);
    net_close(&llm->net);
}
