"""The sentence encoder all-MiniLM-L6-v2 in TensorFlow, for training.

It computes what backend/discovery/minilm computes: the mean of the last layer over all tokens, scaled to length 1.
Matrices are multiplied in bfloat16; everything else is in 32-bit floats.
"""

import numpy as np
import tensorflow as tf
from safetensors.numpy import load_file, save_file

LAYERS, HEADS, HIDDEN = 6, 12, 384


class Encoder:
    """The weights by their published names. Embeddings stay as they are; layers are variables."""

    def __init__(self, path):
        self.tensors = load_file(path)
        self.table = {name: tf.constant(value) for name, value in self.tensors.items() if name.startswith("embeddings.")}
        self.layers = {name: tf.Variable(value, name=name) for name, value in self.tensors.items() if name.startswith("encoder.layer.")}
        self.graph = tf.function(self.encode, input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None], tf.float32)])

    def values(self):
        return [value.numpy() for value in self.layers.values()]

    def set(self, values):
        for variable, value in zip(self.layers.values(), values):
            variable.assign(value)

    def save(self, path):
        save_file(self.tensors | {name: value.numpy() for name, value in self.layers.items()}, path)

    def encode(self, ids, mask):
        """Returns the vectors of texts, given their tokens, padded, and 1 for each token that counts."""
        table = "embeddings.{}_embeddings.weight".format
        x = tf.gather(self.table[table("word")], ids) + self.table[table("position")][: tf.shape(ids)[1]] + self.table[table("token_type")][0]
        x = norm(x, self.table["embeddings.LayerNorm.weight"], self.table["embeddings.LayerNorm.bias"])
        bias = (mask - 1)[:, None, None, :] * 1e9
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            x = self.norm(x + self.dense(self.attend(x, at + "attention.self.", bias), at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = tf.nn.gelu(self.dense(x, at + "intermediate.dense"), approximate=False)
            x = self.norm(x + self.dense(wide, at + "output.dense"), at + "output.LayerNorm")
        return tf.math.l2_normalize(tf.reduce_sum(x * mask[:, :, None], 1), axis=1)

    def attend(self, x, at, bias):
        shape = tf.shape(x)
        heads = lambda part: tf.transpose(tf.reshape(self.dense(x, at + part), [shape[0], shape[1], HEADS, HIDDEN // HEADS]), [0, 2, 1, 3])
        q, k, v = (tf.cast(heads(part), tf.bfloat16) for part in ("query", "key", "value"))
        scores = tf.cast(tf.matmul(q, k, transpose_b=True), tf.float32) / np.sqrt(np.float32(HIDDEN // HEADS)) + bias
        mixed = tf.cast(tf.matmul(tf.cast(tf.nn.softmax(scores), tf.bfloat16), v), tf.float32)
        return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [shape[0], shape[1], HIDDEN])

    def dense(self, x, name):
        flat = tf.reshape(tf.cast(x, tf.bfloat16), [-1, x.shape[-1]])
        y = tf.cast(tf.matmul(flat, tf.cast(self.layers[name + ".weight"], tf.bfloat16), transpose_b=True), tf.float32) + self.layers[name + ".bias"]
        return tf.reshape(y, tf.concat([tf.shape(x)[:-1], [y.shape[-1]]], 0))

    def norm(self, x, name):
        return norm(x, self.layers[name + ".weight"], self.layers[name + ".bias"])


def norm(x, scale, bias):
    x = x - tf.reduce_mean(x, -1, keepdims=True)
    return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-12) * scale + bias
