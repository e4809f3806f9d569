/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerators and macros have the values of the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dnnl_graph.h"
#include "dnnl_ze.h"

typedef struct {
    const char *type, *name;
    int64_t is, should;
} value_t;

static const value_t values[] = {
#define V(type, name, value) {#type, #name, (int64_t)(name), value},
#include "values.def"
#undef V
};

static void test_values(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        const value_t *v = &values[i];
        if (v->is == v->should) continue;
        print_error("%s %s is %lld and not %lld\n", v->type, v->name, (long long)v->is,
                (long long)v->should);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* A value that the table gives twice is an alias, anything else between two of an enumeration's
 * values a gap: tags have none. */
static void test_tags_have_no_gaps(void **state) {
    (void)state;
    int64_t next = 0;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strcmp(values[i].type, "dnnl_format_tag_t") == 0 && values[i].is == next) next++;
    assert_int_equal(next, (int64_t)dnnl_format_tag_last + 1);
}

static void test_enumerations_are_ints(void **state) {
    (void)state;
    assert_int_equal(sizeof(dnnl_status_t), 4);
    assert_int_equal(sizeof(dnnl_data_type_t), 4);
    assert_int_equal(sizeof(dnnl_fpmath_mode_t), 4);
    assert_int_equal(sizeof(dnnl_accumulation_mode_t), 4);
    assert_int_equal(sizeof(dnnl_engine_kind_t), 4);
    assert_int_equal(sizeof(dnnl_stream_flags_t), 4);
    assert_int_equal(sizeof(dnnl_format_kind_t), 4);
    assert_int_equal(sizeof(dnnl_graph_layout_type_t), 4);
    assert_int_equal(sizeof(dnnl_graph_tensor_property_t), 4);
    assert_int_equal(sizeof(dnnl_graph_partition_policy_t), 4);
    assert_int_equal(sizeof(dnnl_graph_dump_mode_t), 4);
    assert_int_equal(sizeof(dnnl_graph_op_kind_t), 4);
    assert_int_equal(sizeof(dnnl_graph_op_attr_t), 4);
    assert_int_equal(sizeof(dnnl_sparse_encoding_t), 4);
    assert_int_equal(sizeof(dnnl_profiling_data_kind_t), 4);
    assert_int_equal(sizeof(dnnl_format_tag_t), 4);
    assert_int_equal(sizeof(dnnl_prop_kind_t), 4);
    assert_int_equal(sizeof(dnnl_primitive_kind_t), 4);
    assert_int_equal(sizeof(dnnl_alg_kind_t), 4);
    assert_int_equal(sizeof(dnnl_normalization_flags_t), 4);
    assert_int_equal(sizeof(dnnl_rnn_flags_t), 4);
    assert_int_equal(sizeof(dnnl_rnn_direction_t), 4);
    assert_int_equal(sizeof(dnnl_scratchpad_mode_t), 4);
    assert_int_equal(sizeof(dnnl_rounding_mode_t), 4);
    assert_int_equal(sizeof(dnnl_quantization_mode_t), 4);
    assert_int_equal(sizeof(dnnl_query_t), 4);
    assert_int_equal(sizeof(dnnl_cpu_isa_t), 4);
    assert_int_equal(sizeof(dnnl_cpu_isa_hints_t), 4);
}

static void test_macros(void **state) {
    (void)state;
    assert_int_equal(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0), 32768);
    assert_int_equal(DNNL_ARG_ATTR_MULTIPLE_POST_OP(31), 32 * 32768);
    assert_int_equal(DNNL_RUNTIME_SIZE_VAL, (size_t)1 << 63);
    assert_int_equal(DNNL_RUNTIME_S32_VAL, INT32_MIN);
    const float f = DNNL_RUNTIME_F32_VAL;
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    assert_int_equal(bits, 0x7fc000d0);

    assert_int_equal(DNNL_VERSION_MAJOR, 3);
    assert_int_equal(DNNL_VERSION_MINOR, 13);

    assert_int_equal(DNNL_CPU_RUNTIME, DNNL_RUNTIME_NONE);
    assert_int_equal(DNNL_CPU_THREADING_RUNTIME, DNNL_RUNTIME_SEQ);
    assert_int_equal(DNNL_GPU_RUNTIME, DNNL_RUNTIME_ZE);
    assert_int_equal(DNNL_GPU_VENDOR, DNNL_VENDOR_INTEL);
    assert_int_equal(DNNL_RUNTIME_NONE, 0);
    assert_int_equal(DNNL_RUNTIME_SEQ, 1);
    assert_int_equal(DNNL_RUNTIME_OMP, 2);
    assert_int_equal(DNNL_RUNTIME_TBB, 4);
    assert_int_equal(DNNL_RUNTIME_THREADPOOL, 8);
    assert_int_equal(DNNL_RUNTIME_OCL, 256);
    assert_int_equal(DNNL_RUNTIME_SYCL, 512);
    assert_int_equal(DNNL_RUNTIME_DPCPP, 512);
    assert_int_equal(DNNL_RUNTIME_ZE, 1024);
    assert_int_equal(DNNL_VENDOR_INTEL, 1);
    assert_int_equal(BUILD_TRAINING, 1);
    assert_int_equal(BUILD_INFERENCE, 0);
    assert_int_equal(BUILD_PRIMITIVE_ALL, 1);
    assert_int_equal(BUILD_PRIMITIVE_GPU_ISA_ALL, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_values),
            cmocka_unit_test(test_tags_have_no_gaps),
            cmocka_unit_test(test_enumerations_are_ints),
            cmocka_unit_test(test_macros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
