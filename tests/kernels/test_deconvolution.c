/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "convolution" as deconvolution: shapes, layouts, types, attributes. */
#include "conv_case.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static const char *const lines[] = {
        /* shapes */
        "mb2_ic5oc7_iw11kw3",
        "mb2_ic19oc21_ih6kh3ph1",
        "mb1_ic17oc33_ih5kh4sh2ph1",
        "mb1_ic6oc5_ih4kh3sh3dh1ph2_iw5kw2sw1",
        "mb1_ic4oc3_id3kd3sd2pd1_ih2kh2sh2_iw4kw1",
        "g2mb2_ic8oc6_ih5kh3sh2ph1rh0",
        "g19mb1_ic19oc19_ih5kh3sh2ph1",
        "g19mb1_ic19oc19_ih5kh3dh1ph1_iw9kw2pw0",
        "mb1_ic3oc18_ih5kh3ph1",
        "mb1_ic20oc18_ih5kh3ph2_iw7kw4pw1dw1",
        "mb2_ic20oc18_ih5kh2sh2",
        "mb1_ic20oc18_ih4kh1sh2",
        "mb1_ic3oc18_ih5kh5sh2ph2rh1_iw4kw3sw2pw0",
        "mb1_ic7oc18_iw9kw5sw3pw2",
        "mb1_ic1oc1_ih1kh1",
        "mb0_ic4oc4_ih3kh2",
        /* layouts */
        "mb2_ic19oc21_ih4kh3sh2ph1 stag=abcd wtag=abcd dtag=abcd",
        "mb2_ic19oc21_ih4kh3sh2ph1 stag=aBcd16b wtag=ABcd16b16a dtag=aBcd16b bia=f32 po=linear",
        "mb2_ic19oc21_ih4kh3sh2ph1 stag=+acdb wtag=bacd dtag=+acdb",
        /* types and attributes, also as many as there can be */
        "mb2_ic19oc21_ih4kh3sh2ph1 f16 bia=f32",
        "mb2_ic19oc21_ih4kh3sh2ph1 bf16 dst=f32",
        "mb2_ic19oc21_ih4kh3sh2ph1 f64",
        "mb2_ic19oc21_ih4kh3sh2ph1 u8 dst=s32 zps=s0",
        "g2mb2_ic18oc20_ih4kh3sh2ph1 s8 dst=u8 scales=s0,w3,d0 zps=s2,d2 bia=f32 po=relu",
        "mb2_ic19oc21_ih4kh3sh2ph1 bia=f32 po=sum,relu,add2",
        "mb2_ic19oc21_ih4kh3sh2ph1 f16 stag=aBcd8b wtag=abcd dtag=aBcd4b bia=f32 "
        "po=sum,relu,add2,mul15,add15,add12,"
        "add13,relu,add2,mul15,add2,add15",
        "mb2_ic19oc21_ih4kh3sh2ph1 f16 stag=ABcd16a16b wtag=abcd dtag=ABcd16a16b "
        "po=relu,linear,relu,linear,relu,"
        "linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,"
        "linear,relu,"
        "linear,relu,"
        "linear,relu,linear,relu,linear,relu,linear,relu,add2",
};

static void rows(void) {
    for (int i = 0; i < ARRAY_LEN(lines); i++) conv_case_run(CASE_DECONVOLUTION, lines[i]);
}

/* Those with sub-groups have their cases in test_convolution_units.c. */
static bool has_no_subgroups(int row) {
    return variants[row].target != TARGET_SG16 && !variant_has_matrix_units(&variants[row]);
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_row_that(has_no_subgroups, "convolution", rows);
}

static void test_choice(void **unused) {
    (void)unused;
    select_forced_variant = -1;
    harness_seed(77);
    rows();
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_choice))
