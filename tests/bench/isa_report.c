/* SPDX-License-Identifier: Apache-2.0 */
/* isa_report OCLOC FOLDER [NAME | --modules LIST]: what Intel's compiler makes of the inner loops
 * of the variants for matrix units, for each product, as a static model. It says what a loop asks
 * of the hardware, not how fast it is: nothing is executed. Fails where a goal is missed.
 * LIST: modules as scripts/aot-modules prints them. Those for matrix units are judged, each for the
 * products that need it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/conv/conv_params.h"
#include "core/alloc.h"
#include "core/util.h"
#include "kernels/lib/spec.h"
#include "kernels/matmul/matmul_params.h"
#include "plan/variant_id.h"
#include "plan/variant.h"
#include "kernels/sdpa/sdpa_params.h"
#include "plan/slim_params.h"
#include "plan/specialise.h"

enum { MAX_LINES = 20000, MAX_SPECS = 16 };

/* Lanes of a sub-group, which an instruction on 32-bit elements of all takes a slot for; a
 * register has as many. Issue slots for which a dpas.8x8 holds the matrix pipe: Intel's peak
 * rates, per vector engine. Engines, clock and memory as published for the largest product of
 * the name: Max 1550, Arc 140V (LPDDR5X of
 * 8533 MT/s), Arc B580, 12 Xe cores of Core Ultra series 3 (9600 MT/s), Arc A770 of 16 GB. */
static const struct {
    const char *name;
    int lanes, slots, engines;
    double ghz, gb_per_s;
    const char *version; /* of its IP, in lists of modules */
} products[] = {{"pvc", 16, 8, 1024, 1.6, 3277, "12.60"}, {"lnl-m", 16, 16, 64, 2.05, 137, "20.4"},
        {"bmg-g21", 16, 16, 160, 2.67, 456, "20.1"}, {"ptl-h", 16, 16, 96, 2.5, 154, "30.0"},
        {"dg2-g10", 8, 16, 512, 2.1, 560, "12.55"}};

/* Loops of large problems have goals for other slots and bytes; those for few rows read `bytes`
 * of weights for each dpas, and are to have room for twice the memory's bandwidth, or nearly
 * what they have reached. */
typedef struct {
    const char *name;
    int variant;
    dnnl_data_type_t src, wei;
    uint32_t flags;
    double other; /* slots for one of dpas, at most; 0: no goal */
    double bytes;
    double room; /* at least */
} loop_t;

/* What is compiled: a loop of the table, or one whose module is in a list. */
typedef struct {
    const loop_t *loop;
    int nspecs; /* constants; 0: those that the table means */
    uint32_t specs[MAX_SPECS][2];
    const char *versions; /* of the products that need it; NULL: of all */
} module_t;

