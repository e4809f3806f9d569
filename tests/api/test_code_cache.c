/* SPDX-License-Identifier: Apache-2.0 */
/* Which primitives compile, and which find native code: counted at zeModuleCreate, in this
 * process and in others that start with what it left. */
#define _GNU_SOURCE
#include "rt.h"

#include <dirent.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "primitive/primitive.h"
#include "oneapi/dnnl/dnnl_ze_cache.h"
#include "plan/variant.h"
#include "ze/embedded.h"
#include "ze/engine.h"
#include "ze/identity.h"
#include "ze/native_store.h"
#include "ocl/loader.h"

static struct {
    int spirv, native;
    bool refuse_native;
} count;
static __typeof__(&zeModuleCreate) real_create;
static ze_table_t real_table;

static ze_result_t ZE_APICALL counting_create(ze_context_handle_t context,
        ze_device_handle_t device, const ze_module_desc_t *desc, ze_module_handle_t *module,
        ze_module_build_log_handle_t *log) {
    const bool native = desc->format == ZE_MODULE_FORMAT_NATIVE;
    *(native ? &count.native : &count.spirv) += 1;
    if (native && count.refuse_native) return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    return real_create(context, device, desc, module, log);
}

/* The same of OpenCL. */
static __typeof__(ocl.CreateProgramWithIL) real_from_il;
static __typeof__(ocl.CreateProgramWithBinary) real_from_binary;

static cl_program counting_from_il(
        cl_context context, const void *words, size_t size, cl_int *result) {
    count.spirv++;
    return real_from_il(context, words, size, result);
}

static cl_program counting_from_binary(cl_context context, cl_uint n, const cl_device_id *devices,
        const size_t *sizes, const unsigned char **binaries, cl_int *states, cl_int *result) {
    enum { INVALID_BINARY = -42 };
    count.native++;
    if (!count.refuse_native)
        return real_from_binary(context, n, devices, sizes, binaries, states, result);
    *result = INVALID_BINARY;
    return NULL;
}

static void start_counting(void) {
    if (app.on_opencl && !real_from_il) {
        real_from_il = ocl.CreateProgramWithIL;
        real_from_binary = ocl.CreateProgramWithBinary;
        ocl.CreateProgramWithIL = counting_from_il;
        ocl.CreateProgramWithBinary = counting_from_binary;
    }
    if (!real_create) {
        real_create = ze.ModuleCreate;
        ze.ModuleCreate = counting_create;
    }
    memset(&count, 0, sizeof count);
}

#define assert_counts(nspirv, nnative)                                                             \
    do {                                                                                           \
        assert_int_equal(count.spirv, nspirv);                                                     \
        assert_int_equal(count.native, nnative);                                                   \
        count.spirv = count.native = 0;                                                            \
    } while (0)

/* Distinct factors are distinct constants, so modules of their own. */
static affine_t affine(int factor) {
    return (affine_t){.n = N, .steps = 1, .factor = factor, .addend = 1};
}

/* An engine that keeps code on disk only, also on a GPU. */
static bench_t begin_without_memory(void) {
    bench_t b = bench_begin(dnnl_stream_in_order);
    b.engine->core->caps.is_cpu = true;
    return b;
}

static void make_and_run(const affine_t *what) {
    bench_t b = begin_without_memory();
    dnnl_primitive_t primitive = new_primitive(b.engine, what);
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, what, N);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static char folder[64];

static int new_folder(void **state) {
    strcpy(folder, "/tmp/dnnl_ze_test.XXXXXX");
    if (!mkdtemp(folder) || dnnl_ze_set_cache_folder(folder, 0) != dnnl_success) return -1;
    start_counting();
    return note_live_allocations(state);
}

/* With `flip`, flips a bit in the middle of each file; else removes them. Answers how many there
 * are. */
static int for_files(bool flip) {
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        struct stat info;
        if (stat(path, &info) || !S_ISREG(info.st_mode)) continue;
        n++;
        if (!flip) {
            unlink(path);
            continue;
        }
        FILE *f = fopen(path, "r+b");
        assert_int_equal(fseek(f, info.st_size / 2, SEEK_SET), 0);
        const int byte = fgetc(f);
        assert_int_equal(fseek(f, info.st_size / 2, SEEK_SET), 0);
        assert_int_equal(fputc(byte ^ 4, f), byte ^ 4);
        assert_int_equal(fclose(f), 0);
    }
    closedir(dir);
    return n;
}

