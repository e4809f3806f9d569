/* SPDX-License-Identifier: Apache-2.0 */
/* A recurrent network as its planners see it. Both directions of time are stacks of their own. The
 * products of a layer's input are one matmul for all time steps; each time step is a matmul of the
 * state, and a pointwise step for the gates. All matmuls use the variants of family "matmul". */
#ifndef OPS_RNN_H
#define OPS_RNN_H

#include "kernels/rnn/rnn_params.h"
#include "ops/matmul/matmul.h"

/* A matrix in an argument or in the scratchpad, or `outer` of them. */
typedef struct {
    int slot;        /* in pd->args; -1: in the scratchpad */
    uint64_t offset; /* bytes of the first element from the start of the buffer */
    dnnl_data_type_t dt;
    int64_t outer, rows, columns;
    int64_t matrix, row, column; /* from one to the next, in elements */
    int64_t panel; /* weights in panels of `row` columns: from one to the next; 0: none */
} matrix_view_t;

/* Weights as a kernel that multiplies by them reads them: rnn_factor_t. */
typedef struct {
    matrix_view_t at;
    int64_t k, gate, vector; /* from one to the next, in elements */
} rnn_factors_t;

/* Arrays of the workspace, or of the scratchpad in inference. */
typedef struct {
    int slot;
    uint64_t offset; /* bytes */
    uint64_t part;   /* bytes from one layer and direction to the next; 0: all share it */
    dnnl_data_type_t dt;
} rnn_array_t;

/* Shapes of products, to remember which variant runs them. */
typedef enum {
    PRODUCT_INPUT,
    PRODUCT_STATE,
    PRODUCT_CANDIDATE,
    PRODUCT_PROJECTION,
    PRODUCT_OTHER,
    PRODUCTS
} rnn_product_t;

/* What a step computes: the gates before GRU's second product or all of them, those after it, or
 * the projection. */
typedef enum { RNN_FIRST, RNN_SECOND, RNN_PROJECTION } rnn_part_t;

typedef struct {
    matmul_t mm;  /* first: it has the planner */
    int variant;  /* of the pointwise steps */
    md_t view[3]; /* of the product that is planned */
    int chosen[PRODUCTS];
    uint64_t most; /* scratchpad that a step has used beyond what is reserved */

    int cell; /* RNN_CELL_* */
    bool is_lbr, is_gru, is_lstm, is_int8, is_training, is_backward;
    bool has_peephole, has_projection, has_attention, has_bias, has_state;
    bool is_fused; /* the pointwise steps multiply, too */
    int walker;    /* the variant that computes nearly all steps in one launch; -1: none */
    bool walks;    /* that launch is planned */
    int64_t layers, directions, steps, batch; /* L, D, T, N */
    int64_t slc, sic, dhc, dic;               /* channels: of the input, the state, the cell, the
                                                 result */
    int64_t gates, biases;
    int64_t pitch; /* from row to row of `states` */
    dnnl_data_type_t dt, weights_dt, bias_dt, sums_dt;

    /* Rows of time step t and batch n, but for `states` and `cells`, which have one more step: the
     * one before the first. */
    rnn_array_t gate, states, cells, product, squeezed;
    uint64_t workspace; /* bytes */

    rnn_array_t sums;                 /* products of the state at one time step */
    rnn_array_t reset_state;          /* GRU: reset * state */
    rnn_array_t scales, compensation; /* int8: of weights, and sums of weights over the inputs */
    /* int8: of the projection, for its columns: scales, and the sums of its weights (times the
     * shift of the data unless a step multiplies). */
    rnn_array_t projection_scales, projection_shift;
} rnn_t;

/* ---- problem.c ---- */

void rnn_init(rnn_t *r, pd_t *pd, const caps_t *caps);
/* Places the arrays of the workspace: in argument `slot`, or in the scratchpad. */
void rnn_place(rnn_t *r, int slot);
/* Is the direction one that goes backwards through time? */
bool rnn_is_reversed(const rnn_t *r, int64_t d);
/* Time step number i of a direction. */
int64_t rnn_time(const rnn_t *r, int64_t d, int64_t i);
/* The step of `states` and `cells` before and after time step t. */
int64_t rnn_before(const rnn_t *r, int64_t d, int64_t t);
int64_t rnn_after(const rnn_t *r, int64_t d, int64_t t);

/* The rows of `steps` time steps from t on, of `columns` values: a matrix for each step. */
matrix_view_t rnn_rows(const rnn_t *r, const rnn_array_t *array, int64_t l, int64_t d, int64_t t,
        int64_t steps, int64_t columns);
/* The same of `states` and `cells`, whose steps are those of rnn_before() and rnn_after(). */
matrix_view_t rnn_states(
        const rnn_t *r, int64_t l, int64_t d, int64_t step, int64_t steps, int64_t columns);
matrix_view_t rnn_cells(const rnn_t *r, int64_t l, int64_t d, int64_t step);
/* Reserves rows of the scratchpad. */
rnn_array_t rnn_reserve(rnn_t *r, int64_t elements, dnnl_data_type_t dt);

/* ---- operands.c ---- */

