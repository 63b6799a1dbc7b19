#!/usr/bin/env python3
"""Golden files of the schemes that act on scores: tests/golden/scheme/<scheme>-<case>.safetensors

Each file has one attention layer in double precision for one sequence: q, k, v [L, H*D] and dout, the parameters of the
scheme (parameter.NAME), the layer weights that it uses (layer.NAME), the output (out), and the gradients of all of these
(gradient.NAME). The metadata defines the scheme: its name, option.NAME, the geometry, the layer. One test reads all files.
`maps.safetensors` has slopes and bucket maps over much longer distances.

The scores come from the modules of transformers if it has the scheme, otherwise from the formula of the paper, pair by
pair. Needs: pip install torch transformers safetensors. Use: tools/golden/schemes_score.py [FOLDER]
"""
import math
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers import DebertaConfig, DebertaV2Config, T5Config
from transformers.models.bloom import modeling_bloom
from transformers.models.deberta import modeling_deberta
from transformers.models.deberta_v2 import modeling_deberta_v2
from transformers.models.falcon import modeling_falcon
from transformers.models.mpt import modeling_mpt
from transformers.models.t5.modeling_t5 import T5Attention

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/scheme")
FURTHEST = 20000  # the largest distance of the maps
VERSIONS = {"torch": torch.__version__, "transformers": transformers.__version__}


def normal(*shape, scale=1.0):
    """Random numbers that are exact in f32, as double."""
    return (torch.randn(*shape) * scale).double().requires_grad_()


def save(tensors, name, metadata):
    save_file(tensors, FOLDER / f"{name}.safetensors", metadata)
    (FOLDER / f"{name}.safetensors").chmod(0o644)


class Case:
    """One file: the geometry and the learned parameters. `scores` maps q, k [H, L, D] to [H, L, L]."""

    def __init__(self, scheme, case, options=None, length=12, heads=3, size=4, causal=False, layers=1, layer=0, max_length=0):
        torch.manual_seed(sum(map(ord, scheme + case)))
        self.name, self.length, self.heads, self.size, self.causal = f"{scheme}-{case}", length, heads, size, causal
        self.width = heads * size
        self.parameters, self.layer_weights = {}, {}
        geometry = dict(heads=heads, head_size=size, width=self.width, layers=layers, layer=layer, max_length=max_length,
                        causal=int(causal))
        self.metadata = {"scheme": scheme, **VERSIONS, **{name: str(value) for name, value in geometry.items()}}
        for name, value in (options or {}).items():
            self.metadata["option." + name] = str(value).lower()

    def parameter(self, name, value):
        self.parameters[name] = value
        return value

    def layer_weight(self, name, value):
        self.layer_weights[name] = value
        return value

    def plain(self, q, k):
        return q @ k.transpose(-1, -2) / math.sqrt(self.size)

    def save(self, scores, source):
        q, k, v = (normal(self.length, self.width) for _ in range(3))
        dout = normal(self.length, self.width).detach()
        apart = lambda x: x.view(self.length, self.heads, self.size).transpose(0, 1)
        table = scores(apart(q), apart(k))
        if self.causal:
            table = table.masked_fill(torch.ones(self.length, self.length).triu(1).bool(), -math.inf)
        out = (table.softmax(-1) @ apart(v)).transpose(0, 1).reshape(self.length, self.width)
        out.backward(dout)
        leaves = {"q": q, "k": k, "v": v}
        leaves |= {"parameter." + name: value for name, value in self.parameters.items()}
        leaves |= {"layer." + name: value for name, value in self.layer_weights.items()}
        tensors = {"out": out, "dout": dout, **leaves}
        tensors |= {"gradient." + name: value.grad for name, value in leaves.items() if value.grad is not None}
        save({name: value.detach().float().contiguous() for name, value in tensors.items()}, self.name,
             {**self.metadata, "source": source})


def pairs(length, value):
    """[H, L, L] from value(i, j), a list or tensor over the heads."""
    rows = [torch.stack([torch.as_tensor(value(i, j), dtype=torch.float64) for j in range(length)], -1) for i in range(length)]
    return torch.stack(rows, -2)


