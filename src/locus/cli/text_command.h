// What the commands that apply a model to texts share: their options, and going through the texts in chunks,
// with results in the order the texts came.
#pragma once

#include <functional>
#include <span>

#include "locus/apply/reading.h"
#include "locus/cli/command.h"
#include "locus/cli/records.h"

namespace locus::cli {

struct TextRequest {
  std::string folder;
  std::vector<std::string> words, files;
  bool json = false, skip_bad = false;
  DType weights = DType::f32;
  ReadOptions reading;

  RecordSource source(std::string_view command) const;
};

// DIR, TEXT, --file, --json, --skip-bad, --truncate, --batch-tokens, --dtype and --threads; `text` says what
// TEXT is.
void add_text_options(Command& command, TextRequest& request, const std::string& text);

void add_threads(Command& command);                // --threads alone
void add_dtype(Command& command, DType& weights);  // --dtype alone

// Gives every chunk of records to `work`, which returns what to print for each of them, and hands it to
// `write`: print, at first. A record that cannot be read ends it with an error that names its place, or with
// --skip-bad is told on stderr and left out.
using Work = std::function<std::vector<std::string>(std::span<const Record>, const ReadOptions&)>;
void each_chunk(const TextRequest& request, Records& records, const Work& work,
                const std::function<void(std::string_view)>& write = {});

std::vector<std::string> texts_of(std::span<const Record> records);
std::vector<TextInput> inputs_of(std::span<const Record> records);
// What spans of texts are told in: characters, which is what people count, or bytes.
struct SpanUnit {
  std::string name = "characters";

  bool bytes() const { return name == "bytes"; }
  void told(std::string_view text, std::vector<TextSpan>& spans) const;  // from spans in bytes
};
void add_offsets(Command& command, SpanUnit& unit, const std::string& what);  // --offsets
std::string one_line(std::string text);                                       // line ends become blanks

}  // namespace locus::cli
