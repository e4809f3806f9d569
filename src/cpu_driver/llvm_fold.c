/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies bitcode with the LLVM library that PoCL has loaded. */
#include "llvm_fold.h"
#include "common.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The functions of LLVM's C interface that are used. The driver is not linked with LLVM. */
typedef struct llvm_object *ref_t;
#define LLVM_FUNCTIONS(X)                                                                          \
    X(ref_t, ContextCreate, (void))                                                                \
    X(void, ContextDispose, (ref_t))                                                               \
    X(void, ContextSetDiagnosticHandler, (ref_t, void (*)(ref_t, void *), void *))                 \
    X(ref_t, CreateMemoryBufferWithMemoryRangeCopy, (const char *, size_t, const char *))          \
    X(int, ParseBitcodeInContext2, (ref_t, ref_t, ref_t *))                                        \
    X(void, DisposeModule, (ref_t))                                                                \
    X(ref_t, GetFirstFunction, (ref_t))                                                            \
    X(ref_t, GetNextFunction, (ref_t))                                                             \
    X(int, IsDeclaration, (ref_t))                                                                 \
    X(unsigned, GetFunctionCallConv, (ref_t))                                                      \
    X(void, SetLinkage, (ref_t, int))                                                              \
    X(unsigned, GetEnumAttributeKindForName, (const char *, size_t))                               \
    X(ref_t, CreateEnumAttribute, (ref_t, unsigned, uint64_t))                                     \
    X(ref_t, GetEnumAttributeAtIndex, (ref_t, unsigned, unsigned))                                 \
    X(void, AddAttributeAtIndex, (ref_t, unsigned, ref_t))                                         \
    X(ref_t, CreatePassBuilderOptions, (void))                                                     \
    X(void, DisposePassBuilderOptions, (ref_t))                                                    \
    X(ref_t, RunPasses, (ref_t, const char *, ref_t, ref_t))                                       \
    X(void, ConsumeError, (ref_t))                                                                 \
    X(ref_t, WriteBitcodeToMemoryBuffer, (ref_t))                                                  \
    X(const char *, GetBufferStart, (ref_t))                                                       \
    X(size_t, GetBufferSize, (ref_t))                                                              \
    X(void, DisposeMemoryBuffer, (ref_t))

#define DECLARE(type, name, args) type(*name) args;
static struct {
    LLVM_FUNCTIONS(DECLARE)
} llvm;
static bool usable;

enum { LINKAGE_INTERNAL = 8, CONVENTION_SPIR_KERNEL = 76 };
static const unsigned function_index = ~0u;

/* No pass here moves code across calls of barriers; in addition, modules with barriers are not
 * folded. */
static const char passes[] =
        "globaldce,function(sroa,early-cse,simplifycfg),always-inline,globaldce,"
        "function(sroa,early-cse,sccp,simplifycfg,instcombine,adce,simplifycfg)";

static void find_llvm(void) {
    if (env_long("ZE_CPU_FOLD", 1) == 0) return;
    static const char *const names[] = {"libLLVM-15.so.1", "libLLVM-14.so.1"};
    void *library = NULL;
    for (size_t i = 0; i < COUNT_OF(names) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) return;
    usable = true;
#define FIND(type, name, args)                                                                     \
    *(void **)&llvm.name = dlsym(library, "LLVM" #name);                                           \
    usable &= llvm.name != NULL;
    LLVM_FUNCTIONS(FIND)
}

/* Replaces LLVM's own handler, which ends the process. */
static void ignore_diagnostic(ref_t diagnostic, void *unused) {
    (void)diagnostic;
    (void)unused;
}

/* Makes all functions but kernels internal and always inlined, unless the program forbids it. */
static void prepare(ref_t context, ref_t module) {
    unsigned always = llvm.GetEnumAttributeKindForName("alwaysinline", 12);
    unsigned never = llvm.GetEnumAttributeKindForName("noinline", 8);
    for (ref_t f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) {
        if (llvm.IsDeclaration(f) || llvm.GetFunctionCallConv(f) == CONVENTION_SPIR_KERNEL)
            continue;
        llvm.SetLinkage(f, LINKAGE_INTERNAL);
        if (!llvm.GetEnumAttributeAtIndex(f, function_index, never))
            llvm.AddAttributeAtIndex(
                    f, function_index, llvm.CreateEnumAttribute(context, always, 0));
    }
}

static void *write_out(ref_t module, size_t *size) {
    ref_t buffer = llvm.WriteBitcodeToMemoryBuffer(module);
    if (!buffer) return NULL;
    *size = llvm.GetBufferSize(buffer);
    void *bytes = malloc(*size);
    if (bytes) memcpy(bytes, llvm.GetBufferStart(buffer), *size);
    llvm.DisposeMemoryBuffer(buffer);
    return bytes;
}

void *llvm_fold(const void *bitcode, size_t size, size_t *out_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_llvm);
    if (!usable) return NULL;
    void *result = NULL;
    ref_t context = llvm.ContextCreate();
    llvm.ContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    ref_t buffer = llvm.CreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "module"),
          module = NULL;
    if (llvm.ParseBitcodeInContext2(context, buffer, &module) == 0) {
        prepare(context, module);
        ref_t options = llvm.CreatePassBuilderOptions();
        ref_t error = llvm.RunPasses(module, passes, NULL, options);
        llvm.DisposePassBuilderOptions(options);
        if (error) llvm.ConsumeError(error);
        else result = write_out(module, out_size);
        llvm.DisposeModule(module);
    }
    llvm.DisposeMemoryBuffer(buffer);
    llvm.ContextDispose(context);
    return result;
}
