"""Time from program start to the embedding of one sentence by all-MiniLM-L6-v2: imports, loading, inference."""

TITLE = "start to first embedding, MiniLM-L6"
CASES = ["sentence"]
UNIT = "starts"
TOLERANCE = 1e-5
# Every run starts the program again: contenders print {"embedding": [...]} and exit.
ONE_SHOT = True

SENTENCE = "The dog chased the ball."


def prepare(folder, models, case):
    (folder / "model").unlink(missing_ok=True)
    (folder / "model").symlink_to(models / "all-MiniLM-L6-v2")
    (folder / "sentences.txt").write_text(SENTENCE + "\n")
    return {"amount": 1}
