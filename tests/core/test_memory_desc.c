/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors through the public functions: what they are, what they answer, and what is
 * refused. */
#include "md_test.h"

#include "core/alloc.h"

static const int64_t big = INT64_C(1) << 62;

static void strides_and_padding_of_tags(void **state) {
    (void)state;
    static const struct {
        dnnl_format_tag_t tag;
        int ndims;
        dnnl_dims_t dims, strides, padded;
        size_t size; /* f32 */
    } cases[] = {
            {dnnl_nchw, 4, {2, 3, 4, 5}, {60, 20, 5, 1}, {2, 3, 4, 5}, 480},
            {dnnl_nhwc, 4, {2, 3, 4, 5}, {60, 1, 15, 3}, {2, 3, 4, 5}, 480},
            {dnnl_nChw8c, 4, {1, 4, 1, 1}, {8, 8, 8, 8}, {1, 8, 1, 1}, 32},
            {dnnl_nChw16c, 4, {2, 17, 3, 5}, {480, 240, 80, 16}, {2, 32, 3, 5}, 3840},
            {dnnl_ABcd16b16a, 4, {3, 20, 2, 1}, {1024, 512, 256, 256}, {16, 32, 2, 1}, 4096},
            {dnnl_ba, 2, {3, 5}, {1, 3}, {3, 5}, 60},
            /* A zero dimension has strides as if it were 1. */
            {dnnl_abc, 3, {2, 0, 3}, {3, 3, 1}, {2, 0, 3}, 0},
            {dnnl_aBc8b, 3, {2, 0, 3}, {24, 24, 8}, {2, 0, 3}, 0},
            /* Everything slower than a run-time dimension is unknown. */
            {dnnl_abc, 3, {2, RT, 3}, {RT, 3, 1}, {2, RT, 3}, DNNL_RUNTIME_SIZE_VAL},
            {dnnl_ab, 2, {RT, 64}, {64, 1}, {RT, 64}, DNNL_RUNTIME_SIZE_VAL},
            {dnnl_ab, 2, {0, RT}, {RT, 1}, {0, RT}, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const size_t bytes = (size_t)cases[i].ndims * sizeof(dnnl_dim_t);
        dnnl_memory_desc_t md;
        const dnnl_dims_t *got;
        assert_int_equal(dnnl_memory_desc_create_with_tag(
                                 &md, cases[i].ndims, cases[i].dims, dnnl_f32, cases[i].tag),
                0);
        assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_strides, &got), 0);
        assert_memory_equal(*got, cases[i].strides, bytes);
        assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_padded_dims, &got), 0);
        assert_memory_equal(*got, cases[i].padded, bytes);
        assert_int_equal(dnnl_memory_desc_get_size(md), cases[i].size);
        assert_int_equal(dnnl_memory_desc_get_size_v2(md, 0), cases[i].size);
        assert_int_equal(dnnl_memory_desc_get_size_v2(md, 1), 0);
        assert_int_equal(dnnl_memory_desc_get_size_v2(md, -1), 0);
        assert_int_equal(dnnl_memory_desc_destroy(md), 0);
    }
}

static void a_string_tag_multiplies_by_zero(void **state) {
    (void)state;
    md_t md;
    assert_int_equal(md_init_string_tag(&md, 3, DIMS(2, 0, 3), dnnl_f32, "abc"), 0);
    assert_memory_equal(md.format_desc.blocking.strides, DIMS(0, 3, 1), 24);
    assert_int_equal(md_size(&md, 0), 0);
}

