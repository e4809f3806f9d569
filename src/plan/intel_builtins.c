/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/intel_builtins.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "plan/intel_replace.h"

/* The functions of the set OpenCL.std that are replaced. */
enum {
    STD_EXP = 19,
    STD_FABS = 23,
    STD_FMA = 26,
    STD_FMAX = 27,
    STD_FMIN = 28,
    STD_MAD = 42,
    STD_RINT = 53,
    STD_SQRT = 61,
    STD_NATIVE_EXP2 = 84,
    STD_NATIVE_LOG2 = 87,
    STD_S_CLAMP = 149,
    STD_S_MAX = 156,
    STD_U_MAX = 157,
    STD_S_MIN = 158,
    STD_U_MIN = 159,
    STD_S_MAD24 = 167,
    STD_BITSELECT = 186,
};

enum { SCOPE_WORKGROUP = 2, SCOPE_SUBGROUP = 3, REDUCE = 0 };
/* Semantics of a barrier: which memory it orders. */
enum { MEMORY_UNIFORM = 0x40, MEMORY_LOCAL = 0x100, MEMORY_GLOBAL = 0x200, MEMORY_OTHER = 0xc00 };
/* Of SPV_INTEL_fp_fast_math_mode. */
enum { DECORATION_FAST_MATH = 40, FAST_MATH_CONTRACT = 0x10000 };

/* Types are letters: i and f are 32 bits wide. */
typedef struct {
    uint16_t op, function; /* function: of the set, with OP_EXT_INST */
    char type;             /* of the result */
    const char *arguments; /* their types: the last operands of the instruction */
    const char *name;
} builtin_t;

#define REDUCE_NAME(name) "__builtin_IB_sub_group_reduce_" name
static const builtin_t builtins[] = {
        {OP_GROUP_BROADCAST, 0, 'i', "ii", "__builtin_IB_simd_broadcast"},
        {OP_GROUP_BROADCAST, 0, 'f', "fi", "__builtin_IB_simd_broadcast_f"},
        {OP_SUBGROUP_SHUFFLE, 0, 'i', "ii", "__builtin_IB_simd_shuffle"},
        {OP_SUBGROUP_SHUFFLE, 0, 'f', "fi", "__builtin_IB_simd_shuffle_f"},
        {OP_GROUP_I_ADD, 0, 'i', "i", REDUCE_NAME("IAdd_i32")},
        {OP_GROUP_F_ADD, 0, 'f', "f", REDUCE_NAME("FAdd_f32")},
        {OP_GROUP_F_MIN, 0, 'f', "f", REDUCE_NAME("FMin_f32")},
        {OP_GROUP_U_MIN, 0, 'i', "i", REDUCE_NAME("UMin_i32")},
        {OP_GROUP_S_MIN, 0, 'i', "i", REDUCE_NAME("SMin_i32")},
        {OP_GROUP_F_MAX, 0, 'f', "f", REDUCE_NAME("FMax_f32")},
        {OP_GROUP_U_MAX, 0, 'i', "i", REDUCE_NAME("UMax_i32")},
        {OP_GROUP_S_MAX, 0, 'i', "i", REDUCE_NAME("SMax_i32")},
        {OP_EXT_INST, STD_FMA, 'f', "fff", "__builtin_IB_fma"},
        {OP_EXT_INST, STD_FMAX, 'f', "ff", "__builtin_IB_fmax"},
        {OP_EXT_INST, STD_FMIN, 'f', "ff", "__builtin_IB_fmin"},
        {OP_EXT_INST, STD_SQRT, 'f', "f", "__builtin_IB_native_sqrtf"},
        {OP_EXT_INST, STD_RINT, 'f', "f", "__builtin_IB_frnd_ne"},
        {OP_EXT_INST, STD_NATIVE_EXP2, 'f', "f", "__builtin_IB_native_exp2f"},
        {OP_EXT_INST, STD_NATIVE_LOG2, 'f', "f", "__builtin_IB_native_log2f"},
};
enum { NBUILTINS = sizeof builtins / sizeof *builtins, MOST_OPERANDS = 3 };

/* ---- calls ---- */

