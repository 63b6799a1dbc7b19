// The element types of the safetensors format. All of them make a valid file; those with a dtype can be read.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "locus/base/dtype.h"

namespace locus {

struct StoredType {
  std::string_view name;  // as in the file
  int bits;               // of one element; the small float formats are packed
  std::optional<DType> dtype;
};

// Ordered by alignment, smallest first, as in the reference writer of the format.
std::span<const StoredType> stored_types();
const StoredType* find_stored_type(std::string_view name);  // nullptr: the format has no such type
const StoredType& stored_type_of(DType dtype);

}  // namespace locus
