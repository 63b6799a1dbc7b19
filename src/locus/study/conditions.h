// What a study holds equal for all its cells: the model, the training, the lengths it is tested at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locus/base/fields.h"
#include "locus/nn/blueprint.h"
#include "locus/study/task.h"

namespace locus::study {

struct Conditions {
  int64_t length = 64;  // trained at
  std::string lengths = "64, 128, 256, 512";
  int64_t steps = 350;
  int64_t batch_size = 16;  // sequences in a step
  double learning_rate = 6e-3;
  int64_t width = 64, layers = 2, heads = 4, hidden = 128;
  // Token rows against the rows of schemes that add some: neither drowns the other.
  double embedding_scale = 1.5;
  int64_t test_tokens = 8192;  // at every length

  template <class F>
  void fields(F& f) {
    f.integer("length", length, 2, 1 << 20, "tokens of a training text");
    f.text("lengths", lengths, "tokens of the texts it is tested on, beside the trained length");
    f.integer("steps", steps, 1, 1e9, "training steps of every cell");
    f.integer("batch_size", batch_size, 1, 1 << 16, "texts in a step");
    f.number("learning_rate", learning_rate, 0, 10, "the largest learning rate");
    f.integer("width", width, 1, 1 << 14, "of the model");
    f.integer("layers", layers, 1, 1000, "of the model");
    f.integer("heads", heads, 1, 1000, "of the model");
    f.integer("hidden", hidden, 1, 1 << 16, "inside feed-forward");
    f.number("embedding_scale", embedding_scale, 0, 1000, "on token rows, which start small");
    f.integer("test_tokens", test_tokens, 1, 1e9, "tested at every length");
  }

  std::vector<int64_t> test_lengths() const;  // rising, the trained one among them; a bad list is refused
};

// The model of a cell: the same for every scheme but for the scheme.
Blueprint blueprint(const Conditions& conditions, const Task& task, std::string_view scheme,
                    const OptionValues& options = {});

}  // namespace locus::study