static int old_folder(void **state) {
    for_files(false);
    rmdir(folder);
    dnnl_ze_set_cache_folder(NULL, 0);
    native_store_clear();
    return check_live_allocations(state);
}

static pid_t start_child(const char *name, const char *file, bool with_cache) {
    const pid_t child = fork();
    if (child == 0) {
        if (with_cache) setenv("ONEDNN_CODE_CACHE_DIR", folder, 1);
        execl("/proc/self/exe", name, name, file, (char *)NULL);
        _exit(99);
    }
    return child;
}

static void finish_child(pid_t child) {
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}

enum { ON_DISK = 11 };

/* The first engine compiles, later ones and later processes do not. */
static void on_disk(void **state) {
    (void)state;
    const affine_t a = affine(ON_DISK);
    make_and_run(&a);
    assert_counts(1, 0);
    make_and_run(&a);
    assert_counts(0, 1);
    finish_child(start_child("from_disk", "", true));
    /* Other constants are another module. */
    const affine_t b = affine(ON_DISK + 1);
    make_and_run(&b);
    assert_counts(1, 0);
    assert_ok(dnnl_ze_set_cache_folder(NULL, 0));
    make_and_run(&a);
    assert_counts(1, 0);
}

static void from_disk(void **state) {
    (void)state;
    const affine_t a = affine(ON_DISK);
    start_counting();
    make_and_run(&a);
    assert_counts(0, 1);
}

static void damaged_file(void **state) {
    (void)state;
    const affine_t a = affine(13);
    make_and_run(&a);
    assert_counts(1, 0);
    assert_int_equal(for_files(true), 1);
    make_and_run(&a);
    assert_counts(1, 0);
    assert_int_equal(for_files(true), 1); /* a new one, in place of the old */
    for_files(true);
    make_and_run(&a);
    assert_counts(0, 1);
}

static void refused_code(void **state) {
    (void)state;
    const affine_t a = affine(15);
    make_and_run(&a);
    count.refuse_native = true;
    make_and_run(&a);
    assert_counts(2, 1);
    count.refuse_native = false;
    make_and_run(&a);
    assert_counts(0, 1);
}

static void unwritable(void **state) {
    (void)state;
    const affine_t a = affine(17);
    assert_ok(dnnl_ze_set_cache_folder("/proc/nothing/here", 0));
    make_and_run(&a);
    make_and_run(&a);
    assert_counts(2, 0);
}

static ze_result_t ZE_APICALL no_native(ze_module_handle_t module, size_t *size, uint8_t *code) {
    (void)module;
    if (code) return ZE_RESULT_ERROR_DEVICE_LOST;
    *size = 100;
    return ZE_RESULT_SUCCESS;
}

/* A driver that gives no native code, and memory that ends at any allocation, are no reason to
 * fail for a cache. */
