#include "locus/text/windows.h"

#include <algorithm>
#include <utility>

#include "locus/base/checked.h"
#include "locus/base/error.h"
#include "locus/base/permutation.h"

namespace locus {
namespace {

void require_positive(const char* name, int64_t value) {
  require(value > 0, "windows: {} is {}, expected 1 or more", name, value);
}

}  // namespace

Windows::Windows(std::shared_ptr<const TokenStream> stream, const WindowOptions& options)
    : stream_(std::move(stream)), options_(options) {
  if (options_.stride == 0) options_.stride = options_.context;
  require_positive("context", options_.context);
  require_positive("stride", options_.stride);
  require_positive("batch", options_.batch);
  const int64_t tokens = stream_->size();
  require(tokens > options_.context,
          "{} has {} tokens, expected at least {}: a context of {} and one target after it", stream_->name(),
          tokens, checked_add(options_.context, 1, "windows"), options_.context);
  size_ = (tokens - 1 - options_.context) / options_.stride + 1;
  checked_multiply(std::min(options_.batch, size_), options_.context, "windows: batch x context");
  require(options_.keep_last || size_ >= options_.batch,
          "{} has {} windows, expected at least {}, a full batch; set keep_last to use fewer",
          stream_->name(), size_, options_.batch);
}

int64_t Windows::batches() const {
  return options_.keep_last ? divide_up(size_, options_.batch) : size_ / options_.batch;
}

WindowBatch Windows::batch(int64_t epoch, int64_t index) const {
  require(epoch >= 0, "windows: epoch is {}, expected 0 or more", epoch);
  require(index >= 0 && index < batches(),
          "windows: batch index is {}, expected 0 to {}: an epoch has {} batch{}", index, batches() - 1,
          batches(), batches() == 1 ? "" : "es");
  const int64_t first = index * options_.batch, length = options_.context;
  WindowBatch result = {.rows = std::min(options_.batch, size_ - first), .context = length};
  const Permutation order(size_, options_.seed, static_cast<uint64_t>(epoch));
  std::vector<int32_t> ids(static_cast<size_t>(length + 1));
  for (int64_t row = 0; row < result.rows; ++row) {
    const int64_t window = options_.shuffle ? order(first + row) : first + row;
    stream_->read(window * options_.stride, ids);
    result.inputs.insert(result.inputs.end(), ids.begin(), ids.end() - 1);
    result.targets.insert(result.targets.end(), ids.begin() + 1, ids.end());
    result.windows.push_back(window);
  }
  return result;
}

}  // namespace locus
