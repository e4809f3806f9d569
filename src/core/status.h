/* SPDX-License-Identifier: Apache-2.0 */
/* How a status, or the sentence of a refusal, leaves a function early. */
#ifndef CORE_STATUS_H
#define CORE_STATUS_H

/* Returns the status of the call unless it is success. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const dnnl_status_t status_ = (call);                                                      \
        if (status_ != dnnl_success) return status_;                                               \
    } while (0)

/* For functions that answer NULL, or why they refuse: returns the answer of the call unless it
 * is NULL. */
#define REFUSE_IF(call)                                                                            \
    do {                                                                                           \
        const char *why_not_ = (call);                                                             \
        if (why_not_) return why_not_;                                                             \
    } while (0)

#endif
