/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of graph_replay on damaged files: whatever they hold, it reads a graph or says that
 * there is none, and what it has read can be given to the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dnnl_graph.h"
#include "tests/graph/replay/document.h"

enum { MOST = 1 << 16, DAMAGES = 400 };

static size_t read_file(const char *name, char *text) {
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, MOST / 2, file);
    assert_true(size > 100 && size < MOST / 2);
    fclose(file);
    return size;
}

static size_t replace(char *text, size_t size, size_t at, size_t taken, const char *by) {
    const size_t length = strlen(by);
    if (at + taken > size) taken = size - at;
    memmove(text + at + length, text + at + taken, size - at - taken);
    memcpy(text + at, by, length);
    return size - taken + length;
}

static size_t find(const char *text, size_t size, size_t at, const char *set) {
    while (at < size && !strchr(set, text[at])) at++;
    return at;
}

/* Another number in place of the next one. */
static size_t damage_number(char *text, size_t size, size_t at) {
    static const char *const numbers[] = {"0", "1", "-1", "2", "100", "12", "1e300", "-1e300",
            "9223372036854775807", "4294967296", "null", "true", "[]", "{}"};
    static const char digits[] = "0123456789";
    const size_t first = find(text, size, at, digits);
    size_t end = first;
    while (end < size && strchr(digits, text[end])) end++;
    return replace(text, size, first, end - first,
            numbers[(size_t)rand() % (sizeof numbers / sizeof *numbers)]);
}

/* Another word in place of the next one. */
static size_t damage_word(char *text, size_t size, size_t at) {
    static const char *const words[] = {"\"\"", "\"Wildcard\"", "\"MatMul\"", "\"f32\"", "\"any\"",
            "\"strided\"", "\"host_scalar\"", "\"NXC\"", "7", "[[]]"};
    const size_t first = find(text, size, at, "\""), end = find(text, size, first + 1, "\"");
    return first < size && end < size
                   ? replace(text, size, first, end + 1 - first,
                             words[(size_t)rand() % (sizeof words / sizeof *words)])
                   : size;
}

/* Another number, another word, a missing piece, or another byte. */
static size_t damage(char *text, size_t size) {
    const size_t at = (size_t)rand() % size;
    const char byte[] = {(char)(1 + rand() % 255), 0};
    switch (rand() % 16) {
    case 0: return replace(text, size, at, (size_t)rand() % 40, "");
    case 1: return replace(text, size, at, 1, byte);
    case 2:
    case 3:
    case 4: return damage_word(text, size, at);
    default: return damage_number(text, size, at);
    }
}

static bool try_graph(const document_t *document) {
    dnnl_graph_graph_t graph;
    size_t count = 0;
    assert_int_equal(dnnl_graph_graph_create(&graph, dnnl_gpu), dnnl_success);
    for (int i = 0; i < document->nnodes; i++) dnnl_graph_add_op(graph, document->nodes[i].op);
    bool fine = dnnl_graph_graph_finalize(graph) == dnnl_success;
    fine = fine && dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion) == 0;
    fine = fine && dnnl_graph_graph_get_partition_num(graph, &count) == dnnl_success && count;
    assert_int_equal(dnnl_graph_graph_destroy(graph), dnnl_success);
    return fine;
}

static void write_file(const char *name, const char *text, size_t size) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void test_damaged(void **state) {
    static const char *const names[] = {"attention", "convolution", "mlp", "quantized"};
    static char text[MOST], damaged[MOST];
    char name[] = "damaged.XXXXXX", path[512];
    int read = 0, divided = 0;
    const int file = mkstemp(name);
    (void)state;
    assert_true(file >= 0);
    close(file);
    assert_non_null(freopen("/dev/null", "w", stdout)); /* a sentence for each refused file */
    srand(1);
    for (int i = 0; i < DAMAGES; i++) {
        document_t document;
        snprintf(path, sizeof path, FILES "/%s.json", names[i % 4]);
        size_t size = read_file(path, text);
        memcpy(damaged, text, size);
        for (int n = rand() % 3; n >= 0; n--) size = damage(damaged, size);
        write_file(name, damaged, size);
        if (document_load(&document, name)) {
            read++;
            divided += try_graph(&document);
        }
        document_free(&document);
    }
    unlink(name);
    assert_in_range(read, DAMAGES / 10, DAMAGES * 9 / 10);
    assert_in_range(divided, DAMAGES / 20, read);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
