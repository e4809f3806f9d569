/* SPDX-License-Identifier: Apache-2.0 */
/* Gives prefetch() of bytes a body: a call of LLVM's intrinsic. */
#include "llvm_prefetch.h"

#include <string.h>

static const char intrinsic[] = "llvm.prefetch";

/* The function as llvm-spirv names it. */
static llvm_ref_t find_declaration(const llvm_api_t *llvm, llvm_ref_t module) {
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f)) {
        size_t length;
        if (llvm->IsDeclaration(f) &&
                !strcmp(llvm->GetValueName2(f, &length), "_Z8prefetchPU3AS1Kcm"))
            return f;
    }
    return NULL;
}

void llvm_define_prefetch(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module) {
    enum { READ = 0, SECOND_LEVEL = 2, DATA = 1 };
    llvm_ref_t function = find_declaration(llvm, module);
    const unsigned id = llvm->LookupIntrinsicID(intrinsic, strlen(intrinsic));
    if (!function || !id) return;
    llvm_ref_t pointer = llvm->GetParam(function, 0), type = llvm->TypeOf(pointer),
               integer = llvm->Int32TypeInContext(context),
               callee = llvm->GetIntrinsicDeclaration(module, id, &type, 1),
               builder = llvm->CreateBuilderInContext(context);
    llvm_ref_t args[] = {pointer, llvm->ConstInt(integer, READ, 0),
            llvm->ConstInt(integer, SECOND_LEVEL, 0), llvm->ConstInt(integer, DATA, 0)};
    llvm->PositionBuilderAtEnd(builder, llvm->AppendBasicBlockInContext(context, function, ""));
    llvm->BuildCall2(builder, llvm->GlobalGetValueType(callee), callee, args, 4, "");
    llvm->BuildRetVoid(builder);
    llvm->DisposeBuilder(builder);
}
