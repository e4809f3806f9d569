/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers for all arguments of a primitive, one execution, and a look at what it left. */
#include "execute.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "primitive/primitive.h"
#include "ops/verbose_columns.h"
#include "guarded.h"

uint64_t below(uint64_t n);

enum { MAX_ARGS = 640, MAX_BYTES = 1 << 17, MAX_KERNELS = 1 << 14 };

typedef struct {
    md_t md;
    dnnl_memory_t memory;
    guarded_t buffer;
    uint8_t *before; /* of what is written */
} arg_t;

typedef struct {
    const pd_t *pd;
    int n;
    arg_t arg[MAX_ARGS];
    bool as_asked; /* every memory has the descriptor that the primitive knows */
} run_t;

static const char *failing_line; /* of the problem that is executed; NULL: none describes it */

static _Noreturn __attribute__((format(printf, 2, 3))) void die(
        const pd_t *pd, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (failing_line) fprintf(stderr, "\n%s", failing_line);
    fprintf(stderr, "\n%s\nFAILED: ", pd_info(pd));
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    abort();
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- the executor ---- */

static double number(const char *name, double otherwise) {
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

void executor_open(executor_t *x) {
    x->compile_share = number("FUZZ_COMPILE_SHARE", 0.5);
    x->compile_ms = number("FUZZ_COMPILE_MS", 1000);
    dnnl_set_verbose(0);
    dnnl_set_primitive_cache_capacity(256);
    if (dnnl_engine_create(&x->engine, dnnl_gpu, 0) ||
            dnnl_stream_create(&x->stream, x->engine, dnnl_stream_default_flags)) {
        fprintf(stderr, "no Level Zero device\n");
        exit(77);
    }
}

void executor_close(executor_t *x) {
    printf("%ld executed, %ld refused at execution, %ld too large, %ld without their kernels; "
           "%ld times kernels were built in %.1f s\n",
            x->executed, x->refused, x->too_large, x->not_built, x->built, x->built_ms / 1e3);
    dnnl_stream_destroy(x->stream);
    dnnl_engine_destroy(x->engine);
}

bool executor_is_wanted(void) {
    return number("FUZZ_EXECUTE", 1) != 0;
}

/* ---- which kernels have been built ---- */

static uint64_t known[MAX_KERNELS];
static int nknown;

static uint64_t kernel_key(const plan_t *plan, const plan_step_t *step) {
    return checksum(step->group_size, sizeof step->group_size, module_step_key(plan, step));
}

static bool is_known(uint64_t key) {
    for (int i = 0; i < nknown; i++)
        if (known[i] == key) return true;
    return false;
}

static bool all_known(const plan_t *plan) {
    for (int i = 0; i < plan->nsteps; i++)
        if (!is_known(kernel_key(plan, &plan->steps[i]))) return false;
    return true;
}

static void learn(const plan_t *plan) {
    for (int i = 0; i < plan->nsteps && nknown < MAX_KERNELS; i++) {
        const uint64_t key = kernel_key(plan, &plan->steps[i]);
        if (!is_known(key)) known[nknown++] = key;
    }
}

static bool may_build(const executor_t *x) {
    static double start;
    if (start == 0) start = now_ms();
    return x->built_ms <= x->compile_ms || x->built_ms <= x->compile_share * (now_ms() - start);
}

/* ---- arguments ---- */

/* Bytes up to the end of the last element; false: more than this program wants, or than there
 * can be. */
static bool bytes_of(const md_t *md, size_t *bytes) {
    const size_t size = md_size(md, 0);
    if (size > MAX_BYTES || md->offset0 < 0 || md->offset0 > MAX_BYTES) return false;
    *bytes = size ? size + ((size_t)md->offset0 * (size_t)dt_bits(md->data_type) + 7) / 8 : 0;
    return true;
}

/* The descriptor of the memory: the primitive's own, but for run-time dimensions, and now and
 * then that of another tensor. */
static const md_t *choose_md(run_t *r, int slot, const md_t *given, const md_t *real, int n) {
    const pd_arg_t *arg = &r->pd->args[slot];
    if (n && below(64) == 63) {
        const md_t *other = &real[below((uint64_t)n)];
        if (md_is_blocked(other)) {
            r->as_asked = false;
            return other;
        }
    }
    if (!md_has_runtime_dims_or_strides(&arg->md)) return &arg->md;
    r->as_asked = false;
    for (int i = 0; i < n; i++)
        if (md_equal(&given[i], &arg->md) && md_is_blocked(&real[i])) return &real[i];
    return &arg->md;
}

static bool choose_mds(run_t *r, const md_t *given, const md_t *real, int n) {
    size_t bytes;
    r->as_asked = true;
    for (int i = 0; i < r->n; i++) {
        r->arg[i].md = *choose_md(r, i, given, real, n);
        if (md_is_host_scalar(&r->arg[i].md)) continue;
        if (md_is_sparse(&r->arg[i].md) || !bytes_of(&r->arg[i].md, &bytes)) return false;
    }
    return true;
}

static void fill(uint8_t *to, size_t n) {
    static uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        to[i] = (uint8_t)(state >> 32);
    }
}

static dnnl_status_t make_memory(
        const executor_t *x, const pd_arg_t *what, arg_t *arg, bool at_end) {
    size_t bytes = 0;
    if (md_is_host_scalar(&arg->md)) {
        uint8_t scalar[16] = {0};
        return dnnl_memory_create_host_scalar(&arg->memory, &arg->md, scalar);
    }
    bytes_of(&arg->md, &bytes);
    const size_t align = what->arg == DNNL_ARG_SCRATCHPAD ? 8 : dt_size(arg->md.data_type);
    if (bytes && !guarded_new(&arg->buffer, bytes, align, at_end)) return dnnl_out_of_memory;
    if (bytes) fill(arg->buffer.data, bytes);
    if (what->flags & PD_OUT) {
        arg->before = malloc(bytes + 1);
        if (bytes) memcpy(arg->before, arg->buffer.data, bytes);
    } else if (bytes) {
        guarded_read_only(&arg->buffer);
    }
    return dnnl_memory_create(&arg->memory, &arg->md, x->engine, bytes ? arg->buffer.data : NULL);
}

static void free_args(run_t *r) {
    for (int i = 0; i < r->n; i++) {
        dnnl_memory_destroy(r->arg[i].memory);
        guarded_free(&r->arg[i].buffer);
        free(r->arg[i].before);
    }
}

/* ---- afterwards ---- */

static bool next(const dnnl_dim_t *dims, int ndims, dnnl_dim_t *pos) {
    for (int d = ndims - 1; d >= 0; d--) {
        if (++pos[d] < dims[d]) return true;
        pos[d] = 0;
    }
    return false;
}

/* Between the elements nothing was written. */
static void check_holes(const run_t *r, int slot) {
    const arg_t *arg = &r->arg[slot];
    const md_t *md = &arg->md;
    const size_t bits = (size_t)dt_bits(md->data_type), bytes = arg->buffer.size;
    uint8_t *covered = calloc(1, bytes + 1);
    dnnl_dims_t pos = {0};
    if (!md_has_zero_dim(md)) do {
            const size_t at = (size_t)md_offset(md, pos) * bits;
            if ((at + bits + 7) / 8 > bytes)
                die(r->pd, "argument %d: an element outside of the buffer", r->pd->args[slot].arg);
            memset(covered + at / 8, 1, bits < 8 ? 1 : bits / 8);
        } while (next(md->padded_dims, md->ndims, pos));
    for (size_t i = 0; i < bytes; i++)
        if (!covered[i] && arg->buffer.data[i] != arg->before[i])
            die(r->pd, "argument %d: wrote to byte %zu, which is not an element",
                    r->pd->args[slot].arg, i);
    free(covered);
}

static void check_after(const run_t *r) {
    for (int i = 0; i < r->n; i++) {
        const arg_t *arg = &r->arg[i];
        if (!arg->before || !arg->buffer.size) continue;
        const ptrdiff_t at = guarded_damage(&arg->buffer);
        if (at)
            die(r->pd, "argument %d: wrote to byte %td of a buffer of %zu", r->pd->args[i].arg, at,
                    arg->buffer.size);
        if (r->pd->args[i].arg != DNNL_ARG_SCRATCHPAD && r->as_asked) check_holes(r, i);
    }
}

static void run(executor_t *x, run_t *r, const_dnnl_primitive_t primitive) {
    dnnl_exec_arg_t exec[MAX_ARGS];
    int n = 0;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < r->n && status == dnnl_success; i++) {
        const pd_arg_t *what = &r->pd->args[i];
        if (md_is_zero(&r->arg[i].md)) continue;
        if (what->flags & PD_OPTIONAL && below(8) == 7) continue;
        status = make_memory(x, what, &r->arg[i], below(2) == 0);
        if (md_has_runtime_dims_or_strides(&r->arg[i].md)) break; /* there is no such memory */
        if (status == dnnl_success) exec[n++] = (dnnl_exec_arg_t){what->arg, r->arg[i].memory};
    }
    if (status == dnnl_success) status = dnnl_primitive_execute(primitive, x->stream, n, exec);
    else if (r->as_asked) die(r->pd, "a memory cannot be made: status %d", (int)status);
    if (status == dnnl_success) {
        status = dnnl_stream_wait(x->stream);
        if (status != dnnl_success) die(r->pd, "status %d of the wait", (int)status);
        x->executed++;
        check_after(r);
    } else {
        if (r->as_asked || (status != dnnl_invalid_arguments && status != dnnl_unimplemented))
            die(r->pd, "status %d of the execution", (int)status);
        x->refused++;
    }
}

