#include "locus/checkpoint/name_index.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/safetensors_header.h"

namespace locus {

NameIndex::NameIndex(const std::vector<TensorEntry>& tensors, const std::string& file) {
  keys_.reserve(tensors.size());
  for (const TensorEntry& tensor : tensors)
    keys_.push_back({std::hash<std::string_view>()(tensor.name), static_cast<uint32_t>(keys_.size())});
  const auto name = [&](const Key& key) -> const std::string& { return tensors[key.index].name; };
  std::ranges::sort(keys_, [&](const Key& left, const Key& right) {
    return left.hash != right.hash ? left.hash < right.hash : name(left) < name(right);
  });
  const auto twice = std::ranges::adjacent_find(keys_, [&](const Key& left, const Key& right) {
    return left.hash == right.hash && name(left) == name(right);
  });
  if (twice != keys_.end())
    fail({Fault::data, Code::damaged_file}, "'{}': tensor {} occurs twice in the header, expected once", file,
         quote(name(*twice)));
}

const TensorEntry* NameIndex::find(const std::vector<TensorEntry>& tensors, std::string_view name) const {
  const auto order = [&](const Key& key) {
    return std::pair<uint64_t, std::string_view>(key.hash, tensors[key.index].name);
  };
  const std::pair wanted(static_cast<uint64_t>(std::hash<std::string_view>()(name)), name);
  const auto at = std::ranges::lower_bound(keys_, wanted, {}, order);
  return at != keys_.end() && order(*at) == wanted ? &tensors[at->index] : nullptr;
}

}  // namespace locus
