# SPDX-License-Identifier: Apache-2.0
# A script: configures the project as on a machine with a GPU, for which the CPU driver poses, and
# looks at the tests that ctest then has.
#   -DSOURCE= -DBUILD= -DGENERATOR= -DCLANG= -DLLVM_SPIRV= -DDRIVER=
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${BUILD})
set(ENV{ZE_ENABLE_ALT_DRIVERS} "")

# configure(name expected arguments...)
function(configure name expected)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR}
        -DKERNEL_CLANG=${CLANG} -DKERNEL_LLVM_SPIRV=${LLVM_SPIRV}
                            "-DDNNL_ZE_TEST_FOLDERS=core;kernels;driver;gpu" ${ARGN}
                    OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
    if(failed OR NOT text MATCHES "${expected}")
        message(SEND_ERROR "${name}: expected ${expected}, got:\n${text}")
    endif()
endfunction()

# tests(label present absent): the names of the tests with the label.
function(tests label present absent)
    execute_process(COMMAND ${CMAKE_CTEST_COMMAND} -N -L
        "^${label}$" WORKING_DIRECTORY ${BUILD} OUTPUT_VARIABLE text)
    string(REGEX MATCHALL ": [^\n ]+\n" names "${text}")
    list(TRANSFORM names REPLACE "^: (.*)\n$" "\\1")
    foreach(name IN LISTS present)
        if(NOT name IN_LIST names)
            message(SEND_ERROR "label ${label}: ${name} is missing in: ${names}")
        endif()
    endforeach()
    foreach(name IN LISTS absent)
        if(name IN_LIST names)
            message(SEND_ERROR "label ${label}: ${name} should not be in: ${names}")
        endif()
    endforeach()
endfunction()

configure(gpu "Tests: also on the GPU .+, driver [0-9]"
    "-DDNNL_ZE_TEST_GPU_ENVIRONMENT=ZE_ENABLE_ALT_DRIVERS=${DRIVER}\\;ZE_CPU_TYPE=gpu")
tests(gpu
    "kernels_matmul.gpu;replay_softmax.gpu;core_primitive_desc.gpu;example_cnn_alexnet.gpu;smoke_report.gpu;smoke_lrn.gpu"
    "kernels_matmul;driver_list;driver_list.gpu;core_tags;core_tags.gpu")
tests(cpu "kernels_matmul;driver_list;core_tags;example_cnn_alexnet"
    "kernels_matmul.gpu;smoke_lrn.gpu")
tests(gpu-smoke "smoke_matmul.gpu;smoke_report.gpu;example_attention.gpu"
    "kernels_matmul.gpu;example_attention;kernels_matmul")
configure(cpu
    "Tests: on no GPU \\(1 Level Zero drivers, none with a GPU\\)"
    -DDNNL_ZE_TEST_GPU_ENVIRONMENT=ZE_ENABLE_ALT_DRIVERS=${DRIVER})
tests(gpu "" "kernels_matmul.gpu;smoke_lrn.gpu;smoke_report.gpu")
tests(cpu "kernels_matmul;driver_list" "")
