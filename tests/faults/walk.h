/* SPDX-License-Identifier: Apache-2.0 */
/* Included ahead of each source of an example: each call of the library is made again and again,
 * with the first call of the driver failing inside it, then the second, until the library has
 * succeeded without a failure. */
#ifndef TESTS_FAULTS_WALK_H
#define TESTS_FAULTS_WALK_H

#include <stdbool.h>

#define CHECK_DNNL(call) for (walk_begin(#call); walk_again((call), #call, __FILE__, __LINE__);)
void walk_begin(const char *call);
bool walk_again(int status, const char *call, const char *file, int line);

#endif
