/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the folder of the on-disk cache, measures it and keeps it below its limit. */
#ifndef CORE_DISK_FOLDER_H
#define CORE_DISK_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* The name of an entry is 16 hexadecimal digits and this ending. A file that is being written has
 * six characters more. All other files are left alone. */
#define DISK_FOLDER_SUFFIX ".dnnl_ze"

/* Makes the folder and its parents, readable for this user only. False: it could not be made; errno
 * says why. */
bool disk_folder_make(const char *path);

/* If the entries have more bytes than the limit, removes those whose last use is longest ago, until
 * a part of the limit is free. Also removes unfinished files that are more than an hour old.
 * Writes the bytes that remain. Returns false if it could not look at all files, for lack of memory
 * or of file descriptors. */
bool disk_folder_trim(const char *path, uint64_t limit, uint64_t *remain);

#endif
