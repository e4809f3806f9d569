/* SPDX-License-Identifier: Apache-2.0 */
/* The on-disk cache without a device: damaged files, folders that are full or cannot be written,
 * and processes that write at the same time or are killed while they do. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/disk_cache.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl_ze_cache.h"

static char folder[PATH_MAX];
enum { MAX_CONTENT = 20000 };

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_folder(void) {
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int new_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/dnnl_ze_test.XXXXXX");
    if (!mkdtemp(folder)) return -1;
    strcat(folder, "/some/where"); /* which is not there yet */
    return dnnl_ze_set_cache_folder(folder, 0) == dnnl_success ? 0 : -1;
}

static int old_folder(void **state) {
    (void)state;
    folder[strlen(folder) - strlen("/some/where")] = 0;
    remove_folder();
    dnnl_ze_set_cache_folder(NULL, 0);
    return atomic_load(&dz_alloc_live) ? -1 : 0;
}

/* The bytes of entry number n: their length and values follow from it. */
static size_t content(int n, uint8_t *bytes) {
    const size_t size = 1 + (size_t)n * 7919 % MAX_CONTENT;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 31 + (size_t)n * 101 + i / 256);
    return size;
}

static void store(int n) {
    uint8_t bytes[MAX_CONTENT];
    const size_t size = content(n, bytes);
    disk_cache_store(&n, sizeof n, bytes, size);
}

/* Whether it is there; it then has to be right. */
static bool load(int n) {
    uint8_t bytes[MAX_CONTENT];
    disk_entry_t entry;
    if (!disk_cache_load(&n, sizeof n, &entry)) return false;
    const size_t size = content(n, bytes);
    if (entry.size != size || memcmp(entry.data, bytes, size)) {
        print_error("entry %d is wrong\n", n);
        abort();
    }
    dz_free(entry.owned);
    return true;
}

typedef struct {
    int entries, others;
    uint64_t bytes;
    char last[PATH_MAX];
} census_t;

static census_t look(void) {
    census_t census = {0};
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat info;
        if (*e->d_name == '.' || fstatat(dirfd(dir), e->d_name, &info, 0)) continue;
        const size_t length = strlen(e->d_name);
        const bool entry = length == 24 && !strcmp(e->d_name + 16, ".dnnl_ze");
        *(entry ? &census.entries : &census.others) += 1;
        census.bytes += (uint64_t)info.st_size;
        if (entry) snprintf(census.last, sizeof census.last, "%.2000s/%s", folder, e->d_name);
    }
    if (dir) closedir(dir);
    return census;
}

static void round_trip(void **state) {
    (void)state;
    assert_false(load(1));
    for (int n = 0; n < 20; n++) store(n);
    for (int n = 0; n < 20; n++) assert_true(load(n));
    assert_false(load(20));
    assert_int_equal(look().entries, 20);
    assert_int_equal(look().others, 0);
    struct stat info;
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
    /* Without a folder there is no cache; with it again, what was there still is. */
    assert_int_equal(dnnl_ze_set_cache_folder("", 0), dnnl_success);
    assert_false(disk_cache_is_on());
    store(30);
    assert_false(load(1));
    assert_int_equal(dnnl_ze_set_cache_folder(folder, 0), dnnl_success);
    assert_true(load(1));
    assert_false(load(30));
}

static void long_name(void **state) {
    (void)state;
    char name[PATH_MAX];
    memset(name, 'a', sizeof name);
    name[0] = '/';
    name[sizeof name - 1] = 0;
    store(1);
    assert_int_equal(dnnl_ze_set_cache_folder(name, 0), dnnl_invalid_arguments);
    assert_true(load(1)); /* nothing has changed */
}

static uint8_t *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    uint8_t *bytes = malloc(MAX_CONTENT + 4096);
    *size = fread(bytes, 1, MAX_CONTENT + 4096, f);
    fclose(f);
    return bytes;
}

