# SPDX-License-Identifier: Apache-2.0
# Finds clang and llvm-spirv of one LLVM version, because one reads the bitcode of the other. Of
# several pairs it takes the newest. KERNEL_CLANG and KERNEL_LLVM_SPIRV name others.
include_guard(GLOBAL)

# Versions with which all kernels were compiled and tested are 15, 19 and 22.
set(KERNEL_LLVM_NEWEST 22)
set(KERNEL_LLVM_OLDEST 15)

# kernel_tool_version(var path): sets `var` to the number of its LLVM version, or to nothing.
function(kernel_tool_version var path)
    execute_process(COMMAND ${path} --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE
        failed)
    set(${var} "" PARENT_SCOPE)
    if(NOT failed AND text MATCHES "version ([0-9]+)")
        set(${var} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
endfunction()

# kernel_tools(tool): finds the programs <tool>-22 to <tool>-15 and <tool>. Sets <tool>_versions to
# their LLVM versions, and <tool>_<version> to the path of each.
function(kernel_tools tool)
    set(names "")
    foreach(version RANGE ${KERNEL_LLVM_NEWEST} ${KERNEL_LLVM_OLDEST} -1)
        list(APPEND names ${tool}-${version})
    endforeach()
    set(versions "")
    foreach(name IN LISTS names ITEMS ${tool})
        unset(kernel_tool CACHE)
        find_program(kernel_tool ${name})
        set(version "")
        if(kernel_tool)
            kernel_tool_version(version ${kernel_tool})
        endif()
        if(version AND NOT version IN_LIST versions)
            list(APPEND versions ${version})
            set(${tool}_${version} ${kernel_tool} PARENT_SCOPE)
        endif()
    endforeach()
    unset(kernel_tool CACHE)
    set(${tool}_versions "${versions}" PARENT_SCOPE)
endfunction()

# kernel_no_pair(clangs spirvs): ends the configuration with a sentence that says what is missing.
function(kernel_no_pair clangs spirvs)
    foreach(list IN ITEMS clangs spirvs)
        string(REPLACE ";" ", " ${list} "${${list}}")
        if(NOT ${list})
            set(${list} none)
        endif()
    endforeach()
    message(FATAL_ERROR
        "The kernels need clang and llvm-spirv of one LLVM version from ${KERNEL_LLVM_OLDEST} on. "
        "Versions found: clang ${clangs}; llvm-spirv ${spirvs}. scripts/install-deps installs a pair, or says which packages "
        "contain one (docs/building.md). KERNEL_CLANG and KERNEL_LLVM_SPIRV name programs in other places.")
endfunction()

# find_kernel_compiler(): sets KERNEL_CLANG, KERNEL_LLVM_SPIRV and, if there is one, KERNEL_OPT in
# the cache, and KERNEL_CLANG_VERSION.
macro(find_kernel_compiler)
    # A pair that was found before may have been removed since.
    foreach(var IN ITEMS KERNEL_CLANG KERNEL_LLVM_SPIRV KERNEL_OPT)
        if(NOT ${var} OR (IS_ABSOLUTE "${${var}}" AND NOT EXISTS "${${var}}"))
            unset(${var} CACHE)
        endif()
    endforeach()
    find_kernel_pair()
    execute_process(COMMAND ${KERNEL_CLANG} -dumpversion OUTPUT_VARIABLE KERNEL_CLANG_VERSION
        OUTPUT_STRIP_TRAILING_WHITESPACE)
endmacro()

function(find_kernel_pair)
    foreach(tool IN ITEMS clang llvm-spirv opt)
        kernel_tools(${tool})
    endforeach()
    # One that is named decides which version the other has.
    if(KERNEL_CLANG)
        kernel_tool_version(clang_versions ${KERNEL_CLANG})
        set(clang_${clang_versions} ${KERNEL_CLANG})
    endif()
    if(KERNEL_LLVM_SPIRV)
        kernel_tool_version(llvm-spirv_versions ${KERNEL_LLVM_SPIRV})
        set(llvm-spirv_${llvm-spirv_versions} ${KERNEL_LLVM_SPIRV})
    endif()
    if(NOT KERNEL_CLANG OR NOT KERNEL_LLVM_SPIRV)
        set(pair "")
        foreach(version IN LISTS clang_versions)
            if(version IN_LIST llvm-spirv_versions AND version GREATER_EQUAL KERNEL_LLVM_OLDEST AND
                (NOT pair OR version GREATER pair))
                set(pair ${version})
            endif()
        endforeach()
        if(NOT pair)
            kernel_no_pair("${clang_versions}" "${llvm-spirv_versions}")
        endif()
        set(KERNEL_CLANG ${clang_${pair}} CACHE FILEPATH "clang that compiles the kernels" FORCE)
        set(KERNEL_LLVM_SPIRV ${llvm-spirv_${pair}} CACHE FILEPATH
            "llvm-spirv of the same LLVM version" FORCE)
    endif()
    kernel_tool_version(version ${KERNEL_CLANG})
    if(KERNEL_OPT)
        kernel_tool_version(opt_version ${KERNEL_OPT})
    endif()
    if(KERNEL_OPT AND NOT opt_version STREQUAL version)
        message(STATUS
            "Kernels: ${KERNEL_OPT} is of another version than ${KERNEL_CLANG} and is not used")
        unset(KERNEL_OPT CACHE)
    endif()
    if(NOT KERNEL_OPT AND opt_${version})
        set(KERNEL_OPT ${opt_${version}} CACHE FILEPATH
            "LLVM optimiser of the same version; without it the kernels are 1.8 times larger" FORCE)
    endif()
endfunction()
