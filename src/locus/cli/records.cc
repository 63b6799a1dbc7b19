#include "locus/cli/records.h"

#include <algorithm>

#include "locus/apply/text_object.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

// Large enough to batch texts of similar lengths, small enough that results appear soon.
constexpr size_t kBytesOfChunk = 1 << 17, kRecordsOfChunk = 2048;

void require_utf8(const std::string& text, const std::string& place) {
  require(is_utf8(text), "{}: the text is not valid UTF-8", place);
}

}  // namespace

bool RecordSource::is_jsonl(const std::string& file) const {
  return format == InputFormat::jsonl || (format == InputFormat::by_name && file.ends_with(".jsonl"));
}

Records::Records(RecordSource source) : source_(std::move(source)) {
  const auto refuse_if = [&](bool wrong, const char* what) {
    if (wrong) fail(Fault::usage, "{}: {}", source_.command, what);
  };
  refuse_if(!source_.words.empty() && !source_.files.empty(),
            "got texts as arguments and --file; use one of them");
  refuse_if(!source_.words.empty() && source_.format == InputFormat::jsonl,
            "--input-format jsonl applies to --file and stdin, not to texts given as arguments");
  refuse_if(source_.pairs && source_.words.size() % 2 != 0,
            "got an odd number of texts, expected pairs of texts");
  if (source_.words.empty() && source_.files.empty()) source_.files = {"-"};
}

bool Records::can_rewind() const { return std::ranges::count(source_.files, "-") == 0; }

void Records::rewind() {
  word_ = file_ = 0;
  lines_.reset();
}

Record Records::of_words() {
  Record record{
      .place = fmt::format("text {}", word_ / (source_.pairs ? 2 : 1) + 1), .text = "", .second = {}};
  record.number = static_cast<int64_t>(word_) + 1;
  record.text = source_.words[word_++];
  if (source_.pairs) record.second = source_.words[word_++];
  require_utf8(record.text + record.second.value_or(""), record.place);
  return record;
}

Record Records::of_line(std::string line) const {
  Record record{.place = fmt::format("line {} of {}", lines_->number(), lines_->name()),
                .text = std::move(line),
                .second = {},
                .number = lines_->number()};
  require_utf8(record.text, record.place);
  if (jsonl_ && source_.keeps_objects) {
    record.is_json = true;
  } else if (jsonl_) {
    TextInput input = read_text_object(
        record.text, record.place, {.first = source_.first, .second = source_.second, .both = source_.pairs});
    record.text = std::move(input.text);
    record.second = std::move(input.second);
  } else if (source_.pairs) {
    const size_t tab = record.text.find('\t');
    require(tab != std::string::npos && record.text.find('\t', tab + 1) == std::string::npos,
            "{}: got {} tabs, expected two texts separated by one tab", record.place,
            std::ranges::count(record.text, '\t'));
    record.second = record.text.substr(tab + 1);
    record.text.resize(tab);
  }
  return record;
}

bool Records::next_line(std::string& line) {
  for (;;) {
    if (lines_ != nullptr && lines_->next(line)) return true;
    if (file_ == source_.files.size()) return false;
    jsonl_ = source_.is_jsonl(source_.files[file_]);
    lines_ = std::make_unique<LineReader>(source_.files[file_++]);
  }
}

std::optional<Record> Records::next_record(const OnBad& on_bad, bool& ended) {
  try {
    if (word_ < source_.words.size()) return of_words();
    std::string line;
    ended = !source_.words.empty() || !next_line(line);
    if (!ended) return of_line(std::move(line));
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    on_bad(error);
  }
  return std::nullopt;
}

std::vector<Record> Records::next(const OnBad& on_bad) {
  std::vector<Record> chunk;
  size_t bytes = 0;
  for (bool ended = false;
       !ended && bytes < source_.scale * kBytesOfChunk && chunk.size() < source_.scale * kRecordsOfChunk;) {
    if (!chunk.empty() && lines_ != nullptr && lines_->would_wait()) break;
    if (std::optional<Record> record = next_record(on_bad, ended)) {
      bytes += record->text.size() + record->second.value_or("").size();
      chunk.push_back(std::move(*record));
    }
  }
  return chunk;
}

}  // namespace locus::cli
