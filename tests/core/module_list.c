/* SPDX-License-Identifier: Apache-2.0 */
#include "module_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "plan/specialise.h"
#include "plan/variant.h"

void check_valid(const uint32_t *words, size_t n, const char *what) {
    FILE *file = fopen(SCRATCH, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(words, sizeof *words, n, file), n);
    assert_int_equal(fclose(file), 0);
    if (system(SPIRV_VAL " " SCRATCH)) fail_msg("%s is not valid", what);
}

uint32_t *specialised(int variant, const spec_t *given, int n, size_t *nwords) {
    size_t size;
    uint32_t *words = variant_spirv_new(variant, &size);
    assert_non_null(words);
    uint32_t *made = specialise(words, size / sizeof *words, given, n, nwords);
    if (made && *nwords >= size / sizeof *words) fail_msg("%s has grown", variants[variant].id);
    dz_free(words);
    return made;
}

int variant_of(const char *id) {
    for (int i = 0; i < variant_count; i++)
        if (!strcmp(variants[i].id, id)) return i;
    return -1;
}

int next_module(FILE *file, spec_t *given, int *n) {
    char line[1024];
    do {
        if (!fgets(line, sizeof line, file)) return -1;
    } while (*line == '#');
    char *rest, *word = strtok_r(line, " \n", &rest);
    const int variant = variant_of(word);
    assert_true(variant >= 0);
    *n = 0;
    while ((word = strtok_r(NULL, " \n", &rest)) && *n < MOST_GIVEN &&
            sscanf(word, "%u:%u", &given[*n].id, &given[*n].value) == 2)
        ++*n;
    return variant;
}
