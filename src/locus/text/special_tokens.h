// Tokens that stand for no text: the end of a document, a mask. Their names in a text mean them only when the
// caller asks for it; otherwise they are letters like all others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace locus {

class SpecialTokens {
 public:
  SpecialTokens() = default;
  // Names and ids; a name is UTF-8 of 1 to 256 bytes, an id is not negative, and no id has two names.
  explicit SpecialTokens(std::map<std::string, int32_t> ids);

  const std::map<std::string, int32_t>& ids() const { return ids_; }
  const std::string* name(int32_t id) const;  // nullptr: not a special token

  struct Match {
    size_t length = 0;  // 0: none begins here
    int32_t id = -1;
  };
  // The longest name that begins at `offset`; at most 256 steps, however many names there are.
  Match match(std::string_view text, size_t offset) const;

 private:
  std::map<std::string, int32_t> ids_;
  std::unordered_map<int32_t, std::string> names_;
  // A trie of the names: (node, byte) leads to a node, and some nodes end a name. Node 0 is the root.
  std::unordered_map<uint64_t, uint32_t> steps_;
  std::vector<int32_t> ends_ = {-1};
};

// The names in this order, with ids from `first` on.
SpecialTokens numbered_from(int32_t first, const std::vector<std::string>& names);

}  // namespace locus
