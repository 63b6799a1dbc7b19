// A run as its configuration says it: the model, the data, the steps.
//   [model]          the fields of a Blueprint; vocabulary and labels come from the data when they are not
//   given [model.scheme]   name, and the options of that scheme [data]           files, tokenizer, windows
//   and batches [train]          the fields of TrainSettings
// What is predicted follows from the model: a decoder's next token, hidden tokens, a translation
// (encoder-decoder), a label.
#pragma once

#include <memory>

#include "locus/base/settings.h"
#include "locus/nn/blueprint.h"
#include "locus/text/tokenizer.h"
#include "locus/train/batches.h"
#include "locus/train/trainer.h"

namespace locus {

struct DataSettings {
  std::string train, validation;  // files; relative ones are seen from the folder of the configuration
  double validation_part = 0;     // without a file for it: this part of the training file, its end
  std::string tokenizer = "bytes";
  int64_t context = 64, stride = 0;
  int64_t batch = 8, tokens_per_step = 0;
  double mask_rate = 0.15, smoothing = 0;
  bool recompute = false;

  template <class V>
  void fields(V& v) {
    v.text("train", train, "what to train on: a text, a token file, or the .tsv or .jsonl of a task");
    v.text("validation", validation, "what to validate on, of the same kind");
    v.number("validation_part", validation_part, 0, 0.9,
             "without such a file: this part of the other one, its end");
    v.text("tokenizer", tokenizer, "a tokenizer's folder, or bytes");
    v.integer("context", context, 1, 1e7, "tokens in a window of a text");
    v.integer("stride", stride, 0, 1e7, "tokens from one window to the next; 0: the context");
    v.integer("batch", batch, 1, 1e6, "samples in a step");
    v.integer("tokens_per_step", tokens_per_step, 0, 1e9,
              "instead of a number of samples: as many as fit; 0: not");
    v.number("mask_rate", mask_rate, 0.001, 0.999, "of tokens that are hidden");
    v.number("smoothing", smoothing, 0, 0.999, "of the targets in training");
    v.flag("recompute", recompute, "layers keep their input alone: less memory, more time");
  }
};

struct RunPlan {
  Settings config;  // every setting with its value, defaults included
  Blueprint blueprint;
  DataSettings data;
  TrainSettings train;
  std::unique_ptr<Tokenizer> tokenizer;
  std::vector<std::string> labels;                // their names, of a classifier
  std::unique_ptr<Samples> training, validation;  // validation may be absent
};

// Reads the files the settings name. Everything that is wrong with the settings comes in one error.
RunPlan plan_run(const Settings& settings, const std::filesystem::path& folder);

// The samples of one more file for a model that was planned: what it is evaluated on.
std::unique_ptr<Samples> samples_of(const RunPlan& plan, const std::filesystem::path& file);

}  // namespace locus
