#include "locus/base/fields.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/trim.h"

namespace locus {

std::string FieldLister::word(std::string_view choices, size_t index) {
  for (; index > 0; --index) choices.remove_prefix(choices.find('|') + 1);
  return std::string(choices.substr(0, choices.find('|')));
}

size_t FieldReader::index(std::string_view choices, std::string_view word) {
  size_t begin = 0, result = 0;
  while (choices.substr(begin, choices.find('|', begin) - begin) != word) {
    begin = choices.find('|', begin) + 1;
    ++result;
  }
  return result;
}

std::vector<double> FieldReader::numbers_of(std::string_view list) {
  std::vector<double> numbers;
  for (const std::string_view part : split(list, ',')) numbers.push_back(*parse<double>(part));
  return numbers;
}

const std::string* FieldReader::find(const OptionSpec& spec) {
  known_.push_back(spec);
  const auto given = values_.find(spec.name);
  if (given == values_.end()) return nullptr;
  if (acceptable(spec, given->second)) return &given->second;
  problems_.push_back(fmt::format("{} {}", spec.name, complaint(spec, given->second)));
  return nullptr;
}

std::vector<std::string> FieldReader::problems() const {
  std::vector<std::string> all = problems_;
  for (const auto& [name, value] : values_) {
    if (std::ranges::none_of(known_, [&name = name](const OptionSpec& spec) { return spec.name == name; })) {
      all.push_back(unknown_option(name, known_));
    }
  }
  return all;
}

void refuse(std::string_view owner, const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  const bool only_names = std::ranges::all_of(
      problems, [](const std::string& problem) { return problem.starts_with(kUnknownOption); });
  const Failure failure = {Fault::usage, only_names ? Code::unknown_option : Code::none};
  if (problems.size() == 1) fail(failure, "{}: {}", owner, problems.front());
  fail(failure, "{}: {} problems\n  {}", owner, problems.size(), fmt::join(problems, "\n  "));
}

}  // namespace locus
