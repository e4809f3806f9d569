/* SPDX-License-Identifier: Apache-2.0 */
/* Dry runs, on drivers that compile but do not execute: what the compiler made of each kernel is written
 * down, values are not looked at. */
#ifndef TESTS_KERNELS_DRY_H
#define TESTS_KERNELS_DRY_H

#include "harness.h"

/* Begins a dry run if DNNL_ZE_TEST_DRY names the file to write; it then begins with the rows that the device
 * can run. DNNL_ZE_TEST_DRY_CASES thins the cases of each row and primitive kind out: `sparse` leaves ever
 * fewer of them, the first, second, fourth, seventh, ...; `first` leaves one. */
void dry_open(dnnl_engine_t engine);
void dry_close(void);
/* Whether this is a dry run: nothing is executed, so values mean nothing. */
extern bool is_dry;
/* Whether the case is not among those compiled. */
bool dry_skips(const case_t *c);

#endif
