#include "locus/cli/tokenizer_argument.h"

#include <filesystem>

#include "locus/base/error.h"
#include "locus/base/folder.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"

namespace locus::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBytes = "bytes";
constexpr std::string_view kRanks = ".tiktoken";

bool is_tokenizer(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_directory(path, unreadable) ||
         (path.extension() == kRanks && fs::is_regular_file(path, unreadable));
}

bool has_space(std::string_view word) { return word.find_first_of(" \t\r\n") != std::string_view::npos; }

// A path with an existing folder before its last name.
bool is_in_folder(const std::string& word) {
  const fs::path path = word;
  return !path.parent_path().empty() && path.has_filename() && is_folder(path.parent_path());
}

// "did you mean 'models/gpt2'?", from the names next to the missing one, or an empty text.
std::string similar_to(const fs::path& missing) {
  const fs::path place = missing.parent_path();
  std::vector<std::string> names = {kBytes};
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(place.empty() ? "." : place, unreadable)) {
    if (is_tokenizer(entry.path())) names.push_back((place / entry.path().filename()).string());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return did_you_mean(missing.string(), candidates);
}

}  // namespace

std::string take_tokenizer(std::vector<std::string>& words, Words kind) {
  if (words.empty()) return kBytes;
  const std::string first = words[0];
  const bool has_more = words.size() > 1;
  if (is_tokenizer(first) || (first == kBytes && has_more)) {
    words.erase(words.begin());
    return first;
  }
  if (kind == Words::ids || has_space(first) || !(has_more || is_in_folder(first))) return kBytes;
  const std::string similar = similar_to(first);
  const std::string hint = similar.empty() ? "to read it as a text, add --tokenizer bytes"
                                           : similar + " To read it as a text, add --tokenizer bytes";
  fail({Fault::io, Code::missing_file, hint},
       "tokenize: no such folder or {} file {}, expected a tokenizer before the texts", kRanks, quote(first));
}

}  // namespace locus::cli
