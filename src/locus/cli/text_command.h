// Options shared by the commands that apply a model to texts.
#pragma once

#include <span>

#include "locus/apply/reading.h"
#include "locus/apply/span_unit.h"
#include "locus/cli/command.h"
#include "locus/cli/records.h"

namespace locus::cli {

struct TextRequest {
  std::string folder;
  std::vector<std::string> words, files;
  InputFormat format = InputFormat::by_name;
  bool json = false, skip_bad = false;
  DType weights = DType::f32;
  Device device = Device::cpu;
  ReadOptions reading;

  RecordSource source(std::string_view command) const;
};

// Adds DIR, TEXT, --file, --input-format, --json, --skip-bad, --truncate, --batch-tokens, --dtype,
// --device and --threads. `text` describes TEXT.
void add_text_options(Command& command, TextRequest& request, const std::string& text);

void add_threads(Command& command);                            // --threads
void add_dtype(Command& command, DType& weights);              // --dtype
void add_device(Command& command, Device& device);             // --device
void add_input_format(Command& command, InputFormat& format);  // --input-format

std::vector<std::string> texts_of(std::span<const Record> records);
std::vector<TextInput> inputs_of(std::span<const Record> records);
void add_offsets(Command& command, SpanUnit& unit, const std::string& what);  // --offsets
std::string one_line(std::string text);                                       // replaces line ends by spaces
// A name from a model's files as a column: with its control characters escaped, as \x1b.
std::string column(std::string_view name);

}  // namespace locus::cli
