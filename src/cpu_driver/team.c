/* SPDX-License-Identifier: Apache-2.0 */
/* Helper threads. They look for work for a short time, and then sleep. */
#include "team.h"
#include "futex.h"
#include "sched.h"

#include <pthread.h>
#include <sched.h> /* sched_yield() */

/* Parts [next, end) of a job: those that one thread begins with. Each share has a cache line of its
 * own by its size, as stack frames of AddressSanitizer ignore an _Alignas of a line. */
typedef struct {
    _Atomic size_t next;
    size_t end;
    char unused[64 - 2 * sizeof(size_t)];
} share_t;

enum { MAX_SHARES = 32 }; /* of more threads, several begin with the same share */

/* A job lies on the stack of the thread that runs it, which waits until no helper is inside. */
typedef struct job {
    struct job *next;
    uint32_t threads, n_shares, entered; /* `entered` is guarded by the lock */
    team_work_t *work;
    void *argument;
    _Atomic uint32_t inside; /* helpers */
    share_t shares[MAX_SHARES];
} job_t;

static struct {
    pthread_mutex_t lock; /* guards: */
    job_t *jobs;          /* the newest first */
    _Atomic uint32_t n_helpers;
    _Atomic uint32_t n_open; /* jobs that may take a helper */
    progress_t posted, left; /* jobs that were opened; helpers that left one */
} team = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t left_of(const share_t *share) {
    const size_t next = atomic_load_explicit(&share->next, memory_order_relaxed);
    return next < share->end ? share->end - next : 0;
}

/* Takes parts from a share: fewer and fewer, so that what is left at the end can be divided (guided
 * self-scheduling). */
static bool take(share_t *share, uint32_t fraction, size_t *from, size_t *to) {
    *from = atomic_load_explicit(&share->next, memory_order_relaxed);
    do {
        if (*from >= share->end) return false;
        const size_t n = (share->end - *from) / fraction;
        *to = *from + (n ? n : 1);
    } while (!atomic_compare_exchange_weak(&share->next, from, *to));
    return true;
}

/* Does the own share, which the same thread has in each job of this size: its core has the data in
 * its cache. Then it takes parts of the others (work stealing). */
static void do_parts(job_t *job, uint32_t number) {
    const uint32_t fraction = 4 * ((job->threads + job->n_shares - 1) / job->n_shares);
    for (uint32_t i = 0; i < job->n_shares; i++) {
        share_t *share = &job->shares[(number + i) % job->n_shares];
        size_t from, to;
        while (take(share, fraction, &from, &to)) job->work(job->argument, from, to);
    }
}

/* A job with as many helpers as it wants, or with all its parts begun, takes no further one. */
static bool takes_helpers(const job_t *job) {
    size_t left = 0;
    for (uint32_t i = 0; i < job->n_shares; i++) left += left_of(&job->shares[i]);
    return left && job->entered + 1 < job->threads;
}

/* Called with the lock held. */
static void count_open(void) {
    uint32_t n = 0;
    for (const job_t *job = team.jobs; job; job = job->next) n += takes_helpers(job);
    atomic_store(&team.n_open, n);
}

/* ---- helpers ---- */

static bool is_open(const void *unused) {
    (void)unused;
    return atomic_load(&team.n_open) != 0;
}

static job_t *enter(void) {
    pthread_mutex_lock(&team.lock);
    job_t *job = team.jobs;
    while (job && !takes_helpers(job)) job = job->next;
    if (job) {
        job->entered++;
        atomic_fetch_add(&job->inside, 1);
    }
    count_open();
    pthread_mutex_unlock(&team.lock);
    return job;
}

void team_help(uint32_t number) {
    while (!sched_has_stopped()) {
        job_t *job = progress_wait(&team.posted, is_open, NULL, UINT64_MAX) ? enter() : NULL;
        if (!job) continue;
        do_parts(job, number);
        atomic_fetch_sub(&job->inside, 1); /* the job may be gone from here on */
        progress_announce(&team.left);
    }
}

/* Where the system starts no thread, the next job tries again. Called with the lock held. */
static void start_helpers(uint32_t n) {
    for (uint32_t i = atomic_load(&team.n_helpers); i < n && sched_start_helper(i + 1); i++)
        atomic_store(&team.n_helpers, i + 1);
}

bool team_is_awake(void) {
    return atomic_load_explicit(&team.posted.sleepers, memory_order_relaxed) <
           atomic_load_explicit(&team.n_helpers, memory_order_relaxed);
}

void team_stop(void) {
    progress_announce(&team.posted);
}

/* ---- jobs ---- */

static void post(job_t *job) {
    pthread_mutex_lock(&team.lock);
    start_helpers(job->threads - 1);
    job->next = team.jobs;
    team.jobs = job;
    count_open();
    pthread_mutex_unlock(&team.lock);
    progress_announce_to(&team.posted, job->threads - 1);
}

static void withdraw(job_t *job) {
    pthread_mutex_lock(&team.lock);
    job_t **link = &team.jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    count_open();
    pthread_mutex_unlock(&team.lock);
}

static bool is_left(const void *job) {
    return atomic_load(&((job_t *)(uintptr_t)job)->inside) == 0;
}

void team_run(size_t n, uint32_t threads, bool in_order, team_work_t *work, void *argument) {
    if (threads > n) threads = (uint32_t)n;
    if (threads <= 1) {
        work(argument, 0, n);
        return;
    }
    job_t job; /* not all shares are set */
    job.threads = threads;
    job.n_shares = in_order ? 1 : threads < MAX_SHARES ? threads : MAX_SHARES;
    job.entered = 0;
    job.work = work;
    job.argument = argument;
    atomic_init(&job.inside, 0);
    for (uint32_t i = 0; i < job.n_shares; i++) {
        atomic_init(&job.shares[i].next, n * i / job.n_shares);
        job.shares[i].end = n * (i + 1) / job.n_shares;
    }
    post(&job);
    do_parts(&job, 0);
    withdraw(&job);
    /* At the exit of the process, the wait ends at once. */
    while (!progress_wait(&team.left, is_left, &job, UINT64_MAX)) sched_yield();
}
