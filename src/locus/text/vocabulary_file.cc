#include "locus/text/vocabulary_file.h"

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/quote.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

std::vector<std::string> characters_of(const json::Document& json) {
  const json::Value value = json.member("characters");
  const auto list = value.list();
  if (!list) json.refuse("'characters'", value, "a list of strings");
  std::vector<std::string> characters;
  for (const json::Value item : *list) {
    const auto text = item.text();
    if (!text) {
      json.refuse(fmt::format("characters[{}]", characters.size()), item, "a string");
    }
    characters.emplace_back(*text);
  }
  return characters;
}

}  // namespace

VocabularyFile read_vocabulary_file(const std::filesystem::path& folder) {
  const json::Document json(folder / kVocabularyFile);
  VocabularyFile file = {.kind = json.text("kind")};
  if (file.kind == "characters") file.characters = characters_of(json);
  const json::Value value = json.member("specials");
  const auto specials = value.object();
  if (!specials) json.refuse("'specials'", value, "an object of names and ids");
  const auto ids = read_token_ids(json, *specials);
  file.specials = SpecialTokens({ids.begin(), ids.end()});
  return file;
}

void write_vocabulary_file(const std::filesystem::path& folder, const VocabularyFile& file) {
  json::Members specials, members = {{"kind", json::text(file.kind)}};
  for (const auto& [name, id] : file.specials.ids()) specials.emplace_back(name, json::number(int64_t{id}));
  if (file.kind == "characters") members.emplace_back("characters", json::texts(file.characters));
  members.emplace_back("specials", json::object(specials));
  make_folder(folder);
  write_file(folder / kVocabularyFile, json::lines(members));
}

}  // namespace locus
