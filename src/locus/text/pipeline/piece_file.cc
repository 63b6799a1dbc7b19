// Reads a SentencePiece model that is the whole vocabulary of a folder.
#include <fmt/ranges.h>

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/piece_class.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_class(const fs::path& file, const std::string& found) {
  std::vector<std::string_view> names;
  for (const PieceClass& known : piece_classes()) names.push_back(known.name);
  fail({Fault::data, Code::unsupported_field,
        "for other classes, write a tokenizer.json with transformers: "
        "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"},
       "'{}': {}, expected one of {}", file.string(), found, fmt::join(names, ", "));
}

const PieceClass& class_of_folder(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const json::Document tokenizer = read_tokenizer_config(folder),
                       model = read_optional_json(folder / "config.json");
  const JsonPart config(model, "config");
  std::string name = JsonPart(tokenizer, "tokenizer_config").text("tokenizer_class", "");
  if (name.empty()) name = config.text("tokenizer_class", "");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  const std::string type = config.text("model_type", "");
  for (const PieceClass& known : piece_classes()) {
    const bool of_type = !type.empty() && std::ranges::count(known.model_types, type) > 0;
    if (name.empty() ? of_type : known.name == name) return known;
  }
  if (!name.empty()) refuse_class(file, fmt::format("tokenizer_class is {}", quote(name)));
  refuse_class(file, fmt::format("{} and config.json have no tokenizer_class, and model_type is {}",
                                 kTokenizerConfigFile, quote(type)));
}

// Files that can be opened without config.json: tokenizer_config.json names the class.
std::vector<std::pair<std::string, std::string>> files_with(const fs::path& file, std::string bytes,
                                                            const PieceClass& type,
                                                            const json::Document& config) {
  json::Members members = {{"tokenizer_class", json::text(type.name)}};
  for (const auto [name, value] : config.object()) {
    if (name != "tokenizer_class") members.emplace_back(name, value.print());
  }
  std::vector<std::pair<std::string, std::string>> files = {{file.filename(), std::move(bytes)},
                                                            {kTokenizerConfigFile, json::lines(members)}};
  for (const char* name : {kTokenMapFile, kAddedTokensFile}) {
    const fs::path beside = file.parent_path() / name;
    if (is_there(beside)) files.emplace_back(name, read_file(beside));
  }
  return files;
}

}  // namespace

fs::path piece_file_in(const fs::path& folder) {
  for (const char* name : kPieceFiles) {
    if (is_there(folder / name)) return folder / name;
  }
  return {};
}

PipelineParts read_piece_file(const fs::path& file) {
  const PieceClass& type = class_of_folder(file);
  const FolderTokens tokens(file.parent_path(), type.roles);
  std::string bytes = read_file(file);
  PipelineParts parts = read_pieces(bytes, fmt::format("'{}'", file.string()), type, tokens);
  parts.files = files_with(file, std::move(bytes), type, tokens.config().json());
  return parts;
}

}  // namespace locus
