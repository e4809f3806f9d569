/* SPDX-License-Identifier: Apache-2.0 */
/* Modules specialised before a driver compiles them: each is valid, smaller, and without
 * specialisation constants. What kernels compute is checked by the tests of kernels. */
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
#include "kernels/lib/spec.h"
#include "module_list.h"
#include "plan/intel_builtins.h"
#include "plan/specialise.h"
#include "plan/specialise_impl.h"
#include "plan/spirv_form.h"
#include "plan/variant.h"

enum { CHECKED = 16 /* one in so many modules is given to the validator */ };

/* Intel's compiler has functions that return vectors of up to 64 components, where SPIR-V has at
 * most 16. For the validator they get another number of components, which no vector of the same
 * type has. false: there is none. */
static bool shorten_vectors(uint32_t *words, size_t nwords) {
    static const uint32_t lengths[] = {16, 8, 4, 3, 2};
    for (size_t at = SPIRV_HEADER; at < nwords; at += spirv_length(words + at)) {
        uint32_t *w = words + at;
        if (spirv_op(w) != OP_TYPE_VECTOR || w[3] <= 16) continue;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths && w[3] > 16; i++) {
            bool is_free = true;
            for (size_t k = SPIRV_HEADER; k < nwords; k += spirv_length(words + k))
                if (words[k] == w[0] && words[k + 2] == w[2] && words[k + 3] == lengths[i])
                    is_free = false;
            if (is_free) w[3] = lengths[i];
        }
        if (w[3] > 16) return false;
    }
    return true;
}

enum { TIGER_LAKE = 12 << 22, BATTLEMAGE = 20 << 22 | 1 << 14 };

static int count(const uint32_t *words, size_t nwords, uint32_t op) {
    int n = 0;
    for (size_t at = SPIRV_HEADER; at < nwords; at += spirv_length(words + at))
        n += spirv_op(words + at) == op;
    return n;
}

/* Modules for Intel's compiler are valid, and leave nothing to replace. */
static void check_for_intel(const uint32_t *words, size_t nwords, const char *id, bool validate) {
    size_t size, again;
    uint32_t *made = intel_builtins(words, nwords, BATTLEMAGE, &size);
    if (!made) return;
    if (intel_builtins(made, size, BATTLEMAGE, &again)) fail_msg("%s is replaced twice", id);
    assert_int_equal(count(made, size, OP_FUNCTION), count(made, size, OP_FUNCTION_END));
    if (validate && shorten_vectors(made, size)) check_valid(made, size, id);
    else if (validate) print_message("%s is not validated for Intel: vectors are too long\n", id);
    dz_free(made);
}

static void check_module(int variant, const spec_t *given, int n, bool validate) {
    size_t nwords;
    uint32_t *made = specialised(variant, given, n, &nwords);
    if (!made) fail_msg("%s is not specialised", variants[variant].id);
    for (size_t at = SPIRV_HEADER; at < nwords; at += spirv_length(made + at))
        assert_true(spirv_op(made + at) < OP_SPEC_CONSTANT - 2 ||
                    spirv_op(made + at) > OP_SPEC_CONSTANT + 2);
    if (validate) check_valid(made, nwords, variants[variant].id);
    check_for_intel(made, nwords, variants[variant].id, validate);
    dz_free(made);
}

/* Whether Intel's compiler has to read its library of functions for a module: for functions of
 * OpenCL, imported ones that are not its own operations, and what the device tells by variables. */
static bool needs_library(const uint32_t *words, size_t nwords) {
    enum { NAME = 3, MOST_VARIABLES = 32 };
    uint32_t variables[MOST_VARIABLES], n = 0;
    for (size_t at = SPIRV_HEADER; at < nwords; at += spirv_length(words + at)) {
        const uint32_t *w = words + at, op = spirv_op(w);
        if (op == OP_EXT_INST || (op >= OP_GROUP_ANY && op <= OP_GROUP_S_MAX)) return true;
        if (op == OP_BLOCK_READ || op == OP_BLOCK_WRITE || op == OP_CONTROL_BARRIER) return true;
        if (op == OP_DECORATE && w[2] == DECORATION_LINKAGE &&
                !strncmp((const char *)(w + NAME), "_Z", 2))
            return true;
        if (op == OP_DECORATE && w[2] == DECORATION_BUILTIN && n < MOST_VARIABLES)
            variables[n++] = w[1];
        for (uint32_t i = 0; op == OP_LOAD && i < n; i++)
            if (variables[i] == w[3]) return true;
    }
    return false;
}

/* What is left are functions that are long in that library, such as erfc() and log(). */
static void few_common_modules_need_the_library(void **unused) {
    (void)unused;
    int n = 0, need = 0;
    FILE *file = fopen(AOT_MODULES, "r");
    assert_non_null(file);
    spec_t given[MOST_GIVEN];
    for (int variant, ngiven; (variant = next_module(file, given, &ngiven)) >= 0; n++) {
        size_t nwords, size;
        uint32_t *made = specialised(variant, given, ngiven, &nwords);
        assert_non_null(made);
        assert_true(needs_library(made, nwords));
        uint32_t *direct = intel_builtins(made, nwords, BATTLEMAGE, &size);
        assert_non_null(direct);
        need += needs_library(direct, size);
        dz_free(direct);
        dz_free(made);
    }
    fclose(file);
    print_message("%d of %d modules need the library\n", need, n);
    assert_in_range(need, 1, n / 20);
}

