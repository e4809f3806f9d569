/* SPDX-License-Identifier: Apache-2.0 */
/* Every matmul row of the kernel table: shapes, layouts, types, attributes, run-time dims, and reads beyond
 * the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/util.h"
#include "dry.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "ops/matmul/stream_k.h"
#include "plan/variant_id.h"
#include "ref_matmul.h"
#include "test_main.h"
#include "ze/engine.h"

#define OK(call) assert_int_equal(call, dnnl_success)

/* ---- cases ---- */

enum { SRC, WEI, BIAS, DST, TENSORS };
static const char names[] = "swbd";
static const int arg_ids[TENSORS] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};

/* A case is a line: the dims of src and weights, and words.
 *   s= w= b= d=     data types: f32, but for the bias, which is there where its type or dims are given
 *   bias=1x5        dims of the bias; 1x..xN
 *   sl= wl= dl=     layouts: a tag as make_md() takes it, "any", or "step": every second element
 *   sdt=            data type of the source's and the weights' scales, f32
 *   ss= ws= ds=     masks of scales, sz= wz= dz= of zero points; an h after the mask: on the host, a g: in
 * groups of half of k; ds=mx, fp: computed, round: stochastic rounding of dst; zdt=            data type of
 * the source's and the weights' zero points, s32; shares= work-groups that share the products of all tiles,
 * where a row can; fp= math mode; po= post-ops, comma-separated; after the name the mask of dimensions that
 * the tensor has rt= run-time dims: m, mn, all (strides too) rows=           rows that have to take it. Rows
 * 12x32 and f64 only run where they are named: others share their code. */
typedef struct {
    int ndims;
    dnnl_dims_t dims[TENSORS];
    dnnl_data_type_t dt[TENSORS];
    const char *layout[TENSORS];
    const char *scale[TENSORS], *zero[TENSORS]; /* NULL: not set */
    dnnl_data_type_t zero_dt, scale_dt;
    const char *post_ops, *runtime, *math;
    bool round;
    int shares;
} matmul_case_t;

static dnnl_data_type_t type_of(const char *s) {
    static const struct {
        const char *name;
        dnnl_data_type_t dt;
    } types[] = {{"f32", dnnl_f32}, {"f16", dnnl_f16}, {"bf16", dnnl_bf16}, {"f64", dnnl_f64},
            {"s32", dnnl_s32}, {"s8", dnnl_s8}, {"u8", dnnl_u8}, {"s4", dnnl_s4}, {"u4", dnnl_u4},
            {"e5m2", dnnl_f8_e5m2}, {"e4m3", dnnl_f8_e4m3}, {"e2m1", dnnl_f4_e2m1},
            {"e8m0", dnnl_e8m0}};
    for (int i = 0; i < ARRAY_LEN(types); i++)
        if (!strcmp(s, types[i].name)) return types[i].dt;
    fail_msg("data type %s", s);
    return dnnl_data_type_undef;
}

static int parse_dims(const char *s, dnnl_dims_t dims) {
    int n = 0;
    do {
        dims[n++] = strtoll(s, (char **)&s, 10);
    } while (*s++ == 'x');
    return n;
}

static void parse_word(matmul_case_t *c, const char *key, const char *value) {
    const char *who = strchr(names, key[0]);
    const int t = who ? (int)(who - names) : 0;
    if (!strcmp(key, "bias")) {
        parse_dims(value, c->dims[BIAS]);
        if (!c->dt[BIAS]) c->dt[BIAS] = dnnl_f32;
    } else if (!strcmp(key, "po")) {
        c->post_ops = value;
    } else if (!strcmp(key, "round")) {
        c->round = true;
    } else if (!strcmp(key, "shares")) {
        c->shares = atoi(value);
    } else if (!strcmp(key, "rt")) {
        c->runtime = value;
    } else if (!strcmp(key, "fp")) {
        c->math = value;
    } else if (!strcmp(key, "sdt")) {
        c->scale_dt = type_of(value);
    } else if (!strcmp(key, "zdt")) {
        c->zero_dt = type_of(value);
    } else if (strcmp(key, "rows") != 0) {
        if (!who) fail_msg("word %s=%s", key, value);
        if (!key[1]) c->dt[t] = type_of(value);
        else if (key[1] == 'l') c->layout[t] = value;
        else if (key[1] == 's') c->scale[t] = value;
        else c->zero[t] = value;
    }
}

/* Cuts the line into words. */
static void parse(matmul_case_t *c, char *line) {
    memset(c, 0, sizeof(*c));
    c->dt[SRC] = c->dt[WEI] = c->dt[DST] = dnnl_f32;
    c->zero_dt = dnnl_s32;
    c->scale_dt = dnnl_f32;
    char *save, *word = strtok_r(line, " ", &save);
    c->ndims = parse_dims(word, c->dims[SRC]);
    assert_int_equal(parse_dims(strchr(word, ':') + 1, c->dims[WEI]), c->ndims);
    const int n = c->ndims - 1;
    for (int d = 0; d <= n; d++) {
        c->dims[DST][d] = c->dims[d < n - 1 && c->dims[SRC][d] == 1 ? WEI : SRC][d];
        c->dims[BIAS][d] = 1;
    }
    c->dims[DST][n] = c->dims[BIAS][n] = c->dims[WEI][n];
    while ((word = strtok_r(NULL, " ", &save))) {
        char *value = strchr(word, '=');
        *value = 0;
        parse_word(c, word, value + 1);
    }
}

static md_t tensor_md(const matmul_case_t *c, int t, const dnnl_dim_t *dims) {
    static const char plain[] = "abcdefghijkl";
    const char *layout = c->layout[t];
    const int nd = c->ndims;
    md_t md;
    char tag[16];
    if (layout && !strcmp(layout, "any")) {
        OK(md_init_tag(&md, nd, dims, c->dt[t], dnnl_format_tag_any));
    } else if (layout && !strcmp(layout, "step")) {
        dnnl_dims_t strides;
        int64_t stride = 2;
        for (int d = nd - 1; d >= 0; stride *= dims[d--]) strides[d] = stride;
        OK(md_init_strides(&md, nd, dims, c->dt[t], strides));
    } else {
        snprintf(tag, sizeof(tag), "%.*s", nd, plain);
        md = make_md(c->dt[t], layout ? layout : tag, nd, dims);
    }
    return md;
}

/* ---- attributes ---- */

