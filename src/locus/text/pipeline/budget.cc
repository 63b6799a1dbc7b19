#include "locus/text/pipeline/budget.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {

size_t TextBudget::take_steps(size_t wanted) {
  const size_t most = kStepsPerByte * text_bytes_ + kAlwaysSteps;
  const size_t taken = std::min(wanted, most - steps_);
  steps_ += taken;
  return taken;
}

void TextBudget::refuse(size_t size, std::string_view where, std::string_view what) const {
  fail(Fault::data, "{}: the {} turns {} bytes of text into {} or more, expected at most {}", where, what,
       text_bytes_, finished_ + size, most_bytes());
}

}  // namespace locus
