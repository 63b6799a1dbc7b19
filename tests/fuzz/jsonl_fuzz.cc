// Any bytes as a file of examples: throws an Error, or the examples keep what their reader promises. The
// first byte chooses the reader.
// Seeds: *.jsonl
#include <filesystem>
#include <functional>

#include "locus/apply/text_object.h"
#include "locus/base/error.h"
#include "locus/text/task_file.h"
#include "locus/text/text_lines.h"
#include "tests/fuzz/memory_file.h"

namespace {

namespace fs = std::filesystem;

void expect(bool right) {
  if (!right) std::abort();
}

// The readers choose the format by the extension, so links with extensions lead to the file in memory.
class Links {
 public:
  explicit Links(const std::string& target) {
    expect(::mkdtemp(folder_.data()) != nullptr);
    fs::create_symlink(target, json());
    fs::create_symlink(target, tsv());
  }
  ~Links() { fs::remove_all(folder_); }
  fs::path json() const { return fs::path(folder_) / "fuzz.jsonl"; }
  fs::path tsv() const { return fs::path(folder_) / "fuzz.tsv"; }

 private:
  std::string folder_ = (fs::temp_directory_path() / "locus-fuzz-XXXXXX").string();
};

void labeled(const fs::path& file) {
  const locus::LabeledTexts read = locus::read_labeled(file);
  for (const locus::LabeledText& one : read.examples) {
    expect(!one.text.empty() && static_cast<size_t>(one.label) < read.names.size());
    expect(one.pair.has_value() == read.examples.front().pair.has_value());
  }
}

void tagged(const fs::path& file) {
  const locus::TaggedTexts read = locus::read_tagged(file);
  for (const locus::TaggedText& one : read.examples) {
    expect(!one.words.empty() && one.words.size() == one.labels.size());
    for (const int32_t label : one.labels) expect(static_cast<size_t>(label) < read.names.size());
  }
}

void pairs(const fs::path& file) {
  for (const locus::TextPair& one : locus::read_pairs(file))
    expect(!one.source.empty() && !one.target.empty());
}

void questions(const fs::path& file) {
  for (const locus::Question& one : locus::read_questions(file)) {
    for (const locus::Answer& answer : one.answers) {
      expect(answer.begin < answer.end &&
             one.context.substr(answer.begin, answer.end - answer.begin) == answer.text);
    }
  }
}

void objects(std::string_view text) {
  locus::TextLines lines(text);
  for (std::string_view line; lines.next(line);) {
    const bool both = lines.number() % 2 == 0;
    const auto read = locus::read_text_object(line, "fuzz", {.second = "text_pair", .both = both});
    expect(!both || read.second.has_value());
  }
}

void read(uint8_t reader, std::string_view text) {
  const MemoryFile memory(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  static const Links links(memory.path());
  static const fs::path json = links.json(), tsv = links.tsv();
  const std::function<void()> readers[] = {
      [] { labeled(json); }, [] { labeled(tsv); }, [] { tagged(json); },    [] { tagged(tsv); },
      [] { pairs(json); },   [] { pairs(tsv); },   [] { questions(json); }, [&] { objects(text); }};
  readers[reader % std::size(readers)]();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const locus::Error&) {
  }
  return 0;
}
