// Checks that a header is consistent: unique names, sizes that match the shapes, no holes or overlaps.
#include <algorithm>
#include <span>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/safetensors_header.h"

namespace locus {
namespace {

std::string sizes_text(const TensorEntry& tensor) {
  constexpr size_t kShown = 16;
  const std::span shown = std::span(tensor.sizes).first(std::min(kShown, tensor.sizes.size()));
  return fmt::format("[{}{}]", fmt::join(shown, ", "), shown.size() < tensor.sizes.size() ? ", ..." : "");
}

void check_size(const TensorEntry& tensor, const std::string& file) {
  uint64_t bits = 1;
  bool wraps = false;
  for (const uint64_t size : tensor.sizes) wraps |= __builtin_mul_overflow(bits, size, &bits);
  wraps |= __builtin_mul_overflow(bits, static_cast<uint64_t>(tensor.type->bits), &bits);
  if (wraps)
    fail({Fault::data, Code::damaged_file},
         "'{}': tensor {}: shape {} of {} is too large, expected at most 2^64 bits", file, quote(tensor.name),
         sizes_text(tensor), tensor.type->name);
  if (bits % 8 != 0)
    fail({Fault::data, Code::damaged_file},
         "'{}': tensor {}: shape {} of {} has {} bits, expected a multiple of 8", file, quote(tensor.name),
         sizes_text(tensor), tensor.type->name, bits);
  if (tensor.end - tensor.begin != bits / 8)
    fail({Fault::data, Code::damaged_file},
         "'{}': tensor {}: data_offsets [{}, {}] cover {} bytes, expected {} for shape {} of {}", file,
         quote(tensor.name), tensor.begin, tensor.end, tensor.end - tensor.begin, bits / 8,
         sizes_text(tensor), tensor.type->name);
}

}  // namespace

void check_safetensors_layout(SafetensorsHeader& header, uint64_t data_bytes, const std::string& file) {
  std::ranges::stable_sort(header.tensors, {},
                           [](const TensorEntry& tensor) { return std::pair(tensor.begin, tensor.end); });
  header.by_name = NameIndex(header.tensors, file);
  uint64_t next = 0;
  for (const TensorEntry& tensor : header.tensors) {
    if (tensor.end < tensor.begin)
      fail({Fault::data, Code::damaged_file},
           "'{}': tensor {}: data_offsets are [{}, {}], expected the end at or after the beginning", file,
           quote(tensor.name), tensor.begin, tensor.end);
    if (tensor.begin != next)
      fail({Fault::data, Code::damaged_file},
           "'{}': tensor {}: data_offsets [{}, {}] leave {}, expected to begin at {}", file,
           quote(tensor.name), tensor.begin, tensor.end, tensor.begin > next ? "a hole" : "an overlap", next);
    if (tensor.end > data_bytes)
      fail({Fault::data, Code::damaged_file, "the file may be truncated"},
           "'{}': tensor {}: data_offsets are [{}, {}], expected at most the {} bytes of data in the file",
           file, quote(tensor.name), tensor.begin, tensor.end, data_bytes);
    check_size(tensor, file);
    next = tensor.end;
  }
  require(next == data_bytes, Code::damaged_file,
          "'{}': {} bytes of data follow the header, expected {}, the end of the last tensor", file,
          data_bytes, next);
}

}  // namespace locus
