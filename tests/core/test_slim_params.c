/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters without what a kernel never reads: each access of a kernel finds the same bytes as
 * before. What kernels compute is checked by the tests of kernels, on devices that pose as GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "module_list.h"
#include "plan/slim_params.h"
#include "plan/spirv_form.h"
#include "plan/variant.h"

enum { CHECKED = 16 /* one in so many modules is given to the validator */ };

/* ---- where the accesses of a module read ---- */

typedef struct {
    const uint32_t *words;
    size_t n;
    size_t *places; /* of each identifier */
} module_t;

static void find_places(module_t *m) {
    m->places = calloc(m->words[3], sizeof *m->places);
    assert_non_null(m->places);
    for (size_t at = SPIRV_HEADER; at < m->n; at += spirv_length(m->words + at))
        m->places[spirv_result(m->words + at)] = at;
}

/* The instruction that defines an identifier. */
static const uint32_t *of(const module_t *m, uint32_t id) {
    assert_true(id < m->words[3] && m->places[id]);
    return m->words + m->places[id];
}

static uint32_t up(uint32_t x, uint32_t to) {
    return (x + to - 1) / to * to;
}

/* The size of a type as C lays it out; `member` of a structure: the offset of this member. */
static uint32_t measure(const module_t *m, uint32_t type, uint32_t *alignment, int member) {
    const uint32_t *w = of(m, type);
    uint32_t size = 0, each;
    switch (spirv_op(w)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT: return *alignment = w[2] / 8;
    case OP_TYPE_POINTER: return *alignment = 8;
    case OP_TYPE_VECTOR: return *alignment = measure(m, w[2], alignment, -1) * w[3];
    case OP_TYPE_ARRAY: return measure(m, w[2], alignment, -1) * of(m, w[3])[3];
    case OP_TYPE_STRUCT:
        *alignment = 1;
        for (uint32_t i = 2; i < spirv_length(w); i++) {
            const uint32_t n = measure(m, w[i], &each, -1);
            size = up(size, each);
            if (member >= 0 && (uint32_t)member == i - 2) return size;
            size += n;
            if (each > *alignment) *alignment = each;
        }
        return up(size, *alignment);
    default: fail_msg("a member has an unknown type"); return 0;
    }
}

enum { MOST_ARGUMENTS = 64 };
typedef struct {
    uint32_t type[MOST_ARGUMENTS]; /* of structures by value; 0: another argument */
    uint32_t n;
} arguments_t;

/* dropped: a bit for each argument that the kernel does not have. Arguments keep their numbers. */
static arguments_t arguments_of(const module_t *m, uint64_t dropped) {
    arguments_t a = {.n = 0};
    uint32_t entry = 0, by_value[MOST_ARGUMENTS * 4], n = 0;
    bool is_entry = false;
    for (size_t at = SPIRV_HEADER; at < m->n; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w);
        if (op == OP_ENTRY_POINT) entry = w[2];
        if (op == OP_DECORATE && w[2] == DECORATION_PARAMETER && w[3] == PARAMETER_BY_VALUE) {
            assert_true(n < MOST_ARGUMENTS * 4);
            by_value[n++] = w[1];
        }
        if (op == OP_FUNCTION) is_entry = w[2] == entry;
        if (op != OP_FUNCTION_PARAMETER || !is_entry) continue;
        while (a.n < MOST_ARGUMENTS && dropped >> a.n & 1) a.n++;
        assert_true(a.n < MOST_ARGUMENTS);
        for (uint32_t i = 0; i < n; i++)
            if (by_value[i] == w[2]) a.type[a.n] = of(m, w[1])[3];
        a.n++;
    }
    return a;
}

/* Where a structure is among the arguments: one itself, or a member of one. A type that several
 * members have is not found: a function may be given any of them. */
static bool find_struct(const module_t *m, const arguments_t *a, uint32_t type, uint32_t *argument,
        uint32_t *offset) {
    uint32_t alignment;
    int found = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->type[i]) continue;
        if (a->type[i] == type) *argument = i, *offset = 0, found++;
        const uint32_t *w = of(m, a->type[i]);
        for (uint32_t k = 2; k < spirv_length(w); k++) {
            if (w[k] != type) continue;
            *argument = i, *offset = measure(m, a->type[i], &alignment, (int)k - 2);
            found++;
        }
    }
    return found == 1;
}

static uint32_t constant_or_zero(const module_t *m, uint32_t id) {
    const uint32_t *w = of(m, id);
    return spirv_op(w) == OP_CONSTANT ? w[3] : 0;
}

static bool is_chain(const uint32_t *w) {
    return spirv_op(w) >= OP_ACCESS_CHAIN && spirv_op(w) <= OP_LAST_CHAIN;
}

/* The argument and the byte to which a chain of accesses leads, if any, and the type there. An
 * index that is no constant counts as 0. */
