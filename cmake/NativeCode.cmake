# SPDX-License-Identifier: Apache-2.0
# Compiles variants ahead of time for Intel's GPUs, and embeds the code besides the SPIR-V.
include_guard(GLOBAL)

set(DNNL_ZE_AOT_DEVICES "" CACHE STRING
    "Devices to compile native code for ahead of time with ocloc, as it names them: bmg;lnl. all: every product that the list of modules knows. Empty: none")
# The products of kernels/aot_modules.txt, by ocloc's names.
set(NATIVE_CODE_PRODUCTS tgllp dg2-g10 mtl pvc lnl bmg ptl nvls cri)
set(DNNL_ZE_AOT_MODULES ${PROJECT_SOURCE_DIR}/kernels/aot_modules.txt CACHE FILEPATH
    "List of the modules to compile for them, as scripts/aot-modules prints it")
set(DNNL_ZE_AOT_CACHE "" CACHE PATH
    "Folder that keeps native code for later builds, which compile only what is new. Empty: in the build folder")

# The program that runs the compiler.
add_executable(compile_native EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/kernels/compile_native.c
    ${PROJECT_SOURCE_DIR}/src/core/alloc.c ${PROJECT_SOURCE_DIR}/src/core/hash.c
    ${PROJECT_SOURCE_DIR}/src/plan/intel_builtins.c ${PROJECT_SOURCE_DIR}/src/plan/intel_matrix.c
    ${PROJECT_SOURCE_DIR}/src/plan/intel_memory.c ${PROJECT_SOURCE_DIR}/src/plan/intel_module.c
    ${PROJECT_SOURCE_DIR}/src/plan/slim_arguments.c ${PROJECT_SOURCE_DIR}/src/plan/slim_params.c
    ${PROJECT_SOURCE_DIR}/src/plan/slim_read.c ${PROJECT_SOURCE_DIR}/src/plan/slim_write.c
    ${PROJECT_SOURCE_DIR}/src/plan/specialise.c ${PROJECT_SOURCE_DIR}/src/plan/specialise_fold.c
    ${PROJECT_SOURCE_DIR}/src/plan/specialise_read.c ${PROJECT_SOURCE_DIR}/src/plan/specialise_run.c
    ${PROJECT_SOURCE_DIR}/src/plan/specialise_write.c ${PROJECT_SOURCE_DIR}/src/plan/spirv_form.c)
target_include_directories(compile_native PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(compile_native PRIVATE _GNU_SOURCE)

# native_code_ip_version(var release_var device)
# Finds the number of the device in Level Zero, and its architecture and release in the form 20.1.
function(native_code_ip_version var release_var device)
    execute_process(COMMAND ${OCLOC} ids ${device} OUTPUT_VARIABLE text ERROR_VARIABLE text
        RESULT_VARIABLE failed)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+\\.[0-9]+" ids "${text}")
    list(LENGTH ids count)
    if(failed OR NOT count EQUAL 1)
        message(FATAL_ERROR "DNNL_ZE_AOT_DEVICES: ${device} is not one device to ${OCLOC}: ${text}")
    endif()
    string(REPLACE "." ";" parts ${ids})
    list(GET parts 0 architecture)
    list(GET parts 1 release)
    list(GET parts 2 revision)
    math(EXPR version "(${architecture} << 22) | (${release} << 14) | ${revision}"
        OUTPUT_FORMAT HEXADECIMAL)
    set(${var} ${version} PARENT_SCOPE)
    set(${release_var} ${architecture}.${release} PARENT_SCOPE)
endfunction()

# native_code_specs(var fields)
# Writes constants id:value as the bytes of embedded_specs (src/ze/embedded.h).
function(native_code_specs var fields)
    set(bytes "")
    foreach(field IN LISTS fields)
        string(REPLACE ":" ";" field ${field})
        list(GET field 0 id)
        list(GET field 1 value)
        if(value LESS 255)
            string(APPEND bytes "${id},${value},")
        else()
            string(APPEND bytes "${id},255,")
            foreach(shift IN ITEMS 0 8 16 24)
                math(EXPR byte "(${value} >> ${shift}) & 255")
                string(APPEND bytes "${byte},")
            endforeach()
        endif()
    endforeach()
    set(${var} ${bytes} PARENT_SCOPE)
endfunction()

# native_code_table(entries_var specs_var jobs_var modules_var devices variants)
# Reads the list of modules: the rows of the table, the bytes of the constants, the lines that
# compile_native takes, and the modules of SPIR-V that they need.
function(native_code_table entries_var specs_var jobs_var modules_var devices variants)
    set(out ${CMAKE_CURRENT_BINARY_DIR})
    set(entries "")
    set(all_specs "")
    set(size 0)
    set(jobs "")
    set(modules "")
    get_property(variants_with_16 GLOBAL PROPERTY KERNEL_VARIANTS_XMX16)
    get_property(variants_with_8 GLOBAL PROPERTY KERNEL_VARIANTS_XMX8)
    file(STRINGS ${DNNL_ZE_AOT_MODULES} lines REGEX "^[a-z]")
    foreach(device IN LISTS devices)
        native_code_ip_version(ip_version_${device} release_${device} ${device})
    endforeach()
    foreach(line IN LISTS lines)
        set(releases "")
        if(line MATCHES " @ *(.*)")
            string(REGEX REPLACE " +" ";" releases "${CMAKE_MATCH_1}")
            string(REGEX REPLACE " @.*" "" line "${line}")
        endif()
        string(REGEX REPLACE " +" ";" fields "${line}")
        list(POP_FRONT fields variant)
        if(NOT variant IN_LIST variants)
            message(WARNING "${DNNL_ZE_AOT_MODULES}: there is no kernel variant ${variant}")
            continue()
        endif()
        # The same choice as in src/ze/module.c.
        set(many 0)
        if(variant IN_LIST variants_with_16 OR variant IN_LIST variants_with_8)
            set(many 1)
        endif()
        string(REPLACE ";" " " specs "${fields}")
        list(LENGTH fields nspecs)
        foreach(device IN LISTS devices)
            if(releases AND NOT release_${device} IN_LIST releases)
                continue()
            endif()
            set(ip_version ${ip_version_${device}})
            string(APPEND jobs "${device} ${ip_version} ${many} ${out}/${variant}.spv ${specs}\n")
            list(APPEND modules ${out}/${variant}.spv)
            # Products share constants.
            string(MD5 name "${specs}")
            if(NOT DEFINED at_${name})
                set(at_${name} ${size})
                native_code_specs(bytes "${fields}")
                string(APPEND all_specs "${bytes}\n")
                string(REGEX MATCHALL "," commas "${bytes}")
                list(LENGTH commas nbytes)
                math(EXPR size "${size} + ${nbytes}")
            endif()
            string(APPEND entries
                "{KERNEL_${variant}, ${nspecs}, ${ip_version}u, ${at_${name}}},\n")
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES modules)
    set(${entries_var} ${entries} PARENT_SCOPE)
    set(${specs_var} ${all_specs} PARENT_SCOPE)
    set(${jobs_var} ${jobs} PARENT_SCOPE)
    set(${modules_var} ${modules} PARENT_SCOPE)
