#include "locus/checkpoint/unread_fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "locus/base/quote.h"

namespace locus {
namespace {

constexpr size_t kMostNamed = 12;

// Parts of names: settings of training, such as attention_dropout, resid_pdrop and initializer_range.
constexpr std::string_view kTrainingWords[] = {"dropout", "pdrop", "layerdrop", "initializer_", "init_std"};

// Names between blanks.
constexpr std::string_view kHarmless =
    // Origin, and names for people and programs. Commands that need labels and tokens read them separately.
    " _commit_hash _name_or_path auto_map dtype finetuning_task id2label js_config label2id language"
    " model_type num_labels problem_type task_specific_params tokenizer_class tokenizer_name"
    " torch_dtype transformers_version unsloth_fixed unsloth_version bos_token bos_token_id"
    " cls_token_id decoder_start_token_id eos_token eos_token_id forced_bos_token_id"
    " forced_eos_token_id mask_token mask_token_id pad_token pad_token_id sep_token_id unk_token_id"
    // What a call returns, and how it is computed.
    " _attn_implementation _attn_implementation_autoset attention_softmax_in_fp32 attn_impl"
    " attn_implementation cache_implementation chunk_size_feed_forward deterministic_flash_attn"
    " fused_bias_fc init_device legacy masked_softmax_fusion output_attentions output_hidden_states"
    " output_past output_scores pad_vocab_size_multiple pretraining_tp reference_compile"
    " reorder_and_upcast_attn repad_logits_with_grad return_dict return_dict_in_generate"
    " scale_attention_softmax_in_fp32 tf_legacy_loss torchscript use_bfloat16 use_cache use_flash_attn"
    " verbose"
    // Training, and heads that Locus does not have.
    " gradient_checkpointing init_config sinusoidal_pos_embds sparse_pred_ignore_index"
    " sparse_prediction summary_activation summary_proj_to_labels summary_type summary_use_proj"
    " use_xentropy"
    // Generation, which generation_config.json sets.
    " bad_words_ids begin_suppress_tokens diversity_penalty do_sample early_stopping"
    " encoder_no_repeat_ngram_size exponential_decay_length_penalty length_penalty max_length"
    " min_length no_repeat_ngram_size num_beam_groups num_beams num_return_sequences prefix"
    " remove_invalid_values repetition_penalty suppress_tokens temperature top_k top_p typical_p"
    // Families that transformers reads them for read them in Locus, too. The other families ignore them.
    " activation_function add_cross_attention apply_residual_connection_post_layernorm"
    " classifier_pooling is_decoder is_encoder_decoder layer_norm_eps norm_type"
    " position_embedding_type scale_attn_weights type"
    // Released files have them, and transformers ignores them.
    " _sliding_window_pattern add_bias_logits add_final_layer_norm dense_seq_output directionality"
    " do_blenderbot_90_layernorm down_scale_factor embedding_fraction extra_pos_embeddings"
    " force_bos_token_to_be_generated gap_size is_llama_config last_layer_subset learned_pos_emb"
    " max_trained_positions mlp_type n_ctx net_structure_type normalize_before normalize_embedding"
    " num_memory_blocks offset_alibi order_of_interleaved_layers pooler_fc_size"
    " pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type"
    " rope_interleaved rotary save_step skip_bias_add skip_bias_add_qkv static_position_embeddings"
    " tie_encoder_decoder tie_weights_ use_embedding_sharing use_gated_activation use_mrope"
    " use_parallel_block use_parallel_embedding"
    " ";

std::unordered_set<std::string_view> words_of(std::string_view text) {
  std::unordered_set<std::string_view> words;
  for (size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(' ', begin);
    if (end != begin && begin < text.size()) words.insert(text.substr(begin, end - begin));
  }
  return words;
}

bool is_harmless_word(std::string_view word) {
  static const std::unordered_set<std::string_view> harmless = words_of(kHarmless);
  return harmless.contains(word) || std::ranges::any_of(kTrainingWords, [&](std::string_view part) {
           return word.find(part) != std::string_view::npos;
         });
}

// Dotted names: a harmless object, or a harmless member of any object.
bool is_harmless(std::string_view name) {
  return is_harmless_word(name.substr(0, name.find('.'))) ||
         is_harmless_word(name.substr(name.rfind('.') + 1));
}

}  // namespace

std::vector<std::string> unread_warnings(const Config& config) {
  // The first ones by name: a hostile file can have millions.
  std::map<std::string, std::string> first;
  size_t count = 0;
  config.each_unread([&](std::string name, std::string value) {
    if (is_harmless(name)) return;
    ++count;
    first.emplace(std::move(name), std::move(value));
    if (first.size() > kMostNamed) first.erase(std::prev(first.end()));
  });
  if (first.empty()) return {};
  std::vector<std::string> fields;
  for (const auto& [name, value] : first) fields.push_back(fmt::format("{} is {}", quote(name), value));
  std::string text =
      fmt::format("'{}': Locus does not read {}", config.path().string(), fmt::join(fields, ", "));
  if (count > first.size()) text += fmt::format(", and {} more fields", count - first.size());
  return {text + "; if transformers reads them, results may differ"};
}

}  // namespace locus
