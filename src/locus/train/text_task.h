// What a model does with text: how files become samples for its head. What is predicted follows from the
// model:
//   next_token       the token that follows, in windows over a text; of an encoder-decoder, the target of a
//                    pair, given its source
//   masked_token     tokens hidden in windows over a text
//   sequence_class   the label of a text
//   token_class      the label of every word of a text
//   answer           where in a context the answer to a question stands
// To tell labels and answers, both parts of an encoder-decoder read the text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "locus/nn/blueprint.h"
#include "locus/text/token_stream.h"
#include "locus/text/tokenizer.h"
#include "locus/train/samples.h"

namespace locus {

struct DataSettings {
  std::string train, validation;
  double validation_split = 0;
  std::string tokenizer = "bytes";
  int64_t context = 64, stride = 0;
  bool truncate = false;
  int64_t start_token = -1;
  int64_t batch_size = 8, tokens_per_step = 0;
  double mask_rate = 0.15, label_smoothing = 0;
  bool recompute = false;

  template <class V>
  void fields(V& v) {
    v.text("train", train, "what to train on: a text, a token file, or the .tsv or .jsonl of a task");
    v.text("validation", validation, "what to validate on, of the same kind");
    v.number("validation_split", validation_split, 0, 0.9,
             "without such a file: this part of the other one, its end");
    v.text("tokenizer", tokenizer, "a tokenizer's folder, or bytes");
    v.integer("context", context, 1, 1e7,
              "tokens in a window of a text, and at most in an example of a task");
    v.integer("stride", stride, 0, 1e7, "tokens from one window to the next; 0: the context");
    v.flag("truncate", truncate, "examples that are longer are cut; otherwise they are refused");
    v.integer(
        "start_token", start_token, -1, 1e9,
        "the id before what an encoder-decoder writes; -1: the folder's decoder_start_token_id, or <s>");
    v.integer("batch_size", batch_size, 1, 1e6, "samples in a step");
    v.integer("tokens_per_step", tokens_per_step, 0, 1e9,
              "instead of a number of samples: as many as fit; 0: not");
    v.number("mask_rate", mask_rate, 0.001, 0.999, "of tokens that are hidden");
    v.number("label_smoothing", label_smoothing, 0, 0.999, "of the targets in training");
    v.flag("recompute", recompute, "layers keep their input alone: less memory, more time");
  }
};

struct TextTask {
  Blueprint blueprint;
  DataSettings data;
  uint64_t seed = 0;      // of what is hidden
  bool from_hub = false;  // its vocabulary alone says what stands around a text
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> labels;  // their names, of a classifier

  bool on_streams() const;  // windows over a text, not examples
  bool in_two_parts() const { return blueprint.kind == ModelKind::encoder_decoder; }
  bool on_pairs() const { return in_two_parts() && blueprint.head == HeadKind::next_token; }
  size_t longest() const;  // tokens of a text, past which it is cut
};

// The names of the labels in a file; none for a head without labels.
std::vector<std::string> label_names(HeadKind head, const std::filesystem::path& file);

// The windows of a stream, for a task on streams.
std::unique_ptr<Samples> window_samples(const TextTask& task, std::shared_ptr<const TokenStream> stream);
// The examples of a file, for the others.
std::vector<Sample> example_samples(const TextTask& task, const std::filesystem::path& file);
// Either.
std::unique_ptr<Samples> samples_of(const TextTask& task, const std::filesystem::path& file);

}  // namespace locus
