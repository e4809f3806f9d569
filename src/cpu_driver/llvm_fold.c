/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies bitcode with LLVM. */
#include "llvm_fold.h"

#include <stdlib.h>
#include <string.h>

#include "llvm_api.h"
#include "llvm_dots.h"
#include "llvm_prefetch.h"

/* No pass here moves code across calls of barriers; in addition, modules with barriers are not
 * folded. */
static const char passes[] =
        "globaldce,function(sroa,early-cse,simplifycfg),always-inline,globaldce,"
        "function(sroa,early-cse,sccp,simplifycfg,instcombine,adce,simplifycfg)";

/* Replaces LLVM's own handler, which ends the process. */
static void ignore_diagnostic(llvm_ref_t diagnostic, void *unused) {
    (void)diagnostic;
    (void)unused;
}

/* Makes all functions but kernels internal and always inlined, unless the program forbids it. */
static void prepare(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module) {
    unsigned always = llvm->GetEnumAttributeKindForName("alwaysinline", 12);
    unsigned never = llvm->GetEnumAttributeKindForName("noinline", 8);
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f)) {
        if (llvm->IsDeclaration(f) || llvm_is_kernel(llvm, f)) continue;
        llvm->SetLinkage(f, LLVM_LINKAGE_INTERNAL);
        if (!llvm->GetEnumAttributeAtIndex(f, (unsigned)LLVM_FUNCTION_INDEX, never))
            llvm->AddAttributeAtIndex(f, (unsigned)LLVM_FUNCTION_INDEX,
                    llvm->CreateEnumAttribute(context, always, 0));
    }
}

static void *write_out(const llvm_api_t *llvm, llvm_ref_t module, size_t *size) {
    llvm_ref_t buffer = llvm->WriteBitcodeToMemoryBuffer(module);
    if (!buffer) return NULL;
    *size = llvm->GetBufferSize(buffer);
    void *bytes = malloc(*size);
    if (bytes) memcpy(bytes, llvm->GetBufferStart(buffer), *size);
    llvm->DisposeMemoryBuffer(buffer);
    return bytes;
}

/* Runs the passes; false: nothing came of it. */
static bool simplify(const llvm_api_t *llvm, llvm_ref_t module) {
    llvm_ref_t options = llvm->CreatePassBuilderOptions();
    llvm_ref_t error = llvm->RunPasses(module, passes, NULL, options);
    llvm->DisposePassBuilderOptions(options);
    if (error) llvm->ConsumeError(error);
    return !error;
}

void *llvm_fold(const bitcode_t *bitcode, const bitcode_t *dots, size_t *out_size) {
    const llvm_api_t *llvm = llvm_api();
    if (!llvm) return NULL;
    void *result = NULL;
    llvm_ref_t context = llvm->ContextCreate();
    llvm->ContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    llvm_ref_t buffer = llvm->CreateMemoryBufferWithMemoryRangeCopy(
                       bitcode->bytes, bitcode->size, "module"),
               module = NULL;
    if (llvm->ParseBitcodeInContext2(context, buffer, &module) == 0) {
        const bool complete =
                !dots || llvm_define_dots(llvm, context, module, dots->bytes, dots->size);
        llvm_bind_dots(llvm, context, module);
        llvm_define_prefetch(llvm, context, module);
        prepare(llvm, context, module);
        if (complete && simplify(llvm, module) && llvm_dots_are_bound(llvm, module)) {
            llvm_place_tiles(llvm, context, module);
            result = write_out(llvm, module, out_size);
        }
        llvm->DisposeModule(module);
    }
    llvm->DisposeMemoryBuffer(buffer);
    llvm->ContextDispose(context);
    return result;
}