static void nothing_to_keep(void **state) {
    (void)state;
    const affine_t a = affine(27);
    __typeof__(ze.ModuleGetNativeBinary) real = ze.ModuleGetNativeBinary;
    ze.ModuleGetNativeBinary = no_native;
    make_and_run(&a);
    ze.ModuleGetNativeBinary = real;
    assert_counts(1, 0);
    assert_int_equal(for_files(false), 0);

    dnnl_engine_t engine = new_engine();
    dnnl_primitive_desc_t desc = new_affine(engine, &a);
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    dnnl_status_t status = dnnl_out_of_memory;
    int n = 1;
    for (; n < 100; n++) {
        dnnl_primitive_t primitive;
        const bool from_disk = n % 2; /* with a file, and without */
        if (!from_disk) for_files(false);
        atomic_store(&dz_alloc_fail_after, n);
        status = dnnl_primitive_create(&primitive, desc);
        const bool failed = atomic_exchange(&dz_alloc_fail_after, 0) == 0;
        if (status == dnnl_success) assert_ok(dnnl_primitive_destroy(primitive));
        else assert_status(status, out_of_memory);
        if (!failed) break;
    }
    assert_in_range(n, 3, 99);
    assert_ok(status);
    assert_ok(dnnl_set_primitive_cache_capacity(1024));
    free_affine(desc);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Two processes that want the same, at the same time. */
static void two_processes(void **state) {
    (void)state;
    const pid_t one = start_child("at_once", "", true), other = start_child("at_once", "", true);
    finish_child(one);
    finish_child(other);
    const affine_t a = affine(ON_DISK);
    start_counting();
    make_and_run(&a);
    assert_counts(0, 1);
}

static void at_once(void **state) {
    (void)state;
    const affine_t a = affine(ON_DISK);
    start_counting();
    make_and_run(&a);
    assert_int_equal(count.spirv + count.native, 1);
    make_and_run(&a);
    assert_true(count.native > 0);
}

/* An engine on another context finds the code of the first one. The driver of the CPU remembers
 * programs by itself, so this is for others. */
static void in_memory(void **state) {
    (void)state;
    const affine_t a = affine(19);
    assert_ok(dnnl_ze_set_cache_folder(NULL, 0));
    for (int round = 0; round < 2; round++) {
        dnnl_engine_t engine;
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, 0)); /* a context of the library's */
        engine->core->caps.is_cpu = false;
        assert_ok(dnnl_primitive_destroy(new_primitive(engine, &a)));
        assert_ok(dnnl_engine_destroy(engine));
    }
    assert_counts(1, 1);
    native_store_clear();
}

/* Each part of what code depends on besides its row and constants. */
static const struct {
    const char *name;
    size_t offset;
} key_parts[] = {{"vendor", offsetof(identity_t, device.vendor)},
        {"device", offsetof(identity_t, device.device)},
        {"driver version", offsetof(identity_t, device.driver_version)},
        {"IP version", offsetof(identity_t, device.ip_version)},
        {"device name", offsetof(identity_t, device.name)},
        {"library version, major", offsetof(identity_t, version[0])},
        {"library version, minor", offsetof(identity_t, version[1])},
        {"library version, patch", offsetof(identity_t, version[2])},
        {"library's source", offsetof(identity_t, hash)}};

/* A primitive on an engine, in a context of its own, that differs in one part; none: -1. */
static void make_elsewhere(const affine_t *what, int part, bool in_memory) {
    dnnl_engine_t engine;
    assert_ok(dnnl_engine_create(&engine, dnnl_gpu, 0));
    engine->core->caps.is_cpu = !in_memory;
    if (part >= 0) ((uint8_t *)&engine->core->identity)[key_parts[part].offset] ^= 1;
    assert_ok(dnnl_primitive_destroy(new_primitive(engine, what)));
    assert_ok(dnnl_engine_destroy(engine));
}

/* Code that was kept, in memory or on disk, is for its device, driver and library only. */
static void keys(void **state) {
    (void)state;
    const affine_t a = affine(29);
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        if (in_memory) assert_ok(dnnl_ze_set_cache_folder(NULL, 0));
        make_elsewhere(&a, -1, in_memory);
        assert_counts(1, 0);
        for (size_t i = 0; i < COUNT_OF(key_parts); i++) {
            make_elsewhere(&a, (int)i, in_memory);
            if (count.spirv != 1 || count.native)
                fail_msg("another %s: %d compiled, %d found", key_parts[i].name, count.spirv,
                        count.native);
            assert_counts(1, 0);
            make_elsewhere(&a, (int)i, in_memory);
            assert_counts(0, 1);
        }
        make_elsewhere(&a, -1, in_memory);
        assert_counts(0, 1);
    }
}

static struct {
    bool driver, device;
} is_another;

static ze_result_t ZE_APICALL other_driver(
        ze_driver_handle_t driver, ze_driver_properties_t *properties) {
    const ze_result_t result = real_table.DriverGetProperties(driver, properties);
    properties->driverVersion += is_another.driver;
    return result;
}

static ze_result_t ZE_APICALL other_device(
        ze_device_handle_t device, ze_device_properties_t *properties) {
    const ze_result_t result = real_table.DeviceGetProperties(device, properties);
    properties->deviceId += is_another.device;
    return result;
}

