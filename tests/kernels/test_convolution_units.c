/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of family "convolution" for sub-groups and matrix units against the reference, with the types that
 * they take: the shapes that the other rows see, and their own edges, those for matrix units also as
 * deconvolution. Other rows run a few of the cases. */
#include <stdio.h>
#include <string.h>

#include "case_run.h"
#include "conv_case.h"
#include "core/util.h"
#include "test_main.h"

/* Of floats; of integers where the channels would be others. */
static const struct {
    const char *floats, *integers;
} edges[] = {
        /* read in place: rows or columns beyond the image, strides, dilation, dimensions */
        {"mb2_ic32oc64_ih9kh3ph1", "mb2_ic64oc64_ih9kh3ph1"},
        {"mb1_ic64oc40_ih12kh3sh2ph1", "mb1_ic128oc40_ih12kh3sh2ph1"},
        {"mb1_ic32oc16_ih11kh5sh3ph2_iw7kw2sw2pw1", "mb1_ic64oc16_ih11kh5sh3ph2_iw7kw2sw2pw1"},
        {"mb1_ic32oc24_ih10kh3dh1ph2", "mb1_ic64oc24_ih10kh3dh1ph2"},
        {"mb1_ic32oc24_ih10kh3sh2dh2ph5", "mb1_ic64oc24_ih10kh3sh2dh2ph5"},
        {"mb2_ic32oc24_iw20kw3pw1", "mb2_ic64oc24_iw20kw3pw1"},
        {"mb2_ic32oc24_iw20kw3sw2pw1", "mb2_ic64oc24_iw20kw3sw2pw1"},
        {"mb2_ic32oc24_id4kd3pd1_ih5kh2sh1ph1", "mb2_ic64oc24_id4kd3pd1_ih5kh2sh1ph1"},
        {"mb1_ic32oc24_id5kd2sd2_ih1kh1ph0_iw9kw3pw1",
                "mb1_ic64oc24_id5kd2sd2_ih1kh1ph0_iw9kw3pw1"},
        {"mb1_ic32oc24_ih1kh3ph1_iw9kw3pw1", "mb1_ic64oc24_ih1kh3ph1_iw9kw3pw1"},
        {"mb1_ic32oc24_ih9kh3sh2ph1_iw1kw1pw0", "mb1_ic64oc24_ih9kh3sh2ph1_iw1kw1pw0"},
        {"mb1_ic32oc24_ih1kh2sh2ph1_iw3kw3pw1", "mb1_ic64oc24_ih1kh2sh2ph1_iw3kw3pw1"},
        {"g2mb2_ic64oc48_ih6kh3ph1", "g2mb2_ic128oc48_ih6kh3ph1"},
        {"g3mb1_ic96oc51_iw9kw3pw1", "g3mb1_ic192oc51_iw9kw3pw1"},
        /* products of matrices */
        {"mb2_ic40oc24_ih5kh1", "mb2_ic80oc24_ih5kh1"},
        {"g2mb2_ic64oc34_ih5kh1", "g2mb2_ic128oc34_ih5kh1"},
        {"mb3_ic64oc72_id2kd1_ih3kh1_iw5kw1", "mb3_ic128oc72_id2kd1_ih3kh1_iw5kw1"},
        /* work-groups that load ahead */
        {"mb1_ic96oc256_ih20kh1", "mb1_ic192oc256_ih20kh1"},
        {"mb1_ic64oc224_ih18kh3ph1", "mb1_ic64oc224_ih18kh3ph1"},
        /* with holes, in blocks, the other way round, and in panels */
        {"mb2_ic32oc24_ih5kh3ph1 stag=+acdb dtag=+acdb",
                "mb2_ic64oc24_ih5kh3ph1 stag=+acdb dtag=+acdb"},
        {"mb2_ic32oc24_ih5kh3ph1 stag=aBcd32b wtag=abcd dtag=aBcd16b",
                "mb2_ic64oc24_ih5kh3ph1 stag=aBcd64b wtag=abcd dtag=aBcd16b"},
        {"mb2_ic24oc21_ih5kh3ph1 stag=aBcd32b wtag=Acdb16a dtag=abcd",
                "mb2_ic24oc21_ih5kh3ph1 stag=aBcd64b wtag=Acdb16a dtag=abcd"},
        {"mb2_ic32oc24_ih5kh3ph1 stag=aBcd64b", "mb2_ic64oc24_ih5kh3ph1 stag=aBcd128b"},
        {"mb2_ic33oc24_ih5kh1 stag=abcd wtag=cdba dtag=acdb", NULL},
        {"mb17_ic18oc20_ih3kh2 stag=ABcd16a16b wtag=abcd dtag=ABcd16a16b po=linear", NULL},
        /* pixels of images beside one another, no multiples of 16 bytes: of the type that block loads take */
        {"mb40_ic34oc24_ih1kh1", "mb40_ic68oc24_ih1kh1"},
        {"mb4_ic34oc24_ih5kh1_iw1kw1", "mb4_ic68oc24_ih5kh1_iw1kw1"},
        {"mb40_ic34oc24_ih1kh1 stag=acdb dtag=acdb", "mb40_ic68oc24_ih1kh1 stag=acdb dtag=acdb"},
        /* few channels: taps beside one another along rows, in planes, in space; pixels that few windows meet
         */
        {"mb2_ic3oc24_ih23kh7sh2ph3", NULL},
        {"mb1_ic3oc40_ih13kh3dh1ph2rh1 stag=abcd wtag=abcd", NULL},
        {"mb1_ic1oc18_id4kd3pd1_ih7kh3sh2ph1", NULL},
        {"mb2_ic12oc24_iw20kw5sw3pw2 stag=aBc4b wtag=Acb16a dtag=aBc8b", NULL},
        {"mb2_ic10oc24_ih9kh1sh3", NULL},
        /* more taps than 32 */
        {"mb2_ic40oc24_ih9kh6ph2", "mb2_ic80oc24_ih9kh6ph2"},
        /* groups that are one product */
        {"g8mb2_ic32oc40_ih6kh3ph1", "g8mb2_ic64oc40_ih6kh3ph1"},
        {"g32mb1_ic128oc128_ih5kh3sh2ph1 stag=abcd wtag=ecdab dtag=aBcd16b", NULL},
};