static uint32_t put_builtin(
        module_t *m, const builtin_t *b, uint32_t result, const uint32_t *arguments) {
    const uint32_t n = (uint32_t)strlen(b->arguments);
    uint32_t types[1 + MOST_OPERANDS] = {module_simple_type(m, b->type)};
    for (uint32_t i = 0; i < n; i++) types[1 + i] = module_simple_type(m, b->arguments[i]);
    return module_put_call(m, b->name, types, result, arguments, n);
}

/* Calls a function of a float. */
static uint32_t put_of_float(module_t *m, const char *name, uint32_t x) {
    const uint32_t type = module_simple_type(m, 'f');
    return module_put_call(m, name, (uint32_t[]){type, type}, 0, &x, 1);
}

/* a * b + c, which the compiler may make one instruction of. */
static uint32_t put_mad(
        module_t *m, uint32_t type, uint32_t result, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t product = module_put_two(m, OP_F_MUL, type, 0, a, b),
                   sum = module_put_two(m, OP_F_ADD, type, result, product, c);
    m->contracts = true;
    for (int i = 0; i < 2; i++)
        module_decorate(m,
                (uint32_t[]){opening(OP_DECORATE, 4), i ? sum : product, DECORATION_FAST_MATH,
                        FAST_MATH_CONTRACT},
                4);
    return sum;
}

static uint32_t put_choice(
        module_t *m, uint32_t type, uint32_t result, uint32_t is, uint32_t a, uint32_t b) {
    if (!result) result = m->next_id++;
    module_put(m, (uint32_t[]){opening(OP_SELECT, 6), type, result, is, a, b}, 6);
    return result;
}

/* ---- operations of groups ---- */

static bool is_of_sub_group(const module_t *m, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op < OP_GROUP_BROADCAST || op > OP_GROUP_S_MAX) return true;
    return module_is_constant(m, w[3], SCOPE_SUBGROUP) &&
           (op == OP_GROUP_BROADCAST || w[4] == REDUCE);
}

static bool fits(const module_t *m, const builtin_t *builtin, const uint32_t *w) {
    const uint32_t op = spirv_op(w), n = (uint32_t)strlen(builtin->arguments);
    if (op != builtin->op || op == OP_EXT_INST || !is_of_sub_group(m, w)) return false;
    if (!module_is_type(m, w[1], builtin->type)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!module_is_type(
                    m, module_type_of(m, w[spirv_length(w) - n + i]), builtin->arguments[i]))
            return false;
    return true;
}

static bool replace_by_call(module_t *m, const uint32_t *w) {
    for (int b = 0; b < NBUILTINS; b++) {
        if (!fits(m, &builtins[b], w)) continue;
        put_builtin(m, &builtins[b], w[2], w + spirv_length(w) - strlen(builtins[b].arguments));
        return true;
    }
    return false;
}

/* Whether a condition holds for any lane: the maximum of 0 and 1. */
static bool replace_any(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_GROUP_ANY || !module_is_constant(m, w[3], SCOPE_SUBGROUP)) return false;
    const uint32_t type = module_simple_type(m, 'i'), zero = module_whole(m, 0),
                   own = put_choice(m, type, 0, w[4], module_whole(m, 1), zero),
                   most = module_put_call(
                           m, REDUCE_NAME("UMax_i32"), (uint32_t[]){type, type}, 0, &own, 1);
    module_put_two(m, OP_I_NOT_EQUAL, w[1], w[2], most, zero);
    return true;
}

/* A barrier of the work-group that orders local memory alone. Xe-HPG is the first with the messages
 * of this fence. */
static bool replace_barrier(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_CONTROL_BARRIER || !m->is_xe_hpg ||
            !module_is_constant(m, w[1], SCOPE_WORKGROUP))
        return false;
    const uint32_t *semantics = module_at(m, w[3]), none = module_simple_type(m, 'v');
    if (semantics[0] != opening(OP_CONSTANT, 4) || !(semantics[3] & MEMORY_LOCAL) ||
            semantics[3] & (MEMORY_UNIFORM | MEMORY_GLOBAL | MEMORY_OTHER))
        return false;
    module_put_call(m, "__builtin_IB_lsc_fence_local", &none, 0, NULL, 0);
    module_put_call(m, "__builtin_IB_thread_group_barrier", &none, 0, NULL, 0);
    return true;
}

