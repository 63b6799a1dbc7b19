// Any bytes as the files of a tokenizer's folder: throws an Error, or encodes its own text. Each file begins
// with a line, its name and its size.
// Seeds of folders: text
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/text/tokenizer.h"
#include "tests/fuzz/encoded.h"
#include "tests/fuzz/scratch.h"

namespace {

constexpr std::array<std::string_view, 19> kNames = {"added_tokens.json",
                                                     "config.json",
                                                     "encoder.json",
                                                     "merges.txt",
                                                     "ranks.tiktoken",
                                                     "sentencepiece.bpe.model",
                                                     "source.spm",
                                                     "special_tokens_map.json",
                                                     "spiece.model",
                                                     "spm.model",
                                                     "target.spm",
                                                     "tokenizer.json",
                                                     "tokenizer.model",
                                                     "tokenizer_config.json",
                                                     "generation_config.json",
                                                     "vocab.bpe",
                                                     "vocab.json",
                                                     "vocab.txt",
                                                     "vocabulary.json"};

void put_files(const Scratch& folder, std::string_view bytes) {
  for (const std::string_view name : kNames) std::filesystem::remove(folder / name);
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const size_t space = std::min(line.find(' '), line.size());
    const auto size = locus::parse<uint64_t>(line.substr(std::min(space + 1, line.size()))).value_or(0);
    const std::string_view content = bytes.substr(0, size);
    bytes.remove_prefix(content.size());
    const std::string_view name = line.substr(0, space);
    if (std::ranges::count(kNames, name) > 0) put(folder / name, content);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Scratch folder;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  put_files(folder, bytes);
  try {
    check_encoding(*locus::load_tokenizer(folder.path()), bytes);
  } catch (const locus::Error&) {
  }
  return 0;
}
