# SPDX-License-Identifier: Apache-2.0
# A script: problems that a device cannot run are skipped and counted.
#   -DREPLAY= -DREPORT_SCRIPT= -DFOLDER= -DLACKS=whether the device lacks doubles and memory
cmake_minimum_required(VERSION 3.20)
set(batch ${FOLDER}/batch.txt)
set(skips ${FOLDER}/skips.txt)
file(REMOVE_RECURSE ${FOLDER})
# Two problems with doubles, one with 9 MiB for each tensor, and one that any device runs.
file(WRITE ${batch}
    "eltwise dt=f64 alg=eltwise_relu alpha=0 beta=0 prop=forward_inference 31x33,7\n"
    "eltwise dt=s8 alg=eltwise_relu alpha=0 beta=0 prop=forward_inference 9437184\n"
    "eltwise dt=f32 alg=eltwise_relu alpha=0 beta=0 prop=forward_inference 31x33\n")

function(expect what text pattern)
    if(NOT text MATCHES "${pattern}")
        message(SEND_ERROR "${what}: expected ${pattern}, got:\n${text}")
    endif()
endfunction()

set(ENV{DNNL_ZE_TEST_SKIPS} ${skips})
execute_process(COMMAND ${REPLAY} --all --batch ${batch} OUTPUT_VARIABLE text ERROR_VARIABLE text
    RESULT_VARIABLE code)
expect("exit code" "${code}\n${text}" "^0\n")
if(NOT LACKS)
    expect(replay "${text}" "4 passed, 0 failed")
    if(text MATCHES "skipped:" OR EXISTS ${skips})
        message(SEND_ERROR "something is skipped: ${text}")
    endif()
    return()
endif()
expect(replay "${text}" "1 passed, 0 failed")
expect(replay "${text}" "skipped: 2 cases, the device has no double precision")
expect(replay "${text}" "skipped: 1 cases, the device has too little memory")

# Of two tests. Then the counts are of the next run.
execute_process(COMMAND ${REPLAY} --all --batch ${batch} OUTPUT_QUIET)
file(WRITE ${FOLDER}/report.txt "A device\n")
foreach(pattern IN ITEMS
        "^gpu: A device\ngpu: 4 cases were skipped: the device has no double precision\ngpu: 2 cases were skipped: the device has too little memory\n$"
        "^$")
    execute_process(COMMAND ${CMAKE_COMMAND} -DREPORT=${FOLDER}/report.txt -DSKIPS=${skips} -P
        ${REPORT_SCRIPT}
                    OUTPUT_VARIABLE text ERROR_VARIABLE text)
    expect(report "${text}" "${pattern}")
endforeach()

# A test that skips all of its problems is skipped.
file(WRITE ${batch} "eltwise dt=f64 alg=eltwise_relu alpha=0 beta=0 prop=forward_inference 31x33\n")
execute_process(COMMAND ${REPLAY} --all --batch ${batch} OUTPUT_QUIET RESULT_VARIABLE code)
expect("exit code" "${code}" "^77$")
