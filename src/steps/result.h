/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a kernel: the destination where the kernel can write it and apply the whole
 * epilogue; else a tensor in the scratchpad, from which elementwise steps go on.
 *
 * A planner fills in `epilogue`, then calls
 *     result_direct()     the kernel writes dst itself, if it can
 *     result_in_scratch() otherwise; as much of the epilogue as the kernel can apply stays with it
 *     ... the kernel's step writes result.to and applies result.seg ...
 *     result_finish()     the steps that are left */
#ifndef STEPS_RESULT_H
#define STEPS_RESULT_H

#include "steps/elementwise.h"

typedef struct {
    epilogue_t epilogue;
    epilogue_segment_t seg; /* what the kernel applies */
    operand_t dst;          /* the destination */
    operand_t to;           /* what the kernel writes: dst, or md */
    md_t md;                /* of the tensor in the scratchpad */
    bool complete;          /* nothing is left to do */
    int rest;               /* else: the first op of the epilogue that is left */
} result_t;

/* Can the kernel apply the whole epilogue to dst and write it? writable: its stores can. axes:
 * the kernel's loops over dst, the last of which is its vector. Sets r->seg, and on success
 * r->to and r->complete. */
bool result_direct(planner_t *p, result_t *r, const operand_t *dst, bool writable,
        const axis_t *axes, int naxes);
/* The kernel writes a tensor in the scratchpad: f32 (f64 where the epilogue or dst has doubles,
 * s32 where sums of integers go to an s32 dst unchanged), row-major or laid out as the tag says.
 * It applies as much of the epilogue as axes allow; apply false: nothing. */
const char *result_in_scratch(planner_t *p, result_t *r, const char *tag, bool exact, bool apply,
        const axis_t *axes, int naxes);
/* The steps that apply the rest and write dst. */
const char *result_finish(planner_t *p, const result_t *r);

/* Can whole blocks be stored (kernels/lib/xmx_write.h), as far as the type and the epilogue decide?
 * exact: the sums are integers. shared, ops: of epilogue_block_ops(). */
bool result_fits_blocks(const result_t *r, bool exact, uint32_t shared, uint32_t *ops);

/* For kernels that compute in f32: NULL, or that the result or what it is combined with has
 * doubles. */
const char *result_has_doubles(const result_t *r);
/* The specialisation constants that say what a kernel reads, writes and applies. */
void product_specs(plan_t *plan, dnnl_data_type_t src, dnnl_data_type_t weights,
        dnnl_data_type_t dst, uint32_t flags, const epilogue_segment_t *seg);
/* The same for a kernel that writes the result. */
void result_specs(plan_t *plan, const result_t *r, dnnl_data_type_t src, dnnl_data_type_t weights,
        uint32_t flags);

#endif
