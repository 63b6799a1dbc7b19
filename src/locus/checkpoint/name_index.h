// Finds the tensors of a header by name: sorted by the names' hashes, equal hashes by the names. A sorted
// table instead of a hash map, so that names chosen to collide cost a comparison each and not a chain; hashes
// before names, so that a million names with one beginning are sorted without touching them.
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
  NameIndex(const std::vector<TensorEntry>& tensors, const std::string& file);  // names must differ

  const TensorEntry* find(const std::vector<TensorEntry>& tensors, std::string_view name) const;

 private:
  struct Key {
    uint64_t hash;
    uint32_t index;
  };
  std::vector<Key> keys_;
};

}  // namespace locus
