#include "locus/train/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "locus/base/error.h"
#include "locus/base/trim.h"
#include "locus/kernel/kernels.h"

namespace locus {
namespace {

constexpr std::array<std::string_view, 6> kUndecayed = {"tokens",     "*table*",   "*embed*",
                                                        "*position*", "*segment*", "*norm*"};

bool matches_any(std::string_view name, std::string_view patterns) {
  return std::ranges::any_of(split(patterns, ','), [&](std::string_view pattern) {
    return !pattern.empty() && matches_pattern(name, pattern);
  });
}

void check(const char* name, double value, bool fine, const char* expected) {
  if (!fine) fail(Fault::usage, "AdamW: {} is {}, expected {}", name, value, expected);
}

}  // namespace

bool matches_pattern(std::string_view name, std::string_view pattern) {
  // On a mismatch the last * consumes one more character; earlier ones never need a retry.
  size_t n = 0, p = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++n, ++p;
    } else if (star != std::string_view::npos) {
      n = ++resume;
      p = star + 1;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool decays(const NamedParameter& parameter, const AdamWSettings& settings) {
  if (matches_any(parameter.name, settings.decayed)) return true;
  if (matches_any(parameter.name, settings.undecayed)) return false;
  return parameter.var.shape().rank() >= 2 && std::ranges::none_of(kUndecayed, [&](std::string_view pattern) {
           return matches_pattern(parameter.name, pattern);
         });
}

AdamW::AdamW(Parameters& parameters, AdamWSettings settings) : settings_(std::move(settings)) {
  const auto& [beta1, beta2, eps, weight_decay, clip, decayed, undecayed] = settings_;
  check("beta1", beta1, beta1 >= 0 && beta1 < 1, "from 0 to less than 1");
  check("beta2", beta2, beta2 >= 0 && beta2 < 1, "from 0 to less than 1");
  check("eps", eps, eps >= 0 && std::isfinite(eps), "0 or more");
  check("weight_decay", weight_decay, weight_decay >= 0 && std::isfinite(weight_decay), "0 or more");
  check("clip", clip, clip >= 0 && std::isfinite(clip), "0 or more");
  for (const NamedParameter& parameter : parameters.all()) {
    if (!parameter.var.wants_grad()) continue;
    list_.push_back({.name = parameter.name,
                     .parameter = parameter.var,
                     .first = parameter.var.value().zeros_like(),
                     .second = parameter.var.value().zeros_like(),
                     .decay = decays(parameter, settings_) ? settings_.weight_decay : 0});
  }
}

double AdamW::step(double learning_rate, double scale) {
  check("learning_rate", learning_rate, std::isfinite(learning_rate), "a finite number");
  double squares = 0;
  for (const Moments& moments : list_) {
    require(moments.parameter.wants_grad(),
            "AdamW: parameter {} was frozen after the optimizer was created; create a new AdamW",
            moments.name);
    const Tensor& gradient = moments.parameter.open_grad();
    squares += kernels(gradient.device()).squared_norm(gradient.view());
  }
  const double norm = std::sqrt(squares) * scale;
  if (!std::isfinite(norm)) fail(Fault::diverged, "the gradient norm is {}", norm);
  if (settings_.clip > 0 && norm > settings_.clip) scale *= settings_.clip / norm;
  ++steps_;
  for (Moments& moments : list_) {
    const Tensor& gradient = moments.parameter.grad();
    kernels(gradient.device())
        .adamw({.parameter = moments.parameter.value().view(),
                .gradient = gradient.view(),
                .first = moments.first.view(),
                .second = moments.second.view(),
                .rate = static_cast<float>(learning_rate),
                .beta1 = static_cast<float>(settings_.beta1),
                .beta2 = static_cast<float>(settings_.beta2),
                .eps = static_cast<float>(settings_.eps),
                .decay = static_cast<float>(moments.decay),
                .scale = static_cast<float>(scale),
                .step = steps_});
    moments.parameter.clear_grad();
  }
  return norm;
}

std::vector<NamedTensor> AdamW::state() const {
  std::vector<NamedTensor> tensors;
  for (const Moments& moments : list_) {
    tensors.emplace_back("first." + moments.name, moments.first);
    tensors.emplace_back("second." + moments.name, moments.second);
  }
  return tensors;
}

void AdamW::restore(const SafetensorsFile& file, int64_t steps) {
  require(file.entries().size() == 2 * list_.size(), Code::damaged_file,
          "'{}' has {} tensors, expected {}: two for each of {} parameters", file.path().string(),
          file.entries().size(), 2 * list_.size(), list_.size());
  for (const Moments& moments : list_) {
    file.read_into("first." + moments.name, moments.first);
    file.read_into("second." + moments.name, moments.second);
  }
  steps_ = steps;
}

}  // namespace locus
