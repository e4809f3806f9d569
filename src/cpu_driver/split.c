/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites the calls of built-in functions in SPIR-V modules. */
#include "split.h"
#include "spirv_words.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t *words;
    size_t n, capacity;
    bool failed;
} buffer_t;

typedef struct {
    uint32_t type; /* of a value: id of its type */
    uint32_t op;   /* of a type: its opcode */
    /* Of a vector: element type and length. Of a pointer: pointee and storage class. */
    uint32_t element, n;
    uint32_t bytes; /* of a scalar or vector type */
    bool rounds; /* a conversion with saturation or a rounding mode, which is a library function */
} value_t;

enum { MAX_OPERANDS = 8, MAX_PARTS = 8 };

typedef struct {
    const uint32_t *words;
    size_t n_words;
    uint32_t register_bytes;
    split_which_t which;
    value_t *values;
    uint32_t n_values, values_capacity;
    uint32_t opencl; /* id of the imported instruction set of OpenCL */
    buffer_t types, decorations, code;
    bool failed, changed;
    bool contracts; /* some instructions may be contracted, so the module needs a capability */
} splitter_t;

static void put(buffer_t *b, const uint32_t *words, size_t n) {
    if (b->n + n > b->capacity) {
        size_t capacity = (b->n + n) * 2 + 64;
        uint32_t *grown = realloc(b->words, capacity * sizeof *grown);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->words = grown;
        b->capacity = capacity;
    }
    if (n) memcpy(b->words + b->n, words, n * sizeof *words);
    b->n += n;
}

#define PUT(buffer, op, ...)                                                                       \
    do {                                                                                           \
        const uint32_t put_words[] = {0, __VA_ARGS__};                                             \
        uint32_t put_head = (uint32_t)COUNT_OF(put_words) << 16 | (uint32_t)(op);                  \
        put(buffer, &put_head, 1);                                                                 \
        put(buffer, put_words + 1, COUNT_OF(put_words) - 1);                                       \
    } while (0)

static uint32_t new_id(splitter_t *s) {
    if (s->n_values == s->values_capacity) {
        uint32_t capacity = s->values_capacity * 2;
        value_t *grown = realloc(s->values, capacity * sizeof *grown);
        if (!grown) {
            s->failed = true;
            return 0;
        }
        s->values = grown;
        s->values_capacity = capacity;
    }
    s->values[s->n_values] = (value_t){0};
    return s->n_values++;
}

/* Whether an instruction has a result type in word 1 and a result id in word 2. Covers the
 * instructions that kernels use. */
static bool has_typed_result(unsigned op) {
    static const struct {
        uint16_t first, last;
    } ranges[] = {{1, 1}, {12, 12}, {41, 46}, {48, 52}, {54, 55}, {57, 57}, {59, 61}, {65, 70},
            {77, 84}, {86, 98}, {100, 107}, {109, 124}, {126, 152}, {154, 191}, {194, 205},
            {227, 227}, {229, 242}, {245, 245}, {261, 271}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (op >= ranges[i].first && op <= ranges[i].last) return true;
    return false;
}

static void note_type(splitter_t *s, const uint32_t *i) {
    value_t *v = &s->values[i[1]];
    v->op = op_of(i[0]);
    switch (v->op) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT: v->bytes = i[2] / 8; break;
    case OP_TYPE_VECTOR:
        v->element = i[2];
        v->n = i[3];
        v->bytes = i[2] < s->n_values ? s->values[i[2]].bytes * (i[3] == 3 ? 4 : i[3]) : 0;
        break;
    case OP_TYPE_POINTER:
        v->n = i[2];
        v->element = i[3];
        break;
    default: break;
    }
}

/* Records types, decorations, and the type of every value. */
static void survey(splitter_t *s) {
    for (size_t at = 5; at < s->n_words; at += length_of(s->words[at])) {
        const uint32_t *i = s->words + at;
        unsigned op = op_of(i[0]), length = length_of(i[0]);
        if (op >= OP_TYPE_VOID && op <= OP_TYPE_POINTER && length >= 2) note_type(s, i);
        else if (has_typed_result(op) && length >= 3 && i[1] < s->n_values && i[2] < s->n_values)
            s->values[i[2]].type = i[1];
        else if (op == OP_DECORATE && (i[2] == DECORATION_SATURATED || i[2] == DECORATION_ROUNDING))
            s->values[i[1]].rounds = true;
        else if (op == OP_EXT_INST_IMPORT && length >= 3 &&
                 strncmp((const char *)(i + 2), "OpenCL.std", 10) == 0)
            s->opencl = i[1];
    }
}

