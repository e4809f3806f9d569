/* SPDX-License-Identifier: Apache-2.0 */
/* The housekeeping of a net: what was made last is destroyed first. */
#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { DESC, PD, PRIMITIVE, MEMORY, POST_OPS, ATTR, BUFFER } kind_t;

struct owned {
    struct owned *next;
    kind_t kind;
    void *object;
};

void *check_alloc(void *pointer) {
    if (pointer) return pointer;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void keep(net_t *net, kind_t kind, void *object) {
    struct owned *owned = check_alloc(malloc(sizeof *owned));
    *owned = (struct owned){net->owned, kind, object};
    net->owned = owned;
}

void net_open(net_t *net, int profiling) {
    net_open_part(net, profiling, 0, 1);
}

void net_open_part(net_t *net, int profiling, int index, int parts) {
    *net = (net_t){0};
    app_open_part(&net->app, index, parts);
    net->list = app_immediate_list(&net->app);
    CHECK_DNNL(dnnl_ze_interop_engine_create(
            &net->engine, net->app.driver, net->app.device, net->app.context));
    CHECK_DNNL(dnnl_ze_interop_stream_create(&net->stream, net->engine, net->list, profiling));
}

static void destroy(net_t *net, kind_t kind, void *object) {
    switch (kind) {
    case DESC: CHECK_DNNL(dnnl_memory_desc_destroy(object)); break;
    case PD: CHECK_DNNL(dnnl_primitive_desc_destroy(object)); break;
    case PRIMITIVE: CHECK_DNNL(dnnl_primitive_destroy(object)); break;
    case MEMORY: CHECK_DNNL(dnnl_memory_destroy(object)); break;
    case POST_OPS: CHECK_DNNL(dnnl_post_ops_destroy(object)); break;
    case ATTR: CHECK_DNNL(dnnl_primitive_attr_destroy(object)); break;
    case BUFFER: app_free(&net->app, object); break;
    }
}

/* Destroys what was made after `mark`. */
static void destroy_until(net_t *net, const struct owned *mark) {
    while (net->owned != mark) {
        struct owned *owned = net->owned;
        net->owned = owned->next;
        destroy(net, owned->kind, owned->object);
        free(owned);
    }
}

void net_close(net_t *net) {
    net_wait(net);
    destroy_until(net, NULL);
    CHECK_DNNL(dnnl_stream_destroy(net->stream));
    CHECK_DNNL(dnnl_engine_destroy(net->engine));
    CHECK_ZE(zeCommandListDestroy(net->list));
    app_close(&net->app);
}

dnnl_memory_desc_t net_keep_desc(net_t *net, dnnl_memory_desc_t desc) {
    keep(net, DESC, desc);
    return desc;
}

dnnl_memory_t net_keep_memory(net_t *net, dnnl_memory_t memory) {
    keep(net, MEMORY, memory);
    return memory;
}

dnnl_memory_desc_t net_desc(net_t *net, dnnl_data_type_t data_type, dnnl_format_tag_t tag,
        int ndims, const dnnl_dims_t dims) {
    dnnl_memory_desc_t desc;
    CHECK_DNNL(dnnl_memory_desc_create_with_tag(&desc, ndims, dims, data_type, tag));
    return net_keep_desc(net, desc);
}

dnnl_memory_desc_t net_plain(
        net_t *net, const_dnnl_memory_desc_t desc, dnnl_data_type_t data_type) {
    static const dnnl_format_tag_t tags[] = {
            dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef};
    return net_desc(net, data_type, tags[desc_ndims(desc) - 1], desc_ndims(desc), desc_dims(desc));
}

dnnl_memory_desc_t net_any(net_t *net, const_dnnl_memory_desc_t desc, dnnl_data_type_t data_type) {
    return net_desc(net, data_type, dnnl_format_tag_any, desc_ndims(desc), desc_dims(desc));
}

dnnl_post_ops_t net_post_ops(net_t *net) {
    dnnl_post_ops_t post_ops;
    CHECK_DNNL(dnnl_post_ops_create(&post_ops));
    keep(net, POST_OPS, post_ops);
    return post_ops;
}

dnnl_primitive_attr_t net_attr(net_t *net, const_dnnl_post_ops_t post_ops) {
    dnnl_primitive_attr_t attr;
    CHECK_DNNL(dnnl_primitive_attr_create(&attr));
    keep(net, ATTR, attr);
    if (post_ops) CHECK_DNNL(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    return attr;
}

dnnl_primitive_t net_primitive(net_t *net, dnnl_primitive_desc_t pd) {
    dnnl_primitive_t primitive;
    keep(net, PD, pd);
    CHECK_DNNL(dnnl_primitive_create(&primitive, pd));
    keep(net, PRIMITIVE, primitive);
    return primitive;
}

static dnnl_memory_t wrap(net_t *net, const_dnnl_memory_desc_t desc, void *pointer) {
    dnnl_memory_t memory;
    CHECK_DNNL(dnnl_ze_interop_memory_create(&memory, desc, net->engine, 1, &pointer));
    keep(net, MEMORY, memory);
    return memory;
}

dnnl_memory_t net_device_memory(net_t *net, const_dnnl_memory_desc_t desc) {
    void *buffer = app_alloc_device(&net->app, dnnl_memory_desc_get_size(desc));
    keep(net, BUFFER, buffer);
    return wrap(net, desc, buffer);
}

dnnl_memory_t net_host_memory(net_t *net, const_dnnl_memory_desc_t desc, void *pointer) {
    void *buffer = app_alloc_host(&net->app, dnnl_memory_desc_get_size(desc));
    keep(net, BUFFER, buffer);
    memcpy(pointer, &buffer, sizeof buffer);
    return wrap(net, desc, buffer);
}

dnnl_memory_t net_view(net_t *net, dnnl_memory_t memory, const_dnnl_memory_desc_t desc) {
    return net_view_at(net, memory, 0, desc);
}

dnnl_memory_t net_view_at(
        net_t *net, dnnl_memory_t memory, size_t offset, const_dnnl_memory_desc_t desc) {
    void *pointer;
    CHECK_DNNL(dnnl_memory_get_data_handle(memory, &pointer));
    return wrap(net, desc, (char *)pointer + offset);
}

dnnl_memory_t net_vector(net_t *net, const float *values, dnnl_dim_t count) {
    float *buffer;
    dnnl_memory_t memory = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_a, count), &buffer);
    memcpy(buffer, values, (size_t)count * sizeof(float));
    return memory;
}