static void default_strides(void **state) {
    (void)state;
    static const struct {
        int ndims;
        dnnl_dims_t dims, strides;
    } cases[] = {
            {1, {7}, {1}},
            {3, {2, 3, 4}, {12, 4, 1}},
            {3, {2, 0, 4}, {0, 4, 1}},
            {2, {RT, 64}, {RT, 1}}, /* rows may turn out to be padded */
            {3, {5, 2, RT}, {RT, RT, 1}},
            {3, {5, RT, 4}, {RT, RT, 1}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const md_t md = strided(cases[i].ndims, cases[i].dims, dnnl_f32, NULL);
        assert_memory_equal(
                md.format_desc.blocking.strides, cases[i].strides, (size_t)cases[i].ndims * 8);
    }
}

static void sizes(void **state) {
    (void)state;
    static const struct {
        int ndims;
        dnnl_dims_t dims, strides;
        dnnl_data_type_t dt;
        size_t size;
    } cases[] = {
            {2, {2, 4}, {16, 1}, dnnl_f32,
                    128}, /* rows have holes: they count, after the last row too */
            {4, {1, 1, 1, 1}, {8, 4, 2, 1}, dnnl_f32, 4},
            {2, {4, 3}, {0, 1}, dnnl_f32, 12}, /* broadcast */
            {2, {1, 3}, {1000, 1}, dnnl_f64, 24},
            {1, {3}, {1}, dnnl_s4, 2}, /* two a byte, rounded up */
            {1, {1}, {1}, dnnl_u4, 1},
            {2, {10, 256}, {256, 1}, dnnl_f4_e2m1, 1280},
            {1, {INT64_MAX}, {1}, dnnl_u8, INT64_MAX},
            {2, {2, 3}, {RT, 1}, dnnl_f16, DNNL_RUNTIME_SIZE_VAL},
            {2, {2, 0}, {5, 1}, dnnl_f16, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const md_t md = strided(cases[i].ndims, cases[i].dims, cases[i].dt, cases[i].strides);
        assert_int_equal(md_size(&md, 0), cases[i].size);
    }
    md_t any = tagged(2, DIMS(3, 4), dnnl_f32, dnnl_format_tag_any);
    assert_int_equal(md_size(&any, 0), 0);
    assert_int_equal(md_size(NULL, 0), 0);
    assert_int_equal(dnnl_memory_desc_get_size(NULL), 0);
}

static void data_types(void **state) {
    (void)state;
    static const int bits[] = {0, 16, 16, 32, 32, 8, 8, 64, 8, 8, 8, 4, 4, 8, 4, 0, 64};
    for (int dt = 0; dt <= dnnl_s64; dt++) {
        md_t md;
        const bool is_tensor = bits[dt] && dt != dnnl_boolean;
        assert_int_equal(dt_bits((dnnl_data_type_t)dt), bits[dt]);
        assert_int_equal(dnnl_data_type_size((dnnl_data_type_t)dt), (bits[dt] + 7) / 8);
        assert_int_equal(md_init_tag(&md, 1, DIMS(8), (dnnl_data_type_t)dt, dnnl_a),
                is_tensor ? dnnl_success : dnnl_invalid_arguments);
        if (is_tensor) assert_int_equal(md_size(&md, 0), bits[dt]);
    }
    assert_int_equal(dnnl_data_type_size((dnnl_data_type_t)-1), 0);
    assert_int_equal(dnnl_data_type_size(dnnl_data_type_max), 0);
    assert_true(dt_is_int(dnnl_s4) && dt_is_int(dnnl_s32) && !dt_is_int(dnnl_f16) &&
                !dt_is_int(dnnl_boolean));
}

static void bad_tensors_are_refused(void **state) {
    (void)state;
    static const struct {
        int ndims;
        dnnl_dims_t dims;
        dnnl_data_type_t dt;
        dnnl_format_tag_t tag;
    } tags[] = {
            {-1, {1}, dnnl_f32, dnnl_a}, {13, {1}, dnnl_f32, dnnl_a},
            {INT32_MIN, {1}, dnnl_f32, dnnl_a}, {2, {-1, 4}, dnnl_f32, dnnl_ab},
            {2, {4, INT64_MIN + 1}, dnnl_f32, dnnl_ab}, {2, {2, 3}, dnnl_f32, dnnl_abc},
            {2, {2, 3}, dnnl_data_type_undef, dnnl_ab}, {2, {2, 3}, dnnl_boolean, dnnl_ab},
            {2, {2, 3}, dnnl_f4_e3m0, dnnl_ab}, {2, {2, 3}, (dnnl_data_type_t)1000, dnnl_ab},
            {2, {2, 3}, (dnnl_data_type_t)-7, dnnl_ab},
            {2, {2, 3}, dnnl_f32, (dnnl_format_tag_t)-1},
            {2, {2, 3}, dnnl_f32, dnnl_format_tag_last},
            {2, {2, 3}, dnnl_f32, (dnnl_format_tag_t)30000},
            {2, {RT, 3}, dnnl_f32, dnnl_format_tag_any},
            {2, {INT64_C(1) << 62, 4}, dnnl_f32, dnnl_ab},
            {3, {INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31}, dnnl_f32, dnnl_abc},
            {2, {INT64_C(1) << 31, INT64_C(1) << 30}, dnnl_f32, dnnl_ab}, /* bytes */
            {4, {2, INT64_C(1) << 62, 8, 8}, dnnl_f32, dnnl_nChw8c},
            {4, {2, INT64_C(1) << 56, 8, 8}, dnnl_f32, dnnl_nChw16c},
            {4, {INT64_C(1) << 60, 1, 1, 1}, dnnl_s8, dnnl_nChw16c}, /* by padding */
            {3, {1, INT64_MAX, 1}, dnnl_s8, dnnl_nCw16c},            /* rounding up */
            {3, {INT64_C(1) << 40, 0, INT64_C(1) << 40}, dnnl_s8,
                    dnnl_abc},             /* strides, though it is empty */
            {2, {2, 3}, dnnl_s4, dnnl_ab}, /* the second row starts inside of a byte */
    };
    dnnl_memory_desc_t const nothing = (dnnl_memory_desc_t)&tags;
    dnnl_memory_desc_t md = nothing;
    for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
        const dnnl_status_t status = dnnl_memory_desc_create_with_tag(
                &md, tags[i].ndims, tags[i].dims, tags[i].dt, tags[i].tag);
        if (status != dnnl_invalid_arguments) fail_msg("case %zu: %d", i, status);
        assert_ptr_equal(md, nothing);
    }
    assert_int_equal(dnnl_memory_desc_create_with_tag(&md, 2, NULL, dnnl_f32, dnnl_ab),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_with_tag(NULL, 2, DIMS(1, 1), dnnl_f32, dnnl_ab),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_with_strides(&md, 2, NULL, dnnl_f32, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_with_strides(NULL, 0, NULL, dnnl_f32, NULL),
            dnnl_invalid_arguments);
    assert_ptr_equal(md, nothing);
}

static void strides_are_checked(void **state) {
    (void)state;
    const struct {
        int ndims;
        dnnl_dims_t dims, strides;
        dnnl_data_type_t dt;
        dnnl_status_t status;
    } cases[] = {
            {2, {2, 3}, {3, 1}, dnnl_f32, 0},
            {2, {2, 3}, {2, 1}, dnnl_f32, 2},
            {2, {2, 3}, {1, 1}, dnnl_f32, 2},
            {2, {2, 3}, {1, 2}, dnnl_f32, 0},
            {2, {2, 3}, {-3, 1}, dnnl_f32, 2},
            {2, {1, 3}, {-3, 1}, dnnl_f32, 2},
            {2, {1, 3}, {1, 1}, dnnl_f32, 0}, /* a unit dimension may have any */
            {3, {2, 1, 3}, {3, 77, 1}, dnnl_f32, 0},
            {2, {2, 3}, {0, 0}, dnnl_f32, 0},
            {2, {2, 3}, {1, 0}, dnnl_f32, 0},
            {2, {2, 0}, {1, 1}, dnnl_f32, 0}, /* empty: nothing can overlap */
            {2, {2, 3}, {RT, 1}, dnnl_f32, 0},
            {2, {RT, 3}, {2, 1}, dnnl_f32, 0},
            {2, {2, 4}, {big, 1}, dnnl_f32, 2},
            {2, {2, big}, {big, 1}, dnnl_f32, 2},
            {2, {2, 2}, {INT64_MAX, 1}, dnnl_u8, 2},
            {2, {2, 2}, {INT64_MAX / 2, 1}, dnnl_u8, 0},
            {2, {2, 2}, {INT64_MAX / 2, 1}, dnnl_f16, 2},
            {2, {2, 3}, {3, 1}, dnnl_s4, 2},
            {2, {2, 3}, {4, 1}, dnnl_s4, 0},
            {2, {2, 3}, {1, 2}, dnnl_u4, 0},
            {2, {1, 3}, {3, 1}, dnnl_u4, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        dnnl_memory_desc_t md = NULL;
        const dnnl_status_t status = dnnl_memory_desc_create_with_strides(
                &md, cases[i].ndims, cases[i].dims, cases[i].dt, cases[i].strides);
        if (status != cases[i].status) fail_msg("case %zu: %d", i, status);
        dnnl_memory_desc_destroy(md);
    }
}

/* What strides may be, decided by marking every element. */
static bool overlaps(const md_t *md) {
    static unsigned char taken[1 << 16];
    const int64_t *s = md->format_desc.blocking.strides;
    dnnl_dims_t pos = {0};
    memset(taken, 0, sizeof(taken));
    do {
        int64_t at = 0;
        bool repeated = false;
        for (int d = 0; d < md->ndims; d++) {
            at += pos[d] * s[d];
            repeated |= s[d] == 0 && pos[d];
        }
        if (!repeated && taken[at]++) return true;
    } while (next_pos(pos, md->dims, md->ndims));
    return false;
}

static void random_strides(void **state) {
    (void)state;
    uint64_t rng = 42;
    int accepted = 0;
    for (int i = 0; i < 20000; i++) {
        const int ndims = (int)random_in(&rng, 1, 4);
        dnnl_dims_t dims, strides;
        md_t md, by_hand = {.ndims = ndims};
        for (int d = 0; d < ndims; d++) {
            dims[d] = random_in(&rng, 1, 4);
            strides[d] = random_in(&rng, 0, 24);
        }
        memcpy(by_hand.dims, dims, sizeof(dims));
        memcpy(by_hand.format_desc.blocking.strides, strides, sizeof(strides));
        if (md_init_strides(&md, ndims, dims, dnnl_s8, strides)) continue;
        accepted++;
        assert_false(overlaps(
                &by_hand)); /* the check may refuse more (3x2 with strides 2x3), never less */

        int64_t last = 0;
        for (int d = 0; d < ndims; d++) last += (dims[d] - 1) * strides[d];
        assert_true(md_span(&md) > last);
        dnnl_dims_t pos = {0};
        do {
            int64_t at = 0;
            for (int d = 0; d < ndims; d++) at += pos[d] * strides[d];
            assert_int_equal(md_offset(&md, pos), at);
        } while (next_pos(pos, dims, ndims));
    }
    assert_true(accepted > 1000);
}

static void empty_descriptors(void **state) {
    (void)state;
    dnnl_memory_desc_t a, b, c, d;
    int ndims = -1;
    dnnl_format_kind_t kind = dnnl_blocked;
    assert_int_equal(dnnl_memory_desc_create_with_tag(&a, 0, NULL, dnnl_f32, dnnl_ab), 0);
    assert_int_equal(
            dnnl_memory_desc_create_with_tag(&b, 3, DIMS(1, 2, 3), dnnl_f16, dnnl_format_tag_undef),
            0);
    assert_int_equal(dnnl_memory_desc_create_with_strides(&c, 0, NULL, dnnl_s8, NULL), 0);
    assert_int_equal(
            dnnl_memory_desc_create_with_csr_encoding(&d, 0, NULL, dnnl_f32, 4, dnnl_s32, dnnl_s32),
            0);
    assert_int_equal(dnnl_memory_desc_equal(a, b), 1);
    assert_int_equal(dnnl_memory_desc_equal(a, c), 1);
    assert_int_equal(dnnl_memory_desc_equal(d, c), 1);
    assert_int_equal(dnnl_memory_desc_equal(a, NULL), 0);
    assert_int_equal(dnnl_memory_desc_equal(NULL, NULL), 1);
    assert_int_equal(dnnl_memory_desc_query(b, dnnl_query_ndims_s32, &ndims), 0);
    assert_int_equal(dnnl_memory_desc_query(b, dnnl_query_format_kind, &kind), 0);
    assert_int_equal(ndims, 0);
    assert_int_equal(kind, dnnl_format_kind_undef);
    assert_int_equal(dnnl_memory_desc_get_size(a), 0);
    dnnl_memory_desc_destroy(a), dnnl_memory_desc_destroy(b), dnnl_memory_desc_destroy(c),
            dnnl_memory_desc_destroy(d);
    assert_int_equal(dnnl_memory_desc_destroy(NULL), 0);
}

static void equality_and_hash(void **state) {
    (void)state;
    const md_t a = tagged(4, DIMS(2, 3, 4, 5), dnnl_f32, dnnl_nchw);
    const md_t same[] = {strided(4, DIMS(2, 3, 4, 5), dnnl_f32, DIMS(60, 20, 5, 1)),
            strided(4, DIMS(2, 3, 4, 5), dnnl_f32, NULL)};
    const md_t other[] = {tagged(4, DIMS(2, 3, 4, 5), dnnl_f16, dnnl_nchw),
            tagged(4, DIMS(2, 3, 4, 5), dnnl_f32, dnnl_nhwc),
            tagged(4, DIMS(2, 3, 4, 6), dnnl_f32, dnnl_nchw),
            tagged(4, DIMS(2, 3, 4, 5), dnnl_f32, dnnl_nChw8c),
            tagged(4, DIMS(2, 3, 4, 5), dnnl_f32, dnnl_format_tag_any),
            tagged(3, DIMS(2, 3, 4), dnnl_f32, dnnl_abc)};
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        assert_true(md_equal(&a, &same[i]));
        assert_int_equal(md_hash(&a, 1), md_hash(&same[i], 1));
    }
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
        assert_false(md_equal(&a, &other[i]));
        assert_true(md_hash(&a, 1) != md_hash(&other[i], 1));
    }
    /* The stride of a unit dimension is never used. */
    const md_t u = strided(3, DIMS(4, 1, 3), dnnl_f32, DIMS(3, 3, 1)),
               v = strided(3, DIMS(4, 1, 3), dnnl_f32, DIMS(3, 50, 1));
    assert_true(md_equal(&u, &v));
    assert_int_equal(md_hash(&u, 1), md_hash(&v, 1));
    assert_true(md_matches_tag(&v, dnnl_abc) && md_matches_tag(&v, dnnl_acb) &&
                !md_matches_tag(&v, dnnl_bca));
    /* ... unless it is padded. */
    const md_t p = tagged(4, DIMS(1, 4, 1, 1), dnnl_f32, dnnl_nChw8c),
               q = tagged(4, DIMS(1, 4, 1, 1), dnnl_f32, dnnl_nchw);
    assert_false(md_equal(&p, &q));
    assert_true(md_same_dims(&p, &q));
    /* md_same_layout looks past the type. */
    assert_true(md_same_layout(&a, &other[0]));
    assert_false(md_same_layout(&a, &other[1]));
}

static void dense(void **state) {
    (void)state;
    const md_t plain = tagged(2, DIMS(3, 4), dnnl_f32, dnnl_ba),
               blocked = tagged(3, DIMS(2, 7, 3), dnnl_f32, dnnl_aBc8b),
               holes = strided(2, DIMS(3, 4), dnnl_f32, DIMS(5, 1)),
               repeat = strided(2, DIMS(3, 4), dnnl_f32, DIMS(0, 1)),
               runtime = tagged(2, DIMS(RT, 4), dnnl_f32, dnnl_ab),
               any = tagged(1, DIMS(4), dnnl_f32, dnnl_format_tag_any),
               four_bits = tagged(1, DIMS(3), dnnl_s4, dnnl_a),
               empty = tagged(2, DIMS(3, 0), dnnl_f32, dnnl_ab);
    assert_true(md_is_dense(&plain, false) && md_is_dense(&plain, true));
    assert_true(!md_is_dense(&blocked, false) && md_is_dense(&blocked, true));
    assert_false(md_is_dense(&holes, true) || md_is_dense(&repeat, true) ||
                 md_is_dense(&runtime, true) || md_is_dense(&any, true));
    assert_true(md_is_dense(&four_bits, false) && md_is_dense(&empty, false));
    assert_true(md_is_plain(&plain) && !md_is_plain(&blocked) && md_is_blocked(&blocked) &&
                !md_is_blocked(&any));
    assert_int_equal(md_nelems(&blocked, false), 42);
    assert_int_equal(md_nelems(&blocked, true), 48);
    assert_true(md_end(&plain) == 12 && md_end(&blocked) == 48 && md_end(&holes) == 14);
    assert_true(md_end(&repeat) == 4 && md_end(&four_bits) == 3 && md_end(&empty) == 0);
    assert_true(md_nelems(&runtime, false) == RT && md_span(&runtime) == RT);
}

static void layouts_for_any(void **state) {
    (void)state;
    md_t like = tagged(4, DIMS(2, 20, 5, 5), dnnl_s8, dnnl_nChw16c);
    md_t any = tagged(4, DIMS(3, 9, 1, 7), dnnl_f32, dnnl_format_tag_any);
    const md_t wanted = tagged(4, DIMS(3, 9, 1, 7), dnnl_f32, dnnl_nChw16c);
    assert_int_equal(md_set_like(&any, &like), 0);
    assert_true(md_equal(&any, &wanted));
    assert_int_equal(md_set_tag(&any, dnnl_nchw), dnnl_invalid_arguments); /* it has a layout now */
    any = tagged(4, DIMS(3, 9, 1, 7), dnnl_f32, dnnl_format_tag_any);
    assert_int_equal(md_set_tag(&any, dnnl_ab), dnnl_invalid_arguments);
    assert_int_equal(md_set_plain(&any), 0);
    assert_true(md_matches_tag(&any, dnnl_abcd));
    md_t other = tagged(4, DIMS(3, 9, 1, 7), dnnl_f32, dnnl_format_tag_any);
    like = strided(4, DIMS(2, 3, 4, 5), dnnl_f32,
            DIMS(200, 2, 40, 8)); /* nhwc with holes: the copy is dense */
    assert_int_equal(md_set_like(&other, &like), 0);
    assert_true(md_matches_tag(&other, dnnl_nhwc));

    /* 4-bit elements: rows start at whole bytes. */
    any = tagged(4, DIMS(3, 10, 3, 7), dnnl_s4, dnnl_format_tag_any);
    assert_int_equal(md_set_plain(&any), 0);
    assert_true(md_matches_tag(&any, dnnl_acdb));
    any = tagged(4, DIMS(4, 10, 3, 8), dnnl_s4, dnnl_format_tag_any);
    assert_int_equal(md_set_plain(&any), 0);
    assert_true(md_matches_tag(&any, dnnl_abcd));
    any = tagged(4, DIMS(3, 9, 3, 7), dnnl_s4, dnnl_format_tag_any);
    assert_int_equal(md_set_plain(&any), dnnl_invalid_arguments);
    assert_true(md_is_any(&any));
}

static void queries(void **state) {
    (void)state;
    dnnl_memory_desc_t md, any;
    union {
        int32_t s32;
        int64_t s64;
        const dnnl_dims_t *dims;
        dnnl_data_type_t dt;
        dnnl_format_kind_t kind;
    } r;
    assert_int_equal(
            dnnl_memory_desc_create_with_tag(&md, 3, DIMS(2, 30, 4), dnnl_s8, dnnl_ABc4b16a4b), 0);
    assert_int_equal(
            dnnl_memory_desc_create_with_tag(&any, 3, DIMS(2, 30, 4), dnnl_s8, dnnl_format_tag_any),
            0);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &r), 0);
    assert_int_equal(r.s32, 3);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_dims, &r), 0);
    assert_memory_equal(*r.dims, DIMS(2, 30, 4), 24);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_data_type, &r), 0);
    assert_int_equal(r.dt, dnnl_s8);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_format_kind, &r), 0);
    assert_int_equal(r.kind, dnnl_blocked);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &r), 0);
    assert_int_equal(r.s64, 0);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_padded_offsets, &r), 0);
    assert_memory_equal(*r.dims, DIMS(0, 0, 0), 24);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &r), 0);
    assert_int_equal(r.s32, 3);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_inner_blks, &r), 0);
    assert_memory_equal(*r.dims, DIMS(4, 16, 4), 24);
    assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_inner_idxs, 0, &r), 0);
    assert_memory_equal(*r.dims, DIMS(1, 0, 1), 24);
    assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &r), 0);
    assert_int_equal(r.s32, 1);
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_data_type, 1, &r), dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_dims, -1, &r), dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &r), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_sparse_encoding, 0, &r),
            dnnl_invalid_arguments);
    static const dnnl_query_t blocked_only[] = {dnnl_query_strides, dnnl_query_inner_nblks_s32,
            dnnl_query_inner_blks, dnnl_query_inner_idxs};
    for (int i = 0; i < 4; i++)
        assert_int_equal(dnnl_memory_desc_query(any, blocked_only[i], &r), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_engine, &r), dnnl_unimplemented);
    assert_int_equal(dnnl_memory_desc_query(md, (dnnl_query_t)-1, &r), dnnl_unimplemented);
    assert_int_equal(dnnl_memory_desc_query(NULL, dnnl_query_dims, &r), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_dims, NULL), dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_memory_desc_query_v2(NULL, dnnl_query_dims, 0, &r), dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_dims, 0, NULL), dnnl_invalid_arguments);
    dnnl_memory_desc_destroy(md), dnnl_memory_desc_destroy(any);
}