static const loop_t loops[] = {
        {"f16 64x32", KERNEL_matmul_xmx16_f64x32, dnnl_f16, dnnl_f16, MMX_PREFETCH | MMX_BLOCKS,
                0.15, 0, 0},
        {"f16 64x32 packed", KERNEL_matmul_xmx16_f64x32, dnnl_f16, dnnl_f16,
                MMX_PREFETCH | MMX_BLOCKS | MMX_PACKED, 0.15, 0, 0},
        {"f16 64x32 columns", KERNEL_matmul_xmx16_f64x32, dnnl_f16, dnnl_f16,
                MMX_PREFETCH | MMX_BLOCKS | MMX_COLUMNS, 0.15, 0, 0},
        {"bf16 64x32", KERNEL_matmul_xmx16_f64x32, dnnl_bf16, dnnl_bf16, MMX_PREFETCH | MMX_BLOCKS,
                0.15, 0, 0},
        {"s8 64x32", KERNEL_matmul_xmx16_i64x32, dnnl_s8, dnnl_s8, MMX_PREFETCH, 0.15, 0, 0},
        {"s8 64x32 packed", KERNEL_matmul_xmx16_i64x32, dnnl_s8, dnnl_s8, MMX_PREFETCH | MMX_PACKED,
                0.15, 0, 0},
        {"tf32 64x32", KERNEL_matmul_xmx16_t64x32, dnnl_f32, dnnl_f32, MMX_PREFETCH | MMX_BLOCKS,
                0.15, 0, 0},
        {"tf32 64x32 packed", KERNEL_matmul_xmx16_t64x32, dnnl_f32, dnnl_f32,
                MMX_PREFETCH | MMX_BLOCKS | MMX_PACKED, 0.15, 0, 0},
        {"tf32 64x32 columns", KERNEL_matmul_xmx16_t64x32, dnnl_f32, dnnl_f32,
                MMX_PREFETCH | MMX_BLOCKS | MMX_COLUMNS, 0.15, 0, 0},
        {"s8 64x32 columns", KERNEL_matmul_xmx16_i64x32, dnnl_s8, dnnl_s8,
                MMX_PREFETCH | MMX_COLUMNS, 0.15, 0, 0},
        {"f16 64x32 shares", KERNEL_matmul_xmx16_f64x32, dnnl_f16, dnnl_f16,
                MMX_PREFETCH | MMX_STREAM_K, 0.15, 0, 0},
        {"f16 8x32 shares", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_f16, MMX_STREAM_K, 0, 512,
                17},
        {"f16 8x32", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_f16, 0, 0, 512, 17},
        {"f16 8x32 packed", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_f16, MMX_PACKED, 0, 512, 17},
        {"f16 8x32 columns", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_f16, MMX_COLUMNS, 0, 512,
                17},
        {"bf16 8x32 split", KERNEL_matmul_xmx16_f8x32, dnnl_bf16, dnnl_bf16, MMX_SPLIT, 0, 512, 17},
        {"f16 16x32", KERNEL_matmul_xmx16_f16x32, dnnl_f16, dnnl_f16, 0, 0, 256, 13},
        {"tf32 8x32", KERNEL_matmul_xmx16_t8x32, dnnl_f32, dnnl_f32, 0, 0, 512, 15},
        {"tf32 16x32", KERNEL_matmul_xmx16_t16x32, dnnl_f32, dnnl_f32, 0, 0, 256, 11},
        {"s8 8x32 packed", KERNEL_matmul_xmx16_i8x32, dnnl_s8, dnnl_s8, MMX_PACKED, 0, 512, 17},
        {"s8 16x32 columns", KERNEL_matmul_xmx16_i16x32, dnnl_s8, dnnl_s8, MMX_COLUMNS, 0, 256, 13},
        /* a third of the dpas sums up the source */
        {"f16 x s8 8x32", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_s8, 0, 0, 1024.0 / 6, 5},
        {"f16 x u4 8x32", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_u4, 0, 0, 512.0 / 6, 2},
        {"f16 x s8 8x32 columns", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_s8, MMX_COLUMNS, 0,
                1024.0 / 6, 3.5},
        {"f16 x u4 8x32 columns", KERNEL_matmul_xmx16_f8x32, dnnl_f16, dnnl_u4, MMX_COLUMNS, 0,
                512.0 / 6, 2},
        {"bf16 x s8 8x32", KERNEL_matmul_xmx16_f8x32, dnnl_bf16, dnnl_s8, 0, 0, 1024.0 / 4, 2},
        {"bf16 x s8 8x32 columns", KERNEL_matmul_xmx16_f8x32, dnnl_bf16, dnnl_s8, MMX_COLUMNS, 0,
                1024.0 / 4, 2},
        {"bf16 x u4 8x32", KERNEL_matmul_xmx16_f8x32, dnnl_bf16, dnnl_u4, 0, 0, 512.0 / 6, 2},
        {"bf16 x u4 8x32 columns", KERNEL_matmul_xmx16_f8x32, dnnl_bf16, dnnl_u4, MMX_COLUMNS, 0,
                512.0 / 6, 2},
        /* sub-groups of 8, two of these steps together */
        {"f16 128x128", KERNEL_matmul_xmx8_f128x128, dnnl_f16, dnnl_f16, 0, 0.6, 0, 0},
        {"f16 128x128 packed", KERNEL_matmul_xmx8_f128x128, dnnl_f16, dnnl_f16, MMX_PACKED, 0.6, 0,
                0},
        {"f16 128x128 columns", KERNEL_matmul_xmx8_f128x128, dnnl_f16, dnnl_f16, MMX_COLUMNS, 0.6,
                0, 0},
        {"bf16 128x128", KERNEL_matmul_xmx8_f128x128, dnnl_bf16, dnnl_bf16, 0, 0.6, 0, 0},
        {"s8 128x128", KERNEL_matmul_xmx8_i128x128, dnnl_s8, dnnl_s8, 0, 0.6, 0, 0},
        {"s8 128x128 packed", KERNEL_matmul_xmx8_i128x128, dnnl_s8, dnnl_s8, MMX_PACKED, 0.6, 0, 0},
        {"s8 128x128 columns", KERNEL_matmul_xmx8_i128x128, dnnl_s8, dnnl_s8, MMX_COLUMNS, 0.6, 0,
                0},
        {"f16 8x32", KERNEL_matmul_xmx8_f8x32, dnnl_f16, dnnl_f16, 0, 0, 256, 12},
        {"f16 8x32 packed", KERNEL_matmul_xmx8_f8x32, dnnl_f16, dnnl_f16, MMX_PACKED, 0, 256, 17},
        {"f16 8x32 columns", KERNEL_matmul_xmx8_f8x32, dnnl_f16, dnnl_f16, MMX_COLUMNS, 0, 256, 12},
        {"s8 8x32", KERNEL_matmul_xmx8_i8x32, dnnl_s8, dnnl_s8, 0, 0, 256, 7},
        {"s8 8x32 packed, split", KERNEL_matmul_xmx8_i8x32, dnnl_s8, dnnl_s8,
                MMX_PACKED | MMX_SPLIT, 0, 256, 17},
        {"conv f16 128x128", KERNEL_conv_xmx8_f128x128, dnnl_f16, dnnl_f16, CVF_PADDED, 0.6, 0, 0},
        {"conv f16 128x128 inside", KERNEL_conv_xmx8_f128x128, dnnl_f16, dnnl_f16, 0, 0.6, 0, 0},
        {"conv bf16 128x128", KERNEL_conv_xmx8_f128x128, dnnl_bf16, dnnl_bf16, CVF_PADDED, 0.6, 0,
                0},
        {"conv s8 128x128 zero", KERNEL_conv_xmx8_i128x128, dnnl_s8, dnnl_s8, CVF_PADDED | CVF_ZA,
                0.6, 0, 0},
        {"deconv f16 128x128", KERNEL_conv_xmx8_f128x128, dnnl_f16, dnnl_f16,
                CVF_PADDED | CVF_PHASES, 0.6, 0, 0},
        {"conv f16 128x64", KERNEL_conv_xmx8_f128x64, dnnl_f16, dnnl_f16, CVF_PADDED, 0, 0, 0},
        {"conv s8 128x64", KERNEL_conv_xmx8_i128x64, dnnl_s8, dnnl_s8, CVF_PADDED, 0, 0, 0},
        {"conv f16 8x32", KERNEL_conv_xmx8_f8x32, dnnl_f16, dnnl_f16, CVF_PADDED, 0, 0, 0},
        {"conv f16 32x64", KERNEL_conv_xmx16_f32x64, dnnl_f16, dnnl_f16,
                CVF_PREFETCH | CVF_BLOCKS | CVF_DENSE, 0.15, 0, 0},
        {"conv f16 8x4x64", KERNEL_conv_xmx16_f8x4x64, dnnl_f16, dnnl_f16,
                CVF_PREFETCH | CVF_BLOCKS, 0.15, 0, 0},
        {"conv bf16 8x4x64", KERNEL_conv_xmx16_f8x4x64, dnnl_bf16, dnnl_bf16, CVF_BLOCKS, 0.15, 0,
                0},
        {"conv s8 32x64", KERNEL_conv_xmx16_i32x64, dnnl_s8, dnnl_s8, CVF_PREFETCH, 0.15, 0, 0},
        {"conv s8 8x4x64", KERNEL_conv_xmx16_i8x4x64, dnnl_s8, dnnl_s8, CVF_PREFETCH, 0.15, 0, 0},
        {"conv s8 8x4x64 zero", KERNEL_conv_xmx16_i8x4x64, dnnl_s8, dnnl_s8, CVF_PREFETCH | CVF_ZA,
                0.15, 0, 0},
        {"deconv f16 8x4x64", KERNEL_conv_xmx16_f8x4x64, dnnl_f16, dnnl_f16,
                CVF_PREFETCH | CVF_PHASES, 0.15, 0, 0},
        {"conv f16 8x16", KERNEL_conv_xmx16_f8x16, dnnl_f16, dnnl_f16, 0, 0, 0, 0},
        {"conv s8 8x16", KERNEL_conv_xmx16_i8x16, dnnl_s8, dnnl_s8, 0, 0, 0, 0},
        /* these: the type of the mask for that of weights, steps of 32 along a head for flags */
        {"attention f16 64", KERNEL_sdpa_xmx16_64, dnnl_f16, dnnl_data_type_undef, 2, 0, 0, 0},
        {"attention f16 128", KERNEL_sdpa_xmx16_128, dnnl_f16, dnnl_data_type_undef, 4, 0, 0, 0},
        {"attention bf16 128", KERNEL_sdpa_xmx16_128, dnnl_bf16, dnnl_data_type_undef, 4, 0, 0, 0},
        {"attention f16 256", KERNEL_sdpa_xmx16_256, dnnl_f16, dnnl_data_type_undef, 8, 0, 0, 0},
        {"attention f16 64 mask", KERNEL_sdpa_xmx16_64, dnnl_f16, dnnl_f16, 2, 0, 0, 0},
        {"attention bf16 128 mask", KERNEL_sdpa_xmx16_128, dnnl_bf16, dnnl_bf16, 4, 0, 0, 0},
};

