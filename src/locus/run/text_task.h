// A text task: how files become samples for a model's head. The head determines what is predicted:
//   next_token       the next token in windows over a text; for an encoder-decoder, the target of a pair
//                    of texts, given its source
//   masked_token     masked tokens in windows over a text
//   sequence_class   the label of a text
//   token_class      the label of every word of a text
//   answer           the span of a context that answers a question
// To predict labels or answers, encoder and decoder of an encoder-decoder both read the text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "locus/nn/blueprint.h"
#include "locus/text/tokenizer.h"

namespace locus {

// Which special tokens are around a text: <s> and </s> if the tokenizer adds none, or only those that the
// tokenizer adds.
enum class Framing { own, tokenizer };

struct DataSettings {
  std::string train, validation;
  double validation_split = 0;
  std::string tokenizer = "bytes";
  int64_t context = 64, stride = 0;
  bool truncate = false;
  int64_t start_token = -1;
  Framing framing = Framing::own;
  bool pair_segments = true;
  int64_t padding_token = -1;
  std::string mask_token;
  int64_t batch_size = 8, tokens_per_step = 0;
  double mask_rate = 0.15, label_smoothing = 0;
  bool recompute = false;

  template <class V>
  void fields(V& v) {
    v.text("train", train, "training data: a text file, a token file, or the .tsv or .jsonl file of a task");
    v.text("validation", validation, "validation data, in the same format as the training data");
    v.number("validation_split", validation_split, 0, 0.9,
             "fraction of the training data, from its end, to validate on if there is no validation file");
    v.text("tokenizer", tokenizer, "tokenizer folder, or bytes for one token per byte");
    v.integer("context", context, 1, 1e7,
              "tokens in a window over a text, and the most tokens in an example of a task");
    v.integer("stride", stride, 0, 1e7,
              "tokens from the start of one window to the start of the next; 0: same as context");
    v.flag("truncate", truncate, "cut examples that are longer than context; otherwise they are an error");
    v.integer(
        "start_token", start_token, -1, 1e9,
        "id of the token that starts a decoder's output; -1: decoder_start_token_id of the folder, or <s>");
    v.choice("framing", framing, "own|tokenizer",
             "special tokens around a text: own, <s> and </s> if the tokenizer adds none; or only those that "
             "the tokenizer adds, which is the default for a model from a folder");
    v.flag("pair_segments", pair_segments,
           "the two texts of a pair have different segments (token_type_ids); a model from a folder: if its "
           "model_input_names contain them");
    v.integer("padding_token", padding_token, -1, 1e9,
              "id of the padding token, which a decoder that classifies ignores at the end of a text; -1: "
              "pad_token_id of the folder, or none");
    v.text("mask_token", mask_token,
           "name of the mask token; a model from a folder: that of its tokenizer_config.json [[MASK] or "
           "<mask>]");
    v.integer("batch_size", batch_size, 1, 1e6, "samples per step, over all its micro-batches");
    v.integer("tokens_per_step", tokens_per_step, 0, 1e9,
              "fill a step with samples up to this many tokens; 0: use batch_size instead");
    v.number("mask_rate", mask_rate, 0.001, 0.999, "fraction of tokens to mask, for masked language models");
    v.number("label_smoothing", label_smoothing, 0, 0.999, "label smoothing of the training loss; 0: none");
    v.flag("recompute", recompute,
           "gradient checkpointing: recompute activations in the backward pass; less memory, more time");
  }
};

struct TextTask {
  Blueprint blueprint;
  DataSettings data;
  uint64_t seed = 0;  // of masking and of random initialization
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> labels;  // label names; empty if the head has no labels

  bool on_streams() const;  // trains on windows over a text, not on examples
  bool is_encoder_decoder() const { return blueprint.kind == ModelKind::encoder_decoder; }
  bool has_labels() const {
    return blueprint.head.kind == HeadKind::sequence_class || blueprint.head.kind == HeadKind::token_class;
  }
  bool on_pairs() const { return is_encoder_decoder() && blueprint.head.kind == HeadKind::next_token; }
  int32_t start_token() const;  // of a decoder's output; throws if the model folder names none
  size_t longest() const;       // tokens to which a text is truncated; no limit without data.truncate
};

}  // namespace locus
