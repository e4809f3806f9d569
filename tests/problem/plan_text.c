/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that knows how plans are stored is in the last section. */
#include "plan_text.h"

#include <stdlib.h>

#include "oneapi/dnnl/dnnl_debug.h"
#include "plan/op.h"
#include "plan/variant.h"

/* ---- descriptors ---- */

static void write_numbers(FILE *to, const char *name, const int64_t *values, int n) {
    fprintf(to, " %s", name);
    for (int i = 0; i < n; i++) fprintf(to, "%c%lld", i ? 'x' : ' ', (long long)values[i]);
}

static void write_blocking(FILE *to, const md_t *md, const md_blocking_t *b) {
    write_numbers(to, "strides", b->strides, md->ndims);
    if (b->inner_nblks) write_numbers(to, "blocks", b->inner_blks, b->inner_nblks);
    if (b->inner_nblks) write_numbers(to, "of", b->inner_idxs, b->inner_nblks);
}

static void write_sparse(FILE *to, const md_t *md, const md_sparse_t *s) {
    fprintf(to, " encoding %d nnz %lld types %d,%d", s->encoding, (long long)s->nnz,
            s->metadata_types[0], s->metadata_types[1]);
    if (md_is_grouped(md))
        fprintf(to, " groups %lld along %d", (long long)s->grouped.group_count,
                s->grouped.variable_dim_idx);
}

static void write_extra(FILE *to, const md_extra_t *e) {
    fprintf(to, " extra %llx masks %x,%x adjust %a size %lld", (unsigned long long)e->flags,
            (unsigned)e->compensation_mask, (unsigned)e->asymm_compensation_mask,
            (double)e->scale_adjust, (long long)e->dst_size);
}

static void write_md(FILE *to, const md_t *md) {
    if (md_is_zero(md)) {
        fprintf(to, " none");
        return;
    }
    fprintf(to, " type %d format %d offset %lld", md->data_type, (int)md->format_kind,
            (long long)md->offset0);
    write_numbers(to, "dims", md->dims, md->ndims);
    write_numbers(to, "padded", md->padded_dims, md->ndims);
    write_numbers(to, "at", md->padded_offsets, md->ndims);
    if (md_is_blocked(md)) write_blocking(to, md, &md->format_desc.blocking);
    if (md_is_sparse(md)) write_sparse(to, md, &md->format_desc.sparse);
    if (md->extra.flags) write_extra(to, &md->extra);
}

static void write_args(FILE *to, const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++) {
        fprintf(to, "argument %d flags %u", pd->args[i].arg, pd->args[i].flags);
        write_md(to, &pd->args[i].md);
        fprintf(to, "\n");
    }
}

/* ---- plans ---- */

static const char *kind_name(bind_kind_t kind) {
    switch (kind) {
    case BIND_ARG: return "arg";
    case BIND_SCRATCH: return "scratch";
    case BIND_CONST: return "const";
    case BIND_LOCAL: return "local";
    case BIND_SCALAR_F32: return "scalar_f32";
    case BIND_SCALAR_S32: return "scalar_s32";
    case BIND_SCALAR_LOW: return "scalar_low";
    case BIND_SCALAR_HIGH: return "scalar_high";
    case BIND_NULL: return "null";
    }
    return "unknown";
}

static void write_binding(FILE *to, const pd_t *pd, const plan_t *plan, const binding_t *b) {
    fprintf(to, "  %s", kind_name((bind_kind_t)b->kind));
    if (b->slot >= 0) fprintf(to, " of %d", pd->args[b->slot].arg);
    if (b->handle) fprintf(to, " handle %u", b->handle);
    if (b->kind != BIND_CONST && b->offset) fprintf(to, " at %llu", (unsigned long long)b->offset);
    if (b->size) fprintf(to, " size %u", b->size);
    if (b->kind == BIND_CONST) {
        fprintf(to, ": ");
        for (uint32_t i = 0; i < b->size; i++) fprintf(to, "%02x", plan->consts[b->offset + i]);
    }
    fprintf(to, "\n");
}

static int by_id(const void *a, const void *b) {
    const spec_t *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void write_specs(FILE *to, const plan_t *plan, const plan_step_t *step) {
    spec_t *specs = malloc((step->nspecs + 1u) * sizeof *specs);
    if (!specs) abort();
    for (int i = 0; i < step->nspecs; i++) specs[i] = plan->specs[step->first_spec + i];
    qsort(specs, step->nspecs, sizeof *specs, by_id);
    fprintf(to, "  constants");
    for (int i = 0; i < step->nspecs; i++) fprintf(to, " %u:%u", specs[i].id, specs[i].value);
    fprintf(to, "\n");
    free(specs);
}

static void write_step(FILE *to, const pd_t *pd, const plan_t *plan, const plan_step_t *step) {
    const uint32_t *count = step->group_count, *size = step->group_size;
    fprintf(to, "step %ux%ux%u groups of %ux%ux%u%s\n", count[0], count[1], count[2], size[0],
            size[1], size[2], plan->large_offsets ? " large" : "");
    write_specs(to, plan, step);
    for (int i = 0; i < step->nbindings; i++)
        write_binding(to, pd, plan, &plan->bindings[step->first_binding + i]);
}

static void write_plan(FILE *to, const pd_t *pd, const plan_t *plan) {
    for (int i = 0; i < plan->nsteps; i++) write_step(to, pd, plan, &plan->steps[i]);
}

void plan_text_write(FILE *to, const pd_t *pd) {
    write_args(to, pd);
    write_plan(to, pd, &pd->plan);
}

void plan_text_write_replanned(
        FILE *to, const pd_t *pd, const caps_t *caps, const md_t *const *mds) {
    if (!pd->op->replan || pd->by_shape) return;
    static plan_room_t room;
    plan_t plan = plan_in_room(&room);
    if (!plan_copy(&plan, &pd->plan)) abort();
    const dnnl_status_t status = pd->op->replan(pd, caps, mds, &plan);
    fprintf(to, "with the dims given: %s\n", dnnl_status2str(status));
    if (status == dnnl_success) write_plan(to, pd, &plan);
}

int plan_text_write_kernels(FILE *to, const pd_t *pd) {
    for (int i = 0; i < pd->plan.nsteps; i++)
        fprintf(to, "%s%s", i ? "," : "", variants[pd->plan.steps[i].variant].id);
    return pd->plan.nsteps;
}
