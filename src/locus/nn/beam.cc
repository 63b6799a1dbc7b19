// Beam search with the rules of transformers. Finished hypotheses are ranked by log probability /
// length^penalty. The search ends when the number of finished hypotheses reaches the number of beams and,
// unless stops_early is set, no open hypothesis is better than the worst finished one. At the length limit
// all open hypotheses count as finished.
#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/machine.h"
#include "locus/nn/decoder.h"
#include "locus/nn/generate.h"
#include "locus/tensor/storage.h"

namespace locus {
namespace {

struct Hypothesis {
  std::vector<int32_t> tokens;  // new tokens only
  double log_probability = 0;
  int64_t parent = 0;  // index of the beam that it extends

  double score(float penalty) const {
    return log_probability / std::pow(static_cast<double>(std::max<size_t>(tokens.size(), 1)), penalty);
  }
};

// The best continuations of all beams: enough of them that every beam can continue even if all end tokens are
// among them.
std::vector<Hypothesis> continuations(const std::vector<int32_t>& prompt,
                                      const std::vector<Hypothesis>& beams, const Tensor& logits,
                                      const BeamOptions& options) {
  struct Step {
    double total;
    int64_t beam;
    int32_t token;
  };
  const auto better = [](const Step& a, const Step& b) {
    return a.total != b.total ? a.total > b.total : std::pair(a.beam, a.token) < std::pair(b.beam, b.token);
  };
  const size_t most = std::max<size_t>(1 + options.end_tokens.size(), 2) * static_cast<size_t>(options.beams);
  double least = -std::numeric_limits<double>::infinity();  // of a step that may be one of the best
  std::vector<Step> steps;
  for (size_t beam = 0; beam < beams.size(); ++beam) {
    const auto row = static_cast<int64_t>(beam);
    std::vector<double> log_p = log_probabilities(logits.rows(row, row + 1).data<float>());
    std::vector<int32_t> history = prompt;
    history.insert(history.end(), beams[beam].tokens.begin(), beams[beam].tokens.end());
    penalize(std::span(log_p), history, options.repetition_penalty);
    apply_rules(options.rules, history, static_cast<int64_t>(beams[beam].tokens.size()), options.max_tokens,
                std::span(log_p));
    for (size_t token = 0; token < log_p.size(); ++token) {
      if (log_p[token] == -std::numeric_limits<double>::infinity()) continue;  // excluded by the rules
      const double total = beams[beam].log_probability + log_p[token];
      if (total >= least) steps.push_back({total, row, static_cast<int32_t>(token)});
    }
    // Without this, the steps of many beams would need far more memory than their logits.
    if (steps.size() < 2 * most) continue;
    std::ranges::nth_element(steps, steps.begin() + static_cast<int64_t>(most) - 1, better);
    steps.resize(most);
    least = steps.back().total;
  }
  std::ranges::sort(steps, better);
  if (steps.size() > most) steps.resize(most);
  std::vector<Hypothesis> result;
  for (const Step& step : steps) {
    Hypothesis next = beams[static_cast<size_t>(step.beam)];
    next.tokens.push_back(step.token);
    next.log_probability = step.total;
    next.parent = step.beam;
    result.push_back(std::move(next));
  }
  return result;
}

}  // namespace

void check_beam_memory(int64_t beams, int64_t vocabulary, int64_t available) {
  const double needed = static_cast<double>(beams) * static_cast<double>(vocabulary) * sizeof(float);
  if (needed <= static_cast<double>(available)) return;
  fail({Fault::resource, Code::none, "use fewer beams"},
       "not enough memory: {} beams with logits of {} tokens need at least {:.1f} GB, but only {:.1f} GB are "
       "available",
       beams, vocabulary, needed / 1e9, static_cast<double>(available) / 1e9);
}

std::vector<int32_t> beam_search(const Model& model, const std::vector<int32_t>& prompt,
                                 const BeamOptions& options, const std::vector<int32_t>& text) {
  require(options.beams >= 1 && options.beams <= 1024, "beam_search: beams is {}, expected 1 to 1024",
          options.beams);
  require(!prompt.empty(), "beam_search: the prompt is empty, expected at least one token");
  check_rules(options.rules, model.blueprint().vocabulary);
  check_sampling({.repetition_penalty = options.repetition_penalty});
  require(std::isfinite(options.length_penalty),
          "beam_search: length_penalty is {}, expected a finite number", options.length_penalty);
  const int64_t kept = peak_bytes() - allocated_bytes();  // by earlier tensors, for reuse
  check_beam_memory(options.beams, model.blueprint().vocabulary, memory().available + kept);
  const auto count = static_cast<size_t>(options.beams);
  Decoder decoder(model);
  decoder.add(text);
  std::vector<Hypothesis> beams(1), finished;
  const auto better = [&](const Hypothesis& a, const Hypothesis& b) {
    return a.score(options.length_penalty) > b.score(options.length_penalty);
  };
  std::vector<std::vector<int32_t>> fresh = {prompt};
  for (int64_t n = 0; n < options.max_tokens; ++n) {
    std::vector<Hypothesis> open;
    size_t rank = 0;
    Tensor logits;
    const auto step = [&] { logits = decoder.step(fresh); };
    if (options.run) {
      options.run(step);
    } else {
      step();
    }
    for (Hypothesis& next : continuations(prompt, beams, logits, options)) {
      const bool among_best = rank++ < count;
      if (n + 1 == options.max_tokens || std::ranges::count(options.end_tokens, next.tokens.back()) > 0) {
        // As in transformers, an end token outside the `count` best continuations is dropped.
        if (among_best) finished.push_back(std::move(next));
      } else if (open.size() < count) {
        open.push_back(std::move(next));
      }
    }
    std::ranges::stable_sort(finished, better);
    if (finished.size() > count) finished.resize(count);
    beams = std::move(open);
    const bool full = finished.size() == count;
    if (beams.empty() || (full && (options.stops_early || !better(beams.front(), finished.back())))) break;
    std::vector<int64_t> parents;
    fresh.clear();
    for (const Hypothesis& beam : beams) {
      parents.push_back(beam.parent);
      fresh.push_back({beam.tokens.back()});
    }
    decoder.select(parents);
  }
  require(!finished.empty() || options.max_tokens <= 0, "beam_search: the token rules exclude every token");
  return finished.empty() ? std::vector<int32_t>() : finished.front().tokens;
}

}  // namespace locus