/* Whether the function with that number works on each element separately. */
static bool is_elementwise_call(const splitter_t *s, uint32_t number) {
    /* Functions of one or two instructions, which are always inlined. */
    static const uint8_t small[] = {12, 13, 23, 25, 26, 27, 28, 42, 53, 61, 66, 95, 141, 149, 150,
            156, 157, 158, 159, 186, 187, 201};
    if (s->which == SPLIT_LARGE && number < 256 && memchr(small, (int)number, sizeof small))
        return false;
    return number <= 103 || (number >= 141 && number <= 170) || number == 186 || number == 187 ||
           (number >= 201 && number <= 204);
}

static const value_t *type_of(const splitter_t *s, uint32_t id) {
    return id < s->n_values ? &s->values[s->values[id].type] : &s->values[0];
}

static uint32_t vector_bytes(const splitter_t *s, uint32_t type_id) {
    const value_t *type = &s->values[type_id];
    return type->op == OP_TYPE_VECTOR ? type->bytes : 0;
}

/* Returns the vector type of `n` elements. Declares it if the module does not have it. */
static uint32_t vector_type(splitter_t *s, uint32_t element, uint32_t n) {
    for (uint32_t id = 1; id < s->n_values; id++)
        if (s->values[id].op == OP_TYPE_VECTOR && s->values[id].element == element &&
                s->values[id].n == n)
            return id;
    uint32_t id = new_id(s);
    if (!id) return 0;
    PUT(&s->types, OP_TYPE_VECTOR, id, element, n);
    s->values[id] = (value_t){.op = OP_TYPE_VECTOR,
            .element = element,
            .n = n,
            .bytes = s->values[element].bytes * n};
    return id;
}

static uint32_t pointer_type(splitter_t *s, uint32_t storage, uint32_t pointee) {
    for (uint32_t id = 1; id < s->n_values; id++)
        if (s->values[id].op == OP_TYPE_POINTER && s->values[id].element == pointee &&
                s->values[id].n == storage)
            return id;
    uint32_t id = new_id(s);
    if (!id) return 0;
    PUT(&s->types, OP_TYPE_POINTER, id, storage, pointee);
    s->values[id] = (value_t){.op = OP_TYPE_POINTER, .element = pointee, .n = storage};
    return id;
}

static uint32_t integer_type(splitter_t *s, uint32_t width) {
    for (uint32_t id = 1; id < s->n_values; id++)
        if (s->values[id].op == OP_TYPE_INT && s->values[id].bytes == width / 8) return id;
    uint32_t id = new_id(s);
    if (!id) return 0;
    PUT(&s->types, OP_TYPE_INT, id, width, 0);
    s->values[id] = (value_t){.op = OP_TYPE_INT, .bytes = width / 8};
    return id;
}

static uint32_t constant(splitter_t *s, uint32_t type, uint32_t value) {
    uint32_t id = new_id(s);
    if (s->values[type].bytes == 8) PUT(&s->types, OP_CONSTANT, type, id, value, 0);
    else PUT(&s->types, OP_CONSTANT, type, id, value);
    return id;
}

/* Returns the type of one part if vectors are split into `parts`. */
static uint32_t part_type(splitter_t *s, uint32_t type_id, uint32_t parts) {
    value_t type = s->values[type_id];
    return vector_type(s, type.element, type.n / parts);
}

/* Returns part `k` of an operand: some elements of a vector, a pointer to some elements if it
 * points to a vector, or else the operand itself. */
