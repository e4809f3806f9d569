/* SPDX-License-Identifier: Apache-2.0 */
/* Makes each host allocation fail in turn. */
#include "walk.h"

static void arm(int n) {
    atomic_store(&dz_alloc_fail_after, n);
}

static bool disarm(void) {
    return atomic_exchange(&dz_alloc_fail_after, 0) <= 0 || atomic_load(&dz_alloc_fail_forever);
}

static long live(void) {
    return atomic_load(&dz_alloc_live);
}

static const fault_t allocations = {dnnl_out_of_memory, false, arm, disarm, live};

static void each_fails_once(void **state) {
    (void)state;
    walk(&allocations);
}

int main(void) {
    const struct CMUnitTest walks[] = {TEST(each_fails_once)};
    return RUN_TESTS(walks);
}