dnnl_memory_t net_upload(net_t *net, dnnl_memory_t from, const_dnnl_memory_desc_t desc,
        const_dnnl_primitive_attr_t attr, dnnl_memory_t scales) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_t to = net_device_memory(net, desc);
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, memory_desc(from), net->engine, desc, net->engine, attr));
    step_t step = {"upload", net_primitive(net, pd), scales ? 3 : 2,
            {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales}}};
    net_run(net, &step);
    return to;
}

const_dnnl_memory_desc_t chosen(const_dnnl_primitive_desc_t pd, int arg) {
    return dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
}

const_dnnl_memory_desc_t memory_desc(const_dnnl_memory_t memory) {
    const_dnnl_memory_desc_t desc;
    CHECK_DNNL(dnnl_memory_get_memory_desc(memory, &desc));
    return desc;
}

void add_arg(step_t *step, int arg, dnnl_memory_t memory) {
    step->args[step->nargs++] = (dnnl_exec_arg_t){arg, memory};
}

void net_run(net_t *net, const step_t *step) {
    CHECK_DNNL(dnnl_ze_interop_primitive_execute(
            step->primitive, net->stream, step->nargs, step->args, 0, NULL, NULL));
}

void net_wait(net_t *net) {
    CHECK_DNNL(dnnl_stream_wait(net->stream));
}

float *net_read(net_t *net, dnnl_memory_t memory) {
    const_dnnl_memory_desc_t desc = memory_desc(memory);
    const size_t size = desc_elements(desc) * sizeof(float);
    const struct owned *before = net->owned;
    float *mapped, *values = check_alloc(malloc(size));
    dnnl_memory_t plain = net_host_memory(net, net_plain(net, desc, dnnl_f32), &mapped);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, desc, net->engine, memory_desc(plain), net->engine, NULL));
    step_t step = {
            "read", net_primitive(net, pd), 2, {{DNNL_ARG_FROM, memory}, {DNNL_ARG_TO, plain}}};
    net_run(net, &step);
    net_wait(net);
    memcpy(values, mapped, size);
    destroy_until(net, before);
    return values;
}

double *net_read_double(net_t *net, dnnl_memory_t memory) {
    const size_t count = desc_elements(memory_desc(memory));
    float *values = net_read(net, memory);
    double *converted = check_alloc(malloc(count * sizeof *converted));
    for (size_t i = 0; i < count; i++) converted[i] = (double)values[i];
    free(values);
    return converted;
}

int desc_ndims(const_dnnl_memory_desc_t desc) {
    int ndims;
    CHECK_DNNL(dnnl_memory_desc_query(desc, dnnl_query_ndims_s32, &ndims));
    return ndims;
}

const dnnl_dim_t *desc_dims(const_dnnl_memory_desc_t desc) {
    const dnnl_dims_t *dims;
    CHECK_DNNL(dnnl_memory_desc_query(desc, dnnl_query_dims, &dims));
    return *dims;
}

size_t desc_elements(const_dnnl_memory_desc_t desc) {
    size_t count = 1;
    for (int d = 0; d < desc_ndims(desc); d++) count *= (size_t)desc_dims(desc)[d];
    return count;
}

static uint64_t random_bits(uint64_t seed, uint64_t index) { /* splitmix64 */
    uint64_t z = seed * 0xd1342543de82ef95u + index * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_fill(float *values, size_t count, uint64_t seed, float lo, float hi) {
    for (size_t i = 0; i < count; i++)
        values[i] = lo + (hi - lo) * (float)(random_bits(seed, i + 1) >> 40) * 0x1p-24f;
}

size_t random_index(uint64_t seed, size_t bound) {
    return (size_t)(random_bits(seed, 0) % bound);
}
