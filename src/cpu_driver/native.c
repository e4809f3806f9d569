/* SPDX-License-Identifier: Apache-2.0 */
/* Native binaries: a header, the table of kernels, and the program binary of PoCL. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char magic[8];
    uint32_t version, n_kernels;
    uint64_t identity;   /* of the OpenCL device that built it */
    uint64_t table_size; /* bytes of the table of kernels, which follows the header */
    uint64_t binary_size;
    uint64_t local_memory;
    uint64_t checksum; /* of all bytes after the header, seeded with the fields above */
} native_header_t;

static const char native_magic[8] = {'Z', 'E', 'C', 'P', 'U', 'B', 'I', 'N'};
enum { NATIVE_VERSION = 4, MAX_KERNELS = 65536, MAX_ARGS = 65536 };

static uint64_t checksum(const native_header_t *header, const void *bytes, size_t size) {
    return hash_bytes(
            hash_bytes(NATIVE_VERSION, header, offsetof(native_header_t, checksum)), bytes, size);
}

/* A position in a buffer that is read or written. bytes NULL: only counts bytes. */
typedef struct {
    uint8_t *bytes;
    size_t at, size;
    bool bad;
} cursor_t;

static void put(cursor_t *c, const void *bytes, size_t n) {
    if (c->bytes) memcpy(c->bytes + c->at, bytes, n);
    c->at += n;
}

static const void *get(cursor_t *c, size_t n) {
    if (c->bad || n > c->size - c->at) {
        c->bad = true;
        return NULL;
    }
    const void *p = c->bytes + c->at;
    c->at += n;
    return p;
}

static uint32_t get_u32(cursor_t *c) {
    uint32_t value = 0;
    const void *p = get(c, sizeof value);
    if (p) memcpy(&value, p, sizeof value);
    return value;
}

static void put_table(cursor_t *c, const module_info_t *info) {
    for (uint32_t i = 0; i < info->n_kernels; i++) {
        const kernel_info_t *k = &info->kernels[i];
        uint32_t fixed[7] = {(uint32_t)strlen(k->name), k->required_group[0], k->required_group[1],
                k->required_group[2], k->required_subgroup, k->uses_subgroups, k->n_args};
        put(c, fixed, sizeof fixed);
        put(c, &k->local_memory, sizeof k->local_memory);
        put(c, k->name, fixed[0]);
        put(c, k->args, k->n_args * sizeof *k->args);
    }
}

static bool get_kernel(cursor_t *c, kernel_info_t *k) {
    uint32_t length = get_u32(c);
    for (int d = 0; d < 3; d++) k->required_group[d] = get_u32(c);
    k->required_subgroup = get_u32(c);
    k->uses_subgroups = get_u32(c) != 0;
    k->n_args = get_u32(c);
    const void *local = get(c, sizeof k->local_memory);
    if (local) memcpy(&k->local_memory, local, sizeof k->local_memory);
    const char *name = get(c, length);
    if (c->bad || k->n_args > MAX_ARGS) return false;
    size_t n = k->n_args * sizeof *k->args;
    const void *args = get(c, n);
    k->name = name ? strndup(name, length) : NULL;
    k->args = calloc(k->n_args ? k->n_args : 1, sizeof *k->args);
    if (c->bad || !k->name || !k->args) return false;
    if (n) memcpy(k->args, args, n);
    return true;
}

ze_result_t program_to_native(program_t *program, uint8_t **out, size_t *size) {
    const ocl_t *ocl = ocl_get();
    size_t binary_size = 0;
    CHECK(!ocl->is_gpu, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE); /* PoCL's binaries run on CPUs */
    CHECK(icd.GetProgramInfo(program->cl, CL_PROGRAM_BINARY_SIZES, sizeof binary_size, &binary_size,
                  NULL) == CL_SUCCESS,
            ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    cursor_t measure = {0};
    put_table(&measure, &program->info);

    native_header_t header = {.version = NATIVE_VERSION,
            .n_kernels = program->info.n_kernels,
            .identity = ocl->identity,
            .table_size = measure.at,
            .binary_size = binary_size,
            .local_memory = program->info.local_memory};
    memcpy(header.magic, native_magic, sizeof header.magic);
    *size = sizeof header + measure.at + binary_size;
    *out = calloc(1, *size);
    CHECK(*out, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    cursor_t c = {.bytes = *out, .at = sizeof header};
    put_table(&c, &program->info);
    unsigned char *binary = *out + c.at;
    if (icd.GetProgramInfo(program->cl, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) !=
            CL_SUCCESS) {
        free(*out);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    header.checksum = checksum(&header, *out + sizeof header, *size - sizeof header);
    memcpy(*out, &header, sizeof header);
    return ZE_RESULT_SUCCESS;
}

static const char *why_not(
        const native_header_t *h, const ze_module_desc_t *desc, const ocl_t *ocl) {
    const uint8_t *body = desc->pInputModule + sizeof *h;
    size_t body_size = desc->inputSize - sizeof *h;
    if (memcmp(h->magic, native_magic, sizeof h->magic) != 0)
        return "it does not start with the magic number of this driver";
    if (h->version != NATIVE_VERSION) return "another version of the driver made it";
    if (h->table_size > body_size || h->binary_size != body_size - h->table_size)
        return "it is too short or too long";
    if (h->checksum != checksum(h, body, body_size)) return "it is damaged";
    if (h->identity != ocl->identity) return "it was made for another device or version of PoCL";
    if (h->n_kernels > MAX_KERNELS) return "it has too many kernels";
    return NULL;
}

ze_result_t program_from_native(const ze_module_desc_t *desc, program_t **out, log_t *log) {
    const ocl_t *ocl;
    *out = NULL;
    TRY(ocl_open(&ocl));
    TRY(compiler_ready(ocl, log));
    native_header_t header;
    const char *why = "it is shorter than its header";
    if (desc->inputSize >= sizeof header) {
        memcpy(&header, desc->pInputModule, sizeof header);
        why = why_not(&header, desc, ocl);
    }
    if (why) {
        log_add(log, "error: the native binary is refused: %s\n", why);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    *out = program_cache_find(desc->pInputModule, desc->inputSize, "native");
    if (*out) return ZE_RESULT_SUCCESS;

    program_t *program = calloc(1, sizeof *program);
    CHECK(program, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    atomic_store(&program->references, 1);
    program->info.kernels =
            calloc(header.n_kernels ? header.n_kernels : 1, sizeof *program->info.kernels);
    program->info.local_memory = header.local_memory;
    cursor_t c = {.bytes = (uint8_t *)(uintptr_t)desc->pInputModule,
            .at = sizeof header,
            .size = desc->inputSize};
    bool good = program->info.kernels != NULL;
    for (uint32_t i = 0; good && i < header.n_kernels; i++) {
        program->info.n_kernels++;
        good = get_kernel(&c, &program->info.kernels[i]);
    }
    if (good && c.at == sizeof header + header.table_size) {
        const unsigned char *binary = c.bytes + c.at;
        size_t size = header.binary_size;
        cl_int status;
        program->cl = icd.CreateProgramWithBinary(
                ocl->context, 1, &ocl->device, &size, &binary, NULL, &status);
        good = program->cl &&
               icd.BuildProgram(program->cl, 1, &ocl->device, "", NULL, NULL) == CL_SUCCESS;
    } else {
        good = false;
    }
    if (!good) {
        log_add(log, "error: the native binary is refused: OpenCL cannot load it\n");
        program_release(program);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    program->from_native = true;
    program_cache_add(desc->pInputModule, desc->inputSize, "native", program);
    *out = program;
    return ZE_RESULT_SUCCESS;
}
