# SPDX-License-Identifier: Apache-2.0
# The format tags of dnnl_format_tags.h as enumerators of C++.

# write_format_tags(header output)
# Writes one line "abc = dnnl_abc," per tag, for the body of an enumeration. The file is written at
# configure time, and again when the header changes.
function(write_format_tags header output)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    # The text becomes a list of CMake, so it must contain neither semicolons nor comments.
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX MATCHALL "dnnl_[A-Za-z0-9_]+( *= *[A-Za-z0-9_]+)?," tags "${text}")
    list(LENGTH tags count)
    if(count LESS 1000)
        message(FATAL_ERROR "${header}: only ${count} format tags")
    endif()

    set(lines "")
    foreach(tag IN LISTS tags)
        string(REGEX REPLACE "^dnnl_([A-Za-z0-9_]+).*" "\\1" name "${tag}")
        set(enumerator ${name})
        if(name MATCHES "^format_tag_(undef|any)$")
            set(enumerator ${CMAKE_MATCH_1})
        endif()
        string(APPEND lines "${enumerator} = dnnl_${name},\n")
    endforeach()
    file(CONFIGURE OUTPUT ${output} @ONLY
         CONTENT "/* Made by the build: the body of dnnl::memory::format_tag. */\n@lines@")
endfunction()
