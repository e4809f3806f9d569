/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of the library: ONEDNN_<name>, else DNNL_<name>. */
#ifndef CORE_ENV_H
#define CORE_ENV_H

/* NULL: neither is set. The string belongs to the environment. */
const char *env_string(const char *name);
/* The same for a folder of code. NULL as well if the program runs with rights that its user does
 * not have (secure_getenv(3)): that user must not choose what it executes. */
const char *env_folder(const char *name);
/* Answers `fallback` if the variable is absent or not a number. */
int env_int(const char *name, int fallback);

#endif
