# SPDX-License-Identifier: Apache-2.0
# Run as a script for one compiled kernel: refuses unknown imports and a missing entry point, and writes what the kernel table has to know.
#   -DSPIRV_DIS= -DMODULE= -DID= -DENTRY= -DCLASS= -DALLOWED= -DOUTPUT=
execute_process(COMMAND ${SPIRV_DIS} --no-color --raw-id ${MODULE} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "kernel ${ID}: spirv-dis cannot read ${MODULE}")
endif()

# A line is a regular expression, or a class of rows and one for them.
file(STRINGS ${ALLOWED} lines REGEX "^[^#]")
set(allowed "")
foreach(line IN LISTS lines)
    if(line MATCHES "^${CLASS} +(.*)$")
        list(APPEND allowed "${CMAKE_MATCH_1}")
    elseif(NOT line MATCHES " ")
        list(APPEND allowed "${line}")
    endif()
endforeach()
string(REPLACE ";" "|" allowed "${allowed}")
string(REGEX MATCHALL "LinkageAttributes \"[^\"]+\" Import" imports "${text}")
foreach(import IN LISTS imports)
    string(REGEX REPLACE "LinkageAttributes \"([^\"]+)\" Import" "\\1" name "${import}")
    if(NOT name MATCHES "^(${allowed})$")
        message(FATAL_ERROR "kernel ${ID}: undefined function ${name} is not in ${ALLOWED} for class ${CLASS}")
    endif()
endforeach()
if(NOT text MATCHES "OpEntryPoint Kernel %[0-9]+ \"${ENTRY}\"")
    message(FATAL_ERROR "kernel ${ID}: no entry point ${ENTRY} in ${MODULE}")
endif()

foreach(capability IN ITEMS Float64 Float16)
    string(REGEX MATCH "OpCapability ${capability}\n" needs_${capability} "${text}")
    if(needs_${capability})
        set(needs_${capability} 1)
    else()
        set(needs_${capability} 0)
    endif()
endforeach()
file(SIZE ${MODULE} size)
file(SHA256 ${MODULE} hash)
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "#define KERNEL_SIZE_${ID} ${size}
#define KERNEL_HASH_${ID} UINT64_C(0x${hash})
#define KERNEL_FP64_${ID} ${needs_Float64}
#define KERNEL_FP16_${ID} ${needs_Float16}
")
