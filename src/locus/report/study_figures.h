// The charts of a study's report.
#pragma once

#include "locus/report/figure.h"
#include "locus/report/scheme_family.h"
#include "locus/study/verdict.h"

namespace locus::report {

Family family_of(const study::Line& line);

// The largest perplexity that a chart shows: twice the best of the task. Larger ones are clipped.
double perplexity_cap(const study::TaskSummary& task);

// The cost of a training step against the value at the longest length of the first task.
Figure tradeoff(const study::Summary& summary, const study::Verdict& verdict);

// The value over the length of the text, and for perplexity the loss by position: a panel per family, with
// all other lines in gray.
Figure family_curves(const study::TaskSummary& task, const study::Summary& summary);

// The first task in one chart, for a README or a slide. In a large study the best and the worst line of every
// family have colors, and the rest is gray.
Drawing summary_chart(const study::Summary& summary);

}  // namespace locus::report
