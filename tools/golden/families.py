#!/usr/bin/env python3
"""Golden folders of the model families: tests/golden/family/<case>/

For every family: a tiny transformers model with random weights, odd sizes and settings other than the defaults, saved by
save_pretrained as config.json and model.safetensors. Next to them are inputs.json, the input of `locus forward`, and
expected.safetensors: last_hidden_state and logits (zero for padding), the loss, and every gradient as grad.NAME, all in f32.

Needs: pip install torch transformers safetensors. Use: tools/golden/families.py [FOLDER [CASE..]]
"""
import pathlib
import sys

import torch
import transformers as hf
from family_folder import inputs_for, outputs_of, randomise, save_folder
from safetensors.torch import save_file

SMALL = dict(vocab_size=29, hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20)


def bert(**settings):
    return hf.BertForMaskedLM(hf.BertConfig(**SMALL, max_position_embeddings=14, type_vocab_size=2, layer_norm_eps=1e-3,
                                            hidden_act="gelu_new", **settings)), dict(segments=2)


def bert_class():
    return hf.BertForSequenceClassification(hf.BertConfig(**SMALL, max_position_embeddings=14, type_vocab_size=3, num_labels=5)), dict(segments=3)


def bert_answer():
    return hf.BertForQuestionAnswering(hf.BertConfig(**SMALL, max_position_embeddings=14)), dict(lengths=(8, 8, 8))


def modernbert(kind=hf.ModernBertForMaskedLM, **settings):
    settings = {**dict(num_hidden_layers=3, global_attn_every_n_layers=2, global_rope_theta=500.0, local_rope_theta=50.0, local_attention=6), **settings}
    return kind(hf.ModernBertConfig(**{**SMALL, **settings}, max_position_embeddings=32, norm_eps=1e-3, pad_token_id=0, eos_token_id=1, bos_token_id=2,
                                    cls_token_id=2, sep_token_id=1)), dict(left=True)


def modernbert_class():
    model, _ = modernbert(hf.ModernBertForSequenceClassification, num_hidden_layers=2, norm_bias=True, attention_bias=True, mlp_bias=True,
                          classifier_bias=True, classifier_pooling="mean", hidden_activation="relu", classifier_activation="relu", num_labels=4)
    return model, dict()


def nomic_bert():
    return hf.NomicBertForMaskedLM(hf.NomicBertConfig(**SMALL, max_position_embeddings=14, head_dim=8, layer_norm_eps=1e-3,
                                                      rope_parameters=dict(rope_type="default", rope_theta=200.0))), dict(segments=2)


def roformer(kind=hf.RoFormerForMaskedLM, **settings):
    settings = {**dict(embedding_size=8), **settings}
    return kind(hf.RoFormerConfig(**SMALL, max_position_embeddings=14, type_vocab_size=2, layer_norm_eps=1e-3, **settings)), dict(segments=2)


def roformer_class():
    return roformer(hf.RoFormerForSequenceClassification, embedding_size=12, hidden_act="relu", num_labels=4)


def gpt2():
    return hf.GPT2LMHeadModel(hf.GPT2Config(vocab_size=29, n_positions=14, n_embd=12, n_layer=2, n_head=3, n_inner=20,
                                            layer_norm_epsilon=1e-3)), dict()


def gpt2_class():
    return hf.GPT2ForSequenceClassification(hf.GPT2Config(vocab_size=29, n_positions=14, n_embd=12, n_layer=1, n_head=2, pad_token_id=0,
                                                          activation_function="relu", num_labels=3)), dict()


def gpt_bigcode():
    return hf.GPTBigCodeForCausalLM(hf.GPTBigCodeConfig(vocab_size=29, n_positions=14, n_embd=12, n_layer=2, n_head=3, n_inner=20,
                                                        layer_norm_epsilon=1e-3)), dict()


def llama(rope=None, kind=hf.LlamaForCausalLM, config=hf.LlamaConfig, **settings):
    rope = rope or dict(rope_type="llama3", rope_theta=500.0, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
                        original_max_position_embeddings=8)
    size = {**SMALL, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 16, **settings}
    return kind(config(**size, max_position_embeddings=32, rope_parameters=rope)), dict(left=True)


