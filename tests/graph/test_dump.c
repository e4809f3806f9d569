/* SPDX-License-Identifier: Apache-2.0 */
/* The files that ONEDNN_GRAPH_DUMP asks for: when they are written, and every character of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <unistd.h>

#include <cmocka.h>

#include "dnnl_graph.h"
#include "graph/dump.h"

#define assert_ok(call) assert_int_equal(call, dnnl_success)

static dnnl_engine_t engine;
static char folder[] = "/tmp/dnnl_ze_dump_XXXXXX";

static lt_t tensor(size_t id, dnnl_graph_layout_type_t layout) {
    const dnnl_dims_t dims = {2, 3};
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(
            &lt, id, dnnl_f32, 2, dims, layout, dnnl_graph_tensor_property_variable));
    return lt;
}

static lt_t unknown(size_t id) {
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init(&lt, id, dnnl_f32, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_any, dnnl_graph_tensor_property_constant));
    return lt;
}

static void add(dnnl_graph_graph_t graph, size_t id, dnnl_graph_op_kind_t kind, const char *name,
        const lt_t *in, const lt_t *out) {
    dnnl_graph_op_t op;
    const float alpha = -0.25f, scales[] = {0.5f, 2.0f};
    const uint8_t flag = 1;
    const int64_t order[] = {1, 0}, axis = -1;
    assert_ok(dnnl_graph_op_create(&op, id, kind, name));
    assert_ok(dnnl_graph_op_add_input(op, in));
    assert_ok(dnnl_graph_op_add_output(op, out));
    assert_ok(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_alpha, &alpha, 1));
    if (kind == dnnl_graph_op_static_transpose) {
        assert_ok(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_scales, scales, 2));
        assert_ok(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_order, order, 2));
        assert_ok(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axis, &axis, 1));
        assert_ok(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_keep_dims, &flag, 1));
        assert_ok(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_mode, "a", 1));
    }
    assert_ok(dnnl_graph_add_op(graph, op));
    assert_ok(dnnl_graph_op_destroy(op));
}

/* LeakyReLU, then a transpose with an attribute of each type. */
static dnnl_graph_graph_t make_graph(void) {
    const lt_t in = tensor(7, dnnl_graph_layout_type_strided), between = unknown(8),
               out = unknown(9);
    dnnl_graph_graph_t graph;
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    assert_ok(dnnl_graph_graph_set_fpmath_mode(graph, dnnl_fpmath_mode_bf16, 1));
    add(graph, 1, dnnl_graph_op_leaky_relu, "a \"leaky\"\n\\relu", &in, &between);
    add(graph, 2, dnnl_graph_op_static_transpose, "", &between, &out);
    assert_ok(dnnl_graph_graph_finalize(graph));
    return graph;
}

/* The files of the folder that have text in their names and, maybe, not another one. */
static int find_files(const char *with, const char *without, char *name) {
    DIR *dir = opendir(folder);
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strstr(entry->d_name, with) && !(without && strstr(entry->d_name, without))) {
            n++;
            if (name) snprintf(name, 300, "%s/%s", folder, entry->d_name);
        }
    closedir(dir);
    return n;
}

static const char *read_file(const char *name) {
    static char text[8192];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(unlink(name), 0);
    return text;
}

static const char *const expected =
        "  \"engine_kind\": \"gpu\",\n"
        "  \"fpmath_mode\": \"bf16\",\n"
        "  \"fpmath_mode_apply_to_int\": \"true\",\n"
        "  \"input_ports\": [7],\n"
        "  \"output_ports\": [9],\n"
        "  \"graph\": [\n"
        "    {\n"
        "      \"id\": 1,\n"
        "      \"name\": \"a \\\"leaky\\\"\\u000a\\\\relu\",\n"
        "      \"kind\": \"LeakyReLU\",\n"
        "      \"attrs\": {\n"
        "        \"alpha\": {\"type\": \"f32\", \"value\": -0.25}\n"
        "      },\n"
        "      \"inputs\": [\n"
        "        {\"id\": 7, \"dtype\": \"f32\", \"shape\": [2, 3], \"stride\": [3, 1],"
        " \"layout_type\": \"strided\", \"property_type\": \"variable\"}\n"
        "      ],\n"
        "      \"outputs\": [\n"
        "        {\"id\": 8, \"dtype\": \"f32\", \"shape\": [-9223372036854775808], \"stride\":"
        " [-9223372036854775808], \"layout_type\": \"any\", \"property_type\": \"constant\"}\n"
        "      ]\n"
        "    },\n"
        "    {\n"
        "      \"id\": 2,\n"
        "      \"name\": \"StaticTranspose_2\",\n"
        "      \"kind\": \"StaticTranspose\",\n";

