# SPDX-License-Identifier: Apache-2.0
# A script for one compiled kernel. It refuses unknown imports and a missing entry point, and writes
# the properties of the kernel that the table of variants contains.
#   -DSPIRV_DIS= -DMODULE= -DID= -DENTRY= -DTARGET= -DALLOWED= -DOUTPUT=
execute_process(COMMAND ${SPIRV_DIS} --no-color --raw-id ${MODULE} OUTPUT_VARIABLE text
    RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "kernel ${ID}: spirv-dis cannot read ${MODULE}")
endif()

# A line is a regular expression, or a target and a regular expression for its variants.
file(STRINGS ${ALLOWED} lines REGEX "^[^#]")
set(allowed "")
foreach(line IN LISTS lines)
    if(line MATCHES "^${TARGET} +(.*)$")
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
        message(FATAL_ERROR
            "kernel ${ID}: undefined function ${name} is not in ${ALLOWED} for target ${TARGET}")
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
# One bit per specialisation constant, in words of 64 bits.
foreach(word RANGE 3)
    set(specs_${word} 0)
endforeach()
string(REGEX MATCHALL "OpDecorate %[0-9]+ SpecId [0-9]+" decorations "${text}")
foreach(decoration IN LISTS decorations)
    string(REGEX MATCH "[0-9]+$" spec "${decoration}")
    math(EXPR word "${spec} / 64")
    if(word GREATER 3)
        message(FATAL_ERROR "kernel ${ID}: specialisation constant ${spec} is beyond 255")
    endif()
    math(EXPR specs_${word} "${specs_${word}} | (1 << (${spec} % 64))" OUTPUT_FORMAT HEXADECIMAL)
endforeach()
file(SHA256 ${MODULE} hash)
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "#define KERNEL_SPECS_${ID} {UINT64_C(${specs_0}), UINT64_C(${specs_1}), \\
        UINT64_C(${specs_2}), UINT64_C(${specs_3})}
#define KERNEL_HASH_${ID} UINT64_C(0x${hash})
#define KERNEL_FP64_${ID} ${needs_Float64}
#define KERNEL_FP16_${ID} ${needs_Float16}
")
