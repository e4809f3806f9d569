# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=... -DINCLUDES=... -DBUILT_INCLUDES=... -DSYCL_INCLUDES=... -DSOURCE=...
# -P headers.cmake
# Compiles each header of SYCL alone as C++17, and the one that includes all as C++20. Such a file
# takes seconds: the headers of SYCL are large.
set(failed 0)
foreach(unit IN ITEMS c++17:dnnl_sycl.h c++17:dnnl_sycl.hpp c++17:dnnl_graph_sycl.h
    c++17:dnnl_graph_sycl.hpp c++20:dnnl_graph_sycl.hpp)
    string(REPLACE ":" ";" unit ${unit})
    list(GET unit 0 standard)
    list(GET unit 1 header)
    execute_process(COMMAND ${COMPILER} -std=${standard} -x c++ -Wall -Wextra -Wpedantic -Werror
        -fsyntax-only -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING -I${INCLUDES} -I${BUILT_INCLUDES}
        -isystem ${SYCL_INCLUDES} -DHEADER=<${header}> ${SOURCE}
        RESULT_VARIABLE status ERROR_VARIABLE messages)
    if(status)
        message("${header} as ${standard}\n${messages}")
        math(EXPR failed "${failed} + 1")
    endif()
endforeach()
if(failed)
    message(FATAL_ERROR "${failed} of the headers of SYCL do not compile alone")
endif()
