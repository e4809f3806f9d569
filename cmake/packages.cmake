# SPDX-License-Identifier: Apache-2.0
# CPack: an archive that can be unpacked anywhere (cpack -G TXZ), and Debian packages (cpack -G
# DEB, in a build with the prefix /usr). scripts/test-packages checks both.
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_CONTACT "The libdnnl_ze authors <dnnl_ze@localhost>" CACHE STRING
    "Who answers for the Debian packages: Name <mail>")
set(CPACK_PACKAGE_VENDOR "The libdnnl_ze authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # the first lines below are the summaries
set(CPACK_PACKAGE_FILE_NAME
    ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL dnnl_ze dnnl_ze_dev)
if(TARGET ze_cpu)
    list(APPEND CPACK_COMPONENTS_ALL ze_cpu)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_DNNL_ZE_PACKAGE_NAME libdnnl-ze${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_DNNL_ZE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DNNL_ZE_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
set(CPACK_DEBIAN_DNNL_ZE_PACKAGE_RECOMMENDS "libze1 (>= 1.8)")
set(CPACK_DEBIAN_DNNL_ZE_PACKAGE_SUGGESTS "libze-intel-gpu1 | ze-cpu-driver")
set(CPACK_COMPONENT_DNNL_ZE_DESCRIPTION "oneDNN C API on oneAPI Level Zero
Deep-learning primitives for programs that own their Level Zero driver,
device, context and command list. This package has the shared library.")

set(CPACK_DEBIAN_DNNL_ZE_DEV_PACKAGE_NAME libdnnl-ze-dev)
set(CPACK_DEBIAN_DNNL_ZE_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DNNL_ZE_DEV_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_DNNL_ZE_PACKAGE_NAME} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libze-dev (>= 1.8)")
set(CPACK_DEBIAN_DNNL_ZE_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DNNL_ZE_DEV_DESCRIPTION "oneDNN C API on oneAPI Level Zero (development files)
Headers for C and C++, a static library, packages for CMake and pkg-config,
pages and examples.")

# PoCL before version 6 does not accept SPIR-V; the driver then runs llvm-spirv.
set(CPACK_DEBIAN_ZE_CPU_PACKAGE_NAME ze-cpu-driver)
set(CPACK_DEBIAN_ZE_CPU_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_ZE_CPU_PACKAGE_DEPENDS
    "libze1 (>= 1.8), pocl-opencl-icd, pocl-opencl-icd (>= 6) | llvm-spirv-15 | llvm-spirv-14, binutils")
set(CPACK_COMPONENT_ZE_CPU_DESCRIPTION "Level Zero driver for the host CPU
Runs programs for Level Zero on a machine without a GPU: ze-cpu PROGRAM.
PoCL compiles and executes the kernels.")

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_DNNL_ZE_PACKAGING ${PROJECT_SOURCE_DIR}/packaging)
set(CPACK_DNNL_ZE_HASH ${DNNL_VERSION_HASH})
include(CPack)
