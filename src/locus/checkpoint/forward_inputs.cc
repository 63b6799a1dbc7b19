// The inputs of a forward pass from a JSON file.
#include <cmath>
#include <limits>

#include "locus/base/json_document.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/checkpoint/forward.h"

namespace locus {
namespace {

// Whether a field may contain numbers other than 32-bit integers.
enum class Numbers { whole, any };

struct InputField {
  std::string_view name;
  Tensor ForwardInputs::*member;
  Numbers numbers = Numbers::whole;
};

constexpr InputField kFields[] = {
    {"input_ids", &ForwardInputs::input_ids},
    {"attention_mask", &ForwardInputs::attention_mask},
    {"token_type_ids", &ForwardInputs::token_type_ids},
    {"position_ids", &ForwardInputs::position_ids, Numbers::any},
    {"decoder_input_ids", &ForwardInputs::decoder_input_ids},
    {"labels", &ForwardInputs::labels, Numbers::any},
    {"start_positions", &ForwardInputs::start_positions},
    {"end_positions", &ForwardInputs::end_positions},
};

class RectangleReader {
 public:
  RectangleReader(std::string file, const InputField& field) : file_(std::move(file)), field_(field) {}

  Tensor read(json::Value value) {
    const auto rows = value.list();
    if (!rows) refuse("is not a list");
    for (const json::Value row : *rows) {
      const auto items = row.list();
      const bool nested = items.has_value();
      if (rows_ > 0 && nested != nested_) refuse("mixes numbers and lists");
      nested_ = nested;
      if (nested) {
        add_row(*items);
      } else {
        add(row);
      }
      ++rows_;
    }
    const Shape shape = nested_ ? Shape{rows_, columns_} : Shape{rows_};
    if (whole_) return Tensor::of(shape, std::vector<int32_t>(values_.begin(), values_.end()));
    return Tensor::of(shape, std::vector<float>(values_.begin(), values_.end()));
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    fail(Fault::data, "'{}': {} {}, expected a list of {} or a list of such lists", file_, field_.name, what,
         field_.numbers == Numbers::any ? "numbers" : "whole numbers");
  }

  void add_row(json::List items) {
    int64_t count = 0;
    for (const json::Value item : items) {
      add(item);
      ++count;
    }
    if (rows_ > 0 && count != columns_) {
      fail({Fault::data, Code::bad_shape}, "'{}': {}[{}] has {} numbers, expected {} as in the previous row",
           file_, field_.name, rows_, count, columns_);
    }
    columns_ = count;
  }

  void add(json::Value item) {
    const auto value = item.number();
    if (!value) refuse("contains a value that is not a number");
    const bool whole =
        *value == std::trunc(*value) && std::abs(*value) <= std::numeric_limits<int32_t>::max();
    if (!whole && field_.numbers == Numbers::whole) refuse(fmt::format("contains {}", *value));
    whole_ = whole_ && whole;
    values_.push_back(*value);
  }

  std::string file_;
  const InputField& field_;
  int64_t rows_ = 0, columns_ = 0;
  bool nested_ = false, whole_ = true;
  std::vector<double> values_;
};

const InputField& field_of(std::string_view name, const std::string& file) {
  std::vector<std::string_view> names;
  for (const InputField& field : kFields) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  fail({Fault::data, Code::unknown_option, did_you_mean(name, names)},
       "'{}': unknown input {}, expected only {}", file, quote(name), fmt::join(names, ", "));
}

}  // namespace

ForwardInputs read_inputs(const std::filesystem::path& path) {
  const json::Document document(path, {.bytes = uint64_t{1} << 32});
  ForwardInputs inputs;
  const std::string name = path.string();
  for (const auto [key, value] : document.object()) {
    if (value.is_null()) continue;
    const InputField& field = field_of(key, name);
    inputs.*field.member = RectangleReader(name, field).read(value);
  }
  require(static_cast<bool>(inputs.input_ids), "'{}': input_ids is missing, expected a list of lists",
          path.string());
  return inputs;
}

}  // namespace locus
