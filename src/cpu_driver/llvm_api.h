/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of LLVM's C interface that the driver uses, in the library that PoCL has loaded.
 * The driver is not linked with LLVM. */
#ifndef ZE_CPU_LLVM_API_H
#define ZE_CPU_LLVM_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct llvm_object *llvm_ref_t;
#define LLVM_FUNCTIONS(X)                                                                          \
    X(llvm_ref_t, ContextCreate, (void))                                                           \
    X(void, ContextDispose, (llvm_ref_t))                                                          \
    X(void, ContextSetDiagnosticHandler, (llvm_ref_t, void (*)(llvm_ref_t, void *), void *))       \
    X(llvm_ref_t, CreateMemoryBufferWithMemoryRangeCopy, (const char *, size_t, const char *))     \
    X(int, ParseBitcodeInContext2, (llvm_ref_t, llvm_ref_t, llvm_ref_t *))                         \
    X(void, DisposeModule, (llvm_ref_t))                                                           \
    X(int, LinkModules2, (llvm_ref_t, llvm_ref_t))                                                 \
    X(llvm_ref_t, GetNamedFunction, (llvm_ref_t, const char *))                                    \
    X(llvm_ref_t, GetFirstFunction, (llvm_ref_t))                                                  \
    X(llvm_ref_t, GetNextFunction, (llvm_ref_t))                                                   \
    X(int, IsDeclaration, (llvm_ref_t))                                                            \
    X(unsigned, GetFunctionCallConv, (llvm_ref_t))                                                 \
    X(void, SetLinkage, (llvm_ref_t, int))                                                         \
    X(const char *, GetValueName2, (llvm_ref_t, size_t *))                                         \
    X(void, SetValueName2, (llvm_ref_t, const char *, size_t))                                     \
    X(llvm_ref_t, TypeOf, (llvm_ref_t))                                                            \
    X(llvm_ref_t, GetParam, (llvm_ref_t, unsigned))                                                \
    X(unsigned, LookupIntrinsicID, (const char *, size_t))                                         \
    X(llvm_ref_t, GetIntrinsicDeclaration, (llvm_ref_t, unsigned, llvm_ref_t *, size_t))           \
    X(llvm_ref_t, GlobalGetValueType, (llvm_ref_t))                                                \
    X(llvm_ref_t, Int32TypeInContext, (llvm_ref_t))                                                \
    X(llvm_ref_t, ConstInt, (llvm_ref_t, unsigned long long, int))                                 \
    X(llvm_ref_t, BuildCall2,                                                                      \
            (llvm_ref_t, llvm_ref_t, llvm_ref_t, llvm_ref_t *, unsigned, const char *))            \
    X(llvm_ref_t, GetFirstUse, (llvm_ref_t))                                                       \
    X(llvm_ref_t, GetNextUse, (llvm_ref_t))                                                        \
    X(llvm_ref_t, GetUser, (llvm_ref_t))                                                           \
    X(int, GetNumOperands, (llvm_ref_t))                                                           \
    X(llvm_ref_t, GetInstructionParent, (llvm_ref_t))                                              \
    X(llvm_ref_t, GetBasicBlockParent, (llvm_ref_t))                                               \
    X(llvm_ref_t, CreateBuilderInContext, (llvm_ref_t))                                            \
    X(void, DisposeBuilder, (llvm_ref_t))                                                          \
    X(void, PositionBuilderBefore, (llvm_ref_t, llvm_ref_t))                                       \
    X(llvm_ref_t, GetFirstBasicBlock, (llvm_ref_t))                                                \
    X(llvm_ref_t, GetNextBasicBlock, (llvm_ref_t))                                                 \
    X(llvm_ref_t, GetBasicBlockTerminator, (llvm_ref_t))                                           \
    X(llvm_ref_t, IsAReturnInst, (llvm_ref_t))                                                     \
    X(llvm_ref_t, AppendBasicBlockInContext, (llvm_ref_t, llvm_ref_t, const char *))               \
    X(llvm_ref_t, BlockAddress, (llvm_ref_t, llvm_ref_t))                                          \
    X(llvm_ref_t, BuildAlloca, (llvm_ref_t, llvm_ref_t, const char *))                             \
    X(llvm_ref_t, BuildArrayAlloca, (llvm_ref_t, llvm_ref_t, llvm_ref_t, const char *))            \
    X(llvm_ref_t, GetFirstInstruction, (llvm_ref_t))                                               \
    X(void, ReplaceAllUsesWith, (llvm_ref_t, llvm_ref_t))                                          \
    X(llvm_ref_t, BuildStore, (llvm_ref_t, llvm_ref_t, llvm_ref_t))                                \
    X(llvm_ref_t, BuildBr, (llvm_ref_t, llvm_ref_t))                                               \
    X(llvm_ref_t, BuildRetVoid, (llvm_ref_t))                                                      \
    X(void, InstructionEraseFromParent, (llvm_ref_t))                                              \
    X(void, PositionBuilderAtEnd, (llvm_ref_t, llvm_ref_t))                                        \
    X(void, SetVolatile, (llvm_ref_t, int))                                                        \
    X(unsigned, GetEnumAttributeKindForName, (const char *, size_t))                               \
    X(llvm_ref_t, CreateEnumAttribute, (llvm_ref_t, unsigned, uint64_t))                           \
    X(llvm_ref_t, GetEnumAttributeAtIndex, (llvm_ref_t, unsigned, unsigned))                       \
    X(llvm_ref_t, GetStringAttributeAtIndex, (llvm_ref_t, unsigned, const char *, unsigned))       \
    X(void, RemoveEnumAttributeAtIndex, (llvm_ref_t, unsigned, unsigned))                          \
    X(void, RemoveCallSiteEnumAttribute, (llvm_ref_t, unsigned, unsigned))                         \
    X(llvm_ref_t, IsACallInst, (llvm_ref_t))                                                       \
    X(void, AddAttributeAtIndex, (llvm_ref_t, unsigned, llvm_ref_t))                               \
    X(void, AddTargetDependentFunctionAttr, (llvm_ref_t, const char *, const char *))              \
    X(llvm_ref_t, CreatePassBuilderOptions, (void))                                                \
    X(void, DisposePassBuilderOptions, (llvm_ref_t))                                               \
    X(llvm_ref_t, RunPasses, (llvm_ref_t, const char *, llvm_ref_t, llvm_ref_t))                   \
    X(void, ConsumeError, (llvm_ref_t))                                                            \
    X(llvm_ref_t, WriteBitcodeToMemoryBuffer, (llvm_ref_t))                                        \
    X(const char *, GetBufferStart, (llvm_ref_t))                                                  \
    X(size_t, GetBufferSize, (llvm_ref_t))                                                         \
    X(void, DisposeMemoryBuffer, (llvm_ref_t))

#define LLVM_DECLARE(type, name, args) type(*name) args;
typedef struct {
    LLVM_FUNCTIONS(LLVM_DECLARE)
} llvm_api_t;

enum { LLVM_LINKAGE_INTERNAL = 8, LLVM_CONVENTION_SPIR_KERNEL = 76 };
enum { LLVM_FUNCTION_INDEX = -1 }; /* of the attributes of a function itself */

/* NULL: the process has no LLVM library of a version that PoCL is built with, or ZE_CPU_FOLD is 0.
 * The first call looks for it: PoCL has to be open. */
const llvm_api_t *llvm_api(void);

static inline bool llvm_is_kernel(const llvm_api_t *llvm, llvm_ref_t function) {
    return llvm->GetFunctionCallConv(function) == LLVM_CONVENTION_SPIR_KERNEL;
}

#endif
