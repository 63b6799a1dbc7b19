"""Finds the texts that are most similar to a question: python search.py"""

import locus

TEXTS = ["The dog chased the ball.", "Ada Lovelace lives in London.", "It sat on the mat."]

model = locus.Embedder("tests/golden/apply/embed")  # or a real one, such as models/all-MiniLM-L6-v2
vectors = model.encode(TEXTS, purpose="document")
scores = locus.similarity(model.encode("who chased it?", purpose="query"), vectors)[0]
for i in scores.argsort()[::-1]:
    print(f"{scores[i]:.3f}  {TEXTS[i]}")
