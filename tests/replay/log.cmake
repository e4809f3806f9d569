# SPDX-License-Identifier: Apache-2.0
# cmake -DREPLAY=... -DLINES=... -DLOG=... -P log.cmake: replays lines, and then the log that the
# library wrote of them, whose lines have to be printed as they are.
set(ENV{ONEDNN_VERBOSE} profile)
execute_process(COMMAND ${REPLAY} --file ${LINES} OUTPUT_FILE ${LOG} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    file(READ ${LOG} text)
    message(FATAL_ERROR "${LINES}: exit code ${code}\n${text}")
endif()
unset(ENV{ONEDNN_VERBOSE})
execute_process(COMMAND ${REPLAY} --file ${LOG} OUTPUT_VARIABLE text RESULT_VARIABLE code)
message(STATUS "${text}")
if(NOT code EQUAL 0 OR NOT text MATCHES "([0-9]+) passed, 0 failed, 0 refused" OR CMAKE_MATCH_1
    LESS 50)
    message(FATAL_ERROR "${LOG}: exit code ${code}, at least 50 lines have to pass")
endif()
