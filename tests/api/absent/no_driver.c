/* SPDX-License-Identifier: Apache-2.0 */
/* A machine without a driver: the environment of the test names one that does not exist. */
#include "check.h"

int main(void) {
    return check_absent();
}