/* ---- functions of the set ---- */

/* x compared with a limit ? a : b, of floats */
static uint32_t put_beyond(module_t *m, uint32_t result, uint32_t compare, uint32_t x, float limit,
        float a, uint32_t b) {
    const uint32_t type = module_simple_type(m, 'f'), value = module_real(m, a),
                   is = module_put_two(
                           m, compare, module_simple_type(m, 'b'), 0, x, module_real(m, limit));
    return put_choice(m, type, result, is, value, b);
}

/* exp(x) = 2^t 2^((x - t log 2) log2 e), where t is x log2 e without its fraction. log 2 is the sum
 * of two constants, of which the first has so few bits that its product with t is exact. */
static uint32_t put_exp(module_t *m, uint32_t type, uint32_t result, uint32_t x) {
    static const char exp2[] = "__builtin_IB_native_exp2f";
    const uint32_t log2_e = module_real(m, 0x1.715476p+0f),
                   t = put_of_float(m, "__builtin_IB_frnd_zi",
                           module_put_two(m, OP_F_MUL, type, 0, x, log2_e)),
                   high = put_mad(m, type, 0, t, module_real(m, -0x1.62e4p-1f), x),
                   rest = put_mad(m, type, 0, t, module_real(m, -0x1.7f7d1cp-20f), high),
                   part = module_put_two(m, OP_F_MUL, type, 0, rest, log2_e),
                   a = put_of_float(m, exp2, t), b = put_of_float(m, exp2, part),
                   y = module_put_two(m, OP_F_MUL, type, 0, a, b),
                   low = put_beyond(m, 0, OP_F_LESS, x, -105, 0, y);
    return put_beyond(m, result, OP_F_GREATER, x, 105, INFINITY, low);
}

/* x without the bit of its sign. */
static uint32_t put_fabs(module_t *m, uint32_t type, uint32_t result, uint32_t x) {
    const uint32_t bits = module_simple_type(m, 'i'),
                   all = module_put_one(m, OP_BITCAST, bits, 0, x),
                   rest = module_put_two(m, OP_AND, bits, 0, all, module_whole(m, 0x7fffffff));
    return module_put_one(m, OP_BITCAST, type, result, rest);
}

static const builtin_t *find_function(uint32_t function) {
    for (int b = 0; b < NBUILTINS; b++)
        if (builtins[b].op == OP_EXT_INST && builtins[b].function == function) return &builtins[b];
    return NULL;
}

static uint32_t put_function(
        module_t *m, uint32_t function, uint32_t type, uint32_t result, const uint32_t *arguments) {
    if (function == STD_EXP) return put_exp(m, type, result, *arguments);
    if (function == STD_FABS) return put_fabs(m, type, result, *arguments);
    return put_builtin(m, find_function(function), result, arguments);
}

enum { MOST_COMPONENTS = 8 };

/* Functions of floats and of vectors of floats. */
static bool replace_function(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_EXT_INST || w[3] != m->set || m->decorations.n > MOST_ADDED / 2)
        return false;
    if (!find_function(w[4]) && w[4] != STD_EXP && w[4] != STD_FABS) return false;
    const uint32_t type = module_component(m, w[1]), n = module_count(m, w[1]);
    if (!module_is_type(m, type, 'f') || n > MOST_COMPONENTS) return false;
    if (n == 1) {
        put_function(m, w[4], type, w[2], w + 5);
        return true;
    }
    uint32_t all[3 + MOST_COMPONENTS] = {opening(OP_COMPOSITE, 3 + n), w[1], w[2]};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parts[MOST_OPERANDS];
        for (uint32_t k = 0; k < spirv_length(w) - 5; k++)
            parts[k] = module_put_two(m, OP_COMPOSITE_PART, type, 0, w[5 + k], i);
        all[3 + i] = put_function(m, w[4], type, 0, parts);
    }
    module_put(m, all, 3 + n);
    return true;
}

/* The lesser or the greater of two integers, or of two vectors of them. */
static uint32_t put_extreme(
        module_t *m, uint32_t compare, uint32_t type, uint32_t result, uint32_t a, uint32_t b) {
    const uint32_t truth = module_vector_type(m, module_simple_type(m, 'b'), module_count(m, type));
    return put_choice(m, type, result, module_put_two(m, compare, truth, 0, a, b), a, b);
}

