/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on a command line. */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void numbers_print(const number_t *numbers, int count) {
    for (int i = 0; i < count; i++)
        printf("  %-13s %s (%g; %g to %g)\n", numbers[i].name, numbers[i].help, *numbers[i].value,
                numbers[i].least, numbers[i].most);
}

const char *numbers_set(const number_t *numbers, int count, const char *name, const char *value) {
    for (int i = 0; i < count; i++) {
        const number_t *n = &numbers[i];
        if (strcmp(n->name, name) != 0) continue;
        if (!value) return "needs a value";
        char *end;
        const double x = strtod(value, &end);
        if (end == value || *end || !(x >= n->least && x <= n->most)) return "is out of range";
        if (n->whole && x != floor(x)) return "is not a whole number";
        *n->value = x;
        return NULL;
    }
    return "is no option (--help lists them)";
}
