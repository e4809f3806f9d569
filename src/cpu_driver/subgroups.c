/* SPDX-License-Identifier: Apache-2.0 */
/* Finds kernels that use sub-groups, and gives them a size. */
#include "subgroups.h"
#include "say.h"
#include "spirv_words.h"

#include <stdlib.h>
#include <string.h>

/* What is known of an id. */
enum {
    IS_VARIABLE = 1, /* a variable that the device sets for each sub-group */
    IS_SCOPE = 2,    /* a constant that can mean the scope of a sub-group */
    USES = 4,        /* a function that uses sub-groups */
};

enum { SCOPE_SUBGROUP = 3, BUILTIN_SUBGROUP_SIZE = 36, BUILTIN_SUBGROUP_LOCAL_ID = 41 };

typedef struct {
    const uint32_t *words;
    size_t n_words;
    uint32_t bound;
    bool imports_use;
    uint8_t *ids;
} finder_t;

static bool is(const finder_t *f, uint32_t id, int what) {
    return id < f->bound && (f->ids[id] & what);
}

static void mark(finder_t *f, uint32_t id, int what) {
    if (id < f->bound) f->ids[id] |= (uint8_t)what;
}

/* Looks at an instruction before the first function. */
static void note_global(finder_t *f, const uint32_t *i) {
    const unsigned op = op_of(i[0]), n = length_of(i[0]);
    if (op == OP_CONSTANT && n == 4 && i[3] == SCOPE_SUBGROUP) mark(f, i[2], IS_SCOPE);
    if (op != OP_DECORATE || n < 4) return;
    if (i[2] == DECORATION_BUILTIN && i[3] >= BUILTIN_SUBGROUP_SIZE &&
            i[3] <= BUILTIN_SUBGROUP_LOCAL_ID)
        mark(f, i[1], IS_VARIABLE);
    if (i[2] == DECORATION_LINKAGE && i[n - 1] == LINKAGE_IMPORT &&
            (f->imports_use || strstr((const char *)(i + 3), "sub_group") ||
                    strstr((const char *)(i + 3), "ubgroup")))
        mark(f, i[1], USES);
}

/* Ranges of instructions of sub-groups, and the word that has their scope (0: it is always that of
 * sub-groups). */
static const struct {
    uint16_t first, last, scope;
} group_ops[] = {
        {OP_CONTROL_BARRIER, OP_CONTROL_BARRIER, 1}, {261, 271, 3}, /* OpGroupAll to OpGroupSMax */
        {333, 366, 3},                                              /* non-uniform groups */
        {4421, 4422, 0},                                            /* ballots of KHR */
        {4428, 4432, 0},                                            /* votes and reads of KHR */
        {5571, 5581, 0},                                            /* Intel: shuffles, blocks */
        {6231, 6237, 0}, /* Intel: blocks of two dimensions, matrices */
        {6401, 6408, 3}, /* KHR: uniform arithmetic */
};

static bool uses(const finder_t *f, const uint32_t *i) {
    const unsigned op = op_of(i[0]), n = length_of(i[0]);
    if (op == OP_FUNCTION_CALL) return n > 3 && is(f, i[3], USES);
    if (op == OP_LOAD || op == OP_BITCAST ||
            (op >= OP_ACCESS_CHAIN && op <= OP_IN_BOUNDS_PTR_ACCESS_CHAIN))
        return n > 3 && is(f, i[3], IS_VARIABLE);
    for (size_t k = 0; k < COUNT_OF(group_ops); k++)
        if (op >= group_ops[k].first && op <= group_ops[k].last)
            return !group_ops[k].scope ||
                   (group_ops[k].scope < n && is(f, i[group_ops[k].scope], IS_SCOPE));
    return false;
}

/* Marks the functions until no caller of a marked one is left. */
static void mark_functions(finder_t *f) {
    for (bool more = true; more;) {
        uint32_t function = 0;
        more = false;
        for (size_t at = 5; at < f->n_words; at += length_of(f->words[at])) {
            const uint32_t *i = f->words + at;
            if (op_of(i[0]) == OP_FUNCTION) function = i[2];
            if (!function || is(f, function, USES) || !uses(f, i)) continue;
            mark(f, function, USES);
            more = true;
        }
    }
}