static uint32_t part_of(splitter_t *s, uint32_t operand, uint32_t k, uint32_t parts) {
    if (operand >= s->n_values) return operand;
    uint32_t type_id = s->values[operand].type;
    value_t type = s->values[type_id];
    if (type.op == OP_TYPE_VECTOR) {
        uint32_t to = part_type(s, type_id, parts), id = new_id(s), n = type.n / parts;
        uint32_t head[] = {(5 + n) << 16 | OP_VECTOR_SHUFFLE, to, id, operand, operand};
        put(&s->code, head, COUNT_OF(head));
        for (uint32_t e = k * n; e < (k + 1) * n; e++) put(&s->code, &e, 1);
        return id;
    }
    if (type.op == OP_TYPE_POINTER && vector_bytes(s, type.element)) {
        uint32_t to = pointer_type(s, type.n, part_type(s, type.element, parts)), first = new_id(s);
        PUT(&s->code, OP_BITCAST, to, first, operand);
        if (k == 0) return first;
        uint32_t index = constant(s, integer_type(s, 32), k), id = new_id(s);
        PUT(&s->code, OP_IN_BOUNDS_PTR_ACCESS_CHAIN, to, id, first, index);
        return id;
    }
    return operand;
}

/* Joins the parts pairwise. The last join gets the id of the original result. */
static void join(splitter_t *s, uint32_t element, uint32_t n, uint32_t *parts, uint32_t n_parts,
        uint32_t result) {
    while (n_parts > 1) {
        for (uint32_t k = 0; k < n_parts / 2; k++) {
            uint32_t length = n / n_parts * 2;
            uint32_t type = vector_type(s, element, length), id = n_parts == 2 ? result : new_id(s);
            uint32_t head[] = {(5 + length) << 16 | OP_VECTOR_SHUFFLE, type, id, parts[2 * k],
                    parts[2 * k + 1]};
            put(&s->code, head, COUNT_OF(head));
            for (uint32_t e = 0; e < length; e++) put(&s->code, &e, 1);
            parts[k] = id;
        }
        n_parts /= 2;
    }
}

static void copy_decorations(splitter_t *s, uint32_t from, uint32_t to) {
    for (size_t at = 5; at < s->n_words && op_of(s->words[at]) != OP_FUNCTION;
            at += length_of(s->words[at])) {
        const uint32_t *i = s->words + at;
        if (op_of(i[0]) != OP_DECORATE || i[1] != from) continue;
        put(&s->decorations, i, 1);
        put(&s->decorations, &to, 1);
        put(&s->decorations, i + 2, length_of(i[0]) - 2);
    }
}

static uint32_t operand_bytes(const splitter_t *s, const value_t *type) {
    if (type->op == OP_TYPE_POINTER) return vector_bytes(s, type->element);
    return type->op == OP_TYPE_VECTOR ? type->bytes : 0;
}

/* Splits an instruction if its vectors are too wide. `first` is the index of its first operand that
 * is a value. */
static bool split(splitter_t *s, const uint32_t *i, unsigned first) {
    unsigned length = length_of(i[0]), n_operands = length - first;
    if (i[1] >= s->n_values || i[2] >= s->n_values) return false;
    value_t result = s->values[i[1]];
    if (result.op != OP_TYPE_VECTOR || n_operands == 0 || n_operands > MAX_OPERANDS) return false;
    uint32_t widest = result.bytes;
    for (unsigned k = first; k < length; k++) {
        const value_t *type = type_of(s, i[k]);
        const uint32_t bytes = operand_bytes(s, type);
        if (bytes > widest) widest = bytes;
    }
    uint32_t parts = widest / s->register_bytes;
    if (parts < 2 || parts > MAX_PARTS || result.n % parts != 0 || result.n / parts < 2)
        return false;

    uint32_t ids[MAX_PARTS], to = part_type(s, i[1], parts);
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t operands[MAX_OPERANDS];
        for (unsigned k = 0; k < n_operands; k++) operands[k] = part_of(s, i[first + k], p, parts);
        ids[p] = new_id(s);
        uint32_t head[] = {i[0], to, ids[p]};
        put(&s->code, head, COUNT_OF(head));
        put(&s->code, i + 3, first - 3);
        put(&s->code, operands, n_operands);
        copy_decorations(s, i[2], ids[p]);
    }
    join(s, result.element, result.n, ids, parts, i[2]);
    return true;
}

/* Replaces mad(), whose rounding is not specified, by a product and a sum that LLVM may
 * contract. */