void skip_implementations(dnnl_primitive_desc_t desc) {
    for (uint64_t skip = below(8); skip < 3; skip++)
        if (dnnl_primitive_desc_next_impl(desc)) break;
}

void execute(executor_t *x, const_dnnl_primitive_desc_t desc, const md_t *given, const md_t *real,
        int n) {
    static run_t r;
    failing_line = x->line;
    r.pd = desc->pd;
    r.n = r.pd->nargs;
    memset(r.arg, 0, sizeof(*r.arg) * (size_t)r.n);
    if (!choose_mds(&r, given, real, n)) {
        x->too_large++;
        return;
    }
    const bool fresh = !all_known(&r.pd->plan);
    if (fresh && !may_build(x)) {
        x->not_built++;
        return;
    }
    const double start = now_ms();
    dnnl_primitive_t primitive;
    const dnnl_status_t status = dnnl_primitive_create(&primitive, desc);
    if (status == dnnl_success) {
        run(x, &r, primitive);
        free_args(&r);
        dnnl_primitive_destroy(primitive);
    } else if (status != dnnl_unimplemented && status != dnnl_out_of_memory) {
        die(r.pd, "status %d of the primitive's creation", (int)status);
    }
    if (fresh) {
        x->built_ms += now_ms() - start;
        x->built++;
        learn(&r.pd->plan);
    }
}