/* One post-op, and its tensor. */
static void add_post_op(const matmul_case_t *c, dnnl_post_ops_t ops, const char *word) {
    static const struct {
        const char *name;
        dnnl_alg_kind_t alg;
        float alpha, beta;
    } eltwise[] = {{"relu", dnnl_eltwise_relu, 0.25f, 0}, {"tanh", dnnl_eltwise_tanh, 0, 0},
            {"clip", dnnl_eltwise_clip, -1, 2}, {"abs", dnnl_eltwise_abs, 0, 0},
            {"logistic", dnnl_eltwise_logistic, 0, 0}};
    static const struct {
        const char *name;
        dnnl_alg_kind_t alg;
        dnnl_data_type_t dt;
    } binary[] = {{"add", dnnl_binary_add, dnnl_f32}, {"mul", dnnl_binary_mul, dnnl_f16},
            {"max", dnnl_binary_max, dnnl_f32}, {"min", dnnl_binary_min, dnnl_s8},
            {"sub", dnnl_binary_sub, dnnl_bf16}};
    const size_t len = strcspn(word, "0123456789,");
    const int mask = atoi(word + len);
    if (!strncmp(word, "sum", len)) {
        OK(dnnl_post_ops_append_sum(ops, 0.5f, 0, dnnl_data_type_undef));
        return;
    }
    if (!strncmp(word, "prelu", len)) {
        OK(dnnl_post_ops_append_prelu(ops, mask));
        return;
    }
    for (int i = 0; i < ARRAY_LEN(eltwise); i++)
        if (!strncmp(word, eltwise[i].name, len)) {
            OK(dnnl_post_ops_append_eltwise(
                    ops, eltwise[i].alg, eltwise[i].alpha, eltwise[i].beta));
            return;
        }
    for (int i = 0; i < ARRAY_LEN(binary); i++)
        if (!strncmp(word, binary[i].name, len)) {
            dnnl_dims_t dims;
            md_t md;
            for (int d = 0; d < c->ndims; d++) dims[d] = mask >> d & 1 ? c->dims[DST][d] : 1;
            OK(md_init_strides(&md, c->ndims, dims, binary[i].dt, NULL));
            OK(dnnl_post_ops_append_binary(ops, binary[i].alg, &md));
            return;
        }
    fail_msg("post-op %s", word);
}

static bool is_computed(const char *scale) {
    return scale && (!strcmp(scale, "mx") || !strcmp(scale, "fp"));
}

/* The two kinds of scales that a primitive computes. */
static void set_computed(const matmul_case_t *c, dnnl_primitive_attr_t attr) {
    const bool mx = !strcmp(c->scale[DST], "mx");
    const dnnl_dims_t groups = {1, mx ? 32 : 16};
    OK(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, (1 << c->ndims) - 1, 2, groups,
            mx ? dnnl_e8m0 : dnnl_f8_e4m3, 0,
            mx ? dnnl_quantization_mode_dynamic_mx : dnnl_quantization_mode_dynamic_fp));
}

static dnnl_primitive_attr_t make_attr(const matmul_case_t *c) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    OK(dnnl_primitive_attr_create(&attr));
    for (int t = 0; t < TENSORS; t++) {
        const char *scale = c->scale[t], *zero = c->zero[t];
        dnnl_dims_t groups = {1, 1};
        groups[t == SRC] = c->dims[SRC][c->ndims - 1] / 2;
        if (is_computed(scale)) set_computed(c, attr);
        else if (scale)
            OK(dnnl_primitive_attr_set_scales_v2(attr, arg_ids[t], atoi(scale),
                    strchr(scale, 'g') ? 2 : 0, strchr(scale, 'g') ? groups : NULL,
                    t == DST ? dnnl_f32 : c->scale_dt, strchr(scale, 'h') != NULL));
        if (zero)
            OK(dnnl_primitive_attr_set_zero_points_v2(attr, arg_ids[t], atoi(zero),
                    strchr(zero, 'g') ? 2 : 0, strchr(zero, 'g') ? groups : NULL,
                    t == DST ? dnnl_s32 : c->zero_dt, strchr(zero, 'h') != NULL));
    }
    for (int m = dnnl_fpmath_mode_strict; c->math && m <= dnnl_fpmath_mode_tf32; m++)
        if (!strcmp(c->math, dnnl_fpmath_mode2str(m)))
            OK(dnnl_primitive_attr_set_fpmath_mode(attr, m));
    if (c->shares) OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    if (c->round)
        OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    if (!c->post_ops) return attr;
    OK(dnnl_post_ops_create(&ops));
    for (const char *word = c->post_ops; word;
            word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        add_post_op(c, ops, word);
    OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    OK(dnnl_post_ops_destroy(ops));
    return attr;
}

/* ---- running a case ---- */

static dnnl_status_t create_pd(
        const matmul_case_t *c, dnnl_primitive_desc_t *pd, const_dnnl_primitive_attr_t attr) {
    md_t md[TENSORS];
    const bool all = c->runtime && !strcmp(c->runtime, "all");
    for (int t = 0; t < TENSORS; t++) {
        if (!c->dt[t]) continue;
        if (!c->runtime || t == BIAS) {
            md[t] = tensor_md(c, t, c->dims[t]);
            continue;
        }
        dnnl_dims_t dims;
        memcpy(dims, c->dims[t], sizeof(dims));
        for (int d = 0; d < c->ndims; d++)
            if (all || (d == c->ndims - 2 && t != WEI && strchr(c->runtime, 'm')) ||
                    (d == c->ndims - 1 && t != SRC && strchr(c->runtime, 'n')))
                dims[d] = DNNL_RUNTIME_DIM_VAL;
        md[t] = tensor_md(c, t, dims);
        for (int d = 0; all && d < c->ndims; d++)
            md[t].format_desc.blocking.strides[d] = DNNL_RUNTIME_DIM_VAL;
    }
    return dnnl_matmul_primitive_desc_create(
            pd, harness_engine, &md[SRC], &md[WEI], c->dt[BIAS] ? &md[BIAS] : NULL, &md[DST], attr);
}

static void run_and_check(const matmul_case_t *c, case_t *run) {
    md_t md[TENSORS];
    const md_t **mds = calloc((size_t)run->pd->nargs, sizeof(*mds));
    for (int t = 0; t < TENSORS && c->runtime; t++) {
        const int slot = pd_find_arg(run->pd, arg_ids[t]);
        if (slot < 0) continue;
        md[t] = tensor_md(c, t, c->dims[t]);
        mds[slot] = &md[t];
    }
    case_fill(run, mds);
    case_run(run);
    case_check(run, ref_matmul);
    free(mds);
}

/* Compiled for emulation, they take seconds a case: each sees a third of those that do not name it. */
static bool has_subgroups(int row) {
    return variants[row].target == TARGET_SG16 || variants[row].target == TARGET_XMX16;
}

static int shared_runs;

/* Nothing behind the end of the scratchpad, and the same bits once more. */
static void run_shares_again(case_t *run, bool forced) {
    const int dst = pd_find_arg(run->pd, DNNL_ARG_DST),
              scratch = pd_find_arg(run->pd, DNNL_ARG_SCRATCHPAD);
    const plan_t *plan = &run->pd->plan;
    int fixups = 0;
    for (int i = 0; i < plan->nsteps; i++)
        fixups += strstr(variants[plan->steps[i].variant].id, "fixup") != 0;
    if (forced) assert_int_equal(fixups, has_subgroups(run->pd->variant));
    shared_runs += fixups;
    if (is_dry) return;
    /* Rows that share nothing may need none. */
    for (size_t i = 0; scratch >= 0 && run->data[scratch] && i < 64; i++)
        assert_int_equal(run->data[scratch][run->size[scratch] + i], 0xa5);
    uint8_t *first = malloc(run->size[dst]);
    memcpy(first, run->data[dst], run->size[dst]);
    memcpy(run->data[dst], run->before[dst], run->size[dst]);
    OK(case_execute(run));
    assert_memory_equal(first, run->data[dst], run->size[dst]);
    free(first);
}

