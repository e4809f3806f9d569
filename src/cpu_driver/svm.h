/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and launches of a GPU: allocations are OpenCL's shared virtual memory, large copies and
 * fills are the device's work, and large grids become several launches. */
#ifndef ZE_CPU_SVM_H
#define ZE_CPU_SVM_H

#include "cmd.h"
#include "ocl.h"

/* CUDA's limit of work-groups along y and z, for all GPUs: OpenCL has no question for it. Larger
 * grids are launched in parts, unless the kernel asks for numbers of work-groups. */
enum { SVM_MAX_GROUPS_YZ = 65535 };
/* Bytes: clSVMAlloc() takes alignments up to the size of OpenCL's largest type. */
enum { SVM_MAX_ALIGNMENT = 128 };

/* Whether allocations come from svm_obtain(). */
bool svm_is_used(void);
/* False: out of memory. The host may use the memory until svm_give_back(), except while a
 * kernel uses it on a device with MEMORY_SVM_MAPPED. */
bool svm_obtain(size_t size, size_t alignment, char **base, void **start);
void svm_give_back(char *base, void *start);

/* Copies or fills before it returns. False: the host is to do it. No kernel may be in flight. */
bool svm_copy(cl_command_queue queue, void *to, const void *from, size_t size);
bool svm_fill(
        cl_command_queue queue, void *to, size_t size, const void *pattern, size_t pattern_size);

/* Whether the device can launch so many work-groups of the kernel. */
bool svm_takes_grid(const struct kernel_exec *kernel, const ze_group_count_t *groups);

/* Launches a kernel whose arguments are set. Called with the lock of the kernel held. `event`, if
 * not NULL, gets the event of its end. */
cl_int svm_launch(cl_command_queue queue, const cmd_t *cmd, const size_t offset[3],
        const size_t global[3], const size_t local[3], cl_event *event);

#endif