/* Blobs are refused by another driver version and another device. */
static void keys_of_blobs(void **state) {
    (void)state;
    const affine_t a = affine(31);
    size_t size, engine_size;
    dnnl_engine_t engine = new_engine(), none = NULL;
    dnnl_primitive_desc_t desc = new_affine(engine, &a);
    dnnl_primitive_t primitive;
    assert_ok(dnnl_primitive_create(&primitive, desc));
    assert_ok(dnnl_primitive_get_cache_blob(primitive, &size, NULL));
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &engine_size, NULL));
    uint8_t *blob = malloc(size), *of_engine = malloc(engine_size);
    assert_ok(dnnl_primitive_get_cache_blob(primitive, &size, blob));
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &engine_size, of_engine));
    assert_ok(dnnl_primitive_destroy(primitive));
    real_table = ze;
    ze.DriverGetProperties = other_driver;
    ze.DeviceGetProperties = other_device;
    for (int i = 0; i < 3; i++) {
        is_another.driver = i == 1;
        is_another.device = i == 2;
        const dnnl_status_t wanted = i ? dnnl_invalid_arguments : dnnl_success;
        assert_int_equal(
                dnnl_primitive_create_from_cache_blob(&primitive, desc, size, blob), wanted);
        if (!i) assert_ok(dnnl_primitive_destroy(primitive));
        assert_int_equal(dnnl_ze_interop_engine_create_from_cache_blob(&none, app.driver,
                                 app.device, app.context, engine_size, of_engine),
                wanted);
        if (!i) assert_ok(dnnl_engine_destroy(none));
    }
    ze = real_table;
    memset(&is_another, 0, sizeof is_another);
    free(of_engine);
    free(blob);
    free_affine(desc);
    assert_ok(dnnl_engine_destroy(engine));
}

/* The table of embedded code, in place of the library's: filled by the test below. */
static embedded_code_t table[3];
const embedded_code_t *const embedded_codes = table;
const int embedded_code_count = COUNT_OF(table);
static uint8_t constants[2][64];
const uint8_t *const embedded_specs = constants[0];

/* Its pack: one block, which is not compressed, of the wrong code and then the right one. The code
 * begins with where its instructions belong, and they are empty. */
static const uint8_t wrong[] = "\0\0\0\0no code of any device";
static struct {
    packed_t head;
    packed_block_t block;
    packed_member_t members[2 * COUNT_OF(table)];
    uint8_t bytes[sizeof wrong + sizeof(packed_rest_t) + (1 << 20)];
} pack;
const uint8_t *const embedded_pack = (const uint8_t *)&pack;

static void set_member(int member, bool right, size_t size) {
    const uint32_t right_size = (uint32_t)(sizeof(packed_rest_t) + size);
    pack.members[2 * member + 1] =
            (packed_member_t){0, right ? sizeof wrong : 0, right ? right_size : sizeof wrong};
}

static void fill_pack(const uint8_t *code, size_t size) {
    const size_t from = sizeof wrong + sizeof(packed_rest_t);
    assert_in_range(size, 1, sizeof pack.bytes - from);
    const uint32_t all = (uint32_t)(from + size);
    pack.head = (packed_t){.nblocks = 1, .nmembers = 2 * COUNT_OF(table)};
    pack.block = (packed_block_t){offsetof(__typeof__(pack), bytes), all, all};
    memcpy(pack.bytes, wrong, sizeof wrong);
    memcpy(pack.bytes + from, code, size);
    for (int i = 0; i < (int)COUNT_OF(table); i++) set_member(i, i > 0, size);
}

/* Writes constants as the build does. */
static void set_constants(uint8_t *to, const spec_t *specs, int nspecs) {
    for (int i = 0; i < nspecs; i++) {
        *to++ = (uint8_t)specs[i].id;
        *to++ = specs[i].value < EMBEDDED_LONG ? (uint8_t)specs[i].value : EMBEDDED_LONG;
        if (specs[i].value < EMBEDDED_LONG) continue;
        for (int byte = 0; byte < 4; byte++) *to++ = (uint8_t)(specs[i].value >> 8 * byte);
    }
}

/* Code compiled ahead of time serves the IP version that it was made for, then other revisions
 * of the same release, and nothing else. */
