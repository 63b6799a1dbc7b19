#include "locus/train/run_changes.h"

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/paths.h"
#include "locus/text/text_lines.h"

namespace locus {
namespace {

RunChange change_in(std::string_view line, const std::string& where) {
  const json::Document json(line, where);
  RunChange change = {
      .setting = json.text("setting"), .before = json.text("before"), .after = json.text("after")};
  const json::Value step = json.member("step");
  const auto number = step.integer();
  if (!number) json.refuse("'step'", step, "a number of steps");
  change.step = *number;
  return change;
}

}  // namespace

std::vector<RunChange> read_changes(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / kChangesFile;
  std::vector<RunChange> changes;
  if (!is_there(file)) return changes;
  const std::string text = read_file(file);
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    changes.push_back(change_in(line, fmt::format("'{}', line {}", file.string(), lines.number())));
  }
  return changes;
}

std::string as_json(const RunChange& change) {
  return json::object({{"step", json::number(change.step)},
                       {"setting", json::text(change.setting)},
                       {"before", json::text(change.before)},
                       {"after", json::text(change.after)}});
}

std::string in_words(const RunChange& change) {
  const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
  return fmt::format("{}: {} -> {}", change.setting, shown(change.before), shown(change.after));
}

}  // namespace locus