def mistral():
    return llama(dict(rope_type="default", rope_theta=300.0), hf.MistralForCausalLM, hf.MistralConfig, sliding_window=4, head_dim=6,
                 tie_word_embeddings=True)


def qwen2():
    return llama(dict(rope_type="yarn", rope_theta=100.0, factor=4.0, original_max_position_embeddings=8), hf.Qwen2ForCausalLM,
                 hf.Qwen2Config, rms_norm_eps=1e-3)


def qwen3():
    return llama(dict(rope_type="default", rope_theta=200.0), hf.Qwen3ForCausalLM, hf.Qwen3Config, head_dim=6, attention_bias=True,
                 tie_word_embeddings=True, use_sliding_window=True, sliding_window=4, max_window_layers=0)


def qwen2_encoder():
    return llama(dict(rope_type="default", rope_theta=200.0), hf.Qwen2Model, hf.Qwen2Config, is_causal=False)


def eurobert():
    return llama(dict(rope_type="default", rope_theta=200.0), hf.EuroBertForMaskedLM, hf.EuroBertConfig, rms_norm_eps=1e-3, mlp_bias=True, pad_token_id=0,
                 bos_token_id=1, eos_token_id=2, mask_token_id=3)


def llama_class():
    return llama(dict(rope_type="linear", rope_theta=1e4, factor=3.0), hf.LlamaForSequenceClassification, attention_bias=True,
                 mlp_bias=True, pad_token_id=0, num_labels=1, num_hidden_layers=1)


def phi():
    return llama(dict(rope_type="default", rope_theta=300.0, partial_rotary_factor=0.5), hf.PhiForCausalLM, hf.PhiConfig, layer_norm_eps=1e-3,
                 hidden_act="relu")


def phi3():
    rope = dict(rope_type="longrope", rope_theta=100.0, partial_rotary_factor=0.5, short_factor=[1.0, 1.5], long_factor=[2.0, 3.0])
    return llama(rope, hf.Phi3ForCausalLM, hf.Phi3Config, num_attention_heads=2, num_key_value_heads=1, original_max_position_embeddings=8,
                 pad_token_id=0, bos_token_id=1, eos_token_id=2, sliding_window=5)[0], dict(lengths=(11, 11, 11))


def smollm3():
    return llama(dict(rope_type="default", rope_theta=50.0), hf.SmolLM3ForCausalLM, hf.SmolLM3Config, num_hidden_layers=3, no_rope_layers=[1, 0, 1],
                 rms_norm_eps=1e-3, mlp_bias=True, pad_token_id=0, bos_token_id=1, eos_token_id=2)


def cohere(kind=hf.CohereForCausalLM, config=hf.CohereConfig, **settings):
    return llama(dict(rope_type="default", rope_theta=70.0), kind, config, layer_norm_eps=1e-3, logit_scale=0.3, pad_token_id=0, bos_token_id=1,
                 eos_token_id=2, **settings)


def cohere2():
    return cohere(hf.Cohere2ForCausalLM, hf.Cohere2Config, num_hidden_layers=3, sliding_window=4, attention_bias=True,
                  layer_types=["sliding_attention", "full_attention", "sliding_attention"])


def starcoder2():
    return llama(dict(rope_type="default", rope_theta=300.0), hf.Starcoder2ForCausalLM, hf.Starcoder2Config, norm_epsilon=1e-3, sliding_window=4,
                 bos_token_id=1, eos_token_id=2)


def stablelm():
    return llama(dict(rope_type="default", rope_theta=300.0, partial_rotary_factor=0.5), hf.StableLmForCausalLM, hf.StableLmConfig, layer_norm_eps=1e-3,
                 use_parallel_residual=True, use_qkv_bias=True)


def granite():
    return llama(dict(rope_type="default", rope_theta=300.0), hf.GraniteForCausalLM, hf.GraniteConfig, rms_norm_eps=1e-3, embedding_multiplier=3.0,
                 residual_multiplier=0.4, attention_multiplier=0.2, logits_scaling=4.0, attention_bias=True)


