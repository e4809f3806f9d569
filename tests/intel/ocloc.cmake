# SPDX-License-Identifier: Apache-2.0
# Compiles rows with ocloc, for a product that the driver cannot be without hardware: all that were compiled for another product. Constants keep
# their defaults here, so it is the whole source of each kernel that the compiler sees.
#   -DOCLOC= -DDEVICE= -DTABLE=<kernels.tsv> -DMODULES=<folder of SPIR-V> -DOUTPUT=<folder>
file(STRINGS ${TABLE} lines)
list(POP_FRONT lines)
string(REPLACE "\t" "|" lines "${lines}")
set(rows "")
foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^|]*\\|[^|]*\\|([^|]*)\\|.*" "\\1" row "${line}")
    list(APPEND rows ${row})
endforeach()
list(REMOVE_DUPLICATES rows)
list(LENGTH rows count)
if(count EQUAL 0)
    message(FATAL_ERROR "${TABLE} lists no rows")
endif()
foreach(row IN LISTS rows)
    execute_process(COMMAND ${OCLOC} compile -spirv_input -file ${MODULES}/${row}.spv -device ${DEVICE} -output ${row} -out_dir ${OUTPUT}
                    OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
    if(failed OR text MATCHES "warning")
        message(SEND_ERROR "${row} for ${DEVICE}: ${text}")
    endif()
endforeach()
message("${count} rows for ${DEVICE}")