/* Of the cheapest way through the innermost loop with the most dpas that takes all of them, and
 * of the kernel; `all`: other slots of the whole loop, those too that most steps jump over. */
typedef struct {
    int dpas, empty, other, moves, loads, prefetches, bytes, all, registers, spill, lanes;
} counts_t;

/* ---- a module with its constants set ---- */

/* Of attention the loop has scores, their maximum and powers of two besides products. */
static bool is_attention(const loop_t *loop) {
    return !strcmp(variants[loop->variant].family, "sdpa");
}

/* The flag that buffers begin at multiples of 64 bytes, as most do. */
static uint32_t aligned(const loop_t *loop) {
    const variant_t *variant = &variants[loop->variant];
    if (variant->target != TARGET_XMX16 || is_attention(loop)) return 0;
    return strcmp(variant->family, "matmul") ? CVF_ALIGNED : MMX_ALIGNED;
}

/* The constants of a loop of the table; answers how many. */
static int set_specs(const loop_t *loop, uint32_t specs[MAX_SPECS][2]) {
    const uint32_t attention[][2] = {{SPEC_FLAGS, loop->wei ? 0 : SDF_CAUSAL},
            {SPEC_SRC1_DT, loop->src}, {SPEC_SD_VALUE_DT, loop->src}, {SPEC_SD_STEPS, loop->flags},
            {SPEC_SD_PAIRS, loop->flags}, {SPEC_SD_MASK_DT, loop->wei}};
    const uint32_t flags = loop->flags | aligned(loop);
    const uint32_t all[][2] = {{SPEC_SRC_DT, loop->src}, {SPEC_SRC1_DT, loop->wei},
            {SPEC_DST_DT, loop->src == dnnl_s8 ? dnnl_s32 : dnnl_f32}, {SPEC_FLAGS, flags},
            {SPEC_PO_COUNT, 0}, {SPEC_PO_NSRCS, 0}, {SPEC_PO_MASK_LO, 0}, {SPEC_PO_MASK_HI, 0},
            {SPEC_PO_DTS, 0}};
    memcpy(specs, all, sizeof all);
    if (!is_attention(loop)) return ARRAY_LEN(all);
    memcpy(specs + ARRAY_LEN(all), attention, sizeof attention);
    return ARRAY_LEN(all) + ARRAY_LEN(attention);
}

