// Reads and checks the position ids and masks of callers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/tensor/tensor.h"

namespace locus {

// One byte, 0 or 1, for each element of a mask [B, T] of any dtype; other values are an error. `what` names
// the calling function in errors.
std::vector<uint8_t> read_mask(std::string_view what, const Tensor& mask);

// The ids of a tensor [B, T], each in [0, table_length); without a table length every position is valid. An
// id whose entry in `real` is 0 is ignored and read as 0; an empty `real` means that all tokens are real.
std::vector<int32_t> read_position_ids(std::string_view what, const Tensor& ids,
                                       std::span<const uint8_t> real, std::optional<int64_t> table_length);

}  // namespace locus
