/* SPDX-License-Identifier: Apache-2.0 */
/* Host scalars as inputs of primitives that have none. */
#include "graph/build.h"
#include "graph/lower_util.h"

/* A copy of 1, which is scaled by the value. */
static dnnl_status_t copy_scalar(build_t *b, const lt_t *lt, place_t from, view_t *to) {
    const fused_t none = {0};
    lower_t l = {.program = b->program, .mode = b->mode, .fused = &none};
    const dnnl_engine_t engine = b->program->engine;
    const dnnl_dim_t count = 1;
    const float one = 1;
    view_t src, scale = {.dt = dnnl_f32, .place = from, .host = true};
    md_t src_md, dst_md;
    TRY(program_constant(b->program, dnnl_f32, 1, &count, &one, &src));
    TRY(program_temporary(b->program, lt->data_type, 1, &count, to));
    TRY(view_md(&src, &src_md));
    TRY(view_md(to, &dst_md));
    const step_arg_t args[] = {
            {DNNL_ARG_FROM, src}, {DNNL_ARG_TO, *to}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scale}};
    dnnl_status_t status = lower_attr(&l);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_scales_v3(
                l.attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 1, dnnl_quantization_mode_static_sazp);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(
                &l.desc, &src_md, engine, &dst_md, engine, l.attr);
    if (status == dnnl_success) status = lower_step(&l, 3, args);
    dnnl_primitive_attr_destroy(l.attr);
    dnnl_primitive_desc_destroy(l.desc);
    return status;
}

dnnl_status_t build_scalars(build_t *b, size_t op) {
    if (b->ops[op]->kind == dnnl_graph_op_dropout) return dnnl_success;
    for (size_t i = 0; i < b->ops[op]->in.count; i++) {
        const lt_t *lt = &b->ops[op]->in.list[i];
        const size_t value = edges_in(&b->edges, op, i);
        const value_t *v = &b->edges.values[value];
        view_t view;
        if (lt->property != dnnl_graph_tensor_property_host_scalar) continue;
        TRY(copy_scalar(b, lt, b->places[value], &view));
        b->places[value] = view.place;
        for (size_t u = 0; u < v->nuses; u++)
            b->ops[v->uses[u].op]->in.list[v->uses[u].port].property =
                    dnnl_graph_tensor_property_variable;
        build_bind(b);
    }
    return dnnl_success;
}
