/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs of memory descriptors: what goes in comes out, and nothing that is broken comes out. */
#include "md_test.h"

#include "core/tags.h"

enum { NSAMPLES = 16 };

static void make_samples(md_t *md) {
    const md_t parent = tagged(3, DIMS(4, 24, 8), dnnl_f32, dnnl_aBc16b);
    memset(md, 0, NSAMPLES * sizeof(*md));
    md[1] = tagged(2, DIMS(3, 4), dnnl_f32, dnnl_ab);
    md[2] = tagged(4, DIMS(2, 17, 3, 3), dnnl_bf16, dnnl_nChw16c);
    md[3] = tagged(2, DIMS(2, 3), dnnl_s8, dnnl_format_tag_any);
    md[4] = tagged(2, DIMS(RT, 3), dnnl_f32, dnnl_ab);
    md[5] = strided(2, DIMS(2, RT), dnnl_f32, NULL);
    md[6] = strided(3, DIMS(4, 5, 6), dnnl_f16, DIMS(6, 0, 1));
    md[7] = tagged(12, DIMS(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3), dnnl_u8, dnnl_abcdefghijkl);
    md[8] = tagged(5, DIMS(2, 0, 5, 6, 7), dnnl_s32, dnnl_ABcde4b16a4b);
    assert_int_equal(md_init_submemory(&md[9], &parent, DIMS(2, 5, 3), DIMS(1, 16, 2)), 0);
    assert_int_equal(md_init_reshape(&md[10], &md[1], 3, DIMS(3, 2, 2)), 0);
    assert_int_equal(md_init_csr(&md[11], 2, DIMS(10, 7), dnnl_f32, 13, dnnl_s32, dnnl_s64), 0);
    assert_int_equal(md_init_coo(&md[12], 2, DIMS(10, 7), dnnl_f32, 13, dnnl_s32), 0);
    assert_int_equal(md_init_packed(&md[13], 2, DIMS(10, 7), dnnl_s8, 13), 0);
    assert_int_equal(md_init_grouped(&md[14], 2, DIMS(10, 7), dnnl_s8, 1, 3, dnnl_s32), 0);
    assert_int_equal(md_init_host_scalar(&md[15], dnnl_f32), 0);
}

static void round_trips(void **state) {
    (void)state;
    md_t samples[NSAMPLES];
    make_samples(samples);
    for (int i = 0; i < NSAMPLES; i++) {
        uint8_t blob[sizeof(md_t) + 8];
        size_t size = 0;
        dnnl_memory_desc_t md;
        memset(blob, 0xa5, sizeof(blob));
        assert_int_equal(dnnl_memory_desc_get_blob(NULL, &size, &samples[i]), 0);
        assert_int_equal(size, 768);
        assert_int_equal(dnnl_memory_desc_get_blob(blob, &size, &samples[i]), 0);
        assert_int_equal(blob[768], 0xa5);
        if (dnnl_memory_desc_create_with_blob(&md, blob)) fail_msg("sample %d", i);
        assert_memory_equal(md, &samples[i], sizeof(md_t));
        assert_null(md_problem(md));
        dnnl_memory_desc_destroy(md);
    }
}

static void all_tags(void **state) {
    (void)state;
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; tag++) {
        layout_t layout;
        md_t again;
        assert_true(layout_of_tag((dnnl_format_tag_t)tag, &layout));
        const md_t md = tagged(layout.ndims, DIMS(3, 5, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2), dnnl_f32,
                (dnnl_format_tag_t)tag);
        assert_int_equal(md_init_blob(&again, (const uint8_t *)&md), 0);
        assert_true(md_equal(&md, &again));
    }
}

