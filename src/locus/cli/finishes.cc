#include "locus/cli/finishes.h"

#include <fmt/format.h>

#include <algorithm>

#include "locus/cli/terminal.h"

namespace locus::cli {

Finishes::Finishes(WriteOptions& options) {
  options.on_finish = [this](size_t answer, const AnswerEnd& end) {
    latest_.resize(std::max(latest_.size(), answer + 1));
    latest_[answer] = end.reason;
    ++all_;
    if (end.reason == StopReason::context) ++by_context_;
  };
}

void Finishes::note_context(const Blueprint& blueprint) const {
  if (by_context_ == 0) return;
  const std::string answers = all_ == 1 ? "the answer" : fmt::format("{} of {} answers", by_context_, all_);
  note(fmt::format("{} ended at the model's maximum length, {} tokens, before the limit on new tokens",
                   answers, blueprint.max_length));
}

}  // namespace locus::cli
