/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/intel_builtins.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "plan/spirv_form.h"

/* The functions of the set OpenCL.std that are replaced. */
enum {
    STD_EXP = 19,
    STD_FMAX = 27,
    STD_FMIN = 28,
    STD_MAD = 42,
    STD_RINT = 53,
    STD_SQRT = 61,
    STD_S_MAX = 156,
    STD_U_MAX = 157,
    STD_S_MIN = 158,
    STD_U_MIN = 159,
};

enum { SCOPE_WORKGROUP = 2, SCOPE_SUBGROUP = 3, REDUCE = 0 };
/* Semantics of a barrier: which memory it orders. */
enum { MEMORY_UNIFORM = 0x40, MEMORY_LOCAL = 0x100, MEMORY_GLOBAL = 0x200, MEMORY_OTHER = 0xc00 };
enum { LINKAGE_IMPORT = 1, CAPABILITY_LINKAGE = 5 };
/* Of SPV_INTEL_fp_fast_math_mode. */
enum { DECORATION_FAST_MATH = 40, FAST_MATH_CONTRACT = 0x10000, CAPABILITY_FAST_MATH = 5837 };

/* Types are letters: i and f are 32 bits wide, v is none. */
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
        {OP_EXT_INST, STD_FMAX, 'f', "ff", "__builtin_IB_fmax"},
        {OP_EXT_INST, STD_FMIN, 'f', "ff", "__builtin_IB_fmin"},
        {OP_EXT_INST, STD_SQRT, 'f', "f", "__builtin_IB_native_sqrtf"},
        {OP_EXT_INST, STD_RINT, 'f', "f", "__builtin_IB_frnd_ne"},
        /* Parts of other replacements. */
        {0, 0, 'f', "f", "__builtin_IB_frnd_zi"},
        {0, 0, 'f', "f", "__builtin_IB_native_exp2f"},
        {OP_CONTROL_BARRIER, 0, 'v', "", "__builtin_IB_lsc_fence_local"},
        {OP_CONTROL_BARRIER, 0, 'v', "", "__builtin_IB_thread_group_barrier"},
};
enum {
    NBUILTINS = sizeof builtins / sizeof *builtins,
    TRUNCATE = NBUILTINS - 4,
    EXP2,
    FENCE,
    BARRIER
};

enum { MOST_ADDED = 4096 /* words, of which all builtins need less than half */ };
typedef struct {
    uint32_t words[MOST_ADDED];
    size_t n;
} added_t;

typedef struct {
    const uint32_t *words;
    size_t nwords, first_extension, first_type, first_function; /* word numbers */
    uint32_t bound, next_id, set; /* set: the identifier of OpenCL.std, or 0 */
    uint32_t *places;             /* of each identifier: its instruction, or 0 */
    bool has_fence, has_linkage, contracts;
    uint32_t ids[NBUILTINS]; /* 0: not declared */
    added_t decorations, globals, declarations;
    uint32_t *out;
    size_t nout, nreplaced;
} module_t;

static uint32_t opening(uint32_t op, uint32_t n) {
    return n << 16 | op;
}

static void add(added_t *to, const uint32_t *words, size_t n) {
    memcpy(to->words + to->n, words, n * sizeof *words);
    to->n += n;
}

static void put(module_t *m, const uint32_t *words, size_t n) {
    memcpy(m->out + m->nout, words, n * sizeof *words);
    m->nout += n;
}

/* ---- what the module has ---- */

