#include "locus/checkpoint/sentence_modules.h"

#include <algorithm>

#include "locus/base/file.h"

namespace locus {

SentenceModules read_sentence_modules(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kModulesFile;
  const std::string text = read_file(file, 1 << 20);
  const json::Document list(text, fmt::format("'{}'", file.string()));  // valid alone, not only as a member
  SentenceModules modules = {Config("{\"modules\": " + list.root().print() + "}", file), {}};
  const Config& config = modules.file;
  if (!config.is_list("modules")) config.refuse("modules", "expected a list");
  for (int64_t i = 0; i < config.count("modules"); ++i) {
    const std::string type_place = fmt::format("modules.{}.type", i), type = config.text(type_place),
                      path_place = fmt::format("modules.{}.path", i);
    const std::filesystem::path path = config.text(path_place, "");
    const bool inside = path.is_relative() && std::ranges::count(path, "..") == 0;
    if (!inside) config.refuse(path_place, "expected a folder inside this one");
    modules.list.push_back({type.substr(type.rfind('.') + 1), type_place, path});
  }
  return modules;
}

}  // namespace locus
