/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl.hpp. */
#ifndef DNNL_HPP
#define DNNL_HPP

#include "oneapi/dnnl/dnnl.hpp"

#endif
