// Position ids and masks as callers have them, read once into numbers that can be trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/tensor/tensor.h"

namespace locus {

// One byte, 0 or 1, for each element of a mask [B, T] of any dtype. Other values are refused; `what` is who
// asks, for the error.
std::vector<uint8_t> read_mask(std::string_view what, const Tensor& mask);

// The ids of a tensor [B, T], each in [0, table_length); no table length: any position. Where `real` is given
// and 0, the id is not looked at and 0 stands for it.
std::vector<int32_t> read_position_ids(std::string_view what, const Tensor& ids,
                                       std::span<const uint8_t> real, std::optional<int64_t> table_length);

}  // namespace locus
