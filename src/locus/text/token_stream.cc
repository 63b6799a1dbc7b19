#include "locus/text/token_stream.h"

#include <algorithm>
#include <utility>

#include "locus/base/error.h"

namespace locus {

MemoryTokens::MemoryTokens(std::vector<int32_t> ids, int32_t vocabulary, std::string name)
    : ids_(std::move(ids)), vocabulary_(vocabulary), name_(std::move(name)) {
  check_token_ids(ids_, vocabulary_, 0, name_);
}

void MemoryTokens::read(int64_t begin, std::span<int32_t> ids) const {
  require(begin >= 0 && begin <= std::ssize(ids_) && std::ssize(ids) <= std::ssize(ids_) - begin,
          "{}: tokens {} to {} requested, expected a range within its {} tokens", name_, begin,
          begin + std::ssize(ids) - 1, ids_.size());
  std::copy_n(ids_.begin() + begin, ids.size(), ids.begin());
}

void check_token_ids(std::span<const int32_t> ids, int32_t vocabulary, int64_t first,
                     const std::string& name) {
  for (size_t i = 0; i < ids.size(); ++i) {
    require(ids[i] >= 0 && ids[i] < vocabulary, Code::bad_token,
            "{}: token {} has the id {}, expected 0 to {}", name, first + static_cast<int64_t>(i), ids[i],
            vocabulary - 1);
  }
}

}  // namespace locus
