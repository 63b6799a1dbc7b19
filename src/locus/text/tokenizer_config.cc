#include "locus/text/tokenizer_config.h"

#include <algorithm>

#include "locus/base/file.h"
#include "locus/base/paths.h"

namespace locus {

std::string tokenizer_config_text(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kTokenizerConfigFile;
  if (!is_there(file)) return "{}";
  std::string text = read_file(file, 64 << 20);
  constexpr std::string_view kField = "\"model_max_length\"";
  constexpr size_t kDigits = 18;  // integers with this many digits fit into 64 bits
  const size_t field = text.find(kField);
  const size_t begin =
      text.find_first_not_of(" \t\r\n:", field == std::string::npos ? field : field + kField.size());
  if (begin != std::string::npos) {
    const size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    if (end - begin > kDigits) text.replace(begin, end - begin, "1e30");
  }
  return text;
}

}  // namespace locus
