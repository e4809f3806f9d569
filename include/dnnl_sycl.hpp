/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_sycl.hpp. */
#ifndef DNNL_SYCL_HPP
#define DNNL_SYCL_HPP

#include "oneapi/dnnl/dnnl_sycl.hpp"

#endif
