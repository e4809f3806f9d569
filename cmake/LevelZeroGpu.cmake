# SPDX-License-Identifier: Apache-2.0
# Looks for a Level Zero GPU on this machine while CMake configures.
include_guard(GLOBAL)

# find_level_zero_gpu(var answer_var [NAME=VALUE...]): sets `var` to TRUE if there is a GPU, and
# `answer_var` to its name, or to why there is none. The further arguments are added to the
# environment of the search.
function(find_level_zero_gpu var answer_var)
    set(${var} FALSE PARENT_SCOPE)
    find_path(LEVEL_ZERO_INCLUDE_DIR level_zero/ze_api.h)
    if(CMAKE_CROSSCOMPILING OR NOT LEVEL_ZERO_INCLUDE_DIR)
        set(${answer_var} "not looked for" PARENT_SCOPE)
        return()
    endif()
    set(probe ${PROJECT_BINARY_DIR}/gpu_probe)
    set(source ${PROJECT_SOURCE_DIR}/tests/gpu/probe.c)
    try_compile(compiled ${probe} SOURCES ${source} LINK_LIBRARIES ${CMAKE_DL_LIBS} COPY_FILE
        ${probe}/probe
                CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${LEVEL_ZERO_INCLUDE_DIR} OUTPUT_VARIABLE text)
    if(NOT compiled)
        set(${answer_var} "${source} cannot be compiled: ${text}" PARENT_SCOPE)
        return()
    endif()
    # The probe has its own limit. This one is for a probe that cannot even start.
    execute_process(COMMAND ${CMAKE_COMMAND} -E env ${ARGN} ${probe}/probe TIMEOUT 60
                    OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
    string(REPLACE ";" "," text "${text}")
    string(STRIP "${text}" text)
    set(${answer_var} "${text}" PARENT_SCOPE)
    if(code EQUAL 0)
        set(${var} TRUE PARENT_SCOPE)
    endif()
endfunction()
