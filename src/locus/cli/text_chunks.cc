#include "locus/cli/text_chunks.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "locus/base/parse.h"
#include "locus/cli/progress_line.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

void throw_bad(const Error& error) { throw error; }

// Counts texts, and those that are longer than the model can read.
class TextCheck {
 public:
  // Throws for texts that have another fault.
  void add(std::span<const Record> chunk, const TextRequest& request, const PieceWork& work) {
    ReadOptions reading = request.reading;
    reading.check_only = true;
    reading.on_bad = [&](size_t i, const Error& error) {
      const Error placed = error.at(chunk[i].place);
      if (error.code() != Code::context_too_long) throw placed;
      if (too_long_++ == 0) first_ = {placed, chunk[i].place, error.values().at(1)};
      longest_ = std::max(longest_, parse<int64_t>(error.values().at(0)).value_or(0));
    };
    work(chunk, reading);
    texts_ += static_cast<int64_t>(chunk.size());
  }
  void require_fitting() const {
    if (too_long_ == 1) throw first_->error;
    if (too_long_ == 0) return;
    fail({Fault::data, Code::context_too_long},
         "{} of {} texts are too long: got up to {} tokens, expected at most {}; the first is {}", too_long_,
         texts_, longest_, first_->most_tokens, first_->place);
  }

 private:
  struct First {
    Error error;
    std::string place, most_tokens;
  };
  int64_t texts_ = 0, too_long_ = 0, longest_ = 0;
  std::optional<First> first_;
};

class TextProgress {
 public:
  TextProgress(std::optional<int64_t> total, int64_t first) : total_(total), first_(first) {}

  void clear() { line_.clear(); }
  void show(int64_t done) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    const double rate = static_cast<double>(done - first_) / std::max(seconds.count(), 1e-9);
    std::string text = total_ ? fmt::format("{} of {} texts", done, *total_) : fmt::format("{} texts", done);
    text += rate < 10 ? fmt::format(", {:.1f} a second", rate) : fmt::format(", {:.0f} a second", rate);
    if (total_ && done > first_) {
      text += fmt::format(", {} left", time_in_words(static_cast<double>(*total_ - done) / rate));
    }
    line_.show(text);
  }

 private:
  std::optional<int64_t> total_;
  int64_t first_;  // done before
  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The number of all texts. Checks them, unless those with faults are skipped or cut anyway.
int64_t count_texts(const TextRequest& request, Records& records, const PieceWork& work, bool checks) {
  const Records::OnBad on_bad = request.skip_bad ? [](const Error&) {} : throw_bad;
  TextCheck check;
  int64_t count = 0;
  for (;;) {
    const std::vector<Record> chunk = records.next(on_bad);
    if (chunk.empty()) break;
    count += static_cast<int64_t>(chunk.size());
    if (checks) check.add(chunk, request, work);
  }
  check.require_fitting();
  records.rewind();
  return count;
}

// Skips the first records. Returns those that were read with them.
std::vector<Record> skipped(Records& records, int64_t count) {
  while (count > 0) {
    std::vector<Record> chunk = records.next([](const Error&) {});
    if (chunk.empty()) break;
    const auto skip = std::min(count, std::ssize(chunk));
    chunk.erase(chunk.begin(), chunk.begin() + skip);
    count -= skip;
    if (count == 0) return chunk;
  }
  return {};
}

// Collects pieces of output, because every write of one is a system call.
class Pieces {
 public:
  explicit Pieces(Write write) : write_(std::move(write)) {}
  void add(std::string_view piece) {
    kept_ += piece;
    if (kept_.size() >= kMostKept) send();
  }
  void send() {
    if (!kept_.empty()) write_(kept_);
    kept_.clear();
  }

 private:
  static constexpr size_t kMostKept = 1 << 20;
  Write write_;
  std::string kept_;
};

// Writes the output of a chunk, without that of records that cannot be read.
void write_chunk(std::span<const Record> chunk, const PieceWork& work, ReadOptions reading,
                 const Records::OnBad& bad, Pieces& pieces) {
  std::vector<bool> left_out(chunk.size());
  reading.on_bad = [&](size_t i, const Error& error) {
    left_out[i] = true;
    bad(error.at(chunk[i].place));
  };
  const Output output = work(chunk, reading);
  for (size_t i = 0; i < chunk.size(); ++i) {
    if (!left_out[i]) output(i, [&](std::string_view piece) { pieces.add(piece); });
  }
  pieces.send();
}

}  // namespace

void each_chunk(const TextRequest& request, Records& records, const Work& work, const Write& write,
                int64_t first) {
  const auto in_pieces = [&](std::span<const Record> chunk, const ReadOptions& reading) -> Output {
    return [lines = work(chunk, reading)](size_t i, const Write& add) {
      if (i < lines.size()) add(lines[i]);
    };
  };
  each_chunk_in_pieces(request, records, in_pieces, write, first);
}

void each_chunk_in_pieces(const TextRequest& request, Records& records, const PieceWork& work,
                          const Write& write, int64_t first) {
  const bool checks = !request.skip_bad && !request.reading.truncate, counts = records.can_rewind();
  std::optional<int64_t> total;
  if (counts) total = count_texts(request, records, work, checks);
  TextProgress progress(total, first);
  const Records::OnBad bad = [&](const Error& error) {
    if (!request.skip_bad) throw error;
    progress.clear();
    note(fmt::format("skipped: {}", error.what()));
  };
  TextCheck check;
  std::vector<Record> chunk = skipped(records, first);
  int64_t done = first, in_chunk = 0;
  ReadOptions reading = request.reading;
  reading.on_batch = [&](size_t texts) { progress.show(done + (in_chunk += static_cast<int64_t>(texts))); };
  for (;; in_chunk = 0, chunk.clear()) {
    if (chunk.empty()) chunk = records.next(bad);
    if (chunk.empty()) return;
    if (checks && !counts) {  // stdin: the part of it that has arrived
      check.add(chunk, request, work);
      check.require_fitting();
    }
    Pieces pieces([&](std::string_view out) {
      progress.clear();
      write ? write(out) : print(out);
    });
    write_chunk(chunk, work, reading, bad, pieces);
    if (!write) flush();
    progress.show(done += static_cast<int64_t>(chunk.size()));
  }
}

}  // namespace locus::cli
