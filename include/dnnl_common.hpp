/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_common.hpp. */
#ifndef DNNL_COMMON_HPP
#define DNNL_COMMON_HPP

#include "oneapi/dnnl/dnnl_common.hpp"

#endif