static void embedded(void **state) {
    (void)state;
    enum { IP = 20 << 22 | 1 << 14 };
    static const struct {
        uint32_t device;
        int spirv, native;
    } cases[] = {{IP | 4, 0, 1}, {IP | 5, 0, 1},
            {20 << 22 | 2 << 14, 2, 0}, /* the driver refuses calls of Intel's compiler */
            {0, 1, 0}};
    const affine_t a = affine(25);
    assert_ok(dnnl_ze_set_cache_folder(NULL, 0));
    dnnl_engine_t engine = new_engine();
    engine->core->caps.is_cpu = true;
    dnnl_primitive_t primitive = new_primitive(engine, &a);
    const module_t *module = primitive->exec->steps[0].module;
    size_t size;
    assert_ze(ze.ModuleGetNativeBinary(module->handle, &size, NULL));
    uint8_t *code = malloc(size);
    assert_ze(ze.ModuleGetNativeBinary(module->handle, &size, code));
    fill_pack(code, size);
    spec_t specs[8];
    assert_in_range(module->nspecs, 1, COUNT_OF(specs));
    memcpy(specs, module->specs, (size_t)module->nspecs * sizeof *specs);
    /* For other constants, for a revision that is not as close, for the right one. */
    spec_t others[8];
    memcpy(others, specs, sizeof others);
    others[0].value++;
    set_constants(constants[0], others, module->nspecs);
    set_constants(constants[1], specs, module->nspecs);
    const uint16_t variant = (uint16_t)module->variant, nspecs = (uint16_t)module->nspecs;
    table[0] = (embedded_code_t){variant, nspecs, IP | 4, 0};
    table[1] = (embedded_code_t){variant, nspecs, IP | 3, sizeof constants[0]};
    table[2] = (embedded_code_t){variant, nspecs, IP | 4, sizeof constants[0]};
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_engine_destroy(engine));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        start_counting();
        bench_t b = begin_without_memory();
        b.engine->core->caps.ip_version = cases[i].device;
        primitive = new_primitive(b.engine, &a);
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
        assert_ok(dnnl_stream_wait(b.stream));
        bench_check(&b, &a, N);
        assert_ok(dnnl_primitive_destroy(primitive));
        bench_end(&b);
        assert_counts(cases[i].spirv, cases[i].native);
    }
    /* Where there is a choice it is the closest, and code that the driver refuses is as good as
     * none. */
    set_member(1, false, size);
    for (int refused = 0; refused < 2; refused++) {
        engine = new_engine();
        engine->core->caps.is_cpu = true;
        engine->core->caps.ip_version = IP | (refused ? 3 : 4);
        assert_ok(dnnl_primitive_destroy(new_primitive(engine, &a)));
        assert_ok(dnnl_engine_destroy(engine));
        assert_counts(refused, 1);
    }
    memset(table, 0, sizeof table);
    free(code);
}

/* What is kept in memory has a limit, and what was used last stays. */
static void memory_limit(void **state) {
    (void)state;
    enum { PIECE = 8 << 20, PIECES = NATIVE_STORE_LIMIT / PIECE };
    uint8_t *piece = calloc(1, PIECE);
    size_t size = 0;
    for (unsigned i = 0; i < PIECES + 2; i++) {
        piece[0] = (uint8_t)i;
        native_store_put((native_key_t){1, i}, piece, PIECE);
        uint8_t *first = native_store_get((native_key_t){1, 0}, &size);
        assert_non_null(first);
        assert_int_equal(size, PIECE);
        assert_int_equal(first[0], 0);
        dz_free(first);
    }
    assert_null(native_store_get((native_key_t){1, 1}, &size));
    assert_null(native_store_get((native_key_t){1, 2}, &size));
    assert_null(native_store_get((native_key_t){2, 3}, &size));
    uint8_t *last = native_store_get((native_key_t){1, PIECES + 1}, &size);
    assert_int_equal(last[0], PIECES + 1);
    dz_free(last);
    native_store_clear();
    free(piece);
}

static const affine_t in_blobs[] = {{.n = N, .steps = 1, .factor = 21, .addend = 1},
        {.n = N, .steps = 3, .factor = 2, .addend = 1},
        {.n = DNNL_RUNTIME_DIM_VAL, .steps = 1, .factor = 22},
        {.n = N, .steps = 1, .factor = 23, .host_addend = true}};

