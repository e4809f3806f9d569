/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps freed memory until the commands that use it are over. */
#ifndef ZE_CPU_KEEP_H
#define ZE_CPU_KEEP_H

#include "lane_state.h"

/* Looks at the commands of all lanes that were appended and are not over. If none of them uses the
 * memory, returns false. Otherwise memory_release() is called for it as soon as they are over,
 * which the caller can wait for. Where there is no memory to note that, or the process exits, the
 * memory is kept for ever. */
bool keep_while_used(char *base, size_t size, bool wait);

/* All lanes, for the function above. */
void keep_add_lane(lane_t *lane);
void keep_remove_lane(lane_t *lane);

/* The following functions are called with the lock of the lane held. */

/* A command is appended, or over. */
void keep_note_append(lane_t *lane, cmd_t *cmd);
void keep_note_end(lane_t *lane, const cmd_t *cmd);
/* Takes out the memory that no command of the lane uses any more. Pass it to keep_release() without
 * the lock. */
keep_use_t *keep_take(lane_t *lane);
void keep_release(keep_use_t *uses);

#endif
