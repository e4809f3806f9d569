/* SPDX-License-Identifier: Apache-2.0 */
/* The on-disk cache of compiled kernels: an addition of this library, which oneDNN does not
 * have. */
#ifndef ONEAPI_DNNL_DNNL_ZE_CACHE_H
#define ONEAPI_DNNL_DNNL_ZE_CACHE_H

#include "oneapi/dnnl/dnnl_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Kernels are kept in the library as SPIR-V, which the device's driver compiles when a primitive
/// is first created. With a folder for it, the library writes what the driver made to files, and
/// later processes load them instead of compiling. It writes nothing unless a folder is named, by
/// dnnl_ze_set_cache_folder() or by the environment:
///
/// | variable | meaning |
/// | --- | --- |
/// | `ONEDNN_CODE_CACHE_DIR` or `DNNL_CODE_CACHE_DIR` | the folder; unset or empty: no cache |
/// | `ONEDNN_CODE_CACHE_SIZE` or `DNNL_CODE_CACHE_SIZE` | its limit in MiB, 256 if unset |
///
/// - A file is used for the same device, driver version, library version, kernel and specialisation
///   constants only. A file that is damaged is not used, and replaced.
/// - Any number of processes and threads can share a folder. A process that is killed, or a full
///   disk, leaves no file that another process would take for a complete one.
/// - When the files exceed the limit, the least recently used ones are removed. Several processes
///   that write at the same moment can exceed the limit, each by a sixteenth of it.
/// - The folder, and the folders above it, are made if they are missing. A folder that cannot be
///   written is still read; the log then has one sentence about it, at level `warn`, and primitives
///   are compiled as without a cache.
/// - The device runs what the files hold: let nobody write to the folder who may not decide that.
///
/// `ONEDNN_VERBOSE=profile_create` shows for each module where its code comes from: `create:spirv`
/// was compiled, `create:disk` came from the folder, `create:embedded` was compiled when the
/// library was built, `create:memory` is of another engine of the process, `create:blob` of a cache
/// blob.

/// Limit in bytes of a cache whose size nobody chose.
#define DNNL_ZE_CACHE_DEFAULT_SIZE (256u << 20)

/// Chooses the folder of the on-disk cache, for the whole process, instead of the environment's.
///
/// It takes effect for primitives created from then on. May be called at any time and from any
/// thread, also before there is an engine.
///
/// @param folder Name of the folder, relative to the working folder of the moment; copied. NULL
///     or an empty name: no cache. Whether the folder can be written is found out when there is
///     something to write.
/// @param max_bytes Limit of all files together; 0 stands for #DNNL_ZE_CACHE_DEFAULT_SIZE.
/// @returns ::dnnl_invalid_arguments if the name is too long for the system; then nothing has
///     changed.
DNNL_API dnnl_status_t dnnl_ze_set_cache_folder(const char *folder, size_t max_bytes);

#ifdef __cplusplus
}
#endif

#endif
