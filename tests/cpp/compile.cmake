# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=... -DSTANDARD=... -DSOURCE=... -DINCLUDES=... -DBUILT_INCLUDES=... -P
# compile.cmake
# Compiles the checks of the C++ interface, and each C++ header alone, without a warning: with and
# without optional declarations, and without exceptions. With -DTESTS=ON -DOTHER_INCLUDES=..., and
# no source: the programs of this folder and the example.
set(flags -std=${STANDARD} -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    -Werror -fsyntax-only
    -I${INCLUDES} -I${BUILT_INCLUDES})
set(optional -DDNNL_DLL -DDNNL_EXPERIMENTAL_PROFILING -DDNNL_EXPERIMENTAL_GROUPED_MEMORY=1)

set(failed 0)
function(compile)
    execute_process(COMMAND ${COMPILER} ${flags} ${ARGN} RESULT_VARIABLE status
        ERROR_VARIABLE messages)
    if(status)
        list(JOIN ARGN " " arguments)
        message("${arguments}\n${messages}")
        math(EXPR failed "${failed} + 1")
        set(failed ${failed} PARENT_SCOPE)
    endif()
endfunction()

if(TESTS)
    list(TRANSFORM OTHER_INCLUDES PREPEND -idirafter OUTPUT_VARIABLE others)
    file(GLOB programs ${CMAKE_CURRENT_LIST_DIR}/test_*.cpp
        ${CMAKE_CURRENT_LIST_DIR}/../../examples/*.cpp)
    foreach(program IN LISTS programs)
        compile(${optional} ${others} ${program})
    endforeach()
    if(failed)
        message(FATAL_ERROR "${failed} compilations as ${STANDARD} failed")
    endif()
    return()
endif()

compile(${optional} ${SOURCE})
compile(-fno-exceptions ${SOURCE})
file(GLOB headers ${INCLUDES}/oneapi/dnnl/*.hpp)
list(FILTER headers EXCLUDE REGEX sycl) # tests/sycl compiles them, with a SYCL runtime
list(LENGTH headers count)
if(count LESS 3)
    message(FATAL_ERROR "Only ${count} C++ headers in ${INCLUDES}")
endif()
foreach(header IN LISTS headers)
    compile(-x c++ -include ${header} /dev/null)
endforeach()
if(failed)
    message(FATAL_ERROR "${failed} compilations as ${STANDARD} failed")
endif()
