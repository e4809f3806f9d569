/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ocl.hpp. */
#ifndef DNNL_OCL_HPP
#define DNNL_OCL_HPP

#include "oneapi/dnnl/dnnl_ocl.hpp"

#endif
