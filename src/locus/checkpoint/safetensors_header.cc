#include "locus/checkpoint/safetensors_header.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/json_check.h"

namespace locus {
namespace {

namespace ondemand = simdjson::ondemand;

// The nesting limit of the reference reader of the format: the header, a tensor, and values of unknown
// fields.
constexpr size_t kDeepestHeader = 127;
static_assert(kHeaderPadding >= simdjson::SIMDJSON_PADDING);

class HeaderParser {
 public:
  explicit HeaderParser(const std::string& file) : file_(file) {}

  SafetensorsHeader parse(const char* text, size_t length) {
    const simdjson::padded_string_view padded(text, length, length + kHeaderPadding);
    accept(parser_.iterate(padded).get(document_));
    ondemand::object object;
    const auto error = document_.get_object().get(object);
    if (error == simdjson::INCORRECT_TYPE) {
      fail({Fault::data, Code::damaged_file}, "'{}': the header begins with {}, expected a JSON object",
           file_, quote(std::string_view(text, std::min<size_t>(length, 16))));
    }
    accept(error);
    SafetensorsHeader header;
    bool has_metadata = false;
    for (auto item : object) {
      const auto [name, value] = field(item);
      if (name == "__metadata__") {
        require(!has_metadata, Code::damaged_file,
                "'{}': field '__metadata__' occurs twice in the header, expected once", file_);
        has_metadata = true;
        header.metadata = metadata(value);
      } else {
        header.tensors.push_back(tensor(name, value));
      }
    }
    // After the last token, simdjson has no location.
    require(document_.current_location().error() == simdjson::OUT_OF_BOUNDS, Code::damaged_file,
            "'{}': text follows the JSON object of the header, expected only spaces", file_);
    return header;
  }

 private:
  struct Field {
    std::string_view name;
    ondemand::value value;
  };

  // Converts every error of simdjson.
  void accept(simdjson::error_code error) {
    if (error == simdjson::SUCCESS) return;
    if (error == simdjson::MEMALLOC)
      fail(Fault::resource, "'{}': out of memory while parsing its header", file_);
    if (error == simdjson::DEPTH_ERROR)
      fail({Fault::data, Code::damaged_file},
           "'{}': the JSON of the header is nested too deeply, expected at most {} levels", file_,
           kDeepestHeader);
    fail({Fault::data, Code::damaged_file}, "'{}': the header is not valid JSON {}: {}", file_,
         last_key_.empty() ? "from its start" : "after the key " + quote(last_key_).text(),
         simdjson::error_message(error));
  }

  Field field(simdjson::simdjson_result<ondemand::field> item) {
    ondemand::field found;
    accept(std::move(item).get(found));
    Field result;
    accept(found.unescaped_key().get(result.name));
    last_key_ = result.name;
    result.value = found.value();
    return result;
  }

  [[noreturn]] void refuse(const std::string& where, ondemand::value value, const char* expected) {
    const std::string_view token = value.raw_json_token();
    const size_t end = token.find_last_not_of(" \t\r\n");
    fail({Fault::data, Code::damaged_file}, "'{}': {} is {}, expected {}", file_, where,
         quote(token.substr(0, end + 1)), expected);
  }

  // `error` is the result of reading `value` as a type. A value of another type and invalid JSON have
  // different messages.
  void accept_type(simdjson::error_code error, const std::string& where, ondemand::value value,
                   const char* expected) {
    if (error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_ERROR) refuse(where, value, expected);
    accept(error);
  }

  std::map<std::string, std::string> metadata(ondemand::value value) {
    std::map<std::string, std::string> result;
    bool null = false;
    accept(value.is_null().get(null));
    if (null) return result;
    ondemand::object object;
    accept_type(value.get_object().get(object), "__metadata__", value, "an object of strings");
    for (auto item : object) {
      auto [key, text_value] = field(item);
      std::string_view text;
      const auto error = text_value.get_string().get(text);
      if (error == simdjson::INCORRECT_TYPE)
        refuse("__metadata__, key " + quote(key).text(), text_value, "a string");
      accept(error);
      result.insert_or_assign(std::string(key), std::string(text));
    }
    return result;
  }

  TensorEntry tensor(std::string_view name, ondemand::value value) {
    TensorEntry entry{.name = std::string(name)};
    ondemand::object object;
    if (const auto error = value.get_object().get(object))
      accept_type(error, where(entry), value, "an object with dtype, shape and data_offsets");
    bool has_shape = false, has_offsets = false;
    for (auto item : object) {
      const auto [key, part] = field(item);
      if (key == "dtype") {
        once(entry.type == nullptr, entry, "dtype");
        entry.type = type(entry, part);
      } else if (key == "shape") {
        once(!std::exchange(has_shape, true), entry, "shape");
        read_numbers(entry, "shape", part, entry.sizes);
      } else if (key == "data_offsets") {
        once(!std::exchange(has_offsets, true), entry, "data_offsets");
        read_numbers(entry, "data_offsets", part, offsets_);
      } else {
        accept(check_json(part, kDeepestHeader - 2));
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

  const StoredType* type(const TensorEntry& entry, ondemand::value value) {
    std::string_view name;
    const auto error = value.get_string().get(name);
    if (error == simdjson::INCORRECT_TYPE) refuse(where(entry) + ": dtype", value, "a string");
    accept(error);
    const StoredType* found = find_stored_type(name);
    if (found == nullptr) {
      std::string known;
      for (const StoredType& each : stored_types()) (known += known.empty() ? "" : ", ") += each.name;
      fail({Fault::data, Code::damaged_file}, "'{}': {}: dtype is {}, expected one of {}", file_,
           where(entry), quote(name), known);
    }
    return found;
  }

  void read_numbers(const TensorEntry& entry, const char* field, ondemand::value value,
                    std::vector<uint64_t>& numbers) {
    numbers.clear();
    ondemand::array array;
    if (const auto error = value.get_array().get(array))
      accept_type(error, where(entry) + ": " + field, value, "an array of whole numbers");
    for (auto item : array) {
      ondemand::value element;
      accept(std::move(item).get(element));
      uint64_t number = 0;
      if (const auto error = element.get_uint64().get(number)) {
        accept_type(error, fmt::format("{}: {}[{}]", where(entry), field, numbers.size()), element,
                    "a whole number from 0 to 2^64-1");
      }
      numbers.push_back(number);
    }
  }

  const std::string& file_;
  std::string_view last_key_;
  std::vector<uint64_t> offsets_;  // of the current tensor; a member, so that memory is allocated once
  ondemand::parser parser_;
  ondemand::document document_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(const char* text, size_t length, const std::string& file) {
  return HeaderParser(file).parse(text, length);
}

}  // namespace locus