def olmo2(kind=hf.Olmo2ForCausalLM, config=hf.Olmo2Config, rope=dict(rope_type="default", rope_theta=300.0), **settings):
    return llama(rope, kind, config, rms_norm_eps=1e-3, pad_token_id=0, eos_token_id=2, **settings)


def olmo3():
    rope = dict(full_attention=dict(rope_type="yarn", rope_theta=500.0, factor=4.0, original_max_position_embeddings=8),
                sliding_attention=dict(rope_type="default", rope_theta=500.0))
    return olmo2(hf.Olmo3ForCausalLM, hf.Olmo3Config, rope, num_hidden_layers=4, sliding_window=4, attention_bias=True,
                 layer_types=["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"])


def gemma():
    return llama(dict(rope_type="default", rope_theta=300.0), hf.GemmaForCausalLM, hf.GemmaConfig, head_dim=6, pad_token_id=0, rms_norm_eps=1e-3)


def gemma2(kind=hf.Gemma2ForCausalLM, **settings):
    settings = {**dict(num_hidden_layers=3, layer_types=["sliding_attention", "full_attention", "sliding_attention"]), **settings}
    return llama(dict(rope_type="default", rope_theta=300.0), kind, hf.Gemma2Config, head_dim=6, sliding_window=4, query_pre_attn_scalar=9,
                 attn_logit_softcapping=1.5, final_logit_softcapping=0.8, pad_token_id=0, rms_norm_eps=1e-3, **settings)


def gemma3(kind=hf.Gemma3ForCausalLM, **settings):
    settings = {**dict(num_hidden_layers=4, layer_types=["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"]), **settings}
    return llama(dict(full_attention=dict(rope_type="linear", rope_theta=700.0, factor=2.0), sliding_attention=dict(rope_type="default", rope_theta=60.0)),
                 kind, hf.Gemma3TextConfig, head_dim=6, sliding_window=4, query_pre_attn_scalar=9, pad_token_id=0, rms_norm_eps=1e-3, **settings)


def gemma3_encoder():
    return gemma3(hf.Gemma3TextModel, num_hidden_layers=2, layer_types=["sliding_attention", "full_attention"], use_bidirectional_attention=True,
                  attention_bias=True)


def roberta(kind=hf.RobertaForMaskedLM, config=hf.RobertaConfig, **settings):
    return kind(config(**SMALL, max_position_embeddings=16, type_vocab_size=1, layer_norm_eps=1e-3, pad_token_id=2, **settings)), dict(left=True)


def roberta_token():
    return roberta(hf.RobertaForTokenClassification, num_labels=4, hidden_act="relu")


def xlm_roberta():
    model, _ = roberta(hf.XLMRobertaForSequenceClassification, hf.XLMRobertaConfig, num_labels=3)
    return model, dict()


def mpnet(kind=hf.MPNetForMaskedLM, **settings):
    return kind(hf.MPNetConfig(**SMALL, max_position_embeddings=16, layer_norm_eps=1e-3, **settings)), dict(left=True)


def mpnet_class():
    model, _ = mpnet(hf.MPNetForSequenceClassification, num_labels=3)
    return model, dict()


def distilbert(kind=hf.DistilBertForMaskedLM, **settings):
    return kind(hf.DistilBertConfig(vocab_size=29, max_position_embeddings=14, n_layers=2, n_heads=3, dim=12, hidden_dim=20, **settings)), dict()


def distilbert_class():
    return distilbert(hf.DistilBertForSequenceClassification, sinusoidal_pos_embds=True, activation="relu", num_labels=3)


def deberta(kind=hf.DebertaForMaskedLM, **settings):
    settings = {**dict(relative_attention=True, position_biased_input=False, pos_att_type=["c2p", "p2c"], max_relative_positions=5), **settings}
    return kind(hf.DebertaConfig(**SMALL, max_position_embeddings=14, type_vocab_size=2, **settings)), dict(segments=2)


def deberta_class():
    return deberta(hf.DebertaForSequenceClassification, pos_att_type=["c2p"], num_labels=3, pooler_hidden_act="tanh")


