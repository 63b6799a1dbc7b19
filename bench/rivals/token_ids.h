// The job of every workload that encodes text: all lines of corpus.txt by the tokenizer in a folder.
#pragma once

#include <fstream>
#include <memory>

#include "bench/rivals/contender.h"
#include "locus/text/batch.h"

namespace locus::bench {

inline int serve_tokens(int argc, char** argv) {
  return serve(argc, argv, [](const Inputs& in) {
    const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(in.folder / "vocabulary");
    std::vector<std::string> lines;
    std::ifstream file(in.folder / "corpus.txt");
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return [=] {
      std::vector<int32_t> all;
      for (const std::vector<int32_t>& ids : encode_all(*tokenizer, lines)) {
        all.insert(all.end(), ids.begin(), ids.end());
      }
      return Tensor::of({static_cast<int64_t>(all.size())}, std::span<const int32_t>(all));
    };
  });
}

}  // namespace locus::bench