def alibi():
    for heads in (1, 3, 12):
        case = Case("alibi", f"bloom-{heads}", heads=heads, causal=True)
        bias = modeling_bloom.build_alibi_tensor(torch.ones(1, case.length), heads, torch.float64)
        case.save(lambda q, k: case.plain(q, k) + bias, "transformers bloom build_alibi_tensor")
    for heads, most in ((6, 8), (5, 16)):
        case = Case("alibi", f"mpt-{heads}", {"bias_max": most}, heads=heads, causal=True)
        bias = modeling_mpt.build_mpt_alibi_tensor(heads, case.length, most).double()
        case.save(lambda q, k: case.plain(q, k) + bias, "transformers mpt build_mpt_alibi_tensor")
    case = Case("alibi", "falcon", {"scaled": True, "bf16": True}, causal=True)
    slopes = modeling_falcon.build_alibi_tensor(torch.ones(1, 2), case.heads, torch.float64)[:, :, 1:]  # at position 1, without the rounding of the product
    places = torch.arange(case.length, dtype=torch.float64)
    case.save(lambda q, k: (q @ k.transpose(-1, -2) + slopes * places) / math.sqrt(case.size),
              "transformers falcon build_alibi_tensor, its slopes; (q.k + bias) / sqrt(D)")
    case = Case("alibi", "list", {"slopes": "0.5, 0.25, 0.75"})
    bias = pairs(case.length, lambda i, j: [-slope * abs(i - j) for slope in (0.5, 0.25, 0.75)])
    case.save(lambda q, k: case.plain(q, k) + bias, "the paper's formula, in both directions")


def t5():
    for name, decoder in (("encoder", False), ("decoder", True)):
        case = Case("t5", name, {"buckets": 8, "max_distance": 16}, length=24, causal=decoder)
        config = T5Config(d_model=case.width, num_heads=case.heads, d_kv=case.size, is_decoder=decoder,
                          relative_attention_num_buckets=8, relative_attention_max_distance=16)
        module = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).double()
        table = case.parameter("table", normal(8, case.heads))
        module.relative_attention_bias.weight = torch.nn.Parameter(table.detach())
        case.parameters["table"] = module.relative_attention_bias.weight
        case.save(lambda q, k: case.plain(q, k) + module.compute_bias(case.length, case.length)[0],
                  "transformers T5Attention.compute_bias")


def kerple():
    for form in ("log", "power"):
        case = Case("kerple", form, {"form": form}, causal=form == "log")
        r1 = case.parameter("r1", torch.tensor([0.5, 1.5, 0.25], dtype=torch.float64, requires_grad=True))
        r2 = case.parameter("r2", torch.tensor([0.75, 0.125, 1.5], dtype=torch.float64, requires_grad=True))
        bias = {"log": lambda i, j: -r1 * torch.log(1 + r2 * abs(i - j)),
                "power": lambda i, j: -r1 * abs(i - j) ** r2 if i != j else 0 * r1}[form]
        case.save(lambda q, k: case.plain(q, k) + pairs(case.length, bias), "the paper's formula")


def shaw():
    for name, per_head in (("shared", False), ("per_head", True)):
        case = Case("shaw", name, {"max_distance": 3, "per_head": per_head}, layers=2, layer=1)
        shape = (7, case.heads, case.size) if per_head else (7, 1, case.size)
        tables = [case.parameter(f"layer.{i}.table", normal(7, math.prod(shape[1:]))) for i in range(2)]
        clip = lambda n: max(-3, min(3, n))

        def scores(q, k):
            vectors = tables[1].view(shape).expand(7, case.heads, case.size)
            return pairs(case.length, lambda i, j: (q[:, i] * (k[:, j] + vectors[clip(j - i) + 3])).sum(-1) / math.sqrt(case.size))
        case.save(scores, "the paper's formula")


