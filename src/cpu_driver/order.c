/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of order and delay, and counts the waits of the host. */
#include "order.h"
#include "common.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    order_kind_t kind;
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

static void read_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_settings);
}

order_kind_t order_kind(void) {
    read_once();
    return settings.kind;
}

uint64_t order_seed(void) {
    read_once();
    return settings.seed;
}

bool order_is_changed(void) {
    return order_kind() != ORDER_AS_IS;
}

bool order_has_delay(void) {
    read_once();
    return settings.delay_us > 0;
}

void order_delay(void) {
    read_once();
    if (settings.delay_us <= 0) return;
    const struct timespec t = {settings.delay_us / 1000000, settings.delay_us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

void order_host_waits(void) {
    if (order_is_changed()) atomic_fetch_add(&host_waits, 1);
}

uint64_t order_host_wait_count(void) {
    return atomic_load(&host_waits);
}
