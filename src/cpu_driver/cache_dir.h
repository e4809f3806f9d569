/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for files that outlive the process. */
#ifndef ZE_CPU_CACHE_DIR_H
#define ZE_CPU_CACHE_DIR_H

#include <stdbool.h>

/* Makes the folder and those above it, for this user only. Whether files can be made in it. */
bool cache_dir_ready(const char *path);

/* PoCL stops working, or the whole process, where it cannot write its cache: then it gets a folder of this
 * user in $TMPDIR or /tmp instead, by POCL_CACHE_DIR. To be called before the first call of OpenCL. */
void cache_dir_for_pocl(void);

#endif
