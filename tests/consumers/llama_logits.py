# SPDX-License-Identifier: Apache-2.0
"""llama_logits.py MODEL: llama.cpp reads eight tokens one by one with its CPU backend, then with
its SYCL backend. Fails unless both find the same next token each time, with logits that differ by
at most 5 % of the largest: both round activations to 8 bits, and SYCL the keys and values to 16."""
import sys

import cyllama.llama.llama_cpp as llama
import numpy as np

TOKENS = [1, 40, 77, 120, 200, 33, 259, 300]
LIMIT = 0.05
ALL_LAYERS = 99


def logits(layers_on_gpu):
    model_params = llama.LlamaModelParams()
    model_params.n_gpu_layers = layers_on_gpu
    model = llama.LlamaModel(sys.argv[1], model_params)
    context_params = llama.LlamaContextParams()
    context_params.n_ctx, context_params.n_batch = 64, 8
    context = llama.LlamaContext(model, context_params)
    rows = []
    for position, token in enumerate(TOKENS):
        batch = llama.LlamaBatch(n_tokens=1, embd=0, n_seq_max=1)
        batch.add(token, position, [0], True)
        context.decode(batch)
        rows.append(np.array(context.get_logits_ith(0), dtype=np.float32))
    return np.stack(rows)


llama.ggml_backend_load_all()
cpu, sycl = logits(0), logits(ALL_LAYERS)
error = np.abs(cpu - sycl).max() / np.abs(cpu).max()
same = int((cpu.argmax(axis=1) == sycl.argmax(axis=1)).sum())
print(f"{same} of {len(TOKENS)} next tokens are equal, logits differ by {100 * error:.1f} %")
sys.exit(0 if same == len(TOKENS) and error <= LIMIT else 1)
