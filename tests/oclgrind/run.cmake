# SPDX-License-Identifier: Apache-2.0
# Run as a script: a test program on the simulator Oclgrind. Any access out of bounds, data race or
# wrong use of OpenCL fails it.
#   -DOCLGRIND= -DPROGRAM= [-DARGUMENTS=] -DLOG= [-DEXPECT=text that has to be in the log: the check
#   of this check]
file(REMOVE ${LOG})
execute_process(COMMAND ${OCLGRIND} --data-races --check-api --max-errors 20 --log ${LOG} ${PROGRAM}
    ${ARGUMENTS} RESULT_VARIABLE failed)
set(found "")
if(EXISTS ${LOG})
    file(READ ${LOG} found)
endif()
string(STRIP "${found}" found)
if(EXPECT)
    if(NOT found MATCHES "${EXPECT}")
        message(FATAL_ERROR "Oclgrind did not see \"${EXPECT}\":\n${found}")
    endif()
    return()
endif()
if(failed OR found)
    message(FATAL_ERROR "${PROGRAM} on Oclgrind: ${failed}\n${found}")
endif()
