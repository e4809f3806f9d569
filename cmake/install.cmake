# SPDX-License-Identifier: Apache-2.0
# Installation. Components: dnnl_ze (library), dnnl_ze_dev (headers, static library, packages,
# pages, examples), ze_cpu (the driver for the host CPU), dnnl (the names of oneDNN's own library
# and package, part of a plain install only with DNNL_ZE_INSTALL_DNNL).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(ManPage)

if(NOT TARGET dnnl_ze)
    return()
endif()

get_target_property(DNNL_ZE_SONAME_VERSION dnnl_ze SOVERSION)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake)
set(generated_dir ${PROJECT_BINARY_DIR}/packages)

# A path from a package's folder to the prefix, so that an installed tree can be moved.
function(dnnl_ze_path_to_prefix var dir)
    file(RELATIVE_PATH path ${CMAKE_INSTALL_FULL_LIBDIR}/${dir} ${CMAKE_INSTALL_PREFIX})
    string(REGEX REPLACE "/$" "" path "${path}")
    set(${var} ${path} PARENT_SCOPE)
endfunction()

# dnnl_ze_install_package(name component version compatibility)
# Makes <name>-config.cmake from its template, and a version file.
function(dnnl_ze_install_package name component version compatibility)
    set(exclude ${ARGN})
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/${name}-config.cmake.in
        ${generated_dir}/${name}-config.cmake
        INSTALL_DESTINATION ${package_dir}/${name}
        PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
    write_basic_package_version_file(${generated_dir}/${name}-config-version.cmake
        VERSION ${version} COMPATIBILITY ${compatibility})
    install(FILES ${generated_dir}/${name}-config.cmake
        ${generated_dir}/${name}-config-version.cmake
        DESTINATION ${package_dir}/${name} COMPONENT ${component} ${exclude})
endfunction()

install(TARGETS dnnl_ze dnnl_ze_headers EXPORT dnnl_ze-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dnnl_ze NAMELINK_COMPONENT dnnl_ze_dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dnnl_ze-targets NAMESPACE dnnl_ze:: DESTINATION ${package_dir}/dnnl_ze COMPONENT
    dnnl_ze_dev)
if(TARGET dnnl_ze_archive)
    install(FILES ${PROJECT_BINARY_DIR}/src/libdnnl_ze.a DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT dnnl_ze_dev)
endif()
dnnl_ze_install_package(dnnl_ze dnnl_ze_dev ${PROJECT_VERSION} SameMajorVersion)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dnnl_ze_dev
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)

# Pages and examples lie beside each other as in the source tree, so that their links work.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dnnl_ze)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dnnl_ze_dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION
    ${CMAKE_INSTALL_DOCDIR} COMPONENT dnnl_ze_dev
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.c" PATTERN "*.cpp" PATTERN
    "*.h" PATTERN "*.cl"
    PATTERN examples/CMakeLists.txt PATTERN _static EXCLUDE)
if(TARGET digits_knn) # its kernel is compiled, so that the examples need no compiler for OpenCL C
    install(FILES ${PROJECT_BINARY_DIR}/examples/nearest.spv DESTINATION
        ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT dnnl_ze_dev)
endif()
set(pages ${PROJECT_SOURCE_DIR}/docs)
man_page(${generated_dir}/dnnl_ze.7 dnnl_ze 7 "environment variables of libdnnl_ze"
    SECTIONS "${pages}/environment.md#" "${pages}/verbose.md#" SEE_ALSO "ze\\-cpu(1)")
install(FILES ${generated_dir}/dnnl_ze.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT
    dnnl_ze_dev)

dnnl_ze_path_to_prefix(PC_PATH_TO_PREFIX pkgconfig)
configure_file(${PROJECT_SOURCE_DIR}/cmake/dnnl_ze.pc.in ${generated_dir}/dnnl_ze.pc @ONLY)
install(FILES ${generated_dir}/dnnl_ze.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT
    dnnl_ze_dev)

# The driver lies in a folder of its own: no program links with it. The loader looks for drivers
# under the names of Intel's, and for those in ZE_ENABLE_ALT_DRIVERS, which the command ze-cpu sets.
if(TARGET ze_cpu)
    install(TARGETS ze_cpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ze_cpu COMPONENT ze_cpu)
    file(RELATIVE_PATH ZE_CPU_PATH ${CMAKE_INSTALL_FULL_BINDIR}
        ${CMAKE_INSTALL_FULL_LIBDIR}/ze_cpu/libze_cpu.so)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/ze-cpu.in ${generated_dir}/ze-cpu @ONLY)
    install(PROGRAMS ${generated_dir}/ze-cpu DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ze_cpu)
    man_page(${generated_dir}/ze-cpu.1 ze-cpu 1 "run a Level Zero program on the host CPU"
        SYNOPSIS ".B ze\\-cpu\n.I program\n.RI [ argument ...]"
        SECTIONS "${pages}/cpu-driver.md#" "${pages}/cpu-driver.md#Environment" SEE_ALSO
        "dnnl_ze(7)")
    install(FILES ${generated_dir}/ze-cpu.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT
        ze_cpu)
endif()

# Programs that are linked with oneDNN load libdnnl.so.3, and new programs are linked with
# libdnnl.so. Both names are links to this library.
set(exclude_dnnl EXCLUDE_FROM_ALL)
if(DNNL_ZE_INSTALL_DNNL)
    set(exclude_dnnl)
endif()
file(MAKE_DIRECTORY ${generated_dir})
file(CREATE_LINK libdnnl_ze.so.${DNNL_ZE_SONAME_VERSION}
    ${generated_dir}/libdnnl.so.${DNNL_ZE_SONAME_VERSION} SYMBOLIC)
file(CREATE_LINK libdnnl.so.${DNNL_ZE_SONAME_VERSION} ${generated_dir}/libdnnl.so SYMBOLIC)
install(FILES ${generated_dir}/libdnnl.so.${DNNL_ZE_SONAME_VERSION} ${generated_dir}/libdnnl.so
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dnnl ${exclude_dnnl})
dnnl_ze_install_package(dnnl dnnl ${PROJECT_VERSION} SameMajorVersion ${exclude_dnnl})

add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} "-DFOLDERS=${DNNL_ZE_OWN_FOLDERS}"
            -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
    COMMENT "Removing what was installed from this build" VERBATIM)
# A source archive of the last commit.
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    set(archive ${PROJECT_NAME}-${PROJECT_VERSION})
    add_custom_target(dist
        COMMAND ${GIT_EXECUTABLE} -c tar.umask=0022 archive --prefix=${archive}/
        --output=${PROJECT_BINARY_DIR}/${archive}.tar.gz HEAD
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Writing ${archive}.tar.gz" VERBATIM)
endif()

include(packages)
