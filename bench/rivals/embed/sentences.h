// The Locus job of this workload: embeds all lines of sentences.txt.
#pragma once

#include <fstream>
#include <memory>

#include "bench/rivals/contender.h"
#include "locus/apply/embedder.h"

namespace locus::bench {

inline int serve_sentences(int argc, char** argv, DType weights) {
  return serve(argc, argv, [weights](const Inputs& in) {
    const auto embedder = std::make_shared<Embedder>(in.folder / "model", weights);
    std::vector<std::string> texts;
    std::ifstream file(in.folder / "sentences.txt");
    for (std::string line; std::getline(file, line);) texts.push_back(line);
    return [=] { return embedder->embed(texts, {.truncate = true}); };
  });
}

}  // namespace locus::bench