/* specialise() has read the module, so that its instructions are known and lie within it. */
static bool read_all(module_t *m) {
    m->bound = m->next_id = m->words[3];
    m->places = dz_calloc(m->bound, sizeof *m->places);
    if (!m->places) return false;
    for (size_t at = SPIRV_HEADER; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w), id = spirv_result(w);
        if (id && id < m->bound) m->places[id] = (uint32_t)at;
        if (op == OP_CAPABILITY && w[1] == CAPABILITY_LINKAGE) m->has_linkage = true;
        if (op == OP_EXT_INST_IMPORT && !strcmp((const char *)(w + 2), "OpenCL.std")) m->set = w[1];
        if (op != OP_CAPABILITY && !m->first_extension) m->first_extension = at;
        if (op >= OP_TYPE_VOID && op < OP_DECORATE && !m->first_type) m->first_type = at;
        if (op == OP_FUNCTION && !m->first_function) m->first_function = at;
    }
    return m->has_linkage && m->first_type && m->first_function;
}

static uint32_t find_type(
        const uint32_t *words, size_t from, size_t until, const uint32_t *wanted, uint32_t n) {
    for (size_t at = from; at < until; at += spirv_length(words + at))
        if (words[at] == wanted[0] &&
                (n == 2 || !memcmp(words + at + 2, wanted + 2, (n - 2) * sizeof *wanted)))
            return words[at + 1];
    return 0;
}

/* The identifier of a type, which is added if the module does not have it. n: of its words; the
 * second, its identifier, is ignored. */
static uint32_t type_id(module_t *m, uint32_t *type, uint32_t n) {
    uint32_t id = find_type(m->words, m->first_type, m->first_function, type, n);
    if (!id) id = find_type(m->globals.words, 0, m->globals.n, type, n);
    if (id) return id;
    type[1] = m->next_id++;
    add(&m->globals, type, n);
    return type[1];
}

static uint32_t simple_type(module_t *m, char letter) {
    uint32_t none[] = {opening(OP_TYPE_VOID, 2), 0}, real[] = {opening(OP_TYPE_FLOAT, 3), 0, 32},
             whole[] = {opening(OP_TYPE_INT, 4), 0, 32, 0};
    return letter == 'v'   ? type_id(m, none, 2)
           : letter == 'f' ? type_id(m, real, 3)
                           : type_id(m, whole, 4);
}

/* The identifier of a constant of type float. */
static uint32_t real_id(module_t *m, float value) {
    uint32_t words[] = {opening(OP_CONSTANT, 4), simple_type(m, 'f'), 0, 0};
    memcpy(words + 3, &value, sizeof value);
    const added_t *added = &m->globals;
    for (size_t at = 0; at < added->n; at += spirv_length(added->words + at)) {
        const uint32_t *w = added->words + at;
        if (w[0] == words[0] && w[1] == words[1] && w[3] == words[3]) return w[2];
    }
    words[2] = m->next_id++;
    add(&m->globals, words, 4);
    return words[2];
}

static bool is_type(const module_t *m, uint32_t type, char letter) {
    const uint32_t *w = m->words + m->places[type];
    return spirv_op(w) == (letter == 'f' ? OP_TYPE_FLOAT : OP_TYPE_INT) && w[2] == 32;
}

/* The type of a value. Constants and instructions have it in the same place. */
static uint32_t type_of(const module_t *m, uint32_t id) {
    return m->words[m->places[id] + 1];
}

/* Whether an identifier is an integer constant of this value. */
static bool is_constant(const module_t *m, uint32_t id, uint32_t value) {
    const uint32_t *w = m->words + m->places[id];
    return w[0] == opening(OP_CONSTANT, 4) && w[3] == value;
}

/* ---- calls ---- */

