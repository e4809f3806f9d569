/* SPDX-License-Identifier: Apache-2.0 */
/* What the library writes to its log, which goes to the standard output. */
#ifndef TESTS_API_HEARD_H
#define TESTS_API_HEARD_H

/* From here on it is kept, and not shown. */
void listen_to_log(void);
/* No longer: answers what was kept. */
const char *heard(void);
int errors_in(const char *log); /* how many sentences about errors it has */

#endif
