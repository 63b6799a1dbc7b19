// The scaling of a rotary scheme, from options that must fit together.
#include <cmath>

#include "locus/scheme/rotary_frequencies.h"

namespace locus {
namespace {

using Scaling = RotaryFrequencies::Scaling;

// The word of the scaling, as in the option.
std::string name_of(const Rotary& options) { return field_values(options).at("scaling"); }

template <class... Parts>
void check(bool condition, fmt::format_string<Parts...> text, Parts&&... parts) {
  if (!condition) fail(Fault::usage, "scheme rotary: {}", fmt::format(text, std::forward<Parts>(parts)...));
}

// 0.1 m ln f + 1, from the YaRN paper.
double magnitude(double factor, double m) { return factor <= 1 ? 1 : 0.1 * m * std::log(factor) + 1; }

double attention_factor_of(const RotaryFrequencies& f, const Rotary& options) {
  const double given = options.attention_factor;
  if (f.scaling != Scaling::yarn && f.scaling != Scaling::longrope) {
    check(given == 0, "option attention_factor is {}, expected 0: only scaling yarn and longrope use it",
          given);
    return 1;
  }
  if (given != 0) return given;
  if (f.scaling == Scaling::longrope) {
    return f.factor <= 1
               ? 1
               : std::sqrt(1 + std::log(f.factor) / std::log(static_cast<double>(f.trained_length)));
  }
  const double over = options.mscale, under = options.mscale_all_dim;
  return over != 0 && under != 0 ? magnitude(f.factor, over) / magnitude(f.factor, under)
                                 : magnitude(f.factor, 1);
}

void read_lengths(RotaryFrequencies& f, const Geometry& geometry, const Rotary& options) {
  const std::string name = name_of(options);
  const int64_t original = options.original_length;
  const double factor = options.factor;
  check(factor == 0 || factor >= 1,
        "option factor is {}, expected at least 1, or 0 for max_length / original_length", factor);
  check(factor > 0 || (original > 0 && geometry.max_length > 0),
        "scaling {} needs option factor, or option original_length and max_length of the model", name);
  f.trained_length = original > 0 ? original : geometry.max_length;
  f.factor = factor > 0 ? factor : static_cast<double>(geometry.max_length) / static_cast<double>(original);
  const bool needs_length = f.scaling != Scaling::linear && f.scaling != Scaling::ntk;
  check(!needs_length || f.trained_length > 0,
        "scaling {} needs option original_length, or max_length of the model", name);
}

void check_fit(const RotaryFrequencies& f, const Rotary& options) {
  const std::string name = name_of(options);
  if (f.scaling == Scaling::dynamic || f.scaling == Scaling::ntk) {
    check(f.width > 2, "scaling {}: the rotated width is {}, expected more than 2", name, f.width);
  }
  if (f.scaling == Scaling::yarn) {
    check(f.base > 1, "scaling yarn: option base is {}, expected more than 1", f.base);
    check(f.beta_fast >= f.beta_slow, "option beta_fast is {}, expected at least beta_slow = {}", f.beta_fast,
          f.beta_slow);
  }
  if (f.scaling == Scaling::llama3) {
    check(f.high_freq_factor > f.low_freq_factor,
          "option high_freq_factor is {}, expected more than low_freq_factor = {}", f.high_freq_factor,
          f.low_freq_factor);
  }
  const auto list = [&](const char* option, const std::vector<double>& factors) {
    const int64_t count = static_cast<int64_t>(factors.size());
    if (f.scaling == Scaling::longrope) {
      check(count == f.width / 2, "option {} has {} numbers, expected {}, one per rotated pair", option,
            count, f.width / 2);
      check(f.trained_length > 1, "scaling longrope: option original_length is {}, expected more than 1",
            f.trained_length);
    } else {
      check(count == 0, "option {} is given, but scaling is {}: only longrope uses it", option, name);
    }
  };
  list("short_factor", f.short_factor);
  list("long_factor", f.long_factor);
}

}  // namespace

int64_t rotated_width(std::string_view scheme, const Geometry& geometry, int64_t given) {
  const int64_t width = given > 0 ? given : geometry.head_size;
  if (width > geometry.head_size) {
    fail(Fault::usage, "scheme {}: option width is {}, expected at most the head size, {}", scheme, width,
         geometry.head_size);
  }
  if (width % 2 != 0) {
    fail(Fault::usage,
         "scheme {}: the rotated width is {}, expected an even number, because pairs are rotated", scheme,
         width);
  }
  return width;
}

RotaryFrequencies frequencies_of(const Geometry& geometry, const Rotary& options) {
  RotaryFrequencies f{.width = rotated_width("rotary", geometry, options.width),
                      .base = options.base,
                      .scaling = options.scaling,
                      .beta_fast = options.beta_fast,
                      .beta_slow = options.beta_slow,
                      .truncate = options.truncate,
                      .low_freq_factor = options.low_freq_factor,
                      .high_freq_factor = options.high_freq_factor,
                      .short_factor = options.short_factor,
                      .long_factor = options.long_factor,
                      .hf = options.precision == Rotary::Precision::hf};
  if (f.scaling == Scaling::none) {
    check(options.factor == 0, "option factor is {}, expected 0: scaling is none", options.factor);
  } else {
    read_lengths(f, geometry, options);
  }
  check_fit(f, options);
  f.attention_factor = attention_factor_of(f, options);
  return f;
}

}  // namespace locus