/* The module that the library hands to Intel's driver. NULL: no memory. */
static uint32_t *special_module(const module_t *m, size_t *nwords) {
    spec_t specs[MAX_SPECS];
    int n = 0;
    size_t size;
    uint32_t *words = variant_spirv_new(m->loop->variant, &size);
    for (int i = 0; words && i < m->nspecs; i++) {
        int at = 0; /* a later value replaces an earlier one */
        while (at < n && specs[at].id != m->specs[i][0]) at++;
        specs[at] = (spec_t){m->specs[i][0], m->specs[i][1]};
        if (at == n) n++;
    }
    uint32_t *special = words ? specialise(words, size / 4, specs, n, nwords) : NULL;
    dz_free(words);
    return special ? slim_params_of(special, nwords) : NULL;
}

static bool write_module(const module_t *module, const char *path) {
    module_t m = *module;
    if (!m.nspecs) m.nspecs = set_specs(m.loop, m.specs);
    size_t nwords;
    uint32_t *words = special_module(&m, &nwords);
    FILE *file = fopen(path, "wb");
    bool good = words && file && fwrite(words, sizeof *words, nwords, file) == nwords;
    if (file && fclose(file)) good = false;
    dz_free(words);
    return good;
}

/* ---- the disassembly ---- */

static char *lines[MAX_LINES];
static int n_lines;

