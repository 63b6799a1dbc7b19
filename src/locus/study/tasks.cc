// The list of tasks.
#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/study/task.h"

namespace locus::study {

extern const Task kLanguage, kMaskedLanguage, kBack, kBackEncoder, kCopy, kReverse, kRecall, kMajority;

std::span<const Task* const> tasks() {
  static constexpr const Task* kAll[] = {&kLanguage, &kBackEncoder, &kBack,           &kCopy,
                                         &kReverse,  &kRecall,      &kMaskedLanguage, &kMajority};
  return kAll;
}

const Task& task(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Task* one : tasks()) {
    if (one->name == name) return *one;
    names.push_back(one->name);
  }
  fail({Fault::usage, Code::none, did_you_mean(name, names)}, "unknown task {}, expected one of {}",
       quote(name), fmt::join(names, ", "));
}

}  // namespace locus::study
