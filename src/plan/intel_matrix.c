/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the functions of kernels/lib/xmx.h: 2D blocks and matrix units. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/intel_replace.h"

/* Products of 8 rows, on units of 8 and of 16 lanes. */
typedef struct {
    const char *name, *of_8, *of_16;
} product_t;
static const product_t products[] = {
        {"f16_f16_matrix_mad_k16", "fdpas_hf_hf_8_8", "fdpas_f_f_hf_hf_8_8"},
        {"bf16_bf16_matrix_mad_k16", "fdpas_bf_bf_8_8", "fdpas_f_f_bf_bf_8_8"},
        {"i8_i8_matrix_mad_k32", "idpas_s8_s8_8_8", "idpas_s8_s8_8_8"},
        {"i8_u8_matrix_mad_k32", "idpas_s8_u8_8_8", "idpas_s8_u8_8_8"},
        {"u8_i8_matrix_mad_k32", "idpas_u8_s8_8_8", "idpas_u8_s8_8_8"},
        {"u8_u8_matrix_mad_k32", "idpas_u8_u8_8_8", "idpas_u8_u8_8_8"},
        {"tf32_tf32_matrix_mad_k8", NULL, "fdpas_f_f_tf32_tf32_8_8"},
};

/* A block: array_length blocks of width x height elements beside each other. */
enum { PLAIN, TRANSFORMED, TRANSPOSED, PREFETCHED };
typedef struct {
    int kind;
    uint32_t bits, height, width, array_length;
} block_t;

/* The name without mangling and prefix, up to its length. NULL: another function. */
static const char *base_name(const char *mangled, size_t *length) {
    static const char prefix[] = "intel_sub_group_";
    char *name;
    if (strncmp(mangled, "_Z", 2) != 0 || !isdigit((unsigned char)mangled[2])) return NULL;
    const size_t whole = strtoul(mangled + 2, &name, 10), n = sizeof prefix - 1;
    if (whole < n || strlen(name) < whole || strncmp(name, prefix, n) != 0) return NULL;
    *length = whole - n;
    return name + n;
}

static const product_t *find_product(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (strlen(products[i].name) == length && !strncmp(products[i].name, name, length))
            return &products[i];
    return NULL;
}

static bool read_block(block_t *b, const char *name) {
    static const char *const formats[] = {[PLAIN] = "2d_block_read_%ub_%ur%ux%uc",
            [TRANSFORMED] = "2d_block_read_transform_%ub_%ur%ux%uc",
            [TRANSPOSED] = "2d_block_read_transpose_%ub_%ur%ux%uc",
            [PREFETCHED] = "2d_block_prefetch_%ub_%ur%ux%uc"};
    for (b->kind = PLAIN; b->kind <= PREFETCHED; b->kind++)
        if (sscanf(name, formats[b->kind], &b->bits, &b->height, &b->width, &b->array_length) == 4)
            return true;
    return false;
}

bool intel_knows_function(const char *mangled) {
    size_t length;
    block_t block;
    const char *name = base_name(mangled, &length);
    return name && (find_product(name, length) || read_block(&block, name));
}

static bool put_product(module_t *m, const product_t *product, const uint32_t *w) {
    const uint32_t *arguments = w + 4, types[] = {w[1], w[1], module_type_of(m, arguments[0]),
                                               module_type_of(m, arguments[1])};
    /* A row is 256 bits of `a`: 16 or 32 bits in each lane. tf32 has two rows in a component. */
    const uint32_t bits = module_at(m, module_component(m, types[2]))[2];
    const bool wide = bits == 16 || !product->of_8;
    char name[MOST_NAME];
    snprintf(name, sizeof name, "__builtin_IB_sub_group%s_%s", wide ? "16" : "",
            wide ? product->of_16 : product->of_8);
    return module_put_call(
            m, name, types, w[2], (uint32_t[]){arguments[2], arguments[0], arguments[1]}, 3);
}

static void block_name(const block_t *b, char *name) {
    int n = snprintf(name, MOST_NAME, "__builtin_IB_subgroup_block_read_%s",
            b->kind == PREFETCHED ? "prefetch" : "cacheopts");
    name += n;
    const size_t room = (size_t)(MOST_NAME - n);
    const bool single = b->bits * b->height == 256; /* one operand of the matrix units */
    if (b->kind == TRANSFORMED && b->array_length == 1 && single)
        snprintf(name, room, "_transform_u%u_k%u", b->bits, b->height);
    else if (b->kind == TRANSFORMED)
        snprintf(name, room, "_transform_u%u_k%un%uv%u", b->bits, b->height, b->width,
                b->array_length);
    else if (b->kind == TRANSPOSED)
        snprintf(name, room, "_transpose_u%u_m%uk%u", b->bits, b->height, b->width);
    else snprintf(name, room, "_u%u_m%uk%uv%u", b->bits, b->height, b->width, b->array_length);
}

/* The compiler's functions take width, height and pitch less one, return a vector, and have no
 * wish for the caches. */
static bool put_block(module_t *m, const block_t *b, const uint32_t *w) {
    enum { LANES = 16 };
    const uint32_t *given = w + 4, whole = module_simple_type(m, 'i'), one = module_whole(m, 1);
    uint32_t types[8] = {module_simple_type(m, 'v'), module_simple_type(m, 'l'), whole, whole,
            whole, module_type_of(m, given[4]), whole},
             arguments[6] = {module_put_one(m, OP_POINTER_TO_INT, types[1], 0, given[0])};
    for (int i = 1; i <= 3; i++)
        arguments[i] = module_put_two(m, OP_I_SUB, whole, 0, given[i], one);
    arguments[4] = given[4];
    arguments[5] = module_whole(m, 0);
    char name[MOST_NAME];
    block_name(b, name);
    if (b->kind == PREFETCHED) return module_put_call(m, name, types, w[2], arguments, 6);

    const uint32_t element = module_at(m, module_type_of(m, given[5]))[3],
                   bits = b->bits * b->width * b->height * b->array_length / LANES,
                   per_element = module_at(m, element)[2];
    types[0] = module_vector_type(m, element, bits / per_element);
    const uint32_t value = module_put_call(m, name, types, 0, arguments, 6),
                   to = module_put_pointer(m, given[5], 0, types[0]);
    module_put(
            m, (uint32_t[]){opening(OP_STORE, 5), to, value, MEMORY_ALIGNED, per_element / 8}, 5);
    return true;
}

bool intel_replace_function(module_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_FUNCTION_CALL) return false;
    const char *mangled = module_replaced(m, w[3]);
    if (!mangled) return false;
    size_t length;
    block_t block;
    const char *name = base_name(mangled, &length);
    const product_t *product = find_product(name, length);
    return product ? put_product(m, product, w)
                   : read_block(&block, name) && put_block(m, &block, w);
}
