// The Locus job of every tokenizer workload: encodes all lines of corpus.txt with the tokenizer in a folder.
#pragma once

#include <algorithm>
#include <fstream>
#include <memory>

#include "bench/rivals/contender.h"
#include "locus/text/encode_all.h"

namespace locus::bench {

inline int serve_tokens(int argc, char** argv) {
  return serve(argc, argv, [](const Inputs& in) {
    const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(in.folder / "vocabulary");
    std::vector<std::string> lines;
    std::ifstream file(in.folder / "corpus.txt");
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return [=] {
      const std::vector<std::vector<int32_t>> ids = encode_all(*tokenizer, lines);
      int64_t count = 0;
      for (const std::vector<int32_t>& line : ids) count += static_cast<int64_t>(line.size());
      const Tensor all = Tensor::empty({count}, DType::i32);
      auto place = all.data<int32_t>().begin();
      for (const std::vector<int32_t>& line : ids) place = std::ranges::copy(line, place).out;
      return all;
    };
  });
}

}  // namespace locus::bench
