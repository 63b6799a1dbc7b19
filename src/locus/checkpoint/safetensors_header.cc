#include "locus/checkpoint/safetensors_header.h"

#include <algorithm>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/json_document.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

// The nesting limit of the reference reader of the format.
constexpr size_t kDeepestHeader = 127;

// simdjson would accept other values than objects, and newer versions of it a byte order mark.
std::string_view object_text(std::string_view text, const std::string& file) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (begin == text.size() || text[begin] != '{') {
    fail({Fault::data, Code::damaged_file}, "'{}': the header begins with {}, expected a JSON object", file,
         quote(text.substr(0, 16)));
  }
  return text;
}

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file)
      : file_(file), document_(object_text(text, file), "the header of '" + file + "'", kDeepestHeader) {}

  SafetensorsHeader parse() {
    SafetensorsHeader header;
    bool has_metadata = false;
    for (const auto [name, value] : document_.object()) {
      if (name == "__metadata__") {
        require(!std::exchange(has_metadata, true), Code::damaged_file,
                "'{}': field '__metadata__' occurs twice in the header, expected once", file_);
        header.metadata = metadata(value);
      } else {
        header.tensors.push_back(tensor(name, value));
      }
    }
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& where, json::Value value, const char* expected) const {
    fail({Fault::data, Code::damaged_file}, "'{}': {} is {}, expected {}", file_, where, quote(value.print()),
         expected);
  }

  std::map<std::string, std::string> metadata(json::Value value) const {
    std::map<std::string, std::string> result;
    if (value.is_null()) return result;
    const auto object = value.object();
    if (!object) refuse("__metadata__", value, "an object of strings");
    for (const auto [key, member] : *object) {
      const auto text = member.text();
      if (!text) refuse("__metadata__, key " + quote(key).text(), member, "a string");
      result.insert_or_assign(std::string(key), std::string(*text));
    }
    return result;
  }

  TensorEntry tensor(std::string_view name, json::Value value) {
    TensorEntry entry{.name = std::string(name)};
    const auto object = value.object();
    if (!object) refuse(where(entry), value, "an object with dtype, shape and data_offsets");
    bool has_shape = false, has_offsets = false;
    for (const auto [key, part] : *object) {
      if (key == "dtype") {
        once(entry.type == nullptr, entry, "dtype");
        entry.type = type(entry, part);
      } else if (key == "shape") {
        once(!std::exchange(has_shape, true), entry, "shape");
        read_numbers(entry, "shape", part, entry.sizes);
      } else if (key == "data_offsets") {
        once(!std::exchange(has_offsets, true), entry, "data_offsets");
        read_numbers(entry, "data_offsets", part, offsets_);
      }
    }
    present(entry.type != nullptr, entry, "dtype");
    present(has_shape, entry, "shape");
    present(has_offsets, entry, "data_offsets");
    if (offsets_.size() != 2)
      fail({Fault::data, Code::damaged_file},
           "'{}': {}: data_offsets has {} numbers, expected 2: begin and end", file_, where(entry),
           offsets_.size());
    entry.begin = offsets_[0];
    entry.end = offsets_[1];
    return entry;
  }

  static std::string where(const TensorEntry& entry) { return "tensor " + quote(entry.name).text(); }

  void once(bool first, const TensorEntry& entry, const char* field) {
    if (!first)
      fail({Fault::data, Code::damaged_file}, "'{}': {}: {} occurs twice, expected once", file_, where(entry),
           field);
  }

  void present(bool found, const TensorEntry& entry, const char* field) {
    if (!found)
      fail({Fault::data, Code::damaged_file},
           "'{}': {}: {} is missing, expected dtype, shape and data_offsets", file_, where(entry), field);
  }

  const StoredType* type(const TensorEntry& entry, json::Value value) const {
    const auto name = value.text();
    if (!name) refuse(where(entry) + ": dtype", value, "a string");
    const StoredType* found = find_stored_type(*name);
    if (found == nullptr) {
      std::string known;
      for (const StoredType& each : stored_types()) (known += known.empty() ? "" : ", ") += each.name;
      fail({Fault::data, Code::damaged_file}, "'{}': {}: dtype is {}, expected one of {}", file_,
           where(entry), quote(*name), known);
    }
    return found;
  }

  void read_numbers(const TensorEntry& entry, const char* field, json::Value value,
                    std::vector<uint64_t>& numbers) const {
    numbers.clear();
    const auto list = value.list();
    if (!list) refuse(where(entry) + ": " + field, value, "an array of whole numbers");
    for (const json::Value item : *list) {
      const auto number = item.unsigned_integer();
      if (!number) {
        refuse(fmt::format("{}: {}[{}]", where(entry), field, numbers.size()), item,
               "a whole number from 0 to 2^64-1");
      }
      numbers.push_back(*number);
    }
  }

  const std::string& file_;
  std::vector<uint64_t> offsets_;  // of the current tensor; a member, so that memory is allocated once
  json::Document document_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& file) {
  return HeaderParser(text, file).parse();
}

}  // namespace locus
