/* SPDX-License-Identifier: Apache-2.0 */
/* What examples with a whole net share: a stream on the application's command list, and objects
 * that live until the net is closed, so that the programs show the net and not its housekeeping. */
#ifndef EXAMPLES_NET_H
#define EXAMPLES_NET_H

#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "dnnl_ze.h"

typedef struct {
    app_t app;                     /* driver, device and context: the application's own ... */
    ze_command_list_handle_t list; /* ... as is the in-order immediate command list */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct owned *owned; /* all that the functions below made, newest first */
} net_t;

/* One execution of a primitive. */
enum { MAX_ARGS = 20 };
typedef struct {
    const char *name;
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
} step_t;
void add_arg(step_t *step, int arg, dnnl_memory_t memory);

void net_open(net_t *net, int profiling);
void net_open_part(net_t *net, int profiling, int index, int parts); /* as app_open_part() */
void net_close(net_t *net); /* waits for the stream, then destroys everything */

/* NET_DESC(&net, dnnl_f32, dnnl_nchw, 2, 3, 227, 227): a tensor of these dimensions in this
 * layout. */
#define NET_DESC(net, data_type, tag, ...)                                                         \
    net_desc(net, data_type, tag, (int)(sizeof((dnnl_dim_t[]){__VA_ARGS__}) / sizeof(dnnl_dim_t)), \
            (const dnnl_dims_t){__VA_ARGS__})
dnnl_memory_desc_t net_desc(net_t *net, dnnl_data_type_t data_type, dnnl_format_tag_t tag,
        int ndims, const dnnl_dims_t dims);
/* The same tensor as `desc`, of another type, in row-major order or in a layout that the library
 * is to choose. */
dnnl_memory_desc_t net_plain(net_t *net, const_dnnl_memory_desc_t desc, dnnl_data_type_t data_type);
dnnl_memory_desc_t net_any(net_t *net, const_dnnl_memory_desc_t desc, dnnl_data_type_t data_type);

/* Objects that the caller made, or makes here, and the net destroys. */
dnnl_memory_desc_t net_keep_desc(net_t *net, dnnl_memory_desc_t desc);
dnnl_memory_t net_keep_memory(net_t *net, dnnl_memory_t memory);
dnnl_post_ops_t net_post_ops(net_t *net);
dnnl_primitive_attr_t net_attr(net_t *net, const_dnnl_post_ops_t post_ops); /* NULL for none */
/* The primitive of a descriptor, which the net takes over; it can be asked for layouts as long
 * as the net lives. */
dnnl_primitive_t net_primitive(net_t *net, dnnl_primitive_desc_t pd);

/* Memory that the device alone touches; memory that the host reads and writes too, at *pointer;
 * the buffer of `memory` under another descriptor, from its start or from a byte on. */
dnnl_memory_t net_device_memory(net_t *net, const_dnnl_memory_desc_t desc);
dnnl_memory_t net_host_memory(net_t *net, const_dnnl_memory_desc_t desc, void *pointer);
dnnl_memory_t net_view(net_t *net, dnnl_memory_t memory, const_dnnl_memory_desc_t desc);
dnnl_memory_t net_view_at(
        net_t *net, dnnl_memory_t memory, size_t offset, const_dnnl_memory_desc_t desc);
/* One f32 value for every entry of a scale or bias, in memory that the host wrote. */
dnnl_memory_t net_vector(net_t *net, const float *values, dnnl_dim_t count);

/* Brings `from` into new device memory of the descriptor's type and layout, now: for weights,
 * once in a net's life. The attribute may ask for scales of the destination, which are in
 * `scales`; both may be NULL. */
dnnl_memory_t net_upload(net_t *net, dnnl_memory_t from, const_dnnl_memory_desc_t desc,
        const_dnnl_primitive_attr_t attr, dnnl_memory_t scales);

/* What a primitive descriptor chose where it was given `any`. */
const_dnnl_memory_desc_t chosen(const_dnnl_primitive_desc_t pd, int arg);
const_dnnl_memory_desc_t memory_desc(const_dnnl_memory_t memory);

void net_run(net_t *net, const step_t *step);
void net_wait(net_t *net);
/* Waits, and returns the elements in row-major order as f32. The caller frees them. */
float *net_read(net_t *net, dnnl_memory_t memory);
double *net_read_double(net_t *net, dnnl_memory_t memory);

int desc_ndims(const_dnnl_memory_desc_t desc);
const dnnl_dim_t *desc_dims(const_dnnl_memory_desc_t desc);
size_t desc_elements(const_dnnl_memory_desc_t desc);

/* What malloc() and its like gave, or the end of the program. */
void *check_alloc(void *pointer);

/* Numbers spread evenly over lo..hi, and an index below `bound`; the same for the same seed. */
void random_fill(float *values, size_t count, uint64_t seed, float lo, float hi);
size_t random_index(uint64_t seed, size_t bound);

#endif
