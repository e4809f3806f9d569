/* SPDX-License-Identifier: Apache-2.0 */
/* Submemory, reshape and permutation: the same elements have to be found at the same places. */
#include "md_test.h"

static int64_t linear(const dnnl_dim_t *pos, const dnnl_dim_t *dims, int ndims) {
    int64_t at = 0;
    for (int d = 0; d < ndims; d++) at = at * dims[d] + pos[d];
    return at;
}

static void from_linear(int64_t at, dnnl_dim_t *pos, const dnnl_dim_t *dims, int ndims) {
    for (int d = ndims - 1; d >= 0; d--) {
        pos[d] = at % dims[d];
        at /= dims[d];
    }
}

static void check_reshaped(const md_t *in, const md_t *out) {
    dnnl_dims_t pos = {0}, to;
    assert_int_equal(in->data_type, out->data_type);
    assert_int_equal(md_nelems(in, false), md_nelems(out, false));
    assert_int_equal(md_size(in, 0), md_size(out, 0));
    if (md_has_zero_dim(in)) return;
    do {
        from_linear(linear(pos, in->dims, in->ndims), to, out->dims, out->ndims);
        assert_int_equal(md_offset(in, pos), md_offset(out, to));
    } while (next_pos(pos, in->dims, in->ndims));
}

typedef struct {
    int ndims;
    dnnl_dims_t dims, strides; /* strides with tag undef */
    dnnl_format_tag_t tag;
} shape_t;

static md_t make(const shape_t *s) {
    return s->tag ? tagged(s->ndims, s->dims, dnnl_f32, s->tag)
                  : strided(s->ndims, s->dims, dnnl_f32, s->strides);
}

