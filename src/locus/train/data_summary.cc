#include "locus/train/data_summary.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_set>

#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/trim.h"

namespace locus {
namespace {

// Names of columns in common data sets.
constexpr std::string_view kColumnNames[] = {
    "answer",    "article",     "body",    "category", "class",     "comment",    "content",  "context",
    "document",  "emotion",     "english", "gold",     "headline",  "hypothesis", "id",       "input",
    "intent",    "label",       "labels",  "message",  "ner_tags",  "output",     "polarity", "pos_tags",
    "premise",   "question",    "query",   "rating",   "review",    "score",      "sentence", "sentence1",
    "sentence2", "sentiment",   "source",  "src",      "stars",     "summary",    "tag",      "tags",
    "target",    "text",        "text_a",  "text_b",   "text_pair", "tgt",        "title",    "tokens",
    "topic",     "translation", "tweet",   "word",     "words"};

bool is_column_name(std::string_view field) {
  return std::ranges::any_of(kColumnNames, [&](std::string_view name) {
    return field.size() == name.size() && edit_distance(field, name) == 0;  // ignores case
  });
}

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void count_labels(const TextTask& task, const Samples& samples, int64_t LabelCount::*count,
                  std::vector<LabelCount>& labels) {
  for (int64_t i = 0; i < samples.size(); ++i) {
    for (const int32_t target : samples.at(i, 0).targets) {
      if (target >= 0 && target < std::ssize(task.labels)) ++(labels[static_cast<size_t>(target)].*count);
    }
  }
}

int64_t distinct_inputs(const Samples& samples) {
  std::unordered_set<size_t> seen;
  for (int64_t i = 0; i < samples.size(); ++i) {
    const std::vector<int32_t> ids = samples.at(i, 0).ids;
    seen.insert(std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int32_t)}));
  }
  return std::ssize(seen);
}

// "'a', 'b', 'c' and 4 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) shown.push_back(quote(names[i]).text());
  const std::string list = fmt::format("{}", fmt::join(shown, ", "));
  return names.size() > kShown ? fmt::format("{} and {} more", list, names.size() - kShown) : list;
}

// "the label 'a'", "the labels 'a', 'b'"
std::string labels_listed(const std::vector<std::string>& names) {
  return fmt::format("the label{} {}", names.size() == 1 ? "" : "s", listed(names));
}

template <class Condition>
std::vector<std::string> labels_with(const DataSummary& data, const Condition& condition) {
  std::vector<std::string> names;
  for (const LabelCount& label : data.labels) {
    if (condition(label)) names.push_back(label.name);
  }
  return names;
}

// Whether the first line of the training file holds names of columns. It is the example of its own label, or
// a pair of such names.
bool is_header(std::string_view line, const DataSummary& data, const TextTask& task) {
  const size_t tab = line.rfind('\t');
  if (tab == std::string_view::npos) return false;
  const std::string_view last = line.substr(tab + 1);
  if (!is_column_name(last)) return false;
  if (!task.has_labels()) return is_column_name(line.substr(0, tab));
  const auto label = std::ranges::find(data.labels, last, &LabelCount::name);
  return label != data.labels.end() && label->training + label->validation == 1;
}

// A classifier has several examples for each label. In swapped columns, the few labels are the texts.
bool is_swapped(const DataSummary& data) {
  return data.distinct_inputs > 0 && data.labels.size() >= 10 &&
         std::ssize(data.labels) >= 4 * data.distinct_inputs;
}

void check_labels(const DataSummary& data, const TextTask& task, const std::string& header,
                  std::vector<std::string>& found) {
  if (data.labels.size() == 1)
    found.push_back(fmt::format("all samples have {}", labels_listed({data.labels[0].name})));
  const auto once = labels_with(data, [&](const LabelCount& label) {
    return label.training + label.validation == 1 && !header.ends_with("\t" + label.name);
  });
  if (!once.empty())
    found.push_back(fmt::format("{} occur{} once", labels_listed(once), once.size() == 1 ? "s" : ""));
  if (data.validation == 0) return;
  const char* hint = task.data.validation.empty()
                         ? "; data.validation_split cuts off the end of the file, so shuffle its lines"
                         : "";
  const auto lacking =
      labels_with(data, [](const LabelCount& label) { return label.training > 1 && label.validation == 0; });
  if (!lacking.empty())
    found.push_back(fmt::format("the validation data lack {}{}", labels_listed(lacking), hint));
  const auto unseen = labels_with(data, [](const LabelCount& label) { return label.training == 0; });
  if (!unseen.empty())
    found.push_back(fmt::format("the training data lack {}{}", labels_listed(unseen), hint));
}

}  // namespace

DataSummary summarize(const TextTask& task, const Samples& training, const Samples* validation) {
  DataSummary data{.training = training.size(), .validation = validation == nullptr ? 0 : validation->size()};
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < training.size(); ++i) lengths.push_back(training.length(i));
  for (const int64_t length : lengths) data.tokens += length;
  std::ranges::sort(lengths);
  if (!lengths.empty()) {
    data.shortest = lengths.front();
    data.median = lengths[lengths.size() / 2];
    data.longest = lengths.back();
  }
  if (!task.has_labels()) return data;
  for (const std::string& name : task.labels) data.labels.push_back({name});
  count_labels(task, training, &LabelCount::training, data.labels);
  if (validation != nullptr) count_labels(task, *validation, &LabelCount::validation, data.labels);
  std::erase_if(data.labels, [](const LabelCount& label) { return label.training + label.validation == 0; });
  std::ranges::stable_sort(data.labels, std::ranges::greater(), &LabelCount::training);
  if (task.blueprint.head.kind == HeadKind::sequence_class) data.distinct_inputs = distinct_inputs(training);
  return data;
}

std::vector<std::string> suspicions(const DataSummary& data, const TextTask& task) {
  std::vector<std::string> found;
  if (task.on_streams()) return found;
  const std::string& file = task.data.train;
  std::string header = file.ends_with(".tsv") ? first_line(file) : "";
  if (!is_header(header, data, task)) header.clear();
  if (!header.empty()) {
    std::vector<std::string> columns;
    for (const std::string_view name : split(header, '\t')) columns.push_back(quote(name).text());
    found.push_back(
        fmt::format("'{}', line 1: the columns {} look like a header, but are read as an example; "
                    "remove the line",
                    file, fmt::join(columns, ", ")));
  }
  if (is_swapped(data)) {
    found.push_back(
        fmt::format("'{}' has {} labels, but only {} different texts; are its columns swapped? "
                    "The text comes first, the label last",
                    file, data.labels.size(), data.distinct_inputs));
  } else {
    check_labels(data, task, header, found);
  }
  return found;
}

}  // namespace locus
