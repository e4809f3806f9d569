/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products in LLVM bitcode. A declaration becomes an intrinsic of LLVM by its name. PoCL
 * compiles kernels for a processor that may lack the instruction, and inlines all functions that it
 * can. So the functions that compute dot products get features of their own, and become functions
 * that cannot be inlined. */
#include "llvm_dots.h"

#include <string.h>

#include "common.h"

static const struct {
    const char *function, *intrinsic;
} names[] = {
        {"ze_cpu_dot_u8s8", "llvm.x86.avx512.vpdpbusd.512"},
        {"ze_cpu_dot_bf16", "llvm.x86.avx512bf16.dpbf16ps.512"},
        {"ze_cpu_tile_configure", "llvm.x86.ldtilecfg"},
        {"ze_cpu_tile_load", "llvm.x86.tileloadd64"},
        {"ze_cpu_tile_store", "llvm.x86.tilestored64"},
        {"ze_cpu_tile_dot_u8s8", "llvm.x86.tdpbusd"},
        {"ze_cpu_tile_dot_bf16", "llvm.x86.tdpbf16ps"},
        {"ze_cpu_tile_zero", "llvm.x86.tilezero"},
        {"ze_cpu_tile_release", "llvm.x86.tilerelease"},
};

static const char *const features = "target-features";
/* A module may hold instructions that the CPU lacks, as long as it does not run them: LLVM uses
 * these only where a function of above is called. */
static const char all_features[] = "+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16";

static bool has_features(const llvm_api_t *llvm, llvm_ref_t function) {
    return llvm->GetStringAttributeAtIndex(
            function, (unsigned)LLVM_FUNCTION_INDEX, features, (unsigned)strlen(features));
}

/* Renames the declarations. */
static bool name_intrinsics(const llvm_api_t *llvm, llvm_ref_t module) {
    bool found = false;
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f)) {
        if (!llvm->IsDeclaration(f)) continue;
        size_t length;
        const char *name = llvm->GetValueName2(f, &length);
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            if (strcmp(name, names[i].function) != 0) continue;
            llvm->SetValueName2(f, names[i].intrinsic, strlen(names[i].intrinsic));
            found = true;
            break;
        }
    }
    return found;
}

/* A block that returns; NULL: the function returns a value, or never. */
static llvm_ref_t find_return(const llvm_api_t *llvm, llvm_ref_t function) {
    for (llvm_ref_t b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b)) {
        llvm_ref_t last = llvm->GetBasicBlockTerminator(b);
        if (last && llvm->IsAReturnInst(last) && llvm->GetNumOperands(last) == 0) return last;
    }
    return NULL;
}

/* LLVM inlines no function in which the address of a block is taken. The function stores the
 * address of a block of its own, which does nothing but return. */
static void forbid_inlining(
        const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t function, llvm_ref_t last) {
    llvm_ref_t builder = llvm->CreateBuilderInContext(context),
               end = llvm->AppendBasicBlockInContext(context, function, "");
    llvm->PositionBuilderBefore(builder, last);
    llvm_ref_t address = llvm->BlockAddress(function, end),
               place = llvm->BuildAlloca(builder, llvm->TypeOf(address), "");
    llvm->SetVolatile(llvm->BuildStore(builder, address, place), 1);
    llvm->BuildBr(builder, end);
    llvm->InstructionEraseFromParent(last);
    llvm->PositionBuilderAtEnd(builder, end);
    llvm->BuildRetVoid(builder);
    llvm->DisposeBuilder(builder);
}

static void keep_apart(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t function) {
    llvm_ref_t last = find_return(llvm, function);
    if (!last) return; /* it would be inlined, so it gets no features and is refused */
    llvm->AddTargetDependentFunctionAttr(function, "min-legal-vector-width", "512");
    llvm->AddTargetDependentFunctionAttr(function, features, all_features);
    forbid_inlining(llvm, context, function, last);
}

