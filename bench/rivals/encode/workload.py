"""Embedder.encode of the Python package and encode of sentence-transformers: 512 sentences, and one of 18 words."""

from embed import workload as embed

TITLE = "encode in Python, MiniLM-L6"
CASES = ["sentences", "sentence"]
UNIT = "tokens"
# Components of unit vectors, after six layers in float32.
TOLERANCE = 1e-5


def prepare(folder, models, case):
    size = embed.prepare(folder, models, case)
    if case == "sentences":
        return size
    text = next(line for line in embed.sentences() if len(line.split()) == 18)
    (folder / "sentences.txt").write_text(text + "\n")
    return {"amount": 1}