/* Runs a case with what is forced, unless the harness leaves it out; false if it is not taken. */
static bool run(const char *text) {
    char line[400];
    matmul_case_t c;
    case_t run;
    dnnl_primitive_desc_t pd = NULL;
    snprintf(line, sizeof(line), "%s", text);
    parse(&c, line);
    dnnl_primitive_attr_t attr = make_attr(&c);
    matmul_forced_splits = c.shares > 0 ? c.shares : 0;
    const dnnl_status_t status = create_pd(&c, &pd, attr);
    matmul_forced_splits = 0;
    OK(dnnl_primitive_attr_destroy(attr));
    const int left_out = harness_count.left_out;
    if (!case_open(&run, pd, status)) return harness_count.left_out > left_out;
    run.low = -1;
    run.high = 1;
    run_and_check(&c, &run);
    if (c.shares) run_shares_again(&run, c.shares > 0);
    case_close(&run);
    return true;
}

/* Whether the last part of the row's name is in the list behind rows= */
static bool named(const char *text, const char *row) {
    const char *name = strrchr(row, '_') + 1, *at = strstr(text, "rows=");
    const size_t size = strlen(name);
    if (!at) return false;
    for (at += strlen("rows=");
            strncmp(at, name, size) || (at[size] && at[size] != ',' && at[size] != ' ');) {
        at += strcspn(at, ", ");
        if (*at++ != ',') return false;
    }
    return true;
}

static bool runs_elsewhere(const char *row) {
    return strstr(row, "12x32") || !strcmp(row, variants[KERNEL_matmul_f64].id);
}

static int runs_of_row[64];

static void run_all(const char *const *cases, int n) {
    for (int i = 0; i < n; i++) {
        const char *wanted = getenv("TEST_CASE"), *wanted_row = getenv("TEST_ROW");
        int taken = 0, left = 0;
        if (wanted && !strstr(cases[i], wanted)) continue;
        if (strstr(cases[i], " s=f64 ") && !harness_caps()->has_fp64) {
            print_message("%s: not on this device\n", cases[i]);
            continue;
        }
        for (int row = 0; row < variant_count; row++) {
            const char *id = variants[row].id;
            if (strcmp(variants[row].family, "matmul") ||
                    !variant_runs_on(&variants[row], harness_caps()))
                continue;
            const bool wants = named(cases[i], id);
            if (runs_elsewhere(id) && !wants) continue;
            if (wanted_row && !strstr(id, wanted_row)) continue;
            select_forced_variant = row;
            if (harness_left_to_others(row) ||
                    ((has_subgroups(row) || variant_has_matrix_units(&variants[row])) && !wants &&
                            !sampled(i))) {
                left++;
                continue;
            }
            if (wanted) print_message("%s on %s\n", cases[i], id);
            const int runs = harness_count.run;
            const bool took = run(cases[i]);
            if (wants && !took) fail_msg("%s: refused by %s", cases[i], id);
            runs_of_row[row] += harness_count.run - runs;
            taken += took;
        }
        select_forced_variant = -1;
        if (!taken && !left && !wanted_row) fail_msg("%s: no row takes it", cases[i]);
    }
}
#define RUN(...)                                                                                   \
    static const char *const cases[] = {__VA_ARGS__};                                              \
    run_all(cases, ARRAY_LEN(cases))

static void test_shapes(void **state) {
    (void)state;
    RUN("1x1:1x1 rows=any,6x16,12x32", "13x17:17x37 rows=any,6x16,12x32",
            "5x33:33x131 rows=any,6x16,2x64", "1x300:300x64 rows=2x64", "5x33:33x131 rows=wide",
            "1x35:35x1000 bias=1x1000 rows=wide", "20x517:517x130 po=relu rows=wide",
            "2x3x70:2x70x150 rows=wide", "8x3:3x128 rows=wide", "7x1:1x65 rows=2x64",
            "97x101:101x103 rows=6x16,12x32", "64x64:64x64", "3x5x7:3x7x19", "3x5x7:1x7x19",
            "1x5x7:3x7x19", "2x1x3x4x5:2x3x1x5x21", "2x3x1x2x3x4:1x3x2x1x4x17 rows=any,6x16",
            "2x4x70:2x70x70 rows=2x64", "9x2x30:1x30x70", "5000x3:3x2", "2x5000:5000x2");
}

static void test_zero_dims(void **state) {
    (void)state;
    RUN("0x3:3x4", "3x4:4x0", "0x3x4:0x4x5", "0x3x4:1x4x5",
            "3x0:0x20 bias=1x20 po=add2,relu rows=any,6x16", "3x0:0x70 s=s8 w=s8 d=s32",
            "2x3x0:2x0x70 rows=2x64", "3x0:0x140 rows=wide", "3x0:0x20 wl=ba d=s8 rows=any");
}

static void test_layouts(void **state) {
    (void)state;
    RUN("13x17:17x37 sl=ba rows=6x16", "13x35:35x37 wl=ba rows=6x16", "13x17:17x37 dl=ba rows=6x16",
            "13x17:17x70 sl=+ab wl=+ab dl=+ab", "7x17:17x70 sl=+ab wl=+ab dl=+ab rows=2x64",
            "7x17:17x150 sl=+ab wl=+ab dl=+ab rows=wide", "7x17:17x150 sl=ba dl=ba rows=wide",
            "13x17:17x37 sl=step wl=step dl=step rows=6x16,any",
            "3x5x40:3x40x18 sl=bca wl=cab dl=bac", "13x17:17x37 wl=BA16a16b rows=6x16,12x32,any",
            "13x17:17x37 wl=BA16a32b rows=12x32", "2x13x17:2x17x37 wl=aCB16b16c rows=6x16",
            "13x40:40x37 sl=AB16b16a wl=AB16b16a rows=6x16,any",
            "13x17:17x37 dl=AB16b16a bias=1x37 po=relu,mul1", "20x17:17x37 sl=any wl=any dl=any",
            "2x20x17:2x17x37 wl=any", "5x17:17x70 wl=any rows=2x64",
            "5x37:37x150 wl=BA16a64b bias=1x150 rows=2x64",
            "13x17:17x37 s=s8 w=s8 d=s8 sl=AB16b16a wl=BA16a16b4a",
            "1x70:70x37 wl=ba bias=1x37 po=relu rows=dot", "7x35:35x18 sl=ba wl=ba dl=ba rows=dot",
            "3x2x33:3x33x17 wl=acb dl=bac po=add4 rows=dot", "4x2x33:1x33x17 wl=acb",
            "5x9000:9000x17 s=u8 w=u8 d=s32 wl=ba rows=dot",
            "5x40:40x16 s=f16 w=f16 d=f16 wl=ba rows=dot",
            "5x40:40x16 s=u8 w=s8 d=u8 wl=ba ss=0 ws=2 rows=dot", "5x40:40x16 w=s8 wl=ba rows=dot");
}