static bool resolve(const module_t *m, const arguments_t *a, const uint32_t *w, uint32_t *argument,
        uint32_t *offset, uint32_t *type) {
    const uint32_t *base = of(m, w[3]), *pointer = of(m, base[1]);
    uint32_t i = 4, alignment;
    *type = spirv_op(pointer) == OP_TYPE_POINTER ? pointer[3] : 0;
    if (is_chain(base)) {
        if (!resolve(m, a, base, argument, offset, type)) return false;
    } else if (spirv_op(base) != OP_FUNCTION_PARAMETER || spirv_op(pointer) != OP_TYPE_POINTER ||
               spirv_op(of(m, *type)) != OP_TYPE_STRUCT ||
               !find_struct(m, a, *type, argument, offset)) {
        return false;
    }
    if (spirv_op(w) >= OP_PTR_ACCESS_CHAIN)
        *offset += constant_or_zero(m, w[i++]) * measure(m, *type, &alignment, -1);
    for (; i < spirv_length(w); i++) {
        const uint32_t *t = of(m, *type), index = constant_or_zero(m, w[i]);
        if (spirv_op(t) == OP_TYPE_STRUCT) {
            *offset += measure(m, *type, &alignment, (int)index);
            *type = t[2 + index];
        } else {
            *type = t[2];
            *offset += index * measure(m, *type, &alignment, -1);
        }
    }
    return true;
}

/* ---- checks ---- */

static const char *name_of(const module_t *m) {
    for (size_t at = SPIRV_HEADER; at < m->n; at += spirv_length(m->words + at))
        if (spirv_op(m->words + at) == OP_ENTRY_POINT) return (const char *)(m->words + at + 3);
    return "";
}

static const uint32_t *next_chain(const module_t *m, const uint32_t *w) {
    for (w += spirv_length(w); w < m->words + m->n; w += spirv_length(w))
        if (is_chain(w)) return w;
    return NULL;
}

static uint8_t whole[SLIM_VALUE_ROOM], parts[MOST_ARGUMENTS][SLIM_VALUE_ROOM];
static int64_t bytes_before, bytes_after, accesses, arguments_gone;

static void pack_arguments(const module_t *before, const module_t *after, const arguments_t *a,
        const arguments_t *now) {
    uint32_t alignment;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->type[i]) continue;
        const uint32_t size = measure(before, a->type[i], &alignment, -1);
        const size_t left = slim_value(name_of(after), i, whole, size, parts[i]);
        assert_int_equal(left, measure(after, now->type[i], &alignment, -1));
        bytes_before += size;
        bytes_after += (int64_t)left;
    }
}

/* Loads have no larger alignment than their places. */
static void check_alignment(const module_t *m, const arguments_t *a) {
    uint32_t argument, offset, type;
    for (size_t at = SPIRV_HEADER; at < m->n; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at;
        if (spirv_op(w) != OP_LOAD || !is_chain(of(m, w[3])) || spirv_length(w) < 6) continue;
        if (resolve(m, a, of(m, w[3]), &argument, &offset, &type))
            assert_int_equal(offset % w[5], 0);
    }
}

static void check_accesses(const module_t *before, const module_t *after) {
    const uint64_t dropped = slim_dropped(name_of(after));
    const arguments_t a = arguments_of(before, 0), now = arguments_of(after, dropped);
    for (uint32_t i = now.n; i < a.n; i++) assert_true(dropped >> i & 1); /* the last ones */
    for (uint32_t i = 0; i < a.n; i++) arguments_gone += dropped >> i & 1;
    pack_arguments(before, after, &a, &now);
    check_alignment(after, &now);
    const uint32_t *old = before->words + SPIRV_HEADER, *new = after->words + SPIRV_HEADER;
    while ((old = next_chain(before, old)) != NULL) {
        uint32_t argument, offset, type, argument_now, offset_now, type_now, alignment;
        new = next_chain(after, new);
        assert_non_null(new);
        if (!resolve(before, &a, old, &argument, &offset, &type)) continue;
        assert_true(resolve(after, &now, new, &argument_now, &offset_now, &type_now));
        const uint32_t op = spirv_op(of(before, type));
        if (op == OP_TYPE_ARRAY || op == OP_TYPE_STRUCT) continue; /* it may have become shorter */
        assert_int_equal(argument, argument_now);
        const uint32_t size = measure(before, type, &alignment, -1);
        if (memcmp(whole + offset, parts[argument] + offset_now, size))
            fail_msg("%s: byte %u of argument %u is not at %u", name_of(after), offset, argument,
                    offset_now);
        accesses++;
    }
    assert_null(next_chain(after, new));
}

