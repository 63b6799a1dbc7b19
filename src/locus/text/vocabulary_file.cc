#include "locus/text/vocabulary_file.h"

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/text/json_text.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

std::vector<std::string> characters_of(const JsonText& json) {
  const simdjson::dom::element value = json.member("characters");
  simdjson::dom::array list;
  if (value.get_array().get(list)) json.refuse("'characters'", value, "a list of strings");
  std::vector<std::string> characters;
  for (const simdjson::dom::element item : list) {
    std::string_view text;
    if (item.get_string().get(text)) {
      json.refuse(fmt::format("characters[{}]", characters.size()), item, "a string");
    }
    characters.emplace_back(text);
  }
  return characters;
}

}  // namespace

VocabularyFile read_vocabulary_file(const std::filesystem::path& folder) {
  const JsonText json(folder / kVocabularyFile);
  VocabularyFile file = {.kind = json.text("kind")};
  if (file.kind == "characters") file.characters = characters_of(json);
  const simdjson::dom::element value = json.member("specials");
  simdjson::dom::object specials;
  if (value.get_object().get(specials)) json.refuse("'specials'", value, "an object of names and ids");
  const auto ids = read_token_ids(json, specials);
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
