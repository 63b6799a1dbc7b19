#include "locus/checkpoint/stored_type.h"

#include <algorithm>

namespace locus {
namespace {

constexpr StoredType kTypes[] = {
    {"BOOL", 8, DType::boolean},
    {"F4", 4, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"U8", 8, DType::u8},
    {"I8", 8, {}},
    {"F8_E5M2", 8, {}},
    {"F8_E4M3", 8, {}},
    {"F8_E8M0", 8, {}},
    {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},
    {"I16", 16, {}},
    {"U16", 16, {}},
    {"F16", 16, DType::f16},
    {"BF16", 16, DType::bf16},
    {"I32", 32, DType::i32},
    {"U32", 32, {}},
    {"F32", 32, DType::f32},
    {"C64", 64, {}},
    {"F64", 64, DType::f64},
    {"I64", 64, DType::i64},
    {"U64", 64, {}},
};

}  // namespace

std::span<const StoredType> stored_types() { return kTypes; }

const StoredType* find_stored_type(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &StoredType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

const StoredType& stored_type_of(DType dtype) {
  return *std::ranges::find(kTypes, std::optional(dtype), &StoredType::dtype);
}

}  // namespace locus
