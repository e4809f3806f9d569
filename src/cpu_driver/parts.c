/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the SPIR-V modules of a program. */
#include "parts.h"
#include "subgroups.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 4096 };

const ze_module_program_exp_desc_t *parts_described(const ze_module_desc_t *desc) {
    const ze_module_program_exp_desc_t *found = NULL;
    for (const ze_base_desc_t *next = desc->pNext; next; next = next->pNext)
        if (next->stype == ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC)
            found = (const ze_module_program_exp_desc_t *)(const void *)next;
    return found && found->count ? found : NULL;
}

void parts_free(part_t *parts, uint32_t n) {
    for (uint32_t i = 0; parts && i < n; i++) {
        free(parts[i].words);
        module_info_free(&parts[i].info);
    }
    free(parts);
}

static ze_result_t read_part(part_t *part, const uint8_t *bytes, size_t size,
        const ze_module_constants_t *constants, log_t *log) {
    if (size % 4 != 0) {
        log_add(log, "error: the size of a SPIR-V module must be a multiple of 4, but is %zu\n",
                size);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    part->n_words = size / 4;
    part->words = malloc(size ? size : 1);
    CHECK(part->words, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    memcpy(part->words, bytes, size);
    TRY(spirv_read(part->words, part->n_words, &part->info, log));
    if (!constants || !constants->numConstants) return ZE_RESULT_SUCCESS;
    /* A constant may be the length of an array, so that sizes change: read the module again. */
    module_info_free(&part->info);
    spirv_specialize(part->words, part->n_words, constants, log);
    return spirv_read(part->words, part->n_words, &part->info, log);
}

/* Puts a changed copy in the place of the part's words. */
static ze_result_t replace_words(part_t *part, uint32_t *changed, size_t n) {
    CHECK(changed, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    free(part->words);
    part->words = changed;
    part->n_words = n;
    return ZE_RESULT_SUCCESS;
}

/* Gives kernels the sub-groups that they leave open. others_use: functions of other parts may use
 * sub-groups. */
static ze_result_t choose_subgroups(const ocl_t *ocl, part_t *part, bool others_use) {
    CHECK(subgroups_find(part->words, part->n_words, &part->info, others_use),
            ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    size_t n;
    if (ocl->is_pocl) {
        uint32_t *mended = subgroups_mend_votes(part->words, part->n_words, &n);
        TRY(replace_words(part, mended, n));
    }
    if (!subgroups_are_open(ocl, &part->info)) return ZE_RESULT_SUCCESS;
    uint32_t *changed = subgroups_require(ocl, part->words, part->n_words, &part->info, &n);
    return replace_words(part, changed, n);
}

ze_result_t parts_read(
        const ocl_t *ocl, const ze_module_desc_t *desc, part_t **out, uint32_t *n, log_t *log) {
    const ze_module_program_exp_desc_t *program = parts_described(desc);
    *n = program ? program->count : 1;
    CHECK(*n <= MAX_PARTS, ZE_RESULT_ERROR_INVALID_SIZE);
    part_t *parts = calloc(*n, sizeof *parts);
    CHECK(parts, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < *n && result == ZE_RESULT_SUCCESS; i++)
        result = program ? read_part(&parts[i], program->pInputModules[i], program->inputSizes[i],
                                   program->pConstants ? program->pConstants[i] : NULL, log)
                         : read_part(&parts[i], desc->pInputModule, desc->inputSize,
                                   desc->pConstants, log);
    bool others_use = false;
    for (uint32_t i = 0; i < *n && *n > 1 && result == ZE_RESULT_SUCCESS; i++)
        others_use |= subgroups_are_used(parts[i].words, parts[i].n_words);
    for (uint32_t i = 0; i < *n && result == ZE_RESULT_SUCCESS; i++)
        result = choose_subgroups(ocl, &parts[i], others_use);
    if (result != ZE_RESULT_SUCCESS) {
        parts_free(parts, *n);
        parts = NULL;
    }
    *out = parts;
    return result;
}

bool parts_key(const part_t *parts, uint32_t n, const ze_module_desc_t *desc, void **key,
        size_t *size, char **flags) {
    const ze_module_program_exp_desc_t *program = parts_described(desc);
    size_t words = 0, length = 1;
    for (uint32_t i = 0; i < n; i++) words += parts[i].n_words;
    for (uint32_t i = 0; program && program->pBuildFlags && i < n; i++)
        length += program->pBuildFlags[i] ? strlen(program->pBuildFlags[i]) + 1 : 1;
    *size = words * sizeof(uint32_t);
    *flags = !program && desc->pBuildFlags ? strdup(desc->pBuildFlags) : calloc(length, 1);
    char *to = *key = malloc(*size);
    if (!*key || !*flags) {
        free(*key);
        free(*flags);
        return false;
    }
    for (uint32_t i = 0; i < n; to += parts[i++].n_words * sizeof(uint32_t))
        memcpy(to, parts[i].words, parts[i].n_words * sizeof(uint32_t));
    for (uint32_t i = 0; length > 1 && i < n; i++) {
        if (program->pBuildFlags[i]) strcat(*flags, program->pBuildFlags[i]);
        strcat(*flags, "\n");
    }
    return true;
}

static void *append(void *array, size_t n, const void *more, size_t n_more, size_t size) {
    char *grown = realloc(array, (n + n_more) * size + 1);
    if (grown && n_more) memcpy(grown + n * size, more, n_more * size);
    return grown;
}

/* Moves the kernels and imports of one part. */
static bool merge(module_info_t *info, module_info_t *from) {
    kernel_info_t *kernels =
            append(info->kernels, info->n_kernels, from->kernels, from->n_kernels, sizeof *kernels);
    if (!kernels) return false;
    info->kernels = kernels;
    info->n_kernels += from->n_kernels;
    from->n_kernels = 0;
    char **imports =
            append(info->imports, info->n_imports, from->imports, from->n_imports, sizeof *imports);
    if (!imports) return false;
    info->imports = imports;
    info->n_imports += from->n_imports;
    from->n_imports = 0;
    info->has_barriers |= from->has_barriers;
    info->has_doubles |= from->has_doubles;
    info->has_wide_vectors |= from->has_wide_vectors;
    info->needs_more |= from->needs_more;
    info->may_wait |= from->may_wait;
    info->has_group_numbers |= from->has_group_numbers;
    info->local_memory += from->local_memory;
    return true;
}

/* What a part imports may use all local variables of the others. */
static void add_imported_local_memory(part_t *parts, uint32_t n) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) all += parts[i].info.local_memory;
    for (uint32_t i = 0; i < n; i++) {
        module_info_t *info = &parts[i].info;
        for (uint32_t k = 0; info->n_imports && k < info->n_kernels; k++)
            info->kernels[k].local_memory += all - info->local_memory;
    }
}

bool parts_merge(part_t *parts, uint32_t n, module_info_t *info) {
    *info = (module_info_t){0};
    add_imported_local_memory(parts, n);
    for (uint32_t i = 0; i < n; i++)
        if (!merge(info, &parts[i].info)) {
            module_info_free(info);
            return false;
        }
    return true;
}