static bool read_lines(const char *path) {
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file) return false;
    for (int i = 0; i < n_lines; i++) free(lines[i]);
    for (n_lines = 0; n_lines < MAX_LINES && fgets(line, sizeof line, file);)
        if ((lines[n_lines] = strdup(line))) n_lines++;
    fclose(file);
    return n_lines > 0;
}

/* Behind a predicate; NULL: no instruction. */
static const char *instruction(const char *line) {
    while (*line == ' ') line++;
    if (*line == '(') {
        line = strchr(line, ')');
        line = line ? line + 1 : "";
        while (*line == ' ') line++;
    }
    const bool label = *line == 'L' && strchr(line, ':');
    return *line < 'a' || *line > 'z' || label ? NULL : line;
}

static int count_dpas(int first, int last) {
    int n = 0;
    for (int i = first; i <= last; i++) {
        const char *op = instruction(lines[i]);
        n += op && !strncmp(op, "dpas", 4);
    }
    return n;
}

/* The line of the label that a jump goes to, back or on, or -1. It may have two, the second one
 * for its last lanes. */
static int jumps(int line, bool back) {
    char label[64], wanted[66];
    const char *op = instruction(lines[line]);
    if (!op || (strncmp(op, "jmpi", 4) && strncmp(op, "while", 5) && strncmp(op, "goto", 4)))
        return -1;
    for (const char *at = strstr(op, " L"); at; at = strstr(at + 2, " L")) {
        if (sscanf(at, " %63s", label) != 1) return -1;
        const int length = snprintf(wanted, sizeof wanted, "%s:", label);
        for (int i = line; i >= 0 && i < n_lines; i += back ? -1 : 1)
            if (!strncmp(lines[i], wanted, (size_t)length)) return i;
    }
    return -1;
}

static int jumps_back(int line) {
    return jumps(line, true);
}

static bool always_jumps(int line) {
    const char *at = lines[line] + strspn(lines[line], " ");
    return !strncmp(at, "jmpi", 4) ||
           (!strncmp(at, "(W) ", 4) && !strncmp(instruction(at), "jmpi", 4));
}

/* From a vector to another as it is: not one that changes the type, spreads small elements or
 * takes halves of large ones, fills lanes with one element, or waits for its own register. */
static bool is_move(const char *op, int width, int lanes) {
    char to[16], from[16], to_type[8], from_type[8];
    if (strncmp(op, "mov", 3) || width < lanes || strstr(op, "<0;1,0>") || strstr(op, "<2;1,0>"))
        return false;
    if (sscanf(op, "%*[^)]) r%15[^<]<1>:%7[a-z] r%15[^<]%*[^:]:%7[a-z]", to, to_type, from,
                from_type) != 4)
        return false;
    return strcmp(to, from) && strlen(to_type) == strlen(from_type) &&
           to_type[strlen(to_type) - 1] == from_type[strlen(from_type) - 1];
}

/* On DG2 the compiler puts one in front of each chain of dpas, whose result the first one
 * replaces. */
static bool is_empty(const char *op) {
    char to[16], from[16];
    return sscanf(op, "%*[^)]) %15[^:]:%*s null:%*s %15[^:]", to, from) == 2 && !strcmp(to, from);
}

