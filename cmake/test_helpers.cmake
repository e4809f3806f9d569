# SPDX-License-Identifier: Apache-2.0
# How a test of this project is built and run.
include_guard(GLOBAL)

find_path(CMOCKA_INCLUDE_DIR cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    message(FATAL_ERROR
        "The tests need cmocka (Debian: libcmocka-dev). "
        "Turn DNNL_ZE_BUILD_TESTS off to build without them.")
endif()

# ZE_ENABLE_ALT_DRIVERS of the loader hides all other drivers, so that results do not depend on the
# machine. Where the machine has a GPU, the tests of the library run on it as well (<name>.gpu).
# -DDNNL_ZE_TEST_ON_CPU=OFF runs all tests on the drivers of the machine only.
option(DNNL_ZE_TEST_ON_CPU
    "Run the tests on the CPU driver built here; OFF: on the drivers the loader finds by itself" ON)
set(DNNL_ZE_TEST_ON_GPU AUTO CACHE STRING
    "Run the tests of the library on this machine's Level Zero GPU as well: AUTO (if configuring finds one), ON, OFF")
set(DNNL_ZE_TEST_GPU_ENVIRONMENT "" CACHE STRING
    "Environment of the tests on the GPU and of the search for it: NAME=VALUE;...")
option(DNNL_ZE_TEST_STRICT "Run every test with the CPU driver in strict mode" OFF)
# The first report of strict mode ends a test, except for tests that make mistakes on purpose.
set(DNNL_ZE_MISTAKEN_TESTS "^(driver_|api_(engine|events|failed_launch))"
    CACHE INTERNAL "Names of tests that make mistakes on purpose")
set(DNNL_ZE_POCL_CACHE ${PROJECT_BINARY_DIR}/pocl_cache
    CACHE PATH "Where the tests keep what the device compiler built")
set(DNNL_ZE_TEST_TIMEOUT 900
    CACHE STRING "Seconds after which a test that does not say otherwise has failed")

# In loaders after 1.8 (specification 1.4), the handle tracking of the validation layer reports
# every append to an immediate list as an append to a closed list. With these loaders only the
# parameter checks of the layer run.
find_path(LEVEL_ZERO_INCLUDE_DIR level_zero/ze_api.h)
set(validation_layer ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1)
if(LEVEL_ZERO_INCLUDE_DIR)
    file(STRINGS ${LEVEL_ZERO_INCLUDE_DIR}/level_zero/ze_api.h version
        REGEX "ZE_API_VERSION_CURRENT *= *ZE_MAKE_VERSION")
    if(version MATCHES "ZE_MAKE_VERSION\\( *1, *[0-4] *\\)")
        list(APPEND validation_layer ZE_ENABLE_HANDLE_LIFETIME=1)
    endif()
endif()
set(DNNL_ZE_VALIDATION_LAYER ${validation_layer}
    CACHE INTERNAL "Environment that turns the validation layer on")

# Sets DNNL_ZE_TEST_GPU: whether tests are registered as <name>.gpu, too.
include(LevelZeroGpu)
set(gpu_tests ${DNNL_ZE_TEST_ON_GPU})
if(DNNL_ZE_TEST_ON_GPU STREQUAL AUTO)
    find_level_zero_gpu(gpu_tests gpu_answer ${DNNL_ZE_TEST_GPU_ENVIRONMENT})
    if(gpu_tests)
        message(STATUS "Tests: also on the GPU ${gpu_answer}")
    else()
        message(STATUS "Tests: on no GPU (${gpu_answer})")
    endif()
endif()
set(DNNL_ZE_TEST_GPU ${gpu_tests} CACHE INTERNAL "Whether tests run on a GPU as well")
# What the tests on the GPU skip; printed at the end (tests/gpu/report.cmake).
set(DNNL_ZE_TEST_SKIPS ${PROJECT_BINARY_DIR}/gpu_skips.txt CACHE INTERNAL
    "Where the tests on the GPU write what they skip")

# dnnl_ze_test_environment(var [gpu]): sets `var` to the NAME=VALUE list that a test runs with, on
# the CPU driver or on a GPU.
function(dnnl_ze_test_environment var)
    # All tests share a cache, so that the device compiler builds a module only once.
    set(env "POCL_CACHE_DIR=${DNNL_ZE_POCL_CACHE}")
    if(ARGN STREQUAL gpu)
        list(APPEND env DNNL_ZE_TEST_SKIPS=${DNNL_ZE_TEST_SKIPS} ${DNNL_ZE_TEST_GPU_ENVIRONMENT})
    elseif(DNNL_ZE_TEST_ON_CPU AND TARGET ze_cpu)
        list(APPEND env "ZE_ENABLE_ALT_DRIVERS=$<TARGET_FILE:ze_cpu>")
    endif()
    if(DNNL_ZE_SANITIZE)
        set(supp ${PROJECT_SOURCE_DIR}/tests/sanitizer.supp)
        set(tsan_supp ${PROJECT_SOURCE_DIR}/tests/tsan.supp)
        list(APPEND env
            "ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1"
            "LSAN_OPTIONS=suppressions=${supp}:print_suppressions=0"
            "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
            "TSAN_OPTIONS=suppressions=${tsan_supp}:second_deadlock_stack=1")
    endif()
    set(${var} "${env}" PARENT_SCOPE)
endfunction()

# dnnl_ze_register_on_gpu(name LABELS ... TIMEOUT seconds ENVIRONMENT ... COMMAND ...)
# Registers a command as <name>.gpu, which runs on the GPU of the machine, if there is one.
function(dnnl_ze_register_on_gpu name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
    if(NOT DNNL_ZE_TEST_GPU OR NOT DNNL_ZE_TEST_ON_CPU)
        return()
    endif()
    dnnl_ze_test_environment(env gpu)
    add_test(NAME ${name}.gpu COMMAND ${arg_COMMAND})
    set_tests_properties(${name}.gpu PROPERTIES ENVIRONMENT "${env};${arg_ENVIRONMENT}" LABELS
        "${arg_LABELS};gpu"
        TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

# dnnl_ze_register_test(name [LABELS ...] [TIMEOUT seconds] [ENVIRONMENT ...] [VARIANTS] [STRICT]
#                       [GPU] COMMAND ...)
# Registers a command in ctest with the environment above. VARIANTS registers it twice more: as
# <name>.intercept, where the loader wraps every handle, and as <name>.validation, with the loader's
# validation layer. STRICT: the test runs in strict mode even if not all tests do. GPU: the test is
# registered for the GPU of the machine, too. Tests have the label of the device, cpu or gpu.
function(dnnl_ze_register_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "VARIANTS;STRICT;GPU" "TIMEOUT"
        "COMMAND;LABELS;ENVIRONMENT")
    if(arg_STRICT AND (DNNL_ZE_TEST_STRICT OR NOT DNNL_ZE_TEST_ON_CPU))
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT ${DNNL_ZE_TEST_TIMEOUT})
    endif()
    if(arg_GPU)
        dnnl_ze_register_on_gpu(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT
            ${arg_ENVIRONMENT}
                                COMMAND ${arg_COMMAND})
    endif()
    if(DNNL_ZE_TEST_ON_CPU)
        list(REMOVE_ITEM arg_LABELS gpu-smoke)
        list(APPEND arg_LABELS cpu)
    elseif(arg_GPU)
        list(APPEND arg_LABELS gpu)
    endif()
    dnnl_ze_test_environment(env)
    if(arg_STRICT OR DNNL_ZE_TEST_STRICT)
        if(name MATCHES "${DNNL_ZE_MISTAKEN_TESTS}")
            list(APPEND env ZE_CPU_STRICT=1)
        else()
            list(APPEND env ZE_CPU_STRICT=2)
        endif()
    endif()
    if(arg_STRICT)
        list(APPEND arg_LABELS strict)
    endif()
    list(APPEND env ${arg_ENVIRONMENT})

    set(environment_ "")
    set(environment_.intercept ZE_ENABLE_LOADER_INTERCEPT=1)
    set(environment_.validation ${DNNL_ZE_VALIDATION_LAYER})
    set(suffixes NONE)
    if(arg_VARIANTS)
        list(APPEND suffixes .intercept .validation)
    endif()
    foreach(suffix IN LISTS suffixes)
        string(REPLACE "NONE" "" suffix "${suffix}")
        add_test(NAME ${name}${suffix} COMMAND ${arg_COMMAND})
        set_tests_properties(${name}${suffix} PROPERTIES
            ENVIRONMENT "${env};${environment_${suffix}}"
            LABELS "${arg_LABELS}"
            TIMEOUT ${arg_TIMEOUT}
            SKIP_RETURN_CODE 77)
    endforeach()
endfunction()

# dnnl_ze_register_on_intel_opencl(target [ENVIRONMENT NAME=VALUE...] [LABELS ...])
# Registers a test program once more, with the CPU driver on Intel's OpenCL. It is skipped where
# that cannot be had. Sanitizers do not know its threads.
function(dnnl_ze_register_on_intel_opencl target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ENVIRONMENT;LABELS")
    if(NOT TARGET ze_cpu OR DNNL_ZE_SANITIZE)
        return()
    endif()
    dnnl_ze_register_test(${target}.intel_opencl LABELS ${arg_LABELS} intel-opencl
        COMMAND ${CMAKE_SOURCE_DIR}/scripts/on-intel-opencl $<TARGET_FILE:${target}>
        ENVIRONMENT ${arg_ENVIRONMENT} ZE_CPU_STRICT=0)
endfunction()

# dnnl_ze_register_opencl_on_intel(target [ENVIRONMENT NAME=VALUE...] [LABELS ...])
# Registers a program whose engines are OpenCL's once more, on Intel's OpenCL for CPUs, as
# <target>.opencl_intel. It is skipped where that cannot be had. Without the vectoriser, which
# crashes on some kernels.
function(dnnl_ze_register_opencl_on_intel target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ENVIRONMENT;LABELS")
    dnnl_ze_register_test(${target}.opencl_intel LABELS ${arg_LABELS} ocl intel-opencl TIMEOUT 600
        COMMAND ${CMAKE_SOURCE_DIR}/scripts/on-intel-opencl $<TARGET_FILE:${target}>
        ENVIRONMENT ${arg_ENVIRONMENT} ONEDNN_GPU_RUNTIME=ocl CL_CONFIG_CPU_VECTORIZER_MODE=1
            ZE_CPU_STRICT=0)
endfunction()

# dnnl_ze_add_test(name SOURCES file... [LIBS target...] [LABELS ...] [TIMEOUT seconds]
#                  [ENVIRONMENT NAME=VALUE...] [ARGS ...] [VARIANTS] [GPU])
# Builds a cmocka program and registers it as a test. Exit code 77 means that the test cannot run
# here.
function(dnnl_ze_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "VARIANTS;GPU" "TIMEOUT"
        "SOURCES;LIBS;LABELS;ENVIRONMENT;ARGS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "dnnl_ze_add_test(${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} ${CMOCKA_LIBRARY})
    set(options "")
    foreach(option IN ITEMS VARIANTS GPU)
        if(arg_${option})
            list(APPEND options ${option})
        endif()
    endforeach()
    if(arg_TIMEOUT)
        list(APPEND options TIMEOUT ${arg_TIMEOUT})
    endif()
    dnnl_ze_register_test(${name} ${options} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT}
                          COMMAND ${name} ${arg_ARGS})
endfunction()
