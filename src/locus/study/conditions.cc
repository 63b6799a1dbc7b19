#include "locus/study/conditions.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus::study {

std::vector<int64_t> Conditions::test_lengths() const {
  constexpr OptionSpec kLengths = {
      .name = "lengths", .kind = OptionSpec::Kind::numbers, .help = "", .least = 2, .most = 1 << 24};
  std::vector<int64_t> result;
  for (const double value : Options("study", {&kLengths, 1}, {{"lengths", lengths}}).numbers("lengths")) {
    if (value != static_cast<double>(static_cast<int64_t>(value))) {
      fail(Fault::usage, "study: a length is {}, expected a whole number", value);
    }
    result.push_back(static_cast<int64_t>(value));
  }
  if (result.empty()) fail(Fault::usage, "study: no lengths to test at; give some, as in 64,128,256");
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
  b.heads = conditions.heads;
  b.hidden = conditions.hidden;
  b.max_length = conditions.length;
  b.scheme = scheme;
  b.scheme_options = options;
  // A label for every token; what the tokens were is the label's alphabet.
  b.head = task.kind == ModelKind::decoder ? HeadKind::next_token : HeadKind::masked_token;
  b.tied = false;
  b.embedding_scale = static_cast<float>(conditions.embedding_scale);
  return b;
}

}  // namespace locus::study
