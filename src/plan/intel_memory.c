/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the device, accesses to blocks, and to vectors and halves. */
#include <stdio.h>

#include "plan/intel_replace.h"

/* ---- variables ---- */

enum {
    NUM_GROUPS = 24,
    GROUP_SIZE = 25,
    GROUP = 26,
    LOCAL = 27,
    GLOBAL = 28,
    NUM_SUB_GROUPS = 38,
    SUB_GROUP = 40,
    LANE = 41
};

static uint32_t put_value(module_t *m, const char *name, uint32_t result) {
    const uint32_t type = module_simple_type(m, 'i');
    return module_put_call(m, name, &type, result, NULL, 0);
}

static uint32_t put_of(module_t *m, const char *name, uint32_t d) {
    const uint32_t type = module_simple_type(m, 'i'), types[] = {type, type},
                   number = module_whole(m, d);
    return module_put_call(m, name, types, 0, &number, 1);
}

static uint32_t put_local(module_t *m, uint32_t d) {
    static const char *const names[] = {"__builtin_IB_get_local_id_x",
            "__builtin_IB_get_local_id_y", "__builtin_IB_get_local_id_z"};
    return put_value(m, names[d], 0);
}

/* a * b + c */
static uint32_t put_sum(module_t *m, uint32_t type, uint32_t a, uint32_t b, uint32_t c) {
    return module_put_two(m, OP_I_ADD, type, 0, module_put_two(m, OP_I_MUL, type, 0, a, b), c);
}

static const char group_size[] = "__builtin_IB_get_local_size",
                  lanes[] = "__builtin_IB_get_simd_size";

/* Xe-HPG and later count the sub-groups themselves. */
static uint32_t put_sub_group(module_t *m, uint32_t result) {
    const uint32_t type = module_simple_type(m, 'i');
    if (m->is_xe_hpg) return put_value(m, "__builtin_IB_get_local_thread_id", result);
    uint32_t at = put_local(m, 2);
    for (uint32_t d = 2; d-- > 0;)
        at = put_sum(m, type, at, put_of(m, group_size, d), put_local(m, d));
    return module_put_two(m, OP_U_DIV, type, result, at, put_value(m, lanes, 0));
}

/* (size of the work-group + lanes - 1) / lanes */
static uint32_t put_sub_groups(module_t *m, uint32_t result) {
    const uint32_t type = module_simple_type(m, 'i'), width = put_value(m, lanes, 0),
                   rest = module_put_two(m, OP_I_SUB, type, 0, width, module_whole(m, 1)),
                   x = put_of(m, group_size, 0), y = put_of(m, group_size, 1),
                   xy = module_put_two(m, OP_I_MUL, type, 0, x, y),
                   all = put_sum(m, type, xy, put_of(m, group_size, 2), rest);
    return module_put_two(m, OP_U_DIV, type, result, all, width);
}

/* Component d of a variable that has one for each dimension. */
static uint32_t put_component(module_t *m, uint32_t number, uint32_t type, uint32_t d) {
#define WIDE(x) module_put_one(m, OP_U_CONVERT, type, 0, (x))
    switch (number) {
    case NUM_GROUPS: return WIDE(put_of(m, "__builtin_IB_get_num_groups", d));
    case GROUP_SIZE: return WIDE(put_of(m, group_size, d));
    case GROUP: return WIDE(put_of(m, "__builtin_IB_get_group_id", d));
    case LOCAL: return WIDE(put_local(m, d));
    default: break;
    }
    const uint32_t group = WIDE(put_of(m, "__builtin_IB_get_group_id", d)),
                   size = WIDE(put_of(m, "__builtin_IB_get_enqueued_local_size", d)),
                   own = WIDE(put_local(m, d)),
                   first = WIDE(put_of(m, "__builtin_IB_get_global_offset", d));
    return module_put_two(m, OP_I_ADD, type, 0, put_sum(m, type, group, size, own), first);
#undef WIDE
}