static void count_line(const char *op, int product_lanes, counts_t *c) {
    int width = 1, received = 0;
    const char *lanes = strchr(op, '('), *rd = strstr(op, " rd:");
    if (lanes) sscanf(lanes, "(%d|", &width);
    if (!strncmp(op, "dpas", 4)) {
        if (is_empty(op)) c->empty++;
        else c->dpas++;
        return;
    }
    c->other += width > product_lanes ? width / product_lanes : 1;
    c->moves += is_move(op, width, product_lanes);
    if (strncmp(op, "send", 4) || !rd) return;
    sscanf(rd, " rd:%d", &received);
    if (received == 31) received = 32; /* the field has no room for it */
    c->loads += received > 0;
    c->prefetches += received == 0 && strstr(op, "load");
    c->bytes += received * product_lanes * 4;
}

static bool is_better(const counts_t *a, const counts_t *b) {
    const int products = a->dpas + a->empty - b->dpas - b->empty;
    return products ? products > 0 : a->other < b->other;
}

/* From each line on, the last one first, the cheapest way to the end of the loop that takes the
 * most dpas. */
static void count_ways(int first, int last, int product_lanes, counts_t *c) {
    static counts_t from[MAX_LINES + 1];
    counts_t whole = {0};
    memset(&from[last + 1], 0, sizeof from[0]);
    for (int i = last; i >= first; i--) {
        const char *op = instruction(lines[i]);
        const int to = i < last ? jumps(i, false) : -1;
        from[i] = from[i + 1];
        if (to >= 0 && to <= last && (always_jumps(i) || is_better(&from[to], &from[i])))
            from[i] = from[to];
        if (!op) continue;
        count_line(op, product_lanes, &from[i]);
        count_line(op, product_lanes, &whole);
    }
    const counts_t kernel = *c;
    *c = from[first];
    c->all = whole.other;
    c->registers = kernel.registers, c->spill = kernel.spill, c->lanes = kernel.lanes;
}

static bool count_loop(int product_lanes, counts_t *c) {
    int first = 0, last = -1, most = 0, length = 0, newest = -1;
    for (int i = 0; i < n_lines; i++) {
        const int from = jumps_back(i);
        const int n = from < 0 ? 0 : count_dpas(from, i);
        if (!n || newest > from) continue; /* none, or another such loop in it */
        newest = from;
        if (n > most || (n == most && i - from < length)) {
            most = n;
            first = from;
            last = i;
            length = i - from;
        }
    }
    if (most) count_ways(first, last, product_lanes, c);
    return most > 0;
}

/* `key: number` in the compiler's description of the kernel; 0: not there. */
static int info(const char *key) {
    for (int i = 0; i < n_lines; i++) {
        const char *at = strstr(lines[i], key);
        if (at) return atoi(at + strlen(key));
    }
    return 0;
}

/* ---- the report ---- */

static bool compile(const char *ocloc, const char *folder, const char *device, const loop_t *loop,
        counts_t *c) {
    char text[4096];
    snprintf(text, sizeof text,
            "cd '%s' && rm -rf out dump && '%s' compile -spirv_input -file loop.spv -device %s "
            "-options "
            "-ze-opt-large-register-file -output loop -out_dir out > log 2>&1 && '%s' disasm -file "
            "out/*.bin "
            "-dump dump -device %s >> log 2>&1 && cp dump/.text.%s*.asm dump/kernel.asm",
            folder, ocloc, device, ocloc, device, variants[loop->variant].entry);
    memset(c, 0, sizeof(*c));
    if (system(text)) return false;
    snprintf(text, sizeof text, "%s/dump/.ze_info", folder);
    if (!read_lines(text)) return false;
    c->registers = info("grf_count:");
    c->spill = info("spill_size:");
    c->lanes = info("simd_size:");
    snprintf(text, sizeof text, "%s/dump/kernel.asm", folder);
    return read_lines(text);
}

static int others(const counts_t *c, size_t product) {
    return c->other + c->empty * products[product].slots;
}

/* How many times the memory's bandwidth one issue of each instruction, and the matrix pipe, have
 * time for. */
static double room(const counts_t *c, const loop_t *loop, size_t product) {
    const int issued = c->dpas + c->empty + c->other,
              held = (c->dpas + c->empty) * products[product].slots;
    const double slots = issued > held ? issued : held;
    const double per_second = products[product].engines * products[product].ghz;
    return per_second * loop->bytes * c->dpas / slots / products[product].gb_per_s;
}

