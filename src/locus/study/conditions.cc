#include "locus/study/conditions.h"

#include <algorithm>
#include <cmath>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/scheme/combination.h"

namespace locus::study {

std::vector<int64_t> Conditions::test_lengths() const {
  constexpr OptionSpec kLengths = {
      .name = "lengths", .kind = OptionSpec::Kind::numbers, .help = "", .least = 2, .most = 1 << 24};
  std::vector<int64_t> result = {length};
  for (const double value : Options("study", {&kLengths, 1}, {{"lengths", lengths}}).numbers("lengths")) {
    if (value != static_cast<double>(static_cast<int64_t>(value))) {
      fail(Fault::usage, "study: a length is {}, expected a whole number", value);
    }
    result.push_back(static_cast<int64_t>(value));
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

namespace {

// A table that ends past the trained length has rows that nothing teaches, and past that length they are
// what is read: T5's ends at 128 because it was trained at 512.
OptionValues fitting(const Conditions& conditions, std::string_view scheme, OptionValues options) {
  constexpr int64_t kLeast = 32;
  for (const OptionSpec& spec : scheme_info(scheme).options) {
    const int64_t end = std::max(conditions.length / 2, kLeast);
    if (own_name(spec.name) == "max_distance" && end < parse<int64_t>(spec.preset).value_or(0)) {
      options.emplace(spec.name, fmt::format("{}", end));
    }
  }
  return options;
}

}  // namespace

Blueprint blueprint(const Conditions& conditions, const Task& task, std::string_view scheme,
                    const OptionValues& options) {
  Blueprint b;
  b.kind = task.kind;
  b.vocabulary = task.vocabulary;
  b.width = conditions.width;
  b.layers = conditions.layers;
  b.heads = conditions.heads;
  b.hidden = conditions.hidden;
  b.max_length = conditions.length;
  b.scheme = scheme;
  b.scheme_options = fitting(conditions, scheme, options);
  // A label for every token; what the tokens were is the label's alphabet.
  b.head = task.kind == ModelKind::decoder ? HeadKind::next_token : HeadKind::masked_token;
  b.tied = false;
  // Such that a product keeps the size of what goes in: models this narrow learn late from smaller weights.
  b.init_std = static_cast<float>(1 / std::sqrt(static_cast<double>(conditions.width)));
  b.embedding_scale = static_cast<float>(conditions.embedding_scale);
  return b;
}

}  // namespace locus::study
