/* SPDX-License-Identifier: Apache-2.0 */
/* Functions about code for the CPU and about code that is generated at run time. This library has
 * neither, and the functions answer so. */
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"

static dnnl_status_t no_cpu(dnnl_status_t status, const char *function) {
    return verbose_check(
            status, "cpu", "%s: this library has no code for the CPU outside of engines", function);
}

dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
        float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta,
        float *C, dnnl_dim_t ldc) {
    (void)transa, (void)transb, (void)M, (void)N, (void)K, (void)alpha, (void)A, (void)lda, (void)B,
            (void)ldb;
    (void)beta, (void)C, (void)ldc;
    return no_cpu(dnnl_unimplemented, __func__);
}

#define INT8_GEMM(function, src_type)                                                              \
    dnnl_status_t function(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,     \
            dnnl_dim_t K, float alpha, const src_type *A, dnnl_dim_t lda, src_type ao,             \
            const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,    \
            const int32_t *co) {                                                                   \
        (void)transa, (void)transb, (void)offsetc, (void)M, (void)N, (void)K, (void)alpha,         \
                (void)A;                                                                           \
        (void)lda, (void)ao, (void)B, (void)ldb, (void)bo, (void)beta, (void)C, (void)ldc,         \
                (void)co;                                                                          \
        return no_cpu(dnnl_unimplemented, __func__);                                               \
    }
INT8_GEMM(dnnl_gemm_u8s8s32, uint8_t)
INT8_GEMM(dnnl_gemm_s8s8s32, int8_t)

dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa) {
    (void)isa;
    return no_cpu(dnnl_runtime_error, __func__);
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void) {
    return dnnl_cpu_isa_default;
}

dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints) {
    (void)isa_hints;
    return no_cpu(dnnl_runtime_error, __func__);
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void) {
    return dnnl_cpu_isa_no_hints;
}

dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags) {
    (void)flags;
    return no_cpu(dnnl_unimplemented, __func__);
}

dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir) {
    (void)dir;
    return no_cpu(dnnl_unimplemented, __func__);
}

/* The library generates no code that could be dumped, so any setting succeeds. */
dnnl_status_t dnnl_set_jit_dump(int enable) {
    (void)enable;
    return dnnl_success;
}