/* NULL, or the goal that is missed. */
static const char *missed(const counts_t *c, const loop_t *loop, size_t product) {
    const double goal = loop->other;
    if (c->spill) return "registers are spilled";
    if (c->lanes != products[product].lanes) return "the sub-groups have another size";
    if (c->moves > (is_attention(loop) && loop->src == dnnl_bf16 ? 4 : 0))
        return "vectors are moved";
    if (goal > 0 && others(c, product) > goal * c->dpas * products[product].slots)
        return "there are more other slots than the goal";
    if (goal > 0 && c->bytes > 192 * c->dpas) return "more than 192 bytes are loaded for a dpas";
    if (loop->bytes > 0 && room(c, loop, product) < loop->room)
        return "there is less room for the memory's bandwidth than the goal";
    return NULL;
}

static bool is_for(const module_t *m, size_t product) {
    const char *version = products[product].version;
    const size_t length = strlen(version);
    if ((variants[m->loop->variant].target == TARGET_XMX8) != (products[product].lanes == 8))
        return false;
    for (const char *at = m->versions; at; at = strchr(at + 1, ' '))
        if (!strncmp(at + 1, version, length) && (at[1 + length] == ' ' || !at[1 + length]))
            return true;
    return !m->versions;
}

/* A line of the report; answers whether a goal is missed. */
static bool report(const char *ocloc, const char *folder, const module_t *m, size_t product) {
    const loop_t *loop = m->loop;
    counts_t c;
    char path[4096];
    snprintf(path, sizeof path, "%s/loop.spv", folder);
    if (!write_module(m, path) || !compile(ocloc, folder, products[product].name, loop, &c) ||
            !count_loop(products[product].lanes, &c)) {
        printf("%-38s %-8s cannot be compiled, or has no dpas\n", loop->name,
                products[product].name);
        return true;
    }
    const int busy = c.dpas * products[product].slots, other = others(&c, product);
    const char *why = missed(&c, loop, product);
    printf("%-38s %-8s %5d %5d + %3d %6.2f %5.0f%% %5d %5d %5d %5d %5d", loop->name,
            products[product].name, c.dpas, busy, other, (double)other / busy,
            100.0 * busy / (busy + other), c.loads, c.prefetches, c.moves, c.bytes / c.dpas,
            c.registers);
    if (loop->bytes > 0) printf(" %5.1f", room(&c, loop, product));
    if (c.all > c.other) printf("  (%d more that steps jump over)", c.all - c.other);
    printf("%s%s\n", why ? "  MISSED: " : "", why ? why : "");
    fflush(stdout);
    return why != NULL;
}

static bool report_all(const char *ocloc, const char *folder, const module_t *m) {
    bool failed = false;
    for (size_t p = 0; p < ARRAY_LEN(products); p++)
        if (is_for(m, p) && report(ocloc, folder, m, p)) failed = true;
    return failed;
}

/* ---- modules of a list ---- */

static const char *type_name(dnnl_data_type_t dt) {
    return dt == dnnl_f16 ? "f16" : dt == dnnl_bf16 ? "bf16" : dt == dnnl_f32 ? "f32" : "?";
}

/* The family, the type and the tile, and what flags add. */
static void name_loop(char *name, size_t size, const loop_t *loop, dnnl_data_type_t dst) {
    static const struct {
        uint32_t of_conv, of_matmul;
        const char *says;
    } words[] = {{0, MMX_PACKED, " packed"}, {0, MMX_COLUMNS, " columns"},
            {CVF_SPLIT, MMX_SPLIT, " split"}, {0, MMX_STREAM_K, " shares"},
            {0, MMX_PAIRS, " pairs"}, {CVF_PREFETCH, MMX_PREFETCH, " ahead"},
            {CVF_DENSE, 0, " dense"}, {CVF_PADDED, 0, " edges"}, {CVF_PHASES, 0, " phases"}};
    const variant_t *variant = &variants[loop->variant];
    const bool conv = !strncmp(variant->id, "conv", 4);
    const int at = snprintf(name, size, "%s %s %s", conv ? "conv" : "matmul", type_name(loop->src),
            strrchr(variant->id, '_') + 2);
    size_t to = (size_t)at;
    for (size_t i = 0; i < ARRAY_LEN(words) && to < size; i++)
        if (loop->flags & (conv ? words[i].of_conv : words[i].of_matmul))
            to += (size_t)snprintf(name + to, size - to, "%s", words[i].says);
    if (dst != loop->src && to < size) snprintf(name + to, size - to, " to %s", type_name(dst));
}

