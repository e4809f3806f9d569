# SPDX-License-Identifier: Apache-2.0
# A script: what scripts/install-deps wants on several systems. It installs nothing.
#   -DSCRIPT=scripts/install-deps -DFOLDER=scratch folder
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${FOLDER})
# A compiler that finds neither headers nor libraries.
file(WRITE ${FOLDER}/cc "#!/bin/sh\nexit 1\n")
file(CHMOD ${FOLDER}/cc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} ${FOLDER}:$ENV{PATH})
set(ENV{OS_RELEASE} ${FOLDER}/os-release)

# check(system code expected arguments...)
function(check system code expected)
    string(REPLACE "|" "\n" lines "${system}")
    file(WRITE ${FOLDER}/os-release "${lines}\n")
    execute_process(COMMAND ${SCRIPT} ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text
        RESULT_VARIABLE result)
    string(REGEX REPLACE "[ \n]+" " " text "${text}")
    if(NOT result EQUAL code OR NOT text MATCHES "${expected}")
        message(SEND_ERROR
            "${system}: expected ${code} and ${expected}, got ${result} and: ${text}")
    endif()
endfunction()

check("ID=debian|VERSION_ID=12" 0 "clang-15 cmake .*llvm-15 llvm-spirv-15 .*oclgrind" --list)
check("ID=debian|VERSION_ID=13" 0 "clang-19 cmake .*llvm-19 llvm-spirv-19 .*openmpi-bin" --list)
check("ID=fedora|PRETTY_NAME=Fedora" 1
    "not Fedora\\. Missing: .*level_zero/ze_api.h.* Install: dnf install .*oneapi-level-zero-devel")
check("ID=manjaro|ID_LIKE=arch" 1 "Install: pacman -S .*cmocka.*level-zero-headers")
check("ID=opensuse-tumbleweed|ID_LIKE=\"opensuse suse\"" 1
    "Install: zypper install .*level-zero-devel")
check("ID=ubuntu|VERSION_ID=22.04" 1 "Install: the packages that Debian calls .*libze-dev")
