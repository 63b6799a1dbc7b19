#include "locus/apply/vector_texts.h"

#include <algorithm>
#include <cstring>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

constexpr const char* kTextsHint = "embed the texts again, or remove this file to search without texts";

std::string checksum_text(std::span<const std::byte> vector) {
  return fmt::format("{:016x}", checksum(vector));
}

}  // namespace

std::filesystem::path texts_path(const std::filesystem::path& vectors) { return vectors.string() + ".jsonl"; }

std::string text_line(int64_t row, std::string_view text, std::span<const std::byte> vector) {
  return json::object({{"row", json::number(row)},
                       {"text", json::text(text)},
                       {"checksum", json::text(checksum_text(vector))}}) +
         "\n";
}

VectorTexts::VectorTexts(const std::filesystem::path& path, int64_t rows) : file_(path), starts_{0} {
  std::string block(1 << 20, '\0');
  for (uint64_t offset = 0; offset < file_.size(); offset += block.size()) {
    block.resize(std::min<uint64_t>(block.size(), file_.size() - offset));
    file_.read_at(offset, std::as_writable_bytes(std::span(block)));
    for (size_t at = 0; (at = block.find('\n', at)) != std::string::npos;) starts_.push_back(offset + ++at);
  }
  if (starts_.back() != file_.size()) starts_.push_back(file_.size());
  const size_t lines = starts_.size() - 1;
  if (lines != static_cast<size_t>(rows)) {
    fail({Fault::data, Code::damaged_file, kTextsHint},
         "'{}' has {} lines, expected {}, one for each row of the vectors", path.string(), lines, rows);
  }
}

std::string VectorTexts::text(int64_t row, std::span<const std::byte> vector) const {
  const auto at = static_cast<size_t>(row);
  std::string line(starts_[at + 1] - starts_[at], '\0');
  file_.read_at(starts_[at], std::as_writable_bytes(std::span(line)));
  const json::Document object(line, fmt::format("line {} of '{}'", row + 1, file_.path().string()));
  const std::string found = object.text("checksum"), expected = checksum_text(vector);
  if (found != expected) {
    fail({Fault::data, Code::damaged_file, kTextsHint},
         "{} belongs to another vector: its checksum is {}, expected {}, the checksum of row {}",
         object.where(), quote(found), expected, row);
  }
  return object.text("text");
}

}  // namespace locus
