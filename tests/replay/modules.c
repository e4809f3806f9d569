/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the modules of problems for all products. */
#include "modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "core/lru.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/variant.h"
#include "problem.h"
#include "products.h"
#include "ze/engine.h"
#include "ze/module.h"

enum { MODULE_TEXT = 1024, ALL_PRODUCTS = (1 << NPRODUCTS) - 1 };

typedef struct {
    char *text;  /* the variant and its constants */
    unsigned on; /* bit n: products[n] needs it */
} needed_t;

static needed_t *needed;
static int nneeded, room;

static void add(const char *text, int product) {
    for (int i = 0; i < nneeded; i++)
        if (!strcmp(needed[i].text, text)) {
            needed[i].on |= 1u << product;
            return;
        }
    if (nneeded == room) {
        room = room ? 2 * room : 256;
        needed = realloc(needed, (size_t)room * sizeof(*needed));
        if (!needed) abort();
    }
    needed[nneeded++] = (needed_t){strdup(text), 1u << product};
}

static void add_plan(const plan_t *plan, int product) {
    for (int i = 0; i < plan->nsteps; i++) {
        spec_t specs[MODULE_MAX_SPECS];
        char text[MODULE_TEXT];
        const int nspecs = module_specs(plan, &plan->steps[i], specs);
        int at = snprintf(text, sizeof(text), "%s", variants[plan->steps[i].variant].id);
        for (int k = 0; k < nspecs; k++)
            at += snprintf(
                    text + at, sizeof(text) - (size_t)at, " %u:%u", specs[k].id, specs[k].value);
        add(text, product);
    }
}

bool modules_add(const char *text) {
    caps_t *caps = &harness_engine->core->caps;
    const caps_t kept = *caps;
    line_t *line = malloc(sizeof(*line));
    const char *wrong = line ? line_parse(line, text) : "no memory";
    for (int i = 0; i < NPRODUCTS && !wrong; i++) {
        problem_t p;
        product_caps(&products[i], caps);
        caches_evict(harness_engine->core); /* what was made with other capabilities */
        wrong = problem_create(&p, line, harness_engine);
        if (!wrong && p.status != dnnl_success) wrong = "it is refused";
        if (wrong) continue;
        add_plan(&p.pd->pd->plan, i);
        dnnl_primitive_desc_destroy(p.pd);
    }
    *caps = kept;
    caches_evict(harness_engine->core);
    free(line);
    if (wrong) printf("%s\n  %s\n", text, wrong);
    return !wrong;
}

/* A line of the list, with the IP versions of the products that need the module if not all do. */
static void format(const needed_t *module, char *text, size_t size) {
    int at = snprintf(text, size, "%s", module->text);
    if (module->on == ALL_PRODUCTS) return;
    at += snprintf(text + at, size - (size_t)at, " @");
    for (int i = 0; i < NPRODUCTS; i++)
        if (module->on >> i & 1)
            at += snprintf(text + at, size - (size_t)at, " %u.%u", products[i].architecture,
                    products[i].release);
}

void modules_print(void) {
    char text[MODULE_TEXT];
    printf("# Modules that a build with DNNL_ZE_AOT_DEVICES compiles ahead of time: a variant, "
           "its specialisation constants as id:value, and\n"
           "# behind @ the architectures and releases that need it, if not all do. Made by "
           "scripts/aot-modules,\n"
           "# in the order of the problems that need them: the first are unpacked soonest.\n#");
    for (int i = 0; i < NPRODUCTS; i++)
        printf("%s %u.%u: %s", i ? "," : "", products[i].architecture, products[i].release,
                products[i].name);
    printf("\n");
    for (int i = 0; i < nneeded; i++) {
        format(&needed[i], text, sizeof(text));
        printf("%s\n", text);
    }
}

bool modules_check(const char *name) {
    FILE *file = fopen(name, "r");
    char text[2 * MODULE_TEXT], wanted[MODULE_TEXT];
    int lines = 0, missing = 0, needless = 0;
    if (!file) return perror(name), false;
    bool *listed = calloc((size_t)nneeded + 1, sizeof(*listed));
    if (!listed) abort();
    while (fgets(text, sizeof(text), file)) {
        text[strcspn(text, "\n")] = 0;
        if (!*text || *text == '#') continue;
        lines++;
        int i = 0;
        for (; i < nneeded; i++) {
            format(&needed[i], wanted, sizeof(wanted));
            if (!strcmp(wanted, text)) break;
        }
        listed[i] = true;
        if (i < nneeded) continue;
        needless++;
        printf("%s: not needed: %s\n", name, text);
    }
    fclose(file);
    for (int i = 0; i < nneeded; i++) {
        if (listed[i]) continue;
        format(&needed[i], wanted, sizeof(wanted));
        printf("%s: not listed: %s\n", name, wanted);
        missing++;
    }
    free(listed);
    printf("%s: %d modules, %d more are needed, %d are not\n", name, lines, missing, needless);
    if (missing || needless)
        printf("The kernels or the problems have changed: run scripts/aot-modules [problems] > "
               "%s\n",
                name);
    return lines && !missing && !needless;
}

void modules_free(void) {
    for (int i = 0; i < nneeded; i++) free(needed[i].text);
    free(needed);
    needed = NULL;
    nneeded = room = 0;
}