static void reshapes_that_work(void **state) {
    (void)state;
    static const shape_t pairs[][2] = {
            /* units come and go */
            {{2, {2, 1}, {2, 2}, 0}, {1, {2}, {2}, 0}},
            {{2, {2, 2}, {0}, dnnl_ab}, {3, {2, 2, 1}, {0}, dnnl_abc}},
            {{2, {2, 1}, {0}, dnnl_ab}, {4, {1, 2, 1, 1}, {0}, dnnl_abcd}},
            {{3, {1, 2, 1}, {0}, dnnl_abc}, {1, {2}, {0}, dnnl_a}},
            {{4, {3, 4, 5, 6}, {0}, dnnl_ABcd16b16a}, {5, {1, 3, 4, 5, 6}, {0}, dnnl_aBCde16c16b}},
            /* dimensions are joined and split */
            {{2, {6, 2}, {0}, dnnl_ab}, {3, {3, 2, 2}, {0}, dnnl_abc}},
            {{2, {6, 2}, {0}, dnnl_ab}, {1, {12}, {0}, dnnl_a}},
            {{2, {6, 2}, {0}, dnnl_ba}, {3, {2, 3, 2}, {3, 1, 6}, 0}},
            {{2, {6, 2}, {4, 1}, 0}, {3, {2, 3, 2}, {12, 4, 1}, 0}},
            {{3, {1, 15, 12}, {0}, dnnl_aBc8b}, {5, {1, 15, 2, 3, 2}, {0}, dnnl_aBcde8b}},
            {{3, {15, 3, 4}, {0}, dnnl_abc}, {5, {3, 5, 6, 1, 2}, {0}, dnnl_abcde}},
            {{3, {15, 3, 4}, {0}, dnnl_bca}, {5, {3, 5, 6, 1, 2}, {5, 1, 30, 30, 15}, 0}},
            {{2, {4, 3}, {0, 1}, 0}, {3, {2, 2, 3}, {0, 0, 1}, 0}},
            /* empty tensors */
            {{3, {2, 0, 2}, {0}, dnnl_abc}, {4, {2, 0, 2, 1}, {0}, dnnl_abcd}},
            {{4, {31, 1, 0, 2}, {0}, dnnl_Abcd16a}, {5, {1, 31, 0, 2, 1}, {0}, dnnl_aBcde16b}},
            {{4, {2, 3, 0, 2}, {6, 2, 2, 1}, 0}, {3, {6, 0, 2}, {2, 2, 1}, 0}},
            /* any stays any */
            {{2, {6, 2}, {0}, dnnl_format_tag_any}, {1, {12}, {0}, dnnl_format_tag_any}},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        for (int way = 0; way < 2; way++) {
            const md_t in = make(&pairs[i][way]), wanted = make(&pairs[i][!way]);
            dnnl_memory_desc_t out;
            if (dnnl_memory_desc_reshape(&out, &in, wanted.ndims, wanted.dims))
                fail_msg("pair %zu, way %d", i, way);
            if (!md_equal(out, &wanted)) fail_msg("pair %zu, way %d: another layout", i, way);
            if (md_is_blocked(&in)) check_reshaped(&in, out);
            dnnl_memory_desc_destroy(out);
        }
}

static void reshapes_that_do_not(void **state) {
    (void)state;
    md_t padded_unit = strided(3, DIMS(6, 1, 2), dnnl_f32, DIMS(4, 2, 1));
    md_t padded = strided(1, DIMS(6), dnnl_f32, DIMS(1));
    md_t compensated = tagged(2, DIMS(2, 3), dnnl_s8, dnnl_ab);
    md_t zero, scalar, csr;
    padded_unit.padded_dims[1] = 2;
    padded.padded_dims[0] = 12;
    compensated.extra.flags = MD_EXTRA_COMP_S8S8;
    memset(&zero, 0, sizeof(zero));
    assert_int_equal(md_init_host_scalar(&scalar, dnnl_f32), 0);
    assert_int_equal(md_init_csr(&csr, 2, DIMS(2, 3), dnnl_f32, 2, dnnl_s32, dnnl_s32), 0);
    const struct {
        md_t in;
        int ndims;
        dnnl_dims_t dims;
    } cases[] = {
            {tagged(4, DIMS(2, 2, 1, 1), dnnl_f32, dnnl_abcd), 5, {2, 2, 2, 1, 1}},
            {tagged(2, DIMS(6, 2), dnnl_f32, dnnl_ab), 1, {6}},
            {tagged(4, DIMS(2, 3, 0, 2), dnnl_f32, dnnl_cdba), 3, {6, 0, 2}},
            {tagged(2, DIMS(6, 2), dnnl_f32, dnnl_ba), 1, {12}},
            {strided(2, DIMS(6, 2), dnnl_f32, DIMS(3, 1)), 1, {12}},
            {tagged(4, DIMS(2, 8, 3, 4), dnnl_f32, dnnl_aBcd8b), 2, {2, 96}},
            {tagged(3, DIMS(2, 16, 3), dnnl_f32, dnnl_aBc8b), 4, {2, 2, 8, 3}},
            {tagged(1, DIMS(RT), dnnl_f32, dnnl_a), 1, {RT}},
            {tagged(2, DIMS(2, 3), dnnl_f32, dnnl_ab), 2, {RT, 3}},
            {tagged(2, DIMS(2, 3), dnnl_f32, dnnl_ab), 2, {-2, -3}},
            {tagged(2, DIMS(2, 3), dnnl_f32, dnnl_ab), -1, {6}},
            {tagged(2, DIMS(2, 3), dnnl_f32, dnnl_ab), 13, {6}},
            {tagged(2, DIMS(2, 0), dnnl_f32, dnnl_ab), 1, {2}},
            {tagged(1, DIMS(1), dnnl_f32, dnnl_a), 1, {0}},
            {tagged(2, DIMS(2, 3), dnnl_f32, dnnl_ab), 2, {INT64_C(1) << 62, 4}},
            {padded_unit, 2, {6, 2}},
            {padded, 2, {2, 3}},
            {compensated, 1, {6}},
            {zero, 1, {1}},
            {scalar, 1, {1}},
            {csr, 1, {6}},
    };
    dnnl_memory_desc_t out = NULL;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        if (dnnl_memory_desc_reshape(&out, &cases[i].in, cases[i].ndims, cases[i].dims) !=
                dnnl_invalid_arguments)
            fail_msg("case %zu", i);
        assert_null(out);
    }
    assert_int_equal(dnnl_memory_desc_reshape(&out, NULL, 1, DIMS(1)), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_reshape(&out, &cases[0].in, 1, NULL), dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_memory_desc_reshape(NULL, &cases[0].in, 1, DIMS(4)), dnnl_invalid_arguments);
}