static void spill(const char *path, const uint8_t *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* Cut at every length, longer than it was, and with any bit of some bytes flipped: not used,
 * then replaced.
 */
static void damaged(void **state) {
    (void)state;
    enum { ENTRY = 39 }; /* of 8842 bytes */
    store(ENTRY);
    const census_t census = look();
    assert_int_equal(census.entries, 1);
    size_t size;
    uint8_t *bytes = slurp(census.last, &size);
    for (size_t cut = 0; cut < size; cut += cut < 100 ? 1 : 97) {
        spill(census.last, bytes, cut);
        assert_false(load(ENTRY));
    }
    bytes[size] = 0;
    spill(census.last, bytes, size + 1);
    assert_false(load(ENTRY));
    for (size_t i = 0; i < size; i += i < 100 ? 1 : 89) {
        bytes[i] ^= (uint8_t)(1 << i % 8);
        spill(census.last, bytes, size);
        assert_false(load(ENTRY));
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    store(ENTRY);
    assert_true(load(ENTRY));
    free(bytes);
    /* The file of one key under the name of another: told by the key inside. */
    char first[PATH_MAX];
    strcpy(first, census.last);
    store(ENTRY + 1);
    DIR *dir = opendir(folder);
    char second[PATH_MAX] = "";
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".dnnl_ze") && !strstr(first, e->d_name))
            snprintf(second, sizeof second, "%.2000s/%s", folder, e->d_name);
    closedir(dir);
    assert_int_equal(rename(second, first), 0);
    assert_false(load(ENTRY));
    /* What is no file at all does not hang it. */
    assert_int_equal(unlink(first), 0);
    assert_int_equal(mkfifo(first, 0600), 0);
    assert_false(load(ENTRY));
    store(ENTRY);
    assert_true(load(ENTRY));
}

static void set_age(const char *path, long seconds) {
    struct timespec now, times[2];
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= seconds;
    times[0] = times[1] = now;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* What was used last stays, and the folder never has more than its limit. */
static void full(void **state) {
    (void)state;
    enum { LIMIT = 200 << 10, N = 200 };
    char other[PATH_MAX], abandoned[PATH_MAX], busy[PATH_MAX];
    assert_int_equal(dnnl_ze_set_cache_folder(folder, LIMIT), dnnl_success);
    store(0);
    const census_t first = look();
    snprintf(other, sizeof other, "%.2000s/precious.txt", folder);
    snprintf(abandoned, sizeof abandoned, "%.2000s/0123456789abcdef.dnnl_ze.aAbBcC", folder);
    snprintf(busy, sizeof busy, "%.2000s/0123456789abcdef.dnnl_ze.dDeEfF", folder);
    spill(other, (const uint8_t *)"mine", 4);
    spill(abandoned, (const uint8_t *)"half", 4);
    spill(busy, (const uint8_t *)"half", 4);
    set_age(other, 7200);
    set_age(abandoned, 7200);
    uint64_t most = 0;
    for (int n = 1; n <= N; n++) {
        store(n);
        assert_true(load(0)); /* used all the time */
        const uint64_t bytes = look().bytes;
        if (bytes > most) most = bytes;
        set_age(first.last, -n);
    }
    assert_true(most <= LIMIT + 12);
    assert_true(most > LIMIT / 2);
    assert_true(load(0) && load(N));
    assert_false(load(1));
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(access(abandoned, F_OK), -1);
    assert_int_equal(access(busy, F_OK), 0);
    /* Larger than all of it: not kept, and nothing goes for it. */
    const int entries = look().entries;
    assert_int_equal(dnnl_ze_set_cache_folder(folder, 100), dnnl_success);
    store(N + 1);
    assert_int_equal(look().entries, entries);
}

/* One sentence in the log, however often it fails; what is there is read. */
static int complaints(const char *where) {
    fflush(stdout);
    char log[] = "/tmp/dnnl_ze_test_log.XXXXXX";
    const int file = mkstemp(log), saved = dup(1);
    assert_true(file >= 0 && saved >= 0);
    dup2(file, 1);
    setenv("ONEDNN_VERBOSE", "warn", 1);
    verbose_reset();
    const dnnl_status_t status = dnnl_ze_set_cache_folder(where, 0);
    for (int n = 0; n < 5; n++) {
        store(n);
        load(n);
    }
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    unsetenv("ONEDNN_VERBOSE");
    verbose_reset();
    FILE *f = fdopen(file, "r");
    char line[8192];
    int count = 0;
    rewind(f);
    while (fgets(line, sizeof line, f)) count += strstr(line, "code_cache") != NULL;
    fclose(f);
    unlink(log);
    assert_int_equal(status, dnnl_success);
    return count;
}

static void unwritable(void **state) {
    (void)state;
    char path[PATH_MAX];
    assert_int_equal(complaints(folder), 0);
    /* Below a file no folder can be made, whoever asks. */
    snprintf(path, sizeof path, "%.2000s", look().last);
    assert_int_equal(complaints(path), 1);
    strcat(path, "/below");
    assert_int_equal(complaints(path), 1);
    assert_int_equal(complaints("/proc/nothing/here"), 1);
    /* A folder that is only read: what is in it serves. The superuser is told from others by
     * trying. */
    assert_int_equal(dnnl_ze_set_cache_folder(folder, 0), dnnl_success);
    store(7);
    assert_int_equal(chmod(folder, 0500), 0);
    if (access(folder, W_OK)) assert_int_equal(complaints(folder), 1);
    assert_true(load(7));
    assert_int_equal(chmod(folder, 0700), 0);
}

static void out_of_memory(void **state) {
    (void)state;
    store(5);
    for (int n = 1; n < 4; n++) {
        atomic_store(&dz_alloc_fail_after, n);
        load(5);
        store(6);
        atomic_store(&dz_alloc_fail_after, 0);
    }
    assert_true(load(5));
    assert_true(load(6));
}

enum { KEYS = 12, ROUNDS = 150 };

static void write_and_read(int rounds) {
    for (int i = 0; i < rounds; i++) {
        store(i % KEYS);
        load(i * 7 % KEYS);
    }
}

static void finish(pid_t child) {
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}

/* Processes write, read and remove the same few entries in a folder that is always full. */
static void together(void **state) {
    (void)state;
    enum { CHILDREN = 3, LIMIT = 60000 };
    pid_t children[CHILDREN];
    assert_int_equal(dnnl_ze_set_cache_folder(folder, LIMIT), dnnl_success);
    for (int c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            write_and_read(ROUNDS);
            _exit(0);
        }
        assert_true(children[c] > 0);
    }
    write_and_read(ROUNDS);
    for (int c = 0; c < CHILDREN; c++) finish(children[c]);
    const census_t census = look();
    assert_int_equal(census.others, 0);
    assert_true(census.entries > 0);
    /* Each process may be a file and a sixteenth of the limit behind. */
    assert_true(census.bytes <= LIMIT + (CHILDREN + 1) * (LIMIT / 16 + MAX_CONTENT));
}

