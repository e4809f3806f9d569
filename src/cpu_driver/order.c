/* SPDX-License-Identifier: Apache-2.0 */
/* Picks commands in reverse or in random order among those that nothing keeps in order, and delays them. */
#include "order.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MANY = 64, COLLECT_NS = 100000000 };

static struct {
    enum { ORDER_AS_IS, ORDER_REVERSE, ORDER_RANDOM } kind;
    uint64_t seed;
    long delay_us;
} settings;

static _Atomic uint64_t host_waits;

static void read_settings(void) {
    const char *order = getenv("ZE_CPU_ORDER");
    settings.delay_us = env_long("ZE_CPU_DELAY", 0);
    if (!order) return;
    if (strcmp(order, "reverse") == 0) settings.kind = ORDER_REVERSE;
    if (strncmp(order, "random", 6) != 0) return;
    settings.kind = ORDER_RANDOM;
    settings.seed = order[6] == ':' ? strtoull(order + 7, NULL, 0) : 0;
}

static void look(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_settings);
}

bool order_is_changed(void) {
    look();
    return settings.kind != ORDER_AS_IS;
}

void order_delay(const cmd_t *cmd) {
    look();
    if (settings.delay_us <= 0 || cmd->kind == CMD_NOTHING || cmd->kind == CMD_SIGNAL_FENCE) return;
    const struct timespec t = {settings.delay_us / 1000000, settings.delay_us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

void order_host_waits(void) {
    if (order_is_changed()) atomic_fetch_add(&host_waits, 1);
}

uint64_t order_host_wait_count(void) {
    return atomic_load(&host_waits);
}

/* What later commands stay behind: barriers, and waits of their own, which hold back what follows. */
static bool is_fence(const cmd_t *cmd) {
    return cmd->after_all || (cmd->kind == CMD_NOTHING && cmd->n_waits);
}

bool order_has_collected(const cmd_t *first, uint64_t since, uint64_t waits) {
    uint32_t n = 0;
    for (const cmd_t *cmd = first; cmd; cmd = cmd->next)
        if (is_fence(cmd) || ++n >= MANY) return true;
    return order_host_wait_count() != waits || clock_ns() - since >= COLLECT_NS;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

cmd_t **order_pick(cmd_t **first, uint64_t *random) {
    cmd_t **picked = NULL;
    uint64_t ready = 0;
    if (*random == 0) *random = settings.seed + 1;
    for (cmd_t **link = first; *link; link = &(*link)->next) {
        if (is_fence(*link)) return link == first && cmd_events_are_there(*link) ? link : picked;
        if (!cmd_events_are_there(*link)) continue;
        ready++;
        if (settings.kind == ORDER_REVERSE || draw(random) % ready == 0) picked = link;
    }
    return picked;
}
