/* SPDX-License-Identifier: Apache-2.0 */
/* Every format tag: its name, and the layout that descriptors get from it. */
#include "md_test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tags.h"
#include "oneapi/dnnl/dnnl_debug.h"

enum { FIRST = dnnl_a, LAST = dnnl_format_tag_last - 1 };

static void every_tag_has_its_own_name(void **state) {
    (void)state;
    for (int tag = FIRST; tag <= LAST; tag++) {
        const char *name = tag_name((dnnl_format_tag_t)tag);
        assert_non_null(name);
        assert_true(strlen(name) > 0);
        assert_int_equal(tag_find(name), tag); /* the first with this name: so no other has it */
        assert_string_equal(dnnl_fmt_tag2str((dnnl_format_tag_t)tag), name);
    }
    assert_int_equal(LAST, 874);
    assert_string_equal(tag_name(dnnl_nchw), "abcd");
    assert_string_equal(tag_name(dnnl_nChw16c), "aBcd16b");
    assert_string_equal(tag_name(dnnl_gOIhw2o8i16o2i), "aBCde2b8c16b2c");
    assert_null(tag_name((dnnl_format_tag_t)-1));
    assert_null(tag_name((dnnl_format_tag_t)(dnnl_format_tag_last + 1)));
}

static void strings_that_spell_no_layout_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"", "b", "ac", "aa", "aA4a", "abm", "aB", "ab4b", "aB4",
            "aB0b", "aB4b4", "Ab4b", "aB4c", "a b", "aB-4b", "aB99999999999999999999b", "4a", "any",
            "undef", "abcdefghijklm", "A2a2a2a2a2a2a2a2a2a2a2a2a2a", "aB4B"};
    layout_t layout;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        if (layout_parse(bad[i], &layout)) fail_msg("'%s' was taken", bad[i]);
    }
    assert_false(layout_of_tag(dnnl_format_tag_any, &layout));
    assert_false(layout_of_tag(dnnl_format_tag_undef, &layout));
    assert_false(layout_of_tag(dnnl_format_tag_last, &layout));
}

/* The slow way to lay out a tensor: read the name as nested loops, the first letter outermost,
 * and count. loop[i] walks dimension dim[i]. */
typedef struct {
    int nloops, ndims;
    int dim[2 * DNNL_MAX_NDIMS];
    int64_t count[2 * DNNL_MAX_NDIMS];
} loops_t;

static loops_t loops_of(const char *name, const dnnl_dim_t *dims) {
    loops_t l = {0};
    int64_t block[DNNL_MAX_NDIMS];
    for (int d = 0; d < DNNL_MAX_NDIMS; d++) block[d] = 1;
    const char *inner = name;
    while (isalpha((unsigned char)*inner)) inner++;
    for (const char *s = inner; *s;) {
        char *end;
        const long b = strtol(s, &end, 10);
        block[*end - 'a'] *= b;
        s = end + 1;
    }
    for (const char *s = name; s < inner; s++, l.nloops++, l.ndims++) {
        const int d = tolower((unsigned char)*s) - 'a';
        l.dim[l.nloops] = d;
        for (int64_t covered = 0; covered < dims[d]; covered += block[d]) l.count[l.nloops]++;
    }
    for (const char *s = inner; *s; l.nloops++) {
        char *end;
        l.count[l.nloops] = strtol(s, &end, 10);
        l.dim[l.nloops] = *end - 'a';
        s = end + 1;
    }
    return l;
}

/* Compares offsets of all elements and the size; returns the number of elements. */
static int64_t check_against_loops(const md_t *md, const char *name) {
    const loops_t l = loops_of(name, md->dims);
    int64_t at[2 * DNNL_MAX_NDIMS] = {0}, physical = 0, elements = 0;
    bool more = true;
    assert_int_equal(l.ndims, md->ndims);
    for (; more; physical++) {
        dnnl_dims_t pos = {0};
        bool padding = false;
        for (int i = 0; i < l.nloops; i++) pos[l.dim[i]] = pos[l.dim[i]] * l.count[i] + at[i];
        for (int d = 0; d < md->ndims; d++) padding |= pos[d] >= md->dims[d];
        if (!padding) {
            if (md_offset(md, pos) != physical)
                fail_msg("%s: element at %lld, not %lld", name, (long long)physical,
                        (long long)md_offset(md, pos));
            elements++;
        }
        more = false;
        for (int i = l.nloops - 1; i >= 0 && !more; i--) {
            if (++at[i] < l.count[i]) more = true;
            else at[i] = 0;
        }
    }
    assert_int_equal(md_size(md, 0), (size_t)physical * dt_size(md->data_type));
    assert_int_equal(md_nelems(md, true), physical);
    assert_true(md_is_dense(md, true));
    assert_int_equal(md_is_dense(md, false), elements == physical);
    return elements;
}

static void random_dims(uint64_t *rng, const layout_t *layout, dnnl_dim_t *dims, int64_t most) {
    int64_t elements = 1;
    for (int d = 0; d < layout->ndims; d++) {
        dims[d] = random_in(rng, 1, elements > most ? 2 : layout->ndims > 6 ? 2 : 5);
        elements *= dims[d];
    }
}