static void common_modules_read_the_same(void **unused) {
    (void)unused;
    FILE *file = fopen(AOT_MODULES, "r");
    assert_non_null(file);
    spec_t given[MOST_GIVEN];
    int n = 0, shorter = 0;
    srand(1);
    for (size_t i = 0; i < sizeof whole; i++) whole[i] = (uint8_t)(rand() >> 8);
    for (int variant, ngiven; (variant = next_module(file, given, &ngiven)) >= 0; n++) {
        if (n % 4) continue;
        module_t before = {.n = 0}, after = {.n = 0};
        uint32_t *made = specialised(variant, given, ngiven, &before.n);
        assert_non_null(before.words = made);
        uint32_t *slim = slim_params(made, before.n, &after.n);
        after.words = slim;
        find_places(&before);
        if (slim) find_places(&after);
        if (slim) check_accesses(&before, &after);
        if (slim && n % CHECKED == 0) check_valid(slim, after.n, variants[variant].id);
        shorter += slim != NULL;
        free(before.places);
        free(after.places);
        dz_free(slim);
        dz_free(made);
    }
    fclose(file);
    print_message("%d of %d modules receive %.2f of the bytes, and %lld arguments less; "
                  "%lld accesses are right\n",
            shorter, (n + 3) / 4, (double)bytes_after / (double)bytes_before,
            (long long)arguments_gone, (long long)accesses);
    /* clang 16 and newer hide the types of pointers: many structures are read through conversions,
     * and stay whole. */
    assert_true(arguments_gone > (HAS_TYPED_POINTERS ? n : n / 8));
    assert_true(shorter > n / 8);
    assert_true(bytes_after * 100 < bytes_before * (HAS_TYPED_POINTERS ? 30 : 70));
}

/* ---- values ---- */

static void values_are_put_together(void **unused) {
    (void)unused;
    static const char name[] = "lines_any_a2s24f8n4f100n4f112n4t16_a17s4f0n4";
    uint8_t value[128], slim[128];
    for (int i = 0; i < 128; i++) value[i] = (uint8_t)i;
    memset(slim, 0xee, sizeof slim);
    assert_int_equal(slim_value(name, 2, value, sizeof value, slim), 24);
    static const uint8_t expected[] = {8, 9, 10, 11, 100, 101, 102, 103, 0, 0, 0, 0, 0, 0, 0, 0,
            112, 113, 114, 115, 0, 0, 0, 0, 0xee};
    assert_memory_equal(slim, expected, sizeof expected);
    assert_int_equal(slim_value(name, 17, value, sizeof value, slim), 4);
    assert_memory_equal(slim, value, 4);
    assert_int_equal(slim_value(name, 1, value, sizeof value, slim), sizeof value);
    assert_memory_equal(slim, value, sizeof value);
}

static void dropped_arguments_are_named(void **unused) {
    (void)unused;
    assert_int_equal(slim_dropped("lines_any"), 0);
    assert_int_equal(slim_dropped("lines_d3n2"), 3 << 3);
    assert_int_equal(slim_dropped("lines_a1s4f0n4_d2n1_d5n2"), 1 << 2 | 3 << 5);
    assert_int_equal(slim_dropped("conv_depth_d2_d63n9"), UINT64_C(1) << 63);
    assert_int_equal(slim_dropped("lines_d64n4294967295"), 0);
}

/* Native code may come from a file: a name never leads outside of a value. */
static void odd_names_do_no_harm(void **unused) {
    (void)unused;
    static const char *const names[] = {"", "_a", "_a2", "_a2s", "_a2s64", "_a2s99999999999f0n9",
            "_a2s8f60n8", "_a2s8f0n8t4", "_a2s8f4294967295n4", "_a2s8f0n4t4294967295",
            "_a2s8f0n4294967295", "_a2s8f0t0", "_a2s8f-1n4", "_a2s64f0n64f0n64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint8_t *value = calloc(1, 64), *slim = malloc(64); /* a sanitizer sees their ends */
        assert_true(slim_value(names[i], 2, value, 64, slim) <= 64);
        free(slim);
        free(value);
    }
}

static void missing_memory_is_reported(void **unused) {
    (void)unused;
    FILE *file = fopen(AOT_MODULES, "r");
    spec_t given[MOST_GIVEN];
    int ngiven;
    size_t nwords, size;
    assert_non_null(file);
    const int variant = next_module(file, given, &ngiven);
    fclose(file);
    uint32_t *made = specialised(variant, given, ngiven, &nwords);
    assert_non_null(made);
    const long before = atomic_load(&dz_alloc_live);
    for (long n = 1;; n++) {
        atomic_store(&dz_alloc_fail_after, n);
        uint32_t *slim = slim_params(made, nwords, &size);
        const bool is_done = atomic_exchange(&dz_alloc_fail_after, 0) > 0;
        assert_int_equal(slim != NULL, is_done);
        dz_free(slim);
        assert_int_equal(atomic_load(&dz_alloc_live), before);
        if (is_done) break;
    }
    dz_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(common_modules_read_the_same),
            cmocka_unit_test(values_are_put_together),
            cmocka_unit_test(dropped_arguments_are_named),
            cmocka_unit_test(odd_names_do_no_harm),
            cmocka_unit_test(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
