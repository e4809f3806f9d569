/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what the device cannot run. */
#include "skips.h"

#include <stdio.h>
#include <stdlib.h>

#include "case.h"

static int64_t counts[SKIP_REASONS];

void skip_count(skip_reason_t reason, int64_t cases) {
    counts[reason] += cases;
}

int64_t skips_total(void) {
    int64_t total = 0;
    for (int i = 0; i < SKIP_REASONS; i++) total += counts[i];
    return total;
}

void skips_print(void) {
    static const char *const reasons[SKIP_REASONS] = {
            "the device has no double precision", "the device has too little memory"};
    const char *name = getenv("DNNL_ZE_TEST_SKIPS");
    if (!skips_total()) return;
    FILE *file = name ? fopen(name, "a") : NULL;
    for (int i = 0; i < SKIP_REASONS; i++) {
        if (!counts[i]) continue;
        printf("skipped: %lld cases, %s\n", (long long)counts[i], reasons[i]);
        if (file) fprintf(file, "%lld %s\n", (long long)counts[i], reasons[i]);
        counts[i] = 0;
    }
    if (file) fclose(file);
}

bool needs_too_much_memory(int64_t bytes) {
    return (uint64_t)bytes > harness_caps()->total_mem_size / 4;
}