static bool contract(splitter_t *s, const uint32_t *i) {
    enum { MAD = 42 };
    if (i[4] != MAD || length_of(i[0]) != 8 || i[1] >= s->n_values) return false;
    const value_t *type = &s->values[i[1]];
    const uint32_t element = type->op == OP_TYPE_VECTOR ? type->element : i[1];
    if (s->values[element].op != OP_TYPE_FLOAT) return false;
    uint32_t product = new_id(s);
    PUT(&s->code, OP_F_MUL, i[1], product, i[5], i[6]);
    PUT(&s->code, OP_F_ADD, i[1], i[2], product, i[7]);
    PUT(&s->decorations, OP_DECORATE, product, DECORATION_FAST_MATH, FAST_MATH_CONTRACT);
    PUT(&s->decorations, OP_DECORATE, i[2], DECORATION_FAST_MATH, FAST_MATH_CONTRACT);
    s->contracts = true;
    return true;
}

/* Replaces vload and vstore by instructions that access a vector with the alignment of its
 * elements. The operands are the data (of a store), an offset in vectors, the pointer, and the
 * length (of a load). */
static bool access_directly(splitter_t *s, const uint32_t *i) {
    enum { VLOAD = 171, VSTORE = 172 };
    const bool loads = i[4] == VLOAD;
    if ((!loads && i[4] != VSTORE) || length_of(i[0]) != 8) return false;
    uint32_t data = i[5], offset = i[loads ? 5 : 6], pointer = i[loads ? 6 : 7];
    if (i[1] >= s->n_values || data >= s->n_values || offset >= s->n_values ||
            pointer >= s->n_values)
        return false;
    uint32_t type_id = loads ? i[1] : s->values[data].type, offset_type = s->values[offset].type;
    value_t type = s->values[type_id], behind = s->values[s->values[pointer].type];
    if (type.op != OP_TYPE_VECTOR || type.n == 3 || s->values[offset_type].op != OP_TYPE_INT ||
            behind.op != OP_TYPE_POINTER || behind.element != type.element)
        return false;
    uint32_t index = new_id(s), at = new_id(s), place = new_id(s);
    uint32_t vectors = pointer_type(s, behind.n, type_id), align = s->values[type.element].bytes;
    PUT(&s->code, OP_I_MUL, offset_type, index, offset, constant(s, offset_type, type.n));
    PUT(&s->code, OP_IN_BOUNDS_PTR_ACCESS_CHAIN, s->values[pointer].type, at, pointer, index);
    PUT(&s->code, OP_BITCAST, vectors, place, at);
    if (loads) {
        PUT(&s->code, OP_LOAD, type_id, i[2], place, ACCESS_ALIGNED, align);
    } else {
        PUT(&s->code, OP_STORE, place, data, ACCESS_ALIGNED, align);
        PUT(&s->code, OP_UNDEF, offset_type, i[2]); /* names and decorations may refer to the id */
    }
    return true;
}

/* Splits vload and vstore functions. The operands are the data (of a store), an offset in vectors,
 * the pointer, and literals: the length (of a load), a rounding mode (of some stores). */
static bool split_access(splitter_t *s, const uint32_t *i) {
    enum {
        VLOAD = 171,
        VSTORE = 172,
        LOAD_HALF = 174,
        STORE_HALF = 177,
        STORE_HALF_ROUND = 178,
        LOADA_HALF = 179
    };
    uint32_t number = i[4];
    unsigned length = length_of(i[0]);
    bool loads = number == VLOAD || number == LOAD_HALF || number == LOADA_HALF;
    bool rounds = number == STORE_HALF_ROUND || number == 181;
    if (!loads && !rounds && number != VSTORE && number != STORE_HALF && number != 180)
        return false;
    if (length != (rounds ? 9u : 8u) || i[1] >= s->n_values || i[2] >= s->n_values) return false;
    uint32_t data = i[5], offset = i[loads ? 5 : 6], pointer = i[loads ? 6 : 7];
    if (offset >= s->n_values || (!loads && data >= s->n_values)) return false;
    uint32_t type_id = loads ? i[1] : s->values[data].type, offset_type = s->values[offset].type;
    value_t type = s->values[type_id];
    if (type.op != OP_TYPE_VECTOR || s->values[offset_type].op != OP_TYPE_INT) return false;
    uint32_t parts = type.bytes / s->register_bytes;
    if (parts < 2 || parts > MAX_PARTS || type.n % parts != 0 || type.n / parts < 2) return false;

    uint32_t to = part_type(s, type_id, parts), base = new_id(s), ids[MAX_PARTS];
    PUT(&s->code, OP_I_MUL, offset_type, base, offset, constant(s, offset_type, parts));
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t at = new_id(s);
        PUT(&s->code, OP_I_ADD, offset_type, at, base, constant(s, offset_type, p));
        uint32_t piece = loads ? 0 : part_of(s, data, p, parts);
        /* A store has no result, but names and decorations may refer to its id. */
        ids[p] = !loads && p == 0 ? i[2] : new_id(s);
        if (loads)
            PUT(&s->code, OP_EXT_INST, to, ids[p], i[3], number, at, pointer, type.n / parts);
        else if (rounds)
            PUT(&s->code, OP_EXT_INST, i[1], ids[p], i[3], number, piece, at, pointer, i[8]);
        else PUT(&s->code, OP_EXT_INST, i[1], ids[p], i[3], number, piece, at, pointer);
    }
    if (loads) join(s, type.element, type.n, ids, parts, i[2]);
    return true;
}

