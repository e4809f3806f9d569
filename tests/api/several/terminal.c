/* SPDX-License-Identifier: Apache-2.0 */
/* A creation that takes long says so: once, and on a terminal only, unless the environment says
 * otherwise. Each case is a process of its own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "primitive/primitive.h"

enum { NO_DEVICE = 77, WRONG = 1 };

static int create(dnnl_engine_t engine, float alpha) {
    const dnnl_dims_t dims = {16};
    dnnl_memory_desc_t md = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a);
    if (status == dnnl_success)
        status = dnnl_eltwise_forward_primitive_desc_create(
                &pd, engine, dnnl_forward_inference, dnnl_eltwise_linear, md, md, alpha, 1, NULL);
    if (status == dnnl_success) status = dnnl_primitive_create(&primitive, pd);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    return status == dnnl_success ? 0 : WRONG;
}

/* The program at `output`: creates two primitives. */
static void program(int output, const char *verbose, double slow_ms) {
    dnnl_engine_t engine;
    dup2(output, STDOUT_FILENO);
    if (verbose) setenv("ONEDNN_VERBOSE", verbose, 1);
    else unsetenv("ONEDNN_VERBOSE");
    primitive_slow_ms = slow_ms;
    if (!dnnl_engine_get_count(dnnl_gpu)) _exit(NO_DEVICE);
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) _exit(WRONG);
    const int failed = create(engine, 2) || create(engine, 3);
    dnnl_engine_destroy(engine);
    fflush(stdout);
    _exit(failed);
}

/* How many lines say so. */
static int lines_at(int output, int input, const char *verbose, double slow_ms) {
    char text[1 << 14];
    size_t size = 0;
    int status, count = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) program(output, verbose, slow_ms);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_DEVICE) exit(NO_DEVICE);
    assert_int_equal(WEXITSTATUS(status), 0);
    fcntl(input, F_SETFL, O_NONBLOCK);
    for (ssize_t n;
            size < sizeof text - 1 && (n = read(input, text + size, sizeof text - 1 - size)) > 0;)
        size += (size_t)n;
    text[size] = 0;
    for (const char *at = text; (at = strstr(at, "the creation of a primitive took")); at++)
        count++;
    return count;
}

static int lines_on_terminal(const char *verbose, double slow_ms) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    const int lines = lines_at(terminal, master, verbose, slow_ms);
    close(terminal);
    close(master);
    return lines;
}

static int lines_in_pipe(const char *verbose) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const int lines = lines_at(ends[1], ends[0], verbose, 0);
    close(ends[0]);
    close(ends[1]);
    return lines;
}

static void a_terminal_hears_it_once(void **state) {
    (void)state;
    assert_int_equal(lines_on_terminal(NULL, 0), 1);
    assert_int_equal(lines_on_terminal(NULL, 1e6), 0);
    assert_int_equal(lines_on_terminal("none", 0), 0);
    assert_int_equal(lines_on_terminal("error", 0), 0);
}

static void others_hear_it_if_they_ask(void **state) {
    (void)state;
    assert_int_equal(lines_in_pipe(NULL), 0);
    assert_int_equal(lines_in_pipe("info"), 1);
    assert_int_equal(lines_in_pipe("all"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_terminal_hears_it_once),
            cmocka_unit_test(others_hear_it_if_they_ask)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