static void test_types(void **state) {
    (void)state;
    RUN("13x35:35x37 s=f16 w=f16 d=f16 rows=any,6x16",
            "13x35:35x37 s=bf16 w=bf16 d=bf16 rows=any,6x16",
            "5x40:40x70 s=f16 w=f16 d=f32 rows=2x64", "5x41:41x170 s=f16 w=f16 d=f16 rows=wide",
            "3x40:40x170 w=s8 rows=wide", "5x40:40x70 s=bf16 w=bf16 d=bf16 b=bf16 rows=2x64",
            "35x13:13x37 s=f16 w=f16 d=f32 sl=ba wl=ba", "13x35:35x37 s=bf16 w=bf16 d=f32 wl=ba",
            "13x35:35x37 s=f16 w=f16 d=s8", "13x35:35x37 s=f64 w=f64 d=f64 rows=f64",
            "13x17:17x37 s=f64 w=f64 d=f64 b=f32 wl=AB16b16a rows=f64",
            "13x17:17x37 s=f64 w=f64 d=f64 dl=AB16b16a po=relu rows=f64",
            "13x35:35x37 w=s8 rows=6x16", "5x35:35x70 s=f16 w=u8 d=f16 rows=2x64");
}

static void test_integers(void **state) {
    (void)state;
    RUN("13x35:35x37 s=s8 w=s8 d=s32 rows=any,6x16,12x32,s16", "1x1:1x1 s=u8 w=u8 d=s32 rows=s16",
            "7x1:1x40 s=s8 w=s8 d=s32 wl=ba sl=ba rows=s16",
            "2x9x50:2x50x33 s=s8 w=s8 d=s32 wl=acb sl=acb rows=s16",
            "3x9x51:1x51x33 s=u8 w=s8 d=f32 rows=s16",
            "13x1000:1000x37 s=u8 w=u8 d=s32 rows=any,6x16",
            "5x2000:2000x70 s=u8 w=s8 d=s32 rows=2x64", "13x600:600x37 s=u8 w=s8 d=f32",
            "13x35:35x37 s=s8 w=u8 d=u8 ss=0 ws=2 ds=0",
            "13x35:35x37 s=u8 w=s8 d=s8 ss=0h ws=0h ds=0h dz=0h",
            "13x35:35x37 s=u8 w=s8 d=s32 sz=0 rows=any,6x16,s16",
            "13x600:600x37 s=u8 w=u8 d=s32 sz=0 wz=2 rows=any,6x16,s16",
            "5x600:600x70 s=u8 w=s8 d=s32 sz=0h wz=0h rows=2x64",
            "13x35:35x37 s=u8 w=s8 d=u8 sz=0 wz=0 dz=2 zdt=u8 ss=0 ws=2 ds=0 b=s32",
            "13x36:36x37 s=u8 w=s8 d=s32 sz=2 rows=any",
            "13x36:36x37 s=s8 w=s8 d=s32 wz=3 rows=any", "13x36:36x37 s=s8 w=s8 d=f16 b=u8 ws=2",
            "2x13x36:2x36x37 s=s8 w=s8 d=bf16 wz=4 ws=4 rows=6x16",
            "13x36:36x37 s=s8 w=s8 d=s8 dl=ba",
            "13x1200:1200x37 s=u8 w=u8 d=s32 dl=AB16b16a rows=any,6x16,s16",
            "2x13x36:2x36x37 s=s8 w=s8 d=s32 dl=aBC16c16b sz=0 rows=any,6x16");
}

static void test_small_types(void **state) {
    (void)state;
    RUN("13x36:36x38 w=s4 rows=any,6x16", "5x40:40x70 s=f16 w=u4 d=f16 rows=2x64",
            "5x36:36x38 s=bf16 w=s4 d=bf16 wl=ba rows=dot",
            "13x64:64x38 s=f16 w=u4 d=f16 ws=3g wz=3g zdt=u4 sdt=f16 rows=any,6x16",
            "3x64:64x70 s=bf16 w=s4 d=bf16 ws=3g sdt=bf16 rows=any",
            "3x64:64x70 w=u4 ws=3g wz=3g zdt=u8 wl=ba rows=any",
            "2x13x32:2x32x20 w=s4 ws=7g wz=7g zdt=s4 rows=any,6x16",
            "13x36:36x38 w=s4 wl=BA16a16b rows=any",
            "13x36:36x38 s=s8 w=s4 d=s32 rows=any,6x16,s16",
            "13x36:36x38 s=u8 w=u4 d=s32 sz=0 wz=2 rows=any,6x16",
            "5x36:36x70 s=s8 w=u4 d=f32 rows=2x64",
            "13x64:64x38 s=u8 w=s4 d=f32 ss=3g ws=3g rows=any,6x16",
            "13x35:35x37 s=e4m3 w=e4m3 d=f32 rows=any,6x16",
            "13x35:35x37 s=e5m2 w=e4m3 d=bf16 ss=0 ws=2 rows=6x16",
            "13x35:35x37 s=e4m3 w=e5m2 d=e4m3 b=e5m2 po=relu,sum rows=any",
            "5x40:40x70 s=f16 w=e5m2 d=f16 rows=2x64",
            "5x40:40x16 s=e4m3 w=e4m3 d=e5m2 wl=ba rows=dot",
            "13x36:36x38 s=e2m1 w=e2m1 d=f32 rows=any,6x16",
            "13x64:64x38 s=e2m1 w=e2m1 d=bf16 ss=3g ws=3g sdt=e8m0 rows=any,6x16",
            "13x64:64x38 s=e4m3 w=e2m1 d=f16 ws=3g sdt=e4m3 rows=any",
            "13x36:36x38 s=f16 w=e2m1 d=e2m1 rows=any,6x16",
            "13x64:64x38 s=bf16 w=e2m1 d=bf16 ws=2 sdt=e8m0 wl=ba");
}

/* Tiles of matrix units: whole and cut, weights in rows, in panels and where block loads cannot take them,
 * work-groups of one tile and of many, all pairs of types. */