static bool try_split(splitter_t *s, const uint32_t *i) {
    unsigned op = op_of(i[0]), length = length_of(i[0]);
    if (op == OP_EXT_INST) {
        if (length <= 5 || i[3] != s->opencl) return false;
        if (contract(s, i)) return true;
        if (access_directly(s, i)) return true;
        if (s->which == SPLIT_ALL && split_access(s, i)) return true;
        return is_elementwise_call(s, i[4]) && split(s, i, 5);
    }
    bool converts = op >= OP_CONVERT_F_TO_U && op <= OP_F_CONVERT && length == 4 &&
                    i[2] < s->n_values && s->values[i[2]].rounds;
    bool saturates = (op == OP_SAT_CONVERT_S_TO_U || op == OP_SAT_CONVERT_U_TO_S) && length == 4;
    bool classifies = s->which == SPLIT_ALL && op >= OP_IS_NAN && op <= OP_UNORDERED && length >= 4;
    bool counts =
            s->which == SPLIT_ALL && (op == OP_BIT_REVERSE || op == OP_BIT_COUNT) && length == 4;
    return (converts || saturates || classifies || counts) && split(s, i, 3);
}

ze_result_t spirv_split_wide(const uint32_t *words, size_t n_words, uint32_t register_bytes,
        split_which_t which, uint32_t **out, size_t *out_words) {
    splitter_t s = {
            .words = words, .n_words = n_words, .register_bytes = register_bytes, .which = which};
    buffer_t module = {0};
    *out = NULL;
    s.n_values = words[3];
    s.values_capacity = words[3] + 64;
    s.values = calloc(s.values_capacity, sizeof *s.values);
    if (!s.values) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    survey(&s);

    size_t first_type = 0, first_function = n_words;
    for (size_t at = 5; at < n_words; at += length_of(words[at])) {
        unsigned op = op_of(words[at]);
        if (!first_type && op >= OP_TYPE_VOID && op <= OP_VARIABLE) first_type = at;
        if (first_function == n_words && op == OP_FUNCTION) first_function = at;
    }
    for (size_t at = first_function; at < n_words; at += length_of(words[at])) {
        if (s.opencl && try_split(&s, words + at)) s.changed = true;
        else put(&s.code, words + at, length_of(words[at]));
    }
    if (s.changed && first_type) {
        put(&module, words, 5);
        if (s.contracts) PUT(&module, OP_CAPABILITY, CAPABILITY_FAST_MATH_INTEL);
        put(&module, words + 5, first_type - 5);
        put(&module, s.decorations.words, s.decorations.n);
        put(&module, words + first_type, first_function - first_type);
        put(&module, s.types.words, s.types.n);
        put(&module, s.code.words, s.code.n);
    }
    s.failed |= s.types.failed || s.decorations.failed || s.code.failed || module.failed;
    if (!s.failed && s.changed && first_type) {
        module.words[3] = s.n_values;
        *out = module.words;
        *out_words = module.n;
    } else {
        free(module.words);
    }
    free(s.types.words);
    free(s.decorations.words);
    free(s.code.words);
    free(s.values);
    return s.failed ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}
