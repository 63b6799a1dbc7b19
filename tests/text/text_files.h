// Files for tests of text: small ones made on the spot, and those that are looked for and may be absent.
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

// The Verdict and GPT-2's vocabulary: where LOCUS_DATA says, else beside the repository. Tests that need them
// skip when they are not there.
inline std::filesystem::path data_folder() {
  const char* given = std::getenv("LOCUS_DATA");
  return given != nullptr ? given : std::filesystem::path(LOCUS_GOLDEN) / "../../../shared/data";
}
inline bool has_data() { return std::filesystem::exists(data_folder() / "gpt2" / "vocab.bpe"); }
inline constexpr const char* kNoData = "no gpt2/vocab.bpe: LOCUS_DATA can name the folder it is in";

}  // namespace locus
