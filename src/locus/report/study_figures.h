// The charts of a study's report.
#pragma once

#include <optional>
#include <string_view>

#include "locus/report/figure.h"
#include "locus/report/scheme_family.h"
#include "locus/study/verdict.h"

namespace locus::report {

Family family_of(const study::Line& line);

// Instead of a chart.
inline constexpr std::string_view kNoValues = "No scheme has a finite value.";

// The largest perplexity that a chart shows: twice the best of the task. Larger ones are clipped. Infinite if
// no perplexity can be drawn.
double perplexity_cap(const study::TaskSummary& task);

// The cost of a training step against the value at the longest length of the first task, if a line has one.
std::optional<Figure> tradeoff(const study::Summary& summary, const study::Verdict& verdict);

// The value over the length of the text, and for perplexity the loss by position: a panel per family, with
// all other lines in gray. Without charts if no line has a value.
Figure family_curves(const study::TaskSummary& task, const study::Summary& summary);

// The first task in one chart, for a README or a slide. In a large study the best and the worst line of every
// family have colors, and the rest is gray.
Drawing summary_chart(const study::Summary& summary);

}  // namespace locus::report
