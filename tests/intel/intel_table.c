/* SPDX-License-Identifier: Apache-2.0 */
/* intel_table FOLDER ALLOWED PRODUCT... [--sampled PRODUCT...]: puts together what the dry runs in
 * FOLDER/PRODUCT wrote down (tests/kernels/dry.c), as lines for programs in FOLDER/kernels.tsv and
 * as a table in FOLDER/kernels.txt. Fails where a variant that the product can run, or a primitive
 * kind of the library, was not compiled for it (only some programs ran for a sampled one), where a
 * variant spills more registers than the file ALLOWED says, and where one for sub-groups of 16 got
 * others. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/op.h"
#include "plan/variant.h"

enum { KINDS = 64 };

typedef struct {
    bool can;
    int nkeys;
    unsigned long long *keys; /* of the modules seen */
    unsigned spill, private_size, local, subgroup_min, subgroup_max, args;
} cell_t;

static struct {
    const char *name;
    char device[256];
    cell_t *cells; /* by variant */
    bool kinds[KINDS];
} *products;

static int find_variant(const char *id) {
    for (int variant = 0; variant < variant_count; variant++)
        if (!strcmp(variants[variant].id, id)) return variant;
    fprintf(stderr, "no variant is called %s: another build wrote this\n", id);
    exit(1);
}

static void note_kind(int product, const char *name) {
    for (int kind = 0; kind < KINDS; kind++) {
        const op_kind_t *op = op_find((dnnl_primitive_kind_t)kind, dnnl_forward_inference);
        if (op && !strcmp(op->name, name)) products[product].kinds[kind] = true;
    }
}

static void note_kernel(cell_t *cell, unsigned long long key, const unsigned value[5]) {
#define LARGER(field, i) cell->field = value[i] > cell->field ? value[i] : cell->field
    LARGER(spill, 0);
    LARGER(private_size, 1);
    LARGER(local, 2);
    LARGER(subgroup_max, 3);
    LARGER(args, 4);
    if (!cell->nkeys || value[3] < cell->subgroup_min) cell->subgroup_min = value[3];
    for (int i = 0; i < cell->nkeys; i++)
        if (cell->keys[i] == key) return;
    cell->keys = realloc(cell->keys, (size_t)(cell->nkeys + 1) * sizeof *cell->keys);
    if (!cell->keys) exit(1);
    cell->keys[cell->nkeys++] = key;
}

static void read_line(int product, const char *line) {
    char kind[64], variant[64];
    unsigned long long key;
    unsigned v[5];
    if (sscanf(line, "device\t%255[^\n]", products[product].device) == 1) return;
    if (sscanf(line, "can\t%63s", variant) == 1)
        products[product].cells[find_variant(variant)].can = true;
    if (sscanf(line, "kernel\t%63s\t%63s\t%llx\t%u\t%u\t%u\t%u\t%u", kind, variant, &key, &v[0],
                &v[1], &v[2], &v[3], &v[4]) == 8) {
        note_kind(product, kind);
        note_kernel(&products[product].cells[find_variant(variant)], key, v);
    }
}

static void read_product(int product, const char *folder) {
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/%s", folder, products[product].name);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!strstr(entry->d_name, ".tsv")) continue;
        snprintf(path, sizeof path, "%s/%s/%s", folder, products[product].name, entry->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) read_line(product, line);
        if (file) fclose(file);
    }
    if (dir) closedir(dir);
}

static int missing(int product) {
    int n = 0;
    for (int variant = 0; variant < variant_count; variant++) {
        const cell_t *cell = &products[product].cells[variant];
        if (!cell->can || cell->nkeys) continue;
        printf("%s: variant %s was not compiled\n", products[product].name, variants[variant].id);
        n++;
    }
    for (int kind = 0; kind < KINDS; kind++) {
        const op_kind_t *op = op_find((dnnl_primitive_kind_t)kind, dnnl_forward_inference);
        if (!op || products[product].kinds[kind]) continue;
        printf("%s: no primitive of kind %s was created\n", products[product].name, op->name);
        n++;
    }
    return n;
}

/* Bytes that a variant may spill on a product: lines of product, variant, bytes, reason. */
static unsigned allowed_spill(const char *path, const char *product, const char *variant) {
    char line[512], name[64], id[64];
    unsigned bytes, most = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %63s %u", name, id, &bytes) == 3 && !strcmp(name, product) &&
                !strcmp(id, variant))
            most = bytes;
    fclose(file);
    return most;
}