void llvm_bind_dots(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module) {
    if (!name_intrinsics(llvm, module)) return;
    const unsigned never = llvm->GetEnumAttributeKindForName("noinline", 8);
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f))
        if (!llvm->IsDeclaration(f) && !llvm_is_kernel(llvm, f) &&
                llvm->GetEnumAttributeAtIndex(f, (unsigned)LLVM_FUNCTION_INDEX, never))
            keep_apart(llvm, context, f);
}

/* ---- in software ---- */

static bool link_dots(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module,
        const void *bitcode, size_t size) {
    llvm_ref_t buffer = llvm->CreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "dots"),
               dots = NULL;
    const bool good = llvm->ParseBitcodeInContext2(context, buffer, &dots) == 0;
    llvm->DisposeMemoryBuffer(buffer);
    return good && llvm->LinkModules2(module, dots) == 0; /* it frees `dots` */
}

/* The function needs no features, so it can be inlined. */
static void allow_inlining(const llvm_api_t *llvm, llvm_ref_t function) {
    const unsigned never = llvm->GetEnumAttributeKindForName("noinline", 8);
    llvm->RemoveEnumAttributeAtIndex(function, (unsigned)LLVM_FUNCTION_INDEX, never);
    for (llvm_ref_t use = llvm->GetFirstUse(function); use; use = llvm->GetNextUse(use)) {
        llvm_ref_t user = llvm->GetUser(use);
        if (llvm->IsACallInst(user))
            llvm->RemoveCallSiteEnumAttribute(user, (unsigned)LLVM_FUNCTION_INDEX, never);
    }
}

bool llvm_define_dots(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module,
        const void *bitcode, size_t size) {
    if (!link_dots(llvm, context, module, bitcode, size)) return false;
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f))
        allow_inlining(llvm, f);
    return true;
}

/* A variable of a function, for all tiles. */
static llvm_ref_t make_tiles(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t function) {
    enum { WORDS = 8 * (16 * 16 + 2) };
    llvm_ref_t builder = llvm->CreateBuilderInContext(context),
               integer = llvm->Int32TypeInContext(context),
               entry = llvm->GetFirstBasicBlock(function);
    llvm->PositionBuilderBefore(builder, llvm->GetFirstInstruction(entry));
    llvm_ref_t tiles =
            llvm->BuildArrayAlloca(builder, integer, llvm->ConstInt(integer, WORDS, 0), "");
    llvm->DisposeBuilder(builder);
    return tiles;
}

/* Puts a variable of the function in the place of its calls. */
static void replace_calls(
        const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t function, llvm_ref_t called) {
    llvm_ref_t tiles = NULL, next;
    for (llvm_ref_t use = llvm->GetFirstUse(called); use; use = next) {
        llvm_ref_t call = llvm->GetUser(use);
        next = llvm->GetNextUse(use);
        if (llvm->GetBasicBlockParent(llvm->GetInstructionParent(call)) != function) continue;
        if (!tiles) tiles = make_tiles(llvm, context, function);
        llvm->ReplaceAllUsesWith(call, tiles);
        llvm->InstructionEraseFromParent(call);
    }
}

void llvm_place_tiles(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module) {
    llvm_ref_t called = llvm->GetNamedFunction(module, "ze_cpu_tile_memory");
    if (!called) return;
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f))
        if (!llvm->IsDeclaration(f)) replace_calls(llvm, context, f, called);
}

/* ---- the check ---- */

static bool is_intrinsic(const llvm_api_t *llvm, llvm_ref_t function) {
    size_t length;
    const char *name = llvm->GetValueName2(function, &length);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i].intrinsic)) return true;
    return false;
}

bool llvm_dots_are_bound(const llvm_api_t *llvm, llvm_ref_t module) {
    for (llvm_ref_t f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f)) {
        if (!is_intrinsic(llvm, f)) continue;
        for (llvm_ref_t use = llvm->GetFirstUse(f); use; use = llvm->GetNextUse(use)) {
            llvm_ref_t block = llvm->GetInstructionParent(llvm->GetUser(use));
            if (!has_features(llvm, llvm->GetBasicBlockParent(block))) return false;
        }
    }
    return true;
}