/* Minima, maxima and products of integers, bitselect(), and mad(), whose accuracy OpenCL leaves
 * open. */
static bool replace_arithmetic(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_EXT_INST || w[3] != m->set) return false;
    const uint32_t type = w[1], result = w[2], a = w[5], b = w[6];
    if (w[4] == STD_MAD) {
        if (m->decorations.n > MOST_ADDED / 2) return false;
        put_mad(m, type, result, a, b, w[7]);
        return true;
    }
    if (spirv_op(module_at(m, module_component(m, type))) != OP_TYPE_INT) return false;
    switch (w[4]) {
    case STD_S_MAX: put_extreme(m, OP_S_GREATER, type, result, a, b); return true;
    case STD_U_MAX: put_extreme(m, OP_U_GREATER, type, result, a, b); return true;
    case STD_S_MIN: put_extreme(m, OP_S_LESS, type, result, a, b); return true;
    case STD_U_MIN: put_extreme(m, OP_U_LESS, type, result, a, b); return true;
    case STD_S_CLAMP: {
        const uint32_t least = put_extreme(m, OP_S_GREATER, type, 0, a, b);
        put_extreme(m, OP_S_LESS, type, result, least, w[7]);
        return true;
    }
    case STD_S_MAD24: { /* of factors of 24 bits */
        const uint32_t product = module_put_two(m, OP_I_MUL, type, 0, a, b);
        module_put_two(m, OP_I_ADD, type, result, product, w[7]);
        return true;
    }
    case STD_BITSELECT: { /* a where the bits of w[7] are 0 */
        const uint32_t other = module_put_two(m, OP_XOR, type, 0, a, b),
                       chosen = module_put_two(m, OP_AND, type, 0, other, w[7]);
        module_put_two(m, OP_XOR, type, result, a, chosen);
        return true;
    }
    default: return false;
    }
}

/* ---- the module ---- */

/* Words that replace an instruction at most: exp() of a vector. */
enum { MOST_REPLACED = (MOST_COMPONENTS + 1) * 80 };

static bool may_grow(uint32_t op) {
    return op == OP_EXT_INST || op == OP_LOAD || op == OP_FUNCTION_CALL || op == OP_GROUP_ANY;
}

static bool replace(module_t *m, const uint32_t *w) {
    return replace_by_call(m, w) || replace_any(m, w) || replace_barrier(m, w) ||
           replace_arithmetic(m, w) || replace_function(m, w) || intel_replace_variable(m, w) ||
           intel_replace_block(m, w) || intel_replace_access(m, w) || intel_replace_function(m, w);
}

static bool write_functions(module_t *m) {
    size_t room = 2 * m->nwords + 3 * MOST_ADDED;
    for (size_t at = m->first_function; at < m->nwords; at += spirv_length(m->words + at))
        if (may_grow(spirv_op(m->words + at))) room += MOST_REPLACED;
    m->out = dz_malloc(room * sizeof *m->out);
    if (!m->out) return false;
    bool skips = false;
    for (size_t at = m->first_function; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at;
        /* Nothing calls the declaration of a replaced function any more. */
        skips = skips || (spirv_op(w) == OP_FUNCTION && module_replaced(m, w[2]));
        if (skips) skips = spirv_op(w) != OP_FUNCTION_END;
        else if (replace(m, w)) m->nreplaced++;
        else module_put(m, w, spirv_length(w));
    }
    return m->nreplaced;
}

uint32_t *intel_builtins(const uint32_t *words, size_t nwords, uint32_t ip_version, size_t *size) {
    module_t *m = dz_calloc(1, sizeof *m);
    if (!m) return NULL;
    m->words = words;
    m->nwords = nwords;
    uint32_t *out = NULL;
    if (intel_module_read(m, ip_version, intel_knows_function) && write_functions(m)) {
        intel_module_finish(m);
        *size = m->nout;
        out = m->out;
    } else {
        dz_free(m->out);
    }
    dz_free(m->places);
    dz_free(m);
    return out;
}