/* Splits 1 to 4 small factors into dims at random places, so that shapes of the same volume come
 * up often. */
static int random_shape(uint64_t *rng, const int *factors, int nfactors, dnnl_dim_t *dims) {
    int ndims = 0;
    dims[ndims++] = 1;
    for (int i = 0; i < nfactors; i++) {
        if (i && random_in(rng, 0, 1)) dims[ndims++] = 1;
        dims[ndims - 1] *= factors[i];
    }
    if (ndims < 6 && random_in(rng, 0, 2) == 0) dims[ndims++] = 1;
    return ndims;
}

static md_t random_layout(uint64_t *rng, int ndims, const dnnl_dim_t *dims) {
    char tag[64];
    int order[DNNL_MAX_NDIMS], len = 0;
    const int blocked = random_in(rng, 0, 2) ? -1 : (int)random_in(rng, 0, ndims - 1);
    for (int d = 0; d < ndims; d++) order[d] = d;
    for (int d = ndims - 1; d > 0 && random_in(rng, 0, 1); d--) {
        const int other = (int)random_in(rng, 0, d), keep = order[d];
        order[d] = order[other];
        order[other] = keep;
    }
    for (int d = 0; d < ndims; d++)
        tag[len++] = (char)((order[d] == blocked ? 'A' : 'a') + order[d]);
    if (blocked >= 0) {
        tag[len++] = (char)('2' + random_in(rng, 0, 2));
        tag[len++] = (char)('a' + blocked);
    }
    tag[len] = '\0';
    md_t md;
    assert_int_equal(md_init_string_tag(&md, ndims, dims, dnnl_f32, tag), 0);
    return md;
}

static void random_reshapes(void **state) {
    (void)state;
    uint64_t rng = 5;
    int done = 0;
    for (int i = 0; i < 20000; i++) {
        int factors[5];
        const int nfactors = (int)random_in(&rng, 1, 5);
        for (int f = 0; f < nfactors; f++) factors[f] = (int)random_in(&rng, 2, 4);
        dnnl_dims_t from, to;
        const int from_ndims = random_shape(&rng, factors, nfactors, from),
                  to_ndims = random_shape(&rng, factors, nfactors, to);
        const md_t in = random_layout(&rng, from_ndims, from);
        md_t out;
        if (md_init_reshape(&out, &in, to_ndims, to)) continue;
        check_reshaped(&in, &out);
        assert_null(md_layout_problem(&out));
        done++;
    }
    assert_true(done > 5000);
}

static void permutations(void **state) {
    (void)state;
    uint64_t rng = 9;
    for (int i = 0; i < 2000; i++) {
        const int ndims = (int)random_in(&rng, 1, 5);
        dnnl_dims_t dims, pos = {0}, moved;
        int perm[DNNL_MAX_NDIMS], back[DNNL_MAX_NDIMS];
        for (int d = 0; d < ndims; d++) dims[d] = random_in(&rng, 1, 5), perm[d] = d;
        for (int d = ndims - 1; d > 0; d--) {
            const int other = (int)random_in(&rng, 0, d), keep = perm[d];
            perm[d] = perm[other];
            perm[other] = keep;
        }
        const md_t in = random_layout(&rng, ndims, dims);
        dnnl_memory_desc_t out, again;
        assert_int_equal(dnnl_memory_desc_permute_axes(&out, &in, perm), 0);
        do {
            for (int d = 0; d < ndims; d++) moved[perm[d]] = pos[d];
            assert_int_equal(md_offset(&in, pos), md_offset(out, moved));
        } while (next_pos(pos, in.dims, ndims));
        for (int d = 0; d < ndims; d++) {
            back[perm[d]] = d;
            assert_int_equal(out->dims[perm[d]], dims[d]);
        }
        assert_int_equal(dnnl_memory_desc_permute_axes(&again, out, back), 0);
        assert_true(md_equal(&in, again));
        dnnl_memory_desc_destroy(out), dnnl_memory_desc_destroy(again);
    }
}

