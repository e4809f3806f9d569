/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what the device cannot run, by reason. */
#ifndef TESTS_PROBLEM_SKIPS_H
#define TESTS_PROBLEM_SKIPS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { SKIP_NO_DOUBLES, SKIP_LITTLE_MEMORY, SKIP_REASONS } skip_reason_t;

void skip_count(skip_reason_t reason, int64_t cases);
int64_t skips_total(void);
/* Prints a line for each reason, and appends it to the file that DNNL_ZE_TEST_SKIPS names in the
 * environment: ctest itself does not show why a test skipped something. */
void skips_print(void);
/* True if tensors of so many bytes may lack room on the device, besides what else is there. */
bool needs_too_much_memory(int64_t bytes);

#endif