/* Declares a builtin as an imported function. */
static uint32_t declare(module_t *m, int b) {
    const builtin_t *builtin = &builtins[b];
    const uint32_t n = (uint32_t)strlen(builtin->arguments);
    if (m->ids[b]) return m->ids[b];
    uint32_t type[5] = {opening(OP_TYPE_FUNCTION, 3 + n), 0, simple_type(m, builtin->type)};
    for (uint32_t i = 0; i < n; i++) type[3 + i] = simple_type(m, builtin->arguments[i]);
    const uint32_t function_type = type_id(m, type, 3 + n), id = m->ids[b] = m->next_id++;
    add(&m->declarations, (uint32_t[]){opening(OP_FUNCTION, 5), type[2], id, 0, function_type}, 5);
    for (uint32_t i = 0; i < n; i++)
        add(&m->declarations,
                (uint32_t[]){opening(OP_FUNCTION_PARAMETER, 3), type[3 + i], m->next_id++}, 3);
    add(&m->declarations, (uint32_t[]){opening(OP_FUNCTION_END, 1)}, 1);
    const uint32_t name_words = (uint32_t)strlen(builtin->name) / 4 + 1;
    uint32_t name[16] = {0};
    memcpy(name, builtin->name, strlen(builtin->name));
    add(&m->decorations, (uint32_t[]){opening(OP_DECORATE, 4 + name_words), id, DECORATION_LINKAGE},
            3);
    add(&m->decorations, name, name_words);
    add(&m->decorations, (uint32_t[]){LINKAGE_IMPORT}, 1);
    return id;
}

/* result: 0 for a new one. Returns it. */
static uint32_t put_call(module_t *m, int b, uint32_t result, const uint32_t *arguments) {
    const uint32_t n = (uint32_t)strlen(builtins[b].arguments), id = declare(m, b);
    if (!result) result = m->next_id++;
    put(m,
            (uint32_t[]){
                    opening(OP_FUNCTION_CALL, 4 + n), simple_type(m, builtins[b].type), result, id},
            4);
    if (n) put(m, arguments, n);
    return result;
}

/* An instruction with two operands. */
static uint32_t put_two(
        module_t *m, uint32_t op, uint32_t type, uint32_t result, uint32_t a, uint32_t b) {
    if (!result) result = m->next_id++;
    put(m, (uint32_t[]){opening(op, 5), type, result, a, b}, 5);
    return result;
}

/* a * b + c, which the compiler may make one instruction of. */
static uint32_t put_mad(
        module_t *m, uint32_t type, uint32_t result, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t product = put_two(m, OP_F_MUL, type, 0, a, b),
                   sum = put_two(m, OP_F_ADD, type, result, product, c);
    m->contracts = true;
    for (int i = 0; i < 2; i++)
        add(&m->decorations,
                (uint32_t[]){opening(OP_DECORATE, 4), i ? sum : product, DECORATION_FAST_MATH,
                        FAST_MATH_CONTRACT},
                4);
    return sum;
}

/* ---- instructions ---- */

static bool is_of_sub_group(const module_t *m, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op < OP_GROUP_BROADCAST || op > OP_GROUP_S_MAX) return true;
    return is_constant(m, w[3], SCOPE_SUBGROUP) && (op == OP_GROUP_BROADCAST || w[4] == REDUCE);
}

static bool fits(const module_t *m, const builtin_t *builtin, const uint32_t *w) {
    const uint32_t op = spirv_op(w), n = (uint32_t)strlen(builtin->arguments);
    if (op != builtin->op || op == OP_EXT_INST || !is_of_sub_group(m, w)) return false;
    if (!is_type(m, w[1], builtin->type)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!is_type(m, type_of(m, w[spirv_length(w) - n + i]), builtin->arguments[i]))
            return false;
    return true;
}

static bool replace_by_call(module_t *m, const uint32_t *w) {
    for (int b = 0; b < TRUNCATE; b++) {
        if (!fits(m, &builtins[b], w)) continue;
        put_call(m, b, w[2], w + spirv_length(w) - strlen(builtins[b].arguments));
        return true;
    }
    return false;
}

/* A barrier of the work-group that orders local memory alone. */
static bool replace_barrier(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_CONTROL_BARRIER || !m->has_fence ||
            !is_constant(m, w[1], SCOPE_WORKGROUP))
        return false;
    const uint32_t *semantics = m->words + m->places[w[3]];
    if (semantics[0] != opening(OP_CONSTANT, 4) || !(semantics[3] & MEMORY_LOCAL) ||
            semantics[3] & (MEMORY_UNIFORM | MEMORY_GLOBAL | MEMORY_OTHER))
        return false;
    put_call(m, FENCE, 0, NULL);
    put_call(m, BARRIER, 0, NULL);
    return true;
}

