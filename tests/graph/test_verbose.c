/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log about compiled partitions, column by column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/verbose.h"
#include "dnnl.h"
#include "dnnl_graph.h"

#define assert_ok(call) assert_int_equal(call, dnnl_success)

typedef dnnl_graph_logical_tensor_t lt_t;
static dnnl_engine_t engine;
static FILE *captured;
static int real_stdout;

static void begin_capture(const char *words) {
    setenv("ONEDNN_VERBOSE", words, 1);
    verbose_reset();
    fflush(stdout);
    captured = tmpfile();
    real_stdout = dup(STDOUT_FILENO);
    assert_non_null(captured);
    dup2(fileno(captured), STDOUT_FILENO);
}

static const char *end_capture(void) {
    static char text[1 << 16];
    fflush(stdout);
    dup2(real_stdout, STDOUT_FILENO);
    close(real_stdout);
    rewind(captured);
    text[fread(text, 1, sizeof text - 1, captured)] = '\0';
    fclose(captured);
    unsetenv("ONEDNN_VERBOSE");
    verbose_reset();
    return text;
}

/* A batch norm of 1x3x2 pixels and 4 channels; its other inputs have 4 elements each. */
enum { INPUTS = 5 };
static lt_t in[INPUTS], out;
static dnnl_graph_partition_t part;
static dnnl_graph_compiled_partition_t cp;

static lt_t tensor(size_t id, int ndims, dnnl_graph_tensor_property_t property) {
    const dnnl_dims_t image = {1, 3, 2, 4}, channels = {4};
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dnnl_f32, ndims,
            ndims == 1 ? channels : image, dnnl_graph_layout_type_strided, property));
    return lt;
}

static dnnl_graph_op_t batch_norm(void) {
    const float epsilon = 1e-3f;
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, 3, dnnl_graph_op_batch_norm_inference, "norm"));
    assert_ok(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_epsilon, &epsilon, 1));
    for (size_t i = 0; i < INPUTS; i++) {
        in[i] = tensor(i, i ? 1 : 4,
                i ? dnnl_graph_tensor_property_constant : dnnl_graph_tensor_property_undef);
        assert_ok(dnnl_graph_op_add_input(op, &in[i]));
    }
    out = tensor(9, 4, dnnl_graph_tensor_property_variable);
    assert_ok(dnnl_graph_op_add_output(op, &out));
    return op;
}

static void make_partition(void) {
    dnnl_graph_graph_t graph;
    const dnnl_graph_op_t op = batch_norm();
    assert_ok(dnnl_graph_graph_create_with_fpmath_mode(&graph, dnnl_gpu, dnnl_fpmath_mode_strict));
    assert_ok(dnnl_graph_graph_set_fpmath_mode(graph, dnnl_fpmath_mode_strict, 1));
    assert_ok(dnnl_graph_add_op(graph, op));
    assert_ok(dnnl_graph_op_destroy(op));
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    assert_ok(dnnl_graph_graph_get_partitions(graph, 1, &part));
    assert_ok(dnnl_graph_graph_destroy(graph));
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
}

static dnnl_status_t compile(void) {
    const lt_t *ins[INPUTS], *outs[] = {&out};
    for (int i = 0; i < INPUTS; i++) ins[i] = &in[i];
    return dnnl_graph_partition_compile(part, cp, INPUTS, ins, 1, outs, engine);
}

static void execute(dnnl_stream_t stream) {
    dnnl_graph_tensor_t all[INPUTS + 1];
    const_dnnl_graph_tensor_t inputs[INPUTS], outputs[1];
    for (int i = 0; i <= INPUTS; i++)
        assert_ok(dnnl_graph_tensor_create(
                &all[i], i < INPUTS ? &in[i] : &out, engine, DNNL_MEMORY_ALLOCATE));
    for (int i = 0; i < INPUTS; i++) inputs[i] = all[i];
    outputs[0] = all[INPUTS];
    assert_ok(dnnl_graph_compiled_partition_execute(cp, stream, INPUTS, inputs, 1, outputs));
    assert_ok(dnnl_stream_wait(stream));
    for (int i = 0; i <= INPUTS; i++) dnnl_graph_tensor_destroy(all[i]);
}

/* The line of an operation on the partition, without its end, which is the time. */
static const char *line_of(const char *operation, const char *scratchpad) {
    static char line[1024];
    size_t id;
    assert_ok(dnnl_graph_partition_get_id(part, &id));
    snprintf(line, sizeof line,
            "\nonednn_verbose,v1,graph,%s,gpu,%zu,misc_post_ops,norm,data:NXC,"
            "in0_f32:0:strided:undef:1x3x2x4:24s8s4s1 in1_f32:1:strided:constant:4:1 "
            "in2_f32:2:strided:constant:4:1 in3_f32:3:strided:constant:4:1 "
            "in4_f32:4:strided:constant:4:1 out0_f32:9:strided:variable:1x3x2x4:24s8s4s1,"
            "fpm:strict:true,scratchpad:%s0,ze:1_steps,dnnl_backend,",
            operation, id, scratchpad);
    return line;
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

static void test_profile(void **state) {
    (void)state;
    dnnl_stream_t stream;
    make_partition();
    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    begin_capture("profile");
    assert_ok(compile());
    assert_ok(compile());
    execute(stream);
    execute(stream);
    const char *text = end_capture();
    assert_int_equal(count(text, "\nonednn_verbose,v1,info,graph,backend,0:dnnl_backend\n"), 1);
    assert_int_equal(
            count(text, "\nonednn_verbose,v1,graph,info,template:operation,engine,partition_id,"),
            1);
    assert_int_equal(count(text, line_of("compile:cache_miss", "")), 1);
    assert_int_equal(count(text, line_of("compile:compiled_partition_cache_hit", "")), 1);
    assert_int_equal(count(text, line_of("exec", "library:")), 2);
    begin_capture("profile_create");
    execute(stream);
    assert_int_equal(count(end_capture(), ",graph,"), 0);
    dnnl_stream_destroy(stream);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

/* What fails is not a line of a profile. */
static void test_failure(void **state) {
    (void)state;
    make_partition();
    out.dims[1] = 7;
    begin_capture("profile,check");
    assert_int_equal(compile(), dnnl_invalid_shape);
    const char *text = end_capture();
    assert_int_equal(count(text, ",graph,compile"), 0);
    assert_int_equal(count(text, ",create:check,graph,"), 1);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

static int begin_tests(void **state) {
    (void)state;
    return dnnl_engine_create(&engine, dnnl_gpu, 0);
}

static int end_tests(void **state) {
    (void)state;
    return dnnl_engine_destroy(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_profile),
            cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
