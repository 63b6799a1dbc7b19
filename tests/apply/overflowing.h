// A model whose numbers overflow for one text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "locus/checkpoint/safetensors.h"
#include "locus/text/tokenizer.h"
#include "tests/apply/expected.h"

namespace locus {

// A golden model with a token whose embedding overflows in sums. The token is in the second text only.
class Overflowing {
 public:
  Overflowing(const std::string& job, const std::vector<std::string>& texts) : folder_(job) {
    const auto tokenizer = load_tokenizer(folder_.path());
    const auto ids = [&](size_t i) { return tokenizer->encode(texts[i], Specials::are_tokens); };
    const auto has = [](const std::vector<int32_t>& list, int32_t id) {
      return std::ranges::count(list, id) > 0;
    };
    int32_t own = -1;
    for (const int32_t id : ids(1)) {
      bool shared = false;
      for (size_t i = 0; i < texts.size(); ++i) shared = shared || (i != 1 && has(ids(i), id));
      if (!shared) own = id;
    }
    EXPECT_GE(own, 0);
    std::vector<NamedTensor> tensors;
    const std::filesystem::path path = folder_ / "model.safetensors";
    {
      const SafetensorsFile file(path);
      for (const TensorEntry& entry : file.entries()) {
        tensors.emplace_back(entry.name, file.read(entry.name));
        if (!entry.name.ends_with("word_embeddings.weight") && entry.name != "model.shared.weight") continue;
        std::ranges::fill(tensors.back().second.rows(own, own + 1).data<float>(), 3e38f);
      }
    }
    write_safetensors(path, std::move(tensors));
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  CopyOf folder_;
};

}  // namespace locus
