/* SPDX-License-Identifier: Apache-2.0 */
#include "low/low.h"

int elsewhere(int x) {
    return x ? low(x - 1) : 0;
}
