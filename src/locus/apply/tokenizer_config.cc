#include "locus/apply/tokenizer_config.h"

#include "locus/base/file.h"
#include "locus/base/paths.h"

namespace locus {

Config read_tokenizer_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer_config.json";
  if (!is_there(file)) return {"{}", file};
  std::string text = read_file(file, 64 << 20);
  constexpr std::string_view kField = "\"model_max_length\"";
  constexpr size_t kDigits = 18;  // of whole numbers that every reader takes
  const size_t field = text.find(kField);
  const size_t begin =
      text.find_first_not_of(" \t\r\n:", field == std::string::npos ? field : field + kField.size());
  if (begin != std::string::npos) {
    const size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    if (end - begin > kDigits) text.replace(begin, end - begin, "1e30");
  }
  return {text, file};
}

}  // namespace locus
