# SPDX-License-Identifier: Apache-2.0
# How a test of this project is built and run.
include_guard(GLOBAL)

find_path(CMOCKA_INCLUDE_DIR cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    message(FATAL_ERROR "The tests need cmocka (Debian: libcmocka-dev). Turn DNNL_ZE_BUILD_TESTS off to build without them.")
endif()

# ZE_ENABLE_ALT_DRIVERS of the loader hides all other drivers, so that results do not depend on the
# machine. -DDNNL_ZE_TEST_ON_CPU=OFF runs the tests on the drivers of the machine, such as a GPU's.
option(DNNL_ZE_TEST_ON_CPU "Run the tests on the CPU driver built here; OFF: on the drivers the loader finds by itself" ON)
option(DNNL_ZE_TEST_STRICT "Run every test with the CPU driver in strict mode" OFF)
# The first report of strict mode ends a test, except for tests that make mistakes on purpose.
set(DNNL_ZE_MISTAKEN_TESTS "^(driver_|api_(engine|events|failed_launch))" CACHE INTERNAL "Names of tests that make mistakes on purpose")
set(DNNL_ZE_POCL_CACHE ${PROJECT_BINARY_DIR}/pocl_cache CACHE PATH "Where the tests keep what the device compiler built")
set(DNNL_ZE_TEST_TIMEOUT 900 CACHE STRING "Seconds after which a test that does not say otherwise has failed")

# In loaders after 1.8 (specification 1.4), the handle tracking of the validation layer reports
# every append to an immediate list as an append to a closed list. With these loaders only the
# parameter checks of the layer run.
find_path(LEVEL_ZERO_INCLUDE_DIR level_zero/ze_api.h)
set(validation_layer ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1)
if(LEVEL_ZERO_INCLUDE_DIR)
    file(STRINGS ${LEVEL_ZERO_INCLUDE_DIR}/level_zero/ze_api.h version REGEX "ZE_API_VERSION_CURRENT *= *ZE_MAKE_VERSION")
    if(version MATCHES "ZE_MAKE_VERSION\\( *1, *[0-4] *\\)")
        list(APPEND validation_layer ZE_ENABLE_HANDLE_LIFETIME=1)
    endif()
endif()
set(DNNL_ZE_VALIDATION_LAYER ${validation_layer} CACHE INTERNAL "Environment that turns the validation layer on")

# dnnl_ze_test_environment(var): sets `var` to the NAME=VALUE list that a test runs with.
function(dnnl_ze_test_environment var)
    # All tests share a cache, so that the device compiler builds a module only once.
    set(env "POCL_CACHE_DIR=${DNNL_ZE_POCL_CACHE}")
    if(DNNL_ZE_TEST_ON_CPU AND TARGET ze_cpu)
        list(APPEND env "ZE_ENABLE_ALT_DRIVERS=$<TARGET_FILE:ze_cpu>")
    endif()
    if(DNNL_ZE_SANITIZE)
        set(supp ${PROJECT_SOURCE_DIR}/tests/sanitizer.supp)
        list(APPEND env
            "ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1"
            "LSAN_OPTIONS=suppressions=${supp}:print_suppressions=0"
            "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
            "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:second_deadlock_stack=1")
    endif()
    set(${var} "${env}" PARENT_SCOPE)
endfunction()

# dnnl_ze_register_test(name [LABELS ...] [TIMEOUT seconds] [ENVIRONMENT ...] [VARIANTS] [STRICT]
#                       COMMAND ...)
# Registers a command in ctest with the environment above. VARIANTS registers it twice more: as
# <name>.intercept, where the loader wraps every handle, and as <name>.validation, with the loader's
# validation layer. STRICT: the test runs in strict mode even if not all tests do.
function(dnnl_ze_register_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "VARIANTS;STRICT" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
    if(arg_STRICT AND (DNNL_ZE_TEST_STRICT OR NOT DNNL_ZE_TEST_ON_CPU))
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT ${DNNL_ZE_TEST_TIMEOUT})
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

# dnnl_ze_add_test(name SOURCES file... [LIBS target...] [LABELS ...] [TIMEOUT seconds]
#                  [ENVIRONMENT NAME=VALUE...] [ARGS ...] [VARIANTS])
# Builds a cmocka program and registers it as a test. Exit code 77 means that the test cannot run
# here.
function(dnnl_ze_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "VARIANTS" "TIMEOUT" "SOURCES;LIBS;LABELS;ENVIRONMENT;ARGS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "dnnl_ze_add_test(${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} ${CMOCKA_LIBRARY})
    set(options "")
    if(arg_VARIANTS)
        list(APPEND options VARIANTS)
    endif()
    if(arg_TIMEOUT)
        list(APPEND options TIMEOUT ${arg_TIMEOUT})
    endif()
    dnnl_ze_register_test(${name} ${options} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT}
                          COMMAND ${name} ${arg_ARGS})
endfunction()
