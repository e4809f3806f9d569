# SPDX-License-Identifier: Apache-2.0
# Compiles the variants of a kernel table to SPIR-V and embeds them.
include_guard(GLOBAL)

include(KernelCompiler)
find_kernel_compiler()
find_program(KERNEL_SPIRV_VAL spirv-val DOC "SPIR-V validator")
find_program(KERNEL_SPIRV_DIS spirv-dis DOC "SPIR-V disassembler")
if(NOT KERNEL_SPIRV_VAL OR NOT KERNEL_SPIRV_DIS)
    message(FATAL_ERROR
        "The kernels are checked with spirv-val and spirv-dis: install spirv-tools.")
endif()
message(STATUS
    "Kernels: ${KERNEL_CLANG} (${KERNEL_CLANG_VERSION}), ${KERNEL_OPT}, ${KERNEL_LLVM_SPIRV}")

# The SPIR-V is hardly optimised: device compilers optimise after specialisation, and the output of
# the optimiser is often not valid SPIR-V. These passes only turn variables into values, which makes
# modules much smaller. They change neither control flow nor widths.
# Names of values inside functions would take a twentieth of the packed modules.
set(KERNEL_PASSES -discard-value-names "-passes=function(mem2reg,early-cse,adce)")
# Generic pointers and others are off: not every device supports them, and no kernel needs them.
set(absent -__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue)
set(KERNEL_FLAGS --target=spir64-unknown-unknown -x cl -cl-std=CL3.0 -O2
    -Xclang -disable-llvm-passes -Wall -Wextra -Werror=implicit
    -cl-no-stdinc -Xclang -finclude-default-header -cl-kernel-arg-info -Xclang -cl-ext=+all -Xclang
    -cl-ext=${absent},-__opencl_c_program_scope_global_variables)
if(KERNEL_CLANG_VERSION VERSION_LESS 16)
    list(APPEND KERNEL_FLAGS -Xclang -no-opaque-pointers)
    list(APPEND KERNEL_PASSES -opaque-pointers=0)
endif()
# Only extensions that every device compiler supports: newer translators write extensions
# (SPV_KHR_fma) on which Intel's compiler ends the process.
set(KERNEL_SPIRV_EXTENSIONS --spirv-ext=+SPV_KHR_no_integer_wrap_decoration,+SPV_INTEL_subgroups)
set(KERNEL_OPTIMISE_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/OptimiseKernel.cmake)
set(KERNEL_CHECK_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/CheckKernel.cmake)

# zstd reduces the embedded modules to a seventh of their size, and unpacks them when they are
# compiled. It is linked statically, so the library needs no other library at run time. Without an
# archive of zstd that can be linked into a shared library, modules stay uncompressed.
option(DNNL_ZE_COMPRESS_KERNELS "Embed compressed kernels, where zstd is found" ON)
option(DNNL_ZE_SHARED_ZSTD
    "Link the shared library of zstd, as the packages of distributions have to" OFF)