static void test_matrix_units(void **state) {
    (void)state;
    if (harness_caps()->matrix_subgroup != 16) skip();
    RUN("40x64:64x96 s=f16 w=f16 d=f16 rows=f8x32,f64x32",
            "40x72:72x104 s=bf16 w=bf16 d=f32 bias=1x104 po=relu,add3 rows=f8x32,f64x32",
            "33x47:47x70 s=f16 w=f16 d=bf16 rows=f8x32,f64x32",
            "9x3:3x2 s=f16 w=f16 rows=f8x32,f64x32",
            "35x72:72x130 s=f16 w=f16 d=f16 wl=BA2b16a16b2a rows=f8x32,f64x32",
            "19x45:45x72 s=bf16 w=bf16 sl=ba wl=ba dl=ba rows=f8x32,f64x32",
            "3x17x40:3x40x72 s=f16 w=f16 rows=f64x32",
            "3x17x40:1x40x72 s=f16 w=f16 wl=acb rows=f8x32",
            "2x19x40:2x40x72 s=f16 w=f16 wl=aCB2c16b16c2b d=f16 rows=f8x32,f64x32",
            "2x1x3x40:1x2x40x33 s=f16 w=f16 ws=8 rows=f8x32",
            "1x200:200x70 s=bf16 w=bf16 d=bf16 wl=any po=sum,clip rows=f8x32",
            "230x40:40x232 s=f16 w=f16 rows=f64x32",
            "230x70:70x232 s=f16 w=f16 wl=BA2b16a16b2a rows=f64x32",
            "40x128:128x96 s=s8 w=s8 d=s32 rows=i8x32,i64x32",
            "17x150:150x100 s=u8 w=s8 ss=0 ws=2 bias=1x100 d=u8 ds=0 dz=0 rows=i8x32,i64x32",
            "17x150:150x100 s=s8 w=s8 wl=BA16a16b4a rows=i64x32",
            "17x150:150x100 s=s8 w=u8 wl=BA2b16a16b4a po=add2 rows=i8x32,i64x32",
            "2x33x64:2x64x65 s=u8 w=u8 d=s32 wl=aCB2c16b16c4b rows=i8x32,i64x32",
            "230x70:70x240 s=s8 w=s8 d=s8 rows=i64x32", "3x5000:5000x17 s=u8 w=u8 d=s32 rows=i8x32",
            /* weights in columns, where block loads transpose them, and where they are copied */
            "35x72:72x70 s=f16 w=f16 d=f16 wl=ba po=relu rows=f8x32,f16x32,f64x32",
            "3x19x72:3x72x100 s=bf16 w=bf16 wl=acb rows=f16x32,f64x32",
            "230x40:40x232 s=f16 w=f16 wl=ba rows=f64x32",
            "9x71:71x40 s=f16 w=f16 wl=ba rows=f16x32",
            "19x144:144x70 s=u8 w=s8 d=f32 wl=ba ws=2 bias=1x70 rows=i8x32,i16x32,i64x32",
            "230x80:80x232 s=s8 w=u8 d=s32 wl=ba rows=i64x32",
            /* zero points */
            "19x144:144x70 s=u8 w=s8 d=s32 sz=0 rows=i8x32,i16x32",
            "19x145:145x70 s=s8 w=u8 d=s32 wz=2 zdt=u8 rows=i8x32,i16x32",
            "3x70:70x70 s=u8 w=u8 d=f32 sz=0h wz=0h wl=BA2b16a16b4a ss=0 ws=2 po=relu "
            "rows=i8x32,i16x32",
            "2x21x64:2x64x33 s=s8 w=s8 d=s32 sz=0 wz=4 wl=acb rows=i16x32");
}

/* The same of f32, which the math mode allows to be multiplied as tf32. */
static void test_matrix_units_of_f32(void **state) {
    (void)state;
    if (!harness_caps()->has_tf32) skip();
    RUN("40x64:64x96 fp=tf32 rows=t8x32,t16x32,t64x32",
            "33x47:47x70 fp=tf32 bias=1x70 po=relu,add3 rows=t8x32,t16x32,t64x32",
            "9x3:3x2 fp=any rows=t8x32,t64x32",
            "35x72:72x130 fp=bf16 wl=BA2b16a16b rows=t8x32,t64x32",
            "19x45:45x72 fp=f16 sl=ba wl=ba dl=ba rows=t16x32,t64x32",
            "3x17x40:1x40x72 fp=tf32 wl=acb rows=t8x32,t64x32",
            "2x19x40:2x40x72 fp=tf32 wl=aCB2c16b16c d=f16 rows=t8x32,t64x32",
            "1x200:200x70 fp=tf32 wl=any po=sum,clip rows=t8x32",
            "230x70:70x232 fp=tf32 rows=t64x32", "230x70:70x232 fp=tf32 wl=BA2b16a16b rows=t64x32",
            "230x40:40x232 fp=tf32 wl=ba rows=t64x32");
}

/* Those of 8 lanes, behind local memory: whole and cut tiles and steps, all ways to fill it, work-groups of
 * one tile and of many, all pairs of types. Few kernels, each with several shapes. */
static void test_matrix_units_of_8(void **state) {
    (void)state;
    if (harness_caps()->matrix_subgroup != 8) skip();
    RUN("40x64:64x96 s=f16 w=f16 rows=f8x32,f128x128",
            "33x47:47x70 s=f16 w=f16 rows=f8x32,f128x128",
            "130x96:96x132 s=f16 w=f16 rows=f128x128", "9x3:3x2 s=f16 w=f16 rows=f8x32,f128x128",
            "3x17x72:3x72x80 s=f16 w=f16 rows=f8x32,f128x128",
            "2x1x3x40:1x2x40x34 s=f16 w=f16 rows=f8x32",
            "35x72:72x130 s=f16 w=f16 wl=BA4b16a8b2a rows=f8x32,f128x128",
            "2x19x40:2x40x72 s=f16 w=f16 wl=aCB4c16b8c2b rows=f8x32,f128x128",
            "150x200:200x140 s=f16 w=f16 wl=any rows=f128x128",
            "19x45:45x72 s=f16 w=f16 sl=ba wl=ba dl=ba rows=f8x32,f128x128",
            "3x17x40:1x40x72 s=f16 w=f16 wl=acb rows=f8x32",
            "230x100:100x200 s=f16 w=f16 wl=ba rows=f128x128",
            "40x72:72x104 s=bf16 w=bf16 d=bf16 bias=1x104 po=relu,add3 rows=f8x32,f128x128",
            "40x128:128x96 s=s8 w=s8 d=s32 rows=i8x32,i128x128",
            "230x196:196x144 s=s8 w=s8 d=s32 rows=i128x128",
            "5x20:20x36 s=s8 w=s8 d=s32 rows=i8x32",
            "2x33x64:2x64x65 s=u8 w=u8 d=s32 wl=aCB4c16b8c4b rows=i8x32,i128x128",
            "17x150:150x100 s=s8 w=u8 d=s32 wl=BA4b16a8b4a rows=i8x32",
            "19x144:144x70 s=u8 w=s8 d=s32 wl=ba rows=i8x32,i128x128",
            "230x80:80x200 s=u8 w=s8 d=s32 wl=ba rows=i128x128",
            "17x150:150x100 s=u8 w=s8 ss=0 ws=2 bias=1x100 d=u8 ds=0 dz=0 rows=i8x32,i128x128");
}

