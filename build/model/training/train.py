"""Fine-tunes the sentence encoder all-MiniLM-L6-v2 so that needs are near the tools that meet them.

    python build/model/training/train.py --model FOLDER --catalogue FOLDER --out FILE

The loss is the cross entropy of the right tool among the other tools of the batch: Oord et al., "Representation Learning
with Contrastive Predictive Coding" (2018). To each need belongs a tool that is wrong and near, which is determined again
from time to time, and batches contain tools of the same servers, which are the hardest to tell apart. A second term keeps
the similarities of the published model, so that texts of other kinds stay where they were. The embeddings of words are not
changed. The result is the mean of several trainings that differ in the order of the needs: Wortsman et al., "Model soups"
(2022).
"""

import argparse
import pathlib
import time

import numpy as np
import tensorflow as tf
from tokenizers import Tokenizer

import data
from encoder import HIDDEN, Encoder

SCALE = 20  # of similarities in the loss
NEAR = 0.93  # similarity from which two tools count as the same
QUERY_TOKENS = 48
DEPTH = 20  # near wrong tools per need, of which each step takes one
NEED_GROUP = 4  # needs of a batch that are for tools of one server


def arguments():
    root = pathlib.Path(__file__).parent.parent
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--model", type=pathlib.Path, required=True, help="the folder of the published model")
    p.add_argument("--data", type=pathlib.Path, default=root / "data")
    p.add_argument("--catalogue", type=pathlib.Path, required=True, help="the folder with the tools of published servers")
    p.add_argument("--bench", type=pathlib.Path, help="a folder with labelled sets, to measure before and after")
    p.add_argument("--out", type=pathlib.Path, required=True, help="write the weights to this file")
    p.add_argument("--steps", type=int, default=400, help="of each training")
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--rate", type=float, default=4e-5, help="the highest learning rate")
    p.add_argument("--keep", type=float, default=5, help="the weight of the term that keeps similarities")
    p.add_argument("--refresh", type=int, default=200, help="look for near wrong tools again after that many steps")
    p.add_argument("--siblings", type=float, default=0.25, help="the share of a batch in groups of one server")
    p.add_argument("--length", type=int, default=64, help="tokens of a tool")
    p.add_argument("--seeds", type=int, nargs="+", default=[1, 2], help="one training for each")
    return p.parse_args()


class Texts:
    """Texts as tokens."""

    def __init__(self, tokenizer, texts, most):
        tokenizer.enable_truncation(most)
        self.rows = [np.array(e.ids, np.int32) for e in tokenizer.encode_batch(list(texts))]

    def padded(self, numbers):
        return pad([self.rows[i] for i in numbers])

    def vectors(self, encoder):
        out = np.zeros((len(self.rows), HIDDEN), np.float32)
        order = np.argsort([len(row) for row in self.rows])  # texts of one length need no padding
        for i in range(0, len(order), 128):
            part = order[i : i + 128]
            out[part] = encoder.graph(*self.padded(part)).numpy()
        return out


def pad(rows):
    width = max(map(len, rows))
    ids, mask = np.zeros((len(rows), width), np.int32), np.zeros((len(rows), width), np.float32)
    for i, row in enumerate(rows):
        ids[i, : len(row)], mask[i, : len(row)] = row, 1
    return ids, mask


class Measure:
    """Measures labelled sets by similarity alone."""

    def __init__(self, tokenizer, folder, kept):
        self.sets = [data.Set(path) for path in sorted(folder.iterdir()) if (path / "queries.jsonl").exists()] if folder else []
        self.texts = [(Texts(tokenizer, s.texts, 64), Texts(tokenizer, [q.text for q in s.queries], 64)) for s in self.sets]
        self.kept = kept

    def report(self, encoder):
        for s, (tools, queries) in zip(self.sets, self.texts):
            order = np.argsort(-(queries.vectors(encoder) @ tools.vectors(encoder).T), axis=1)[:, :10]
            groups = {"all": list(range(len(s.queries)))}
            for i, kind in enumerate(s.kinds):
                if kind:
                    groups.setdefault(kind, []).append(i)
            fresh = [i for i, q in enumerate(s.queries) if s.kinds[i] == "intent" and all(s.servers[t] in self.kept for t in q.tools)]
            if fresh:
                groups["intent, unwritten"] = fresh
            for name, members in groups.items():
                first = np.mean([order[i, 0] in s.queries[i].tools for i in members])
                ten = np.mean([len(set(order[i]) & set(s.queries[i].tools)) / len(s.queries[i].tools) for i in members])
                print(f"{s.name:16} {name:18} {len(members):5} {first:.3f} {ten:.3f}", flush=True)


def nearest(needs, tools, allowed):
    """Returns for each need the tools that are nearest to it among those that count as wrong."""
    out = []
    for i in range(0, len(needs), 1000):
        similarities = np.where(allowed[i : i + 1000], needs[i : i + 1000] @ tools.T, -2)
        out.append(np.argpartition(-similarities, DEPTH, axis=1)[:, :DEPTH])
    return np.concatenate(out)


class Batches:
    """An endless sequence of batches of needs, in which groups of needs are for tools of one server."""

    def __init__(self, tools, needs, size, siblings, rng):
        self.size, self.grouped, self.rng = size, int(size * siblings) // NEED_GROUP, rng
        self.servers = {}
        for i, need in enumerate(needs):
            self.servers.setdefault(tools[need.tools[0]].server, []).append(i)
        self.of = [tools[need.tools[0]].server for need in needs]
        self.count, self.order = len(needs), []

    def next(self):
        batch = []
        while len(batch) < self.size:
            if not len(self.order):
                self.order = list(self.rng.permutation(self.count))
            first = self.order.pop()
            batch.append(first)
            if len(batch) <= self.grouped * NEED_GROUP:
                others = self.servers[self.of[first]]
                batch += list(self.rng.choice(others, min(NEED_GROUP - 1, len(others)), replace=False))
        return np.array(batch[: self.size])


