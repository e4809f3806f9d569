# SPDX-License-Identifier: Apache-2.0
# A script: digits_train saves weights, and cnn_inference classifies as many of the digits held out
# rightly with them as digits_train printed at last.
#   -DTRAIN=digits_train -DCLASSIFY=cnn_inference -DTYPE=f32 or bf16 -DWEIGHTS=file to write
cmake_minimum_required(VERSION 3.20)
set(arguments --epochs 2 --images 512 --least 85 --save ${WEIGHTS})
if(TYPE STREQUAL bf16)
    list(APPEND arguments --bf16)
endif()
file(REMOVE ${WEIGHTS})

# answer(variable pattern command...): what the pattern's group matched last in the output.
function(answer variable pattern)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code)
    message("${text}")
    string(REGEX MATCHALL "${pattern}" lines "${text}")
    list(POP_BACK lines line)
    if(NOT code EQUAL 0 OR NOT line MATCHES "${pattern}")
        message(FATAL_ERROR "${ARGN}: exit code ${code}, and no line with ${pattern}")
    endif()
    set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

answer(trained "([0-9.]+ % of [0-9]+ digits) held out" ${TRAIN} ${arguments})
answer(classified "trained: ([^\n]*)" ${CLASSIFY} trained ${WEIGHTS})
if(NOT classified MATCHES "^([0-9.]+ %) of ([0-9]+ digits) in f32, ([0-9.]+ %) in bf16$")
    message(FATAL_ERROR "cnn_inference printed: ${classified}")
endif()
set(f32 "${CMAKE_MATCH_1} of ${CMAKE_MATCH_2}")
set(bf16 "${CMAKE_MATCH_3} of ${CMAKE_MATCH_2}")
if(NOT trained STREQUAL "${${TYPE}}")
    message(FATAL_ERROR "trained in ${TYPE}: ${trained}; classified: ${${TYPE}}")
endif()