/* Weights of integers under a source of floats, in rows and columns. */
static void test_decoded_weights(void **state) {
    (void)state;
    if (harness_caps()->matrix_subgroup != 16) skip();
    RUN("7x64:64x96 s=f16 w=s8 d=f16 rows=f8x32,f16x32",
            "19x77:77x80 s=bf16 w=u8 rows=f8x32,f16x32",
            "19x128:128x160 s=f16 w=u4 d=f16 po=relu,add2 rows=f8x32,f16x32",
            "5x50:50x224 s=bf16 w=s4 d=bf16 ws=2 bias=1x224 rows=f8x32",
            "9x112:112x36 s=f16 w=s8 d=f32 wl=ba rows=f8x32,f16x32",
            "9x160:160x36 s=f16 w=u4 d=f32 wl=ba rows=f8x32,f16x32",
            "9x256:256x35 s=bf16 w=s4 d=f32 wl=ba rows=f8x32,f16x32",
            "9x112:112x36 s=bf16 w=s8 d=f32 wl=ba rows=f8x32",
            "5x112:112x36 s=bf16 w=u8 d=f32 wl=ba wz=2 rows=f8x32",
            "5x160:160x36 s=f16 w=s4 d=f32 wl=ba wz=2 rows=f8x32",
            "9x256:256x160 s=f16 w=u4 d=f16 ws=3g wz=3g zdt=u4 sdt=f16 rows=f8x32,f16x32",
            "17x256:256x41 s=bf16 w=u4 d=bf16 ws=3g wz=3g zdt=u4 sdt=bf16 wl=ba rows=f8x32,f16x32",
            "3x256:256x41 s=f16 w=s8 d=f16 ws=3g wz=2 zdt=s8 sdt=f16 wl=ba rows=f8x32,f16x32",
            "3x192:192x128 s=bf16 w=u8 ws=3g wz=3g zdt=s32 rows=f8x32,f16x32",
            "3x64:64x128 s=f16 w=u8 wz=0 rows=f8x32", "3x64:64x128 s=bf16 w=s8 wz=0h rows=f8x32",
            "2x5x64:2x64x128 s=f16 w=s4 ws=6g rows=f8x32");
}

/* Few tiles and a long k on a device of many threads: sub-groups share k. */
static void test_split(void **state) {
    (void)state;
    const uint32_t lanes = harness_caps()->matrix_subgroup;
    if (!lanes) skip();
    caps_t *caps = &harness_engine->core->caps;
    const uint32_t units = caps->compute_units;
    caps->compute_units = 2048;
    static const char *const of_8[] = {
            "5x1000:1000x70 s=f16 w=f16 d=f16 bias=1x70 po=relu,add3 rows=f8x32",
            "3x1024:1024x64 s=bf16 w=bf16 wl=any rows=f8x32",
            "13x2000:2000x66 s=u8 w=s8 d=s32 rows=i8x32"};
    static const char *const cases[] = {
            "5x1000:1000x70 s=f16 w=f16 d=f16 bias=1x70 po=relu,add3 rows=f8x32",
            "13x1030:1030x64 s=bf16 w=bf16 wl=ba rows=f16x32,f64x32",
            "33x640:640x70 s=f16 w=f16 wl=any po=sum rows=f64x32",
            "3x7000:7000x33 s=u8 w=s8 d=s32 rows=i8x32",
            "40x1001:1001x65 s=s8 w=s8 d=f32 ws=2 wl=any rows=i16x32,i64x32",
            "13x2000:2000x70 s=u8 w=u8 d=s32 sz=0 wz=2 rows=i8x32,i16x32",
            "3x2048:2048x70 s=f16 w=u4 d=f16 ws=3g wz=3g zdt=u4 wl=ba rows=f8x32",
            "3x1024:1024x64 s=bf16 w=s8 rows=f8x32,f16x32",
            "2x9x300:2x300x40 s=f16 w=f16 rows=f16x32",
            "5x1000:1000x70 fp=tf32 bias=1x70 po=relu,add3 rows=t8x32"};
    if (lanes == 8) run_all(of_8, ARRAY_LEN(of_8));
    else run_all(cases, ARRAY_LEN(cases));
    caps->compute_units = units;
}

/* Work-groups go on in the tile where the one before ends: less than a tile, several, and as many as there
 * are units of k. */
static void test_shares(void **state) {
    (void)state;
    if (!(harness_caps()->subgroup_sizes & 1 << 16) || harness_caps()->is_cpu) skip();
    if (harness_left_to_others(KERNEL_matmul_sg16_8x32)) skip();
    static const char *const forced[] = {
            "13x517:517x70 bias=1x70 po=relu,add3 shares=11 rows=8x32",
            "2x9x41:2x41x33 s=f16 w=f16 d=f16 sl=acb po=sum shares=3 rows=8x32",
    };
    static const char *const units_forced[] = {
            "5x1001:1001x70 s=f16 w=f16 d=f16 sl=+ab bias=1x70 po=relu,add3 shares=13 rows=f8x32",
            "35x1001:1001x70 fp=tf32 sl=+ab bias=1x70 shares=13 rows=t8x32,t64x32",
            "5x100:100x150 s=f16 w=f16 d=f16 po=sum,add2 shares=2 rows=f8x32",
            "3x20:20x40 s=bf16 w=bf16 shares=50 rows=f8x32",
            "3x9x130:3x130x40 s=bf16 w=bf16 d=f32 wl=acb shares=5 rows=f16x32,f64x32",
            "260x150:150x304 s=f16 w=f16 d=f16 bias=1x304 po=sum shares=3 rows=f64x32",
            "40x300:300x130 s=f16 w=f16 wl=any dl=AB16b16a po=add2,tanh shares=7 rows=f64x32",
            "13x2000:2000x70 s=u8 w=u8 d=s32 sz=0 wz=2 shares=7 rows=i8x32,i16x32",
            "40x1001:1001x65 s=s8 w=s8 d=f32 ws=2 wl=any shares=9 rows=i64x32",
            "9x256:256x160 s=f16 w=u4 d=f16 ws=3g wz=3g zdt=u4 sdt=f16 shares=7 rows=f8x32,f16x32",
            "19x128:128x160 s=f16 w=u4 d=f16 po=relu,add2 shares=7 rows=f8x32",
            "5x128:128x112 s=f16 w=s8 shares=3 rows=f8x32",
    };
    /* a wave and one or two tiles more, for 7 or 8 sub-groups */
    static const char *const wave[] = {"13x3000:3000x100 po=sum,add2 shares=-1 rows=8x32"};
    static const char *const units_wave[] = {
            "5x3000:3000x288 s=f16 w=f16 d=f16 bias=1x288 po=sum,add2 shares=-1 rows=f8x32"};
    const bool units = harness_caps()->matrix_subgroup == 16;
    caps_t *caps = &harness_engine->core->caps;
    const uint32_t kept = caps->compute_units;
    run_all(forced, ARRAY_LEN(forced));
    if (units) run_all(units_forced, ARRAY_LEN(units_forced));
    const bool all =
            !getenv("TEST_CASE") && !getenv("TEST_ROW") && !harness_leaves_out() && !is_dry;
    int before = shared_runs;
    caps->compute_units = 7;
    run_all(wave, ARRAY_LEN(wave));
    assert_true(shared_runs > before || !all);
    before = shared_runs;
    caps->compute_units = 16;
    if (units) run_all(units_wave, ARRAY_LEN(units_wave));
    assert_true(shared_runs > before || !all || !units);
    caps->compute_units = kept;
}

static void test_scales(void **state) {
    (void)state;
    RUN("13x36:36x37 ss=0 ws=0 ds=0", "13x36:36x37 ss=1 ws=2 ds=2 rows=6x16",
            "3x13x36:3x36x37 ws=5 ss=2 ds=4", "13x36:36x37 ss=2 rows=6x16,any",
            "13x36:36x37 ss=3 ws=3 rows=6x16,any", "13x32:32x37 w=s8 ws=3g wz=3g rows=6x16,any",
            "13x32:32x37 w=s8 ws=3g wz=2 wl=ba",
            "13x64:64x37 s=u8 w=s8 ss=3g ws=3g sz=0 d=f32 rows=6x16,any",
            "13x64:64x37 s=s8 w=s8 d=s32 wz=3g rows=any",
            "3x13x64:3x64x20 s=f16 w=u8 d=f16 ws=7g wz=7g");
}

