#!/usr/bin/env python3
"""Golden files of whole models: tests/golden/model/<model>.safetensors

Small transformers models with random weights, under the names of Locus: the parameters (parameter.NAME), the tokens, the logits of the real
tokens, the loss and every gradient (gradient.NAME), in f32. The metadata contains the blueprint (blueprint.FIELD). For the decoder
there is also `losses`: 50 steps of AdamW on the same batch. `seed` is the encoder of the first seed document, in plain PyTorch.

Needs: pip install torch transformers safetensors. Use: tools/golden/models.py [FOLDER]
"""
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/model")
VERSIONS = {"torch": torch.__version__, "transformers": transformers.__version__}
INIT_STD = 0.3  # large enough that a wrong position changes the results


def randomise(model):
    torch.manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            norm = parameter.ndim == 1 and "norm" in name.lower() + ("norm" if ".ln_" in "." + name else "")
            parameter.copy_(torch.randn_like(parameter) * INIT_STD + (1 if norm and name.endswith("weight") else 0))
    return model.eval()


def save(name, blueprint, names, inputs, logits, loss, extra=None):
    """names: Locus name -> (parameter, function from its layout to that of Locus)."""
    loss.backward()
    tensors = dict(inputs)
    for ours, (parameter, convert) in names.items():
        tensors["parameter." + ours] = convert(parameter.detach()).contiguous().clone()
        tensors["gradient." + ours] = convert(parameter.grad).contiguous().clone()
    tensors["logits"], tensors["loss"] = logits.detach().contiguous(), loss.detach().reshape(1)
    tensors.update(extra or {})
    metadata = {**VERSIONS, **{"blueprint." + key: str(value).lower() for key, value in blueprint.items()}}
    FOLDER.mkdir(parents=True, exist_ok=True)
    save_file(tensors, FOLDER / f"{name}.safetensors", metadata)
    (FOLDER / f"{name}.safetensors").chmod(0o644)


def same(x):
    return x


def turned(x):
    return x.T


def linear(names, ours, module, convert=same):
    names[ours + ".weight"] = (module.weight, convert)
    if getattr(module, "bias", None) is not None:
        names[ours + ".bias"] = (module.bias, same)


def i32(values):
    return torch.tensor(values, dtype=torch.int32)


def decoder():
    config = transformers.GPT2Config(vocab_size=37, n_positions=16, n_embd=20, n_layer=2, n_head=2, n_inner=44,
                                     resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, attn_implementation="eager")
    model = randomise(transformers.GPT2LMHeadModel(config))
    ids = torch.randint(0, 37, (3, 11))
    names = {"tokens": (model.transformer.wte.weight, same), "decoder.scheme.table": (model.transformer.wpe.weight, same)}
    for i, layer in enumerate(model.transformer.h):
        at = f"decoder.layers.{i}."
        linear(names, at + "attention.qkv", layer.attn.c_attn, turned)
        linear(names, at + "attention.out", layer.attn.c_proj, turned)
        linear(names, at + "attention_norm", layer.ln_1)
        linear(names, at + "feed_forward_norm", layer.ln_2)
        linear(names, at + "feed_forward.up", layer.mlp.c_fc, turned)
        linear(names, at + "feed_forward.down", layer.mlp.c_proj, turned)
    linear(names, "decoder.norm", model.transformer.ln_f)
    losses = curve(model, ids)
    out = model(ids, labels=ids)
    blueprint = dict(kind="decoder", vocabulary=37, width=20, layers=2, heads=2, hidden=44, max_length=16, activation="gelu_tanh",
                     fused_qkv=True, **{"scheme.name": "learned"})
    save("decoder", blueprint, names, {"ids": i32(ids.tolist())}, out.logits.reshape(-1, 37), out.loss, {"losses": losses})


