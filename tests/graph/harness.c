/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph/harness.h"

#include <stdlib.h>

#include "tests/ref/ref.h"

dnnl_engine_t engine;
dnnl_stream_t stream;
struct one one;

static int64_t elements(const lt_t *lt) {
    int64_t n = 1;
    for (int d = 0; d < lt->ndims; d++) n *= lt->dims[d];
    return n;
}

static dnnl_data_type_t stored(dnnl_data_type_t dt) {
    return dt == dnnl_boolean ? dnnl_u8 : dt;
}

void begin(dnnl_graph_op_kind_t kind) {
    one.nin = one.nout = 0;
    assert_ok(dnnl_graph_op_create(&one.op, 1, kind, ""));
}

static lt_t tensor_of(size_t id, dnnl_data_type_t dt, const int64_t *dims, int ndims) {
    lt_t lt;
    dnnl_dims_t all = {0};
    for (int d = 0; d < ndims; d++) all[d] = dims[d];
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dt, ndims, all,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    return lt;
}

void input(dnnl_data_type_t dt, const int64_t *dims, int ndims) {
    lt_t *lt = &one.in[one.nin];
    *lt = tensor_of((size_t)one.nin, dt, dims, ndims);
    assert_true(elements(lt) <= MOST);
    assert_ok(dnnl_graph_op_add_input(one.op, lt));
    fill(one.nin++, -1, 1);
}