static void check_sparse(dnnl_memory_desc_t md, dnnl_sparse_encoding_t encoding, int64_t nnz,
        int handles, const size_t *sizes, const dnnl_data_type_t *types) {
    dnnl_sparse_encoding_t got_encoding;
    dnnl_data_type_t dt;
    int64_t got_nnz;
    int got_handles;
    const dnnl_dims_t *dims;
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_sparse_encoding, 0, &got_encoding), 0);
    assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &got_nnz), 0);
    assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &got_handles), 0);
    assert_int_equal(got_encoding, encoding);
    assert_int_equal(got_nnz, nnz);
    assert_int_equal(got_handles, handles);
    for (int i = 0; i < handles; i++) {
        assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_data_type, i, &dt), 0);
        assert_int_equal(dt, types[i]);
        assert_int_equal(dnnl_memory_desc_get_size_v2(md, i), sizes[i]);
    }
    assert_int_equal(dnnl_memory_desc_get_size_v2(md, handles), 0);
    assert_int_equal(dnnl_memory_desc_query_v2(md, dnnl_query_data_type, handles, &dt),
            dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_memory_desc_query_v2(md, dnnl_query_data_type, -1, &dt), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_strides, &dims), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_destroy(md), 0);
}

static void sparse(void **state) {
    (void)state;
    const dnnl_data_type_t csr[] = {dnnl_f32, dnnl_s32, dnnl_s64},
                           coo[] = {dnnl_f16, dnnl_s32, dnnl_s32},
                           packed[] = {dnnl_s8, dnnl_data_type_undef, dnnl_data_type_undef},
                           grouped[] = {dnnl_bf16, dnnl_s32};
    dnnl_memory_desc_t md;
    assert_int_equal(dnnl_memory_desc_create_with_csr_encoding(
                             &md, 2, DIMS(10, 7), dnnl_f32, 13, dnnl_s32, dnnl_s64),
            0);
    check_sparse(md, dnnl_csr, 13, 3, (size_t[]){52, 52, 88}, csr);
    assert_int_equal(
            dnnl_memory_desc_create_with_coo_encoding(&md, 2, DIMS(10, 7), dnnl_f16, 13, dnnl_s32),
            0);
    check_sparse(md, dnnl_coo, 13, 3, (size_t[]){26, 52, 52}, coo);
    assert_int_equal(
            dnnl_memory_desc_create_with_coo_encoding(&md, 1, DIMS(10), dnnl_f16, 3, dnnl_s32), 0);
    check_sparse(md, dnnl_coo, 3, 2, (size_t[]){6, 12}, coo);
    assert_int_equal(
            dnnl_memory_desc_create_with_packed_encoding(&md, 2, DIMS(64, 64), dnnl_s8, 40), 0);
    check_sparse(md, dnnl_packed, 40, 3, (size_t[]){0, 0, 0}, packed);
    assert_int_equal(dnnl_memory_desc_create_with_grouped_encoding(
                             &md, 2, DIMS(9, 256), dnnl_bf16, 0, 3, dnnl_s32),
            0);
    check_sparse(md, dnnl_grouped, 9 * 256, 2, (size_t[]){9 * 256 * 2, 12}, grouped);

    const struct {
        int ndims;
        dnnl_dims_t dims;
        dnnl_data_type_t dt, index;
        int64_t nnz;
        dnnl_status_t status;
    } bad[] = {
            {3, {2, 3, 4}, dnnl_f32, dnnl_s32, 1, dnnl_unimplemented},
            {-1, {2, 3}, dnnl_f32, dnnl_s32, 1, dnnl_invalid_arguments},
            {2, {-2, 3}, dnnl_f32, dnnl_s32, 1, dnnl_invalid_arguments},
            {2, {2, 3}, dnnl_data_type_undef, dnnl_s32, 1, dnnl_invalid_arguments},
            {2, {2, 3}, dnnl_f32, dnnl_data_type_undef, 1, dnnl_invalid_arguments},
            {2, {2, 3}, dnnl_f32, dnnl_s32, -1, dnnl_invalid_arguments},
            {2, {2, 3}, dnnl_f32, dnnl_s32, RT, dnnl_invalid_arguments},
            {2, {2, 3}, dnnl_f32, dnnl_s32, INT64_MAX, dnnl_invalid_arguments},
    };
    md = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(dnnl_memory_desc_create_with_csr_encoding(&md, bad[i].ndims, bad[i].dims,
                                 bad[i].dt, bad[i].nnz, bad[i].index, bad[i].index),
                bad[i].status);
        assert_int_equal(dnnl_memory_desc_create_with_coo_encoding(&md, bad[i].ndims, bad[i].dims,
                                 bad[i].dt, bad[i].nnz, bad[i].index),
                bad[i].status);
        assert_null(md);
    }
    const struct {
        int ndims;
        dnnl_dims_t dims;
        int variable;
        int64_t groups;
        dnnl_data_type_t offsets;
        dnnl_status_t status;
    } bad_groups[] = {
            {3, {2, 3, 4}, 0, 2, dnnl_s32, dnnl_unimplemented},
            {2, {2, 0}, 0, 2, dnnl_s32, dnnl_invalid_arguments},
            {2, {RT, 3}, 0, 2, dnnl_s32, dnnl_invalid_arguments},
            {2, {2, 3}, 2, 2, dnnl_s32, dnnl_invalid_arguments},
            {2, {2, 3}, -1, 2, dnnl_s32, dnnl_invalid_arguments},
            {2, {2, 3}, 0, 0, dnnl_s32, dnnl_invalid_arguments},
            {2, {2, 3}, 0, -2, dnnl_s32, dnnl_invalid_arguments},
            {2, {2, 3}, 0, INT64_MAX, dnnl_s32, dnnl_invalid_arguments},
            {2, {2, 3}, 0, 2, dnnl_f32, dnnl_invalid_arguments},
    };
    for (size_t i = 0; i < sizeof(bad_groups) / sizeof(*bad_groups); i++)
        assert_int_equal(dnnl_memory_desc_create_with_grouped_encoding(&md, bad_groups[i].ndims,
                                 bad_groups[i].dims, dnnl_f32, bad_groups[i].variable,
                                 bad_groups[i].groups, bad_groups[i].offsets),
                bad_groups[i].status);
}