def transformer_xl():
    for name, causal in (("causal", True), ("both", False)):
        case = Case("transformer_xl", name, causal=causal, layers=2, layer=1)
        u, v = (case.parameter(n, normal(case.width)) for n in "uv")
        weights = [case.parameter(f"layer.{i}.weight", normal(case.width, case.width, scale=0.5)) for i in range(2)]

        def scores(q, k):
            frequency = 1 / 10000 ** (torch.arange(0, case.width, 2, dtype=torch.float64) / case.width)
            heads = lambda x: x.view(case.heads, case.size)

            def pair(i, j):
                angle = (i - j) * frequency
                r = heads(weights[1] @ torch.cat([angle.sin(), angle.cos()]))
                return ((q[:, i] + heads(u)) * k[:, j] + (q[:, i] + heads(v)) * r).sum(-1) / math.sqrt(case.size)
            return pairs(case.length, pair)
        case.save(scores, "the paper's formula; sinusoids as the authors' code lays them out")


def deberta_table(case, module, span, norm):
    """The table as the encoder passes it to its layers, and the names of all learned parameters."""
    table = case.parameter("table", normal(2 * span, case.width))
    if norm:
        gamma, beta = (case.parameter("norm." + name, normal(case.width)) for name in ("weight", "bias"))
        table = torch.nn.functional.layer_norm(table, (case.width,), gamma, beta, 1e-7)
    for weight in module.parameters():
        weight.data = torch.randn_like(weight).float().double() * 0.5
    return table


def check_module(module, scores, x, table, q, k, v, relative):
    """Checks that the forward pass of the module gives the same context as these scores."""
    mask = torch.ones(1, 1, x.size(0), x.size(0))
    context = module(x[None], mask, relative_pos=relative, rel_embeddings=table)[0][0]
    mine = (scores(q, k).softmax(-1) @ v).transpose(0, 1).reshape(context.shape)
    assert torch.allclose(context, mine, rtol=1e-6, atol=1e-6), (context - mine).abs().max()


def deberta_v1():
    for name, kinds, norm in (("both", ["c2p", "p2c"], True), ("c2p", ["c2p"], False), ("p2c", ["p2c"], False)):
        case = Case("deberta", "v1-" + name, {"terms": name, "buckets": 0, "max_distance": 5, "shared": False,
                                              "key_bias": False, "norm": norm}, layers=1)
        config = DebertaConfig(hidden_size=case.width, num_attention_heads=case.heads, relative_attention=True,
                               max_relative_positions=5, pos_att_type=kinds)
        module = modeling_deberta.DisentangledSelfAttention(config).double().eval()
        table = deberta_table(case, module, 5, norm)
        if "c2p" in kinds:
            case.parameters["layer.0.key.weight"] = module.pos_proj.weight
        if "p2c" in kinds:
            case.parameters["layer.0.query.weight"] = module.pos_q_proj.weight
            case.parameters["layer.0.query.bias"] = module.pos_q_proj.bias
        relative = modeling_deberta.build_relative_position(torch.zeros(case.length, 1), torch.zeros(case.length, 1))
        scale = math.sqrt(case.size * (1 + len(kinds)))

        def scores(q, k):
            bias = module.disentangled_att_bias(q[None] / scale, k[None], relative, table, 1 + len(kinds))
            return q @ k.transpose(-1, -2) / scale + bias[0]
        with torch.no_grad():
            x = normal(case.length, case.width)
            parts = module.in_proj(x).view(case.length, case.heads, 3 * case.size).transpose(0, 1).chunk(3, -1)
            bias = lambda b: b.view(case.heads, 1, case.size)
            check_module(module, scores, x, table, parts[0] + bias(module.q_bias), parts[1], parts[2] + bias(module.v_bias), relative)
        case.save(scores, "transformers deberta DisentangledSelfAttention")


