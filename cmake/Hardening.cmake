# SPDX-License-Identifier: Apache-2.0
# Hardening of the shared libraries, as far as compiler and linker have it: checks of buffers'
# sizes in functions of the C library (FORTIFY), stack protector, and tables of functions that are
# read-only once the library is loaded (RELRO, BIND_NOW).
include_guard(GLOBAL)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
option(DNNL_ZE_HARDEN
    "Build the libraries with FORTIFY, stack protector, RELRO and BIND_NOW where the compiler has them" ON)

check_c_compiler_flag(-fstack-protector-strong DNNL_ZE_HAS_STACK_PROTECTOR)
check_linker_flag(C -Wl,-z,relro,-z,now DNNL_ZE_HAS_RELRO)

# harden_objects(target): the code of a library. Sanitizers check more themselves, and FORTIFY
# hides calls from them. FORTIFY needs optimisation. A level that the distribution's flags have set
# stays.
function(harden_objects target)
    if(NOT DNNL_ZE_HARDEN)
        return()
    endif()
    if(DNNL_ZE_HAS_STACK_PROTECTOR)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-fstack-protector-strong>)
    endif()
    if(NOT DNNL_ZE_SANITIZE AND NOT "${CMAKE_C_FLAGS} $ENV{CFLAGS}" MATCHES "FORTIFY_SOURCE")
        target_compile_options(${target} PRIVATE
            "$<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    endif()
endfunction()

# harden_library(target): the shared library itself.
function(harden_library target)
    if(DNNL_ZE_HARDEN AND DNNL_ZE_HAS_RELRO)
        target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
    endif()
endfunction()
