"""attn_implementation="locus" against eager, on small random models: outputs, gradients, generation."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import locus.transformers  # noqa: E402
from locus import Error  # noqa: E402

locus.transformers.register()
VERSION_4 = transformers.__version__.startswith("4.")
SMALL = dict(
    vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
    max_position_embeddings=64,
)  # fmt: skip
T5 = dict(
    vocab_size=100, d_model=32, d_kv=8, num_heads=4, num_layers=2, d_ff=64, decoder_start_token_id=0,
    relative_attention_num_buckets=8, relative_attention_max_distance=20, dropout_rate=0.0,
)  # fmt: skip
LLAMA = transformers.LlamaConfig(**SMALL, num_key_value_heads=2)
GPT2 = transformers.GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=4, n_positions=64,
                               scale_attn_by_inverse_layer_idx=True)  # fmt: skip

IDS = torch.randint(5, 90, (3, 9), generator=torch.Generator().manual_seed(0))
RIGHT = (torch.arange(9)[None] < torch.tensor([[6], [9], [3]])).long()
LEFT = RIGHT.flip(1)


def pair(kind: Any, config: Any) -> tuple[Any, Any]:
    """The same model with eager attention and with Locus."""
    torch.manual_seed(0)
    make = kind.from_config if hasattr(kind, "from_config") else kind._from_config
    eager = make(copy.deepcopy(config), attn_implementation="eager").eval()
    ours = make(copy.deepcopy(config), attn_implementation="locus").eval()
    ours.load_state_dict(eager.state_dict())
    return eager, ours


def result(model: Any, **inputs: Any) -> torch.Tensor:
    found = model(**inputs)
    return getattr(found, "logits", None) if hasattr(found, "logits") else found.last_hidden_state


def compare(eager: Any, ours: Any, tokens: torch.Tensor | None = None, **inputs: Any) -> None:
    """Outputs at `tokens`, and the gradients of all parameters."""
    expected, found = result(eager, **inputs), result(ours, **inputs)
    if tokens is not None:
        expected, found = expected[tokens.bool()], found[tokens.bool()]
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    dout = torch.randn_like(expected)
    for out, model in ((expected, eager), (found, ours)):
        model.zero_grad()
        (out * dout).sum().backward()
    for (name, a), b in zip(ours.named_parameters(), eager.parameters()):
        assert (a.grad is None) == (b.grad is None), name
        if a.grad is not None:
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-4, msg=lambda text, n=name: f"{n}: {text}")


@pytest.mark.skipif(VERSION_4, reason="BERT of transformers 4 does not use the interface, and is refused")
@pytest.mark.parametrize("mask", [None, RIGHT])
@pytest.mark.parametrize("name", ["Bert", "Roberta", "Electra"])
def test_encoders(name: str, mask: torch.Tensor | None) -> None:
    config = getattr(transformers, f"{name}Config")(**SMALL, embedding_size=32)
    compare(*pair(getattr(transformers, f"{name}Model"), config), mask, input_ids=IDS, attention_mask=mask)


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["gpt2", "llama"])
@pytest.mark.parametrize("mask", [None, RIGHT, LEFT])
def test_decoders(config: Any, mask: torch.Tensor | None) -> None:
    compare(*pair(transformers.AutoModelForCausalLM, config), mask, input_ids=IDS, attention_mask=mask)


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["gpt2", "llama"])
@pytest.mark.parametrize("options", [{}, {"num_beams": 3}, {"cache_implementation": "static"}])
def test_generation(config: Any, options: dict[str, Any]) -> None:
    eager, ours = pair(transformers.AutoModelForCausalLM, config)
    inputs = dict(attention_mask=LEFT, max_new_tokens=8, do_sample=False, pad_token_id=0)
    expected = eager.generate(IDS, **inputs, **({} if "cache_implementation" in options else options))
    assert torch.equal(ours.generate(IDS, **inputs, **options), expected)


def test_cached_keys() -> None:
    eager, ours = pair(transformers.AutoModelForCausalLM, LLAMA)
    for model in (eager, ours):
        cache = transformers.DynamicCache()
        model(IDS[:, :4], past_key_values=cache)
        model.last = model(IDS[:, 4:], past_key_values=cache).logits
    torch.testing.assert_close(ours.last, eager.last, rtol=1e-5, atol=1e-5)


def test_sliding_window() -> None:
    config = transformers.MistralConfig(**SMALL, num_key_value_heads=4, sliding_window=4)
    compare(*pair(transformers.AutoModelForCausalLM, config), LEFT, input_ids=IDS, attention_mask=LEFT)


def test_sequences_that_share_a_row_do_not_see_each_other() -> None:
    positions = torch.tensor([[0, 1, 2, 3, 0, 1, 2, 3, 4]])
    compare(*pair(transformers.AutoModelForCausalLM, LLAMA), None, input_ids=IDS[:1], position_ids=positions)


def test_a_mask_of_the_user() -> None:
    mask = torch.rand(3, 1, 9, 9, generator=torch.Generator().manual_seed(1)) < 0.6
    mask |= torch.eye(9, dtype=torch.bool)
    additive = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)
    compare(*pair(transformers.AutoModelForCausalLM, LLAMA), None, input_ids=IDS, attention_mask=additive)


@pytest.mark.skipif(VERSION_4, reason="T5 of transformers 4 does not use the interface, and is refused")
@pytest.mark.parametrize("name", ["T5", "MT5", "UMT5", "SwitchTransformers"])
@pytest.mark.parametrize("patched", [False, True])
def test_position_bias(name: str, patched: bool) -> None:
    options = (
        dict(num_sparse_encoder_layers=0, num_sparse_decoder_layers=0, num_decoder_layers=2)
        if name.startswith("Switch")
        else {}
    )
    config = getattr(transformers, f"{name}Config")(**T5, **options)
    eager, ours = pair(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    if patched:
        locus.transformers.patch(ours)
    compare(eager, ours, None, input_ids=IDS, attention_mask=RIGHT, decoder_input_ids=IDS[:, 2:])
    inputs = dict(attention_mask=RIGHT, max_new_tokens=8, do_sample=False)
    assert torch.equal(ours.generate(IDS, **inputs), eager.generate(IDS, **inputs))
    copied = copy.deepcopy(ours)
    assert torch.equal(
        result(copied, input_ids=IDS, decoder_input_ids=IDS), result(ours, input_ids=IDS, decoder_input_ids=IDS)
    )
    ours.set_attn_implementation("eager")  # patch() does no harm to it
    compare(eager, ours, None, input_ids=IDS, attention_mask=RIGHT, decoder_input_ids=IDS[:, 2:])


@pytest.mark.skipif(VERSION_4, reason="T5 of transformers 4 does not use the interface, and is refused")
def test_memory_of_the_bias_grows_with_the_length() -> None:
    eager, ours = pair(transformers.T5EncoderModel, transformers.T5Config(**T5))
    locus.transformers.patch(ours)
    largest = 0

    class Sizes(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal largest
            out = func(*args, **(kwargs or {}))
            largest = max(
                [
                    largest,
                    *(x.numel() for x in (out if isinstance(out, tuple) else (out,)) if isinstance(x, torch.Tensor)),
                ]
            )
            return out

    length = 700
    with Sizes():
        result(ours, input_ids=IDS[:1].repeat(1, length)[:, :length]).sum().backward()
    assert largest < length * length


@pytest.mark.skipif(VERSION_4, reason="BERT of transformers 4 does not use the interface, and is refused")
def test_dropout_in_training() -> None:
    _, ours = pair(transformers.BertModel, transformers.BertConfig(**SMALL, hidden_dropout_prob=0.0))
    ours.train()
    torch.manual_seed(1)
    first = result(ours, input_ids=IDS)
    assert not torch.equal(first, result(ours, input_ids=IDS))
    torch.manual_seed(1)
    assert torch.equal(first, result(ours, input_ids=IDS))


@pytest.mark.parametrize("name", ["MPNet", "DebertaV2", "Bloom", "Falcon", "Mpt"])
def test_models_without_the_interface_are_refused(name: str) -> None:
    config = getattr(transformers, f"{name}Config")(vocab_size=50, hidden_size=32, num_hidden_layers=1,
                                                    num_attention_heads=4, n_layers=1, n_heads=4, d_model=32)  # fmt: skip
    kind = getattr(transformers, f"{name}Model")
    with pytest.raises(Error, match=f"{name}Model.*locus.open_model"):
        locus.transformers.patch(kind(copy.deepcopy(config)))
    with pytest.raises(Error, match=f"{name}Model.*locus.open_model"):
        kind._from_config(config, attn_implementation="locus")


def test_what_the_kernel_cannot_do_is_refused() -> None:
    q = torch.randn(1, 2, 3, 4)
    forward = transformers.AttentionInterface()["locus"]
    module = torch.nn.Module()
    for arguments, words in (
        (dict(s_aux=torch.zeros(2)), "attention sinks"),
        (dict(cache=object()), "paged cache"),
        (dict(output_attentions=True), "stores no attention weights"),
    ):
        with pytest.raises((NotImplementedError, ValueError), match=words):
            forward(module, q, q, q, None, **arguments)
    with pytest.raises(TypeError, match="expected a model of transformers"):
        locus.transformers.patch(torch.nn.Linear(2, 2))
