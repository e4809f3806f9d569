/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of recurrent networks, from the arguments of an execution. */
#ifndef TESTS_REF_RNN_CASE_H
#define TESTS_REF_RNN_CASE_H

#include "ref.h"

ref_value_t ref_rnn_dst_layer(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_dst_iter(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_dst_iter_c(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_src_layer(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_src_iter(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_src_iter_c(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_attention(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_weights_layer(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_weights_iter(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_peephole(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_projection(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_rnn_diff_bias(const ref_t *ref, const dnnl_dim_t *pos);

/* Frees the network that the statistics keep. */
void ref_rnn_forget(ref_stats_t *stats);

#endif