static void test_computed_scales(void **state) {
    (void)state;
    RUN("13x36:36x64 d=e4m3 ds=mx rows=any,6x16,12x32", "13x36:36x64 d=e5m2 ds=mx rows=any,6x16",
            "13x36:36x64 d=e2m1 ds=mx rows=any,6x16", "13x36:36x64 d=e2m1 ds=fp rows=any,6x16",
            "13x36:36x48 d=e4m3 ds=fp rows=any,6x16",
            "13x900:900x48 s=f16 w=f16 d=e5m2 ds=fp rows=any",
            "5x40:40x64 s=f16 w=f16 d=e4m3 ds=mx rows=2x64",
            "5x40:40x64 s=bf16 w=bf16 d=e2m1 ds=fp wl=ba rows=dot",
            "5x40:40x128 d=e4m3 ds=mx rows=wide", "13x0:0x32 d=e4m3 ds=mx",
            "13x0:0x32 d=e2m1 ds=fp", "13x36:36x64 s=e4m3 w=e4m3 d=e4m3 ds=mx dl=ba",
            "13x36:36x64 d=e5m2 ds=fp dl=+ab", "2x3x5x36:1x3x36x32 d=e4m3 ds=mx",
            "2x3x5x36:1x3x36x32 d=e2m1 ds=fp", "13x36:36x64 s=u8 w=s8 d=e4m3 ds=mx rows=s16",
            "13x36:36x64 d=e4m3 ds=mx bias=1x64 ss=0 ws=2 po=relu,mul2,add3 rows=any,6x16",
            "13x64:64x64 s=e2m1 w=e2m1 d=e2m1 sdt=e8m0 ss=3g ws=3g ds=mx rows=any",
            "13x36:36x64 d=e4m3 ds=mx round=1 rows=any,6x16",
            "13x36:36x64 d=e2m1 ds=fp round=1 rows=any",
            "13x36:36x64 d=e4m3 ds=mx "
            "po=add1,mul2,relu,sub3,max2,clip,add3,mul1,abs,min0,add2,prelu1,tanh,add3,mul2,relu,"
            "add1 "
            "rows=any");
}

static void test_post_ops(void **state) {
    (void)state;
    RUN("13x17:17x37 bias=1x37 po=relu rows=6x16,12x32,any", "13x17:17x37 bias=13x37 po=sum",
            "13x17:17x37 bias=13x1 b=bf16 po=clip,add3",
            "5x17:17x70 bias=1x1 po=tanh,mul2,sum rows=2x64", "13x17:17x37 po=prelu2,max1,logistic",
            "2x13x17:2x17x37 bias=2x1x37 po=add5,prelu4", "4x3x2x8:1x1x8x37 po=mul15,add2,sub8",
            "9x2x17:1x17x37 po=add7,mul2",
            "13x17:17x37 s=s8 w=s8 d=s8 ss=0 ws=2 po=sum,relu,min3 ds=0 dz=0",
            "13x17:17x37 dl=ba po=sum,add3",
            "13x17:17x37 bias=1x37 "
            "po=add1,mul2,relu,sub3,max2,clip,add3,mul1,abs,min0,add2,prelu1,tanh,add3,mul2,relu,"
            "add1 "
            "rows=any,6x16",
            "13x17:17x37 "
            "po=relu,abs,clip,relu,abs,clip,relu,abs,clip,relu,abs,clip,relu,abs,clip,sum "
            "rows=any,6x16",
            "13x17:17x37 s=f16 w=f16 d=f16 dl=AB16b16a ss=0 ds=0 "
            "po=add2,mul1,relu,sub3,max2,clip,add3,mul1,abs,min0,add2,tanh,add1");
}

static void test_runtime(void **state) {
    (void)state;
    RUN("13x17:17x37 rt=m rows=6x16,12x32,any", "13x17:17x140 rt=m rows=6x16",
            "13x17:17x37 rt=m wl=ba bias=1x37 po=relu,add2 rows=6x16", "13x17:17x37 rt=mn rows=any",
            "13x17:17x37 rt=all rows=any", "5x17:17x37 wl=ba rt=m",
            "13x17:17x37 s=s8 w=s8 d=s32 rt=m sz=0 rows=any",
            "2x13x17:2x17x37 rt=all po=relu rows=any",
            "13x17:17x37 s=f64 w=f64 d=f64 rt=mn rows=f64");
}

/* Without a forced row, and one after the other through next_impl. */
static void test_choice(void **state) {
    (void)state;
    assert_true(run("30x40:40x50 wl=any"));
    assert_true(run("4x40:40x70 wl=any"));
    matmul_case_t c;
    dnnl_primitive_desc_t pd;
    char line[] = "30x40:40x50 po=relu";
    parse(&c, line);
    dnnl_primitive_attr_t attr = make_attr(&c);
    OK(create_pd(&c, &pd, attr));
    OK(dnnl_primitive_attr_destroy(attr));
    int implementations = 0, last_row = -1;
    dnnl_status_t status;
    do {
        dnnl_primitive_desc_t copy;
        case_t one;
        OK(dnnl_primitive_desc_clone(&copy, pd));
        assert_true(case_open(&one, copy, dnnl_success));
        assert_int_not_equal(one.pd->variant, last_row);
        last_row = one.pd->variant;
        run_and_check(&c, &one);
        case_close(&one);
        implementations++;
        status = dnnl_primitive_desc_next_impl(pd);
    } while (status == dnnl_success);
    assert_int_equal(status, dnnl_last_impl_reached);
    assert_true(implementations >=
                (harness_caps()->has_fp64 ? 2 : 1)); /* that of doubles takes floats */
    OK(dnnl_primitive_desc_destroy(pd));
}