static void arguments(void **state) {
    (void)state;
    uint8_t blob[768] = {0};
    size_t size = 767;
    dnnl_memory_desc_t md = NULL;
    const md_t sample = tagged(2, DIMS(3, 4), dnnl_f32, dnnl_ab);
    assert_int_equal(dnnl_memory_desc_get_blob(blob, &size, &sample), dnnl_invalid_arguments);
    assert_int_equal(blob[0], 0);
    assert_int_equal(dnnl_memory_desc_get_blob(blob, NULL, &sample), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_get_blob(NULL, NULL, &sample), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_get_blob(blob, &size, NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_with_blob(&md, NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_create_with_blob(NULL, blob), dnnl_invalid_arguments);
    assert_null(md);
}

/* What every part of the library relies on, asked without the code that checks blobs. */
static void check_invariants(const md_t *md) {
    char text[512];
    assert_in_range(md->ndims, 0, DNNL_MAX_NDIMS);
    for (int i = md->ndims; i < DNNL_MAX_NDIMS; i++)
        assert_true(!md->dims[i] && !md->padded_dims[i] && !md->padded_offsets[i]);
    if (md->ndims) assert_true(dt_is_tensor_type(md->data_type));
    assert_true(md->offset0 >= 0);
    __int128 padded = 1;
    bool runtime = false;
    for (int d = 0; d < md->ndims; d++) {
        runtime |= md->dims[d] == RT;
        if (md->dims[d] == RT) continue;
        assert_true(md->dims[d] >= 0 && md->padded_offsets[d] >= 0);
        assert_true((__int128)md->dims[d] + md->padded_offsets[d] <= md->padded_dims[d]);
        if (md->padded_dims[d]) padded *= md->padded_dims[d];
        assert_true(padded <= INT64_MAX);
    }
    if (md->format_kind == dnnl_blocked) {
        const md_blocking_t *b = &md->format_desc.blocking;
        dnnl_dims_t first = {0}, last = {0};
        assert_in_range(b->inner_nblks, 0, DNNL_MAX_NDIMS);
        for (int i = 0; i < b->inner_nblks; i++) {
            assert_in_range(b->inner_idxs[i], 0, md->ndims - 1);
            assert_true(b->inner_blks[i] > 0);
        }
        for (int d = 0; d < md->ndims; d++) {
            runtime |= b->strides[d] == RT;
            assert_true(b->strides[d] == RT || b->strides[d] >= 0);
            last[d] = md->dims[d] == RT ? 0 : md->dims[d] - 1;
        }
        if (!runtime && !md_has_zero_dim(md)) {
            const int64_t end = md_offset(md, last);
            assert_int_equal(md_size(md, 0) >> 63, 0);
            assert_true(md_offset(md, first) >= md->offset0 && end >= md->offset0);
            if (!md->extra.flags && dt_bits(md->data_type) >= 8)
                assert_true((__int128)(end - md->offset0) <
                            (__int128)md_size(md, 0) / (int64_t)dt_size(md->data_type));
        }
    }
    for (int i = 0; i < 4; i++) (void)md_size(md, i);
    assert_true(md_format(md, text, sizeof(text)) > 0);
    assert_true(md_equal(md, md));
    md_t again;
    assert_int_equal(md_init_blob(&again, (const uint8_t *)md), 0);
    assert_memory_equal(&again, md, sizeof(again));
}

/* Blobs with changes that leave a descriptor that could be are taken, the others not; none
 * breaks anything.
 */
static void try(const uint8_t *blob, int *taken, int *refused) {
    md_t md, before;
    memset(&md, 0x77, sizeof(md));
    before = md;
    const dnnl_status_t status = md_init_blob(&md, blob);
    if (status == dnnl_success) {
        ++*taken;
        check_invariants(&md);
    } else {
        ++*refused;
        assert_int_equal(status, dnnl_invalid_arguments);
        assert_memory_equal(&md, &before, sizeof(md));
    }
}

static void flipped_bits(void **state) {
    (void)state;
    md_t samples[NSAMPLES];
    int taken = 0, refused = 0;
    make_samples(samples);
    for (int i = 0; i < NSAMPLES; i++)
        for (size_t bit = 0; bit < 8 * sizeof(md_t); bit++) {
            uint8_t blob[sizeof(md_t)];
            memcpy(blob, &samples[i], sizeof(blob));
            blob[bit / 8] ^= (uint8_t)(1u << bit % 8);
            try(blob, &taken, &refused);
        }
    assert_true(taken > 1000 && refused > 1000);
}

static void scrambled_words(void **state) {
    (void)state;
    static const int64_t words[] = {0, 1, 2, 3, 8, 16, 255, INT32_MAX, INT64_C(1) << 31,
            INT64_C(1) << 32, INT64_C(1) << 33, INT64_C(1) << 61, INT64_C(1) << 62, INT64_MAX,
            INT64_MAX - 7, INT64_MIN, INT64_MIN + 1, -1, -2, 0x200000002, 0x400000004};
    md_t samples[NSAMPLES];
    uint64_t rng = 77;
    int taken = 0, refused = 0;
    make_samples(samples);
    for (int i = 0; i < 200000; i++) {
        uint8_t blob[sizeof(md_t)];
        memcpy(blob, &samples[random_in(&rng, 0, NSAMPLES - 1)], sizeof(blob));
        for (int64_t n = random_in(&rng, 1, 4); n > 0; n--) {
            /* Mostly where the fields are that matter for few dimensions. */
            static const int starts[] = {0, 1, 2, 3, 13, 14, 15, 16, 26, 27, 38, 39, 40, 41, 42, 43,
                    52, 53, 54, 65, 66, 67, 80, 81, 82};
            const int word = random_in(&rng, 0, 3) ? starts[random_in(&rng, 0, 24)]
                                                   : (int)random_in(&rng, 0, 95);
            const int64_t value =
                    words[random_in(&rng, 0, (int64_t)(sizeof(words) / sizeof(*words)) - 1)];
            memcpy(blob + 8 * word, &value, sizeof(value));
        }
        try(blob, &taken, &refused);
    }
    assert_true(taken > 1000 && refused > 1000);
}

static void noise(void **state) {
    (void)state;
    uint64_t rng = 1234;
    int taken = 0, refused = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t blob[sizeof(md_t) / 8];
        for (size_t w = 0; w < sizeof(blob) / 8; w++) blob[w] = next_random(&rng);
        if (i % 2) blob[0] = (uint64_t)random_in(&rng, 0, 12);
        try((const uint8_t *)blob, &taken, &refused);
    }
    assert_true(refused > 1000);
}

static void broken_descriptors(void **state) {
    (void)state;
    md_t samples[NSAMPLES], bad[32];
    int n = 0;
    make_samples(samples);
#define BAD(sample, change)                                                                        \
    do {                                                                                           \
        bad[n] = samples[sample];                                                                  \
        bad[n++].change;                                                                           \
    } while (0)
    BAD(1, ndims = 13);
    BAD(1, ndims = -1);
    BAD(1, ndims = 0);
    BAD(0, data_type = dnnl_f32);
    BAD(1, data_type = (dnnl_data_type_t)99);
    BAD(1, format_kind = dnnl_format_kind_opaque);
    BAD(1, format_kind = dnnl_format_kind_undef);
    BAD(1, dims[0] = 4); /* larger than padded */
    BAD(1, dims[0] = -1);
    BAD(1, padded_dims[1] = RT);
    BAD(1, padded_offsets[0] = 1);
    BAD(1, padded_offsets[0] = -1);
    BAD(1, offset0 = -1);
    BAD(1, offset0 = INT64_MAX);
    BAD(1, offset0 = INT64_MAX / 4);
    BAD(1, format_desc.blocking.strides[0] = 3); /* overlap */
    BAD(1, format_desc.blocking.strides[0] = -4);
    BAD(1, format_desc.blocking.strides[0] = INT64_MAX / 2);
    BAD(1, format_desc.blocking.inner_nblks = 13);
    BAD(1, format_desc.blocking.inner_nblks = -1);
    BAD(1, format_desc.blocking.inner_nblks = 1); /* a block of 0 */
    BAD(2, format_desc.blocking.inner_idxs[0] = 4);
    BAD(2, format_desc.blocking.inner_idxs[0] = -1);
    BAD(2, format_desc.blocking.inner_blks[0] = INT64_MAX);
    BAD(2, padded_dims[1] = 33);
    BAD(1, extra.flags = 1 << 20);
    BAD(3, offset0 = 1);
    BAD(11, format_desc.sparse.encoding = (dnnl_sparse_encoding_t)9);
    BAD(11, format_desc.sparse.nnz = -1);
    BAD(12, format_desc.sparse.metadata_types[1] = dnnl_s32);
    BAD(14, format_desc.sparse.grouped.variable_dim_idx = 2);
    BAD(15, dims[0] = 2);
#undef BAD
    for (int i = 0; i < n; i++) {
        md_t md;
        if (md_init_blob(&md, (const uint8_t *)&bad[i]) != dnnl_invalid_arguments)
            fail_msg("case %d was taken", i);
        if (bad[i].ndims && !md_is_any(&bad[i]) && !md_problem(&bad[i]))
            fail_msg("nothing is wrong with case %d", i);
    }
}

static void compensation(void **state) {
    (void)state;
    md_t md = tagged(4, DIMS(20, 3, 3, 3), dnnl_s8, dnnl_OIhw16i16o), again;
    const size_t plain = md_size(&md, 0);
    md.extra.flags = MD_EXTRA_COMP_S8S8 | MD_EXTRA_COMP_ASYMM_SRC;
    md.extra.compensation_mask = 1;
    md.extra.asymm_compensation_mask = 3;
    assert_int_equal(md_init_blob(&again, (const uint8_t *)&md), 0);
    assert_true(md_equal(&md, &again));
    assert_int_equal(md_size(&again, 0), plain + 32 * 4 + 32 * 16 * 4);
    char text[128];
    md_format(&again, text, sizeof(text));
    assert_string_equal(text, "s8:p:blocked:ABcd16b16a::f9:s8m1:zpm3");
    md.extra.compensation_mask = 1 << 5;
    assert_int_equal(md_init_blob(&again, (const uint8_t *)&md), dnnl_invalid_arguments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(round_trips),
            cmocka_unit_test(all_tags),
            cmocka_unit_test(arguments),
            cmocka_unit_test(flipped_bits),
            cmocka_unit_test(scrambled_words),
            cmocka_unit_test(noise),
            cmocka_unit_test(broken_descriptors),
            cmocka_unit_test(compensation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
