#include "locus/cli/text_command.h"

#include <algorithm>

#include "locus/base/parallel.h"
#include "locus/base/quote.h"

namespace locus::cli {

RecordSource TextRequest::source(std::string_view command) const {
  return {.command = command, .words = words, .files = files, .format = format};
}

void add_text_options(Command& command, TextRequest& request, const std::string& text) {
  command.option("DIR", request.folder, "A Hugging Face model folder, a run, or a checkpoint of a run")
      .required();
  command.option("TEXT", request.words, text + ". Without them, lines are read from stdin");
  command.option("--file", request.files, "A file with one text per line, - for stdin; may be repeated")
      .repeated();
  add_input_format(command, request.format);
  command.flag("--json", request.json, "Print one JSON object per text");
  command.flag("--skip-bad", request.skip_bad, "Report lines that cannot be read on stderr and skip them");
  command.flag("--truncate", request.reading.truncate, "Cut texts that are longer than the model can read");
  command.option("--batch-tokens", request.reading.batch_tokens, "Approximate number of tokens per batch")
      .between(1, 1 << 24)
      .shows_default();
  add_dtype(command, request.weights);
  add_device(command, request.device);
  add_threads(command);
}

void add_input_format(Command& command, InputFormat& format) {
  const auto take = [&format](const std::string& name) {
    format = name == "jsonl" ? InputFormat::jsonl : InputFormat::text;
  };
  command
      .option_to<std::string>(
          "--input-format", take,
          "Format of the input lines: plain text, or one JSON object per line [jsonl if the "
          "file name ends in .jsonl, else text]")
      .one_of({"text", "jsonl"});
}

void add_dtype(Command& command, DType& weights) {
  const auto take = [&weights](const std::string& name) {
    weights = name == name_of(DType::bf16) ? DType::bf16 : DType::f32;
  };
  command
      .option_to<std::string>(
          "--dtype", take,
          "Weight format. bf16 halves the memory, agrees with f32 to 2-3 digits, and is faster on CPUs with "
          "bf16 matrix instructions [f32]")
      .one_of({"f32", "bf16"});
}

void add_device(Command& command, Device& device) {
  const auto take = [&device](const std::string& name) {
    device = name == name_of(Device::cuda) ? Device::cuda : Device::cpu;
  };
  command
      .option_to<std::string>("--device", take,
                              "Where the model computes: cpu, or cuda for an NVIDIA GPU [cpu]")
      .one_of({"cpu", "cuda"});
}

void add_threads(Command& command) {
  const auto use = [](int count) {
    if (count > 0) set_threads(count);
  };
  command
      .option_to<int>("--threads", use,
                      "Number of threads. 0: the variable LOCUS_THREADS, else the number of cores")
      .between(0, 1024);
}

std::vector<std::string> texts_of(std::span<const Record> records) {
  std::vector<std::string> texts;
  for (const Record& record : records) texts.push_back(record.text);
  return texts;
}

std::vector<TextInput> inputs_of(std::span<const Record> records) {
  std::vector<TextInput> inputs;
  for (const Record& record : records) inputs.push_back({record.text, record.second});
  return inputs;
}

void add_offsets(Command& command, SpanUnit& unit, const std::string& what) {
  command.option("--offsets", unit.name, what).one_of({"characters", "bytes"}).shows_default();
}

std::string column(std::string_view name) { return without_controls(name); }

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\r', ' ');
  return text;
}

}  // namespace locus::cli
