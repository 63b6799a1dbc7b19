#include "locus/study/memory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "locus/base/parallel.h"
#include "locus/op/cross_entropy.h"
#include "locus/study/batch.h"
#include "locus/tensor/storage.h"

namespace locus::study {
namespace {

constexpr std::array<int64_t, 3> kShort = {64, 128, 256};
constexpr int64_t kSmall = int64_t{1} << 26;  // floats: a quarter of a gigabyte

// The buffers of threads do not grow with the length and would distort the curve on a machine with many.
class OneThread {
 public:
  OneThread() { set_threads(1); }
  ~OneThread() { set_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = threads();
};

// The value at `length` of the parabola through the values at the short lengths.
double extrapolated(int64_t length, const std::array<double, 3>& values) {
  double sum = 0;
  for (size_t i = 0; i < kShort.size(); ++i) {
    double part = values[i];
    for (size_t j = 0; j < kShort.size(); ++j) {
      if (j == i) continue;
      part *= static_cast<double>(length - kShort[j]) / static_cast<double>(kShort[i] - kShort[j]);
    }
    sum += part;
  }
  return sum;
}

// Texts of the right size: memory does not depend on their tokens.
Batch any_texts(const Task& task, int64_t texts, int64_t length) {
  const std::vector<int32_t> ids(static_cast<size_t>(texts * length), task.vocabulary - 1);
  const Tensor tokens = Tensor::of({texts * length}, ids);
  return {{tokens, Placement::rectangle(texts, length), {}}, tokens};
}

// Peak memory of the model and one forward pass; in training with the backward pass and the optimizer's two
// moments of every parameter.
double bytes_of(Conditions conditions, const Task& task, const SchemeChoice& scheme, int64_t texts,
                int64_t length, bool training) {
  conditions.length = length;  // a table as long as the text, for any scheme
  const int64_t before = allocated_bytes();
  reset_peak_bytes();
  const Model model(blueprint(conditions, task, scheme.word()), Model::Options{.seed = 1});
  const Batch data = any_texts(task, texts, length);
  int64_t moments = 0;
  if (training) {
    for (const NamedParameter& parameter : model.parameters().all())
      moments += 2 * static_cast<int64_t>(sizeof(float)) * parameter.var.value().numel();
    op::cross_entropy(model(data.tokens), data.targets).backward();
  } else {
    const NoGrad scope;
    op::cross_entropy(model(data.tokens), data.targets);
  }
  return static_cast<double>(peak_bytes() - before + moments);
}

double bytes_at(const Conditions& conditions, const Task& task, const SchemeChoice& scheme, int64_t texts,
                int64_t length, bool training) {
  std::array<double, 3> one{}, more{};
  for (size_t i = 0; i < kShort.size(); ++i) {
    one[i] = bytes_of(conditions, task, scheme, 1, kShort[i], training);
    more[i] = texts == 1 ? 0 : bytes_of(conditions, task, scheme, 2, kShort[i], training) - one[i];
  }
  return extrapolated(length, one) + static_cast<double>(texts - 1) * extrapolated(length, more);
}

}  // namespace

Need largest_need(const Study& study) {
  const Conditions& c = study.conditions;
  const int64_t longest = c.test_lengths().back();
  Need need;
  const OneThread scope;
  const auto consider = [&](double bytes, const std::string& what, const std::string& lower) {
    constexpr double kMost = 9e18;  // near the largest int64
    if (bytes > static_cast<double>(need.bytes)) {
      need = {static_cast<int64_t>(std::min(bytes, kMost)), what, lower};
    }
  };
  for (const Task* task : study.task_list()) {
    for (const SchemeChoice& scheme : study.scheme_list()) {
      consider(bytes_at(c, *task, scheme, texts_in_test_batch(longest), longest, false),
               fmt::format("the test of {} on a text of {} tokens", scheme.word(), longest),
               "lengths, or omit the scheme");
      consider(bytes_at(c, *task, scheme, c.batch_size, c.length, true),
               fmt::format("a training step of {} on {} texts of {} tokens", scheme.word(), c.batch_size,
                           c.length),
               "batch_size, length or width, or omit the scheme");
    }
  }
  return need;
}

void require_memory(const Study& study, int64_t available) {
  const Conditions& c = study.conditions;
  const int64_t longest = std::max(c.test_lengths().back(), c.length);
  const double tokens =
      static_cast<double>(std::max(texts_in_test_batch(longest) * longest, c.batch_size * c.length));
  int64_t vocabulary = 0;
  for (const Task* task : study.task_list()) vocabulary = std::max<int64_t>(vocabulary, task->vocabulary);
  const double states = tokens * static_cast<double>(c.layers * std::max(c.width, c.hidden) + vocabulary);
  const double pairs = static_cast<double>(c.heads) * std::pow(static_cast<double>(longest), 2);
  if (states <= kSmall && pairs <= kSmall) return;
  const Need need = largest_need(study);
  if (need.bytes <= available) return;
  constexpr double kGigabyte = 1e9;
  fail(Fault::resource, "not enough memory for {}: {:.1f} GB are free, expected about {:.1f} GB; lower {}",
       need.what, static_cast<double>(available) / kGigabyte, static_cast<double>(need.bytes) / kGigabyte,
       need.lower);
}

}  // namespace locus::study
