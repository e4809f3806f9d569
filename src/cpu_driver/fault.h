/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what an access that ends a process in strict mode hit. */
#ifndef ZE_CPU_FAULT_H
#define ZE_CPU_FAULT_H

#include <stdbool.h>

/* Reports an access to an address; `kernels` names the kernels that run (NULL: none). False: the address is
 * not in memory of the driver. */
typedef bool fault_explain_t(const char *address, const char *verb, const char *kernels);

/* Installs the handler. Later calls do nothing. */
void fault_report(fault_explain_t *explain);

/* Notes the kernel that runs from here on, for reports; returns a number to end it with. */
int fault_kernel_begins(const char *name);
void fault_kernel_ends(int number);

#endif
