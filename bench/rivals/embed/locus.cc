#include <fstream>
#include <memory>

#include "bench/rivals/contender.h"
#include "locus/apply/embedder.h"

int main(int argc, char** argv) {
  return locus::bench::serve(argc, argv, [](const locus::bench::Inputs& in) {
    const auto embedder = std::make_shared<locus::Embedder>(in.folder / "model");
    std::vector<std::string> texts;
    std::ifstream file(in.folder / "sentences.txt");
    for (std::string line; std::getline(file, line);) texts.push_back(line);
    return [=] { return embedder->embed(texts, {.truncate = true}); };
  });
}
