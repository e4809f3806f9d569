# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=... -DFOLDERS=... -P Uninstall.cmake
# Removes the files that the manifests in the build folder list, then those folders that hold
# nothing else.
# FOLDERS: regular expression of the folders that only this project makes. DESTDIR counts as it
# does at installation.
file(GLOB manifests ${BUILD}/install_manifest*.txt)
foreach(manifest IN LISTS manifests)
    file(STRINGS ${manifest} files)
    set(folders "")
    foreach(file IN LISTS files)
        file(REMOVE "$ENV{DESTDIR}${file}")
        get_filename_component(folder "${file}" DIRECTORY)
        while(folder MATCHES "${FOLDERS}")
            list(APPEND folders "$ENV{DESTDIR}${folder}")
            get_filename_component(folder "${folder}" DIRECTORY)
        endwhile()
    endforeach()
    # A folder comes after the folders in it.
    list(REMOVE_DUPLICATES folders)
    list(SORT folders ORDER DESCENDING)
    foreach(folder IN LISTS folders)
        file(GLOB rest "${folder}/*" "${folder}/.*")
        list(FILTER rest EXCLUDE REGEX "/[.][.]?$")
        if(NOT rest AND IS_DIRECTORY "${folder}")
            file(REMOVE_RECURSE "${folder}")
        endif()
    endforeach()
    list(LENGTH files count)
    message(STATUS "${manifest}: removed ${count} files")
    file(REMOVE ${manifest})
endforeach()
if(NOT manifests)
    message(STATUS "Nothing was installed from this build")
endif()