static void *in_thread(void *unused) {
    write_and_read(ROUNDS);
    return unused;
}

/* Threads do the same, while the folder and its limit are set again. */
static void threads(void **state) {
    (void)state;
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, in_thread, NULL), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(dnnl_ze_set_cache_folder(folder, 40000 + 2000 * i), dnnl_success);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(look().others, 0);
    assert_true(look().entries > 0);
}

/* Killed at any moment: what others find is whole. */
static void killed(void **state) {
    (void)state;
    for (int i = 0; i < 40; i++) {
        const pid_t child = fork();
        if (child == 0) {
            write_and_read(1 << 30);
            _exit(0);
        }
        assert_true(child > 0);
        const struct timespec moment = {0, 500000 + i * 137000};
        nanosleep(&moment, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        for (int n = 0; n < KEYS; n++) load(n);
    }
    assert_true(look().entries > 0);
    for (int n = 0; n < KEYS; n++) {
        store(n);
        assert_true(load(n));
    }
}

static void from_environment(void **state) {
    (void)state;
    store(3);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ONEDNN_CODE_CACHE_DIR", folder, 1);
        setenv("DNNL_CODE_CACHE_SIZE", "1", 1);
        execl("/proc/self/exe", "child", "environment", (char *)NULL);
        _exit(9);
    }
    finish(child);
}

#define IN_FOLDER(function) {#function, function, new_folder, old_folder, NULL}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "environment")) return load(3) ? 0 : 1;
    if (disk_cache_is_on()) return 1; /* off unless asked for */
    const struct CMUnitTest tests[] = {IN_FOLDER(round_trip), IN_FOLDER(long_name),
            IN_FOLDER(damaged), IN_FOLDER(full), IN_FOLDER(unwritable), IN_FOLDER(out_of_memory),
            IN_FOLDER(together), IN_FOLDER(threads), IN_FOLDER(killed),
            IN_FOLDER(from_environment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
