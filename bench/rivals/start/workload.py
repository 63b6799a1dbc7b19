"""From the start of a program to the first vector of one sentence by all-MiniLM-L6-v2: imports, loading, embedding."""

TITLE = "start to first embedding, MiniLM-L6"
CASES = ["sentence"]
UNIT = "starts"
TOLERANCE = 1e-5
# Every turn starts the program anew: contenders print {"embedding": [...]} and leave.
ANEW = True

SENTENCE = "The dog chased the ball."


def prepare(folder, models, case):
    (folder / "model").unlink(missing_ok=True)
    (folder / "model").symlink_to(models / "all-MiniLM-L6-v2")
    (folder / "sentences.txt").write_text(SENTENCE + "\n")
    return {"amount": 1}
