// Why the answers of a command ended: for its JSON output, and for a note about answers that the model's
// maximum length cut.
#pragma once

#include <vector>

#include "locus/apply/writer.h"

namespace locus::cli {

class Finishes {
 public:
  explicit Finishes(WriteOptions& options);  // sets on_finish; refers to this object
  Finishes(const Finishes&) = delete;
  Finishes& operator=(const Finishes&) = delete;

  // Of an answer of the latest call of write(). Has no meaning for a prompt that was skipped.
  StopReason reason(size_t answer) const {
    return answer < latest_.size() ? latest_[answer] : StopReason::stop;
  }
  // One note on stderr if the maximum length of the model ended answers.
  void note_context(const Blueprint& blueprint) const;

 private:
  std::vector<StopReason> latest_;
  int64_t all_ = 0, by_context_ = 0;
};

}  // namespace locus::cli
