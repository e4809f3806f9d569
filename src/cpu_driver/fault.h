/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the accesses that end a process in strict mode. */
#ifndef ZE_CPU_FAULT_H
#define ZE_CPU_FAULT_H

#include <stdbool.h>

/* Reports an access to an address; `kernels` names the kernels that run (NULL: none). False: the
 * address is not in memory of the driver. */
typedef bool fault_explain_t(const char *address, const char *verb, const char *kernels);

/* Installs the handler. Later calls do nothing. */
void fault_report(fault_explain_t *explain);

/* Notes that a kernel runs, for reports. Returns a number for fault_kernel_ends(). */
int fault_kernel_begins(const char *name);
void fault_kernel_ends(int number);

#endif