class Trainer:
    """Applies AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019) to an encoder."""

    def __init__(self, encoder, keep):
        self.encoder, self.keep = encoder, keep
        self.variables = list(encoder.layers.values())
        self.means = [tf.Variable(tf.zeros_like(v)) for v in self.variables]
        self.squares = [tf.Variable(tf.zeros_like(v)) for v in self.variables]
        ids, table, number = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None], tf.float32), tf.TensorSpec([], tf.float32)
        self.step = tf.function(self.step, input_signature=[ids, table, ids, table, table, table, number, number])

    def step(self, need_ids, need_mask, tool_ids, tool_mask, allowed, before, rate, count):
        """Makes one step. Tool i is right for need i. before are the similarities of the published model."""
        with tf.GradientTape() as tape:
            needs, tools = self.encoder.encode(need_ids, need_mask), self.encoder.encode(tool_ids, tool_mask)
            similarities = tf.matmul(needs, tools, transpose_b=True)
            scores = SCALE * similarities + (allowed - 1) * 1e4
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(tf.shape(needs)[0]), scores))
            moved = tf.reduce_mean((similarities - before) ** 2)
            total = loss + self.keep * moved
        gradients, _ = tf.clip_by_global_norm(tape.gradient(total, self.variables), 1.0)
        for v, g, mean, square in zip(self.variables, gradients, self.means, self.squares):
            mean.assign(0.9 * mean + 0.1 * g)
            square.assign(0.999 * square + 0.001 * g * g)
            change = (mean / (1 - 0.9**count)) / (tf.sqrt(square / (1 - 0.999**count)) + 1e-8)
            v.assign_sub(rate * (change + (0.01 * v if len(v.shape) > 1 else 0.0)))
        return loss, moved


class Lesson:
    """What a training learns from: the needs, the tools, and the tools that count as wrong for each need."""

    def __init__(self, tokenizer, o):
        self.tools, self.needs = data.read(o.data, o.catalogue)
        print(f"{len(self.needs)} needs, {len(self.tools)} tools", flush=True)
        self.aliases = [Texts(tokenizer, [tool.texts[i] for tool in self.tools], o.length) for i in range(2)]
        self.asked = Texts(tokenizer, [need.text for need in self.needs], QUERY_TOKENS)

    def begin(self, encoder):
        """Keeps the vectors of the published model."""
        self.old_tools, self.old_needs = self.aliases[0].vectors(encoder), self.asked.vectors(encoder)
        self.allowed = np.ones((len(self.needs), len(self.tools)), bool)
        alike = self.old_tools @ self.old_tools.T > NEAR
        for i, need in enumerate(self.needs):
            self.allowed[i] = ~alike[need.tools].any(0)


def train(encoder, lesson, o, seed):
    """Trains an encoder in place."""
    rng = np.random.default_rng(seed)
    tf.random.set_seed(seed)
    batches, trainer = Batches(lesson.tools, lesson.needs, o.batch, o.siblings, rng), Trainer(encoder, o.keep)
    began, recent, wrong = time.process_time(), [], nearest(lesson.old_needs, lesson.old_tools, lesson.allowed)
    for step in range(o.steps):
        if step and step % o.refresh == 0:
            wrong = nearest(lesson.asked.vectors(encoder), lesson.aliases[0].vectors(encoder), lesson.allowed)
        batch = batches.next()
        shown = np.array([rng.choice(lesson.needs[i].tools) for i in batch] + [rng.choice(wrong[i]) for i in batch])
        usable = lesson.allowed[batch][:, shown].astype(np.float32)
        np.fill_diagonal(usable, 1)
        tool_ids, tool_mask = pad([lesson.aliases[a].rows[i] for a, i in zip(rng.integers(0, 2, len(shown)), shown)])
        before = lesson.old_needs[batch] @ lesson.old_tools[shown].T
        rate = o.rate * min(1, (step + 1) / 20) * 0.5 * (1 + np.cos(np.pi * step / o.steps))
        numbers = tf.constant(rate, tf.float32), tf.constant(step + 1, tf.float32)
        recent.append(trainer.step(*lesson.asked.padded(batch), tool_ids, tool_mask, usable, before, *numbers))
        if step % 20 == 19:
            loss, moved = np.mean(recent[-20:], 0)
            print(f"seed {seed}, step {step + 1} of {o.steps}: loss {loss:.3f}, moved {moved:.4f}, {time.process_time() - began:.0f} s of processor time", flush=True)


def main():
    o = arguments()
    tokenizer = Tokenizer.from_file(str(o.model / "tokenizer.json"))
    tokenizer.no_padding()
    encoder = Encoder(str(o.model / "model.safetensors"))
    measure = Measure(tokenizer, o.bench, set((o.data / "unwritten.txt").read_text().split()))
    measure.report(encoder)
    lesson = Lesson(tokenizer, o)
    lesson.begin(encoder)
    o.out.parent.mkdir(parents=True, exist_ok=True)
    published, trained = encoder.values(), []
    for seed in o.seeds:
        encoder.set(published)
        train(encoder, lesson, o, seed)
        trained.append(encoder.values())
        encoder.set([np.mean(values, 0) for values in zip(*trained)])
        encoder.save(str(o.out))  # after each training, so that an interrupted one leaves something
    measure.report(encoder)


if __name__ == "__main__":
    main()
