/* SPDX-License-Identifier: Apache-2.0 */
/* The verbose log: levels, filter, time stamps and the exact form of lines, read back from
 * standard output.
 */
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/env.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"

static FILE *captured;
static int real_stdout;
static char text[65536];

/* value NULL: the variable is not set. */
static void begin(const char *value) {
    unsetenv("DNNL_VERBOSE");
    unsetenv("ONEDNN_VERBOSE_TIMESTAMP");
    if (value) setenv("ONEDNN_VERBOSE", value, 1);
    else unsetenv("ONEDNN_VERBOSE");
    verbose_reset();
    fflush(stdout);
    captured = tmpfile();
    real_stdout = dup(STDOUT_FILENO);
    dup2(fileno(captured), STDOUT_FILENO);
}

/* Ends up in `text`. */
static const char *end(void) {
    fflush(stdout);
    dup2(real_stdout, STDOUT_FILENO);
    close(real_stdout);
    rewind(captured);
    size_t n = fread(text, 1, sizeof(text) - 1, captured);
    text[n] = '\0';
    fclose(captured);
    return text;
}

static bool matches(const char *string, const char *pattern) {
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
    const bool found = regexec(&regex, string, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static int count_lines(const char *string, const char *part) {
    int n = 0;
    for (const char *p = string; (p = strstr(p, part)); p++) n++;
    return n;
}

/* One line of every level; which of them come out, as a set of VERBOSE_ bits. */
static unsigned say_everything(void) {
    verbose_error(dnnl_runtime_error, "engine", "said %d", 1);
    verbose_warn(dnnl_success, "engine", "said %d", 2);
    verbose_info("engine", "said %d", 5);
    verbose_check(dnnl_invalid_arguments, "matmul", "said %d", 3);
    verbose_refuse(dnnl_unimplemented, "matmul", "said %d", 4);
    if (verbose_on_kind(VERBOSE_CREATE, dnnl_matmul))
        verbose_profile("create:cache_miss", -1, "matmul,x", 0, 1);
    if (verbose_on_kind(VERBOSE_EXEC, dnnl_matmul)) verbose_profile("exec", 1, "matmul,x", 0, 0.25);
    const char *out = end();
    static const struct {
        unsigned level;
        const char *pattern;
    } lines[] = {
            {VERBOSE_ERROR,
                    "^onednn_verbose,v1,primitive,error,engine,said 1,.*test_verbose\\.c:[0-9]+$"},
            {VERBOSE_WARN, "^onednn_verbose,v1,primitive,warning,engine,said 2,.*:[0-9]+$"},
            {VERBOSE_INFO, "^onednn_verbose,v1,primitive,info,engine,said 5,.*:[0-9]+$"},
            {VERBOSE_CHECK, "^onednn_verbose,v1,primitive,create:check,matmul,said 3,.*:[0-9]+$"},
            {VERBOSE_DISPATCH,
                    "^onednn_verbose,v1,primitive,create:dispatch,matmul,said 4,.*:[0-9]+$"},
            {VERBOSE_CREATE, "^onednn_verbose,v1,primitive,create:cache_miss,gpu,matmul,x,1$"},
            {VERBOSE_EXEC, "^onednn_verbose,v1,primitive,exec,gpu:1,matmul,x,0\\.25$"},
    };
    unsigned levels = 0;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (matches(out, lines[i].pattern)) levels |= lines[i].level;
    return levels;
}

static void test_levels(void **state) {
    (void)state;
    enum {
        L1 = VERBOSE_ERROR | VERBOSE_WARN | VERBOSE_INFO | VERBOSE_EXEC,
        L2 = L1 | VERBOSE_CREATE,
        ALL = L2 | VERBOSE_CHECK | VERBOSE_DISPATCH,
    };
    static const struct {
        const char *value;
        unsigned levels;
    } cases[] = {
            {NULL, VERBOSE_ERROR},
            {"", VERBOSE_ERROR},
            {"none", 0},
            {"0", 0},
            {"1", L1},
            {"2", L2},
            {"all", ALL},
            {"-1", ALL},
            {"error", VERBOSE_ERROR},
            {"warn", VERBOSE_ERROR | VERBOSE_WARN},
            {"info", VERBOSE_ERROR | VERBOSE_INFO},
            {"check", VERBOSE_ERROR | VERBOSE_CHECK},
            {"dispatch", VERBOSE_ERROR | VERBOSE_DISPATCH},
            {"profile_create", VERBOSE_ERROR | VERBOSE_CREATE},
            {"profile_exec", VERBOSE_ERROR | VERBOSE_EXEC},
            {"profile", VERBOSE_ERROR | VERBOSE_CREATE | VERBOSE_EXEC},
            {"profile_exec,check", VERBOSE_ERROR | VERBOSE_EXEC | VERBOSE_CHECK},
            {"none,dispatch", VERBOSE_DISPATCH}, /* none takes back what stands before it */
            {"dispatch,none", 0},
            {"nonsense", VERBOSE_ERROR},
            {",,warn,", VERBOSE_ERROR | VERBOSE_WARN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(cases[i].value);
        const unsigned levels = say_everything();
        if (levels != cases[i].levels) print_message("ONEDNN_VERBOSE=%s\n", cases[i].value);
        assert_int_equal(levels, cases[i].levels);
    }
}

static void test_set_verbose(void **state) {
    (void)state;
    const unsigned expected[] = {0, VERBOSE_ERROR | VERBOSE_WARN | VERBOSE_INFO | VERBOSE_EXEC,
            VERBOSE_ERROR | VERBOSE_WARN | VERBOSE_INFO | VERBOSE_EXEC | VERBOSE_CREATE};
    for (int level = 0; level < 3; level++) {
        begin("all");
        assert_int_equal(dnnl_set_verbose(level), dnnl_success);
        assert_int_equal(say_everything(), expected[level]);
        assert_int_equal(verbose_debuginfo(), level);
    }
    begin("none");
    assert_int_equal(dnnl_set_verbose(-1), dnnl_invalid_arguments);
    assert_int_equal(dnnl_set_verbose(3), dnnl_invalid_arguments);
    assert_int_equal(say_everything(), 0);
}

static void test_other_prefix(void **state) {
    (void)state;
    begin(NULL);
    setenv("DNNL_VERBOSE", "check", 1);
    assert_int_equal(say_everything(), VERBOSE_ERROR | VERBOSE_CHECK);
    begin("warn"); /* ONEDNN_ goes first */
    setenv("DNNL_VERBOSE", "check", 1);
    assert_int_equal(say_everything(), VERBOSE_ERROR | VERBOSE_WARN);
}

static void test_debuginfo(void **state) {
    (void)state;
    begin("debuginfo=3");
    assert_int_equal(verbose_debuginfo(), 3);
    end();
    begin("check,debuginfo=1000");
    assert_int_equal(verbose_debuginfo(), 255);
    end();
    begin("debuginfo=x");
    assert_int_equal(verbose_debuginfo(), 0);
    end();
}

static void test_header(void **state) {
    (void)state;
    begin("profile_exec");
    verbose_profile("exec", -1, "a", 0, 0);
    verbose_profile("exec", -1, "b", 0, 0);
    const char *out = end();
    assert_true(strncmp(out, "onednn_verbose,v1,info,oneDNN v3.13.", 36) == 0);
    assert_int_equal(count_lines(out, "info,oneDNN v"), 1);
    assert_true(matches(
            out, "^onednn_verbose,v1,info,oneDNN v[0-9]+\\.[0-9]+\\.[0-9]+ \\(commit [^)]+\\)$"));
    assert_true(matches(out, "^onednn_verbose,v1,info,gpu,runtime:Level Zero$"));
    assert_true(matches(out, "^onednn_verbose,v1,primitive,info,template:operation,engine,"
                             "primitive,implementation,prop_kind,"
                             "memory_descriptors,attributes,auxiliary,problem_desc,exec_time$"));
    begin("none");
    verbose_error(dnnl_success, "engine", "unheard");
    assert_string_equal(end(), "");
}

static void one_device(void) {
    verbose_line("info,a device");
}

/* What the runtime registers writes its lines into the header. */
static void test_devices(void **state) {
    (void)state;
    verbose_set_devices(one_device);
    begin("profile_exec");
    verbose_profile("exec", -1, "a", 0, 0);
    verbose_profile("exec", -1, "b", 0, 0);
    assert_int_equal(count_lines(end(), "onednn_verbose,v1,info,a device"), 1);
    verbose_set_devices(NULL);
    begin("profile_exec");
    verbose_profile("exec", -1, "a", 0, 0);
    assert_int_equal(count_lines(end(), "a device"), 0);
}

static void test_timestamp(void **state) {
    (void)state;
    begin("profile_exec");
    setenv("ONEDNN_VERBOSE_TIMESTAMP", "1", 1);
    verbose_profile("exec", -1, "a", verbose_now_ms(), 2);
    const char *out = end();
    assert_true(matches(out, "^onednn_verbose,v1,primitive,info,template:timestamp,operation,"));
    /* Milliseconds of the time of day. */
    assert_true(matches(out, "^onednn_verbose,v1,1[0-9]{12}\\.[0-9]+,primitive,exec,gpu,a,2$"));
}

static void test_filter(void **state) {
    (void)state;
    begin("profile,check,dispatch,filter=conv|elt");
    assert_false(verbose_on_kind(VERBOSE_EXEC, dnnl_matmul));
    assert_true(verbose_on_kind(VERBOSE_EXEC, dnnl_convolution));
    assert_true(verbose_on_kind(VERBOSE_EXEC, dnnl_deconvolution));
    assert_true(verbose_on_kind(VERBOSE_EXEC, dnnl_eltwise));
    assert_false(verbose_on_kind(VERBOSE_WARN, dnnl_eltwise));
    verbose_refuse(dnnl_unimplemented, "matmul", "filtered out");
    verbose_refuse(dnnl_unimplemented, "eltwise", "shown");
    verbose_check(dnnl_invalid_arguments, "stream", "not of a kind");
    verbose_error(dnnl_runtime_error, "matmul", "never filtered");
    const char *out = end();
    assert_null(strstr(out, "filtered out"));
    assert_non_null(strstr(out, "eltwise,shown,"));
    assert_non_null(strstr(out, "stream,not of a kind,"));
    assert_non_null(strstr(out, "matmul,never filtered,"));
    assert_non_null(
            strstr(out, "onednn_verbose,v1,common,info,filter format is enabled, hit components: "
                        "convolution,deconvolution,eltwise\n"));

    begin("filter=prim,profile_exec"); /* "primitive" means all of them */
    assert_true(verbose_on_kind(VERBOSE_EXEC, dnnl_matmul));
    end();

    begin("profile_exec,filter=nothing");
    assert_true(verbose_on_kind(VERBOSE_EXEC, dnnl_matmul));
    verbose_profile("exec", -1, "a", 0, 0);
    assert_non_null(strstr(end(), "common,error,filter format is ill-formed and is not applied"));

    begin("profile_exec,filter=(");
    assert_true(verbose_on_kind(VERBOSE_EXEC, dnnl_matmul));
    verbose_profile("exec", -1, "a", 0, 0);
    assert_non_null(strstr(end(), "common,error,filter format is ill-formed and is not applied"));
}

static void test_long_line(void **state) {
    (void)state;
    static char sentence[20000];
    memset(sentence, 'x', sizeof(sentence) - 1);
    begin("check");
    assert_int_equal(verbose_check(dnnl_invalid_arguments, "memory", "%s", sentence),
            dnnl_invalid_arguments);
    verbose_check(dnnl_invalid_arguments, "memory", "next");
    const char *out = end();
    assert_true(matches(out, "x$"));
    assert_true(matches(out, "^onednn_verbose,v1,primitive,create:check,memory,next,"));
}

enum { THREADS = 4, LINES = 200 };

static void *talk(void *arg) {
    for (int i = 0; i < LINES; i++) verbose_profile("exec", -1, arg, 0, i);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    static const char *const names[THREADS] = {
            "aaaaaaaaaaaaaaaa", "bbbbbbbb", "cccccccccccccccccccccccc", "d"};
    pthread_t thread[THREADS];
    begin("profile_exec");
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, talk, (void *)names[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    char *out = (char *)end();
    int header = 0, good = 0;
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        if (strstr(line, "info,")) header++;
        else good += matches(line, "^onednn_verbose,v1,primitive,exec,gpu,(a+|b+|c+|d),[0-9]+$");
    }
    assert_int_equal(header, 3);
    assert_int_equal(good, THREADS * LINES);
}

static void test_environment(void **state) {
    (void)state;
    setenv("DNNL_TEST_NUMBER", "12", 1);
    assert_int_equal(env_int("TEST_NUMBER", 5), 12);
    setenv("ONEDNN_TEST_NUMBER", "-3", 1);
    assert_int_equal(env_int("TEST_NUMBER", 5), -3);
    const char *const bad[] = {"", "x", "1x", "99999999999"};
    for (int i = 0; i < 4; i++) {
        setenv("ONEDNN_TEST_NUMBER", bad[i], 1);
        assert_int_equal(env_int("TEST_NUMBER", 5), 5);
    }
    assert_null(env_string("TEST_NOT_SET"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels),
            cmocka_unit_test(test_set_verbose), cmocka_unit_test(test_other_prefix),
            cmocka_unit_test(test_debuginfo), cmocka_unit_test(test_header),
            cmocka_unit_test(test_devices), cmocka_unit_test(test_timestamp),
            cmocka_unit_test(test_filter), cmocka_unit_test(test_long_line),
            cmocka_unit_test(test_threads), cmocka_unit_test(test_environment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