/* condition ? a : b, of floats */
static uint32_t put_choice(module_t *m, uint32_t result, uint32_t compare, uint32_t x, float limit,
        float a, uint32_t b) {
    uint32_t truth[] = {opening(OP_TYPE_BOOL, 2), 0};
    const uint32_t type = simple_type(m, 'f'), value = real_id(m, a), to = real_id(m, limit),
                   is = put_two(m, compare, type_id(m, truth, 2), 0, x, to);
    if (!result) result = m->next_id++;
    put(m, (uint32_t[]){opening(OP_SELECT, 6), type, result, is, value, b}, 6);
    return result;
}

/* exp(x) = 2^t 2^((x - t log 2) log2 e), where t is x log2 e without its fraction. log 2 is the sum
 * of two constants, of which the first has so few bits that its product with t is exact. */
static uint32_t put_exp(module_t *m, uint32_t type, uint32_t result, uint32_t x) {
    const uint32_t log2_e = real_id(m, 0x1.715476p+0f),
                   whole = put_two(m, OP_F_MUL, type, 0, x, log2_e),
                   t = put_call(m, TRUNCATE, 0, &whole),
                   high = put_mad(m, type, 0, t, real_id(m, -0x1.62e4p-1f), x),
                   rest = put_mad(m, type, 0, t, real_id(m, -0x1.7f7d1cp-20f), high),
                   part = put_two(m, OP_F_MUL, type, 0, rest, log2_e), a = put_call(m, EXP2, 0, &t),
                   b = put_call(m, EXP2, 0, &part), y = put_two(m, OP_F_MUL, type, 0, a, b),
                   low = put_choice(m, 0, OP_F_LESS, x, -105, 0, y);
    return put_choice(m, result, OP_F_GREATER, x, 105, INFINITY, low);
}

/* The builtin that computes a function of the set; EXP2 also for exp(). -1: none. */
static int builtin_of(uint32_t function) {
    if (function == STD_EXP) return EXP2;
    for (int b = 0; b < TRUNCATE; b++)
        if (builtins[b].op == OP_EXT_INST && builtins[b].function == function) return b;
    return -1;
}

static uint32_t put_function(
        module_t *m, int b, uint32_t type, uint32_t result, const uint32_t *arguments) {
    return b == EXP2 ? put_exp(m, type, result, *arguments) : put_call(m, b, result, arguments);
}

enum { MOST_COMPONENTS = 8 };

/* Functions of floats and of vectors of floats. */
static bool replace_function(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_EXT_INST || w[3] != m->set || m->decorations.n > MOST_ADDED / 2)
        return false;
    const uint32_t *type = m->words + m->places[w[1]];
    const int b = builtin_of(w[4]);
    if (b < 0) return false;
    if (is_type(m, w[1], 'f')) {
        put_function(m, b, w[1], w[2], w + 5);
        return true;
    }
    if (spirv_op(type) != OP_TYPE_VECTOR || !is_type(m, type[2], 'f') || type[3] > MOST_COMPONENTS)
        return false;
    uint32_t all[3 + MOST_COMPONENTS] = {opening(OP_COMPOSITE, 3 + type[3]), w[1], w[2]};
    for (uint32_t i = 0; i < type[3]; i++) {
        uint32_t parts[2];
        for (size_t k = 0; k < strlen(builtins[b].arguments); k++)
            parts[k] = put_two(m, OP_COMPOSITE_PART, type[2], 0, w[5 + k], i);
        all[3 + i] = put_function(m, b, type[2], 0, parts);
    }
    put(m, all, 3 + type[3]);
    return true;
}

