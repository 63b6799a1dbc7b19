#include "locus/study/conditions.h"

#include <algorithm>
#include <cmath>

#include "locus/base/error.h"
#include "locus/base/trim.h"
#include "locus/study/scheme_choice.h"

namespace locus::study {

std::vector<int64_t> Conditions::test_lengths() const {
  constexpr OptionSpec kLengths = {
      .name = "lengths", .kind = OptionSpec::Kind::numbers, .help = "", .least = 2, .most = 1 << 24};
  if (trim(lengths).empty()) return {length, 2 * length, 4 * length, 8 * length};
  std::vector<int64_t> result;
  for (const std::string_view part : split(lengths, ',')) {
    const std::optional<double> value = parse<double>(part);
    const bool whole = value && *value == std::floor(*value);
    if (!whole || *value < kLengths.least || *value > kLengths.most) {
      fail(Fault::usage, "lengths {}", complaint(kLengths, lengths));
    }
    result.push_back(static_cast<int64_t>(*value));
  }
  if (!result.empty() && std::ranges::max(result) < length) {
    fail(Fault::usage,
         "every test length is shorter than the trained length: got lengths {} and length {}, expected at "
         "least one test length of {} or more",
         fmt::join(result, ", "), length, length);
  }
  result.push_back(length);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Blueprint blueprint(const Conditions& conditions, const Task& task, std::string_view scheme,
                    const OptionValues& options) {
  Blueprint b;
  b.kind = task.kind;
  b.vocabulary = task.vocabulary;
  b.width = conditions.width;
  b.layers = conditions.layers;
  b.attention.heads = conditions.heads;
  b.feed_forward.hidden = conditions.hidden;
  b.max_length = conditions.length;
  SchemeChoice choice = scheme_choice(scheme);
  b.scheme = choice.info->name;
  b.scheme_options = options;
  b.scheme_options.merge(choice.options);
  b.scheme_options.merge(options_for_length(*choice.info, conditions.length));
  b.head.kind = task.kind == ModelKind::decoder ? HeadKind::next_token : HeadKind::masked_token;
  b.head.tied = false;
  // Keeps the variance of a layer's input; narrow models learn late from smaller weights.
  b.init_std = static_cast<float>(1 / std::sqrt(static_cast<double>(conditions.width)));
  b.embedding.scale = static_cast<float>(conditions.embedding_scale);
  return b;
}

}  // namespace locus::study