def deberta_v2(kind=hf.DebertaV2ForMaskedLM, **settings):
    settings = {**dict(relative_attention=True, position_biased_input=False, pos_att_type="p2c|c2p", position_buckets=4,
                       max_relative_positions=-1, share_att_key=True, norm_rel_ebd="layer_norm"), **settings}
    return kind(hf.DebertaV2Config(**{**SMALL, "max_position_embeddings": 14, **settings})), dict()


def deberta_v2_token():
    return deberta_v2(hf.DebertaV2ForTokenClassification, share_att_key=False, pos_att_type="p2c", position_buckets=-1, norm_rel_ebd="none",
                      max_relative_positions=7)


def deberta_biased():
    return deberta(position_biased_input=True)


def deberta_v2_biased():
    return deberta_v2(hf.DebertaV2ForTokenClassification, position_biased_input=True)


def deberta_v2_new_head():
    return deberta_v2(legacy=False, num_hidden_layers=1)


def electra(kind=hf.ElectraForMaskedLM, **settings):
    settings = {**dict(embedding_size=8), **settings}
    return kind(hf.ElectraConfig(**SMALL, max_position_embeddings=14, type_vocab_size=2, layer_norm_eps=1e-3, **settings)), dict(segments=2)


def electra_class():
    return electra(hf.ElectraForSequenceClassification, embedding_size=12, hidden_act="relu", num_labels=4)


def albert(kind=hf.AlbertForMaskedLM, **settings):
    settings = {**dict(embedding_size=8, num_hidden_layers=3), **settings}
    return kind(hf.AlbertConfig(**{**SMALL, **settings}, max_position_embeddings=14, type_vocab_size=2, layer_norm_eps=1e-3)), dict(segments=2)


def albert_class():
    return albert(hf.AlbertForSequenceClassification, num_labels=4, hidden_act="relu")


def gptj():
    return hf.GPTJForCausalLM(hf.GPTJConfig(vocab_size=29, n_positions=14, n_embd=18, n_layer=2, n_head=3, n_inner=20, rotary_dim=4,
                                            layer_norm_epsilon=1e-3)), dict(left=True)


def gpt_neo(kind=hf.GPTNeoForCausalLM, **settings):
    return kind(hf.GPTNeoConfig(vocab_size=29, hidden_size=12, num_layers=3, num_heads=3, intermediate_size=20, max_position_embeddings=14,
                                attention_types=[[["global", "local"], 1], [["global"], 1]], window_size=4, layer_norm_epsilon=1e-3,
                                **settings)), dict(left=True)


def neox(**settings):
    return hf.GPTNeoXForCausalLM(hf.GPTNeoXConfig(**{**SMALL, "hidden_size": 16, "num_attention_heads": 2}, max_position_embeddings=32,
                                 rope_parameters=dict(rope_type="default", rope_theta=200.0, partial_rotary_factor=0.5), **settings)), dict(left=True)


def neox_sequential():
    return neox(use_parallel_residual=False, attention_bias=False, hidden_act="relu", tie_word_embeddings=True)


def bloom():
    return hf.BloomForCausalLM(hf.BloomConfig(vocab_size=29, hidden_size=12, n_layer=2, n_head=3, layer_norm_epsilon=1e-3)), dict(left=True)


def bloom_token():
    return hf.BloomForTokenClassification(hf.BloomConfig(vocab_size=29, hidden_size=12, n_layer=1, n_head=6, num_labels=3)), dict()


def mpt():
    return hf.MptForCausalLM(hf.MptConfig(vocab_size=29, d_model=12, n_layers=2, n_heads=3, max_seq_len=32, layer_norm_epsilon=1e-3,
                                          attn_config=dict(softmax_scale=0.3))), dict(left=True)


def falcon(**settings):
    size = {**SMALL, "hidden_size": 16, "num_attention_heads": 4, "ffn_hidden_size": 20}
    del size["intermediate_size"]
    settings = settings or dict(new_decoder_architecture=True, num_kv_heads=2, bias=True, layer_norm_epsilon=1e-3)
    return hf.FalconForCausalLM(hf.FalconConfig(**size, **settings)), dict(left=True)