static int wrong(int product, const char *allowed) {
    int n = 0;
    for (int variant = 0; variant < variant_count; variant++) {
        const cell_t *cell = &products[product].cells[variant];
        const variant_t *kernel = &variants[variant];
        if (!cell->nkeys) continue;
        if (cell->spill > allowed_spill(allowed, products[product].name, kernel->id)) {
            printf("%s: variant %s spills %u bytes of registers\n", products[product].name,
                    kernel->id, cell->spill);
            n++;
        }
        const unsigned lanes = kernel->target == TARGET_XMX8 ? 8
                               : kernel->target == TARGET_SG16 || kernel->target == TARGET_XMX16
                                       ? 16
                                       : 0;
        if (lanes && (cell->subgroup_min != lanes || cell->subgroup_max != lanes)) {
            printf("%s: variant %s has sub-groups of %u to %u, not %u\n", products[product].name,
                    kernel->id, cell->subgroup_min, cell->subgroup_max, lanes);
            n++;
        }
    }
    return n;
}

static void write_lines(FILE *file, int nproducts) {
    fprintf(file, "product\tdevice\trow\tmodules\tspill\tprivate\tlocal\tsubgroup_min\tsubgroup_"
                  "max\targuments\n");
    for (int p = 0; p < nproducts; p++)
        for (int variant = 0; variant < variant_count; variant++) {
            const cell_t *c = &products[p].cells[variant];
            if (c->nkeys)
                fprintf(file, "%s\t%s\t%s\t%d\t%u\t%u\t%u\t%u\t%u\t%u\n", products[p].name,
                        products[p].device, variants[variant].id, c->nkeys, c->spill,
                        c->private_size, c->local, c->subgroup_min, c->subgroup_max, c->args);
        }
}

/* One line for each variant that any product can run. */
static void print_table(FILE *file, int nproducts) {
    int modules = 0, spilling = 0;
    fprintf(file,
            "modules built / widest sub-group, P bytes of private memory, S bytes of spilled "
            "registers, "
            "L bytes of local memory\n%-18s "
            "%4s",
            "variant", "args");
    for (int p = 0; p < nproducts; p++) fprintf(file, " %-16s", products[p].name);
    fprintf(file, "\n");
    for (int variant = 0; variant < variant_count; variant++) {
        unsigned args = 0;
        for (int p = 0; p < nproducts; p++)
            if (products[p].cells[variant].args > args) args = products[p].cells[variant].args;
        if (!args) continue;
        fprintf(file, "%-18s %4u", variants[variant].id, args);
        for (int p = 0; p < nproducts; p++) {
            const cell_t *c = &products[p].cells[variant];
            char text[64] = "-";
            int n = c->nkeys ? snprintf(text, sizeof text, "%d/%u", c->nkeys, c->subgroup_max) : 0;
            if (c->private_size)
                n += snprintf(text + n, sizeof text - (size_t)n, " P%u", c->private_size);
            if (c->spill) n += snprintf(text + n, sizeof text - (size_t)n, " S%u", c->spill);
            if (c->local) snprintf(text + n, sizeof text - (size_t)n, " L%u", c->local);
            fprintf(file, " %-16s", text);
            modules += c->nkeys;
            spilling += c->spill > 0;
        }
        fprintf(file, "\n");
    }
    fprintf(file, "%d modules built; %d pairs of a variant and a product spill registers\n",
            modules, spilling);
}

/* Writes FOLDER/kernels.<ending>. */
static void write_file(
        const char *folder, const char *ending, int nproducts, void (*write)(FILE *, int)) {
    char path[4096];
    snprintf(path, sizeof path, "%s/kernels.%s", folder, ending);
    FILE *file = fopen(path, "w");
    if (file) write(file, nproducts);
    if (!file || fclose(file)) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s FOLDER ALLOWED PRODUCT... [--sampled PRODUCT...]\n", argv[0]);
        return 2;
    }
    products = calloc((size_t)argc, sizeof *products);
    if (!products) return 1;
    int failed = 0, nproducts = 0;
    bool sampled = false;
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "--sampled")) {
            sampled = true;
            continue;
        }
        const int p = nproducts++;
        products[p].name = argv[i];
        products[p].cells = calloc((size_t)variant_count, sizeof *products[p].cells);
        if (!products[p].cells) return 1;
        read_product(p, argv[1]);
        failed += (sampled ? 0 : missing(p)) + wrong(p, argv[2]);
    }
    write_file(argv[1], "tsv", nproducts, write_lines);
    write_file(argv[1], "txt", nproducts, print_table);
    print_table(stdout, nproducts);
    return failed != 0;
}
