/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for the user about what the driver cannot do on this system. */
#ifndef ZE_CPU_SAY_H
#define ZE_CPU_SAY_H

/* Keeps the sentence for zeDriverGetLastErrorDescription() in this thread, and writes it to the
 * standard error output unless the sentence before it was the same. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The latest sentence of this thread; empty: none. */
const char *said(void);

#endif
