// Finds the tensors of a header by name, in a table sorted by the hash of the name, then by the name. It is
// not a hash map, so that names chosen to collide cost only a comparison each. It sorts by hash first, so
// that a million names with a common prefix are sorted without reading them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct TensorEntry;

class NameIndex {
 public:
  NameIndex() = default;
  NameIndex(const std::vector<TensorEntry>& tensors,
            const std::string& file);  // duplicate names are an error

  const TensorEntry* find(const std::vector<TensorEntry>& tensors, std::string_view name) const;

 private:
  struct Key {
    uint64_t hash;
    uint32_t index;
  };
  std::vector<Key> keys_;
};

}  // namespace locus