/* Looks at the whole module. */
static bool find_all(finder_t *f, const uint32_t *words, size_t n_words, bool imports_use) {
    *f = (finder_t){words, n_words, words[3], imports_use, calloc(words[3], 1)};
    if (!f->ids) return false;
    for (size_t at = 5; at < n_words && op_of(words[at]) != OP_FUNCTION; at += length_of(words[at]))
        note_global(f, words + at);
    mark_functions(f);
    return true;
}

bool subgroups_are_used(const uint32_t *words, size_t n_words) {
    finder_t f;
    if (!find_all(&f, words, n_words, false)) return true;
    bool used = false;
    for (size_t at = 5; at < n_words && !used; at += length_of(words[at]))
        used = op_of(words[at]) == OP_FUNCTION && is(&f, words[at + 2], USES);
    free(f.ids);
    return used;
}

bool subgroups_find(const uint32_t *words, size_t n_words, module_info_t *info, bool imports_use) {
    finder_t f;
    if (!find_all(&f, words, n_words, imports_use)) return false;
    uint32_t k = 0; /* the kernels have the order of their entry points */
    for (size_t at = 5; at < n_words && k < info->n_kernels; at += length_of(words[at]))
        if (op_of(words[at]) == OP_ENTRY_POINT)
            info->kernels[k++].uses_subgroups = is(&f, words[at + 2], USES);
    free(f.ids);
    return true;
}

/* The size that the kernel is to require; 0: none. */
static uint32_t size_of(const ocl_t *ocl, const module_info_t *info, const kernel_info_t *kernel) {
    if (kernel->required_subgroup) return 0;
    if (kernel->uses_subgroups) return ocl->subgroup;
    return ocl->breaks_vectors && info->has_wide_vectors ? 1 : 0;
}

bool subgroups_are_open(const ocl_t *ocl, const module_info_t *info) {
    for (uint32_t k = 0; k < info->n_kernels; k++)
        if (size_of(ocl, info, &info->kernels[k])) return true;
    return false;
}

uint32_t *subgroups_require(const ocl_t *ocl, const uint32_t *words, size_t n_words,
        const module_info_t *info, size_t *n_out) {
    enum { CAPABILITY_SUBGROUP_DISPATCH = 58, MODE_WORDS = 4, CAPABILITY_WORDS = 2 };
    uint32_t *out = malloc(
            (n_words + CAPABILITY_WORDS + (size_t)MODE_WORDS * info->n_kernels) * sizeof *out);
    if (!out) return NULL;
    size_t n = 5, after_entries = 5;
    memcpy(out, words, n * sizeof *out);
    /* A module may declare a capability twice. */
    out[n++] = CAPABILITY_WORDS << 16 | OP_CAPABILITY;
    out[n++] = CAPABILITY_SUBGROUP_DISPATCH;
    for (size_t at = 5; at < n_words; at += length_of(words[at]))
        if (op_of(words[at]) == OP_ENTRY_POINT) after_entries = at + length_of(words[at]);
    memcpy(out + n, words + 5, (after_entries - 5) * sizeof *out);
    n += after_entries - 5;
    uint32_t k = 0;
    for (size_t at = 5; at < after_entries; at += length_of(words[at])) {
        if (op_of(words[at]) != OP_ENTRY_POINT) continue;
        const uint32_t size = size_of(ocl, info, &info->kernels[k++]);
        if (!size) continue;
        const uint32_t mode[MODE_WORDS] = {
                MODE_WORDS << 16 | OP_EXECUTION_MODE, words[at + 2], MODE_SUBGROUP_SIZE, size};
        memcpy(out + n, mode, sizeof mode);
        n += MODE_WORDS;
    }
    memcpy(out + n, words + after_entries, (n_words - after_entries) * sizeof *out);
    *n_out = n + n_words - after_entries;
    return out;
}

bool subgroups_fit(const kernel_info_t *kernel, const uint32_t group_size[3]) {
    const ocl_t *ocl = ocl_get();
    if (!kernel->uses_subgroups || !ocl->is_pocl || ocl->is_gpu) return true;
    const uint32_t size = kernel->required_subgroup ? kernel->required_subgroup : ocl->subgroup;
    const uint64_t items = (uint64_t)group_size[0] * group_size[1] * group_size[2];
    if (size && items % size == 0) return true;
    if (!size) say("kernel %s uses sub-groups, which this PoCL does not support", kernel->name);
    else
        say("kernel %s uses sub-groups of %u, and cannot run in groups of %llu: PoCL counts a "
            "sub-group that is not full wrongly",
                kernel->name, size, (unsigned long long)items);
    return false;
}
