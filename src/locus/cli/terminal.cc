#include "locus/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/cli/stop_signals.h"

namespace locus::cli {
namespace {

constexpr int kNarrowest = 40, kGap = 2;

int own_rank = 0;

void write_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int longest_word(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" |\n"), text.size());
    longest = std::max(longest, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return static_cast<int>(longest);
}

// Starts with the widest cell of each column and narrows the widest column until all of them fit.
std::vector<int> column_widths(std::span<const std::vector<std::string>> rows, int width) {
  std::vector<int> widths(rows.front().size()), words(widths.size());
  for (const std::vector<std::string>& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], static_cast<int>(row[c].size()));
      words[c] = std::max(words[c], longest_word(row[c]));
    }
  }
  const int gaps = kGap * (static_cast<int>(widths.size()) - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    int* widest = nullptr;
    for (size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] > words[c] && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    // Every column is at its longest word: cut words, too.
    if (widest == nullptr) widest = &*std::ranges::max_element(widths);
    if (*widest <= 1) break;
    --*widest;
  }
  return widths;
}

[[noreturn]] void refuse_output() {
  if (errno == EPIPE) throw Stopped{SIGPIPE};
  fail(Fault::io, "cannot write to stdout: {}", std::strerror(errno));
}

}  // namespace

void print_as_rank(int rank) { own_rank = rank; }

void print(std::string_view text) {
  if (own_rank != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) refuse_output();
}

void flush() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) refuse_output();
}

void tell(std::string_view text) {
  if (own_rank == 0) write_error(text);
}
void complain(std::string_view text) {
  const std::string rank = own_rank == 0 ? "" : fmt::format("rank {}: ", own_rank);
  write_error(fmt::format("locus: {}{}\n", rank, without_controls(text, "\n")));
}
void note(std::string_view text) { tell(fmt::format("locus: {}\n", without_controls(text, "\n"))); }
void warn(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) note(warning);
}

std::string time_in_words(double seconds) {
  constexpr double kLongest = 1e12;  // fits an integer
  const auto whole =
      static_cast<int64_t>(std::lround(seconds < kLongest ? std::max(seconds, 0.0) : kLongest));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<int>(size.ws_col, kNarrowest);
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given > 0 ? std::max(given, kNarrowest) : 100;
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  const auto most = static_cast<size_t>(std::max(width, 1));
  std::vector<std::string> lines(1);
  const auto add = [&](std::string_view word) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    std::string_view word = text.substr(0, end);
    while (word.size() > most) {
      const size_t bar = word.rfind('|', most - 1);
      const size_t cut = bar == std::string_view::npos ? most : bar + 1;
      add(word.substr(0, cut));
      word.remove_prefix(cut);
    }
    add(word);
    if (end < text.size() && text[end] == '\n') lines.emplace_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string table(std::span<const std::vector<std::string>> rows, int width) {
  const std::vector<int> widths = column_widths(rows, width);
  std::string result;
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::vector<std::string>> cells;
    size_t height = 0;
    for (size_t c = 0; c < row.size(); ++c) {
      cells.push_back(wrapped(row[c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (size_t i = 0; i < height; ++i) {
      std::string line;
      for (size_t c = 0; c < cells.size(); ++c) {
        line += fmt::format("{:{}}", i < cells[c].size() ? cells[c][i] : "", widths[c] + kGap);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      result += line + '\n';
    }
  }
  return result;
}

}  // namespace locus::cli
