# SPDX-License-Identifier: Apache-2.0
# cmake -DSTEP=... -DBUILD=... -DCONSUMER=... -DCOMPILER=... -DGENERATOR=... -DLIBDIR=...
# -DVERSION=... [-DPKG_CONFIG=...] -P package.cmake
# Installs into a scratch prefix (STEP install), builds and runs the consumer against it in one of
# several ways, or removes
# what was installed (STEP uninstall).
set(work ${BUILD}/package_test)
set(prefix ${work}/prefix)
set(program ${work}/${STEP}/consumer)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(status)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\n${output}\nended with ${status}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

set(configure ${CMAKE_COMMAND} -B ${work}/${STEP} -G ${GENERATOR} -DCMAKE_C_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${prefix})
function(build_with_package package target version)
    run(${configure} -S ${CONSUMER} -DPACKAGE=${package} -DTARGET=${target} -DVERSION=${version})
    run(${CMAKE_COMMAND} --build ${work}/${STEP})
endfunction()

# build_with_pkg_config(flags...): the flags that pkg-config answers, in the order of the command
# line.
function(build_with_pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
    run(${PKG_CONFIG} --cflags --libs ${ARGN} dnnl_ze)
    if(output MATCHES "ze_loader" AND NOT ARGN)
        message(FATAL_ERROR
            "Programs that call no function of Level Zero need not be linked with its loader: ${output}")
    endif()
    if(ARGN) # the archive, although the shared library lies beside it
        string(REPLACE "-ldnnl_ze" "-l:libdnnl_ze.a" output "${output}")
    endif()
    separate_arguments(flags UNIX_COMMAND "${output}")
    run(${COMPILER} ${CONSUMER}/consumer.c -o ${program} ${flags})
endfunction()

function(check_installed)
    foreach(file IN ITEMS README.md LICENSE CHANGELOG.md docs/building.md docs/kernels/matmul.md
        docs/images/folders.svg
            examples/CMakeLists.txt examples/net.c examples/data/load_digits.c)
        if(NOT EXISTS ${prefix}/share/doc/dnnl_ze/${file})
            message(FATAL_ERROR "${file} is not installed")
        endif()
    endforeach()
    file(READ ${prefix}/share/man/man7/dnnl_ze.7 page)
    foreach(variable IN ITEMS VERBOSE VERBOSE_TIMESTAMP PRIMITIVE_CACHE_CAPACITY CODE_CACHE_DIR
        CODE_CACHE_SIZE DEFAULT_FPMATH_MODE)
        if(NOT page MATCHES "ONEDNN_${variable}[\\]fR")
            message(FATAL_ERROR "dnnl_ze(7) does not describe ONEDNN_${variable}")
        endif()
    endforeach()
endfunction()

if(STEP STREQUAL install)
    file(REMOVE_RECURSE ${work})
    file(MAKE_DIRECTORY ${work}/kept ${work}/manifests)
    # The manifests of the build belong to whoever installed it.
    file(GLOB manifests ${BUILD}/install_manifest*.txt)
    file(COPY ${manifests} DESTINATION ${work}/kept)
    foreach(component IN ITEMS dnnl_ze dnnl_ze_dev ze_cpu dnnl)
        run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/installed --component ${component})
        file(RENAME ${BUILD}/install_manifest_${component}.txt
            ${work}/manifests/install_manifest_${component}.txt)
    endforeach()
    file(GLOB manifests ${work}/kept/*)
    file(COPY ${manifests} DESTINATION ${BUILD})
    file(RENAME ${work}/installed ${prefix}) # an installed tree can be moved
    check_installed()
    return()
elseif(STEP STREQUAL uninstall)
    file(RENAME ${prefix} ${work}/installed)
    file(WRITE ${work}/installed/include/of_others.h "")
    run(${CMAKE_COMMAND} -DBUILD=${work}/manifests
        "-DFOLDERS=${FOLDERS}" -P ${SOURCE}/cmake/Uninstall.cmake)
    file(GLOB_RECURSE left LIST_DIRECTORIES true ${work}/installed/*)
    list(FILTER left EXCLUDE REGEX
        "/(bin|include|lib.*/(cmake|pkgconfig)|lib|lib/[^/]*-linux-[^/]*|share|share/doc|share/man(/man.)?)$")
    if(NOT left STREQUAL "${work}/installed/include/of_others.h")
        message(FATAL_ERROR "uninstall leaves or takes too much: ${left}")
    endif()
    return()
elseif(STEP STREQUAL no_level_zero)
    execute_process(COMMAND ${configure} -S ${CONSUMER} -DPACKAGE=dnnl_ze -DTARGET=dnnl_ze::dnnl_ze
        -DVERSION=${VERSION}
        -DCMAKE_IGNORE_PATH=${LEVEL_ZERO_INCLUDE_DIR} OUTPUT_QUIET ERROR_VARIABLE output
        RESULT_VARIABLE status)
    if(NOT status OR NOT output MATCHES "headers of Level Zero are missing")
        message(FATAL_ERROR "Level Zero's headers are missing, and the package says: ${output}")
    endif()
    return()
elseif(STEP STREQUAL examples)
    run(${configure} -S ${prefix}/share/doc/dnnl_ze/examples)
    run(${CMAKE_COMMAND} --build ${work}/${STEP})
    return()
endif()

file(MAKE_DIRECTORY ${work}/${STEP})
if(STEP STREQUAL dnnl_ze)
    build_with_package(dnnl_ze dnnl_ze::dnnl_ze ${VERSION})
elseif(STEP STREQUAL static)
    build_with_package(dnnl_ze dnnl_ze::dnnl_ze_static ${VERSION})
    set(LIBDIR nowhere) # the shared library is not needed
elseif(STEP STREQUAL dnnl)
    build_with_package(dnnl DNNL::dnnl 3.1)
elseif(STEP STREQUAL pkg_config)
    build_with_pkg_config()
elseif(STEP STREQUAL pkg_config_static)
    build_with_pkg_config(--static)
    set(LIBDIR nowhere)
elseif(STEP STREQUAL upstream)
    run(${COMPILER} -shared -fPIC -I${prefix}/include -Wl,-soname,libdnnl.so.3
        ${CONSUMER}/stub.c -o ${work}/${STEP}/libdnnl_stub.so)
    run(${COMPILER} -I${prefix}/include ${CONSUMER}/consumer.c -o ${program}
        ${work}/${STEP}/libdnnl_stub.so)
else()
    message(FATAL_ERROR "What is ${STEP}?")
endif()

set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
run(${program})
message("${output}")
