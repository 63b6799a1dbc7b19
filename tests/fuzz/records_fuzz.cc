// Any bytes as the input of a command for texts: every line is a record or one error, all texts are UTF-8,
// and a second pass gives the same. The first byte chooses the format.
#include "locus/cli/records.h"

#include <algorithm>
#include <cstdlib>

#include "locus/base/json_document.h"
#include "tests/fuzz/memory_file.h"

namespace {

using locus::cli::InputFormat;
using locus::cli::Record;
using locus::cli::Records;
using locus::cli::RecordSource;

void expect(bool right) {
  if (!right) std::abort();
}

RecordSource source_of(uint8_t choice, const std::string& file) {
  RecordSource source = {.command = "fuzz", .words = {}, .files = {file}};
  source.format = choice % 2 == 0 ? InputFormat::jsonl : InputFormat::text;
  if (choice % 4 >= 2) source.second = "text_pair";
  source.pairs = source.second != nullptr && choice % 8 >= 4;
  source.keeps_objects = choice % 16 >= 8;
  return source;
}

struct Count {
  size_t records = 0, errors = 0, bytes = 0;
  bool operator==(const Count&) const = default;
};

Count count_of(Records& records, const RecordSource& source) {
  Count count;
  int64_t number = 0;
  for (;;) {
    const std::vector<Record> chunk = records.next([&](const locus::Error&) { ++count.errors; });
    if (chunk.empty()) return count;
    for (const Record& record : chunk) {
      expect(record.number > number && locus::json::is_utf8(record.text + record.second.value_or("")));
      expect(!source.pairs || record.is_json || record.second.has_value());
      number = record.number;
      ++count.records;
      count.bytes += record.text.size();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const MemoryFile memory(data + 1, size - 1);
  const RecordSource source = source_of(data[0], memory.path());
  Records records(source);
  const Count first = count_of(records, source);
  const auto lines = static_cast<size_t>(std::count(data + 1, data + size, '\n'));
  const bool open = size > 1 && data[size - 1] != '\n';
  expect(first.records + first.errors == lines + (open ? 1 : 0));
  records.rewind();
  expect(count_of(records, source) == first);
  return 0;
}
