/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what an access that ends a process in strict mode hit. */
#ifndef ZE_CPU_FAULT_H
#define ZE_CPU_FAULT_H

void fault_report(void); /* from now on */

/* Notes the kernel that runs from here on, for reports; returns a number to end it with. */
int fault_kernel_begins(const char *name);
void fault_kernel_ends(int number);

#endif
