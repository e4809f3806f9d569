/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for a Level Zero GPU while CMake configures. Prints one line: the device, or why there is
 * none. Exit codes: 0 there is a GPU, 1 there is none, 2 the driver does not answer.
 * A child process calls the driver, because a driver of a broken device may crash or hang. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 15 }; /* several times what the first call of Intel's driver takes */
enum { FOUND = 0, NONE = 1, NO_ANSWER = 2 }; /* exit codes */
enum { MOST_TEXT = 512 };

static struct {
    ze_result_t (*Init)(ze_init_flags_t);
    ze_result_t (*DriverGet)(uint32_t *, ze_driver_handle_t *);
    ze_result_t (*DriverGetProperties)(ze_driver_handle_t, ze_driver_properties_t *);
    ze_result_t (*DeviceGet)(ze_driver_handle_t, uint32_t *, ze_device_handle_t *);
    ze_result_t (*DeviceGetProperties)(ze_device_handle_t, ze_device_properties_t *);
} ze;

/* Finds the functions of the loader. Returns NULL, or what is missing. */
static const char *load(void) {
    void *loader = dlopen("libze_loader.so.1", RTLD_NOW);
    if (!loader) return "the Level Zero loader libze_loader.so.1 is not installed";
#define FIND(name) (*(void **)&ze.name = dlsym(loader, "ze" #name))
    if (!FIND(Init) || !FIND(DriverGet) || !FIND(DriverGetProperties) || !FIND(DeviceGet) ||
            !FIND(DeviceGetProperties))
        return "the Level Zero loader lacks functions";
    return NULL;
}

/* Prints the driver's first GPU to `out`. */
static int print_gpu(FILE *out, ze_driver_handle_t driver) {
    enum { MOST = 16 };
    ze_device_handle_t devices[MOST];
    uint32_t count = MOST;
    ze_driver_properties_t version = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    if (ze.DeviceGet(driver, &count, devices) != ZE_RESULT_SUCCESS) return NONE;
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        if (ze.DeviceGetProperties(devices[i], &device) != ZE_RESULT_SUCCESS ||
                device.type != ZE_DEVICE_TYPE_GPU)
            continue;
        ze.DriverGetProperties(driver, &version);
        fprintf(out, "%s, driver %u.%u.%u", device.name, version.driverVersion >> 24,
                version.driverVersion >> 16 & 255, version.driverVersion & 65535);
        return FOUND;
    }
    return NONE;
}

static int look(FILE *out) {
    enum { MOST = 16 };
    ze_driver_handle_t drivers[MOST];
    uint32_t count = MOST;
    const char *missing = load();
    if (missing) return fputs(missing, out), NONE;
    const ze_result_t result = ze.Init(0);
    if (result != ZE_RESULT_SUCCESS)
        return fprintf(out, "no Level Zero driver starts (zeInit: 0x%x)", (unsigned)result), NONE;
    if (ze.DriverGet(&count, drivers) != ZE_RESULT_SUCCESS) count = 0;
    for (uint32_t i = 0; i < count && i < MOST; i++)
        if (print_gpu(out, drivers[i]) == FOUND) return FOUND;
    return fprintf(out, "%u Level Zero drivers, none with a GPU", count), NONE;
}

/* Writes the exit code and the line to the pipe. Only what the parent prints is the answer of the
 * program, so that nobody waits for a child that hangs. */
static void answer_and_exit(int pipe_end) {
    char line[MOST_TEXT] = "";
    FILE *text = fmemopen(line + 1, sizeof line - 2, "w");
    if (!text || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(NO_ANSWER);
    line[0] = (char)('0' + look(text));
    fclose(text);
    _exit(write(pipe_end, line, strlen(line)) > 0 ? 0 : NO_ANSWER);
}

/* probe [SECONDS] */
int main(int argc, char **argv) {
    const int limit = argc > 1 ? atoi(argv[1]) : SECONDS;
    char line[MOST_TEXT] = "";
    int ends[2], code = NO_ANSWER;
    if (pipe(ends)) return perror("pipe"), NO_ANSWER;
    const pid_t child = fork();
    if (child < 0) return perror("fork"), NO_ANSWER;
    if (child == 0) answer_and_exit(ends[1]);
    close(ends[1]);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    if (poll(&wait, 1, limit * 1000) == 0)
        printf("the Level Zero driver does not answer within %d s", limit);
    else if (read(ends[0], line, sizeof line - 1) > 0)
        code = line[0] - '0', fputs(line + 1, stdout);
    else printf("the Level Zero driver crashes");
    fflush(stdout);
    kill(child, SIGKILL);
    _exit(code); /* without waiting: a child inside a broken kernel driver does not end */
}
