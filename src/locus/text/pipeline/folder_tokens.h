// The added and special tokens of a folder without tokenizer.json, read like transformers does: from
// tokenizer_config.json, and from special_tokens_map.json and added_tokens.json unless the first file has
// "added_tokens_decoder".
#pragma once

#include <array>
#include <filesystem>
#include <optional>

#include "locus/text/pipeline/pipeline_files.h"

namespace locus {

inline constexpr const char* kTokenMapFile = "special_tokens_map.json";
inline constexpr const char* kAddedTokensFile = "added_tokens.json";

// bos_token, eos_token, unk_token, sep_token, pad_token, cls_token, mask_token
enum class TokenRole { begin, end, unknown, separator, pad, whole, mask };

// The default tokens of a tokenizer class, in the order of TokenRole; "": none.
struct RolePresets {
  std::array<const char*, 7> names;
  bool mask_takes_blank = false;  // the mask token includes the space before it
};

AddedToken special_token(std::string content);

class FolderTokens {
 public:
  FolderTokens(const std::filesystem::path& folder, const RolePresets& presets);
  FolderTokens(const FolderTokens&) = delete;
  FolderTokens& operator=(const FolderTokens&) = delete;

  const JsonPart& config() const { return config_; }  // tokenizer_config.json
  const std::string& name(TokenRole role) const { return roles_[static_cast<size_t>(role)].content; }
  // All tokens that are matched as a whole: those that the folder adds, those with a role, and `pieces`
  // unless the folder lists other tokens instead. Their ids are those of the vocabulary, or follow it.
  std::vector<AddedToken> added(const std::vector<AddedToken>& pieces,
                                const std::vector<std::string>& vocabulary) const;

 private:
  json::Document json_;
  JsonPart config_;
  std::array<AddedToken, 7> roles_;
  std::vector<AddedToken> added_;
  std::optional<std::vector<AddedToken>> listed_;
};

}  // namespace locus
