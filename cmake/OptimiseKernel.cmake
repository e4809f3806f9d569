# SPDX-License-Identifier: Apache-2.0
# A script for one module: runs the LLVM optimiser in place. From version 18 on it warns, in each
# call, that it has no code generator for SPIR: nobody needs one here.
#   -DOPT= -DPASSES="-passes=... ..." -DBITCODE=
separate_arguments(passes UNIX_COMMAND "${PASSES}")
execute_process(COMMAND ${OPT} ${passes} ${BITCODE} -o ${BITCODE} ERROR_VARIABLE text
    RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${BITCODE}: ${text}")
endif()