/* Tiles of so many rows and columns are for large problems. */
static double goal_of(const loop_t *loop) {
    const variant_t *variant = &variants[loop->variant];
    const variant_geometry_t *g = &variant->geometry;
    if (variant->target == TARGET_XMX8) return g->mt * g->sgm * g->sgn >= 512 ? 0.6 : 0;
    return g->mt * g->nt < 128 ? 0 : 0.15;
}

static int find_variant(const char *id, size_t length) {
    int v = 0;
    while (v < variant_count && (strncmp(variants[v].id, id, length) || variants[v].id[length]))
        v++;
    return v;
}

/* The module of a line, which keeps the versions, and its loop; false: no variant for matrix
 * units has it. */
static bool read_module(char *line, module_t *m, loop_t *loop) {
    size_t at = strcspn(line, " \n");
    memset(m, 0, sizeof(*m));
    memset(loop, 0, sizeof(*loop));
    line[strcspn(line, "\n")] = '\0';
    loop->variant = find_variant(line, at);
    if (loop->variant == variant_count || !variant_has_matrix_units(&variants[loop->variant]))
        return false;
    m->loop = loop;
    unsigned id, value;
    for (int n; sscanf(line + at, " %u:%u%n", &id, &value, &n) == 2; at += (size_t)n) {
        if (m->nspecs == MAX_SPECS) return false;
        m->specs[m->nspecs][0] = id;
        m->specs[m->nspecs++][1] = value;
        if (id == SPEC_SRC_DT) loop->src = (dnnl_data_type_t)value;
        if (id == SPEC_FLAGS) loop->flags = value;
    }
    const char *versions = strchr(line + at, '@');
    m->versions = versions ? versions + 1 : NULL;
    loop->other = goal_of(loop);
    return true;
}

static dnnl_data_type_t destination(const module_t *m) {
    for (int i = 0; i < m->nspecs; i++)
        if (m->specs[i][0] == SPEC_DST_DT) return (dnnl_data_type_t)m->specs[i][1];
    return m->loop->src;
}

/* Answers how many modules miss a goal; -1: none is for matrix units. */
static int report_modules(const char *ocloc, const char *folder, const char *path) {
    char line[1024], name[64];
    int failed = 0, modules = 0;
    FILE *file = fopen(path, "r");
    if (!file) return perror(path), -1;
    while (fgets(line, sizeof line, file)) {
        module_t m;
        loop_t loop;
        if (!read_module(line, &m, &loop)) continue;
        name_loop(name, sizeof name, &loop, destination(&m));
        loop.name = name;
        failed += report_all(ocloc, folder, &m);
        modules++;
    }
    fclose(file);
    return modules ? failed : -1;
}

/* ---- the program ---- */

static void print_head(void) {
    printf("Static model of inner loops, from the disassembly; not a measurement.\n"
           "slots: issue slots of dpas and of all else; share: of the matrix pipe's peak "
           "if one thread's slots overlap\n"
           "with nothing; bytes: loaded for each dpas; room: for how many times "
           "the memory's bandwidth in weights there\n"
           "are issue slots\n\n%-38s %-8s %5s %11s %6s %6s %5s %5s %5s %5s %5s %5s\n",
            "loop", "product", "dpas", "slots", "ratio", "share", "loads", "ahead", "moves",
            "bytes", "regs", "room");
}

int main(int argc, char **argv) {
    const bool listed = argc == 5 && !strcmp(argv[3], "--modules");
    int failed = 0;
    if (argc != 3 && argc != 4 && !listed) {
        fprintf(stderr,
                "usage: %s OCLOC FOLDER [WHAT THE NAMES OF LOOPS BEGIN WITH | --modules LIST]\n",
                argv[0]);
        return 2;
    }
    print_head();
    if (listed) return report_modules(argv[1], argv[2], argv[4]) != 0;
    for (size_t l = 0; l < ARRAY_LEN(loops); l++) {
        const module_t m = {.loop = &loops[l]};
        if (argc == 3 || !strncmp(loops[l].name, argv[3], strlen(argv[3])))
            failed += report_all(argv[1], argv[2], &m);
    }
    return failed != 0;
}
