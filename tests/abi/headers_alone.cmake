# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=... -DLANGUAGE=c|c++ -DSTANDARD=... -DSOURCE=... -DINCLUDES=...
# -DBUILT_INCLUDES=... -P headers_alone.cmake
# Compiles each public header alone, with and without the optional declarations.
set(flags -std=${STANDARD} -x ${LANGUAGE} -Wall -Wextra -Wpedantic -Werror -fsyntax-only)
set(headers)
foreach(dir IN ITEMS ${INCLUDES} ${BUILT_INCLUDES})
    list(APPEND flags -I${dir})
    file(GLOB_RECURSE found RELATIVE ${dir} ${dir}/*.h)
    list(APPEND headers ${found})
endforeach()
list(LENGTH headers count)
if(count LESS 20)
    message(FATAL_ERROR "Only ${count} public headers in ${INCLUDES} and ${BUILT_INCLUDES}")
endif()

set(failed 0)
foreach(header IN LISTS headers)
    foreach(defines IN ITEMS ""
        "-DDNNL_DLL;-DDNNL_EXPERIMENTAL_PROFILING;-DDNNL_EXPERIMENTAL_GROUPED_MEMORY=1")
        execute_process(COMMAND ${COMPILER} ${flags} ${defines} -DHEADER=<${header}> ${SOURCE}
            RESULT_VARIABLE status ERROR_VARIABLE messages)
        if(status)
            message("${header} ${defines}\n${messages}")
            math(EXPR failed "${failed} + 1")
        endif()
    endforeach()
endforeach()
if(failed)
    message(FATAL_ERROR "${failed} of the public headers do not compile alone as ${STANDARD}")
endif()
