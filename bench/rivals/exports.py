"""Exports transformers encoders for other libraries, once, and stores them next to the model."""

import pathlib

INPUTS = ("ids", "mask")


def onnx_encoder(folder):
    """The model in folder/model for ONNX Runtime, after its own transformer optimizer."""
    folder = pathlib.Path(folder)
    exported, optimized = folder / "model.onnx", folder / "optimized.onnx"
    if optimized.exists():
        return str(optimized)
    import torch
    from onnxruntime.transformers import optimizer
    from transformers import AutoModel

    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(folder / "model", attn_implementation="eager")

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask).last_hidden_state

    model, ids = Hidden().eval(), torch.ones(2, 8, dtype=torch.int64)
    axes = {name: {0: "batch", 1: "length"} for name in (*INPUTS, "hidden")}
    torch.onnx.export(model, (ids, ids), str(exported), input_names=list(INPUTS), output_names=["hidden"], dynamic_axes=axes,
                      opset_version=17, dynamo=False)
    config = model.model.config
    optimizer.optimize_model(str(exported), model_type="bert", num_heads=config.num_attention_heads,
                             hidden_size=config.hidden_size, opt_level=1).save_model_to_file(str(optimized))
    return str(optimized)


def onnx_session(folder, threads):
    """A function from ids and mask, int64 [B, L], to hidden states [B, L, C]."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(onnx_encoder(folder), options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(["hidden"], dict(zip(INPUTS, (ids, mask))))[0]


def ctranslate2_folder(folder):
    """The model in folder/model for CTranslate2."""
    import ctranslate2

    converted = pathlib.Path(folder) / "ctranslate2"
    if not converted.exists():
        ctranslate2.converters.TransformersConverter(str(pathlib.Path(folder) / "model")).convert(str(converted))
    return str(converted)
