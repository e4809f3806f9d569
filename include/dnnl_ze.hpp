/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ze.hpp. */
#ifndef DNNL_ZE_HPP
#define DNNL_ZE_HPP

#include "oneapi/dnnl/dnnl_ze.hpp"

#endif
