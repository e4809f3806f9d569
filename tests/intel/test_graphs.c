/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs of tests/graph/partitions.txt on a driver that executes nothing: each product divides
 * them as the table says, and the driver's compiler and layers accept all primitives.
 * TEST_GRAPHS=n/m: only lines whose number has remainder n when it is divided by m. For a product
 * with DNNL_ZE_TEST_DRY_WITHOUT_TABLES=1, the driver ends the process when a module has a table in
 * constant memory, as those with erf() and pow() have: these graphs are left out and counted. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/graph/graphs.h"

static bool has_table(const char *nodes) {
    static const char *const kinds[] = {"GELU(", "BatchNormInference(", "Reciprocal(", "Pow("};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(nodes, kinds[i])) return true;
    return false;
}

static void test_graphs(void **state) {
    (void)state;
    static graph_text_t graph;
    graph_line_t line;
    char counts[4 * MOST_NODES];
    const char *sample = getenv("TEST_GRAPHS");
    const char *without = getenv("DNNL_ZE_TEST_DRY_WITHOUT_TABLES");
    int rest = 0, share = 1, number = 0, n = 0, left_out = 0, failed = 0;
    FILE *file = fopen(TABLE, "r");
    if (sample) assert_int_equal(sscanf(sample, "%d/%d", &rest, &share), 2);
    assert_true(share > 0);
    assert_non_null(file);
    graph_dry = true;
    while (graph_next_line(file, &line)) {
        if (number++ % share != rest % share) continue;
        if (without && has_table(line.nodes)) {
            left_out++;
            continue;
        }
        graph_read(&graph, line.inputs, line.nodes);
        graph_run(&graph, dnnl_graph_partition_policy_fusion, true, counts);
        graph_end(&graph);
        failed += !graph_has_counts(&line, counts);
        n++;
    }
    fclose(file);
    print_message("%d graphs, %d left out\n", n, left_out);
    assert_int_equal(failed, 0);
    assert_true(n + left_out > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graphs)};
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
