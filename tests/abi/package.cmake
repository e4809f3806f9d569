# SPDX-License-Identifier: Apache-2.0
# cmake -DSTEP=... -DBUILD=... -DCONSUMER=... -DCOMPILER=... -DGENERATOR=... -DLIBDIR=... -DVERSION=... [-DPKG_CONFIG=...] -P package.cmake
# Installs into a scratch prefix (STEP install), or builds and runs the consumer against it in one of several ways.
set(work ${BUILD}/package_test)
set(prefix ${work}/prefix)
set(program ${work}/${STEP}/consumer)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(status)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\n${output}\nended with ${status}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

function(build_with_package package target version)
    run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${work}/${STEP} -G ${GENERATOR} -DCMAKE_C_COMPILER=${COMPILER}
        -DCMAKE_PREFIX_PATH=${prefix} -DPACKAGE=${package} -DTARGET=${target} -DVERSION=${version})
    run(${CMAKE_COMMAND} --build ${work}/${STEP})
endfunction()

if(STEP STREQUAL install)
    file(REMOVE_RECURSE ${work})
    foreach(component IN ITEMS dnnl_ze dnnl)
        run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/installed --component ${component})
    endforeach()
    file(RENAME ${work}/installed ${prefix}) # an installed tree can be moved
    return()
endif()

file(MAKE_DIRECTORY ${work}/${STEP})
if(STEP STREQUAL dnnl_ze)
    build_with_package(dnnl_ze dnnl_ze::dnnl_ze ${VERSION})
elseif(STEP STREQUAL dnnl)
    build_with_package(dnnl DNNL::dnnl 3.1)
elseif(STEP STREQUAL pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
    run(${PKG_CONFIG} --cflags --libs dnnl_ze)
    separate_arguments(flags UNIX_COMMAND "${output}")
    run(${COMPILER} ${CONSUMER}/consumer.c -o ${program} ${flags})
elseif(STEP STREQUAL upstream)
    run(${COMPILER} -shared -fPIC -I${prefix}/include -Wl,-soname,libdnnl.so.3
        ${CONSUMER}/stub.c -o ${work}/${STEP}/libdnnl_stub.so)
    run(${COMPILER} -I${prefix}/include ${CONSUMER}/consumer.c -o ${program} ${work}/${STEP}/libdnnl_stub.so)
else()
    message(FATAL_ERROR "What is ${STEP}?")
endif()

set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
run(${program})
message("${output}")
