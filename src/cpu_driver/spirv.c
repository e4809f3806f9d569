/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks a SPIR-V module with OpenCL kernels, and sets specialisation constants. */
#include "spirv.h"
#include "local.h"
#include "spirv_words.h"

#include <stdlib.h>
#include <string.h>

/* Properties of one result id. */
typedef struct {
    uint32_t at; /* index of the defining instruction; 0: none */
    uint32_t spec_id;
    uint64_t size, align; /* of a type in memory, by the rules of OpenCL C; size 0: unknown */
    bool has_spec_id, packed, by_value, imported, builtin;
} id_info_t;

typedef struct {
    const uint32_t *words;
    size_t n_words;
    id_info_t *ids;
    uint32_t bound;
    log_t *log;
} reader_t;

/* The minimal length of the instructions whose operands are read. */
static const struct {
    uint16_t op, words;
} min_words[] = {
        {OP_MEMORY_MODEL, 3},
        {OP_ENTRY_POINT, 4},
        {OP_EXECUTION_MODE, 3},
        {OP_CAPABILITY, 2},
        {OP_TYPE_INT, 4},
        {OP_TYPE_FLOAT, 3},
        {OP_TYPE_VECTOR, 4},
        {OP_TYPE_ARRAY, 4},
        {OP_TYPE_STRUCT, 2},
        {OP_TYPE_POINTER, 4},
        {OP_CONSTANT, 4},
        {OP_SPEC_CONSTANT, 4},
        {OP_SPEC_CONSTANT_TRUE, 3},
        {OP_SPEC_CONSTANT_FALSE, 3},
        {OP_FUNCTION, 5},
        {OP_FUNCTION_PARAMETER, 3},
        {OP_FUNCTION_END, 1},
        {OP_VARIABLE, 4},
        {OP_DECORATE, 3},
        {OP_LABEL, 2},
        {OP_NAME, 3},
};

/* The index of the word with the result id, for instructions whose ids are recorded; otherwise
 * 0. */
static unsigned result_word(unsigned op) {
    if (op >= OP_TYPE_VOID && op <= 38) return 1; /* all types but the forward pointer */
    if (op >= 41 && op <= 52) return 2;           /* constants */
    if (op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER || op == OP_VARIABLE) return 2;
    return op == OP_LABEL ? 1 : 0;
}

/* Returns the string at word `from`; NULL if it does not end inside the instruction. */
static const char *string_at(const uint32_t *instruction, unsigned from) {
    unsigned length = length_of(instruction[0]);
    if (from >= length) return NULL;
    const char *text = (const char *)(instruction + from);
    return memchr(text, 0, (size_t)(length - from) * 4) ? text : NULL;
}

