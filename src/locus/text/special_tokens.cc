#include "locus/text/special_tokens.h"

#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/readable.h"

namespace locus {
namespace {

constexpr size_t kLongest = 256;

}  // namespace

SpecialTokens::SpecialTokens(std::map<std::string, int32_t> ids) : ids_(std::move(ids)) {
  for (const auto& [name, id] : ids_) {
    require(!name.empty() && name.size() <= kLongest,
            "special token {}: the name has {} bytes, expected 1 to {}", quote(name), name.size(), kLongest);
    require(is_utf8(name), "special token {}: the name is not UTF-8", quote(name));
    require(id >= 0, "special token {}: the id is {}, expected 0 or more", quote(name), id);
    const auto [other, fresh] = names_.emplace(id, name);
    require(fresh, "special tokens {} and {} have the same id {}, expected different ids",
            quote(other->second), quote(name), id);
    trie_.add(name, id);
  }
}

const std::string* SpecialTokens::name(int32_t id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? nullptr : &found->second;
}

SpecialTokens numbered_from(int32_t first, const std::vector<std::string>& names) {
  std::map<std::string, int32_t> ids;
  for (const std::string& name : names) {
    require(ids.emplace(name, first++).second, "duplicate special token {}, expected each name once",
            quote(name));
  }
  return SpecialTokens(std::move(ids));
}

}  // namespace locus
