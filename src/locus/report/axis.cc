#include "locus/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/error.h"
#include "locus/report/svg.h"

namespace locus::report {
namespace {

constexpr double kSlack = 1e-5;  // of a step: f32 rounding may move a value off its tick by this much

// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
double nice_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - kSlack)) return factor * power;
  }
  return 10 * power;
}

void add_linear_ticks(Axis& axis, double step) {
  const auto first = static_cast<int64_t>(std::ceil(axis.low / step - kSlack));
  const auto last = static_cast<int64_t>(std::floor(axis.high / step + kSlack));
  for (int64_t i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    axis.ticks.push_back({value, tick_label(value, step)});
  }
}

void add_log_ticks(Axis& axis, int most) {
  const int first = static_cast<int>(std::floor(std::log10(axis.low)));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high)));
  // First all digits, then 1, 2 and 5, then every n-th power of ten.
  constexpr int kDigits = -1, kFirstRow = 0;
  for (int every = kDigits; every <= last - first + 1; ++every) {
    axis.ticks.clear();
    for (int power = first; power <= last; power += std::max(every, 1)) {
      for (int digit = 1; digit < 10; ++digit) {
        if (every > kFirstRow && digit > 1) break;
        if (every == kFirstRow && digit != 1 && digit != 2 && digit != 5) continue;
        const double unit = std::pow(10, power), value = digit * unit;
        if (value < axis.low * (1 - kSlack) || value > axis.high * (1 + kSlack)) continue;
        axis.ticks.push_back({value, tick_label(value, unit)});
      }
    }
    if (static_cast<int>(axis.ticks.size()) <= most) return;
  }
}

Axis range_of(double low, double high, bool log) {
  require(std::isfinite(low) && std::isfinite(high),
          "bad range of an axis: got {} to {}, expected finite numbers", low, high);
  require(!log || low > 0, "bad start of a logarithmic axis: got {}, expected more than 0", low);
  if (low > high) std::swap(low, high);
  // Values that differ by less than f32 rounding count as one value.
  if (high - low <= 1e-6 * std::max(std::abs(low), std::abs(high))) {
    if (log) return {.low = low / 2, .high = high * 2, .log = true};
    const double margin = low == 0 ? 1 : std::abs(low) / 2;
    return {.low = low - margin, .high = high + margin};
  }
  return {.low = low, .high = high, .log = log};
}

}  // namespace

double Axis::at(double value) const {
  if (log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

Axis axis_over(double low, double high, int most, bool log, double least_step) {
  Axis axis = range_of(low, high, log);
  constexpr double kShort = 3;  // a shorter range has too few digits for logarithmic ticks
  if (log && axis.high > kShort * axis.low) {
    add_log_ticks(axis, most);
  } else {
    const double step = nice_step((axis.high - axis.low) / std::max(most - 1, 1));
    add_linear_ticks(axis, std::max(step, least_step));
  }
  return axis;
}

void name_ticks(Axis& axis, const std::vector<std::string>& words, double room) {
  constexpr double kMostWord = 72;
  const double all = kTickSize * static_cast<double>(words.size());
  const auto every = std::max<size_t>(1, static_cast<size_t>(std::ceil(all / std::max(room, kTickSize))));
  axis.ticks.clear();
  axis.upright = true;
  for (size_t i = 0; i < words.size(); i += every) {
    axis.ticks.push_back({static_cast<double>(i), shortened(words[i], kTickSize, kMostWord)});
  }
}

std::pair<double, double> finite_range(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {0, 1};
  return {low, high};
}

std::string tick_label(double value, double step) {
  const double size = std::abs(value);
  std::string digits;
  if (size >= 1e6 || (step < 1e-4 && size > 0)) {
    digits = fmt::format("{:.3g}", size);
  } else {
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + kSlack)));
    digits = fmt::format("{:.{}f}", size, decimals);
  }
  return value < 0 ? "\u2212" + digits : digits;
}

}  // namespace locus::report