typedef dnnl_status_t (*get_blob_t)(void *of, size_t *size, uint8_t *blob);
static dnnl_status_t engine_blob(void *of, size_t *size, uint8_t *blob) {
    return runtime->engine_blob(of, size, blob);
}
static dnnl_status_t primitive_blob(void *of, size_t *size, uint8_t *blob) {
    return dnnl_primitive_get_cache_blob(of, size, blob);
}

static void write_blob(FILE *f, get_blob_t get, void *of) {
    size_t size;
    assert_ok(get(of, &size, NULL));
    uint8_t *blob = malloc(size);
    assert_ok(get(of, &size, blob));
    assert_int_equal(fwrite(&size, sizeof size, 1, f), 1);
    assert_int_equal(fwrite(blob, 1, size, f), size);
    free(blob);
}

static uint8_t *read_blob(FILE *f, size_t *size) {
    assert_int_equal(fread(size, sizeof *size, 1, f), 1);
    uint8_t *blob = malloc(*size);
    assert_int_equal(fread(blob, 1, *size, f), *size);
    return blob;
}

/* A process that starts from the blobs of another one compiles nothing. */
static void blobs(void **state) {
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/blobs", folder);
    assert_ok(dnnl_ze_set_cache_folder(NULL, 0));
    dnnl_engine_t engine = new_engine();
    FILE *f = fopen(path, "wb");
    write_blob(f, engine_blob, engine);
    for (size_t i = 0; i < COUNT_OF(in_blobs); i++) {
        dnnl_primitive_t primitive = new_primitive(engine, &in_blobs[i]);
        write_blob(f, primitive_blob, primitive);
        assert_ok(dnnl_primitive_destroy(primitive));
    }
    assert_int_equal(fclose(f), 0);
    assert_ok(dnnl_engine_destroy(engine));
    finish_child(start_child("from_blobs", path, false));
}

static const char *blob_file;

static void from_blobs(void **state) {
    (void)state;
    start_counting();
    FILE *f = fopen(blob_file, "rb");
    size_t size;
    uint8_t *blob = read_blob(f, &size);
    dnnl_engine_t engine;
    assert_ok(runtime->engine_from_blob(&engine, size, blob));
    free(blob);
    for (size_t i = 0; i < COUNT_OF(in_blobs); i++) {
        bench_t b = bench_begin(dnnl_stream_in_order);
        dnnl_primitive_desc_t desc = new_affine(b.engine, &in_blobs[i]);
        dnnl_primitive_t primitive;
        blob = read_blob(f, &size);
        assert_ok(dnnl_primitive_create_from_cache_blob(&primitive, desc, size, blob));
        free(blob);
        if (!in_blobs[i].host_addend) {
            assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
            assert_ok(dnnl_stream_wait(b.stream));
            bench_check(&b, &in_blobs[i], N);
        }
        assert_ok(dnnl_primitive_destroy(primitive));
        free_affine(desc);
        bench_end(&b);
    }
    fclose(f);
    assert_ok(dnnl_engine_destroy(engine));
    assert_counts(0, (int)COUNT_OF(in_blobs));
}

#define IN_FOLDER(function) {#function, function, new_folder, old_folder, NULL}
#define OF_LEVEL_ZERO(function)                                                                    \
    {#function, function, new_folder, old_folder, "it changes answers of Level Zero"}

int main(int argc, char **argv) {
    if (argc > 1) {
        const struct CMUnitTest of_child[] = {TEST(from_disk), TEST(at_once), TEST(from_blobs)};
        blob_file = argc > 2 ? argv[2] : NULL;
        for (size_t i = 0; i < COUNT_OF(of_child); i++)
            if (!strcmp(argv[1], of_child[i].name)) return run_api_tests(argv[1], &of_child[i], 1);
        return 98;
    }
    const struct CMUnitTest tests[] = {IN_FOLDER(on_disk), IN_FOLDER(damaged_file),
            IN_FOLDER(refused_code), IN_FOLDER(unwritable), OF_LEVEL_ZERO(nothing_to_keep),
            IN_FOLDER(two_processes), IN_FOLDER(in_memory), OF_LEVEL_ZERO(keys),
            OF_LEVEL_ZERO(keys_of_blobs), IN_FOLDER(memory_limit), OF_LEVEL_ZERO(embedded),
            IN_FOLDER(blobs)};
    return RUN_TESTS(tests);
}
