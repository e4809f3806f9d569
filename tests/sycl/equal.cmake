# SPDX-License-Identifier: Apache-2.0
# cmake -DOURS=<program> -DONEDNN=<the same program with oneDNN> -P equal.cmake
# Runs both on OpenCL and compares what they print: the name of each scenario, and its results.
cmake_minimum_required(VERSION 3.20)
foreach(library IN ITEMS OURS ONEDNN)
    # oneDNN's engine wants a CPU of any backend, which is that of OpenCL. No loader of Level Zero
    # is asked: old ones crash.
    set(ENV{ONEAPI_DEVICE_SELECTOR} *:cpu)
    unset(ENV{ZE_ENABLE_ALT_DRIVERS})
    execute_process(COMMAND ${${library}} RESULT_VARIABLE status OUTPUT_VARIABLE ${library}_text)
    # Intel's compiler for CPUs, which oneDNN calls, ends one process in many.
    if(library STREQUAL "ONEDNN" AND status MATCHES "Segmentation")
        message(STATUS "oneDNN's program ended in a segmentation fault, and runs again")
        execute_process(COMMAND ${${library}} RESULT_VARIABLE status OUTPUT_VARIABLE ONEDNN_text)
    endif()
    if(status)
        message(FATAL_ERROR "${${library}} answers ${status}\n${${library}_text}")
    endif()
endforeach()
if(NOT OURS_text STREQUAL ONEDNN_text)
    message(FATAL_ERROR "this library prints\n${OURS_text}\nand oneDNN\n${ONEDNN_text}")
endif()
string(REGEX MATCHALL "\n  " results "${OURS_text}")
list(LENGTH results count)
message(STATUS "${count} results are those of oneDNN")
