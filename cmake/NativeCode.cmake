# SPDX-License-Identifier: Apache-2.0
# Compiles variants ahead of time for Intel's GPUs, and embeds the code besides the SPIR-V.
include_guard(GLOBAL)

set(DNNL_ZE_AOT_DEVICES "" CACHE STRING
    "Devices to compile native code for ahead of time with ocloc, as it names them: bmg;lnl. all: every product that the list of modules knows. Empty: none")
# The products of kernels/aot_modules.txt, by ocloc's names.
set(NATIVE_CODE_PRODUCTS tgllp dg2-g10 mtl pvc lnl bmg ptl nvls cri)
set(DNNL_ZE_AOT_MODULES ${PROJECT_SOURCE_DIR}/kernels/aot_modules.txt CACHE FILEPATH
    "List of the modules to compile for them, as scripts/aot-modules prints it")
set(NATIVE_CODE_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/CompileNative.cmake)

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

# add_native_code(target variants)
# Writes embedded_code.h and, if devices are named, compiles the modules in DNNL_ZE_AOT_MODULES.
# variants: the ids in the table of which `target` was made, in this folder of the build.
function(add_native_code target variants)
    set(out ${CMAKE_CURRENT_BINARY_DIR})
    set(declarations "static const uint8_t native_pack[sizeof(packed_t)] = {0};\n")
    set(entries "")
    set(codes "")
    set(count 0)
    set(devices ${DNNL_ZE_AOT_DEVICES})
    if(devices STREQUAL "all")
        set(devices ${NATIVE_CODE_PRODUCTS})
    endif()
    if(devices)
        find_program(OCLOC ocloc DOC "Intel's offline compiler, for DNNL_ZE_AOT_DEVICES")
        find_program(KERNEL_SPIRV_OPT spirv-opt DOC "SPIR-V optimiser, for DNNL_ZE_AOT_DEVICES")
        if(NOT OCLOC OR NOT KERNEL_SPIRV_OPT)
            message(FATAL_ERROR
                "DNNL_ZE_AOT_DEVICES needs ocloc (Debian: intel-ocloc, intel-opencl-icd) "
                "and spirv-opt (spirv-tools).")
        endif()
        set(declarations "extern const uint8_t native_pack[];\n")
        file(STRINGS ${DNNL_ZE_AOT_MODULES} lines REGEX "^[a-z]")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DNNL_ZE_AOT_MODULES})
        foreach(device IN LISTS devices)
            native_code_ip_version(ip_version release ${device})
            foreach(line IN LISTS lines)
                if(line MATCHES " @(.*)")
                    string(REGEX REPLACE " +" ";" releases "${CMAKE_MATCH_1}")
                    if(NOT release IN_LIST releases)
                        continue()
                    endif()
                    string(REGEX REPLACE " @.*" "" line "${line}")
                endif()
                string(REGEX REPLACE " +" ";" fields "${line}")
                list(POP_FRONT fields variant)
                if(NOT variant IN_LIST variants)
                    message(WARNING "${DNNL_ZE_AOT_MODULES}: there is no kernel variant ${variant}")
                    continue()
                endif()
                string(REPLACE ";" " " specs "${fields}")
                # The same option as in src/ze/module.c.
                get_property(variants_with_16 GLOBAL PROPERTY KERNEL_VARIANTS_XMX16)
                get_property(variants_with_8 GLOBAL PROPERTY KERNEL_VARIANTS_XMX8)
                set(options "")
                if(variant IN_LIST variants_with_16 OR variant IN_LIST variants_with_8)
                    set(options -ze-opt-large-register-file)
                endif()
                string(MD5 name "${line}")
                set(code ${out}/native/${device}/${variant}_${name}.bin)
                add_custom_command(OUTPUT ${code}
                    COMMAND ${CMAKE_COMMAND} -DSPIRV_OPT=${KERNEL_SPIRV_OPT} -DOCLOC=${OCLOC}
                        -DDEVICE=${device} -DMODULE=${out}/${variant}.spv
                        "-DSPECS=${specs}" "-DOPTIONS=${options}" -DOUTPUT=${code}
                        -P ${NATIVE_CODE_SCRIPT}
                    DEPENDS ${out}/${variant}.spv ${NATIVE_CODE_SCRIPT}
                    COMMENT "Compiling kernel ${variant} for ${device}" VERBATIM)
                list(APPEND codes ${code})
                list(LENGTH fields nspecs)
                list(TRANSFORM fields REPLACE "([0-9]+):([0-9]+)" "{\\1,\\2u},")
                string(REPLACE ";" "" fields "${fields}")
                string(APPEND declarations
                    "static const spec_t specs_${count}[] = {${fields}{0,0}};\n")
                string(APPEND entries
                    "{KERNEL_HASH_${variant}, ${ip_version}u, ${nspecs}, specs_${count}},\n")
                math(EXPR count "${count} + 1")
            endforeach()
        endforeach()
        message(STATUS "Native code: ${count} modules for ${devices}, by ${OCLOC}")
        pack_files(${out}/native.pack "${codes}")
        embed_pack(${out}/native_code.S native_pack ${out}/native.pack)
        target_sources(${target} PRIVATE ${out}/native_code.S)
    endif()
    file(CONFIGURE OUTPUT ${out}/embedded_code.h @ONLY
         CONTENT "/* Made by the build: modules that were compiled ahead of time. */
@declarations@enum { NCODES = @count@ };
static const embedded_code_t codes[NCODES + 1] = {
@entries@{0}};
")
endfunction()
