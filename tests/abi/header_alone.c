/* SPDX-License-Identifier: Apache-2.0 */
/* Includes one public header first and nothing else; compiled as C and as C++ by
 * headers_alone.cmake. */
#include HEADER
#include HEADER

extern int header_alone; /* a translation unit has to declare something */
