/* SPDX-License-Identifier: Apache-2.0 */
/* Forward primitives beside oneDNN's CPU library in one run: the problems of problems.txt. One line
 * each, then the geometric mean and the lowest.
 *   bench_forward [--list] [-s SECONDS] [-r FILE] [SECTION | PROBLEMS ...]
 * Runs the sections of problems.txt that are not optional, or those that are named. PROBLEMS: a
 * line as problems.txt has them. --list: only the names. -s: of a line. -r: lines of earlier runs
 * are read from the file, this run's added, and the mean is that of all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_problem.h"

enum { MAX_RESULTS = 256 };
typedef struct {
    char name[PROBLEM_NAME];
    double ratio;
} result_t;

static bench_t bench;
static const library_t *here, *there;
static result_t results[MAX_RESULTS];
static int nresults;
static double seconds_per_line = 0.5;
static bool only_list;

static void keep(const char *name, double ratio) {
    int i = 0;
    while (i < nresults && strcmp(results[i].name, name)) i++;
    if (i == MAX_RESULTS) return;
    if (i == nresults) nresults++;
    snprintf(results[i].name, PROBLEM_NAME, "%s", name);
    results[i].ratio = ratio;
}

/* What a bias and relu cost, where the same problem without them ran before. */
static void report_fused(const char *name, double seconds) {
    static char plain_name[PROBLEM_NAME];
    static double plain;
    const char *fused = strstr(name, " + bias + relu");
    const size_t len = strlen(plain_name);
    if (fused && len == (size_t)(fused - name) && !strncmp(name, plain_name, len))
        bench_ratio("plain time / time with bias and relu", plain / seconds, 1 / 1.1);
    if (strstr(name, " + ") || strstr(name, ", any")) return;
    snprintf(plain_name, sizeof(plain_name), "%s", name);
    plain = seconds;
}

static void measure(const bench_problem_t *p, double tolerance) {
    const race_t r = race_problem(&bench, here, there, p, tolerance, 40, seconds_per_line);
    printf("%-42s %9.3f ms", p->name, 1e3 * r.here);
    if (there) {
        printf("  %9.3f ms  ratio %.2f", 1e3 * r.there, r.there / r.here);
        keep(p->name, r.there / r.here);
    }
    printf("\n");
    fflush(stdout);
    report_fused(p->name, r.here);
}

static void run_problem(const batch_line_t *line, int64_t index) {
    static bench_problem_t p;
    bench_problem_create(&p, &bench, line, index);
    if (only_list) printf("%s\n", p.name);
    else measure(&p, atof(batch_value(line, index, "tolerance", "1e-3")));
    bench_problem_destroy(&p);
}

/* ---- the program ---- */

static bool run_argument(char *arg) {
    if (strchr(arg, ' '))
        return batch_run_section(fmemopen(arg, strlen(arg), "r"), "", run_problem);
    return batch_run_section(fopen(BENCH_PROBLEMS, "r"), arg, run_problem);
}

static int usage(const char *program) {
    fprintf(stderr,
            "usage: %s [--list] [-s SECONDS] [-r FILE] [SECTION | PROBLEMS ...]\n"
            "sections and examples of problems: %s\n",
            program, BENCH_PROBLEMS);
    return 2;
}

static void read_results(const char *path) {
    char name[PROBLEM_NAME];
    double ratio;
    FILE *f = fopen(path, "r");
    if (!f) return; /* the first run */
    while (fscanf(f, " %lf %63[^\n]", &ratio, name) == 2) keep(name, ratio);
    fclose(f);
}

static void write_results(const char *path) {
    FILE *f = fopen(path, "w");
    CHECK(!f);
    for (int i = 0; i < nresults; i++) fprintf(f, "%.3f %s\n", results[i].ratio, results[i].name);
    fclose(f);
}

static void summary(void) {
    double log_sum = 0;
    int lowest = 0;
    for (int i = 0; i < nresults; i++) {
        log_sum += log(results[i].ratio);
        if (results[i].ratio < results[lowest].ratio) lowest = i;
    }
    printf("%d lines, the lowest is %s\n", nresults, results[lowest].name);
    bench_ratio("geometric mean of the ratios", exp(log_sum / nresults), 0.8);
    bench_ratio("lowest ratio", results[lowest].ratio, 0.4);
}

static void open_libraries(void) {
    here = library_open(bench.engine, bench.stream);
    there = bench_rival();
    printf("on %s%s%s\n", bench.name, there ? ", beside oneDNN " : "", there ? there->version : "");
}

int main(int argc, char **argv) {
    const char *file = NULL;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--list")) only_list = true;
        else if (i + 1 < argc && !strcmp(argv[i], "-s")) seconds_per_line = atof(argv[++i]);
        else if (i + 1 < argc && !strcmp(argv[i], "-r")) file = argv[++i];
        else return usage(argv[0]);
    }
    bench_open(&bench);
    if (!only_list) open_libraries();
    if (file) read_results(file);
    if (i == argc) CHECK(!batch_run_section(fopen(BENCH_PROBLEMS, "r"), NULL, run_problem));
    for (; i < argc; i++)
        if (!run_argument(argv[i])) return usage(argv[0]);
    if (file) write_results(file);
    if (nresults) summary();
    bench_close(&bench);
    return 0;
}
