# SPDX-License-Identifier: Apache-2.0
# Installation. Components: dnnl_ze (library, headers, packages), ze_cpu (the driver for the host
# CPU), dnnl (the names of oneDNN's own library and package, part of a plain install only with
# DNNL_ZE_INSTALL_DNNL).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

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
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/${name}-config.cmake.in ${generated_dir}/${name}-config.cmake
        INSTALL_DESTINATION ${package_dir}/${name}
        PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
    write_basic_package_version_file(${generated_dir}/${name}-config-version.cmake
        VERSION ${version} COMPATIBILITY ${compatibility})
    install(FILES ${generated_dir}/${name}-config.cmake ${generated_dir}/${name}-config-version.cmake
        DESTINATION ${package_dir}/${name} COMPONENT ${component} ${exclude})
endfunction()

install(TARGETS dnnl_ze dnnl_ze_headers EXPORT dnnl_ze-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dnnl_ze
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dnnl_ze-targets NAMESPACE dnnl_ze:: DESTINATION ${package_dir}/dnnl_ze COMPONENT dnnl_ze)
dnnl_ze_install_package(dnnl_ze dnnl_ze ${PROJECT_VERSION} SameMinorVersion)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dnnl_ze
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/dnnl_ze COMPONENT dnnl_ze)

dnnl_ze_path_to_prefix(PC_PATH_TO_PREFIX pkgconfig)
configure_file(${PROJECT_SOURCE_DIR}/cmake/dnnl_ze.pc.in ${generated_dir}/dnnl_ze.pc @ONLY)
install(FILES ${generated_dir}/dnnl_ze.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dnnl_ze)

if(TARGET ze_cpu)
    install(TARGETS ze_cpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ze_cpu)
endif()

# Programs that are linked with oneDNN load libdnnl.so.3, and new programs are linked with
# libdnnl.so. Both names are links to this library.
set(exclude_dnnl EXCLUDE_FROM_ALL)
if(DNNL_ZE_INSTALL_DNNL)
    set(exclude_dnnl)
endif()
file(MAKE_DIRECTORY ${generated_dir})
file(CREATE_LINK libdnnl_ze.so.${DNNL_ZE_SONAME_VERSION} ${generated_dir}/libdnnl.so.${DNNL_ZE_SONAME_VERSION} SYMBOLIC)
file(CREATE_LINK libdnnl.so.${DNNL_ZE_SONAME_VERSION} ${generated_dir}/libdnnl.so SYMBOLIC)
install(FILES ${generated_dir}/libdnnl.so.${DNNL_ZE_SONAME_VERSION} ${generated_dir}/libdnnl.so
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dnnl ${exclude_dnnl})
dnnl_ze_install_package(dnnl dnnl ${DNNL_API_VERSION} SameMajorVersion ${exclude_dnnl})