static ze_result_t refuse(reader_t *r, size_t at, const char *why) {
    log_add(r->log, "error: SPIR-V word %zu: %s\n", at, why);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static ze_result_t check_header(reader_t *r) {
    const uint32_t *w = r->words;
    if (r->n_words < 5) return refuse(r, r->n_words, "the module ends inside its header");
    if (w[0] == __builtin_bswap32(SPIRV_MAGIC))
        return refuse(r, 0, "the module has the wrong byte order");
    if (w[0] != SPIRV_MAGIC) return refuse(r, 0, "the magic number of SPIR-V is missing");
    if ((w[1] >> 16) != 1 || ((w[1] >> 8) & 0xff) > MAX_MINOR || (w[1] & 0xff))
        return refuse(r, 1, "the version of SPIR-V is not supported");
    if (w[3] == 0 || w[3] > MAX_BOUND) return refuse(r, 3, "the bound of ids is zero or too large");
    if (w[4] != 0) return refuse(r, 4, "the reserved word is not zero");
    r->bound = w[3];
    return ZE_RESULT_SUCCESS;
}

static ze_result_t note_decoration(reader_t *r, size_t at) {
    const uint32_t *i = r->words + at;
    if (i[1] == 0 || i[1] >= r->bound) return refuse(r, at, "a decorated id exceeds the bound");
    id_info_t *id = &r->ids[i[1]];
    unsigned length = length_of(i[0]);
    if (i[2] == DECORATION_PACKED) id->packed = true;
    if (i[2] == DECORATION_BUILTIN) id->builtin = true; /* an import that the device defines */
    if (i[2] == DECORATION_SPEC_ID && length >= 4) {
        id->has_spec_id = true;
        id->spec_id = i[3];
    }
    if (i[2] == DECORATION_PARAM_ATTRIBUTE && length >= 4 && i[3] == PARAM_BY_VALUE)
        id->by_value = true;
    if (i[2] == DECORATION_LINKAGE) {
        const char *name = string_at(i, 3);
        if (!name) return refuse(r, at, "a linkage name has no end");
        if (i[length - 1] == LINKAGE_IMPORT) id->imported = true;
    }
    return ZE_RESULT_SUCCESS;
}

/* Computes size and alignment of the type defined at `at`. Types are defined before use, so its
 * elements are known already; an unknown element is a forward-declared pointer. */
static void lay_out(reader_t *r, size_t at) {
    const uint32_t *i = r->words + at;
    unsigned length = length_of(i[0]);
    id_info_t *type = &r->ids[i[1]];
    const id_info_t *element = length > 2 && i[2] < r->bound ? &r->ids[i[2]] : &r->ids[0];
    type->align = 1;
    switch (op_of(i[0])) {
    case OP_TYPE_BOOL: type->size = 1; break;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        type->size = i[2] / 8u;
        type->align = type->size ? type->size : 1;
        break;
    case OP_TYPE_POINTER: type->size = type->align = 8; break;
    case OP_TYPE_VECTOR:
        type->size = element->size * (i[3] == 3 ? 4 : i[3]);
        type->align = type->size ? type->size : 1;
        break;
    case OP_TYPE_ARRAY: {
        const uint32_t *count =
                i[3] < r->bound && r->ids[i[3]].at ? r->words + r->ids[i[3]].at : NULL;
        if (!count || (op_of(count[0]) != OP_CONSTANT && op_of(count[0]) != OP_SPEC_CONSTANT))
            break;
        type->size = element->size * count[3];
        type->align = element->align ? element->align : 1;
        break;
    }
    case OP_TYPE_STRUCT:
        for (unsigned k = 2; k < length; k++) {
            const id_info_t *member = i[k] < r->bound ? &r->ids[i[k]] : &r->ids[0];
            uint64_t size = member->at ? member->size : 8;
            uint64_t align = type->packed ? 1 : member->at ? member->align : 8;
            type->size = (type->size + align - 1) / align * align + size;
            if (align > type->align) type->align = align;
        }
        type->size = (type->size + type->align - 1) / type->align * type->align;
        break;
    default: break;
    }
}

/* Checks all instructions: lengths, ids, nesting of functions, memory model. */
static ze_result_t scan(reader_t *r) {
    bool in_function = false, memory_model = false;
    for (size_t at = 5; at < r->n_words; at += length_of(r->words[at])) {
        const uint32_t *i = r->words + at;
        unsigned op = op_of(i[0]), length = length_of(i[0]);
        if (length == 0) return refuse(r, at, "an instruction has no words");
        if (length > r->n_words - at) return refuse(r, at, "the module ends inside an instruction");
        for (size_t k = 0; k < COUNT_OF(min_words); k++)
            if (min_words[k].op == op && length < min_words[k].words)
                return refuse(r, at, "an instruction is too short for its opcode");

        unsigned result = result_word(op);
        if (result && result < length) {
            uint32_t id = i[result];
            if (id == 0 || id >= r->bound) return refuse(r, at, "a result id exceeds the bound");
            if (r->ids[id].at) return refuse(r, at, "a result id is defined twice");
            if (result == 2 && (i[1] == 0 || i[1] >= r->bound || !r->ids[i[1]].at))
                return refuse(r, at, "the type of a result is not defined yet");
            r->ids[id].at = (uint32_t)at;
            if (result == 1 && op != OP_LABEL) lay_out(r, at);
        }

        switch (op) {
        case OP_MEMORY_MODEL:
            if (i[1] != ADDRESSING_PHYSICAL64 || i[2] != MEMORY_MODEL_OPENCL)
                return refuse(r, at,
                        "only the Physical64 addressing and OpenCL memory models are supported");
            memory_model = true;
            break;
        case OP_DECORATE: TRY(note_decoration(r, at)); break;
        case OP_FUNCTION:
            if (in_function) return refuse(r, at, "a function starts inside another");
            in_function = true;
            break;
        case OP_FUNCTION_END:
            if (!in_function) return refuse(r, at, "a function ends outside a function");
            in_function = false;
            break;
        case OP_LABEL:
        case OP_FUNCTION_PARAMETER:
            if (!in_function) return refuse(r, at, "a block or parameter is outside a function");
            break;
        default: break;
        }
    }
    if (in_function) return refuse(r, r->n_words, "the module ends inside a function");
    if (!memory_model) return refuse(r, r->n_words, "the module has no memory model");
    return ZE_RESULT_SUCCESS;
}

static uint64_t pointee_size(const reader_t *r, uint32_t pointer_type) {
    uint32_t pointee = r->words[r->ids[pointer_type].at + 3];
    return pointee < r->bound ? r->ids[pointee].size : 0;
}

/* Bytes of the variable if it is in local memory, otherwise 0. */
static uint64_t local_bytes(const reader_t *r, const uint32_t *variable) {
    const bool is_local = variable[3] == STORAGE_WORKGROUP &&
                          op_of(r->words[r->ids[variable[1]].at]) == OP_TYPE_POINTER;
    return is_local ? pointee_size(r, variable[1]) : 0;
}

static arg_info_t read_arg(const reader_t *r, uint32_t type, uint32_t id) {
    const uint32_t *i = r->words + r->ids[type].at;
    if (op_of(i[0]) == OP_TYPE_POINTER) {
        uint64_t pointee = pointee_size(r, type);
        if (r->ids[id].by_value && pointee && pointee < UINT32_MAX)
            return (arg_info_t){ARG_VALUE, (uint32_t)pointee};
        switch (i[2]) {
        case STORAGE_WORKGROUP: return (arg_info_t){ARG_LOCAL, 8};
        case STORAGE_CONSTANT:
        case STORAGE_GLOBAL:
        case STORAGE_GENERIC: return (arg_info_t){ARG_POINTER, 8};
        default: return (arg_info_t){ARG_OPAQUE, 8};
        }
    }
    uint64_t size = r->ids[type].size;
    return size && size < UINT32_MAX ? (arg_info_t){ARG_VALUE, (uint32_t)size}
                                     : (arg_info_t){ARG_OPAQUE, 8};
}

static ze_result_t read_kernel(reader_t *r, size_t at, kernel_info_t *kernel) {
    const uint32_t *i = r->words + at;
    const char *name = string_at(i, 3);
    if (!name || !*name) return refuse(r, at, "an entry point has no name");
    if (i[1] != EXECUTION_KERNEL) return refuse(r, at, "an entry point is not a kernel");
    uint32_t function = i[2];
    if (function == 0 || function >= r->bound || !r->ids[function].at ||
            op_of(r->words[r->ids[function].at]) != OP_FUNCTION)
        return refuse(r, at, "the function of an entry point is not defined");

    size_t first = r->ids[function].at + length_of(r->words[r->ids[function].at]);
    uint32_t n = 0;
    size_t p = first;
    while (p < r->n_words && op_of(r->words[p]) == OP_FUNCTION_PARAMETER) {
        p += length_of(r->words[p]);
        n++;
    }
    if (p >= r->n_words || op_of(r->words[p]) != OP_LABEL)
        return refuse(r, p, "a kernel has no body");

    kernel->name = strdup(name);
    kernel->args = calloc(n ? n : 1, sizeof *kernel->args);
    if (!kernel->name || !kernel->args) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    kernel->n_args = n;
    p = first;
    for (uint32_t k = 0; k < n; k++) {
        kernel->args[k] = read_arg(r, r->words[p + 1], r->words[p + 2]);
        p += length_of(r->words[p]);
    }
    return ZE_RESULT_SUCCESS;
}

static void read_modes(const reader_t *r, uint32_t function, kernel_info_t *kernel) {
    for (size_t at = 5; at < r->n_words; at += length_of(r->words[at])) {
        const uint32_t *i = r->words + at;
        unsigned length = length_of(i[0]);
        if (op_of(i[0]) == OP_FUNCTION) return;
        if (op_of(i[0]) != OP_EXECUTION_MODE || i[1] != function) continue;
        if (i[2] == MODE_LOCAL_SIZE && length >= 6)
            memcpy(kernel->required_group, i + 3, 3 * sizeof *i);
        if (i[2] == MODE_SUBGROUP_SIZE && length >= 4) kernel->required_subgroup = i[3];
    }
}

static ze_result_t note_import(const uint32_t *decoration, module_info_t *info) {
    char **imports = realloc(info->imports, (info->n_imports + 1) * sizeof *imports);
    if (!imports) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    info->imports = imports;
    imports[info->n_imports] = strdup(string_at(decoration, 3));
    if (!imports[info->n_imports]) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    info->n_imports++;
    return ZE_RESULT_SUCCESS;
}

/* Notes instructions that keep a kernel off the threads of the driver (direct.c). */
static void note_needs(const uint32_t *i, module_info_t *info) {
    const unsigned op = op_of(i[0]), n = length_of(i[0]);
    switch (op) {
    case OP_EXT_INST: info->needs_more |= n > 4 && i[4] == STD_PRINTF; break;
    case OP_VARIABLE: info->needs_more |= i[3] == STORAGE_GLOBAL; break;
    case OP_LOAD: info->may_wait |= n > 4 && (i[4] & ACCESS_VOLATILE); break;
    case OP_DECORATE: info->may_wait |= i[2] == DECORATION_VOLATILE; break;
    default: break;
    }
    /* Instructions of later versions and extensions are those of sub-groups, with few others. */
    info->needs_more |= op >= OP_GROUP_ASYNC_COPY;
    info->may_wait |= op >= OP_ATOMIC_LOAD && op <= OP_ATOMIC_XOR;
}

/* What each kernel uses of the local memory that all variables of the module have. */
static ze_result_t divide_local_memory(reader_t *r, module_info_t *info) {
    if (!info->local_memory) return ZE_RESULT_SUCCESS;
    uint64_t *bytes = calloc(r->bound, sizeof *bytes);
    uint32_t *functions = calloc(info->n_kernels + 1, sizeof *functions);
    uint32_t n = 0;
    for (size_t at = 5; bytes && functions && at < r->n_words; at += length_of(r->words[at])) {
        const uint32_t *i = r->words + at;
        if (op_of(i[0]) == OP_ENTRY_POINT) functions[n++] = i[2];
        if (op_of(i[0]) == OP_VARIABLE) bytes[i[2]] = local_bytes(r, i);
    }
    const bool good =
            bytes && functions &&
            local_memory_of_kernels(r->words, r->n_words, r->bound, bytes, functions, info);
    free(bytes);
    free(functions);
    return good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static ze_result_t collect(reader_t *r, module_info_t *info) {
    size_t n = 0;
    for (size_t at = 5; at < r->n_words; at += length_of(r->words[at]))
        n += op_of(r->words[at]) == OP_ENTRY_POINT;
    info->kernels = calloc(n ? n : 1, sizeof *info->kernels);
    if (!info->kernels) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;

    for (size_t at = 5; at < r->n_words; at += length_of(r->words[at])) {
        const uint32_t *i = r->words + at;
        note_needs(i, info);
        switch (op_of(i[0])) {
        case OP_ENTRY_POINT: {
            kernel_info_t *kernel = &info->kernels[info->n_kernels++];
            TRY(read_kernel(r, at, kernel));
            read_modes(r, i[2], kernel);
            break;
        }
        case OP_TYPE_VECTOR: info->has_wide_vectors |= i[3] >= 8; break;
        case OP_CAPABILITY: info->has_doubles |= i[1] == CAPABILITY_FLOAT64; break;
        case OP_DECORATE:
            if (i[2] == DECORATION_BUILTIN && length_of(i[0]) >= 4)
                info->has_group_numbers |= i[3] == BUILTIN_NUM_WORKGROUPS ||
                                           i[3] == BUILTIN_WORKGROUP_ID ||
                                           i[3] == BUILTIN_GLOBAL_SIZE;
            if (i[2] == DECORATION_LINKAGE && r->ids[i[1]].imported && !r->ids[i[1]].builtin)
                TRY(note_import(i, info));
            break;
        case OP_CONTROL_BARRIER: info->has_barriers = true; break;
        case OP_VARIABLE: info->local_memory += local_bytes(r, i); break;
        default: break;
        }
    }
    return divide_local_memory(r, info);
}

ze_result_t spirv_read(const uint32_t *words, size_t n_words, module_info_t *info, log_t *log) {
    reader_t r = {.words = words, .n_words = n_words, .log = log};
    *info = (module_info_t){0};
    if (n_words > UINT32_MAX / 4) return refuse(&r, 0, "the module is too large");
    TRY(check_header(&r));
    r.ids = calloc(r.bound, sizeof *r.ids);
    if (!r.ids) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t status = scan(&r);
    if (status == ZE_RESULT_SUCCESS) status = collect(&r, info);
    if (status != ZE_RESULT_SUCCESS) module_info_free(info);
    free(r.ids);
    return status;
}

void module_info_free(module_info_t *info) {
    for (uint32_t k = 0; k < info->n_kernels; k++) {
        free(info->kernels[k].name);
        free(info->kernels[k].args);
    }
    for (uint32_t k = 0; k < info->n_imports; k++) free(info->imports[k]);
    free(info->kernels);
    free(info->imports);
    *info = (module_info_t){0};
}

/* Sets the constant `id`. The opcode holds the value of a boolean; the literal holds a number, with
 * the width of its type. */
static void set_constant(uint32_t *words, size_t n_words, uint32_t id, const void *value) {
    uint32_t width = 32;
    for (size_t at = 5; at < n_words; at += length_of(words[at])) {
        uint32_t *i = words + at;
        unsigned op = op_of(i[0]);
        if (op == OP_FUNCTION) return;
        if ((op == OP_SPEC_CONSTANT_TRUE || op == OP_SPEC_CONSTANT_FALSE) && i[2] == id) {
            uint8_t flag;
            memcpy(&flag, value, 1);
            i[0] = 3u << 16 | (flag ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE);
            return;
        }
        if (op != OP_SPEC_CONSTANT || i[2] != id) continue;
        bool is_signed = false;
        for (size_t t = 5; t < at; t += length_of(words[t])) {
            unsigned type = op_of(words[t]);
            if ((type == OP_TYPE_INT || type == OP_TYPE_FLOAT) && words[t + 1] == i[1]) {
                width = words[t + 2];
                is_signed = type == OP_TYPE_INT && words[t + 3] == 1;
            }
        }
        if (width == 64 && length_of(i[0]) >= 5) {
            memcpy(i + 3, value, 8);
        } else if (width == 32) {
            memcpy(i + 3, value, 4);
        } else if (width == 16) {
            uint16_t v;
            memcpy(&v, value, 2);
            i[3] = is_signed ? (uint32_t)(int32_t)(int16_t)v : v;
        } else if (width == 8) {
            uint8_t v;
            memcpy(&v, value, 1);
            i[3] = is_signed ? (uint32_t)(int32_t)(int8_t)v : v;
        }
        return;
    }
}

void spirv_specialize(
        uint32_t *words, size_t n_words, const ze_module_constants_t *constants, log_t *log) {
    for (uint32_t k = 0; k < constants->numConstants; k++) {
        bool found = false;
        for (size_t at = 5; at < n_words; at += length_of(words[at])) {
            const uint32_t *i = words + at;
            if (op_of(i[0]) == OP_FUNCTION) break;
            if (op_of(i[0]) != OP_DECORATE || i[2] != DECORATION_SPEC_ID || length_of(i[0]) < 4)
                continue;
            if (i[3] != constants->pConstantIds[k]) continue;
            set_constant(words, n_words, i[1], constants->pConstantValues[k]);
            found = true;
        }
        if (!found)
            log_add(log, "note: the module has no specialisation constant %u, so it is ignored\n",
                    constants->pConstantIds[k]);
    }
}