/* The name of the first variable in local memory that is declared outside of functions, or NULL. */
static const char *local_memory(const uint32_t *words, size_t nwords) {
    enum { WORKGROUP = 4 };
    for (size_t at = SPIRV_HEADER, to; at < nwords; at += spirv_length(words + at)) {
        const uint32_t *w = words + at;
        if (spirv_op(w) == OP_FUNCTION) return NULL;
        if (spirv_op(w) != OP_VARIABLE || w[3] != WORKGROUP) continue;
        for (to = SPIRV_HEADER; to < at; to += spirv_length(words + to))
            if (spirv_op(words + to) == OP_NAME && words[to + 1] == w[2])
                return (const char *)(words + to + 2);
        return "";
    }
    return NULL;
}

/* PoCL and Oclgrind know local memory by its name. */
static void local_memory_keeps_its_name(void **unused) {
    (void)unused;
    int found = 0;
    for (int i = 0; i < variant_count; i++) {
        size_t size, nwords;
        uint32_t *words = variant_spirv_new(i, &size), *made = specialised(i, NULL, 0, &nwords);
        assert_non_null(words);
        assert_non_null(made);
        const char *name = local_memory(made, nwords);
        const char *before = local_memory(words, size / sizeof *words);
        if (name && before) assert_string_equal(name, before);
        found += name && *name;
        if (name && !*name) fail_msg("%s: local memory has no name", variants[i].id);
        dz_free(made);
        dz_free(words);
    }
    assert_true(found > 0);
}

static void variants_are_specialised(void **unused) {
    (void)unused;
    for (int i = 0; i < variant_count; i++) check_module(i, NULL, 0, i % 4 == 0);
}

static void common_modules_are_specialised(void **unused) {
    (void)unused;
    FILE *file = fopen(AOT_MODULES, "r");
    assert_non_null(file);
    spec_t given[MOST_GIVEN];
    for (int i = 0, variant, n; (variant = next_module(file, given, &n)) >= 0; i++)
        check_module(variant, given, n, i % CHECKED == 0);
    fclose(file);
}

/* Reductions of a work-group's rows have barriers, a broadcast and a reduction of a sub-group. */
static void barriers_are_replaced_where_there_are_fences(void **unused) {
    (void)unused;
    const spec_t given[] = {{SPEC_SG_GROUPS, 2}};
    size_t nwords, size, old;
    uint32_t *made = specialised(variant_of("softmax_sg16"), given, 1, &nwords);
    assert_non_null(made);
    assert_true(count(made, nwords, OP_CONTROL_BARRIER) > 0);
    assert_true(count(made, nwords, OP_GROUP_BROADCAST) > 0);
    assert_true(count(made, nwords, OP_GROUP_F_ADD) > 0);
    uint32_t *tiger = intel_builtins(made, nwords, TIGER_LAKE, &old);
    uint32_t *mage = intel_builtins(made, nwords, BATTLEMAGE, &size);
    assert_non_null(tiger);
    assert_non_null(mage);
    assert_int_equal(
            count(tiger, old, OP_CONTROL_BARRIER), count(made, nwords, OP_CONTROL_BARRIER));
    assert_int_equal(count(mage, size, OP_CONTROL_BARRIER), 0);
    assert_int_equal(count(mage, size, OP_GROUP_BROADCAST), 0);
    assert_int_equal(count(mage, size, OP_GROUP_F_ADD), 0);
    dz_free(tiger);
    dz_free(mage);
    for (long n = 1; n < 4; n++) { /* all of its allocations */
        const long before = atomic_load(&dz_alloc_live);
        atomic_store(&dz_alloc_fail_after, n);
        uint32_t *made_now = intel_builtins(made, nwords, BATTLEMAGE, &size);
        atomic_store(&dz_alloc_fail_after, 0);
        assert_null(made_now);
        assert_int_equal(atomic_load(&dz_alloc_live), before);
    }
    dz_free(made);
}

/* The first variant's module, and room for a copy that may be changed. */
static uint32_t *first_module(size_t *size, uint32_t **copy) {
    uint32_t *words = variant_spirv_new(0, size);
    assert_non_null(words);
    *copy = malloc(*size);
    assert_non_null(*copy);
    return words;
}

static void missing_memory_is_reported(void **unused) {
    (void)unused;
    size_t size, nwords;
    uint32_t *copy, *words = first_module(&size, &copy);
    const long before = atomic_load(&dz_alloc_live);
    for (long n = 1;; n += 7) {
        memcpy(copy, words, size);
        atomic_store(&dz_alloc_fail_after, n);
        uint32_t *made = specialise(copy, size / sizeof *copy, NULL, 0, &nwords);
        const bool is_done = atomic_exchange(&dz_alloc_fail_after, 0) > 0;
        if (is_done)
            assert_non_null(made); /* without memory, the search for a loop alone goes on */
        dz_free(made);
        assert_int_equal(atomic_load(&dz_alloc_live), before);
        if (is_done) break;
    }
    free(copy);
    dz_free(words);
}

