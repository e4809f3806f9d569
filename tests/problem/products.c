/* SPDX-License-Identifier: Apache-2.0 */
/* The table of products; tests/intel/test_caps.c holds it against what Intel's driver answers. */
#include "products.h"

enum { SG8 = 1 << 8, SG16 = 1 << 16 };
#define SG32 (UINT64_C(1) << 32)

/* By architecture, as Intel documents them. */
const product_t products[NPRODUCTS] = {
        {"tgllp", 12, 0, false, false, 0, 128, SG8 | SG16 | SG32, 64, 512, 8, 7, 96},
        {"dg2", 12, 55, false, false, 8, 256, SG8 | SG16 | SG32, 64, 1024, 8, 8, 512},
        {"mtl", 12, 70, true, false, 0, 256, SG8 | SG16 | SG32, 64, 1024, 8, 8, 128},
        {"pvc", 12, 60, true, true, 16, 256, SG16 | SG32, 128, 1024, 16, 8, 512},
        {"lnl", 20, 4, true, true, 16, 256, SG16 | SG32, 128, 1024, 16, 8, 64},
        {"bmg", 20, 1, true, true, 16, 256, SG16 | SG32, 128, 1024, 16, 8, 160},
        {"ptl", 30, 0, true, true, 16, 256, SG16 | SG32, 128, 1024, 16, 10, 96},
        {"nvls", 30, 4, true, true, 16, 256, SG16 | SG32, 128, 1024, 16, 10, 32},
        {"cri", 35, 11, true, true, 16, 512, SG16 | SG32, 384, 1024, 16, 8, 256},
};

void product_caps(const product_t *product, caps_t *caps) {
    caps->is_cpu = false;
    caps->has_fp64 = product->fp64;
    caps->has_fp16 = caps->has_int64_atomics = caps->has_dp4a = true;
    caps->subgroup_sizes = product->subgroups;
    caps->matrix_subgroup = product->matrix_subgroup;
    caps->has_tf32 = product->matrix_subgroup == 16;
    caps->has_2d_block_load = caps->has_2d_block_store = product->blocks;
    caps->max_registers = product->max_registers;
    caps->threads_per_eu = product->threads_per_eu;
    caps->max_group_size = product->max_group;
    caps->max_alloc_size = product->blocks ? UINT64_C(1) << 33 : UINT32_MAX - 8191;
    for (int i = 0; i < 3; i++) caps->max_group_size_xyz[i] = product->max_group;
    caps->local_mem_size = product->local_kib * 1024;
    caps->compute_units = product->eus * product->threads_per_eu;
    caps->simd_width = product->simd_width;
    caps->ip_version = product->architecture << 22 | product->release << 14;
}