void output(dnnl_data_type_t dt) {
    lt_t *lt = &one.out[one.nout];
    assert_ok(dnnl_graph_logical_tensor_init(lt, (size_t)(FIRST_OUT + one.nout), dt,
            DNNL_GRAPH_UNKNOWN_NDIMS, dnnl_graph_layout_type_any,
            dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_graph_op_add_output(one.op, lt));
    one.nout++;
}

void output_of(dnnl_data_type_t dt, const int64_t *dims, int ndims) {
    one.out[one.nout] = tensor_of((size_t)(FIRST_OUT + one.nout), dt, dims, ndims);
    assert_ok(dnnl_graph_op_add_output(one.op, &one.out[one.nout]));
    one.nout++;
}

void set_ints(dnnl_graph_op_attr_t name, const int64_t *values, int count) {
    assert_ok(dnnl_graph_op_set_attr_s64(one.op, name, values, (size_t)count));
}

void set_int(dnnl_graph_op_attr_t name, int64_t value) {
    assert_ok(dnnl_graph_op_set_attr_s64(one.op, name, &value, 0));
}

void set_float(dnnl_graph_op_attr_t name, float value) {
    assert_ok(dnnl_graph_op_set_attr_f32(one.op, name, &value, 0));
}

void set_flag(dnnl_graph_op_attr_t name, bool value) {
    const uint8_t byte = value;
    assert_ok(dnnl_graph_op_set_attr_bool(one.op, name, &byte, 1));
}

void set_text(dnnl_graph_op_attr_t name, const char *value) {
    assert_ok(dnnl_graph_op_set_attr_str(one.op, name, value, 1));
}

void fill(int i, double least, double largest) {
    const dnnl_data_type_t dt = stored(one.in[i].data_type);
    for (int k = 0; k < MOST; k++)
        one.x[i][k] = ref_round(dt, least + (largest - least) * rand() / RAND_MAX);
}

typedef struct {
    dnnl_memory_t memory;
    dnnl_graph_tensor_t tensor;
} buffer_t;

static buffer_t buffer_of(const lt_t *lt, const double *values) {
    const dnnl_data_type_t dt = stored(lt->data_type);
    const int64_t n = elements(lt);
    const dnnl_dims_t dims = {n ? n : 1};
    dnnl_memory_desc_t md;
    buffer_t buffer;
    void *data;
    assert_ok(dnnl_memory_desc_create_with_strides(&md, 1, dims, dt, NULL));
    assert_ok(dnnl_memory_create(&buffer.memory, md, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_map_data(buffer.memory, &data));
    for (int64_t i = 0; values && i < n; i++) ref_store(dt, data, i, values[i]);
    assert_ok(dnnl_memory_unmap_data(buffer.memory, data));
    assert_ok(dnnl_memory_get_data_handle(buffer.memory, &data));
    assert_ok(dnnl_graph_tensor_create(&buffer.tensor, lt, engine, data));
    dnnl_memory_desc_destroy(md);
    return buffer;
}

static void read_buffer(buffer_t *buffer, const lt_t *lt, double *values) {
    void *data;
    assert_ok(dnnl_memory_map_data(buffer->memory, &data));
    for (int64_t i = 0; i < elements(lt); i++) values[i] = ref_load(stored(lt->data_type), data, i);
    assert_ok(dnnl_memory_unmap_data(buffer->memory, data));
}

/* The tensors of `one`, with the values of the inputs. */
static void make_buffers(buffer_t *in, const_dnnl_graph_tensor_t *inputs, buffer_t *out,
        const_dnnl_graph_tensor_t *outputs) {
    for (int i = 0; i < one.nin; i++) {
        in[i] = buffer_of(&one.in[i], one.x[i]);
        inputs[i] = in[i].tensor;
    }
    for (int i = 0; i < one.nout; i++) {
        out[i] = buffer_of(&one.out[i], NULL);
        outputs[i] = out[i].tensor;
    }
}

static void end_buffers(buffer_t *buffers, int n) {
    for (int i = 0; i < n; i++) {
        dnnl_graph_tensor_destroy(buffers[i].tensor);
        dnnl_memory_destroy(buffers[i].memory);
    }
}

static void execute(dnnl_graph_compiled_partition_t cp) {
    buffer_t in[MOST_PORTS], out[MOST_PORTS];
    const_dnnl_graph_tensor_t inputs[MOST_PORTS], outputs[MOST_PORTS];
    make_buffers(in, inputs, out, outputs);
    for (int twice = 0; twice < 2; twice++)
        assert_ok(dnnl_graph_compiled_partition_execute(
                cp, stream, (size_t)one.nin, inputs, (size_t)one.nout, outputs));
    assert_ok(dnnl_stream_wait(stream));
    for (int i = 0; i < one.nout; i++) read_buffer(&out[i], &one.out[i], one.y[i]);
    end_buffers(in, one.nin);
    end_buffers(out, one.nout);
}

static bool are_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Executes with the first pair's output in the memory of its input. */
static void execute_in_place(dnnl_graph_compiled_partition_t cp) {
    const int at = (int)one.pair.input_id, to = (int)one.pair.output_id - FIRST_OUT;
    buffer_t in[MOST_PORTS], out[MOST_PORTS];
    const_dnnl_graph_tensor_t inputs[MOST_PORTS], outputs[MOST_PORTS];
    void *handle;
    assert_true(at < one.nin && to >= 0 && to < one.nout);
    make_buffers(in, inputs, out, outputs);
    assert_ok(dnnl_graph_tensor_get_data_handle(inputs[at], &handle));
    assert_ok(dnnl_graph_tensor_set_data_handle(out[to].tensor, handle));
    assert_ok(dnnl_graph_compiled_partition_execute(
            cp, stream, (size_t)one.nin, inputs, (size_t)one.nout, outputs));
    assert_ok(dnnl_stream_wait(stream));
    static double values[MOST];
    for (int i = 0; i < one.nout; i++) {
        read_buffer(i == to ? &in[at] : &out[i], &one.out[i], values);
        for (int64_t k = 0; k < elements(&one.out[i]); k++)
            assert_true(are_same(values[k], one.y[i][k]));
    }
    end_buffers(in, one.nin);
    end_buffers(out, one.nout);
}

static void try_in_place(dnnl_graph_compiled_partition_t cp) {
    const dnnl_graph_inplace_pair_t *pairs;
    assert_ok(dnnl_graph_compiled_partition_get_inplace_ports(cp, &one.npairs, &pairs));
    assert_int_equal(pairs != NULL, one.npairs > 0);
    if (!one.npairs) return;
    one.pair = pairs[0];
    execute_in_place(cp);
}

static dnnl_graph_partition_t only_partition(void) {
    dnnl_graph_graph_t graph;
    dnnl_graph_partition_t part;
    uint8_t supported;
    size_t num;
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    assert_ok(dnnl_graph_add_op(graph, one.op));
    assert_ok(dnnl_graph_op_destroy(one.op));
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    assert_ok(dnnl_graph_graph_get_partition_num(graph, &num));
    assert_int_equal(num, 1);
    assert_ok(dnnl_graph_graph_get_partitions(graph, 1, &part));
    assert_ok(dnnl_graph_graph_destroy(graph));
    assert_ok(dnnl_graph_partition_is_supported(part, &supported));
    assert_int_equal(supported, 1);
    return part;
}

void run(void) {
    const dnnl_graph_partition_t part = only_partition();
    dnnl_graph_compiled_partition_t cp;
    const lt_t *ins[MOST_PORTS], *outs[MOST_PORTS];
    lt_t scratch;
    for (int i = 0; i < MOST_PORTS; i++) {
        ins[i] = &one.in[i];
        outs[i] = &one.out[i];
    }
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    assert_ok(dnnl_graph_partition_compile(
            part, cp, (size_t)one.nin, ins, (size_t)one.nout, outs, engine));
    for (int i = 0; i < one.nout; i++)
        assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(
                cp, (size_t)(FIRST_OUT + i), &one.out[i]));
    assert_ok(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(cp, &scratch));
    one.scratch = scratch.dims[0];
    execute(cp);
    try_in_place(cp);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

void assert_dims(int i, const int64_t *dims, int ndims) {
    assert_int_equal(one.out[i].ndims, ndims);
    for (int d = 0; d < ndims; d++) assert_int_equal(one.out[i].dims[d], dims[d]);
}

void assert_close(int i, double is, double should) {
    const dnnl_data_type_t dt = one.out[i].data_type;
    const double step = dt == dnnl_bf16 ? 4e-3 : dt == dnnl_f16 ? 5e-4 : 0;
    if (fabs(is - should) <= (2e-5 + step) * (1 + fabs(should))) return;
    fail_msg("output %d: %.9g and not %.9g", i, is, should);
}

int begin_tests(void **state) {
    (void)state;
    srand(7);
    return dnnl_engine_create(&engine, dnnl_gpu, 0) ||
           dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
}

int end_tests(void **state) {
    (void)state;
    return dnnl_stream_destroy(stream) || dnnl_engine_destroy(engine);
}