endfunction()

# native_code_pack(pack jobs modules)
# Compiles and packs.
function(native_code_pack pack jobs modules)
    set(folder ${DNNL_ZE_AOT_CACHE})
    if(NOT folder)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/native)
    endif()
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND ${OCLOC} --version OUTPUT_VARIABLE version ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(CONFIGURE OUTPUT ${pack}.jobs CONTENT "@jobs@" @ONLY)
    add_custom_command(OUTPUT ${pack}.list
        COMMAND compile_native ${pack}.jobs ${OCLOC} "${version}" ${folder} ${pack}.list
        DEPENDS ${pack}.jobs ${modules} compile_native
        COMMENT "Compiling native code" USES_TERMINAL VERBATIM)
    add_custom_command(OUTPUT ${pack} COMMAND pack_kernels ${pack} native ${pack}.list
                       DEPENDS ${pack}.list pack_kernels
                       COMMENT "Packing ${pack}" VERBATIM)
endfunction()

# add_native_code(target variants)
# Writes embedded_code.h and, if devices are named, compiles the modules in DNNL_ZE_AOT_MODULES.
# variants: the ids in the table of which `target` was made, in this folder of the build.
function(add_native_code target variants)
    set(out ${CMAKE_CURRENT_BINARY_DIR})
    set(declarations "static const uint8_t native_pack[sizeof(packed_t)] = {0};\n")
    set(entries "")
    set(specs "")
    set(devices ${DNNL_ZE_AOT_DEVICES})
    if(devices STREQUAL "all")
        set(devices ${NATIVE_CODE_PRODUCTS})
    endif()
    if(devices)
        find_program(OCLOC ocloc DOC "Intel's offline compiler, for DNNL_ZE_AOT_DEVICES")
        if(NOT OCLOC)
            message(FATAL_ERROR
                "DNNL_ZE_AOT_DEVICES needs ocloc (Debian: intel-ocloc, intel-opencl-icd).")
        endif()
        set(declarations "extern const uint8_t native_pack[];\n")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DNNL_ZE_AOT_MODULES})
        native_code_table(entries specs jobs modules "${devices}" "${variants}")
        native_code_pack(${out}/native.pack "${jobs}" "${modules}")
        embed_pack(${out}/native_code.S native_pack ${out}/native.pack)
        target_sources(${target} PRIVATE ${out}/native_code.S)
        string(REGEX MATCHALL "\n" rows "${entries}")
        list(LENGTH rows count)
        message(STATUS "Native code: ${count} modules for ${devices}, by ${OCLOC}")
    endif()
    file(CONFIGURE OUTPUT ${out}/embedded_code.h @ONLY
         CONTENT "/* Made by the build: modules that were compiled ahead of time. */
#include \"plan/variant_id.h\"
@declarations@static const uint8_t specs[] = {
@specs@0};
static const embedded_code_t codes[] = {
@entries@{0}};
enum { NCODES = sizeof codes / sizeof *codes - 1 };
")
endfunction()
