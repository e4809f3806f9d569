/* SPDX-License-Identifier: Apache-2.0 */
/* Picks commands in reverse or random order among those that no dependency keeps in order. */
#include "pick.h"

enum {
    MANY = 64,              /* commands to collect before the first one runs */
    COLLECT_NS = 100000000, /* so long may a list stay short: 0.1 s */
};

/* Whether later commands must not overtake this one: barriers, and waits that are commands of their
 * own. */
static bool is_fence(const cmd_t *cmd) {
    return cmd->after_all || (cmd->kind == CMD_NOTHING && cmd->n_waits);
}

bool pick_has_collected(const cmd_t *first, uint64_t since, uint64_t host_waits) {
    uint32_t n = 0;
    for (const cmd_t *cmd = first; cmd; cmd = cmd->next)
        if (is_fence(cmd) || ++n >= MANY) return true;
    return order_host_wait_count() != host_waits || clock_ns() - since >= COLLECT_NS;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

cmd_t **pick_next(cmd_t **first, uint64_t *random) {
    const order_kind_t kind = order_kind();
    cmd_t **picked = NULL;
    uint64_t ready = 0;
    if (*random == 0) *random = order_seed() + 1;
    for (cmd_t **link = first; *link; link = &(*link)->next) {
        if (is_fence(*link)) return link == first && cmd_events_are_there(*link) ? link : picked;
        if (!cmd_events_are_there(*link)) continue;
        ready++;
        if (kind == ORDER_REVERSE || draw(random) % ready == 0) picked = link;
    }
    return picked;
}
