// What all cells of a study share: the model, the training, and the lengths of the test texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locus/base/fields.h"
#include "locus/nn/blueprint.h"
#include "locus/study/task.h"

namespace locus::study {

struct Conditions {
  int64_t length = 64;  // tokens of a training text
  std::string lengths;  // empty: 1, 2, 4 and 8 times the trained length
  int64_t steps = 350;
  int64_t batch_size = 16;  // sequences in a step
  double learning_rate = 1.2e-2;
  int64_t width = 64, layers = 2, heads = 4, hidden = 128;
  // Balances token embeddings with the position rows that some schemes add to them.
  double embedding_scale = 1.5;
  int64_t test_tokens = 8192;   // per length
  Device device = Device::cpu;  // no field: every device gives the same results up to rounding

  template <class F>
  void fields(F& f) {
    f.integer("length", length, 2, 1 << 20, "trained length: tokens of a training text");
    f.text("lengths", lengths,
           "test lengths in tokens, comma-separated; the trained length is always tested; "
           "empty: 1, 2, 4 and 8 times the trained length");
    f.integer("steps", steps, 1, 1e9, "training steps per model");
    f.integer("batch_size", batch_size, 1, 1 << 16, "texts per training step");
    f.number("learning_rate", learning_rate, 0, 10, "peak learning rate");
    f.integer("width", width, 1, 1 << 14, "hidden size");
    f.integer("layers", layers, 1, 1000, "transformer layers");
    f.integer("heads", heads, 1, 1000, "attention heads");
    f.integer("hidden", hidden, 1, 1 << 16, "hidden size of the feed-forward network");
    f.number("embedding_scale", embedding_scale, 0, 1000, "factor on token embeddings");
    f.integer("test_tokens", test_tokens, 1, 1e9, "test tokens per length");
  }

  // Sorted, with the trained length. Throws on a bad list, and if all of the list is shorter than the trained
  // length.
  std::vector<int64_t> test_lengths() const;
};

// The model of a cell: all cells of a task differ in the scheme alone, which is the word of a SchemeChoice.
// Options of the scheme that its paper chooses by the trained length follow from conditions.length. The
// options of the word override them, and `options` override both.
Blueprint blueprint(const Conditions& conditions, const Task& task, std::string_view scheme,
                    const OptionValues& options = {});

}  // namespace locus::study
