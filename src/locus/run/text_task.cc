#include "locus/run/text_task.h"

#include <limits>

#include "locus/base/error.h"

namespace locus {

bool TextTask::on_streams() const { return !on_pairs() && predicts_tokens(blueprint.head.kind); }

int32_t TextTask::start_token() const {
  require(data.start_token >= 0,
          "no token that starts a decoder's output, expected decoder_start_token_id in config.json");
  return static_cast<int32_t>(data.start_token);
}

size_t TextTask::longest() const {
  return data.truncate ? static_cast<size_t>(data.context) : std::numeric_limits<size_t>::max();
}

}  // namespace locus
