#include "locus/apply/text_model.h"

#include <algorithm>

#include "locus/base/quote.h"
#include "locus/nn/blueprint_fields.h"
#include "locus/run/task_frame.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

int64_t longest_of(const TrainedModel& trained) {
  if (trained.hub()) return trained.task().data.context;
  const Blueprint& b = trained.blueprint();
  return scheme_info(b.scheme).extrapolates ? std::numeric_limits<int64_t>::max() : b.max_length;
}

bool cuts_begin(const std::filesystem::path& folder) {
  const Config config(tokenizer_config_text(folder), folder / kTokenizerConfigFile);
  return config.text("truncation_side", "right") == "left";
}

}  // namespace

TextModel::TextModel(const std::filesystem::path& folder, DType weights, Device device)
    : trained_(std::make_shared<TrainedModel>(
          folder, TrainedModel::Options{.weights = weights, .lazy_tokens = true, .device = device})),
      frame_(frame_of(task())),
      longest_(longest_of(*trained_)),
      cuts_begin_(hub() && cuts_begin(folder)) {
  // Inference only: schemes may cache values derived from frozen weights.
  trained_->model().parameters().freeze("");
}

void TextModel::require_head(HeadKind head, std::string_view purpose) const {
  if (blueprint().head.kind == head) return;
  Blueprint wanted = blueprint();
  wanted.head.kind = head;
  fail({Fault::data, Code::wrong_head}, "model in '{}' cannot {}: its head is {}, expected {}",
       folder().string(), purpose, field_values(blueprint()).at("head"), field_values(wanted).at("head"));
}

Var TextModel::operator()(const Tokens& texts) const {
  if (blueprint().kind != ModelKind::encoder_decoder) return model()(texts);
  const int32_t start = task().start_token();
  const auto from = texts.ids.values();
  std::vector<int32_t> ids(from.begin(), from.end());
  std::copy(from.begin(), from.end() - 1, ids.begin() + 1);
  const auto starts = texts.placement.sequences().query_starts.values();
  for (const int32_t first : starts.first(starts.size() - 1)) ids[static_cast<size_t>(first)] = start;
  return model()(texts, {Indices::of(ids), texts.placement, {}});
}

Encoding TextModel::encode(const TextInput& input, Specials specials, size_t longest, OffsetUnit unit) const {
  Encoding encoding =
      frame_.read(input, tokenizer(), {.specials = specials, .unit = unit, .longest = longest});
  for (const int32_t id : encoding.ids) {
    require(id < blueprint().vocabulary, Code::bad_token,
            "token {} has the id {}, expected an id below {}, the vocabulary of the model",
            quote(tokenizer().bytes(id)), id, blueprint().vocabulary);
  }
  return encoding;
}

void TextModel::check_length(const Encoding& encoding) const {
  require(encoding.size() > 0, "the text has no tokens, expected at least one");
  require(static_cast<int64_t>(encoding.size()) <= longest_, Code::context_too_long,
          "the text is too long: got {} tokens, expected at most {}", encoding.size(), longest_);
}

Encoding TextModel::read_tokens(std::vector<int32_t> ids) const {
  for (const int32_t id : ids) {
    require(id >= 0 && id < blueprint().vocabulary, Code::bad_token,
            "token id is {}, expected an id from 0 to {}, the vocabulary of the model", id,
            blueprint().vocabulary - 1);
  }
  Encoding encoding;
  encoding.resize(ids.size());
  encoding.ids = std::move(ids);
  check_length(encoding);
  return encoding;
}

Encoding TextModel::read(const TextInput& input, bool truncate, Specials specials, OffsetUnit unit) const {
  // Truncation happens before special tokens are added, so it keeps them.
  const size_t most =
      truncate && !cuts_begin_ ? static_cast<size_t>(longest_) : std::numeric_limits<size_t>::max();
  Encoding encoding = encode(input, specials, most, unit);
  require(
      !truncate || !cuts_begin_ || static_cast<int64_t>(encoding.size()) <= longest_, Code::unsupported_field,
      "the text is too long: got {} tokens, expected at most {}; the tokenizer truncates at the beginning "
      "(truncation_side left), which is not supported",
      encoding.size(), longest_);
  check_length(encoding);
  return encoding;
}

}  // namespace locus