static const char *const deconvolutions[] = {
        "mb2_ic5oc7_iw11kw3",
        "mb1_ic64oc40_ih9kh4sh2ph1",
        "mb1_ic17oc33_ih5kh4sh2ph1 stag=abcd wtag=abcd dtag=abcd",
        "mb1_ic6oc5_ih4kh3dh1ph2_iw5kw2sw1",
        "mb1_ic6oc5_ih4kh3sh3ph2_iw5kw2sw1dw1",
        "mb1_ic4oc3_id3kd3sd2pd1_ih2kh2sh2_iw4kw1",
        "g2mb2_ic8oc6_ih5kh3sh2ph1rh0 stag=aBcd8b wtag=abdec dtag=aBcd4b",
        "mb1_ic64oc24_ih4kh1sh2 stag=+acdb dtag=+acdb",
        "mb1_ic7oc18_iw9kw5sw3pw2",
        "mb1_ic64oc70_ih20kh3ph1",
        "mb2_ic20oc18_ih5kh2sh2 bia=f32 po=relu,add2",
        "g3mb1_ic192oc51_iw20kw3pw1dw1",
        "mb1_ic64oc70_ih7kh5sh2ph2rh1_iw4kw3sw2pw0",
        "mb1_ic1oc1_ih1kh1",
};

static const char *const floats[] = {
        "mb2_ic32oc40_ih6kh3ph1 bf16 bia=bf16 po=relu",
        "mb2_ic32oc40_ih6kh3ph1 f16 dst=f32 bia=f32 po=sum,add2",
        "mb2_ic32oc40_ih6kh1 f16 dst=f16 bia=f16 po=add2,mul15,prelu2,tanh",
        "mb2_ic32oc40_ih6kh1 bf16 dst=f32 stag=acdb dtag=acdb scales=s0,w1,d0",
        "mb2_ic32oc40_iw12kw3pw1 f16 dst=f32 po=add7",
        "mb2_ic32oc40_ih6kh1 bf16 dst=s8 po=linear",
        "mb2_ic19oc21_ih6kh3ph1 f16 po=add2,add2,add2,add2,add2,add2,add2,add2,add2,add15,sum,relu",
};