def curve(model, ids):
    """50 steps of AdamW; weight decay applies to the matrices of layers, not to tables, norms and biases."""
    model.zero_grad()
    decayed = [p for n, p in model.named_parameters() if p.ndim == 2 and "wte" not in n and "wpe" not in n]
    others = [p for n, p in model.named_parameters() if not any(p is d for d in decayed)]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
                                  lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
    state, losses = {n: p.detach().clone() for n, p in model.named_parameters()}, []
    for _ in range(50):
        loss = model(ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():  # the file contains the weights and gradients of the first step
        for name, parameter in model.named_parameters():
            parameter.copy_(state[name])
    model.zero_grad()
    return torch.tensor(losses)


def encoder():
    config = transformers.BertConfig(vocab_size=41, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
                                     max_position_embeddings=14, type_vocab_size=2, hidden_dropout_prob=0, attention_probs_dropout_prob=0,
                                     pad_token_id=0, attn_implementation="eager")
    model = randomise(transformers.BertForMaskedLM(config))
    lengths = [9, 5, 12]
    mask = torch.tensor([[1] * n + [0] * (12 - n) for n in lengths])
    ids = torch.randint(1, 41, (3, 12)) * mask
    segments = (torch.arange(12) >= 4).long().repeat(3, 1) * mask
    labels = torch.where(torch.rand(3, 12) < 0.4, torch.randint(0, 41, (3, 12)), -100).masked_fill(mask == 0, -100)
    bert, head = model.bert, model.cls.predictions
    names = {"tokens": (bert.embeddings.word_embeddings.weight, same),
             "encoder.scheme.table": (bert.embeddings.position_embeddings.weight, same),
             "encoder.embedding.segments": (bert.embeddings.token_type_embeddings.weight, same),
             "head.bias": (head.bias, same)}
    linear(names, "encoder.embedding.norm", bert.embeddings.LayerNorm)
    for i, layer in enumerate(bert.encoder.layer):
        at = f"encoder.layers.{i}."
        for part in ("query", "key", "value"):
            linear(names, at + "attention." + part, getattr(layer.attention.self, part))
        linear(names, at + "attention.out", layer.attention.output.dense)
        linear(names, at + "attention_norm", layer.attention.output.LayerNorm)
        linear(names, at + "feed_forward.up", layer.intermediate.dense)
        linear(names, at + "feed_forward.down", layer.output.dense)
        linear(names, at + "feed_forward_norm", layer.output.LayerNorm)
    linear(names, "head.dense", head.transform.dense)
    linear(names, "head.dense_norm", head.transform.LayerNorm)
    out = model(ids, attention_mask=mask, token_type_ids=segments, labels=labels)
    real = mask.bool()
    blueprint = dict(kind="encoder", vocabulary=41, width=24, layers=2, heads=3, hidden=40, max_length=14, segments=2, embedding_norm=True,
                     norm_place="after", norm_eps=1e-12, final_norm=False, head="masked_token", head_bias=True, head_dense=True,
                     padding_token=0, **{"scheme.name": "learned"})
    save("encoder", blueprint, names, {"ids": i32(ids.tolist()), "mask": i32(mask.tolist()), "segments": i32(segments.tolist()),
                                       "labels": i32(labels[real].tolist())}, out.logits[real], out.loss)


def encoder_decoder():
    config = transformers.T5Config(vocab_size=31, d_model=16, d_kv=6, d_ff=28, num_layers=2, num_decoder_layers=1, num_heads=3,
                                   relative_attention_num_buckets=8, relative_attention_max_distance=12, dropout_rate=0,
                                   feed_forward_proj="gated-gelu", tie_word_embeddings=True, decoder_start_token_id=0, pad_token_id=0,
                                   attn_implementation="eager")
    model = randomise(transformers.T5ForConditionalGeneration(config))
    text_mask = torch.tensor([[1] * 10, [1] * 7 + [0] * 3])
    text = torch.randint(1, 31, (2, 10)) * text_mask
    labels = torch.randint(1, 31, (2, 6))
    labels[1, 4:] = -100
    names = {"tokens": (model.shared.weight, same)}
    for stack, module in (("encoder", model.encoder), ("decoder", model.decoder)):
        names[stack + ".scheme.table"] = (module.block[0].layer[0].SelfAttention.relative_attention_bias.weight, same)
        names[stack + ".norm.weight"] = (module.final_layer_norm.weight, same)
        for i, block in enumerate(module.block):
            parts = [("attention", block.layer[0].SelfAttention, block.layer[0].layer_norm)]
            if stack == "decoder":
                parts.append(("across", block.layer[1].EncDecAttention, block.layer[1].layer_norm))
            at = f"{stack}.layers.{i}."
            for part, attention, norm in parts:
                for ours, theirs in (("query", "q"), ("key", "k"), ("value", "v"), ("out", "o")):
                    linear(names, f"{at}{part}.{ours}", getattr(attention, theirs))
                names[f"{at}{part}_norm.weight"] = (norm.weight, same)
            feed = block.layer[-1]
            linear(names, at + "feed_forward.gate", feed.DenseReluDense.wi_0)
            linear(names, at + "feed_forward.up", feed.DenseReluDense.wi_1)
            linear(names, at + "feed_forward.down", feed.DenseReluDense.wo)
            names[at + "feed_forward_norm.weight"] = (feed.layer_norm.weight, same)
    out = model(text, attention_mask=text_mask, labels=labels)
    ids = torch.cat([torch.zeros(2, 1, dtype=torch.long), labels[:, :-1].clamp(min=0)], 1)
    blueprint = dict(kind="encoder-decoder", vocabulary=31, width=16, layers=2, decoder_layers=1, heads=3, head_size=6, hidden=28,
                     max_length=64, norm="rms", norm_eps=1e-6, activation="gelu_tanh", gated=True, query_bias=False, key_bias=False,
                     value_bias=False, output_bias=False, hidden_bias=False, attention_scale=1, head_scale=16**-0.5,
                     **{"scheme.name": "t5", "scheme.buckets": 8, "scheme.max_distance": 12})
    save("encoder-decoder", blueprint, names, {"text": i32(text.tolist()), "text_mask": i32(text_mask.tolist()), "ids": i32(ids.tolist()),
                                               "labels": i32(labels.reshape(-1).tolist())}, out.logits.reshape(-1, 31), out.loss)


class SeedLayer(torch.nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (torch.nn.Linear(width, width) for _ in range(4))
        self.up, self.down = torch.nn.Linear(width, hidden), torch.nn.Linear(hidden, width)
        self.heads = heads

    def forward(self, x):
        h = self.norm1(x)
        cut = [part(h).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.query, self.key, self.value)]
        x = x + self.out(torch.nn.functional.scaled_dot_product_attention(*cut).transpose(1, 2).flatten(2))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


class Seed(torch.nn.Module):
    """Embeddings and TransformerEncoder of seed document 000."""

    def __init__(self):
        super().__init__()
        self.tokens, self.positions = torch.nn.Embedding(29, 12), torch.nn.Embedding(9, 12)
        self.norm = torch.nn.LayerNorm(12, eps=1e-12)
        self.layers = torch.nn.ModuleList(SeedLayer(12, 3, 20) for _ in range(2))

    def forward(self, ids):
        x = self.norm(self.tokens(ids) + self.positions(torch.arange(ids.size(1))))
        for layer in self.layers:
            x = layer(x)
        return x


def seed():
    model = randomise(Seed())
    for layer in model.layers:
        layer.norm1.eps = layer.norm2.eps = 1e-12
    ids = torch.randint(0, 29, (1, 5))
    names = {"tokens": (model.tokens.weight, same), "encoder.scheme.table": (model.positions.weight, same)}
    linear(names, "encoder.embedding.norm", model.norm)
    for i, layer in enumerate(model.layers):
        at = f"encoder.layers.{i}."
        for part in ("query", "key", "value", "out"):
            linear(names, at + "attention." + part, getattr(layer, part))
        linear(names, at + "attention_norm", layer.norm1)
        linear(names, at + "feed_forward_norm", layer.norm2)
        linear(names, at + "feed_forward.up", layer.up)
        linear(names, at + "feed_forward.down", layer.down)
    out = model(ids)[0]
    weight = torch.randn_like(out)  # the loss: a weighted sum, so that every gradient is different
    blueprint = dict(kind="encoder", vocabulary=29, width=12, layers=2, heads=3, hidden=20, max_length=9, embedding_norm=True,
                     norm_eps=1e-12, final_norm=False, head="none", **{"scheme.name": "learned"})
    save("seed", blueprint, names, {"ids": i32(ids.tolist()), "weight": weight}, out, (out * weight).sum())


for make in (decoder, encoder, encoder_decoder, seed):
    make()