matrix_view_t view_transposed(const matrix_view_t *v);
/* Columns from `first` on. */
matrix_view_t view_columns(const matrix_view_t *v, int64_t first, int64_t count);
/* All matrices as one, with the rows of all; false: rows have no common distance. */
bool view_flatten(matrix_view_t *v);
/* The weights of layer l and direction d: inputs x gates. False: they are no such matrix. */
bool rnn_weights(const rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v);
/* The same transposed, gates x inputs: only those that are in panels. */
bool rnn_weights_transposed(const rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v);
/* A vector for each gate or peephole: gates x channels. */
matrix_view_t rnn_vectors(const rnn_t *r, int arg, int64_t l, int64_t d);
/* A state: batch x channels. */
matrix_view_t rnn_iter(const rnn_t *r, int arg, int64_t l, int64_t d);
/* The input or the output at `steps` time steps from t on: a matrix for each, batch x channels. */
matrix_view_t rnn_layer(const rnn_t *r, int arg, int64_t t, int64_t steps);
/* The kernel's next argument is a pointer to the first element. NULL: a NULL pointer. */
void bind_view(plan_t *plan, const matrix_view_t *v);
/* The view as an operand; *md becomes its descriptor. */
operand_t operand_of_view(const matrix_view_t *v, md_t *md);

/* ---- product.c ---- */

/* Is the product of the state at a time step one launch, if its own kernel computes it? */
bool rnn_multiplies_at_once(rnn_t *r);
/* c = a * b, or a * b + added, which may be c. */
const char *rnn_multiply(rnn_t *r, rnn_product_t what, const matrix_view_t *a,
        const matrix_view_t *b, const matrix_view_t *c, const matrix_view_t *added);
/* c = epilogue(a * b) */
const char *rnn_multiply_then(rnn_t *r, rnn_product_t what, const epilogue_t *epilogue,
        const matrix_view_t *a, const matrix_view_t *b, const matrix_view_t *c);
/* to = from, or to += from; with the matrices' types. */
const char *rnn_copy(rnn_t *r, const matrix_view_t *from, const matrix_view_t *to, bool adds);
/* to = epilogue(from) */
const char *rnn_apply(
        rnn_t *r, const epilogue_t *epilogue, const matrix_view_t *from, const matrix_view_t *to);
/* to = a + b */
const char *rnn_add(
        rnn_t *r, const matrix_view_t *a, const matrix_view_t *b, const matrix_view_t *to);
/* All matrices as one; a copy of them if rows have no common distance. */
const char *rnn_flatten_input(rnn_t *r, matrix_view_t *v);
/* What was reserved since the scratchpad had `before` bytes is free for the steps to come. */
void rnn_release(rnn_t *r, uint64_t before);
const char *rnn_zero(rnn_t *r, const matrix_view_t *to);
/* to = the sums of the columns of `from`, or to += them; `to` has one row. */
const char *rnn_sum_columns(rnn_t *r, const matrix_view_t *from, const matrix_view_t *to);
/* The weights of layer l and direction d, where a matmul can read them. */
const char *rnn_read_weights(rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v);
/* The weights of the state, with contiguous columns if that pays for the steps to come. */
const char *rnn_fast_weights(rnn_t *r, matrix_view_t *weights);

/* ---- projection.c ---- */

/* Reserves what int8 needs, and computes it, for the weights of a layer and direction. */
void rnn_place_projection(rnn_t *r);
const char *rnn_compensate_projection(rnn_t *r, const matrix_view_t *weights);
/* The new states from what the cell has computed. */
const char *rnn_project(
        rnn_t *r, const matrix_view_t *from, const matrix_view_t *weights, const matrix_view_t *to);

/* ---- cell.c ---- */

/* Can the variant of the pointwise steps run the network? NULL, or why not. weights: the argument
 * that a step with a product multiplies by. */
const char *rnn_set_variant(rnn_t *r, int variant, int weights);
/* A work-item of a pointwise step for each vector of channels, or several, and each row. */
void rnn_begin_cell(rnn_t *r, rnn_part_t part, rnn_cell_t *params);
/* Steps that one launch computes. */
int64_t rnn_walk_steps(const rnn_t *r);
/* Sub-groups that divide k among themselves, where one launch computes several steps. */
int64_t rnn_walk_parts(const rnn_t *r);
/* Weights (k x gates and channels) as the variant reads them: in panels of 16 channels on CPUs. */
const char *rnn_factors(
        rnn_t *r, const matrix_view_t *weights, int64_t gates, rnn_factors_t *factors);
/* The source of the product that the step computes, and its weights from row k0 on; a NULL: there
 * is no product. */
void rnn_bind_product(rnn_t *r, const matrix_view_t *a, const rnn_factors_t *u, int64_t k0);
/* The parameters of this product, the last argument of a kernel for one step. */
void rnn_bind_factor(rnn_t *r, int part, const matrix_view_t *a, const rnn_factors_t *u);

/* ---- check.c ---- */

dnnl_status_t rnn_check_support(const pd_t *pd);
dnnl_status_t rnn_resolve_any(pd_t *pd, const caps_t *caps);

/* ---- forward.c, backward.c ---- */

const char *rnn_plan_forward(planner_t *p, int variant);
const char *rnn_plan_backward(planner_t *p, int variant);

#endif
