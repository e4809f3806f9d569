/* SPDX-License-Identifier: Apache-2.0 */
/* The log is in the C locale, and it is read so, whatever the program's locale is. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case_run.h"
#include "core/verbose.h"
#include "harness.h"
#include "line.h"
#include "oneapi/dnnl/dnnl.h"
#include "ops/verbose_columns.h"
#include "problem.h"
#include "test_main.h"

/* Makes the German locale, which writes 0,25, in a folder of its own, and removes the folder: the C
 * library has read the files. */
static bool enter_german(void) {
    char folder[] = "/tmp/dnnl_ze_locale_XXXXXX", command[256];
    if (!mkdtemp(folder)) return false;
    snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > %s/log 2>&1",
            folder, folder);
    bool made = WEXITSTATUS(system(command)) <= 1; /* 1: with warnings */
    setenv("LOCPATH", folder, 1);
    made = made && setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof(command), "rm -r %s", folder);
    if (system(command)) print_message("%s is left\n", folder);
    return made;
}

static const char *number(void) {
    static char text[32];
    snprintf(text, sizeof(text), "%g", 0.25);
    return text;
}

static void test_columns(void **unused) {
    (void)unused;
    static const char written[] = "exec,gpu,eltwise,,forward_inference,data:f32::blocked:ab::f0,"
                                  "attr-post-ops:eltwise_clip:-0.5:1.5,"
                                  "alg:eltwise_elu alpha:0.25 beta:0,4x5,1.5";
    char again[4096];
    line_t line;
    problem_t p;
    for (int i = 0; i < 2; i++) { /* what is given, and what the library writes of it */
        assert_null(line_parse(&line, i ? again : written));
        assert_null(problem_create(&p, &line, harness_engine));
        assert_int_equal(p.status, dnnl_success);
        const pd_t *pd = case_pd(p.pd);
        assert_true(pd->params.alpha == 0.25f);
        assert_true(pd->attr.post_ops.entry[0].eltwise.alpha == -0.5f);
        snprintf(again, sizeof(again), "exec,gpu,%s,1", pd_info(pd));
        assert_non_null(strstr(again, "alpha:0.25"));
        assert_non_null(strstr(again, "eltwise_clip:-0.5:1.5"));
        dnnl_primitive_desc_destroy(p.pd);
        assert_string_equal(number(), "0,25"); /* the program's locale is as it was */
    }
}

static void test_times(void **unused) {
    (void)unused;
    char text[4096] = "";
    FILE *kept = tmpfile();
    fflush(stdout);
    const int terminal = dup(STDOUT_FILENO);
    dup2(fileno(kept), STDOUT_FILENO);
    verbose_profile("exec", -1, "eltwise,x", 0, 0.25);
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    rewind(kept);
    text[fread(text, 1, sizeof(text) - 1, kept)] = 0;
    fclose(kept);
    assert_non_null(strstr(text, "eltwise,x,0.25\n"));
}

static int enter(void **unused) {
    if (!enter_german() || strcmp(number(), "0,25")) {
        print_message("there is no German locale, and localedef cannot make one\n");
        exit(77);
    }
    return setup(unused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_columns), cmocka_unit_test(test_times)};
    return cmocka_run_group_tests(tests, enter, teardown);
}