static void host_scalar(void **state) {
    (void)state;
    dnnl_memory_desc_t md;
    dnnl_format_kind_t kind;
    int n;
    assert_int_equal(dnnl_memory_desc_create_host_scalar(&md, dnnl_s32), 0);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind), 0);
    assert_int_equal(kind, dnnl_format_kind_host_scalar);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(dnnl_memory_desc_get_size(md), 4);
    assert_true(md_is_host_scalar(md));
    dnnl_memory_desc_destroy(md);
    assert_int_equal(
            dnnl_memory_desc_create_host_scalar(&md, dnnl_data_type_undef), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_host_scalar(NULL, dnnl_f32), dnnl_invalid_arguments);
}

static void verbose_form(void **state) {
    (void)state;
    md_t md[12], parent = tagged(2, DIMS(8, 8), dnnl_f32, dnnl_ab);
    memset(md, 0, sizeof(md));
    md[1] = tagged(2, DIMS(2, 3), dnnl_f32, dnnl_ab);
    md[2] = tagged(4, DIMS(2, 17, 3, 3), dnnl_bf16, dnnl_nChw16c);
    md[3] = strided(2, DIMS(2, 3), dnnl_s8, DIMS(1, 10));
    md[4] = tagged(2, DIMS(2, 3), dnnl_f32, dnnl_format_tag_any);
    md[5] = tagged(2, DIMS(RT, 3), dnnl_f32, dnnl_ab);
    md[6] = strided(2, DIMS(2, RT), dnnl_f32, NULL);
    assert_int_equal(md_init_submemory(&md[7], &parent, DIMS(4, 4), DIMS(4, 4)), 0);
    assert_int_equal(md_init_csr(&md[8], 2, DIMS(4, 4), dnnl_f32, 3, dnnl_s32, dnnl_s32), 0);
    assert_int_equal(md_init_host_scalar(&md[9], dnnl_f32), 0);
    assert_int_equal(md_init_grouped(&md[10], 2, DIMS(4, 4), dnnl_f32, 1, 7, dnnl_s32), 0);
    md[11] = strided(3, DIMS(4, 5, 6), dnnl_f32, DIMS(6, 0, 1));
    static const char *const texts[] = {"undef::undef:::", "f32::blocked:ab::f0",
            "bf16:p:blocked:aBcd16b::f0", "s8::blocked:ba:1x10:f0", "f32::any:any::f0",
            "f32::blocked:ab::f0", "f32::blocked:*::f0", "f32:0:blocked:ab:8x1:f0",
            "f32::sparse:csr::f0", "f32::host_scalar:::f0", "f32::sparse:grouped:1:7::f0",
            "f32::blocked:bac:6x0x1:f0"};
    for (int i = 0; i < 12; i++) {
        char text[64], small[8];
        assert_int_equal(md_format(&md[i], text, sizeof(text)), (int)strlen(texts[i]));
        assert_string_equal(text, texts[i]);
        assert_int_equal(md_format(&md[i], small, sizeof(small)), (int)strlen(texts[i]));
        assert_memory_equal(small, texts[i], 7);
        assert_int_equal(small[7], 0);
        assert_int_equal(md_format(&md[i], NULL, 0), (int)strlen(texts[i]));
    }
    char text[64];
    md_format_as(&md[2], true, text, sizeof(text));
    assert_string_equal(text, "bf16:ap:blocked:aBcd16b::f0");
    assert_int_equal(md_format_dims(&md[2], text, sizeof(text)), 8);
    assert_string_equal(text, "2x17x3x3");
    md_format_dims(&md[5], text, sizeof(text));
    assert_string_equal(text, "*x3");
    assert_int_equal(md_format_dims(&md[0], text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

static void clones(void **state) {
    (void)state;
    dnnl_memory_desc_t md, copy = NULL;
    assert_int_equal(
            dnnl_memory_desc_create_with_tag(&md, 3, DIMS(2, 3, 4), dnnl_f32, dnnl_aBc8b), 0);
    assert_int_equal(dnnl_memory_desc_clone(&copy, md), 0);
    assert_ptr_not_equal(copy, md);
    assert_int_equal(dnnl_memory_desc_equal(md, copy), 1);
    dnnl_memory_desc_destroy(md);
    assert_int_equal(dnnl_memory_desc_get_size(copy), 2 * 8 * 4 * 4);
    assert_int_equal(dnnl_memory_desc_clone(NULL, copy), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_clone(&md, NULL), dnnl_invalid_arguments);
    dnnl_memory_desc_destroy(copy);
}

/* Every constructor, with arguments it takes. */
static dnnl_status_t construct(
        int which, dnnl_memory_desc_t *md, dnnl_memory_desc_t from, const uint8_t *blob) {
    const dnnl_dim_t *dims = DIMS(4, 6);
    switch (which) {
    case 0: return dnnl_memory_desc_create_with_tag(md, 2, dims, dnnl_f32, dnnl_ab);
    case 1: return dnnl_memory_desc_create_with_strides(md, 2, dims, dnnl_f32, NULL);
    case 2:
        return dnnl_memory_desc_create_with_csr_encoding(
                md, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32);
    case 3: return dnnl_memory_desc_create_with_coo_encoding(md, 2, dims, dnnl_f32, 3, dnnl_s32);
    case 4: return dnnl_memory_desc_create_with_packed_encoding(md, 2, dims, dnnl_f32, 3);
    case 5:
        return dnnl_memory_desc_create_with_grouped_encoding(md, 2, dims, dnnl_f32, 0, 2, dnnl_s32);
    case 6: return dnnl_memory_desc_create_host_scalar(md, dnnl_f32);
    case 7: return dnnl_memory_desc_create_submemory(md, from, DIMS(2, 2), DIMS(1, 1));
    case 8: return dnnl_memory_desc_reshape(md, from, 1, DIMS(24));
    case 9: return dnnl_memory_desc_permute_axes(md, from, (const int[]){1, 0});
    case 10: return dnnl_memory_desc_create_with_blob(md, blob);
    case 11: return dnnl_memory_desc_clone(md, from);
    default: return dnnl_last_impl_reached;
    }
}

static void no_memory(void **state) {
    (void)state;
    const long live = atomic_load(&dz_alloc_live);
    uint8_t blob[sizeof(md_t)];
    size_t size = sizeof(blob);
    dnnl_memory_desc_t from, md;
    assert_int_equal(dnnl_memory_desc_create_with_tag(&from, 2, DIMS(4, 6), dnnl_f32, dnnl_ab), 0);
    assert_int_equal(dnnl_memory_desc_get_blob(blob, &size, from), 0);
    for (int i = 0; i < 12; i++) {
        md = from;
        atomic_store(&dz_alloc_fail_after, 1);
        assert_int_equal(construct(i, &md, from, blob), dnnl_out_of_memory);
        assert_int_equal(atomic_load(&dz_alloc_fail_after), 0);
        assert_ptr_equal(md, from);
        assert_int_equal(construct(i, &md, from, blob), dnnl_success);
        assert_int_equal(atomic_load(&dz_alloc_live), live + 2);
        assert_int_equal(dnnl_memory_desc_destroy(md), 0);
        assert_int_equal(construct(i, NULL, from, blob), dnnl_invalid_arguments);
    }
    dnnl_memory_desc_destroy(from);
    assert_int_equal(atomic_load(&dz_alloc_live), live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(strides_and_padding_of_tags),
            cmocka_unit_test(a_string_tag_multiplies_by_zero),
            cmocka_unit_test(default_strides),
            cmocka_unit_test(sizes),
            cmocka_unit_test(data_types),
            cmocka_unit_test(bad_tensors_are_refused),
            cmocka_unit_test(strides_are_checked),
            cmocka_unit_test(random_strides),
            cmocka_unit_test(empty_descriptors),
            cmocka_unit_test(equality_and_hash),
            cmocka_unit_test(dense),
            cmocka_unit_test(layouts_for_any),
            cmocka_unit_test(queries),
            cmocka_unit_test(sparse),
            cmocka_unit_test(host_scalar),
            cmocka_unit_test(verbose_form),
            cmocka_unit_test(clones),
            cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
