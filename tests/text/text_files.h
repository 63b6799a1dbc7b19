// Files for tests of text: golden files, and optional data files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "locus/base/file.h"
#include "tests/temporary_folder.h"

namespace locus {

inline std::filesystem::path golden_text(const std::string& name) {
  return std::filesystem::path(LOCUS_GOLDEN) / "text" / name;
}

// The Verdict and the vocabulary of GPT-2, in the folder LOCUS_DATA or next to the repository. Tests that
// need them are skipped if they are missing.
inline std::filesystem::path data_folder() {
  const char* given = std::getenv("LOCUS_DATA");
  return given != nullptr ? given : std::filesystem::path(LOCUS_GOLDEN) / "../../../shared/data";
}
inline bool has_data() { return std::filesystem::exists(data_folder() / "gpt2" / "vocab.bpe"); }
inline constexpr const char* kNoData = "gpt2/vocab.bpe not found: set LOCUS_DATA to its folder";

}  // namespace locus
