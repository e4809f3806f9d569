/* SPDX-License-Identifier: Apache-2.0 */
#include "low/low.h"

int low(int x) {
    return elsewhere(x) + 1;
}
