# SPDX-License-Identifier: Apache-2.0
# cmake -DA=FILE -DB=FILE -P same_kernels.cmake: fails unless two dry runs (tests/kernels/dry.h) of
# the same cases chose and compiled the same kernels. Private memory may differ.
foreach(file IN ITEMS ${A} ${B})
    file(STRINGS ${file} lines)
    set(kernels "")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^(kernel\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*)\t[^\t]*" "\\1" line
            "${line}")
        list(APPEND kernels "${line}")
    endforeach()
    list(LENGTH kernels n)
    if(n LESS 3)
        message(FATAL_ERROR "${file} has no kernels")
    endif()
    set(of_${file} "${kernels}")
endforeach()
if(NOT "${of_${A}}" STREQUAL "${of_${B}}")
    foreach(line other IN ZIP_LISTS of_${A} of_${B})
        if(NOT "${line}" STREQUAL "${other}")
            message(FATAL_ERROR "first difference:\n${A}: ${line}\n${B}: ${other}")
        endif()
    endforeach()
endif()
