import pathlib

import numpy
import onnxruntime
from contender import THREADS, folder, serve
from embed.sentences import batches, padded, pooled, texts, tokenizer

exported, optimized = (pathlib.Path(folder()) / name for name in ("model.onnx", "optimized.onnx"))
if not optimized.exists():
    import torch
    from onnxruntime.transformers import optimizer
    from transformers import AutoModel

    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(folder() + "/model", attn_implementation="eager")

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask).last_hidden_state

    ids = torch.ones(2, 8, dtype=torch.int64)
    axes = {name: {0: "batch", 1: "length"} for name in ("ids", "mask", "hidden")}
    torch.onnx.export(Hidden().eval(), (ids, ids), str(exported), input_names=["ids", "mask"], output_names=["hidden"],
                      dynamic_axes=axes, opset_version=17, dynamo=False)
    optimizer.optimize_model(str(exported), model_type="bert", num_heads=12, hidden_size=384,
                             opt_level=1).save_model_to_file(str(optimized))

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = THREADS
session = onnxruntime.InferenceSession(str(optimized), options, providers=["CPUExecutionProvider"])
encoder, lines = tokenizer(folder()), texts(folder())


def job():
    out = numpy.empty((len(lines), 384), dtype=numpy.float32)
    for which, rows in batches(encoder, lines):
        ids, mask = padded(rows)
        hidden = session.run(["hidden"], {"ids": ids, "mask": mask})[0]
        out[which] = pooled(hidden, mask)
    return out


serve(job)
