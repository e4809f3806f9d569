# SPDX-License-Identifier: Apache-2.0
"""llama_model.py FILE: writes a model of two layers with random weights of 8 bits."""
import sys

import gguf
import numpy as np

EMBEDDING, FEED_FORWARD, HEADS, LAYERS, VOCABULARY, CONTEXT = 256, 512, 4, 2, 320, 256
WEIGHTS = gguf.GGMLQuantizationType.Q8_0

random = np.random.default_rng(7)
model = gguf.GGUFWriter(sys.argv[1], "llama")


def add_weights(name, rows, columns):
    values = random.standard_normal((rows, columns)).astype(np.float32) / np.sqrt(columns)
    model.add_tensor(name, gguf.quants.quantize(values, WEIGHTS), raw_dtype=WEIGHTS)


def add_norm(name):
    values = 1 + 0.1 * random.standard_normal(EMBEDDING)
    model.add_tensor(name, values.astype(np.float32))


def add_tokens():
    """Three that are special, one for each byte, and words."""
    special = [b"<unk>", b"<s>", b"</s>"]
    bytes_ = [b"<0x%02X>" % byte for byte in range(256)]
    words = [b"w%d" % i for i in range(VOCABULARY - len(special) - len(bytes_))]
    kinds = gguf.TokenType
    types = [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL]
    types += [kinds.BYTE] * len(bytes_) + [kinds.NORMAL] * len(words)
    model.add_tokenizer_model("llama")
    model.add_token_list(special + bytes_ + words)
    model.add_token_scores([0.0] * VOCABULARY)
    model.add_token_types(types)
    model.add_unk_token_id(0)
    model.add_bos_token_id(1)
    model.add_eos_token_id(2)


model.add_context_length(CONTEXT)
model.add_embedding_length(EMBEDDING)
model.add_block_count(LAYERS)
model.add_feed_forward_length(FEED_FORWARD)
model.add_head_count(HEADS)
model.add_head_count_kv(HEADS)
model.add_layer_norm_rms_eps(1e-5)
model.add_rope_dimension_count(EMBEDDING // HEADS)
model.add_vocab_size(VOCABULARY)
model.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
add_tokens()
add_weights("token_embd.weight", VOCABULARY, EMBEDDING)
add_norm("output_norm.weight")
add_weights("output.weight", VOCABULARY, EMBEDDING)
for layer in range(LAYERS):
    block = f"blk.{layer}."
    add_norm(block + "attn_norm.weight")
    add_norm(block + "ffn_norm.weight")
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add_weights(block + part + ".weight", EMBEDDING, EMBEDDING)
    add_weights(block + "ffn_gate.weight", FEED_FORWARD, EMBEDDING)
    add_weights(block + "ffn_up.weight", FEED_FORWARD, EMBEDDING)
    add_weights(block + "ffn_down.weight", EMBEDDING, FEED_FORWARD)
model.write_header_to_file()
model.write_kv_data_to_file()
model.write_tensors_to_file()
model.close()