bool intel_replace_variable(module_t *m, const uint32_t *w) {
    uint32_t number = 0;
    if (spirv_op(w) != OP_LOAD) return false;
    for (int i = 0; i < m->nvariables; i++)
        if (m->variables[i].id == w[3]) number = m->variables[i].number;
    if (number == NUM_SUB_GROUPS) return put_sub_groups(m, w[2]);
    if (number == SUB_GROUP) return put_sub_group(m, w[2]);
    if (number == LANE) return put_value(m, "__builtin_IB_get_simd_id", w[2]);
    const uint32_t *type = module_at(m, w[1]);
    if (number < NUM_GROUPS || number > GLOBAL || spirv_op(type) != OP_TYPE_VECTOR) return false;
    uint32_t all[6] = {opening(OP_COMPOSITE, 6), w[1], w[2]};
    for (uint32_t d = 0; d < 3; d++) all[3 + d] = put_component(m, number, type[2], d);
    module_put(m, all, 6);
    return true;
}

/* ---- blocks of all lanes ---- */

enum { STORAGE_LOCAL = 4, STORAGE_GLOBAL = 5 };

bool intel_replace_block(module_t *m, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op != OP_BLOCK_READ && op != OP_BLOCK_WRITE) return false;
    const bool reads = op == OP_BLOCK_READ;
    const uint32_t pointer = reads ? w[3] : w[1], pointer_type = module_type_of(m, pointer),
                   value = reads ? w[1] : module_type_of(m, w[2]), *to = module_at(m, pointer_type),
                   bits = module_at(m, to[3])[2];
    if (to[2] != STORAGE_GLOBAL && to[2] != STORAGE_LOCAL) return false;
    char name[MOST_NAME];
    snprintf(name, sizeof name, "__builtin_IB_simd_block_%s_%u_%s%s", reads ? "read" : "write",
            module_count(m, value), to[2] == STORAGE_LOCAL ? "local" : "global",
            bits == 8    ? "_b"
            : bits == 16 ? "_h"
            : bits == 64 ? "_l"
                         : "");
    const uint32_t types[] = {reads ? value : module_simple_type(m, 'v'), pointer_type, value};
    return module_put_call(m, name, types, reads ? w[2] : 0, reads ? w + 3 : w + 1, reads ? 1 : 2);
}

/* ---- vectors and halves ---- */

enum {
    VLOADN = 171,
    VSTOREN,
    VLOAD_HALF,
    VLOAD_HALFN,
    VSTORE_HALF,
    VSTORE_HALF_R,
    VSTORE_HALFN,
    VSTORE_HALFN_R
};
enum { TO_NEAREST = 0 };

bool intel_replace_access(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_EXT_INST || w[3] != m->set) return false;
    const uint32_t f = w[4];
    if (f < VLOADN || f > VSTORE_HALFN_R) return false;
    if ((f == VSTORE_HALF_R || f == VSTORE_HALFN_R) && w[8] != TO_NEAREST) return false;
    const bool loads = f == VLOADN || f == VLOAD_HALF || f == VLOAD_HALFN, halves = f >= VLOAD_HALF;
    const uint32_t type = loads ? w[1] : module_type_of(m, w[5]), n = module_count(m, type),
                   one = module_component(m, type);
    /* Vectors of three lie closer together than their size. */
    if (n == 3 || (halves && !module_is_type(m, one, 'f'))) return false;

    const uint32_t stored = halves ? module_vector_type(m, module_simple_type(m, 'h'), n) : type;
    const uint32_t *place = w + (loads ? 5 : 6), bytes = halves ? 2 : module_at(m, one)[2] / 8,
                   at = module_put_pointer(m, place[1], place[0], stored);
    m->has_halves = m->has_halves || halves;
    if (loads) {
        const uint32_t value = halves ? m->next_id++ : w[2];
        module_put(
                m, (uint32_t[]){opening(OP_LOAD, 6), stored, value, at, MEMORY_ALIGNED, bytes}, 6);
        if (halves) module_put_one(m, OP_F_CONVERT, type, w[2], value);
    } else {
        const uint32_t value = halves ? module_put_one(m, OP_F_CONVERT, stored, 0, w[5]) : w[5];
        module_put(m, (uint32_t[]){opening(OP_STORE, 5), at, value, MEMORY_ALIGNED, bytes}, 5);
    }
    return true;
}
