#include "locus/text/pipeline/folder_tokens.h"

#include <algorithm>
#include <limits>

#include "locus/base/error.h"
#include "locus/base/options.h"
#include "locus/base/parse.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr std::array kRoleNames = {"bos_token", "eos_token", "unk_token", "sep_token",
                                   "pad_token", "cls_token", "mask_token"};

// "<s>", or an object with its properties.
AddedToken read_token(const JsonPart& part, const std::string& name, json::Value value) {
  if (const auto content = value.text()) return special_token(std::string(*content));
  return read_added_token({part.json(), part.place() + "." + name, value});
}

// Returns nothing if the folder has no such list.
std::optional<std::vector<AddedToken>> read_listed(const JsonPart& config) {
  std::optional<std::vector<AddedToken>> tokens;
  for (const char* name : {"extra_special_tokens", "additional_special_tokens"}) {
    if (!config.json().object().find(name)) continue;
    if (!tokens) tokens.emplace();
    if (!tokens->empty() || !config.has(name)) continue;
    const auto list = config.member(name).list();
    if (!list) config.refuse(name, "a list of tokens");
    for (const json::Value value : *list) tokens->push_back(read_token(config, name, value));
  }
  return tokens;
}

// {"0": {"content": "[PAD]", ..}, ..}
std::vector<AddedToken> read_decoder_tokens(const JsonPart& config) {
  constexpr const char* kName = "added_tokens_decoder";
  const auto object = config.member(kName).object();
  if (!object) config.refuse(kName, "an object");
  std::vector<AddedToken> tokens;
  for (const auto [key, value] : *object) {
    const std::string place = fmt::format("{}.{}", kName, key);
    tokens.push_back(read_added_token({config.json(), config.place() + "." + place, value}));
    const int64_t id = parse<int64_t>(key).value_or(-1);
    if (id < 0 || id > std::numeric_limits<int32_t>::max())
      config.refuse(kName, "tokens with their ids as keys");
    tokens.back().id = static_cast<int32_t>(id);
  }
  return tokens;
}

// {"[MASK]": 128000, ..}
std::vector<AddedToken> read_added_file(const fs::path& folder, const std::vector<AddedToken>& special) {
  const json::Document json = read_optional_json(folder / kAddedTokensFile);
  std::vector<AddedToken> tokens;
  each_token_id(json, json.object(), [&](std::string_view content, int32_t id) {
    const bool known = std::ranges::count(special, content, &AddedToken::content) > 0;
    tokens.push_back({.content = std::string(content), .id = id, .special = known, .normalized = !known});
    return true;
  });
  return tokens;
}

}  // namespace

AddedToken special_token(std::string content) {
  return {.content = std::move(content), .special = true, .normalized = false};
}

FolderTokens::FolderTokens(const fs::path& folder, const RolePresets& presets)
    : json_(read_tokenizer_config(folder)),
      config_(json_, "tokenizer_config"),
      listed_(read_listed(config_)) {
  const bool complete = config_.has("added_tokens_decoder");
  const json::Document map_json =
      complete ? json::Document("{}", "") : read_optional_json(folder / kTokenMapFile);
  const JsonPart map(map_json, "special_tokens_map");
  std::vector<AddedToken> named = listed_.value_or(std::vector<AddedToken>());
  for (size_t i = 0; i < roles_.size(); ++i) {
    const char* name = kRoleNames[i];
    const JsonPart& part = map.has(name) ? map : config_;
    const bool given = part.has(name);
    roles_[i] = given ? read_token(part, name, part.member(name)) : special_token(presets.names[i]);
    if (given) named.push_back(roles_[i]);
    const bool as_object = given && !part.member(name).is_text();
    if (i == static_cast<size_t>(TokenRole::mask) && !as_object) roles_[i].left = presets.mask_takes_blank;
  }
  added_ = complete ? read_decoder_tokens(config_) : read_added_file(folder, named);
  std::ranges::stable_sort(added_, {}, &AddedToken::id);
}

std::vector<AddedToken> FolderTokens::added(const std::vector<AddedToken>& pieces,
                                            const std::vector<std::string>& vocabulary) const {
  TokenIds ids;
  int32_t next = 0;
  for (const std::string& token : vocabulary) ids.insert_or_assign(token, next++);
  std::vector<AddedToken> all;
  std::unordered_map<std::string, size_t> places;
  size_t fixed = 0;  // the first tokens are final; a later one replaces an earlier one with the same content
  const auto add = [&](AddedToken token) {
    if (token.content.empty()) return;  // no token has this role
    const auto [place, fresh] = places.emplace(token.content, all.size());
    if (!fresh && place->second < fixed) return;
    if (fresh) all.emplace_back();
    const auto found = ids.find(token.content);
    token.id = !fresh ? all[place->second].id : found == ids.end() ? next++ : found->second;
    token.special = token.special || std::ranges::count(roles_, token.content, &AddedToken::content) > 0;
    all[place->second] = std::move(token);
  };
  std::ranges::for_each(added_, add);
  fixed = all.size();
  std::ranges::for_each(roles_, add);
  std::ranges::for_each(listed_ ? *listed_ : pieces, add);
  return all;
}

}  // namespace locus