static const char *const integers[] = {
        "mb2_ic64oc40_ih6kh3ph1 u8 dst=s8 scales=s0,w1,d0 bia=f32 po=relu,sum",
        "mb2_ic64oc40_ih6kh3ph1 s8 dst=s32 bia=s32",
        "mb2_ic64oc40_ih6kh1 u8 dst=u8 scales=s0,w0,d2 zps=d2",
        "mb2_ic64oc40_ih6kh1 s8 dst=f32 scales=s0h,w1 po=add15",
        "g2mb2_ic128oc40_ih6kh3ph1 s8 dst=f32 scales=s0,w3",
        "mb2_ic64oc40_ih6kh3ph1 u8 dst=bf16 scales=w1 zps=d0",
        /* zero points of the source: padding on all sides, strides, dilation, groups, dimensions */
        "mb2_ic64oc40_ih7kh3ph1 u8 dst=s32 zps=s0",
        "mb1_ic70oc24_ih9kh5sh3ph2_iw7kw2sw2pw1 s8 dst=f32 scales=s0,w1 zps=s2 bia=f32 po=relu",
        "g2mb2_ic128oc50_ih6kh3dh1ph2rh0 u8 dst=u8 scales=s0,w3,d0 zps=s0,d2 po=add2",
        "mb2_ic20oc24_id3kd2pd1_ih5kh3ph1_iw4kw1 u8 dst=s32 zps=s0h",
        "mb2_ic80oc24_ih5kh1 u8 dst=s8 scales=s0 zps=s2,d0 po=add15",
        "mb2_ic64oc24_iw20kw3sw2pw1 s8 dst=s32 zps=s2",
        "mb2_ic3oc24_ih15kh7sh2ph3 u8 dst=s32 zps=s2",
        "mb2_ic3oc24_id3kd2pd1_ih5kh3ph1_iw4kw3 u8 dst=s32 zps=s0",
        "g4mb2_ic16oc8_ih5kh3ph1 u8 dst=s32 zps=s2",
};

static const char *const deconvolution_zeros[] = {
        "mb2_ic64oc24_ih5kh3ph1 u8 dst=s32 zps=s0",
        "mb2_ic64oc24_ih5kh4sh2ph1 u8 dst=s32 zps=s2",
        "g2mb2_ic18oc20_ih4kh3sh2ph1 s8 dst=u8 scales=s0,w3,d0 zps=s2,d2 bia=f32 po=relu",
};

static const char *const misplaced[] = {
        "mb2_ic64oc24_ih5kh3sh2ph1",
        "mb1_ic70oc24_id3kd2pd1_ih4kh3dh1ph2_iw5kw1",
        "mb2_ic3oc18_ih9kh5sh2ph2",
        "g4mb2_ic128oc24_ih4kh1",
};

static void run_as(int kind, const char *line, const char *type) {
    char text[512];
    snprintf(text, sizeof(text), "%.400s %s", line, type);
    conv_case_run(kind, text);
}
static void run(const char *line, const char *type) {
    run_as(CASE_CONVOLUTION, line, type);
}

static void rows(void) {
    const variant_t *row = &variants[select_forced_variant];
    const bool units = variant_has_matrix_units(row),
               ints = units && strrchr(row->id, '_')[1] == 'i',
               all = units || row->target == TARGET_SG16;
    /* Compiling is most of the time: each row has one type for the shapes, and the rows for matrix units a
     * third of the shapes each; the three of a type have all of them. */
    const bool other = select_forced_variant % 2;
    const char *const type = !units  ? "f32"
                             : ints  ? (other ? "u8 dst=s32" : "s8 dst=s32")
                             : other ? "f16"
                                     : "bf16";
    /* The rows for 8 lanes take the longest to compile: in a hurry they have their own edges only. */
    const bool hurry = row->target == TARGET_XMX8 && harness_leaves_out();
    for (int i = 0; all && !hurry && i < conv_shape_count; i++)
        if (sampled(i) || !units) run(conv_shapes[i], type);
    for (int i = 0; i < (all ? ARRAY_LEN(edges) : 2); i++)
        if (sampled(i) || !units)
            run(ints && edges[i].integers ? edges[i].integers : edges[i].floats, type);
    for (int i = 0; units && i < ARRAY_LEN(deconvolutions); i++)
        if (sampled(i)) run_as(CASE_DECONVOLUTION, deconvolutions[i], type);
    for (int i = 0; ints && i < ARRAY_LEN(deconvolution_zeros); i++)
        if (sampled(i)) conv_case_run(CASE_DECONVOLUTION, deconvolution_zeros[i]);
    const char *const *lines = ints ? integers : floats;
    const int n = !all ? 2 : ints ? ARRAY_LEN(integers) : ARRAY_LEN(floats);
    for (int i = 0; i < n; i++)
        if (sampled(i) || !all) conv_case_run(CASE_CONVOLUTION, lines[i]);
    /* Where block loads cannot read. */
    case_shift = 4;
    for (int i = 0; units && i < ARRAY_LEN(misplaced); i++) {
        if (!sampled(i)) continue;
        run(misplaced[i], type);
        run_as(CASE_DECONVOLUTION, misplaced[i], type);
    }
    case_shift = 0;
    if (!all) run("g19mb2_ic19oc19_ih6kh3ph1", "f16"); /* for a row that takes nothing else */
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("convolution", rows);
}

/* The library's own choice, with layouts of its own. */
static void test_choice(void **unused) {
    (void)unused;
    select_forced_variant = -1;
    harness_seed(78);
    run(edges[0].floats, "f16");
    run(edges[1].integers, "u8 dst=s8");
    run(edges[14].floats, "bf16");
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_choice))