static const char *const attributes[] = {"\"scales\": {\"type\": \"f32[]\", \"value\": [0.5, 2]}",
        "\"order\": {\"type\": \"s64[]\", \"value\": [1, 0]}",
        "\"axis\": {\"type\": \"s64\", \"value\": -1}",
        "\"keep_dims\": {\"type\": \"bool\", \"value\": 1}",
        "\"mode\": {\"type\": \"string\", \"value\": \"a\"}"};

static void test_graph(void **state) {
    (void)state;
    char name[300], shown[40];
    const dnnl_graph_graph_t graph = make_graph();
    dnnl_graph_partition_t parts[2];
    size_t id;
    assert_ok(dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_graph));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_debug));
    assert_int_equal(find_files(".json", NULL, name), 1);
    const char *text = read_file(name);
    assert_non_null(strstr(text, expected));
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        assert_non_null(strstr(text, attributes[i]));
    assert_null(strstr(text, "partition_id"));
    assert_ok(dnnl_graph_graph_get_partitions(graph, 2, parts));
    assert_int_equal(find_files(".json", "-partitioning", NULL), 0);
    assert_int_equal(find_files("-partitioning.json", NULL, name), 1);
    text = read_file(name);
    for (int i = 0; i < 2; i++) {
        assert_ok(dnnl_graph_partition_get_id(parts[i], &id));
        snprintf(shown, sizeof shown, "\"%zu\"", id);
        assert_non_null(strstr(text, shown));
        dnnl_graph_partition_destroy(parts[i]);
    }
    assert_non_null(
            strstr(text, "\"backend\": {\"type\": \"string\", \"value\": \"dnnl_backend\"}"));
    dnnl_graph_graph_destroy(graph);
}

/* The shapes and layouts of a compilation are in its file; other shapes have another file. */
static void test_subgraph(void **state) {
    (void)state;
    char name[300];
    const dnnl_graph_graph_t graph = make_graph();
    const lt_t out = unknown(8);
    lt_t in = tensor(7, dnnl_graph_layout_type_strided);
    const lt_t *ins[] = {&in}, *outs[] = {&out};
    dnnl_graph_partition_t part;
    dnnl_graph_compiled_partition_t cp;
    assert_ok(dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_subgraph));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_debug));
    assert_ok(dnnl_graph_graph_get_partitions(graph, 1, &part));
    assert_int_equal(find_files(".json", NULL, NULL), 0);
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    for (int i = 0; i < 2; i++)
        assert_ok(dnnl_graph_partition_compile(part, cp, 1, ins, 1, outs, engine));
    assert_int_equal(find_files(".json", NULL, name), 1);
    assert_non_null(strstr(read_file(name), "\"id\": 8, \"dtype\": \"f32\", \"shape\": [2, 3],"
                                            " \"stride\": [3, 1], \"layout_type\": \"strided\""));
    assert_ok(dnnl_graph_partition_compile(part, cp, 1, ins, 1, outs, engine));
    in.dims[0] = 5;
    assert_ok(dnnl_graph_partition_compile(part, cp, 1, ins, 1, outs, engine));
    assert_int_equal(find_files(".json", NULL, name), 2);
    read_file(name);
    assert_int_equal(find_files(".json", NULL, name), 1);
    read_file(name);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
    dnnl_graph_graph_destroy(graph);
}

static int files_of(const char *environment) {
    char name[300];
    dnnl_graph_partition_t parts[2];
    const dnnl_graph_graph_t graph = make_graph();
    if (environment) setenv("ONEDNN_GRAPH_DUMP", environment, 1);
    else unsetenv("ONEDNN_GRAPH_DUMP");
    dump_forget();
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    assert_ok(dnnl_graph_graph_get_partitions(graph, 2, parts));
    for (int i = 0; i < 2; i++) dnnl_graph_partition_destroy(parts[i]);
    dnnl_graph_graph_destroy(graph);
    const int n = find_files(".json", NULL, NULL);
    while (find_files(".json", NULL, name)) read_file(name);
    return n;
}

static void test_modes(void **state) {
    (void)state;
    assert_int_equal(files_of(NULL), 0);
    assert_int_equal(files_of("subgraph"), 0);
    assert_int_equal(files_of("graph"), 2);
    assert_int_equal(files_of("subgraph,graph"), 2);
    assert_int_equal(files_of("graphs"), 0);
    assert_int_equal(dnnl_graph_set_dump_mode((dnnl_graph_dump_mode_t)4), dnnl_invalid_arguments);
    assert_ok(dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_none));
    /* A folder in which nobody can write a file costs the program nothing. */
    assert_int_equal(chdir("/proc"), 0);
    assert_int_equal(files_of("graph"), 0);
    assert_int_equal(chdir(folder), 0);
}

static int begin_tests(void **state) {
    (void)state;
    return !mkdtemp(folder) || chdir(folder) || dnnl_engine_create(&engine, dnnl_gpu, 0);
}

static int end_tests(void **state) {
    (void)state;
    return rmdir(folder) || dnnl_engine_destroy(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_graph),
            cmocka_unit_test(test_subgraph),
            cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
