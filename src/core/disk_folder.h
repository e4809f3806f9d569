/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the on-disk cache: made, measured, and kept small. */
#ifndef CORE_DISK_FOLDER_H
#define CORE_DISK_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* Names of entries are 16 hexadecimal digits and this; files that are being written have more behind it.
 * Others are left alone. */
#define DISK_FOLDER_SUFFIX ".dnnl_ze"

/* Makes the folder and those above it, for this user only. False: there is none, and errno says why. */
bool disk_folder_make(const char *path);

/* Where entries take more than the limit, removes those that were not used for the longest time, until a part
 * of it is free; also what was left half written an hour ago. Answers the bytes that remain. */
uint64_t disk_folder_trim(const char *path, uint64_t limit);

#endif
