#include "locus/nn/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "locus/base/error.h"
#include "locus/base/fields.h"

namespace locus {
namespace {

struct Candidate {
  int32_t token;
  float logit;
  double weight = 0;  // proportional to the probability
};

// More likely tokens first, ties by token id: a total order, so the result does not depend on the algorithm.
bool likelier(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// The remaining candidates, most likely first. The limits apply in the order top_k, top_p, min_p, each to the
// candidates that the previous one left, as the warpers of transformers do.
std::vector<Candidate> candidates(std::span<const float> logits, const Sampling& sampling) {
  std::vector<Candidate> list(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) {
    list[i] = {static_cast<int32_t>(i), logits[i]};
  }
  const bool some = sampling.top_k > 0 && sampling.top_k < static_cast<int64_t>(list.size());
  const auto end = list.begin() + (some ? sampling.top_k : static_cast<int64_t>(list.size()));
  std::partial_sort(list.begin(), end, list.end(), likelier);
  list.erase(end, list.end());
  double total = 0;
  for (Candidate& c : list) {
    // Subtract before dividing: logit / temperature could overflow.
    c.weight = std::exp((static_cast<double>(c.logit) - list[0].logit) / sampling.temperature);
    total += c.weight;
  }
  if (sampling.top_p < 1) {
    double reached = 0;
    size_t count = 0;
    while (count < list.size() && (count == 0 || reached < sampling.top_p * total))
      reached += list[count++].weight;
    list.resize(count);
  }
  while (list.size() > 1 && list.back().weight < sampling.min_p) list.pop_back();
  return list;
}

// The token with the largest logit, the first one on ties. NaN is an error because it has no order, and
// infinity because the probabilities of the other tokens would be undefined.
size_t likeliest(std::span<const float> logits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  require(!logits.empty(), "sampling: got no logits, expected at least one");
  require(std::ranges::count_if(logits, [](float x) { return !(x < kInfinity); }) == 0,
          "sampling: a logit is NaN or infinite, expected finite numbers: the weights of the model may be "
          "damaged");
  const auto most = std::ranges::max_element(logits);
  require(*most > -kInfinity, "sampling: the token rules exclude every token");
  return static_cast<size_t>(most - logits.begin());
}

}  // namespace

template <class T>
void penalize(std::span<T> scores, std::span<const int32_t> history, float penalty) {
  if (penalty == 1) return;
  std::vector<int32_t> seen(history.begin(), history.end());
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const int32_t token : seen) {
    require(static_cast<size_t>(token) < scores.size(), Code::bad_token,
            "sampling: the history contains token {}, expected 0 to {}", token, scores.size() - 1);
    T& score = scores[static_cast<size_t>(token)];
    score = score > 0 ? score / penalty : score * penalty;
  }
}
template void penalize(std::span<float>, std::span<const int32_t>, float);
template void penalize(std::span<double>, std::span<const int32_t>, float);

std::vector<double> log_probabilities(std::span<const float> logits) {
  const double most = logits[likeliest(logits)];
  double total = 0;
  for (const float logit : logits) total += std::exp(logit - most);
  const double shift = most + std::log(total);
  std::vector<double> result(logits.size());
  std::ranges::transform(logits, result.begin(), [&](float logit) { return logit - shift; });
  return result;
}

std::vector<double> probabilities(std::span<const float> logits) {
  std::vector<double> values = log_probabilities(logits);
  for (double& value : values) value = std::exp(value);
  return values;
}

void check_sampling(const Sampling& sampling) {
  Sampling checked;
  refuse("generate", read_fields(checked, field_values(sampling)));
}

int32_t sample(std::span<const float> logits, std::span<const int32_t> history, const Sampling& sampling,
               const Random& random) {
  const size_t first = likeliest(logits);
  if (sampling.temperature == 0 && sampling.repetition_penalty == 1) return static_cast<int32_t>(first);
  std::vector<float> fair(logits.begin(), logits.end());
  penalize(std::span(fair), history, sampling.repetition_penalty);
  if (sampling.temperature == 0) {
    return static_cast<int32_t>(std::ranges::max_element(fair) - fair.begin());
  }
  const std::vector<Candidate> list = candidates(fair, sampling);
  const double total = std::accumulate(list.begin(), list.end(), 0.0,
                                       [](double sum, const Candidate& c) { return sum + c.weight; });
  double left = random.uniform(history.size()) * total;
  for (const Candidate& candidate : list) {
    left -= candidate.weight;
    if (left < 0) return candidate.token;
  }
  return list.back().token;
}

}  // namespace locus
