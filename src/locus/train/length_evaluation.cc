#include "locus/train/length_evaluation.h"

#include <algorithm>
#include <bit>
#include <map>

#include "locus/base/error.h"
#include "locus/train/evaluated_text.h"
#include "locus/train/tally.h"
#include "locus/train/text_windows.h"

namespace locus {
namespace {

// The most tokens that the schemes of the model have positions for; 0: no limit.
int64_t position_limit(const Blueprint& b) {
  const auto extrapolates = [](const std::string& scheme) {
    return scheme.empty() || scheme_info(scheme).extrapolates;
  };
  return extrapolates(b.scheme) && extrapolates(b.global.scheme) ? 0 : b.max_length;
}

std::vector<int64_t> sorted(std::vector<int64_t> lengths) {
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

// Windows of one length, or the reason why there are none.
struct Windowed {
  int64_t length;
  std::unique_ptr<TextWindows> windows;
  std::string problem;
};

Windowed windows_of(const TrainedModel& trained, const EvaluatedText& text, int64_t length, int64_t stride) {
  const Blueprint& b = trained.blueprint();
  const int64_t limit = position_limit(b);
  if (limit > 0 && length > limit) {
    return {length, nullptr, fmt::format("scheme '{}' has only {} positions", b.scheme, limit)};
  }
  try {
    return {length, std::make_unique<TextWindows>(trained.task(), text.tokens, length, stride), ""};
  } catch (const Error& error) {
    return {length, nullptr, error.message()};
  }
}

// The tallies of one length.
class LengthTally {
 public:
  LengthTally(const Blueprint& blueprint, int64_t length)
      : blueprint_(blueprint), length_(length), all_(blueprint), late_(blueprint) {}

  void add(const Prediction& one) {
    all_.add(one);
    if (2 * one.position >= length_) late_.add(one);
    const auto most = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(one.position + 1)));
    bands_.try_emplace(most, blueprint_).first->second.add(one);
  }

  LengthScore score(const EvaluatedText& text, int64_t windows) const {
    LengthScore score{.length = length_,
                      .windows = windows,
                      .targets = all_.targets(),
                      .loss = all_.loss(),
                      .accuracy = all_.accuracy()};
    if (late_.targets() > 0) score.late_loss = late_.loss();
    if (blueprint_.head.kind == HeadKind::next_token) score.bits_per_byte = text.bits_per_byte(score.loss);
    return score;
  }

  std::vector<PositionLoss> positions() const {
    std::vector<PositionLoss> result;
    for (const auto& [most, tally] : bands_) {
      result.push_back({.least = most == 1 ? 1 : most / 2 + 1,
                        .most = std::min(most, length_),
                        .targets = tally.targets(),
                        .loss = tally.loss()});
    }
    return result;
  }

 private:
  const Blueprint& blueprint_;
  int64_t length_;
  Tally all_, late_;
  std::map<int64_t, Tally> bands_;  // by their last position
};

void require_text_model(const TrainedModel& trained) {
  if (trained.task().on_streams()) return;
  fail({Fault::usage, Code::wrong_head},
       "model in '{}' cannot be evaluated by length, expected a decoder that predicts the next token, or an "
       "encoder that predicts masked tokens",
       trained.folder().string());
}

}  // namespace

int64_t LengthEvaluation::longest() const {
  int64_t longest = 0;
  for (const LengthScore& score : lengths) {
    if (score.problem.empty()) longest = score.length;
  }
  return longest;
}

LengthEvaluation evaluate_lengths(const TrainedModel& trained, const std::filesystem::path& file,
                                  const LengthOptions& options) {
  require_text_model(trained);
  const EvaluatedText text = read_text(trained.task(), file);
  std::vector<int64_t> lengths = sorted(options.lengths);
  if (lengths.empty()) {
    lengths = {
        std::min(trained.task().data.context, TextWindows::longest(trained.task(), text.tokens->size()))};
  }
  std::vector<Windowed> all;
  int64_t windows = 0, done = 0;
  for (const int64_t length : lengths) {
    all.push_back(windows_of(trained, text, length, options.stride));
    if (all.back().windows) windows += all.back().windows->size();
  }
  require(windows > 0, "cannot evaluate windows of {} tokens: {}", all.front().length, all.front().problem);
  LengthEvaluation result{.tokens = text.tokens->size(), .bytes = text.bytes};
  for (const Windowed& one : all) {
    if (!one.windows) {
      result.lengths.push_back({.length = one.length, .problem = one.problem});
      continue;
    }
    LengthTally tally(trained.blueprint(), one.length);
    each_prediction(
        trained.model(), *one.windows,
        [&](const Prediction& prediction) {
          require_finite(prediction, *one.windows);
          tally.add(prediction);
        },
        [&](int64_t own, int64_t) {
          if (options.progress) options.progress(done + own, windows);
        });
    done += one.windows->size();
    result.lengths.push_back(tally.score(text, one.windows->size()));
    result.positions = tally.positions();
  }
  return result;
}

}  // namespace locus
