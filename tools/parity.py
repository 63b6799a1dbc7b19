#!/usr/bin/env python3
"""Compares Locus with transformers: more models of every family than the golden folders, with other sizes, seeds, settings and heads.

Each model is saved by transformers, run by `locus forward --gradients`, and compared: hidden states, logits, loss and every gradient, with
padding on the right, on the left, without padding, with explicit position_ids, and with weights stored as bf16. Then Locus saves the folder
again and transformers opens it. A difference is the largest one of a tensor, relative to its largest number. A gradient that is zero except
for rounding (that of a bias on keys) is compared relative to a hundredth of the largest gradient of all. Generative models also decode token
by token, and the KV cache of Locus is compared with that of transformers. Locus extends the context of some models, which are compared past
their old length. Finally, transformers opens models that Locus made from blueprints, and transformers models that Locus trained.

Needs: pip install torch transformers safetensors, and a build. Use: tools/parity.py [--build build/release] [--minilm FOLDER] [CASE..]
--minilm compares the real weights from `./run fetch minilm`, and checks that a text gives the same bits in every batch.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers as hf
from safetensors.torch import load_file

sys.path.insert(0, str(pathlib.Path(__file__).parent / "golden"))
from families import inputs_for, outputs_of, randomise, save_folder  # noqa: E402

FORWARD, GRADIENT = 2e-5, 2e-4
SIZES = dict(vocab_size=61, hidden_size=40, num_hidden_layers=3, num_attention_heads=5, intermediate_size=72)
ROTARY = {**SIZES, "num_key_value_heads": 1, "max_position_embeddings": 64}
DEBERTA = dict(relative_attention=True, position_biased_input=False, max_position_embeddings=40, pos_att_type="c2p|p2c")
T5 = dict(vocab_size=61, d_model=28, d_kv=6, d_ff=52, num_layers=2, num_heads=3, decoder_start_token_id=0)
BART = dict(vocab_size=61, d_model=40, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48,
            decoder_ffn_dim=56, max_position_embeddings=40, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2)
GPT2 = dict(vocab_size=61, n_positions=40, n_embd=40, n_layer=3, n_head=5)
GPT_NEO = dict(vocab_size=61, hidden_size=40, num_layers=4, num_heads=5, max_position_embeddings=40)
MODERNBERT = dict(max_position_embeddings=64, local_attention=8, pad_token_id=0, eos_token_id=1, bos_token_id=2, cls_token_id=2, sep_token_id=1)
FALCON = dict(vocab_size=61, hidden_size=48, num_hidden_layers=3, num_attention_heads=6, max_position_embeddings=64, eos_token_id=2)
LONG = [1.0 + 0.5 * i for i in range(4)]


def rope(kind, **settings):
    return dict(rope_parameters=dict(rope_type=kind, rope_theta=1000.0, **settings))


CASES = {
    "bert 1": (hf.BertForTokenClassification, hf.BertConfig, dict(SIZES, max_position_embeddings=40, num_labels=4)),
    "bert 2": (hf.BertModel, hf.BertConfig, dict(SIZES, max_position_embeddings=40, hidden_act="relu", layer_norm_eps=1e-5)),
    "bert 3": (hf.BertForMaskedLM, hf.BertConfig, dict(SIZES, max_position_embeddings=40, tie_word_embeddings=False)),
    "roberta 1": (hf.RobertaForMaskedLM, hf.RobertaConfig, dict(SIZES, max_position_embeddings=42, layer_norm_eps=1e-5)),
    "roberta 2": (hf.RobertaForQuestionAnswering, hf.RobertaConfig, dict({**SIZES, "num_hidden_layers": 2}, max_position_embeddings=42, layer_norm_eps=1e-5)),
    "xlm-roberta 1": (hf.XLMRobertaForTokenClassification, hf.XLMRobertaConfig, dict(SIZES, max_position_embeddings=42)),
    "xlm-roberta 2": (hf.XLMRobertaModel, hf.XLMRobertaConfig, dict(SIZES, max_position_embeddings=42)),
    "mpnet 1": (hf.MPNetModel, hf.MPNetConfig, dict(SIZES, max_position_embeddings=300, layer_norm_eps=1e-5)),
    "mpnet 2": (hf.MPNetForTokenClassification, hf.MPNetConfig, dict(SIZES, max_position_embeddings=300, num_labels=3)),
    "mpnet 3": (hf.MPNetForQuestionAnswering, hf.MPNetConfig, dict(SIZES, max_position_embeddings=42, hidden_act="relu")),
    "distilbert 1": (hf.DistilBertForTokenClassification, hf.DistilBertConfig, dict(SIZES, dim=40, n_layers=3, n_heads=5, hidden_dim=72)),
    "distilbert 2": (hf.DistilBertForQuestionAnswering, hf.DistilBertConfig, dict(SIZES, dim=40, n_layers=3, n_heads=5, hidden_dim=72)),
    "deberta 1": (hf.DebertaForTokenClassification, hf.DebertaConfig, dict(SIZES, **DEBERTA, max_relative_positions=-1, num_labels=3)),
    "deberta 2": (hf.DebertaForMaskedLM, hf.DebertaConfig, dict(SIZES, relative_attention=False, max_position_embeddings=40)),
    "deberta-v2 1": (hf.DebertaV2ForMaskedLM, hf.DebertaV2Config, dict(SIZES, **DEBERTA, position_buckets=8, share_att_key=True,
                                                                       norm_rel_ebd="layer_norm")),
    "deberta-v2 2": (hf.DebertaV2ForSequenceClassification, hf.DebertaV2Config, dict(SIZES, **DEBERTA, position_buckets=6)),
    "deberta 3": (hf.DebertaForMaskedLM, hf.DebertaConfig, dict(SIZES, **{**DEBERTA, "position_biased_input": True})),
    "deberta-v2 3": (hf.DebertaV2ForTokenClassification, hf.DebertaV2Config, dict(SIZES, **{**DEBERTA, "position_biased_input": True},
                                                                                 position_buckets=8, norm_rel_ebd="layer_norm")),
    "electra 1": (hf.ElectraForTokenClassification, hf.ElectraConfig, dict(SIZES, embedding_size=24, max_position_embeddings=40, num_labels=3)),
    "electra 2": (hf.ElectraForQuestionAnswering, hf.ElectraConfig, dict(SIZES, embedding_size=56, max_position_embeddings=40, hidden_act="gelu_new")),
    "electra 3": (hf.ElectraModel, hf.ElectraConfig, dict(SIZES, embedding_size=40, max_position_embeddings=40)),
    "electra 4": (hf.ElectraForMaskedLM, hf.ElectraConfig, dict(SIZES, embedding_size=24, max_position_embeddings=40, tie_word_embeddings=False)),
    "albert 1": (hf.AlbertForTokenClassification, hf.AlbertConfig, dict(SIZES, embedding_size=24, max_position_embeddings=40, num_labels=3)),
    "albert 2": (hf.AlbertForQuestionAnswering, hf.AlbertConfig, dict(SIZES, embedding_size=56, max_position_embeddings=40, hidden_act="gelu")),
    "albert 3": (hf.AlbertModel, hf.AlbertConfig, dict(SIZES, embedding_size=16, max_position_embeddings=40)),
    "albert 4": (hf.AlbertForMaskedLM, hf.AlbertConfig, dict(SIZES, embedding_size=24, max_position_embeddings=40, num_hidden_layers=5)),
    "modernbert 1": (hf.ModernBertForMaskedLM, hf.ModernBertConfig, dict(SIZES, **MODERNBERT, tie_word_embeddings=False, decoder_bias=False)),
    "modernbert 2": (hf.ModernBertModel, hf.ModernBertConfig, dict(SIZES, **MODERNBERT)),
    "modernbert 3": (hf.ModernBertForTokenClassification, hf.ModernBertConfig, dict({**SIZES, "num_hidden_layers": 4}, **MODERNBERT, num_labels=3)),
    "modernbert 4": (hf.ModernBertForQuestionAnswering, hf.ModernBertConfig, dict(SIZES, **MODERNBERT, layer_types=["sliding_attention"] * 3)),
    "modernbert 5": (hf.ModernBertForSequenceClassification, hf.ModernBertConfig, dict(SIZES, **MODERNBERT, layer_types=["full_attention"] * 3)),
    "nomic-bert 1": (hf.NomicBertForTokenClassification, hf.NomicBertConfig, dict(SIZES, max_position_embeddings=40, num_labels=3)),
    "nomic-bert 2": (hf.NomicBertModel, hf.NomicBertConfig, dict(SIZES, max_position_embeddings=40, hidden_act="gelu", type_vocab_size=3)),
    "nomic-bert 3": (hf.NomicBertForSequenceClassification, hf.NomicBertConfig, dict(SIZES, **rope("linear", factor=2.0), max_position_embeddings=40,
                                                                                                  head_dim=6)),
    "nomic-bert 4": (hf.NomicBertForMaskedLM, hf.NomicBertConfig, dict(SIZES, max_position_embeddings=40, tie_word_embeddings=False)),
    "roformer 1": (hf.RoFormerForTokenClassification, hf.RoFormerConfig, dict(SIZES, embedding_size=24, max_position_embeddings=40, num_labels=3)),
    "roformer 2": (hf.RoFormerForQuestionAnswering, hf.RoFormerConfig, dict(SIZES, max_position_embeddings=40, hidden_act="gelu_new")),
    "roformer 3": (hf.RoFormerModel, hf.RoFormerConfig, dict(SIZES, embedding_size=56, max_position_embeddings=40)),
    "roformer 4": (hf.RoFormerForMaskedLM, hf.RoFormerConfig, dict(SIZES, max_position_embeddings=40, tie_word_embeddings=False)),
    "gpt2 1": (hf.GPT2LMHeadModel, hf.GPT2Config, dict(GPT2)),
    "gpt2 2": (hf.GPT2ForTokenClassification, hf.GPT2Config, dict(GPT2, scale_attn_weights=False, num_labels=3)),
    "gpt-bigcode 1": (hf.GPTBigCodeForCausalLM, hf.GPTBigCodeConfig, dict(GPT2, multi_query=False, scale_attn_weights=False, tie_word_embeddings=False)),
    "gpt-bigcode 2": (hf.GPTBigCodeForSequenceClassification, hf.GPTBigCodeConfig, dict(GPT2, activation_function="relu", pad_token_id=0)),
    "gpt-bigcode 3": (hf.GPTBigCodeForTokenClassification, hf.GPTBigCodeConfig, dict(GPT2, num_labels=3)),
    "gpt-neo 1": (hf.GPTNeoForCausalLM, hf.GPTNeoConfig, dict(GPT_NEO, attention_types=[[["global", "local"], 2]], window_size=5)),
    "gpt-neo 2": (hf.GPTNeoForSequenceClassification, hf.GPTNeoConfig, dict(GPT_NEO, attention_types=[[["local"], 4]], window_size=3, pad_token_id=0)),
    "gpt-neo 3": (hf.GPTNeoForTokenClassification, hf.GPTNeoConfig, dict({**GPT_NEO, "num_layers": 2}, attention_types=[[["global"], 2]], num_labels=3)),
    "gptj 1": (hf.GPTJForCausalLM, hf.GPTJConfig, dict(vocab_size=61, n_positions=40, n_embd=40, n_layer=3, n_head=5, rotary_dim=8)),
    "gptj 2": (hf.GPTJForSequenceClassification, hf.GPTJConfig, dict(vocab_size=61, n_positions=40, n_embd=40, n_layer=3, n_head=5,
                                                                     rotary_dim=6, pad_token_id=0)),
    "neox 1": (hf.GPTNeoXForCausalLM, hf.GPTNeoXConfig, dict(SIZES, rotary_pct=0.25)),
    "neox 2": (hf.GPTNeoXForTokenClassification, hf.GPTNeoXConfig, dict(SIZES, rotary_pct=1.0, use_parallel_residual=False)),
    "llama 1": (hf.LlamaForCausalLM, hf.LlamaConfig, dict(ROTARY, **rope("yarn", factor=4.0, original_max_position_embeddings=8))),
    "llama 2": (hf.LlamaForTokenClassification, hf.LlamaConfig, dict({**ROTARY, "max_position_embeddings": 8}, **rope("dynamic", factor=2.0), tie_word_embeddings=True)),
    "llama 3": (hf.LlamaForCausalLM, hf.LlamaConfig, dict(ROTARY, **rope("longrope", original_max_position_embeddings=16, short_factor=LONG,
                                                                         long_factor=LONG[::-1], factor=4.0))),
    "llama 4": (hf.LlamaForQuestionAnswering, hf.LlamaConfig, dict(ROTARY, **rope("linear", factor=2.0))),
    "mistral 1": (hf.MistralForCausalLM, hf.MistralConfig, dict(ROTARY, **rope("default"), sliding_window=5)),
    "mistral 2": (hf.MistralForSequenceClassification, hf.MistralConfig, dict(ROTARY, **rope("default"), sliding_window=None, pad_token_id=0)),
    "qwen2 1": (hf.Qwen2ForCausalLM, hf.Qwen2Config, dict(ROTARY, **rope("default"), tie_word_embeddings=True)),
    "qwen2 2": (hf.Qwen2ForCausalLM, hf.Qwen2Config, dict(ROTARY, **rope("default"), use_sliding_window=True, sliding_window=6, max_window_layers=0)),
    "qwen2 3": (hf.Qwen2ForCausalLM, hf.Qwen2Config, dict(ROTARY, **rope("default"), use_sliding_window=True, sliding_window=6,
                                                          layer_types=["full_attention", "sliding_attention", "full_attention"])),
    "qwen2 4": (hf.Qwen2Model, hf.Qwen2Config, dict(ROTARY, **rope("linear", factor=2.0), is_causal=False)),
    "eurobert 1": (hf.EuroBertForMaskedLM, hf.EuroBertConfig, dict(ROTARY, **rope("linear", factor=2.0), pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                                                   attention_bias=True, tie_word_embeddings=True)),
    "eurobert 2": (hf.EuroBertModel, hf.EuroBertConfig, dict(ROTARY, **rope("default"), pad_token_id=None, bos_token_id=1, eos_token_id=2, head_dim=6)),
    "qwen3 1": (hf.Qwen3ForCausalLM, hf.Qwen3Config, dict(ROTARY, **rope("yarn", factor=4.0, original_max_position_embeddings=8), head_dim=16)),
    "qwen3 2": (hf.Qwen3ForSequenceClassification, hf.Qwen3Config, dict(ROTARY, **rope("default"), head_dim=8, attention_bias=True, pad_token_id=0)),
    "phi 1": (hf.PhiForCausalLM, hf.PhiConfig, dict({**SIZES, "hidden_size": 50}, max_position_embeddings=64, **rope("default", partial_rotary_factor=0.4))),
    "phi 2": (hf.PhiForTokenClassification, hf.PhiConfig, dict(ROTARY, **rope("dynamic", factor=2.0), num_labels=3)),
    "phi 3": (hf.PhiForCausalLM, hf.PhiConfig, dict(ROTARY, **rope("linear", factor=2.0, partial_rotary_factor=1.0), tie_word_embeddings=True)),
    "phi3 1": (hf.Phi3ForCausalLM, hf.Phi3Config, dict(ROTARY, **rope("default"), pad_token_id=0, eos_token_id=2, sliding_window=6)),
    "phi3 2": (hf.Phi3ForTokenClassification, hf.Phi3Config, dict(ROTARY, **rope("default", partial_rotary_factor=0.5), pad_token_id=0, eos_token_id=2,
                                                                  num_labels=3)),
    "smollm3 1": (hf.SmolLM3ForCausalLM, hf.SmolLM3Config, dict({**ROTARY, "num_hidden_layers": 5}, **rope("default"), pad_token_id=0, eos_token_id=2)),
    "smollm3 2": (hf.SmolLM3ForTokenClassification, hf.SmolLM3Config, dict(ROTARY, **rope("linear", factor=2.0), no_rope_layers=[0, 0, 0],
                                                                           attention_bias=True, pad_token_id=0, num_labels=3)),
    "cohere 1": (hf.CohereForCausalLM, hf.CohereConfig, dict(ROTARY, **rope("linear", factor=2.0), attention_bias=True, eos_token_id=2,
                                                             tie_word_embeddings=False)),
    "cohere2 1": (hf.Cohere2ForCausalLM, hf.Cohere2Config, dict({**ROTARY, "num_hidden_layers": 5}, **rope("default"), eos_token_id=2, sliding_window=5)),
    "cohere2 2": (hf.Cohere2Model, hf.Cohere2Config, dict(ROTARY, **rope("default"), eos_token_id=2, layer_types=["full_attention"] * 3)),
    "starcoder2 1": (hf.Starcoder2ForCausalLM, hf.Starcoder2Config, dict(ROTARY, **rope("yarn", factor=4.0, original_max_position_embeddings=8), eos_token_id=2,
                                                                         hidden_act="gelu", use_bias=False, tie_word_embeddings=False)),
    "starcoder2 2": (hf.Starcoder2ForTokenClassification, hf.Starcoder2Config, dict(ROTARY, **rope("default"), eos_token_id=2, sliding_window=6,
                                                                                    num_labels=3)),
    "stablelm 1": (hf.StableLmForCausalLM, hf.StableLmConfig, dict(ROTARY, **rope("linear", factor=2.0), tie_word_embeddings=True)),
    "stablelm 2": (hf.StableLmForSequenceClassification, hf.StableLmConfig, dict(ROTARY, **rope("default", partial_rotary_factor=1.0), pad_token_id=0,
                                                                                 use_parallel_residual=True)),
    "granite 1": (hf.GraniteForCausalLM, hf.GraniteConfig, dict(ROTARY, **rope("linear", factor=2.0), embedding_multiplier=12.0, residual_multiplier=0.22,
                                                                attention_multiplier=0.1, logits_scaling=16.0, mlp_bias=True, tie_word_embeddings=True)),
    "granite 2": (hf.GraniteModel, hf.GraniteConfig, dict(ROTARY, **rope("default"))),
    "olmo2 1": (hf.Olmo2ForCausalLM, hf.Olmo2Config, dict(ROTARY, **rope("default"), pad_token_id=0, eos_token_id=2, attention_bias=True)),
    "olmo2 2": (hf.Olmo2ForSequenceClassification, hf.Olmo2Config, dict(ROTARY, **rope("linear", factor=2.0), pad_token_id=0, eos_token_id=2)),
    "olmo3 1": (hf.Olmo3ForCausalLM, hf.Olmo3Config, dict({**ROTARY, "num_hidden_layers": 5}, pad_token_id=0, eos_token_id=2, sliding_window=5)),
    "olmo3 2": (hf.Olmo3Model, hf.Olmo3Config, dict(ROTARY, pad_token_id=0, eos_token_id=2, layer_types=["full_attention"] * 3)),
    "gemma 1": (hf.GemmaForCausalLM, hf.GemmaConfig, dict(ROTARY, **rope("default"), head_dim=16, tie_word_embeddings=False)),
    "gemma 2": (hf.GemmaForTokenClassification, hf.GemmaConfig, dict(ROTARY, **rope("linear", factor=2.0), head_dim=8, num_labels=3)),
    "gemma2 1": (hf.Gemma2ForCausalLM, hf.Gemma2Config, dict({**ROTARY, "num_hidden_layers": 4}, head_dim=8, sliding_window=5)),
    "gemma2 2": (hf.Gemma2ForSequenceClassification, hf.Gemma2Config, dict(ROTARY, **rope("linear", factor=2.0), head_dim=16, sliding_window=8, num_labels=3,
                                                                          attn_logit_softcapping=2.0, query_pre_attn_scalar=20)),
    "gemma2 3": (hf.Gemma2ForCausalLM, hf.Gemma2Config, dict(ROTARY, head_dim=8, attn_logit_softcapping=None, final_logit_softcapping=0.7,
                                                             tie_word_embeddings=False, layer_types=["full_attention"] * 3)),
    "gemma3 1": (hf.Gemma3ForCausalLM, hf.Gemma3TextConfig, dict({**ROTARY, "num_hidden_layers": 7}, head_dim=8, sliding_window=5)),
    "gemma3 2": (hf.Gemma3TextModel, hf.Gemma3TextConfig, dict({**ROTARY, "num_hidden_layers": 4}, head_dim=8, sliding_window=8, sliding_window_pattern=2,
                                                              use_bidirectional_attention=True)),
    "bloom 1": (hf.BloomForCausalLM, hf.BloomConfig, dict(vocab_size=61, hidden_size=40, n_layer=3, n_head=8)),
    "bloom 2": (hf.BloomForSequenceClassification, hf.BloomConfig, dict(vocab_size=61, hidden_size=40, n_layer=3, n_head=5, pad_token_id=0)),
    "mpt 1": (hf.MptForCausalLM, hf.MptConfig, dict(vocab_size=61, d_model=40, n_layers=3, n_heads=5, max_seq_len=64, tie_word_embeddings=False)),
    "mpt 2": (hf.MptForSequenceClassification, hf.MptConfig, dict(vocab_size=61, d_model=40, n_layers=3, n_heads=8, max_seq_len=64, pad_token_id=0)),
    "mpt 3": (hf.MptForQuestionAnswering, hf.MptConfig, dict(vocab_size=61, d_model=48, n_layers=3, n_heads=12, max_seq_len=64)),
    "falcon 1": (hf.FalconForCausalLM, hf.FalconConfig, dict(FALCON, new_decoder_architecture=True, num_kv_heads=3, tie_word_embeddings=False)),
    "falcon 2": (hf.FalconForSequenceClassification, hf.FalconConfig, dict(FALCON, **rope("linear", factor=2.0), pad_token_id=0)),
    "falcon 3": (hf.FalconForTokenClassification, hf.FalconConfig, dict(FALCON, multi_query=False, parallel_attn=False, bias=True, num_labels=3)),
    "falcon 4": (hf.FalconForCausalLM, hf.FalconConfig, dict(FALCON, new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1)),
    "falcon 5": (hf.FalconForQuestionAnswering, hf.FalconConfig, dict(FALCON, multi_query=False)),
    "opt 1": (hf.OPTForCausalLM, hf.OPTConfig, dict(SIZES, ffn_dim=72, max_position_embeddings=40, word_embed_proj_dim=40)),
    "opt 2": (hf.OPTForSequenceClassification, hf.OPTConfig, dict(SIZES, ffn_dim=72, max_position_embeddings=40, word_embed_proj_dim=40,
                                                                  _remove_final_layer_norm=True)),
    "t5 1": (hf.T5ForConditionalGeneration, hf.T5Config, dict(T5, relative_attention_num_buckets=32, relative_attention_max_distance=128)),
    "mt5 1": (hf.MT5ForConditionalGeneration, hf.MT5Config, dict(T5, feed_forward_proj="gated-gelu")),
    "mt5 2": (hf.MT5EncoderModel, hf.MT5Config, dict(T5, feed_forward_proj="relu")),
    "t5 2": (hf.T5Model, hf.T5Config, dict(T5, feed_forward_proj="gated-silu", num_decoder_layers=3)),
    "bart 1": (hf.BartForConditionalGeneration, hf.BartConfig, dict(BART)),
    "bart 2": (hf.BartModel, hf.BartConfig, dict(BART, scale_embedding=True, activation_function="relu")),
    "bart 3": (hf.BartForSequenceClassification, hf.BartConfig, dict(BART, num_labels=1)),
    "bart 4": (hf.BartForQuestionAnswering, hf.BartConfig, dict(BART)),
    "bart 5": (hf.BartForConditionalGeneration, hf.BartConfig, dict(BART, decoder_attention_heads=10)),
    "marian 1": (hf.MarianMTModel, hf.MarianConfig, dict(BART, scale_embedding=True, activation_function="swish")),
    "marian 2": (hf.MarianMTModel, hf.MarianConfig, dict(BART, activation_function="relu", decoder_ffn_dim=24)),
    "mbart 1": (hf.MBartForConditionalGeneration, hf.MBartConfig, dict(BART, scale_embedding=True)),
    "mbart 2": (hf.MBartModel, hf.MBartConfig, dict(BART, activation_function="relu")),
    "m2m_100 1": (hf.M2M100ForConditionalGeneration, hf.M2M100Config, dict(BART)),
    "m2m_100 2": (hf.M2M100Model, hf.M2M100Config, dict(BART, scale_embedding=False, activation_function="gelu")),
    "pegasus 1": (hf.PegasusForConditionalGeneration, hf.PegasusConfig, dict(BART, pad_token_id=0, decoder_start_token_id=0)),
    "pegasus 2": (hf.PegasusModel, hf.PegasusConfig, dict(BART, scale_embedding=True, activation_function="relu")),
}


def differences(got, wanted):
    most = max((t.abs().max().item() for n, t in wanted.items() if n.startswith("grad.")), default=0)
    result = {"forward": 0.0, "gradient": 0.0}
    missing = set(wanted) ^ set(got)
    if missing:
        raise ValueError(f"different names: {sorted(missing)[:6]}")
    for name, tensor in wanted.items():
        kind = "gradient" if name.startswith("grad.") else "forward"
        size = max(tensor.abs().max().item(), 1e-2 * most if kind == "gradient" else 0, 1e-30)
        result[kind] = max(result[kind], (got[name].to(tensor.dtype) - tensor).abs().max().item() / size)
    return result


# Scalings that depend on the length: transformers uses the longest of the batch, Locus each sequence's own length. They agree for equal lengths.
EQUAL = {"llama 2", "llama 3"}

TAKE_NO_POSITIONS = ("Bloom", "Mpt", "FalconForSequence", "FalconForToken", "FalconForQuestion", "Deberta", "MPNet", "RoFormer", "MT5")


def conditions(name, model):
    """Name -> inputs, as far as the kind of model supports them."""
    lengths = (20, 20, 20) if name in EQUAL else (23, 4, 17)
    kind = type(model).__name__
    answers, pooled = "QuestionAnswering" in kind, "SequenceClassification" in kind
    causal = any(part in kind for part in ("GPT", "Llama", "Mistral", "Qwen", "Gemma", "Phi", "SmolLM3", "Starcoder", "StableLm", "Cohere", "Bloom", "Mpt",
                                           "Falcon", "OPT"))
    segments = 2 if kind.startswith(("Bert", "Electra", "Albert", "NomicBert", "RoFormer")) else 0
    result = {"none": inputs_for(model, (13,) * 4, segments=segments)}
    del result["none"]["attention_mask"]
    if not answers:  # their softmax over a row would include padding
        result["right"] = inputs_for(model, lengths, segments=segments)
        if causal or not pooled:  # otherwise the pooled token would be padding
            result["left"] = inputs_for(model, lengths, left=True, segments=segments)
    if not model.config.is_encoder_decoder and not any(part in kind for part in TAKE_NO_POSITIONS):
        given = inputs_for(model, (13,) * 4, segments=segments)
        given["position_ids"] = torch.stack([torch.arange(13) * 2 + 3, torch.arange(13) + 15] * 2)
        result["given"] = given
    return result


def run(build, folder, inputs, loss, scratch=None):
    scratch = scratch or folder
    (scratch / "inputs.json").write_text(json.dumps({k: v.tolist() for k, v in inputs.items()}))
    out = scratch / "out.safetensors"
    subprocess.run([build / "locus", "forward", folder, "--input", scratch / "inputs.json", "--out", out] + ["--gradients"] * loss, check=True)
    return load_file(out)


# Sinusoidal tables that RoFormer and Pegasus compute, and store among their weights.
COMPUTED = {"roformer.encoder.embed_positions.weight"} | {f"{before}{stack}.embed_positions.weight" for before in ("", "model.")
                                                        for stack in ("encoder", "decoder")}


def compare(name, build, scratch):
    kind, config, settings = CASES[name]
    torch.manual_seed(sum(map(ord, name)))
    model = randomise(kind(config(**settings)), seed=sum(map(ord, name)))
    model.set_attn_implementation("eager")
    folder, worst, cells = scratch / "model", {"forward": 0.0, "gradient": 0.0}, []
    save_folder(model, {}, folder)
    half = kind.from_pretrained(folder, dtype=torch.bfloat16)
    for dtype in ("f32", "bf16"):
        if dtype == "bf16":
            save_folder(half, {}, folder)
            model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        for condition, inputs in conditions(name, model).items():
            wanted = outputs_of(model, inputs)
            found = differences(run(build, folder, inputs, "loss" in wanted), wanted)
            cells.append(f"{condition}/{dtype} {found['forward']:.0e} {found['gradient']:.0e}")
            worst = {k: max(worst[k], found[k]) for k in worst}
    subprocess.run([build / "tests/model_resave", folder, scratch / "again"], check=True)
    again, info = kind.from_pretrained(scratch / "again", dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    # This one is not used if the head is not tied.
    info["missing_keys"] = set(info["missing_keys"]) - COMPUTED - (set() if model.config.tie_word_embeddings else {"cls.predictions.bias"})
    if info["missing_keys"] or info["unexpected_keys"]:
        raise ValueError(f"saved again, transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()  # scalings keep state from earlier lengths
    inputs = next(iter(conditions(name, model).values()))
    trip = differences({k: v for k, v in outputs_of(again.eval(), inputs).items()}, outputs_of(model, inputs))
    fine = worst["forward"] <= FORWARD and worst["gradient"] <= GRADIENT and trip["forward"] == 0
    print(f"{name:14} {kind.__name__:36} {worst['forward']:8.1e} {worst['gradient']:8.1e} {trip['forward']:6.0e}  {'fine' if fine else 'FAILED'}",
          flush=True)
    if not fine:
        print("   " + "; ".join(cells))
    return fine


WRITES = ("CausalLM", "LMHeadModel", "ConditionalGeneration", "MTModel")


def compare_cached(name, build, scratch):
    """Prompts of several lengths in one batch, then token by token; transformers runs each sequence alone."""
    kind, config, settings = CASES[name]
    model = randomise(kind(config(**settings)), seed=sum(map(ord, name))).eval()
    model.set_attn_implementation("eager")
    save_folder(model, {}, scratch / "model")
    inputs = {k: v for k, v in inputs_for(model, (12,) * 3).items() if k in ("input_ids", "decoder_input_ids")}
    both = model.config.is_encoder_decoder
    if both:
        inputs["decoder_input_ids"] = inputs["input_ids"].flip(1)
    (scratch / "inputs.json").write_text(json.dumps({k: v.tolist() for k, v in inputs.items()}))
    subprocess.run([build / "tests/model_decode", scratch / "model", scratch / "inputs.json", scratch / "out.safetensors"], check=True)
    got, worst = load_file(scratch / "out.safetensors")["logits"], 0.0
    for b, row in enumerate(inputs["decoder_input_ids" if both else "input_ids"]):
        cache, begin = None, 0
        for step in range(len(got)):
            fresh, begin = row[None, begin:3 + b + step], 3 + b + step
            with torch.no_grad():
                if both:
                    out = model(input_ids=inputs["input_ids"][b:b + 1], decoder_input_ids=fresh, past_key_values=cache, use_cache=True)
                else:
                    out = model(input_ids=fresh, past_key_values=cache, use_cache=True)
            cache, wanted = out.past_key_values, out.logits[0, -1]
            worst = max(worst, ((got[step, b] - wanted).abs().max() / wanted.abs().max()).item())
    fine = worst <= FORWARD
    print(f"{name:14} {'with a cache, token by token':36} {worst:8.1e}                  {'fine' if fine else 'FAILED'}", flush=True)
    return fine


MADE_SIZES = dict(vocabulary=61, width=40, layers=3, heads=5, max_length=64, init_std=0.3)
MADE_BARE = dict(norm="rms", query_bias=False, key_bias=False, value_bias=False, output_bias=False, hidden_bias=False)
MADE_LLAMA = {**MADE_BARE, "scheme.name": "rotary", "gated": True, "activation": "silu"}
MADE_COHERE = {**MADE_LLAMA, "norm": "layer", "norm_bias": False, "residual": "parallel-one-norm", "scheme.pairs": "interleaved", "head_scale": 0.5}
MADE_ENCODER = {"scheme.name": "learned", "kind": "encoder", "head": "masked_token", "norm_place": "after", "final_norm": False, "embedding_norm": True,
                "head_dense": True, "head_bias": True}
MADE_GEMMA = {**MADE_BARE, "norm": "rms-from-one", "gated": True, "activation": "gelu_tanh", "embedding_scale": 40 ** 0.5, "head_size": 6}
MADE_DEBERTA = {"scheme.name": "deberta", "attention_scale": (3 * 8) ** -0.5}
MADE = {
    "learned": (hf.GPT2LMHeadModel, {"scheme.name": "learned"}),
    "one key": (hf.GPTBigCodeForCausalLM, {"scheme.name": "learned", "key_heads": 1}),
    "rotary": (hf.GPTNeoXForCausalLM, {"scheme.name": "rotary", "scheme.width": 4, "activation": "gelu_tanh"}),
    "llama": (hf.LlamaForCausalLM, {**MADE_LLAMA, "key_heads": 1, "head_size": 6}),
    "llama yarn": (hf.LlamaForCausalLM, {**MADE_LLAMA, "scheme.scaling": "yarn", "scheme.factor": 4, "scheme.original_length": 16}),
    "llama labels": (hf.LlamaForTokenClassification, {**MADE_LLAMA, "head": "token_class", "labels": 5}),
    "mistral": (hf.MistralForCausalLM, {**MADE_LLAMA, "window": 6, "tied": False}),
    "qwen2": (hf.Qwen2ForCausalLM, {**MADE_LLAMA, "query_bias": True, "key_bias": True, "value_bias": True}),
    "alibi": (hf.BloomForCausalLM, {"scheme.name": "alibi", "embedding_norm": True, "activation": "gelu_tanh"}),
    "mpt": (hf.MptForCausalLM, {**MADE_BARE, "norm": "layer", "norm_bias": False, "scheme.name": "alibi", "attention_scale": 1, "init_std": 0.2}),
    "falcon": (hf.FalconForCausalLM, {**MADE_BARE, "norm": "layer", "scheme.name": "rotary", "residual": "parallel", "width": 48, "heads": 6, "key_heads": 2}),
    "falcon one key": (hf.FalconForCausalLM, {**MADE_BARE, "norm": "layer", "scheme.name": "rotary", "residual": "parallel-one-norm", "key_heads": 1}),
    "counted": (hf.OPTForCausalLM, {"scheme.name": "learned", "positions": "count", "position_offset": 2, "activation": "relu"}),
    "qwen3": (hf.Qwen3ForCausalLM, {**MADE_LLAMA, "head_norms": True, "head_size": 6, "key_heads": 1}),
    "eurobert": (hf.EuroBertForMaskedLM, {**MADE_LLAMA, "kind": "encoder", "head": "masked_token", "key_heads": 1}),
    "qwen2 both": (hf.Qwen2Model, {**MADE_LLAMA, "kind": "encoder", "head": "none", "query_bias": True, "key_bias": True, "value_bias": True}),
    "phi": (hf.PhiForCausalLM, {"scheme.name": "rotary", "scheme.width": 4, "residual": "parallel-one-norm", "head_bias": True, "tied": False}),
    "phi3": (hf.Phi3ForCausalLM, {**MADE_LLAMA, "fused_qkv": True, "scheme.width": 4, "key_heads": 1, "tied": False}),
    "smollm3": (hf.SmolLM3ForCausalLM, {**MADE_LLAMA, "global_every": 2, "global_first": 1, "global_scheme.name": "none"}),
    "cohere": (hf.CohereForCausalLM, {**MADE_COHERE}),
    "cohere2": (hf.Cohere2ForCausalLM, {**MADE_COHERE, "window": 5, "global_every": 2, "global_scheme.name": "none"}),
    "starcoder2": (hf.Starcoder2ForCausalLM, {"scheme.name": "rotary", "key_heads": 1, "window": 5}),
    "stablelm": (hf.StableLmForCausalLM, {**MADE_LLAMA, "norm": "layer", "scheme.width": 4, "key_heads": 1}),
    "granite": (hf.GraniteForCausalLM, {**MADE_LLAMA, "embedding_scale": 3, "residual_scale": 0.5, "attention_scale": 0.3, "head_scale": 0.25, "key_heads": 1}),
    "olmo2": (hf.Olmo2ForCausalLM, {**MADE_LLAMA, "norm_place": "added", "joint_norms": True, "key_heads": 1}),
    "olmo3": (hf.Olmo3ForCausalLM, {**MADE_LLAMA, "norm_place": "added", "joint_norms": True, "window": 5, "global_every": 3, "global_first": 1,
                                    "global_scheme.name": "rotary", "global_scheme.scaling": "linear", "global_scheme.factor": 2}),
    "gemma": (hf.GemmaForCausalLM, {**MADE_GEMMA, "scheme.name": "rotary"}),
    "gemma2": (hf.Gemma2ForCausalLM, {**MADE_GEMMA, "scheme.name": "rotary", "norm_place": "around", "window": 5, "global_every": 2, "global_first": 1,
                                      "attention_scale": 0.5, "score_cap": 1.5, "logit_cap": 0.7}),
    "gemma3": (hf.Gemma3ForCausalLM, {**MADE_GEMMA, "norm_place": "around", "head_norms": True, "window": 5, "global_every": 3, "global_first": 2,
                                      "scheme.name": "rotary", "global_scheme.name": "rotary", "global_scheme.base": 300, "global_scheme.scaling": "linear",
                                      "global_scheme.factor": 2}),
    "gpt-neo": (hf.GPTNeoForCausalLM, {"scheme.name": "learned", "query_bias": False, "key_bias": False, "value_bias": False, "attention_scale": 1,
                                       "window": 5, "global_every": 2}),
    "mpnet": (hf.MPNetForMaskedLM, {**MADE_ENCODER, "scheme.name": "learned+t5", "positions": "count", "position_offset": 2, "padding_token": 1}),
    "bert": (hf.BertForMaskedLM, {**MADE_ENCODER, "segments": 2}),
    "electra": (hf.ElectraForMaskedLM, {**MADE_ENCODER, "segments": 2, "embedding_width": 24}),
    "albert": (hf.AlbertForMaskedLM, {**MADE_ENCODER, "segments": 2, "embedding_width": 24, "shared_layers": True}),
    "modernbert": (hf.ModernBertForMaskedLM, {**MADE_BARE, "norm": "layer", "norm_bias": False, "kind": "encoder", "head": "masked_token", "gated": True,
                                              "embedding_norm": True, "first_norm": False, "head_dense": True, "dense_bias": False, "head_bias": True,
                                              "window": 5, "global_every": 2, "scheme.name": "rotary", "global_scheme.name": "rotary", "global_scheme.base": 300}),
    "nomic-bert": (hf.NomicBertForMaskedLM, {**MADE_ENCODER, **MADE_BARE, "norm": "layer", "segments": 2, "scheme.name": "rotary", "gated": True,
                                             "activation": "silu"}),
    "roformer": (hf.RoFormerForMaskedLM, {**MADE_ENCODER, "segments": 2, "scheme.name": "rotary", "scheme.pairs": "interleaved", "embedding_width": 24}),
    "roberta": (hf.RobertaForMaskedLM, {**MADE_ENCODER, "segments": 1, "positions": "count", "position_offset": 2, "padding_token": 1}),
    "distilbert": (hf.DistilBertForMaskedLM, {**MADE_ENCODER, "norm_eps": 1e-12}),
    "deberta": (hf.DebertaForMaskedLM, {**MADE_ENCODER, **MADE_DEBERTA, "key_bias": False, "scheme.buckets": 0, "scheme.shared": False,
                                        "scheme.key_bias": False, "scheme.norm": False}),
    "deberta-v2": (hf.DebertaV2ForTokenClassification, {**MADE_ENCODER, **MADE_DEBERTA, "scheme.buckets": 8, "scheme.norm_eps": 1e-5,
                                                        "head": "token_class", "head_dense": False}),
    "no segments": (hf.DebertaV2ForMaskedLM, {**MADE_ENCODER}),
    "gptj": (hf.GPTJForCausalLM, {"scheme.name": "rotary", "scheme.pairs": "interleaved", "scheme.width": 6, "residual": "parallel-one-norm", "head_bias": True,
                                  "query_bias": False, "key_bias": False, "value_bias": False, "output_bias": False, "activation": "gelu_tanh"}),
    # Unscaled scores: smaller weights prevent the softmax from selecting a single key.
    "t5": (hf.T5ForConditionalGeneration, {**MADE_BARE, "init_std": 0.2, "kind": "encoder-decoder", "scheme.name": "t5", "attention_scale": 1, "tied": False,
                                           "gated": True, "activation": "gelu_tanh", "decoder_layers": 2}),
    "marian": (hf.MarianMTModel, {"kind": "encoder-decoder", "scheme.name": "sinusoidal", "scheme.pairs": "halves", "norm_place": "after",
                                  "final_norm": False}),
    "mbart": (hf.MBartForConditionalGeneration, {"kind": "encoder-decoder", "scheme.name": "learned", "position_offset": 2,
                                                 "embedding_norm": True, "head_bias": True}),
    "m2m_100": (hf.M2M100ForConditionalGeneration, {"kind": "encoder-decoder", "scheme.name": "sinusoidal", "scheme.pairs": "halves",
                                                    "scheme.spacing": "closed", "positions": "count", "position_offset": 2, "padding_token": 1}),
    "pegasus": (hf.PegasusForConditionalGeneration, {"kind": "encoder-decoder", "scheme.name": "sinusoidal", "scheme.pairs": "halves",
                                                     "head_bias": True}),
}


def compare_made(name, build, scratch):
    """A model that Locus makes from a blueprint and saves, opened by transformers."""
    kind, settings = MADE[name]
    words = [f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in {**MADE_SIZES, **settings}.items()]
    subprocess.run([build / "tests/model_made", scratch / "made", *words], check=True)
    model, info = kind.from_pretrained(scratch / "made", attn_implementation="eager", output_loading_info=True)
    if json.loads((scratch / "made/config.json").read_text())["architectures"] != [kind.__name__]:
        raise ValueError(f"expected {kind.__name__}")
    if set(info["missing_keys"]) - COMPUTED - {"final_logits_bias"} or info["unexpected_keys"]:
        raise ValueError(f"transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    inputs = inputs_for(model.eval(), (13, 13, 13))
    wanted = outputs_of(model, inputs)
    found = differences(run(build, scratch / "made", inputs, "loss" in wanted), wanted)
    fine = found["forward"] <= FORWARD and found["gradient"] <= GRADIENT
    print(f"{name:14} {'made by Locus, ' + kind.__name__:36} {found['forward']:8.1e} {found['gradient']:8.1e}         {'fine' if fine else 'FAILED'}", flush=True)
    return fine


STRETCHED = {("bert 1", "interpolate"), ("roberta 1", "repeat"), ("gpt2 1", "interpolate"), ("opt 1", "repeat"), ("bart 1", "interpolate"),
             ("mistral 1", "linear"), ("mistral 1", "ntk"), ("qwen2 1", "yarn"), ("neox 1", "linear"), ("smollm3 1", "yarn"),
             ("modernbert 1", "linear"), ("gemma3 1", "yarn"), ("phi3 1", "ntk"), ("olmo3 1", "yarn")}


def compare_stretched(name, how, build, scratch):
    """A model with a context window extended by Locus, opened by transformers."""
    kind, config, settings = CASES[name]
    model = randomise(kind(config(**settings)))
    save_folder(model, {}, scratch / "model")
    own = getattr(model.config, "n_positions", model.config.max_position_embeddings)
    subprocess.run([build / "locus", "stretch", scratch / "model", "--length", str(2 * own), "--how", how, "--out", scratch / "longer"],
                   check=True, stdout=subprocess.DEVNULL)
    longer = kind.from_pretrained(scratch / "longer", attn_implementation="eager").eval()
    inputs = inputs_for(longer, (own + 9, own - 5))
    wanted = outputs_of(longer, inputs)
    found = differences(run(build, scratch / "longer", inputs, "loss" in wanted), wanted)
    fine = found["forward"] <= FORWARD and found["gradient"] <= GRADIENT
    print(f"{name:14} {'stretched, ' + how:36} {found['forward']:8.1e} {found['gradient']:8.1e}         {'fine' if fine else 'FAILED'}", flush=True)
    return fine


LETTERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdef"]
TRAINED = {
    "fine-tuned": ("bert 3", hf.BertForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "labels anew": ("roberta 2", hf.RobertaForTokenClassification, "head = 'token_class'\n", "y.tsv"),
    "trained on": ("gpt2 1", hf.GPT2LMHeadModel, "", "x.txt"),
    "narrow rows": ("electra 4", hf.ElectraForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "shared layers": ("albert 4", hf.AlbertForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "labels twice": ("bart 2", hf.BartForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "answers twice": ("bart 4", hf.BartForQuestionAnswering, "", "q.jsonl"),
    "pairs": ("t5 1", hf.T5ForConditionalGeneration, "", "z.tsv"),
    "more pairs": ("bart 1", hf.BartForConditionalGeneration, "", "z.tsv"),
    "answers": ("bert 3", hf.BertForQuestionAnswering, "head = 'answer'\n", "q.jsonl"),
}
QUESTIONS = [("a", "b c d e", "c d"), ("f", "e d c b", "b")]
PAIRS = [("a b c", "c b a"), ("d e", "e d"), ("f", "f")]


def loss_of_data(model, data, tokenizer):
    """The loss of transformers on the same examples, or None if Locus cuts its own windows."""
    with torch.no_grad():
        if data == "z.tsv":
            read = tokenizer([source for source, _ in PAIRS], padding=True, return_tensors="pt", return_token_type_ids=False)
            labels = tokenizer(text_target=[target for _, target in PAIRS], padding=True, return_tensors="pt")["input_ids"]
            return model(**read, labels=labels.masked_fill(labels == tokenizer.pad_token_id, -100)).loss.item()
        if data == "q.jsonl":
            read = tokenizer([q for q, *_ in QUESTIONS], [c for _, c, _ in QUESTIONS], return_tensors="pt",
                             return_token_type_ids=not model.config.is_encoder_decoder)
            begins = [context.index(answer) for _, context, answer in QUESTIONS]
            first = [read.char_to_token(i, begin, 1) for i, begin in enumerate(begins)]
            last = [read.char_to_token(i, begin + len(QUESTIONS[i][2]) - 1, 1) for i, begin in enumerate(begins)]
            return model(**read, start_positions=torch.tensor(first), end_positions=torch.tensor(last)).loss.item()
    return None


def compare_trained(name, build, scratch):
    """A transformers folder, trained by Locus with its own head or a new one, opened by transformers again."""
    case, kind, head, data = TRAINED[name]
    before, config, settings = CASES[case]
    save_folder(randomise(before(config(**settings))), {}, scratch / "model")
    (scratch / "model/vocab.txt").write_text("\n".join(LETTERS) + "\n")
    (scratch / "x.tsv").write_text("a b c\tup\nc b a\tdown\n" * 4)
    (scratch / "y.tsv").write_text("a b c\tX Y X\nc b a\tY Y X\n" * 4)
    (scratch / "x.txt").write_text("a b c d e f " * 40)
    (scratch / "z.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    (scratch / "q.jsonl").write_text("".join(
        json.dumps(dict(question=q, context=c, answers=dict(text=[a], answer_start=[c.index(a)]))) + "\n" for q, c, a in QUESTIONS))
    (scratch / "run.toml").write_text(f"[model]\nfrom = 'model'\n{head}[data]\ntrain = '{data}'\ncontext = 12\n[train]\nsteps = 5\nrate = 0.001\n")
    subprocess.run([build / "locus", "train", scratch / "run.toml", "--out", scratch / "run"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    hub = scratch / "run/hub"
    model, info = kind.from_pretrained(hub, attn_implementation="eager", output_loading_info=True)
    if info["missing_keys"] or info["unexpected_keys"]:
        raise ValueError(f"transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    tokenizer = hf.BertTokenizer.from_pretrained(hub)
    if tokenizer.convert_tokens_to_ids("f") != len(LETTERS) - 1:
        raise ValueError("another tokenizer than the folder's")
    loss = loss_of_data(model.eval(), data, tokenizer)
    if loss is not None:
        printed = subprocess.run([build / "locus", "eval", scratch / "run", scratch / data, "--json"], check=True, capture_output=True).stdout
        if abs(json.loads(printed)["loss"] - loss) > FORWARD * loss:
            raise ValueError(f"the loss of its examples is {json.loads(printed)['loss']}, for transformers {loss}")
    inputs = inputs_for(model, (13, 13, 13))
    wanted = outputs_of(model, inputs)
    found = differences(run(build, hub, inputs, "loss" in wanted), wanted)
    fine = found["forward"] <= FORWARD and found["gradient"] <= GRADIENT
    print(f"{name:14} {'trained by Locus, ' + kind.__name__:36} {found['forward']:8.1e} {found['gradient']:8.1e}         {'fine' if fine else 'FAILED'}", flush=True)
    return fine


def compare_minilm(build, folder):
    texts = ["The dog chased the ball.", "It ran.", "Positions are data: a scheme turns them into terms, and kernels execute terms."]
    tokenizer, model = hf.AutoTokenizer.from_pretrained(folder), hf.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

    def states(batch):
        with tempfile.TemporaryDirectory() as scratch:
            return run(build, folder, dict(batch), False, pathlib.Path(scratch))["last_hidden_state"]

    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        wanted = model(**batch).last_hidden_state
    got = states(batch)
    difference = ((got - wanted) * batch["attention_mask"][..., None]).abs().max().item()
    alone = [states(tokenizer([text], return_tensors="pt"))[0] for text in texts]
    same = all(torch.equal(one, got[i, :len(one)]) for i, one in enumerate(alone))
    fine = difference <= 1e-5 and same
    print(f"minilm: largest difference {difference:.1e}, alone and in a batch {'same bits' if same else 'DIFFERENT bits'}: {'fine' if fine else 'FAILED'}")
    return fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--minilm", type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    if options.minilm:
        sys.exit(not compare_minilm(options.build, options.minilm))
    print(f"{'case':14} {'architecture':36} {'forward':>8} {'gradient':>8} {'again':>6}")
    jobs = [(compare, (name,)) for name in options.cases or CASES if name in CASES]
    # With a cache, transformers keeps keys rotated with the scaling of earlier lengths, so it does not equal a full pass there.
    jobs += [(compare_cached, (name,)) for name, (kind, *_) in CASES.items()
             if kind.__name__.endswith(WRITES) and name not in EQUAL and (not options.cases or name in options.cases)]
    jobs += [(compare_stretched, case) for case in sorted(STRETCHED) if not options.cases or case[0] in options.cases]
    jobs += [(compare_made, (name,)) for name in MADE if not options.cases or name in options.cases]
    jobs += [(compare_trained, (name,)) for name in TRAINED if not options.cases or name in options.cases]
    failed = 0
    for job, words in jobs:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                failed += not job(*words, options.build, pathlib.Path(scratch))
            except (ValueError, subprocess.CalledProcessError) as error:
                print(f"{words[0]:14} {error}", flush=True)
                failed += 1
    print("all fine" if failed == 0 else f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