set(DNNL_ZE_ZSTD "")
if(DNNL_ZE_COMPRESS_KERNELS)
    find_library(KERNEL_ZSTD NAMES libzstd.a DOC "Archive of zstd that unpacks the kernels")
    if(KERNEL_ZSTD)
        include(CheckCSourceCompiles)
        include(CMakePushCheckState)
        cmake_push_check_state(RESET)
        set(CMAKE_REQUIRED_FLAGS -fPIC)
        set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,--exclude-libs,ALL)
        set(CMAKE_REQUIRED_LIBRARIES ${KERNEL_ZSTD})
        check_c_source_compiles("#include <zstd.h>
            size_t unpack(void *to, size_t room, const void *from, size_t size);
            size_t unpack(void *to, size_t room, const void *from, size_t size) {
                return ZSTD_decompress(to, room, from, size);
            }" KERNEL_ZSTD_FITS)
        cmake_pop_check_state()
        if(KERNEL_ZSTD_FITS)
            set(DNNL_ZE_ZSTD ${KERNEL_ZSTD})
        endif()
    endif()
    if(NOT DNNL_ZE_ZSTD)
        message(STATUS "Kernels are embedded uncompressed: an archive of zstd is missing")
    endif()
endif()

# The program that numbers the identifiers of a module anew.
add_executable(renumber_spirv ${PROJECT_SOURCE_DIR}/kernels/renumber.c
    ${PROJECT_SOURCE_DIR}/src/plan/spirv_form.c)
target_include_directories(renumber_spirv PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(renumber_spirv PRIVATE _GNU_SOURCE)

# The program that packs modules.
add_executable(pack_kernels ${PROJECT_SOURCE_DIR}/kernels/pack.c
    ${PROJECT_SOURCE_DIR}/kernels/grammar.c ${PROJECT_SOURCE_DIR}/kernels/zebin.c
    ${PROJECT_SOURCE_DIR}/src/plan/packed_spirv.c)
target_include_directories(pack_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(pack_kernels PRIVATE _GNU_SOURCE)
if(DNNL_ZE_ZSTD)
    target_compile_definitions(pack_kernels PRIVATE DNNL_ZE_ZSTD)
    target_link_libraries(pack_kernels PRIVATE ${DNNL_ZE_ZSTD})
endif()

# Builds of one source tree, such as those with sanitizers, embed the same modules.
set(DNNL_ZE_KERNELS_FROM ""
    CACHE PATH "Folder of another build of these sources: its kernels are copied")

# kernel_commands(var source module depfile flags)
# Sets `var` to the COMMANDs that turn OpenCL C into a valid SPIR-V module.
function(kernel_commands var source module depfile flags)
    string(REGEX REPLACE "\\.spv$" ".bc" bitcode ${module})
    set(optimise "")
    if(KERNEL_OPT)
        string(REPLACE ";" " " passes "${KERNEL_PASSES}")
        set(optimise COMMAND ${CMAKE_COMMAND} -DOPT=${KERNEL_OPT} -DPASSES=${passes}
            -DBITCODE=${bitcode} -P ${KERNEL_OPTIMISE_SCRIPT})
    endif()
    set(${var}
        COMMAND ${KERNEL_CLANG} ${KERNEL_FLAGS} ${flags} -MD -MF ${depfile} -MT ${module} -emit-llvm
            -c ${source} -o ${bitcode}
        ${optimise}
        COMMAND ${KERNEL_LLVM_SPIRV} --spirv-max-version=1.2 ${KERNEL_SPIRV_EXTENSIONS} ${bitcode}
            -o ${module}
        COMMAND renumber_spirv ${module}
        COMMAND ${KERNEL_SPIRV_VAL} ${module}
        PARENT_SCOPE)
endfunction()

# pack_files(pack files)
# Makes the pack (src/plan/packed.h) of these SPIR-V modules.
function(pack_files pack files)
    string(REPLACE ";" "\n" lines "${files}")
    file(CONFIGURE OUTPUT ${pack}.txt CONTENT "@lines@\n" @ONLY)
    add_custom_command(OUTPUT ${pack} COMMAND pack_kernels ${pack} spirv ${pack}.txt
                       DEPENDS ${pack}.txt ${files} pack_kernels
                       COMMENT "Packing ${pack}" VERBATIM)
endfunction()

# embed_pack(assembly symbol pack): writes the source that embeds a pack.
function(embed_pack assembly symbol pack)
    file(CONFIGURE OUTPUT ${assembly} @ONLY
         CONTENT "/* Made by the build: an embedded pack (src/plan/packed.h). */
    .section .rodata
    .balign 16
    .globl @symbol@
    .hidden @symbol@
@symbol@:
    .incbin \"@pack@\"
    .section .note.GNU-stack, \"\", %progbits
")
    set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS ${pack})
endfunction()

# opencl_to_spirv(source module [flags...])
# Compiles a module for a program that loads it itself, such as an example or a test.
function(opencl_to_spirv source module)
    kernel_commands(commands ${source} ${module} ${module}.d "${ARGN}")
    add_custom_command(OUTPUT ${module} ${commands} DEPENDS ${source} DEPFILE ${module}.d
                       COMMENT "Compiling ${module}" VERBATIM)
endfunction()

# add_kernel_table(target table folder)
# Makes an object library `target` of all variants in the X-macro file `table`. Sources are relative
# to `folder`, whose lib/ holds the shared headers. Writes the header kernel_info.h, which has the
# required capabilities of each variant.
function(add_kernel_table target table folder)
    # The preprocessor removes comments and joins lines, so that each variant becomes a line
    # of these columns.
    set(columns "VARIANT|id|source|entry|geometry|target|")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    execute_process(
        COMMAND ${CMAKE_C_COMPILER} -E -P -undef -x c
                "-DVARIANT(id,family,source,entry,target,planner,geometry)=${columns}" ${table}
        OUTPUT_VARIABLE variants RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "${table}: the preprocessor refuses it")
    endif()
    string(REGEX MATCHALL "VARIANT *\\|[^\n]*\\|" variants "${variants}")

    set(out ${CMAKE_CURRENT_BINARY_DIR})
    set(info "/* Made by the build: hash and needed capabilities of each kernel. */\n")
    set(modules "")
    set(ids "")
    set(headers "")
    foreach(variant IN LISTS variants)
        string(REGEX REPLACE " *\\| *" "|" variant "${variant}")
        string(REPLACE "|" ";" variant "${variant}")
        list(GET variant 1 id)
        list(GET variant 2 source)
        list(GET variant 3 entry)
        list(GET variant 4 geometry)
        list(GET variant 5 device_target)
        set_property(GLOBAL APPEND PROPERTY KERNEL_VARIANTS_${device_target} ${id})
        string(REPLACE "\"" "" source "${source}")
        # Each member of the geometry becomes a macro of the kernel, and so does its entry point.
        set(flags -DKERNEL_ENTRY=${entry} -DTARGET_${device_target})
        string(REGEX MATCHALL "[.][a-z0-9_]+ *= *[A-Za-z0-9_]+" members "${geometry}")
        foreach(member IN LISTS members)
            string(REGEX MATCH "[.]([a-z0-9_]+) *= *(.*)" unused "${member}")
            string(TOUPPER ${CMAKE_MATCH_1} name)
            list(APPEND flags -D${name}=${CMAKE_MATCH_2})
        endforeach()
        set(module ${out}/${id}.spv)
        set(header ${out}/kernel_info/${id}.h)
        kernel_commands(commands ${folder}/${source} ${module} ${out}/${id}.d
            "-I;${folder}/lib;${flags}")
        set(outputs ${module} ${header})
        if(DNNL_ZE_KERNELS_FROM)
            string(REPLACE "${PROJECT_BINARY_DIR}/" "${DNNL_ZE_KERNELS_FROM}/" made "${outputs}")
            set(copies "")
            foreach(from to IN ZIP_LISTS made outputs)
                list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${from} ${to})
            endforeach()
            add_custom_command(OUTPUT ${outputs} ${copies} DEPENDS ${made}
                COMMENT "Copying kernel ${id}" VERBATIM)
        else()
            add_custom_command(
                OUTPUT ${outputs}
                ${commands}
                COMMAND ${CMAKE_COMMAND} -DSPIRV_DIS=${KERNEL_SPIRV_DIS} -DMODULE=${module}
                    -DID=${id} -DENTRY=${entry} -DTARGET=${device_target}
                    -DALLOWED=${folder}/allowed_imports.txt -DOUTPUT=${header}
                    -P ${KERNEL_CHECK_SCRIPT}
                DEPENDS ${folder}/${source} ${folder}/allowed_imports.txt ${KERNEL_CHECK_SCRIPT}
                DEPFILE ${out}/${id}.d
                COMMENT "Compiling kernel ${id}"
                VERBATIM)
        endif()
        string(APPEND info "#include \"kernel_info/${id}.h\"\n")
        list(APPEND modules ${module})
        list(APPEND ids ${id})
        list(APPEND headers ${header})
    endforeach()

    pack_files(${out}/kernels.pack "${modules}")
    embed_pack(${out}/kernel_blobs.S kernel_pack ${out}/kernels.pack)
    file(CONFIGURE OUTPUT ${out}/kernel_info.h CONTENT "@info@" @ONLY)
    add_library(${target} OBJECT ${out}/kernel_blobs.S ${headers})
    target_include_directories(${target} INTERFACE ${out})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set_property(TARGET ${target} PROPERTY KERNEL_VARIANTS "${ids}")
endfunction()