/* What the harness calls right: bytes within a step, and nothing two steps off. */
static void test_comparison(void **state) {
    (void)state;
    matmul_case_t c;
    case_t one;
    dnnl_primitive_desc_t pd;
    if (is_dry) skip();
    char line[] = "13x36:36x37 s=u8 w=s8 d=u8 ss=0 ws=2 ds=0";
    parse(&c, line);
    dnnl_primitive_attr_t attr = make_attr(&c);
    const dnnl_status_t status = create_pd(&c, &pd, attr);
    OK(dnnl_primitive_attr_destroy(attr));
    if (!case_open(&one, pd, status)) skip();
    run_and_check(&c, &one);
    verdict_t v = {0};
    case_compare(&one, &v);
    assert_int_equal(v.wrong, 0);
    assert_true(v.error <= 1 && v.bound <= 1);
    uint8_t *got = one.data[pd_find_arg(one.pd, DNNL_ARG_DST)];
    const int count = 13 * 37;
    int inside = 0;
    for (int i = 0; i < count; i++) {
        const uint8_t right = got[i];
        if (right < 2 || right > 253) continue;
        inside++;
        for (int step = -2; step <= 2; step += 4) {
            v = (verdict_t){0};
            got[i] = (uint8_t)(right + step);
            case_compare(&one, &v);
            assert_int_equal(v.wrong, 1);
            assert_true(v.first[0] && v.error > v.bound);
        }
        got[i] = right;
    }
    assert_true(inside > count / 4);
    case_close(&one);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        dnnl_status_t status;
    } cases[] = {
            {"13x17:18x37", dnnl_invalid_arguments},
            {"2x3x4:3x4x5", dnnl_invalid_arguments},
            {"13x17:17x37 bias=2x37", dnnl_invalid_arguments},
            {"13x17:17x37 w=f16", dnnl_unimplemented},
            {"13x18:18x38 s=s4 w=s4", dnnl_unimplemented},
            {"13x18:18x38 s=s8 w=e4m3", dnnl_unimplemented},
            {"13x17:17x37 d=s32", dnnl_unimplemented},
            {"13x17:17x37 s=s32 w=s32", dnnl_unimplemented},
            {"13x17:17x37 sz=0", dnnl_unimplemented},
            {"13x17:17x37 s=s8 w=s8 dz=1", dnnl_unimplemented},
            {"1x1x1x1x1x2x3:1x1x1x1x1x3x4", dnnl_unimplemented},
            {"13x36:36x37 s=s8 w=s8 ws=8", dnnl_invalid_arguments},
            {"13x35:35x37 w=s8 ws=3g", dnnl_unimplemented},
            {"13x36:36x64 ds=mx", dnnl_unimplemented},
            {"13x36:36x64 d=f16 ds=fp", dnnl_unimplemented},
            {"13x36:36x48 d=e4m3 ds=mx", dnnl_unimplemented},
            {"13x36:36x64 d=e4m3 ds=mx po=sum", dnnl_unimplemented},
            {"13x36:36x64 d=e4m3 ds=mx rt=m", dnnl_unimplemented},
            {"13x36:36x64 d=e4m3 ds=mx dl=AB16b16a", dnnl_unimplemented},
            {"13x36:36x64 d=e2m1 ds=mx dl=step", dnnl_unimplemented},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        char line[200];
        matmul_case_t c;
        dnnl_primitive_desc_t pd = NULL;
        snprintf(line, sizeof(line), "%s", cases[i].text);
        parse(&c, line);
        dnnl_primitive_attr_t attr = make_attr(&c);
        const dnnl_status_t status = create_pd(&c, &pd, attr);
        if (status != cases[i].status)
            fail_msg("%s: answers %d, not %d", cases[i].text, status, cases[i].status);
        assert_null(pd);
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

/* ---- reads beyond the end ---- */

/* A buffer that ends where a page that cannot be touched begins. */
typedef struct {
    void *base, *data;
    size_t mapped;
} guarded_t;

static guarded_t guarded(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page - 1) / page * page;
    guarded_t g = {.mapped = used + page};
    g.base = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.base != MAP_FAILED);
    assert_int_equal(mprotect((char *)g.base + used, page, PROT_NONE), 0);
    g.data = (char *)g.base + used - size;
    return g;
}

static void run_guarded(dnnl_stream_t stream, const char *text) {
    char line[200];
    matmul_case_t c;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[TENSORS];
    guarded_t buffers[TENSORS];
    int n = 0;
    snprintf(line, sizeof(line), "%s", text);
    parse(&c, line);
    if (create_pd(&c, &pd, NULL) == dnnl_unimplemented) return;
    OK(dnnl_primitive_create(&primitive, pd));
    for (int t = 0; t < TENSORS; t++) {
        if (!c.dt[t]) continue;
        const md_t md = tensor_md(&c, t, c.dims[t]);
        const int64_t count = md_nelems(&md, false);
        buffers[n] = guarded(md_size(&md, 0));
        for (int64_t i = 0; i < count; i++) ref_store(c.dt[t], buffers[n].data, i, 1);
        args[n].arg = arg_ids[t];
        OK(dnnl_memory_create(&args[n].memory, &md, harness_engine, buffers[n].data));
        n++;
    }
    OK(dnnl_primitive_execute(primitive, stream, n, args));
    OK(dnnl_stream_wait(stream));
    /* All is ones: every sum is K, and 1 more with a bias. */
    const int64_t count = c.dims[DST][0] * c.dims[DST][1];
    const double want = (double)c.dims[SRC][1] + (c.dt[BIAS] != dnnl_data_type_undef);
    for (int64_t i = 0; i < count; i++)
        if (ref_load(c.dt[DST], buffers[n - 1].data, i) != want)
            fail_msg("%s: element %lld", text, (long long)i);
    for (int i = 0; i < n; i++) {
        OK(dnnl_memory_destroy(args[i].memory));
        munmap(buffers[i].base, buffers[i].mapped);
    }
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_primitive_desc_destroy(pd));
}

static void test_bounds(void **state) {
    (void)state;
    static const char *const cases[] = {"7x19:19x37 bias=1x37", "7x19:19x37 wl=ba",
            "7x19:19x37 sl=ba dl=ba", "5x19:19x67 bias=5x1", "5x19:19x67 s=f16 w=f16 d=f16",
            "7x19:19x37 s=u8 w=s8 d=s32", "7x19:19x37 s=u8 w=s8 d=s8 b=s8 wl=ba",
            "5x40:40x72 s=f16 w=f16 d=f16", "4x64:64x64 s=bf16 w=bf16 d=f32",
            "5x80:80x144 s=u8 w=s8 d=s32"};
    dnnl_stream_t stream;
    if (!harness_caps()->has_system_usm || getenv("TEST_CASE")) skip();
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags));
    for (int row = 0; row < variant_count; row++) {
        if (strcmp(variants[row].family, "matmul") ||
                !variant_runs_on(&variants[row], harness_caps()) || harness_left_to_others(row))
            continue;
        select_forced_variant = row;
        for (int i = 0; i < ARRAY_LEN(cases); i++) run_guarded(stream, cases[i]);
    }
    select_forced_variant = -1;
    OK(dnnl_stream_destroy(stream));
}

static void test_every_row_ran(void **state) {
    (void)state;
    if (getenv("TEST_CASE") || getenv("TEST_ROW")) skip();
    for (int row = 0; row < variant_count; row++) {
        if (strcmp(variants[row].family, "matmul") ||
                !variant_runs_on(&variants[row], harness_caps()))
            continue;
        if (harness_left_to_others(row)) continue;
        print_message("%-16s %5d cases\n", variants[row].id, runs_of_row[row]);
        assert_true(runs_of_row[row] > 0);
    }
}

TEST_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_zero_dims),
        cmocka_unit_test(test_layouts), cmocka_unit_test(test_types),
        cmocka_unit_test(test_small_types), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_matrix_units), cmocka_unit_test(test_matrix_units_of_f32),
        cmocka_unit_test(test_matrix_units_of_8), cmocka_unit_test(test_decoded_weights),
        cmocka_unit_test(test_split), cmocka_unit_test(test_shares), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_computed_scales), cmocka_unit_test(test_post_ops),
        cmocka_unit_test(test_runtime), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_comparison), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_every_row_ran))
