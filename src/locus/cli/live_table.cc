#include "locus/cli/live_table.h"

#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenDraws = std::chrono::milliseconds(200);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string value_text(const study::Task& task, double value) {
  if (std::isnan(value)) return "-";
  return task.metric == study::Metric::accuracy ? fmt::format("{:.1f}%", 100 * value)
                                                : fmt::format("{:.2f}", value);
}

std::string bits_text(const study::Task& task, double perplexity) {
  return std::isnan(perplexity) ? "-" : fmt::format("{:.3f}", study::bits_per_byte(task, perplexity));
}

}  // namespace

LiveTable::LiveTable(const study::Study& study, bool terminal)
    : study_(study),
      terminal_(terminal),
      total_(study.cells().size()),
      start_(Clock::now()),
      drawn_(start_) {}

// The remaining time follows from the cells of this run: those found in the folder took none.
std::string LiveTable::status() const {
  const double done = static_cast<double>(cells_.size() - found_) + fraction_;
  const double todo = static_cast<double>(total_ - found_) - done;
  const std::string left =
      done < 0.5 ? "" : fmt::format(", about {} left", time_in_words(seconds_since(start_) / done * todo));
  return fmt::format("{} of {} cells, {}{}", cells_.size(), total_, time_in_words(seconds_since(start_)),
                     left);
}

void LiveTable::draw() {
  std::string text = lines_ > 0 ? fmt::format("\x1b[{}F\x1b[J", lines_) : "";
  std::string table;
  const study::Summary summary = study::summarize(study_, cells_);
  for (const study::TaskSummary& task : summary.tasks) {
    if (task.task->name != current_.task) continue;
    std::vector<std::vector<std::string>> rows(1, {std::string(task.task->name)});
    for (const int64_t length : summary.lengths) rows[0].push_back(fmt::format("{}", length));
    if (task.task->text) rows[0].emplace_back("bits/byte");
    for (const study::Line& line : task.lines) {
      std::vector<std::string>& row = rows.emplace_back(1, line.label());
      for (const study::Mean& mean : line.scores) row.push_back(value_text(*task.task, mean.value));
      if (task.task->text) row.push_back(bits_text(*task.task, line.scores.back().value));
    }
    table = cli::table(rows, terminal_width());
  }
  table += fmt::format("{}, {} (seed {}): {:.0f} %\n{}\n", current_.task, current_.scheme, current_.seed,
                       100 * fraction_, status());
  lines_ = static_cast<int>(std::ranges::count(table, '\n'));
  tell(text + table);
  drawn_ = Clock::now();
}

void LiveTable::progress(const study::CellName& name, double fraction) {
  current_ = name;
  fraction_ = fraction;
  if (terminal_ && Clock::now() - drawn_ >= kBetweenDraws) draw();
}

void LiveTable::finished(const study::Cell& cell, bool trained) {
  cells_.push_back(cell);
  current_ = cell.name;
  fraction_ = 0;
  found_ += trained ? 0 : 1;
  if (terminal_ || !trained) return;
  const study::Task& task = study_.task_named(cell.name.task);
  const std::vector<study::Score>& scores = cell.rows.front().scores;
  std::string values;
  for (const study::Score& score : scores)
    values += fmt::format("  {} at {}", value_text(task, score.value), score.length);
  if (task.text) values += fmt::format(" ({} bits/byte)", bits_text(task, scores.back().value));
  tell(fmt::format("[{}/{}] {}, {} (seed {}):{}\n", cells_.size(), total_, cell.name.task, cell.name.scheme,
                   cell.name.seed, values));
}

void LiveTable::close() {
  if (terminal_ && !cells_.empty()) draw();
}

}  // namespace locus::cli