static void permutations_by_tag(void **state) {
    (void)state;
    const struct {
        shape_t in, out;
        int perm[DNNL_MAX_NDIMS];
    } cases[] = {
            {{2, {2, 1}, {0}, dnnl_ab}, {2, {1, 2}, {0}, dnnl_ba}, {1, 0}},
            {{4, {2, 3, 4, 5}, {0}, dnnl_acdb}, {4, {2, 4, 5, 3}, {0}, dnnl_abcd}, {0, 3, 1, 2}},
            {{4, {2, 3, 4, 5}, {0}, dnnl_cdba}, {4, {4, 5, 3, 2}, {0}, dnnl_abcd}, {3, 2, 0, 1}},
            {{4, {2, 15, 3, 4}, {0}, dnnl_ABcd16b16a}, {4, {15, 2, 3, 4}, {0}, dnnl_BAcd16a16b},
                    {1, 0, 2, 3}},
            {{2, {3, 2}, {0}, dnnl_format_tag_any}, {2, {2, 3}, {0}, dnnl_format_tag_any}, {1, 0}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const md_t in = make(&cases[i].in), wanted = make(&cases[i].out);
        dnnl_memory_desc_t out;
        assert_int_equal(dnnl_memory_desc_permute_axes(&out, &in, cases[i].perm), 0);
        assert_true(md_equal(out, &wanted));
        dnnl_memory_desc_destroy(out);
    }
}

static void no_permutations(void **state) {
    (void)state;
    const md_t in = tagged(4, DIMS(2, 2, 1, 1), dnnl_f32, dnnl_abcd),
               runtime = tagged(1, DIMS(RT), dnnl_f32, dnnl_a);
    md_t zero, compensated = in, scalar;
    dnnl_memory_desc_t out = NULL;
    static const int bad[][4] = {{0, 1, 2, 2}, {0, 1, 2, 4}, {0, 1, 2, -1}, {3, 3, 3, 3},
            {0, 1, 2, 1 << 20}, {INT32_MIN, 1, 2, 3}};
    memset(&zero, 0, sizeof(zero));
    compensated.extra.flags = MD_EXTRA_COMP_S8S8;
    assert_int_equal(md_init_host_scalar(&scalar, dnnl_f32), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(dnnl_memory_desc_permute_axes(&out, &in, bad[i]), dnnl_invalid_arguments);
    const md_t *const others[] = {&runtime, &zero, &compensated, &scalar, NULL};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(dnnl_memory_desc_permute_axes(&out, others[i], (const int[]){0, 1, 2, 3}),
                dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_permute_axes(&out, &in, NULL), dnnl_invalid_arguments);
    assert_null(out);
}

static void random_submemories(void **state) {
    (void)state;
    uint64_t rng = 3;
    int done = 0;
    for (int i = 0; i < 20000; i++) {
        const int ndims = (int)random_in(&rng, 1, 4);
        dnnl_dims_t dims, part, offsets, pos = {0}, shifted;
        for (int d = 0; d < ndims; d++) {
            dims[d] = random_in(&rng, 1, 9);
            offsets[d] = random_in(&rng, 0, dims[d] - 1);
            part[d] = random_in(&rng, 1, dims[d] - offsets[d]);
        }
        const md_t parent = random_layout(&rng, ndims, dims);
        md_t sub, sub2;
        if (md_init_submemory(&sub, &parent, part, offsets)) continue;
        done++;
        do {
            for (int d = 0; d < ndims; d++) shifted[d] = pos[d] + offsets[d];
            assert_int_equal(md_offset(&parent, shifted), md_offset(&sub, pos));
        } while (next_pos(pos, part, ndims));
        assert_null(md_layout_problem(&sub));
        /* A part of a part is a part. */
        assert_int_equal(md_init_submemory(&sub2, &sub, part, DIMS(0)), 0);
        assert_true(md_equal(&sub, &sub2));
    }
    assert_true(done > 3000);
}

static void submemories(void **state) {
    (void)state;
    const md_t plain = tagged(3, DIMS(4, 6, 8), dnnl_f32, dnnl_abc),
               blocked = tagged(3, DIMS(4, 20, 8), dnnl_f32, dnnl_aBc8b),
               runtime = tagged(2, DIMS(RT, 4), dnnl_f32, dnnl_ab),
               any = tagged(2, DIMS(4, 4), dnnl_f32, dnnl_format_tag_any);
    md_t zero;
    memset(&zero, 0, sizeof(zero));
    const struct {
        const md_t *parent;
        dnnl_dims_t dims, offsets;
        dnnl_status_t status;
        int64_t offset0;
    } cases[] = {
            {&plain, {4, 6, 8}, {0}, 0, 0},
            {&plain, {2, 3, 4}, {1, 2, 3}, 0, 48 + 16 + 3},
            {&plain, {0, 3, 4}, {4, 2, 3}, 0, 192 + 16 + 3},
            {&plain, {2, 3, 6}, {1, 2, 3}, dnnl_invalid_arguments, 0},
            {&plain, {2, -3, 4}, {1, 2, 3}, dnnl_invalid_arguments, 0},
            {&plain, {2, 3, 4}, {-1, 2, 3}, dnnl_invalid_arguments, 0},
            {&plain, {2, 3, 4}, {INT64_MAX, 2, 3}, dnnl_invalid_arguments, 0},
            {&plain, {RT, 3, 4}, {0, 2, 3}, dnnl_unimplemented, 0},
            {&plain, {2, 3, 4}, {0, RT, 3}, dnnl_unimplemented, 0},
            {&blocked, {4, 8, 8}, {0, 8, 0}, 0, 64},
            {&blocked, {4, 4, 8}, {0, 16, 0}, 0, 128}, /* the last, padded block */
            {&blocked, {4, 3, 8}, {0, 8, 0}, 0, 64},   /* the start of a block */
            {&blocked, {4, 8, 8}, {0, 4, 0}, dnnl_unimplemented, 0},
            {&blocked, {4, 12, 8}, {0, 0, 0}, dnnl_unimplemented, 0},
            {&runtime, {1, 1}, {0}, dnnl_unimplemented, 0},
            {&any, {1, 1}, {0}, dnnl_unimplemented, 0},
            {&zero, {1}, {0}, dnnl_unimplemented, 0},
            {NULL, {1}, {0}, dnnl_invalid_arguments, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        dnnl_memory_desc_t sub = NULL;
        const dnnl_status_t status = dnnl_memory_desc_create_submemory(
                &sub, cases[i].parent, cases[i].dims, cases[i].offsets);
        if (status != cases[i].status) fail_msg("case %zu: %d", i, status);
        if (status == dnnl_success) {
            assert_int_equal(sub->offset0, cases[i].offset0);
            assert_memory_equal(sub->dims, cases[i].dims, 24);
            dnnl_memory_desc_destroy(sub);
        } else {
            assert_null(sub);
        }
    }
    dnnl_memory_desc_t sub;
    assert_int_equal(
            dnnl_memory_desc_create_submemory(&sub, &plain, NULL, DIMS(0)), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_submemory(&sub, &plain, DIMS(1, 1, 1), NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_submemory(NULL, &plain, DIMS(1, 1, 1), DIMS(0)),
            dnnl_invalid_arguments);
    assert_int_equal(md_init_submemory(&zero, &blocked, DIMS(4, 4, 8), DIMS(0, 16, 0)), 0);
    assert_int_equal(zero.padded_dims[1], 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(reshapes_that_work),
            cmocka_unit_test(reshapes_that_do_not),
            cmocka_unit_test(random_reshapes),
            cmocka_unit_test(permutations),
            cmocka_unit_test(permutations_by_tag),
            cmocka_unit_test(no_permutations),
            cmocka_unit_test(random_submemories),
            cmocka_unit_test(submemories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
