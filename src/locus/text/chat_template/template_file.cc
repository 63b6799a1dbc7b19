// Reads the chat template of a model folder.
#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json_part.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/text/chat_template/chat_template.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

constexpr const char* kTemplateFile = "chat_template.jinja";
constexpr size_t kMostBytes = size_t{1} << 20;

// bos_token and the others: a text, or an object whose content is the text.
std::vector<std::pair<std::string, std::string>> special_names(const JsonPart& config) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const char* name :
       {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}) {
    if (!config.has(name)) continue;
    const bool text = config.member(name).is_text();
    names.emplace_back(name, text ? config.text(name) : config.part(name).text("content"));
  }
  return names;
}

// The template with this name of a list of {"name", "template"}; empty if there is none.
std::string named_template(const JsonPart& config, std::string_view name) {
  for (const JsonPart& part : config.parts("chat_template")) {
    if (part.text("name") == name) return part.text("template");
  }
  return "";
}

}  // namespace

ChatTemplate load_chat_template(const std::filesystem::path& folder) {
  const json::Document document(tokenizer_config_text(folder),
                                fmt::format("'{}'", (folder / kTokenizerConfigFile).string()));
  const JsonPart config(document, "tokenizer_config");
  const std::filesystem::path file = folder / kTemplateFile;
  const std::string where = fmt::format("chat template of '{}'", folder.string());
  if (is_there(file)) return {read_file(file, kMostBytes), where, special_names(config)};
  require(
      config.has("chat_template"), Code::missing_file,
      "'{}' has no chat template: expected chat_template.jinja, or 'chat_template' in tokenizer_config.json",
      folder.string());
  if (config.member("chat_template").is_text())
    return {config.text("chat_template"), where, special_names(config)};
  const std::string preset = named_template(config, "default");
  require(!preset.empty(), Code::unsupported_field, "{}: 'chat_template' has no template named 'default'",
          config.json().where());
  return {preset, where, special_names(config), named_template(config, "tool_use")};
}

}  // namespace locus
