# SPDX-License-Identifier: Apache-2.0
# A script for one module and device. It fixes the values of specialisation constants and compiles.
# If the compiler refuses the module, the output is an empty file, and the driver compiles the
# module at run time.
#   -DSPIRV_OPT= -DOCLOC= -DDEVICE= -DMODULE= -DSPECS="id:value ..." -DOPTIONS= -DOUTPUT=
get_filename_component(folder ${OUTPUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
set(frozen ${OUTPUT}.spv)
set(constants "")
if(SPECS)
    set(constants --set-spec-const-default-value ${SPECS})
endif()
# Names are removed: the driver would only have to read them when it loads the code.
execute_process(COMMAND ${SPIRV_OPT} ${constants} --freeze-spec-const --strip-debug ${MODULE}
    -o ${frozen}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${MODULE}, ${SPECS}: ${text}")
endif()
macro(compile)
    file(REMOVE ${OUTPUT})
    set(options "")
    if(OPTIONS)
        set(options -options ${OPTIONS})
    endif()
    execute_process(COMMAND ${OCLOC} compile -q -exclude_ir -spirv_input -file ${frozen}
        -device ${DEVICE} ${options} -o ${OUTPUT}
                    OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
endmacro()
compile()
# As in src/ze/module.c, code that spills is compiled again with more registers. The compiled code
# contains its properties as plain text.
if(NOT OPTIONS AND NOT failed AND EXISTS ${OUTPUT})
    file(STRINGS ${OUTPUT} spilled REGEX "spill_size: +[1-9]")
    if(spilled)
        set(OPTIONS -ze-opt-large-register-file)
        compile()
    endif()
endif()
if(failed OR NOT EXISTS ${OUTPUT})
    message("no native code of ${MODULE} for ${DEVICE}: ${text}")
    file(WRITE ${OUTPUT} "")
endif()
file(REMOVE ${frozen})