static void every_tag_lays_out_as_its_name_says(void **state) {
    (void)state;
    uint64_t rng = 1;
    for (int tag = FIRST; tag <= LAST; tag++) {
        layout_t layout;
        dnnl_dims_t dims;
        const char *name = tag_name((dnnl_format_tag_t)tag);
        assert_true(layout_of_tag((dnnl_format_tag_t)tag, &layout));
        random_dims(&rng, &layout, dims, 64);
        if (layout.nblks) { /* sometimes more than one block of a dimension */
            int64_t block = 1;
            for (int i = 0; i < layout.nblks; i++)
                block *= layout.blk_dim[i] == layout.blk_dim[0] ? layout.blk[i] : 1;
            dims[layout.blk_dim[0]] = random_in(&rng, 1, 2 * block);
        }
        const md_t md = tagged(layout.ndims, dims, dnnl_f32, (dnnl_format_tag_t)tag);
        int64_t n = 1;
        for (int d = 0; d < layout.ndims; d++) n *= dims[d];
        assert_int_equal(check_against_loops(&md, name), n);
        assert_true(md_matches_tag(&md, (dnnl_format_tag_t)tag));

        md_t by_string;
        assert_int_equal(
                md_init_string_tag(&by_string, layout.ndims, dims, dnnl_f32, name), dnnl_success);
        assert_true(md_equal(&md, &by_string));
        assert_int_equal(md_hash(&md, 7), md_hash(&by_string, 7));
    }
}

/* What test tools of upstream link to; no header declares it. */
dnnl_status_t dnnl_memory_desc_create_with_string_tag(
        dnnl_memory_desc_t *, int, const dnnl_dims_t, dnnl_data_type_t, const char *);

static void the_exported_function_takes_strings(void **state) {
    (void)state;
    const dnnl_dims_t dims = {5, 20, 3};
    dnnl_memory_desc_t md = NULL;
    assert_int_equal(dnnl_memory_desc_create_with_string_tag(&md, 3, dims, dnnl_f32, "aBc16b"),
            dnnl_success);
    const md_t expected = tagged(3, dims, dnnl_f32, dnnl_aBc16b);
    assert_true(md_equal(md, &expected));
    assert_int_equal(dnnl_memory_desc_destroy(md), dnnl_success);
    const char *const wrong[] = {NULL, "", "abcd", "aXc", "aBc0b"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        md = NULL;
        assert_int_equal(dnnl_memory_desc_create_with_string_tag(&md, 3, dims, dnnl_f32, wrong[i]),
                dnnl_invalid_arguments);
        assert_null(md);
    }
}

static void the_tag_is_found_again(void **state) {
    (void)state;
    for (int tag = FIRST; tag <= LAST; tag++) {
        layout_t layout;
        dnnl_dims_t dims;
        char text[128];
        assert_true(layout_of_tag((dnnl_format_tag_t)tag, &layout));
        for (int d = 0; d < layout.ndims; d++) dims[d] = 2;
        for (int i = 0; i < layout.nblks; i++) dims[layout.blk_dim[i]] *= layout.blk[i];
        const md_t md = tagged(layout.ndims, dims, dnnl_s8, (dnnl_format_tag_t)tag);
        assert_int_equal(md_format_tag(&md, text, sizeof(text)),
                (int)strlen(tag_name((dnnl_format_tag_t)tag)));
        assert_string_equal(text, tag_name((dnnl_format_tag_t)tag));
        assert_int_equal(md_find_tag(&md), tag);

        md_t like = tagged(layout.ndims, dims, dnnl_f32, dnnl_format_tag_any);
        assert_int_equal(md_set_like(&like, &md), dnnl_success);
        assert_true(md_same_layout(&like, &md));
        assert_int_equal(like.data_type, dnnl_f32);
    }
}

static void tags_of_another_rank_are_refused(void **state) {
    (void)state;
    const dnnl_dims_t dims = {2, 3, 4, 5, 6, 7, 2, 2, 2, 2, 2, 2};
    md_t md, before;
    memset(&md, 0x5a, sizeof(md));
    before = md;
    for (int tag = FIRST; tag <= LAST; tag++) {
        layout_t layout;
        assert_true(layout_of_tag((dnnl_format_tag_t)tag, &layout));
        const int other = layout.ndims % DNNL_MAX_NDIMS + 1;
        assert_int_equal(md_init_tag(&md, other, dims, dnnl_f32, (dnnl_format_tag_t)tag),
                dnnl_invalid_arguments);
        assert_memory_equal(&md, &before, sizeof(md));
    }
}

static void other_blocks_by_string(void **state) {
    (void)state;
    static const struct {
        const char *name;
        dnnl_dims_t dims;
        int ndims;
    } cases[] = {
            {"aBc5b", {2, 7, 3}, 3},
            {"BA3a7b2a", {13, 9}, 2},
            {"bac", {4, 5, 6}, 3},
            {"A10a", {23}, 1},
            {"aCdB2b3c4b", {2, 9, 4, 3}, 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        md_t md;
        assert_int_equal(
                md_init_string_tag(&md, cases[i].ndims, cases[i].dims, dnnl_bf16, cases[i].name),
                dnnl_success);
        check_against_loops(&md, cases[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_tag_has_its_own_name),
            cmocka_unit_test(strings_that_spell_no_layout_are_refused),
            cmocka_unit_test(every_tag_lays_out_as_its_name_says),
            cmocka_unit_test(the_exported_function_takes_strings),
            cmocka_unit_test(the_tag_is_found_again),
            cmocka_unit_test(tags_of_another_rank_are_refused),
            cmocka_unit_test(other_blocks_by_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
