# SPDX-License-Identifier: Apache-2.0
# A script: which clang and llvm-spirv the build takes, of programs that only tell their version.
#   -DMODULE=cmake/KernelCompiler.cmake -DFOLDER=scratch folder
#   -DONCE=ON   look once, on PATH alone, and print what was found
cmake_minimum_required(VERSION 3.20)

if(ONCE)
    set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH FALSE)
    include(${MODULE})
    find_kernel_compiler()
    foreach(var IN ITEMS KERNEL_CLANG KERNEL_LLVM_SPIRV KERNEL_OPT)
        get_filename_component(${var} "${${var}}" NAME)
    endforeach()
    message("found: ${KERNEL_CLANG}, ${KERNEL_LLVM_SPIRV}, ${KERNEL_OPT}, ${KERNEL_CLANG_VERSION}.")
    return()
endif()

# check(name tools expected arguments...): `tools` are <program>=<version>. The answer has to match
# the regular expression.
function(check name tools expected)
    set(dir ${FOLDER}/${name})
    file(REMOVE_RECURSE ${dir})
    foreach(tool IN LISTS tools)
        string(REPLACE "=" ";" tool ${tool})
        list(GET tool 0 program)
        list(GET tool 1 version)
        file(WRITE ${dir}/${program}
            "#!/bin/sh\n[ \"$1\" = -dumpversion ] && echo ${version} || echo \"A compiler, version ${version}\"\n")
        file(CHMOD ${dir}/${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endforeach()
    file(MAKE_DIRECTORY ${dir})
    string(REPLACE "@dir@" ${dir} arguments "${ARGN}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${dir} ${CMAKE_COMMAND} -DONCE=ON
        -DMODULE=${MODULE} ${arguments}
                            -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
                    OUTPUT_VARIABLE text ERROR_VARIABLE text)
    string(REGEX REPLACE "[ \n]+" " " text "${text}")
    if(NOT text MATCHES "${expected}")
        message(SEND_ERROR "${name}: expected ${expected}, got: ${text}")
    endif()
endfunction()

check(newest
    "clang-15=15.0.6;llvm-spirv-15=15.0.0;opt-15=15.0.6;clang-19=19.1.7;llvm-spirv-19=19.1.6;opt-19=19.1.7"
    "found: clang-19, llvm-spirv-19, opt-19, 19.1.7\\.")
check(pair_of_one_version
    "clang-22=22.1.0;clang-18=18.1.3;llvm-spirv-18=18.1.0;llvm-spirv-15=15.0.0"
    "found: clang-18, llvm-spirv-18, , 18.1.3\\.")
check(unversioned_names
    "clang=21.1.0;llvm-spirv=21.1.0;opt=21.1.0;clang-15=15.0.6;llvm-spirv-15=15.0.0"
    "found: clang, llvm-spirv, opt, 21.1.0\\.")
check(mixed_names "clang=23.1.0;llvm-spirv=20.1.0;clang-20=20.1.2;opt=23.1.0"
    "found: clang-20, llvm-spirv, , 20.1.2\\.")
check(clang_is_named
    "clang-19=19.1.7;llvm-spirv-19=19.1.6;clang-17=17.0.1;llvm-spirv-17=17.0.0;opt-17=17.0.1"
    "found: clang-17, llvm-spirv-17, opt-17, 17.0.1\\." -DKERNEL_CLANG=@dir@/clang-17)
check(both_are_named "clang-19=19.1.7;llvm-spirv-19=19.1.6;mine=16.0.0;translator=16.1.0"
    "found: mine, translator, , 16.0.0\\."
    -DKERNEL_CLANG=@dir@/mine -DKERNEL_LLVM_SPIRV=@dir@/translator)
check(opt_of_another_version "clang-19=19.1.7;llvm-spirv-19=19.1.6;opt-15=15.0.6"
    "is not used.*found: clang-19, llvm-spirv-19, , 19.1.7\\." -DKERNEL_OPT=@dir@/opt-15)
check(removed_since "clang-19=19.1.7;llvm-spirv-19=19.1.6"
    "found: clang-19, llvm-spirv-19, , 19.1.7\\."
    -DKERNEL_CLANG=@dir@/clang-15 -DKERNEL_LLVM_SPIRV=@dir@/llvm-spirv-15)
check(no_pair "clang-19=19.1.7;llvm-spirv-15=15.0.0"
    "Versions found: clang 19; llvm-spirv 15\\. scripts/install-deps")
check(too_old "clang-14=14.0.6;llvm-spirv-14=14.0.0;clang=14.0.6;llvm-spirv=14.0.0"
    "from 15 on\\. Versions found: clang 14; llvm-spirv 14\\.")
check(nothing "" "Versions found: clang none; llvm-spirv none\\.")
