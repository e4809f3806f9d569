# SPDX-License-Identifier: Apache-2.0
# Problems plan the same whenever they are created: nothing that is not determined goes into a plan.
# REPLAY: the program; BATCH: the problems; PREFIX: of the files written.
foreach(run IN ITEMS 1 2)
    execute_process(COMMAND ${REPLAY} --all --batch ${BATCH} --plans ${PREFIX}.${run}.tsv
        --plans-text ${PREFIX}.${run}.txt
        --dispatch ${PREFIX}.${run}.log
        RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "replay --plans answers ${code}")
    endif()
endforeach()
foreach(kind IN ITEMS tsv txt log)
    file(SHA256 ${PREFIX}.1.${kind} first)
    file(SHA256 ${PREFIX}.2.${kind} second)
    file(SIZE ${PREFIX}.1.${kind} size)
    if(size EQUAL 0 OR NOT first STREQUAL second)
        message(FATAL_ERROR "${PREFIX}.1.${kind} and ${PREFIX}.2.${kind} differ, or are empty")
    endif()
endforeach()
