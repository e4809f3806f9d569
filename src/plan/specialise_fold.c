/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on constants of integer types and truth values. */
#include "plan/specialise_impl.h"
#include "plan/spirv_form.h"

static uint64_t cut(uint64_t bits, uint32_t width) {
    return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static int64_t with_sign(uint64_t bits, uint32_t width) {
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static value_t constant(uint64_t bits, uint32_t width) {
    return (value_t){CONSTANT, cut(bits, width)};
}

static const value_t varying = {.state = VARYING};

/* Comparisons are pairs: first of numbers without sign, then of those with one. */
static value_t compare(uint32_t op, uint64_t a, uint64_t b, uint32_t width) {
    const int64_t x = with_sign(a, width), y = with_sign(b, width);
    const bool results[] = {
            a == b, a != b, a > b, x > y, a >= b, x >= y, a < b, x < y, a <= b, x <= y};
    return constant(results[op - OP_I_EQUAL], 1);
}

static value_t divide(uint32_t op, uint64_t a, uint64_t b, uint32_t width) {
    const int64_t x = with_sign(a, width), y = with_sign(b, width);
    if (!b || y == -1) return varying; /* undefined, or it may overflow */
    switch (op) {
    case OP_U_DIV: return constant(a / b, width);
    case OP_S_DIV: return constant((uint64_t)(x / y), width);
    case OP_U_MOD: return constant(a % b, width);
    case OP_S_REM: return constant((uint64_t)(x % y), width);
    default: return varying;
    }
}

static value_t shift(uint32_t op, uint64_t a, uint64_t by, uint32_t width) {
    if (by >= width) return varying; /* undefined */
    if (op == OP_SHIFT_LEFT) return constant(a << by, width);
    if (op == OP_SHIFT_RIGHT) return constant(a >> by, width);
    const int64_t x = with_sign(a, width);
    return constant((uint64_t)(x < 0 ? ~(~x >> by) : x >> by), width);
}

static value_t fold_two(uint32_t op, uint64_t a, uint64_t b, uint32_t width) {
    if (op >= OP_I_EQUAL && op <= OP_S_LESS_EQUAL) return compare(op, a, b, width);
    switch (op) {
    case OP_I_ADD: return constant(a + b, width);
    case OP_I_SUB: return constant(a - b, width);
    case OP_I_MUL: return constant(a * b, width);
    case OP_U_DIV:
    case OP_S_DIV:
    case OP_U_MOD:
    case OP_S_REM: return divide(op, a, b, width);
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
    case OP_SHIFT_RIGHT_SIGNED: return shift(op, a, b, width);
    case OP_OR:
    case OP_LOGICAL_OR: return constant(a | b, width);
    case OP_XOR:
    case OP_LOGICAL_NOT_EQUAL: return constant(a ^ b, width);
    case OP_AND:
    case OP_LOGICAL_AND: return constant(a & b, width);
    case OP_LOGICAL_EQUAL: return constant(a == b, 1);
    default: return varying;
    }
}

static value_t fold_one(uint32_t op, uint64_t a, uint32_t width, uint32_t to) {
    switch (op) {
    case OP_U_CONVERT: return constant(a, to);
    case OP_S_CONVERT: return constant((uint64_t)with_sign(a, width), to);
    case OP_BITCAST: return width == to ? constant(a, to) : varying;
    case OP_NOT:
    case OP_LOGICAL_NOT: return constant(~a, to);
    default: return varying;
    }
}

/* The result if one operand decides it. */
static value_t decide(uint32_t op, const value_t *v, uint32_t n) {
    for (uint32_t i = 0; i < n && n == 2; i++) {
        if (v[i].state != CONSTANT) continue;
        const bool zero = !v[i].bits;
        if (zero && (op == OP_AND || op == OP_LOGICAL_AND || op == OP_I_MUL)) return v[i];
        if (!zero && op == OP_LOGICAL_OR) return v[i];
    }
    return varying;
}

value_t specialise_fold(
        uint32_t op, const value_t *operands, uint32_t n, uint32_t width, uint32_t to) {
    if (op == OP_SELECT && n == 3 && operands[0].state == CONSTANT)
        return operands[operands[0].bits ? 1 : 2];
    for (uint32_t i = 0; i < n; i++)
        if (operands[i].state == UNSEEN) return operands[i];
    for (uint32_t i = 0; i < n; i++)
        if (operands[i].state == VARYING) return decide(op, operands, n);
    if (n == 1) return fold_one(op, operands[0].bits, width, to);
    if (n == 2) return fold_two(op, operands[0].bits, operands[1].bits, width);
    return varying;
}