/* Minima and maxima of integers, and mad(), whose accuracy OpenCL leaves open. */
static bool replace_arithmetic(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_EXT_INST || w[3] != m->set) return false;
    if (w[4] == STD_MAD) {
        if (m->decorations.n > MOST_ADDED / 2) return false;
        put_mad(m, w[1], w[2], w[5], w[6], w[7]);
        return true;
    }
    const uint32_t compare = w[4] == STD_S_MAX   ? OP_S_GREATER
                             : w[4] == STD_U_MAX ? OP_U_GREATER
                             : w[4] == STD_S_MIN ? OP_S_LESS
                             : w[4] == STD_U_MIN ? OP_U_LESS
                                                 : 0;
    if (!compare || spirv_op(m->words + m->places[w[1]]) != OP_TYPE_INT) return false;
    uint32_t truth[] = {opening(OP_TYPE_BOOL, 2), 0};
    const uint32_t is_first = put_two(m, compare, type_id(m, truth, 2), 0, w[5], w[6]);
    put(m, (uint32_t[]){opening(OP_SELECT, 6), w[1], w[2], is_first, w[5], w[6]}, 6);
    return true;
}

/* Words that replace a function of the set at most: exp() of a vector. Replacements of other
 * instructions have at most twice their words. */
enum { MOST_REPLACED = (MOST_COMPONENTS + 1) * 80 };

static bool write_functions(module_t *m) {
    size_t room = 2 * m->nwords + 3 * MOST_ADDED;
    for (size_t at = m->first_function; at < m->nwords; at += spirv_length(m->words + at))
        if (spirv_op(m->words + at) == OP_EXT_INST) room += MOST_REPLACED;
    m->out = dz_malloc(room * sizeof *m->out);
    if (!m->out) return false;
    for (size_t at = m->first_function; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at;
        if (replace_by_call(m, w) || replace_barrier(m, w) || replace_arithmetic(m, w) ||
                replace_function(m, w))
            m->nreplaced++;
        else put(m, w, spirv_length(w));
    }
    return m->nreplaced;
}

/* Moves the functions behind what comes before them. */
static void write_head(module_t *m) {
    static const char name[] = "SPV_INTEL_fp_fast_math_mode";
    uint32_t extension[3 + sizeof name / 4] = {opening(OP_CAPABILITY, 2), CAPABILITY_FAST_MATH,
            opening(OP_EXTENSION, 1 + sizeof name / 4)};
    memcpy(extension + 3, name, sizeof name);
    const size_t extra = m->contracts ? sizeof extension / sizeof *extension : 0;
    const size_t head =
            extra + m->first_function + m->decorations.n + m->globals.n + m->declarations.n;
    memmove(m->out + head, m->out, m->nout * sizeof *m->out);
    const size_t nwords = head + m->nout;
    m->nout = 0;
    put(m, m->words, m->first_extension);
    put(m, extension, extra);
    put(m, m->words + m->first_extension, m->first_type - m->first_extension);
    put(m, m->decorations.words, m->decorations.n);
    put(m, m->words + m->first_type, m->first_function - m->first_type);
    put(m, m->globals.words, m->globals.n);
    put(m, m->declarations.words, m->declarations.n);
    m->nout = nwords;
    m->out[3] = m->next_id;
}

/* Xe-HPG, 12.55, is the first with the messages of this fence. */
static bool has_fence(uint32_t ip_version) {
    return ip_version >= (12u << 22 | 55u << 14);
}

uint32_t *intel_builtins(const uint32_t *words, size_t nwords, uint32_t ip_version, size_t *size) {
    module_t *m = dz_calloc(1, sizeof *m);
    if (!m) return NULL;
    m->words = words;
    m->nwords = nwords;
    m->has_fence = has_fence(ip_version);
    uint32_t *out = NULL;
    if (read_all(m) && write_functions(m)) {
        write_head(m);
        *size = m->nout;
        out = m->out;
    } else {
        dz_free(m->out);
    }
    dz_free(m->places);
    dz_free(m);
    return out;
}
