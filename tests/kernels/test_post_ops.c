/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops of every kind, in any order, up to 32 of them, on every variant of family
 * "elementwise" (cases/post_ops.txt). */
#include <string.h>

#include "cases.h"
#include "core/strings.h"
#include "core/util.h"
#include "test_main.h"

static unsigned draw(unsigned n) {
    return (unsigned)(harness_random() % n);
}

static void add_drawn(text_t *text, bool ints) {
    static const char *const eltwise[] = {"eltwise_relu:0.5", "eltwise_linear:0.5:1",
            "eltwise_clip:-30:30", "eltwise_abs", "eltwise_tanh"};
    static const char *const dts[] = {"f32", "s8", "bf16"};
    static const char *const binary[] = {"add", "sub", "max", "min", "mul", "select"};
    switch (draw(6)) {
    case 0: text_add(text, "sum:0.25:%d", ints ? 3 : 0); break;
    case 1: text_add(text, "prelu:%u", draw(4)); break;
    case 2: text_add(text, "%s", eltwise[draw(ARRAY_LEN(eltwise))]); break;
    default: {
        const unsigned mask = draw(16), dt = draw(ARRAY_LEN(dts)), condition = draw(16);
        const char *name = binary[draw(ARRAY_LEN(binary))];
        text_add(text, "binary_%s:%s:%u", name, dts[dt], mask);
        if (!strcmp(name, "select")) text_add(text, ":::%u", condition);
    }
    }
}

static void run_drawn(const char *section, bool ints) {
    char settings[4096];
    text_t text = text_start(settings, sizeof(settings));
    text_add(&text, "attr=%spost-ops:", ints ? "" : "scratchpad:user;");
    for (int i = 0; i < 32; i++) {
        text_add(&text, "%s", i ? "+" : "");
        add_drawn(&text, ints);
    }
    cases_run_with("post_ops", section, settings);
}

static void run_sections(void) {
    cases_run("post_ops", "short");
    cases_run("post_ops", "long");
    run_drawn("drawn_floats", false);
    run_drawn("drawn_ints", true);
}

/* All tensors have the same layout here, so there is nothing to transpose. */
static bool keeps_order(int variant) {
    return strncmp(variants[variant].entry, "turn", 4) != 0;
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(keeps_order, "elementwise", run_sections);
}

TEST_MAIN(cmocka_unit_test(test_variants))
