/* SPDX-License-Identifier: Apache-2.0 */
/* The lock with an owner: one holder at a time, whoever comes, and whenever. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/lock.h"

enum { TIMES = 2000, OTHERS = 3, ROUNDS = 100 };

typedef struct {
    short_lock_t lock;
    long count; /* guarded by it */
    pthread_barrier_t start;
} shared_t;

/* Reads and writes apart, so that two at once lose counts. */
static void count_up(shared_t *s) {
    for (int i = 0; i < TIMES; i++) {
        atomic_uint *taken = short_lock_take(&s->lock);
        const long before = *(volatile long *)&s->count;
        *(volatile long *)&s->count = before + 1;
        if (i % 2) short_lock_give(taken);
        else short_lock_drop(&s->lock);
    }
}

static void *other(void *shared) {
    shared_t *s = shared;
    pthread_barrier_wait(&s->start);
    count_up(s);
    return NULL;
}

/* Others come while the owner goes on taking the lock, some thousand times in all. */
static void one_at_a_time(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        shared_t s = {.count = 0};
        pthread_t threads[OTHERS];
        assert_int_equal(pthread_barrier_init(&s.start, NULL, OTHERS + 1), 0);
        if (round % 2)
            short_lock_give(short_lock_take(&s.lock)); /* this thread owns it; else who is first */
        for (int i = 0; i < OTHERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, other, &s), 0);
        pthread_barrier_wait(&s.start);
        count_up(&s);
        for (int i = 0; i < OTHERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(s.count, (OTHERS + 1) * TIMES);
        pthread_barrier_destroy(&s.start);
    }
}

static void *alone(void *shared) {
    count_up(shared);
    return NULL;
}

/* The owner is gone when the next one comes. */
static void one_after_another(void **state) {
    (void)state;
    shared_t s = {.count = 0};
    for (int i = 0; i < OTHERS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, alone, &s), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    count_up(&s);
    assert_int_equal(s.count, (OTHERS + 1) * TIMES);
}

/* A child process has its own threads, and the owner's lock. */
static void in_a_child(void **state) {
    (void)state;
    shared_t s = {.count = 0};
    int how;
    count_up(&s);
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        count_up(&s);
        if (pthread_create(&thread, NULL, alone, &s) || pthread_join(thread, NULL)) _exit(2);
        _exit(s.count != 3 * TIMES);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_at_a_time),
            cmocka_unit_test(one_after_another), cmocka_unit_test(in_a_child)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
