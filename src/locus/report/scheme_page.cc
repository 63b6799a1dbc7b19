#include "locus/report/scheme_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "locus/report/page.h"

namespace locus::report {

std::string scheme_page(const Probe& probe, std::span<const Figure> figures, std::string_view conditions) {
  const SchemeInfo& info = probe.info();
  Page page(info.name);
  page.lead(info.summary);
  page.formula(info.formula);
  const auto kinds = probe.kinds();
  const std::pair<std::string, std::string> facts[] = {
      {"Acts on", kinds.empty() ? "nothing" : fmt::format("{}", fmt::join(kinds, ", "))},
      {"Parameters", probe.parameters() == 0 ? "none" : fmt::format("{}", probe.parameters())},
      {"Cost", std::string(info.cost)},
      {"Used by", std::string(info.models)},
      {"Paper", std::string(info.paper)},
      {"Shown for", std::string(conditions)}};
  page.facts(facts);
  page.figures(figures);
  return page.html();
}

}  // namespace locus::report