def deberta_v2():
    for name, kinds, shared in (("v3", ["p2c", "c2p"], True), ("v2-own", ["p2c", "c2p"], False), ("v2-c2p", ["c2p"], True)):
        options = {"terms": kinds[0] if len(kinds) == 1 else "both", "buckets": 8, "shared": shared, "norm": shared}
        case = Case("deberta", name, options, length=24, max_length=14)
        config = DebertaV2Config(hidden_size=case.width, num_attention_heads=case.heads, relative_attention=True, position_buckets=8,
                                 max_position_embeddings=14, pos_att_type=kinds, share_att_key=shared)
        module = modeling_deberta_v2.DisentangledSelfAttention(config).double().eval()
        table = deberta_table(case, module, 8, shared)
        for mine, theirs in (("key", "key_proj"), ("query", "query_proj")):
            if shared:
                projection = getattr(module, theirs)
                case.layer_weight(mine + "_weight", projection.weight)
                case.layer_weight(mine + "_bias", projection.bias)
            else:
                projection = getattr(module, "pos_" + theirs)
                case.parameters[f"layer.0.{mine}.weight"] = projection.weight
                case.parameters[f"layer.0.{mine}.bias"] = projection.bias
        scale = math.sqrt(case.size * (1 + len(kinds)))
        scores = lambda q, k: q @ k.transpose(-1, -2) / scale + module.disentangled_attention_bias(q, k, None, table, 1 + len(kinds))
        with torch.no_grad():
            x = normal(case.length, case.width)
            parts = [p(x).view(case.length, case.heads, case.size).transpose(0, 1) for p in
                     (module.query_proj, module.key_proj, module.value_proj)]
            check_module(module, scores, x, table, *parts, None)
        case.save(scores, "transformers deberta_v2 DisentangledSelfAttention")


def fire():
    case = Case("fire", "paper", {"hidden": 5, "threshold": 6}, causal=True)
    c = case.parameter("c", torch.tensor([0.75], dtype=torch.float64, requires_grad=True))
    multiplier = case.parameter("multiplier", torch.tensor([0.875], dtype=torch.float64, requires_grad=True))
    w1, b1 = case.parameter("first.weight", normal(5, 1)), case.parameter("first.bias", normal(5))
    w2, b2 = case.parameter("second.weight", normal(case.heads, 5)), case.parameter("second.bias", normal(case.heads))
    psi = lambda x: torch.log(torch.abs(c * x) + 1)

    def bias(i, j):
        reach = torch.maximum(torch.tensor([float(i)], dtype=torch.float64), torch.abs(multiplier * 6))
        return w2 @ torch.relu(w1 @ (psi(i - j) / (psi(reach) + 1e-6)) + b1) + b2
    case.save(lambda q, k: case.plain(q, k) + pairs(case.length, bias), "the paper's formula and code listing")


def steps(values):
    """A map over 0, 1, 2, ...: the points where its value changes, and the new values. i32 [2, n]"""
    places = torch.cat([torch.tensor([0]), (values[1:] != values[:-1]).nonzero()[:, 0] + 1])
    return torch.stack([places, values[places].long()]).int().contiguous()


def maps():
    """Slopes for every number of heads and buckets for every distance, which reveal wrong rounding."""
    tensors = {f"alibi.{heads}": modeling_bloom._get_alibi_slopes(heads, "cpu") for heads in range(1, 41)}
    far = torch.arange(0, FURTHEST)
    for sides in ("two", "one"):
        for buckets, most in ((32, 128), (32, 256), (64, 128), (128, 512), (320, 800)):
            for name, n in (("behind", -far), ("ahead", far)):
                bucket = T5Attention._relative_position_bucket(n, sides == "two", buckets, most)
                tensors[f"t5.{sides}.{buckets}.{most}.{name}"] = steps(bucket)
    for buckets, most in ((256, 512), (32, 128), (512, 2048), (64, 512)):
        for name, n in (("behind", far), ("ahead", -far)):  # query - key is positive for a key before the query
            bucket = modeling_deberta_v2.make_log_bucket_position(n, buckets, most)
            tensors[f"deberta.{buckets}.{most}.{name}"] = steps((bucket.long() + buckets).clamp(0, 2 * buckets - 1))
    save(tensors, "maps", {**VERSIONS, "furthest": str(FURTHEST), "source": "transformers bloom, t5, deberta_v2"})


FOLDER.mkdir(parents=True, exist_ok=True)
for make in (alibi, t5, kerple, shaw, transformer_xl, deberta_v1, deberta_v2, fire, maps):
    make()
