#include "locus/apply/reading.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "locus/base/parallel.h"

namespace locus {

ReadOptions in_groups(const ReadOptions& options, std::string_view what, size_t size) {
  ReadOptions each = options;
  each.on_bad = [on_bad = options.on_bad, what, size, reported = std::set<size_t>()](
                    size_t text, const Error& error) mutable {
    const size_t group = text / size;
    if (!on_bad) throw error.at(fmt::format("{} {}", what, group + 1));
    if (reported.insert(group).second) on_bad(group, error);
  };
  if (options.on_batch) {
    each.on_batch = [on_batch = options.on_batch, size, done = size_t{0}](size_t texts) mutable {
      done += texts;
      on_batch(done / size);
      done %= size;
    };
  }
  return each;
}

void report_bad(std::span<const std::optional<Error>> errors, const ReadOptions& options) {
  for (size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i]) continue;
    if (!options.on_bad) throw errors[i]->at(fmt::format("text {}", i + 1));
    options.on_bad(i, *errors[i]);
  }
}

std::vector<Encoding> encode_each(size_t count, const ReadOptions& options,
                                  const std::function<Encoding(size_t)>& encode) {
  std::vector<Encoding> encodings(count);
  std::vector<std::optional<Error>> errors(count);
  constexpr int64_t kTextsOfChunk = 16;
  parallel_for(static_cast<int64_t>(count), kTextsOfChunk, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      try {
        Encoding encoding = encode(i);
        if (!options.check_only) encodings[i] = std::move(encoding);
      } catch (const Error& error) {
        errors[i] = error;
      }
    }
  });
  report_bad(errors, options);
  return encodings;
}

std::vector<std::vector<size_t>> batches_of(std::span<const size_t> sizes, int64_t tokens) {
  require(tokens > 0, "batch_tokens is {}, expected 1 or more", tokens);
  std::vector<size_t> order;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 0) order.push_back(i);
  }
  // Texts of similar length share a batch. The longest come first, so that later batches reuse their memory.
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return sizes[i]; });
  std::vector<std::vector<size_t>> batches;
  auto taken = static_cast<size_t>(tokens);
  for (const size_t i : order) {
    if (taken >= static_cast<size_t>(tokens)) {
      batches.emplace_back();
      taken = 0;
    }
    batches.back().push_back(i);
    taken += sizes[i];
  }
  return batches;
}

void require_finite(std::span<const float> numbers) {
  require(std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }),
          "the model computes NaN or infinity for this text, expected finite numbers; its weights may be "
          "damaged");
}

void read_batches(const TextModel& model, std::span<const Encoding> encodings, const ReadOptions& options,
                  const TextPass& pass, const TakeRows& take) {
  std::vector<std::optional<Error>> errors(encodings.size());
  if (options.compute != nullptr) {
    options.compute->read(model, encodings, pass, take, errors);
    return report_bad(errors, options);
  }
  const NoGrad no_grad;
  std::vector<size_t> sizes;
  for (const Encoding& encoding : encodings) sizes.push_back(encoding.size());
  for (const std::vector<size_t>& texts : batches_of(sizes, options.batch_tokens)) {
    std::vector<const Encoding*> batch;
    for (const size_t text : texts) batch.push_back(&encodings[text]);
    const TextRows rows = pass(packed(model.blueprint(), batch));
    for (size_t i = 0; i < texts.size(); ++i) errors[texts[i]] = take_text(rows, i, texts[i], take);
    if (options.on_batch) options.on_batch(texts.size());
  }
  report_bad(errors, options);
}

}  // namespace locus
