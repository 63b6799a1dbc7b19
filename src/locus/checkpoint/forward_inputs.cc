// The inputs of a forward pass from a JSON file.
#include <simdjson.h>

#include <cmath>
#include <limits>

#include "locus/base/file.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/checkpoint/forward.h"

namespace locus {
namespace {

namespace dom = simdjson::dom;

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

  Tensor read(dom::element value) {
    dom::array rows;
    if (value.get_array().get(rows)) refuse("is not a list");
    for (const dom::element row : rows) {
      dom::array items;
      const bool nested = row.get_array().get(items) == simdjson::SUCCESS;
      if (rows_ > 0 && nested != nested_) refuse("mixes numbers and lists");
      nested_ = nested;
      if (nested) {
        add_row(items);
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

  void add_row(dom::array items) {
    int64_t count = 0;
    for (const dom::element item : items) {
      add(item);
      ++count;
    }
    if (rows_ > 0 && count != columns_) {
      fail({Fault::data, Code::bad_shape}, "'{}': {}[{}] has {} numbers, expected {} as in the previous row",
           file_, field_.name, rows_, count, columns_);
    }
    columns_ = count;
  }

  void add(dom::element item) {
    double value = 0;
    if (item.get_double().get(value)) refuse("contains a value that is not a number");
    const bool whole = value == std::trunc(value) && std::abs(value) <= std::numeric_limits<int32_t>::max();
    if (!whole && field_.numbers == Numbers::whole) refuse(fmt::format("contains {}", value));
    whole_ = whole_ && whole;
    values_.push_back(value);
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
  dom::parser parser;
  dom::object object;
  const auto error = parser.parse(read_file(path, uint64_t{1} << 32)).get_object().get(object);
  require(!error, Code::damaged_file, "'{}': not a JSON object: {}", path.string(),
          simdjson::error_message(error));
  ForwardInputs inputs;
  const std::string name = path.string();
  for (const dom::key_value_pair member : object) {
    if (member.value.is_null()) continue;
    const InputField& field = field_of(member.key, name);
    inputs.*field.member = RectangleReader(name, field).read(member.value);
  }
  require(static_cast<bool>(inputs.input_ids), "'{}': input_ids is missing, expected a list of lists",
          path.string());
  return inputs;
}

}  // namespace locus
