"""What the folder of a tiny model in transformers holds: its weights, inputs for its head, and the outputs and gradients that they have."""
import json
import shutil

import torch
from transformers.core_model_loading import revert_weight_conversion
from transformers.models.bart.modeling_bart import shift_tokens_right
from transformers.models.mbart.modeling_mbart import shift_tokens_right as shift_behind_last

INIT_STD = 0.3  # large enough that a wrong position changes the results


def randomise(model, seed=7):
    """Random weights. Norm weights are around 1, or around 0 for Gemma, which adds 1 to them."""
    torch.manual_seed(seed)
    norms = {id(m.weight) for m in model.modules()
             if "Norm" in type(m).__name__ and "Gemma" not in type(m).__name__ and getattr(m, "weight", None) is not None}
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.copy_(torch.randn_like(parameter) * INIT_STD + (1 if id(parameter) in norms else 0))
        for name, buffer in model.named_buffers():
            if name == "final_logits_bias":
                buffer.copy_(torch.randn_like(buffer))
    return model.eval()


def tokens(vocabulary, lengths, left=False, seed=3, first=3, padding=0):
    """Random ids from `first` on, with `padding` where the mask is 0; and the mask."""
    generator = torch.Generator().manual_seed(seed)
    most = max(lengths)
    mask = torch.tensor([[0] * (most - n) + [1] * n if left else [1] * n + [0] * (most - n) for n in lengths])
    return torch.randint(first, vocabulary, (len(lengths), most), generator=generator) * mask + padding * (1 - mask), mask


def token_labels(mask, classes, shifted, seed=5):
    """Labels, some of them -100; none that padding would have to predict."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, classes, mask.shape, generator=generator)
    keep = (torch.rand(mask.shape, generator=generator) < 0.7) & (mask > 0)
    if shifted:
        keep[:, 1:] &= mask[:, :-1] > 0
    return torch.where(keep, labels, -100)


def inputs_for(model, lengths=(9, 5, 11), left=False, segments=0, seed=3):
    """Inputs for the head of the model."""
    config, kind = model.config, type(model).__name__
    ids, mask = tokens(config.vocab_size, lengths, left, seed, padding=config.pad_token_id or 0)
    inputs = dict(input_ids=ids, attention_mask=mask)
    if segments:
        inputs["token_type_ids"] = (torch.arange(ids.shape[1]) >= 4).long().repeat(len(lengths), 1) % segments * mask
    if "Generation" in kind or "MTModel" in kind:
        inputs["labels"] = token_labels(torch.ones(len(lengths), 6), config.vocab_size, False)
        if config.model_type in ("mbart", "m2m_100"):  # they search for padding among the labels: none in between
            inputs["labels"][inputs["labels"] < 0] = 5
            inputs["labels"][-1, 4:] = -100 if config.model_type == "mbart" else 6
    elif config.is_encoder_decoder and kind.endswith("Model"):
        inputs["decoder_input_ids"] = tokens(config.vocab_size, [6] * len(lengths), seed=seed + 1)[0]
    elif "SequenceClassification" in kind:
        generator = torch.Generator().manual_seed(seed)
        if config.is_encoder_decoder:  # it classifies from the last end token
            ids[torch.arange(len(lengths)), torch.tensor(lengths) - 1] = config.eos_token_id
        if config.num_labels == 1:
            inputs["labels"] = torch.randn(len(lengths), generator=generator)
        else:
            inputs["labels"] = torch.randint(0, config.num_labels, (len(lengths),), generator=generator)
    elif "QuestionAnswering" in kind:
        inputs["start_positions"] = torch.tensor([1, 0, 99, 4][:len(lengths)])
        inputs["end_positions"] = torch.tensor([min(lengths) - 1] * len(lengths))
    elif "TokenClassification" in kind:
        inputs["labels"] = token_labels(mask, config.num_labels, False)
    elif "MaskedLM" in kind:
        inputs["labels"] = token_labels(mask, config.vocab_size, False)
    elif "CausalLM" in kind or "LMHead" in kind:
        inputs["labels"] = token_labels(mask, config.vocab_size, True)
    return inputs


def outputs_of(model, inputs):
    """The output of `locus forward --gradients`, computed by transformers."""
    model.zero_grad()
    base = {k: v for k, v in inputs.items() if k not in ("labels", "start_positions", "end_positions")}
    labels = inputs.get("labels")
    if model.config.is_encoder_decoder and "decoder_input_ids" not in base:
        decoder_labels = labels if labels is not None and labels.dim() == 2 else base["input_ids"]  # as the model does without decoder inputs
        if model.config.model_type == "mbart":
            base["decoder_input_ids"] = shift_behind_last(decoder_labels, model.config.pad_token_id)
        else:
            base["decoder_input_ids"] = shift_tokens_right(decoder_labels, model.config.pad_token_id, model.config.decoder_start_token_id)
    real = torch.ones_like(base["decoder_input_ids"]) if "decoder_input_ids" in base else base.get("attention_mask")
    real = torch.ones_like(base["input_ids"]) if real is None else real

    def packed(x):
        return (x * (real if x.dim() == 2 else real[..., None])).detach().contiguous()

    trunk = model.base_model if model.base_model is not model and "T5For" not in type(model).__name__ else None
    out = model(**inputs)
    if trunk is not None:
        hidden = trunk(**base).last_hidden_state
    elif hasattr(out, "last_hidden_state"):
        hidden = out.last_hidden_state
    else:
        hidden = model(**inputs, output_hidden_states=True).decoder_hidden_states[-1]
    result = {"last_hidden_state": packed(hidden)}
    if "logits" in out:
        result["logits"] = packed(out.logits) if out.logits.dim() == 3 else out.logits.detach().contiguous()
    for name in ("start_logits", "end_logits"):
        if name in out:
            result[name] = packed(out[name])
    if out.get("loss") is not None:
        result["loss"] = out.loss.detach().reshape(())
        out.loss.backward()
        gradients = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
        for name, gradient in revert_weight_conversion(model, gradients).items():  # files have other names and fewer matrices than the model
            result["grad." + name] = gradient.contiguous()
    return result


def save_folder(model, inputs, folder, dtype=None):
    shutil.rmtree(folder, ignore_errors=True)
    model = model if dtype is None else model.to(dtype)
    # Some families store sinusoidal tables. Locus computes them and does not write them; in bf16 they would differ.
    computed = "embed_positions" if model.config.model_type in ("roformer", "pegasus") else " "
    model.save_pretrained(folder, state_dict={name: tensor for name, tensor in model.state_dict().items() if computed not in name})
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "model.safetensors").chmod(0o644)
    (folder / "inputs.json").write_text(json.dumps({k: v.tolist() for k, v in inputs.items()}))
