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
    COLLECTS = 8,    /* a function that uses votes, sums or scans over a work-group */
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
            strstr((const char *)(i + 3), "work_group_"))
        mark(f, i[1], COLLECTS);
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
        {OP_CONTROL_BARRIER, OP_CONTROL_BARRIER, 1}, {OP_GROUP_ALL, OP_GROUP_S_MAX, 3},
        {333, 366, 3},                             /* non-uniform groups */
        {4421, 4422, 0},                           /* ballots of KHR */
        {4428, 4432, 0},                           /* votes and reads of KHR */
        {5571, 5581, 0},                           /* Intel: shuffles, blocks */
        {6231, 6237, 0},                           /* Intel: blocks of two dimensions, matrices */
        {OP_GROUP_I_MUL, OP_GROUP_LOGICAL_XOR, 3}, /* KHR: uniform arithmetic */
};

static bool collects(const finder_t *f, const uint32_t *i) {
    const unsigned op = op_of(i[0]), n = length_of(i[0]);
    if (op == OP_FUNCTION_CALL) return n > 3 && is(f, i[3], COLLECTS);
    const bool of_groups = (op >= OP_GROUP_ALL && op <= OP_GROUP_S_MAX) ||
                           (op >= OP_GROUP_I_MUL && op <= OP_GROUP_LOGICAL_XOR);
    return of_groups && n > 3 && !is(f, i[3], IS_SCOPE);
}

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
            if (!function) continue;
            const int found = (uses(f, i) ? USES : 0) | (collects(f, i) ? COLLECTS : 0);
            more |= (f->ids[function] & found) != found;
            mark(f, function, found);
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
        if (op_of(words[at]) == OP_ENTRY_POINT) {
            info->kernels[k].collects = is(&f, words[at + 2], COLLECTS);
            info->kernels[k++].uses_subgroups = is(&f, words[at + 2], USES);
        }
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

/* PoCL replicates kernels instead of looping over so few work-items, and has no votes, sums and
 * scans then: it would end the process. */
enum { MOST_REPLICATED = 2 };

static bool collectives_fit(const kernel_info_t *kernel, uint64_t items) {
    if (!kernel->collects || items > MOST_REPLICATED) return true;
    say("kernel %s uses functions of a work-group, and cannot run in groups of %llu: PoCL has them "
        "for groups of %d and more work-items",
            kernel->name, (unsigned long long)items, MOST_REPLICATED + 1);
    return false;
}

bool subgroups_fit(const kernel_info_t *kernel, const uint32_t group_size[3]) {
    const ocl_t *ocl = ocl_get();
    const uint64_t items = (uint64_t)group_size[0] * group_size[1] * group_size[2];
    if (ocl->is_pocl && !ocl->is_gpu && !collectives_fit(kernel, items)) return false;
    if (!kernel->uses_subgroups || !ocl->is_pocl || ocl->is_gpu) return true;
    const uint32_t size = kernel->required_subgroup ? kernel->required_subgroup : ocl->subgroup;
    if (size && items % size == 0) return true;
    if (!size) say("kernel %s uses sub-groups, which this PoCL does not support", kernel->name);
    else
        say("kernel %s uses sub-groups of %u, and cannot run in groups of %llu: PoCL counts a "
            "sub-group that is not full wrongly",
                kernel->name, size, (unsigned long long)items);
    return false;
}

uint32_t *subgroups_mend_votes(const uint32_t *words, size_t n_words, size_t *n_out) {
    enum { VOTE_WORDS = 5, NOT_WORDS = 4 };
    size_t votes = 0, n = 5;
    for (size_t at = 5; at < n_words; at += length_of(words[at]))
        votes += op_of(words[at]) == OP_GROUP_ALL;
    uint32_t *out = malloc((n_words + votes * 2 * NOT_WORDS) * sizeof *out);
    if (!out) return NULL;
    memcpy(out, words, n * sizeof *out);
    for (size_t at = 5; at < n_words; at += length_of(words[at])) {
        const uint32_t *i = words + at, length = length_of(i[0]);
        if (op_of(i[0]) != OP_GROUP_ALL || length != VOTE_WORDS) {
            memcpy(out + n, i, length * sizeof *out);
            n += length;
            continue;
        }
        const uint32_t inverse = out[3]++, any = out[3]++; /* new ids: out[3] is their bound */
        const uint32_t mended[] = {NOT_WORDS << 16 | OP_LOGICAL_NOT, i[1], inverse, i[4],
                VOTE_WORDS << 16 | OP_GROUP_ANY, i[1], any, i[3], inverse,
                NOT_WORDS << 16 | OP_LOGICAL_NOT, i[1], i[2], any};
        memcpy(out + n, mended, sizeof mended);
        n += COUNT_OF(mended);
    }
    *n_out = n;
    return out;
}
