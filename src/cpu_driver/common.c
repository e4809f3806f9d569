/* SPDX-License-Identifier: Apache-2.0 */
/* Small helpers: two-call queries, clock, hash, environment, growing text. */
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t answer_count(uint32_t *count, uint32_t available, const void *array) {
    if (*count == 0 || *count > available || !array) {
        uint32_t fill = *count == 0 || !array ? 0 : available;
        *count = available;
        return fill;
    }
    return *count;
}

ze_result_t answer_bytes(size_t *size, void *out, const void *bytes, size_t available) {
    CHECK_POINTER(size);
    if (!out) {
        *size = available;
        return ZE_RESULT_SUCCESS;
    }
    CHECK(*size >= available, ZE_RESULT_ERROR_INVALID_SIZE);
    memcpy(out, bytes, available);
    *size = available;
    return ZE_RESULT_SUCCESS;
}

uint64_t clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t hash_word(uint64_t h, const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    h = (h ^ word) * 0x100000001b3u;
    return h ^ h >> 29;
}

/* FNV-1a over 8 bytes at a time, with a final mix. Good enough for tables and checksums, but not
 * against an adversary. Of 64 bytes and more, four sums are made side by side, because each step of
 * one waits for the step before it. */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    uint64_t h = seed ^ 0xcbf29ce484222325u;
    if (size >= 64) {
        uint64_t sums[4] = {h, h + 1, h + 2, h + 3};
        for (; size >= 32; p += 32, size -= 32)
            for (int i = 0; i < 4; i++) sums[i] = hash_word(sums[i], p + 8 * i);
        for (int i = 0; i < 4; i++) h = hash_word(h, (const unsigned char *)&sums[i]);
    }
    for (; size >= 8; p += 8, size -= 8) h = hash_word(h, p);
    while (size--) h = (h ^ *p++) * 0x100000001b3u;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 33);
}

long env_long(const char *name, long fallback) {
    const char *text = getenv(name);
    if (!text || !*text) return fallback;
    char *end;
    long value = strtol(text, &end, 10);
    return *end ? fallback : value;
}

void log_add(log_t *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) return;
    size_t need = log->length + (size_t)n + 1;
    if (need > log->capacity) {
        size_t capacity = need * 2;
        char *text = realloc(log->text, capacity);
        if (!text) return;
        log->text = text;
        log->capacity = capacity;
    }
    va_start(args, format);
    vsnprintf(log->text + log->length, (size_t)n + 1, format, args);
    va_end(args);
    log->length += (size_t)n;
}

void log_free(log_t *log) {
    free(log->text);
    *log = (log_t){0};
}
