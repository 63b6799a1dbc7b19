#include "locus/train/optimizer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/trim.h"
#include "locus/kernel/kernels.h"

namespace locus {
namespace {

const std::string kFirst = "first.", kSecond = "second.", kBegin = "begin.";

bool matches_any(std::string_view name, std::string_view patterns) {
  return std::ranges::any_of(split(patterns, ','), [&](std::string_view pattern) {
    return !pattern.empty() && matches_pattern(name, pattern);
  });
}

// Patterns for the parts of a model: "tokens", "encoder.scheme.*", "encoder.layers.0.*".
std::vector<std::string> branches_of(const Parameters& parameters) {
  std::vector<std::string> branches;
  for (const NamedParameter& parameter : parameters.all()) {
    const std::vector<std::string_view> parts = split(parameter.name, '.');
    const size_t depth = parts.size() > 3 && parts[1] == "layers" ? 3 : 2;
    std::string branch =
        fmt::format("{}", fmt::join(std::span(parts).first(std::min(depth, parts.size())), "."));
    if (parts.size() > depth) branch += ".*";
    if (std::ranges::count(branches, branch) == 0) branches.push_back(std::move(branch));
  }
  return branches;
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
  return parameter.role == Role::matrix;
}

void freeze_matching(Parameters& parameters, std::string_view patterns) {
  for (const std::string_view pattern : split(patterns, ',')) {
    if (pattern.empty()) continue;
    int count = 0;
    for (const NamedParameter& parameter : parameters.all()) {
      if (!matches_pattern(parameter.name, pattern)) continue;
      parameters.freeze(parameter.name);
      ++count;
    }
    if (count == 0) {
      fail({Fault::usage, Code::unknown_option},
           "train.frozen: no parameter matches {}, expected patterns such as {}", quote(pattern),
           fmt::join(branches_of(parameters), ", "));
    }
  }
  const bool trains = std::ranges::any_of(
      parameters.all(), [](const NamedParameter& parameter) { return parameter.var.wants_grad(); });
  if (!trains) {
    fail(Fault::usage, "train.frozen is {}, which freezes all {} parameters, expected at least one to train",
         quote(patterns), parameters.all().size());
  }
}

AdamW::AdamW(Parameters& parameters, AdamWSettings settings, const std::vector<bool>& owned)
    : settings_(std::move(settings)) {
  const auto& [beta1, beta2, eps, weight_decay, clip, decayed, undecayed] = settings_;
  check("beta1", beta1, beta1 >= 0 && beta1 < 1, "from 0 to less than 1");
  check("beta2", beta2, beta2 >= 0 && beta2 < 1, "from 0 to less than 1");
  check("eps", eps, eps >= 0 && std::isfinite(eps), "0 or more");
  check("weight_decay", weight_decay, weight_decay >= 0 && std::isfinite(weight_decay), "0 or more");
  check("clip", clip, clip >= 0 && std::isfinite(clip), "0 or more");
  for (const NamedParameter& parameter : parameters.all()) {
    if (!parameter.var.wants_grad()) continue;
    const Tensor& value = parameter.var.value();
    const bool here = owned.empty() || owned.at(list_.size());
    list_.push_back({.name = parameter.name,
                     .parameter = parameter.var,
                     .first = here ? value.zeros_like() : Tensor(),
                     .second = here ? value.zeros_like() : Tensor(),
                     .decay = decays(parameter, settings_) ? settings_.weight_decay : 0});
  }
}

int64_t AdamW::owned() const { return std::ranges::count_if(list_, &Moments::is_owned); }

void AdamW::measure(Readings& readings) const {
  for (const Moments& moments : list_) {
    if (!moments.is_owned()) continue;
    require(moments.parameter.wants_grad(),
            "AdamW: parameter {} was frozen after the optimizer was created; create a new AdamW",
            moments.name);
    const Tensor& gradient = moments.parameter.open_grad();
    kernels(gradient.device()).squared_norm({gradient.view(), readings.next()});
  }
}

double AdamW::step(double learning_rate, double scale) {
  Readings readings(list_.empty() ? Device::cpu : list_[0].parameter.value().device(), owned());
  measure(readings);
  return apply(readings.read(), learning_rate, scale);
}

double AdamW::apply(std::span<const double> measured, double learning_rate, double scale) {
  check("learning_rate", learning_rate, std::isfinite(learning_rate), "a finite number");
  const double norm = std::sqrt(std::accumulate(measured.begin(), measured.end(), 0.0)) * scale;
  if (!std::isfinite(norm)) fail(Fault::diverged, "the gradient norm is {}", norm);
  if (settings_.clip > 0 && norm > settings_.clip) scale *= settings_.clip / norm;
  ++steps_;
  std::vector<kernel::AdamWParameter> parameters;
  for (const Moments& moments : list_) {
    if (!moments.is_owned()) continue;
    parameters.push_back({.parameter = moments.parameter.value().view(),
                          .gradient = moments.parameter.grad().view(),
                          .first = moments.first.view(),
                          .second = moments.second.view(),
                          .decay = static_cast<float>(moments.decay),
                          .step = steps_ - moments.begin});
  }
  if (parameters.empty()) return norm;
  kernels(list_[0].parameter.value().device())
      .adamw({.list = parameters,
              .rate = static_cast<float>(learning_rate),
              .beta1 = static_cast<float>(settings_.beta1),
              .beta2 = static_cast<float>(settings_.beta2),
              .eps = static_cast<float>(settings_.eps),
              .scale = static_cast<float>(scale)});
  for (Moments& moments : list_) moments.parameter.clear_grad();
  return norm;
}

std::vector<TensorSource> AdamW::state(const FetchMoment& fetch) const {
  std::vector<TensorSource> sources;
  for (size_t i = 0; i < list_.size(); ++i) {
    const Moments& moments = list_[i];
    const Tensor& value = moments.parameter.value();
    const auto add = [&](const std::string& name, const Tensor& moment, bool second) {
      sources.push_back({name + moments.name, value.shape(), value.dtype(),
                         [=] { return moment ? moment : fetch(i, second); }});
    };
    add(kFirst, moments.first, false);
    add(kSecond, moments.second, true);
    if (moments.begin == 0) continue;
    const Tensor begin = Tensor::empty({1}, DType::i32);
    begin.data<int32_t>()[0] = static_cast<int32_t>(moments.begin);  // train.steps is at most 1e9
    sources.push_back({kBegin + moments.name, begin.shape(), begin.dtype(), [=] { return begin; }});
  }
  return sources;
}

void AdamW::read_moments(const SafetensorsFile& file, size_t index, const PassMoment& pass) {
  Moments& moments = list_[index];
  for (const bool second : {false, true}) {
    const Tensor& own = second ? moments.second : moments.first;
    const Tensor moment = own ? own : moments.parameter.value().zeros_like();
    file.read_into((second ? kSecond : kFirst) + moments.name, moment);
    if (!own) pass(index, second, moment);
  }
  const std::string begin = kBegin + moments.name;
  if (file.has(begin)) moments.begin = file.read(begin).data<int32_t>()[0];
}

void AdamW::restore(const SafetensorsFile& file, int64_t steps, const PassMoment& pass) {
  const auto begins = std::ranges::count_if(
      file.entries(), [](const TensorEntry& entry) { return entry.name.starts_with(kBegin); });
  const auto count = std::ssize(file.entries()) - begins;
  require(count == 2 * std::ssize(list_), Code::damaged_file,
          "'{}' has {} tensors, expected {}: two for each of {} parameters", file.path().string(), count,
          2 * list_.size(), list_.size());
  for (size_t i = 0; i < list_.size(); ++i) read_moments(file, i, pass);
  steps_ = steps;
}

void AdamW::restore_present(const SafetensorsFile& file, int64_t steps, const PassMoment& pass) {
  for (size_t i = 0; i < list_.size(); ++i) {
    list_[i].begin = steps;
    if (!file.has(kFirst + list_[i].name)) continue;
    list_[i].begin = 0;
    read_moments(file, i, pass);
  }
  steps_ = steps;
}

}  // namespace locus
