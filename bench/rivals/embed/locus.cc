#include <fstream>
#include <memory>

#include "bench/rivals/contender.h"
#include "locus/apply/embedder.h"

int main(int argc, char** argv) {
  return locus::bench::serve(argc, argv, [](const std::filesystem::path& folder) {
    const auto embedder = std::make_shared<locus::Embedder>(folder / "model");
    std::vector<std::string> texts;
    std::ifstream file(folder / "sentences.txt");
    for (std::string line; std::getline(file, line);) texts.push_back(line);
    return [=] { return embedder->embed(texts, {.truncate = true}); };
  });
}
