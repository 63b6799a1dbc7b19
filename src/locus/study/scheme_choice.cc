#include "locus/study/scheme_choice.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/trim.h"

namespace locus::study {
namespace {

constexpr char kBeforeOption = ':', kBeforeValue = '=';

}  // namespace

std::string SchemeChoice::word() const {
  std::string text(info->name);
  for (const auto& [name, value] : options)
    text += fmt::format("{}{}{}{}", kBeforeOption, name, kBeforeValue, value);
  return text;
}

std::vector<Extension> SchemeChoice::extensions() const {
  std::vector<Extension> list(info->extensions.begin(), info->extensions.end());
  std::erase_if(list, [&](const Extension& extension) {
    return std::ranges::any_of(extension.options,
                               [&](const auto& option) { return options.contains(option.first); });
  });
  return list;
}

SchemeChoice scheme_choice(std::string_view word) {
  const std::vector<std::string_view> parts = split(word, kBeforeOption);
  SchemeChoice choice{&scheme_info(parts.empty() ? word : parts.front()), {}};
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t middle = parts[i].find(kBeforeValue);
    if (middle == std::string_view::npos) {
      fail(Fault::usage, "bad option {} of scheme {}: expected option{}value, as in rotary:base=500000",
           quote(parts[i]), choice.info->name, kBeforeValue);
    }
    const std::string name(trim(parts[i].substr(0, middle)));
    if (!choice.options.emplace(name, trim(parts[i].substr(middle + 1))).second) {
      fail(Fault::usage, "option {} of scheme {} is set twice", quote(name), choice.info->name);
    }
  }
  const Options checked(fmt::format("scheme {}", choice.info->name), choice.info->options.list(),
                        choice.options);
  return choice;
}

}  // namespace locus::study
