/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU driver on a machine without PoCL: the environment of the test hides it. */
#include "check.h"

int main(void) {
    const char *const said[] = {"PoCL", "pocl-opencl-icd", NULL};
    return check_sentence(said);
}