def falcon_one_key():
    return falcon(activation="relu")


def opt(**settings):
    return hf.OPTForCausalLM(hf.OPTConfig(vocab_size=29, hidden_size=12, num_hidden_layers=2, ffn_dim=20, num_attention_heads=3,
                                          max_position_embeddings=14, **settings)), dict(left=True)


def opt_after():
    return opt(do_layer_norm_before=False, enable_bias=False, activation_function="gelu")


def t5(kind=hf.T5ForConditionalGeneration, config=hf.T5Config, **settings):
    settings = {**dict(num_layers=2, num_decoder_layers=1, feed_forward_proj="relu"), **settings}
    return kind(config(vocab_size=29, d_model=12, d_kv=6, d_ff=20, num_heads=3, relative_attention_num_buckets=8,
                            relative_attention_max_distance=12, decoder_start_token_id=0, **settings)), dict(lengths=(10, 7))


def t5_v11(**kinds):
    model, options = t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False, num_layers=1, **kinds)
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    return model, options


def mt5():
    return t5_v11(kind=hf.MT5ForConditionalGeneration, config=hf.MT5Config)


def bart(kind=hf.BartForConditionalGeneration, config=hf.BartConfig, **settings):
    settings = {**dict(decoder_attention_heads=3), **settings}
    return kind(config(vocab_size=29, d_model=12, encoder_layers=2, decoder_layers=1, encoder_attention_heads=3, encoder_ffn_dim=20,
                       decoder_ffn_dim=16, max_position_embeddings=14, scale_embedding=True, pad_token_id=1, eos_token_id=2,
                       decoder_start_token_id=2, **settings)), dict(lengths=(10, 7))


def bart_heads():
    return bart(decoder_attention_heads=2)


def bart_class():
    return bart(hf.BartForSequenceClassification, num_labels=3)


def bart_answer():
    return bart(hf.BartForQuestionAnswering)


def marian():
    return bart(hf.MarianMTModel, hf.MarianConfig, activation_function="swish")


def mbart():
    return bart(hf.MBartForConditionalGeneration, hf.MBartConfig, activation_function="relu")


def m2m_100():
    return bart(hf.M2M100ForConditionalGeneration, hf.M2M100Config)


def pegasus():
    return bart(hf.PegasusForConditionalGeneration, hf.PegasusConfig)


CASES = {f.__name__: f for f in (
    bert, bert_class, bert_answer, roberta, roberta_token, xlm_roberta, mpnet, mpnet_class, distilbert, distilbert_class, deberta,
    deberta_class, deberta_biased, deberta_v2, deberta_v2_token, deberta_v2_new_head, deberta_v2_biased,
    electra, electra_class, albert, albert_class, modernbert, modernbert_class, nomic_bert, roformer,
    roformer_class, gpt2, gpt2_class, gpt_bigcode, gpt_neo, gptj, neox, neox_sequential, llama, mistral, qwen2, qwen2_encoder, qwen3, eurobert, llama_class, phi, phi3, smollm3,
    starcoder2, stablelm, cohere, cohere2, granite, olmo2, olmo3, gemma, gemma2, gemma3, gemma3_encoder, bloom, bloom_token, mpt, falcon, falcon_one_key, opt, opt_after, t5, t5_v11, mt5,
    bart, bart_heads,
    bart_class, bart_answer, marian, mbart, m2m_100, pegasus)}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/family")
    for name in sys.argv[2:] or CASES:
        model, options = CASES[name]()
        model.set_attn_implementation("eager")
        randomise(model)
        inputs = inputs_for(model, **options)
        folder = root / name.replace("_", "-")
        save_folder(model, inputs, folder)
        save_file(outputs_of(model, inputs), folder / "expected.safetensors",
                  {"torch": torch.__version__, "transformers": hf.__version__})
        (folder / "expected.safetensors").chmod(0o644)
        print(name, sum(f.stat().st_size for f in folder.iterdir()))


if __name__ == "__main__":
    main()
