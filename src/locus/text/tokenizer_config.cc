#include "locus/text/tokenizer_config.h"

#include "locus/base/file.h"
#include "locus/base/paths.h"

namespace locus {

std::string tokenizer_config_text(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kTokenizerConfigFile;
  return is_there(file) ? read_file(file, 64 << 20) : "{}";
}

}  // namespace locus
