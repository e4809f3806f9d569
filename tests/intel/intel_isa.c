/* SPDX-License-Identifier: Apache-2.0 */
/* intel_isa OCLOC FOLDER DEVICE: looks at the code that a product's compiler made of the
 * variants for matrix units in the dry runs (tests/kernels/dry.c),
 * FOLDER/<program>.<variant>.bin: the loop that multiplies has matrix instructions and fetches
 * rectangles, or, with 8 lanes, blocks of local memory. The compiler takes away either in
 * silence where it cannot have it. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/variant.h"

enum { MAX_LINES = 100000 };
/* A rectangle that the compiler does not fetch as one becomes at least as many loads, one for
 * each row. Fewer are of something else, such as a mask. */
enum { ROWS = 8 };

static char *lines[MAX_LINES];
static int n_lines;

static bool read_lines(const char *path) {
    char line[512];
    FILE *file = fopen(path, "r");
    for (int i = 0; i < n_lines; i++) free(lines[i]);
    for (n_lines = 0; file && n_lines < MAX_LINES && fgets(line, sizeof line, file);)
        if ((lines[n_lines] = strdup(line))) n_lines++;
    if (file) fclose(file);
    return n_lines > 0;
}

static bool is_label(const char *line, const char *label) {
    const size_t length = strlen(label);
    return !strncmp(line, label, length) && line[length] == ':';
}

/* The line that a jump in this line goes back to, or -1. */
static int jumps_back(int line) {
    char label[64];
    const char *at = strstr(lines[line], "jmpi ");
    if (!at) at = strstr(lines[line], "while ");
    if (!at) at = strstr(lines[line], "goto");
    for (at = at ? strstr(at, " L") : NULL; at; at = strstr(at + 2, " L")) { /* one or two */
        if (sscanf(at, " %63s", label) != 1) return -1;
        for (int i = line - 1; i >= 0; i--)
            if (is_label(lines[i], label)) return i;
    }
    return -1;
}

/* Of the innermost loop with the most matrix instructions; without such a loop, of the whole
 * kernel. */
typedef struct {
    int dpas, blocks, by_lanes;
} counts_t;

static counts_t count(int first, int last) {
    counts_t c = {0, 0, 0};
    for (int i = first; i <= last; i++) {
        const char *line = lines[i], *message = strstr(line, "//");
        if (strstr(line, "dpas")) c.dpas++;
        if (!strstr(line, "send") || !message) continue;
        if (strstr(message, "load_block2d") ||
                (strstr(message, "load.slm.") && strstr(message, "t.a32"))) {
            c.blocks++;
        } else if (strstr(message, " load.") && (strstr(line, "(16|") || strstr(line, "(32|"))) {
            c.by_lanes++; /* an address for each lane */
        }
    }
    return c;
}

static counts_t count_loop(void) {
    int first = 0, last = n_lines - 1, most = 0, newest = -1;
    for (int i = 0; i < n_lines; i++) {
        const int from = jumps_back(i);
        const int dpas = from < 0 ? 0 : count(from, i).dpas;
        if (!dpas || newest > from) continue; /* none, or another such loop in it */
        newest = from;
        if (dpas > most || (dpas == most && i - from < last - first)) {
            most = dpas;
            first = from;
            last = i;
        }
    }
    return count(first, last);
}

static const variant_t *variant_of(const char *file) {
    for (int variant = 0; variant < variant_count; variant++) {
        char ending[128];
        const int length = snprintf(ending, sizeof ending, ".%s.bin", variants[variant].id);
        const size_t size = strlen(file);
        if (size > (size_t)length && !strcmp(file + size - length, ending))
            return &variants[variant];
    }
    return NULL;
}

static bool disassemble(const char *ocloc, const char *folder, const char *device, const char *file,
        const char *entry) {
    char text[4096];
    snprintf(text, sizeof text,
            "cd '%s' && rm -rf dump && '%s' disasm -file '%s' -dump dump -device %s > disasm.log "
            "2>&1 && cp dump/.text.%s*.asm dump/kernel.asm",
            folder, ocloc, file, device, entry);
    if (system(text)) return false;
    snprintf(text, sizeof text, "%s/dump/kernel.asm", folder);
    return read_lines(text);
}

int main(int argc, char **argv) {
    int seen = 0, failed = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: %s OCLOC FOLDER DEVICE\n", argv[0]);
        return 2;
    }
    DIR *dir = opendir(argv[2]);
    for (struct dirent *file; dir && (file = readdir(dir));) {
        const variant_t *variant = variant_of(file->d_name);
        if (!variant) continue;
        if (!disassemble(argv[1], argv[2], argv[3], file->d_name, variant->entry)) {
            printf("%s cannot be disassembled\n", file->d_name);
            failed++;
            continue;
        }
        const counts_t c = count_loop();
        const char *wrong = !c.dpas              ? "no matrix instructions"
                            : !c.blocks          ? "no loads of rectangles or blocks"
                            : c.by_lanes >= ROWS ? "loads by lanes"
                                                 : NULL;
        printf("%-40s %4d dpas %3d blocks %3d by lanes%s%s\n", file->d_name, c.dpas, c.blocks,
                c.by_lanes, wrong ? "  WRONG: " : "", wrong ? wrong : "");
        failed += wrong != NULL;
        seen++;
    }
    if (dir) closedir(dir);
    if (!seen) printf("there is no code in %s\n", argv[2]);
    return failed || !seen;
}