static void unknown_modules_are_left(void **unused) {
    (void)unused;
    size_t size, nwords;
    uint32_t *copy, *words = first_module(&size, &copy);
    const size_t n = size / sizeof *words;
    for (size_t cut = 0; cut < n - 1; cut += 97) { /* a function has no end */
        memcpy(copy, words, size);
        uint32_t *made = specialise(copy, cut, NULL, 0, &nwords);
        dz_free(made);
    }
    memcpy(copy, words, size);
    copy[SPIRV_HEADER] = 2u << 16 | 52; /* OpSpecConstantOp */
    assert_null(specialise(copy, n, NULL, 0, &nwords));
    free(copy);
    dz_free(words);
}

static const value_t any = {.state = VARYING};

static value_t fold2(uint32_t op, uint64_t a, uint64_t b) {
    const value_t operands[] = {{CONSTANT, a}, {CONSTANT, b}};
    return specialise_fold(op, operands, 2, 32, 32);
}

static void numbers_are_folded(void **unused) {
    (void)unused;
    static const struct {
        uint32_t op, a, b, result;
    } known[] = {{OP_I_ADD, UINT32_MAX, 2, 1}, {OP_I_SUB, 1, 2, UINT32_MAX},
            {OP_I_MUL, 65536, 65537, 65536}, {OP_U_DIV, 0x80000000, 2, 0x40000000},
            {OP_S_DIV, (uint32_t)-7, 2, (uint32_t)-3}, {OP_S_REM, (uint32_t)-7, 2, (uint32_t)-1},
            {OP_U_MOD, 7, 4, 3}, {OP_SHIFT_RIGHT, 0x80000000, 31, 1},
            {OP_SHIFT_RIGHT_SIGNED, 0x80000000, 31, UINT32_MAX}, {OP_SHIFT_LEFT, 3, 31, 0x80000000},
            {OP_S_LESS, UINT32_MAX, 0, 1}, {OP_U_LESS, UINT32_MAX, 0, 0}, {OP_I_EQUAL, 4, 4, 1},
            {OP_S_GREATER_EQUAL, 0, UINT32_MAX, 1}, {OP_XOR, 5, 3, 6}, {OP_OR, 5, 3, 7}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const value_t v = fold2(known[i].op, known[i].a, known[i].b);
        assert_int_equal(v.state, CONSTANT);
        assert_int_equal(v.bits, known[i].result);
    }
}

static void undefined_results_are_not_folded(void **unused) {
    (void)unused;
    assert_int_equal(fold2(OP_U_DIV, 1, 0).state, VARYING);
    assert_int_equal(fold2(OP_S_DIV, 0x80000000, UINT32_MAX).state, VARYING);
    assert_int_equal(fold2(OP_SHIFT_LEFT, 1, 32).state, VARYING);
    assert_int_equal(fold2(OP_I_ADD + 1, 1, 1).state, VARYING); /* OpFAdd */
}

static void one_operand_can_decide(void **unused) {
    (void)unused;
    const value_t zero = {CONSTANT, 0}, one = {CONSTANT, 1}, unseen = {.state = UNSEEN};
    assert_int_equal(specialise_fold(OP_AND, (value_t[]){any, zero}, 2, 32, 32).state, CONSTANT);
    assert_int_equal(specialise_fold(OP_AND, (value_t[]){any, one}, 2, 32, 32).state, VARYING);
    assert_int_equal(
            specialise_fold(OP_LOGICAL_OR, (value_t[]){one, any}, 2, 1, 1).state, CONSTANT);
    assert_int_equal(specialise_fold(OP_AND, (value_t[]){unseen, zero}, 2, 32, 32).state, UNSEEN);
    const value_t chosen = specialise_fold(OP_SELECT, (value_t[]){one, any, zero}, 3, 32, 32);
    assert_int_equal(chosen.state, VARYING);
    const value_t minus = {CONSTANT, 0xff};
    assert_int_equal(specialise_fold(OP_S_CONVERT, &minus, 1, 8, 32).bits, UINT32_MAX);
    assert_int_equal(specialise_fold(OP_U_CONVERT, &minus, 1, 8, 32).bits, 0xff);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_folded),
            cmocka_unit_test(undefined_results_are_not_folded),
            cmocka_unit_test(one_operand_can_decide), cmocka_unit_test(missing_memory_is_reported),
            cmocka_unit_test(unknown_modules_are_left), cmocka_unit_test(variants_are_specialised),
            cmocka_unit_test(local_memory_keeps_its_name),
            cmocka_unit_test(barriers_are_replaced_where_there_are_fences),
            cmocka_unit_test(common_modules_are_specialised),
            cmocka_unit_test(few_common_modules_need_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
