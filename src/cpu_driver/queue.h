/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues and command lists. */
#ifndef ZE_CPU_QUEUE_H
#define ZE_CPU_QUEUE_H

#include "lane.h"

struct _ze_command_queue_handle_t {
    object_t object;
    ze_context_handle_t context;
    ze_device_handle_t device;
    uint32_t ordinal, index;
    bool synchronous;
    lane_t *lane;
};

struct _ze_command_list_handle_t {
    object_t object;
    ze_context_handle_t context;
    ze_device_handle_t device;
    uint32_t ordinal, index;
    bool in_order, synchronous, closed;
    bool is_mutable;
    lane_t *lane;             /* of an immediate list; NULL: the list is regular */
    cmd_sequence_t *sequence; /* the commands of a regular list; one reference */
};

/* Checks the descriptor of a queue or of an immediate list. */
ze_result_t check_queue_desc(const ze_command_queue_desc_t *desc);
/* Checks that the lists are regular and closed, and belong to the queue group `ordinal`. */
ze_result_t check_closed_lists(uint32_t n, ze_command_list_handle_t *lists, uint32_t ordinal);
/* Appends the commands of the list to the lane. The list may be reset or destroyed while they
 * run. */
ze_result_t list_submit(ze_command_list_handle_t list, lane_t *lane);

#endif
