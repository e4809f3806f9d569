/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "matmul" as inner product: shapes, layouts, types, attributes. */
#include "conv_case.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static const char *const lines[] = {
        /* shapes */
        "mb2_ic5oc7",
        "mb1_ic1oc1",
        "mb19_ic37oc53",
        "mb3_ic300oc70",
        "mb0_ic4oc4",
        "mb13_ic5oc18_iw7",
        "mb13_ic5oc18_ih3iw4",
        "mb4_ic3oc17_id2ih3iw4",
        /* layouts */
        "mb13_ic40oc33 stag=ab wtag=ab dtag=ab",
        "mb13_ic40oc33 stag=ba wtag=ba dtag=ba",
        "mb13_ic40oc33 stag=+ab wtag=+ab dtag=+ab po=sum",
        "mb13_ic40oc33 stag=AB16a16b wtag=AB16b16a dtag=AB16a16b bia=f32 po=linear",
        "mb13_ic5oc18_ih3iw4 stag=acdb wtag=abcd",
        "mb13_ic5oc18_ih3iw4 stag=abcd wtag=cdba",
        "mb13_ic5oc18_ih3iw4 stag=acdb wtag=acdb bia=f32",
        "mb13_ic5oc18_ih3iw4 stag=+abcd wtag=+acdb",
        "mb13_ic18oc20_ih3iw4 stag=aBcd16b wtag=ABcd16b16a",
        "mb13_ic18oc20_ih3iw1 stag=bacd wtag=any",
        /* types and attributes */
        "mb13_ic40oc33 f16 bia=f16",
        "mb13_ic40oc33 bf16 dst=f32 bia=f32 po=relu",
        "mb13_ic40oc33 bf16 wtag=any dst=f32 bia=f32 po=relu",
        "mb33_ic70oc33 u8 wtag=any dst=s32",
        "mb13_ic40oc33 fp=tf32 bia=f32 po=relu",
        "mb13_ic45oc70 fp=any wtag=any",
        "mb13_ic40oc33 f64 bia=f64",
        "mb13_ic5oc18_ih3iw4 u8 dst=s32",
        "mb13_ic5oc18_ih3iw4 u8 dst=u8 scales=s0,w1,d0 bia=f32 po=relu",
        "mb13_ic5oc18_ih3iw4 s8 dst=s8 scales=s0h,w0 stag=acdb wtag=abcd",
        "mb13_ic40oc33 bia=f32 po=relu,add2,mul3,prelu2,sum",
        "mb13_ic40oc33 po=add3,add3,add3,add3,add3,add3,add3,add3,add3,add3,tanh bia=f32",
        "mb2_ic40oc133 bia=f32 po=add1 stag=ab wtag=ba",
};

static void rows(void) {
    for (int i = 0; i < ARRAY_LEN(lines); i++) conv_case_run(CASE_INNER_PRODUCT, lines[i]);
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("matmul", rows);
}

static void test_choice(void **unused) {
    (void)unused;
    if (harness_caps()->matrix_subgroup == 8)
        skip(); /* test_rules.c: what is not theirs runs elsewhere */
    select_forced_variant = -1;
    harness_seed(77);
    rows();
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_choice))
