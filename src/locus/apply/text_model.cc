#include "locus/apply/text_model.h"

#include <algorithm>
#include <future>

#include "locus/base/parallel.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/nn/blueprint_fields.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

bool has_classes(HeadKind head) { return head == HeadKind::sequence_class || head == HeadKind::token_class; }

int64_t length_limit(const Config& config, int64_t most) {
  const double limit = config.number("model_max_length", 1, 1e300, static_cast<double>(most));
  return limit < static_cast<double>(most) ? static_cast<int64_t>(limit) : most;
}

// Whether the tokenizer produces segments (token_type_ids).
bool has_segments(const Config& config) {
  const std::string list = "model_input_names";
  bool found = config.count(list) == 0;
  for (int64_t i = 0; i < config.count(list); ++i) {
    found |= config.text(fmt::format("{}.{}", list, i)) == "token_type_ids";
  }
  return found;
}

}  // namespace

TextModel::TextModel(const fs::path& folder, DType weights) : folder_(folder) {
  if (!is_folder(folder)) {
    fail({Fault::io, Code::missing_file},
         "no folder '{}', expected a Hugging Face model folder or the folder of a training run",
         folder.string());
  }
  if (is_there(folder / "config.json")) {
    open_hub(weights);
  } else {
    open_run(weights);
  }
  // Inference only: schemes may cache values derived from frozen weights.
  (hub_ ? hub_->model : run_->model).parameters().freeze("");
  const Blueprint& b = blueprint();
  // For example, Gemma 3's tokenizer has an image token, for which its text-only models have no row.
  if (tokenizer_->size() > b.vocabulary) {
    warnings_.push_back(fmt::format(
        "'{}': the tokenizer has {} tokens, but the model only {} rows; texts with other tokens are "
        "errors",
        folder.string(), tokenizer_->size(), b.vocabulary));
  }
  require(!has_classes(b.head) || static_cast<int64_t>(labels_.size()) == b.labels,
          "'{}' has names for {} labels, expected {}, the number of classes of its head", folder.string(),
          labels_.size(), b.labels);
}

void TextModel::open_hub(DType weights) {
  // Parsing the tokenizer on one thread takes about as long as reading the weights on the others.
  auto tokenizer = std::async(threads() > 1 ? std::launch::async : std::launch::deferred,
                              [this] { return load_tokenizer(folder_.string()); });
  hub_ = open_model(folder_, {.weights = weights, .lazy_tokens = true});
  warnings_ = hub_->warnings;
  tokenizer_ = tokenizer.get();
  const Config config(tokenizer_config_text(folder_), folder_ / kTokenizerConfigFile);
  longest_ = length_limit(config, blueprint().max_length);
  segments_ = has_segments(config);
  cuts_begin_ = config.text("truncation_side", "right") == "left";
  if (!has_classes(blueprint().head)) return;
  labels_ = named_labels(hub_->config);
  name_remaining_labels(labels_, blueprint().labels);
}

void TextModel::open_run(DType weights) {
  require(is_run(folder_), Code::missing_file,
          "no config.json and no checkpoint in '{}', expected a Hugging Face model folder or the folder of a "
          "training run",
          folder_.string());
  run_ = load_run(folder_, weights);
  warnings_ = run_->warnings;
  tokenizer_ = run_->task.tokenizer;
  frame_ = frame_of(run_->task);
  const bool ends = !scheme_info(blueprint().scheme).extrapolates;
  longest_ = ends ? blueprint().max_length : std::numeric_limits<int64_t>::max();
  if (has_classes(blueprint().head)) labels_ = run_->task.labels;
}

void TextModel::require_head(HeadKind head, std::string_view purpose) const {
  if (blueprint().head == head) return;
  Blueprint wanted = blueprint();
  wanted.head = head;
  fail({Fault::data, Code::wrong_head}, "model in '{}' cannot {}: its head is {}, expected {}",
       folder_.string(), purpose, field_values(blueprint()).at("head"), field_values(wanted).at("head"));
}

Var TextModel::operator()(const Tokens& texts) const {
  if (blueprint().kind != ModelKind::encoder_decoder) return model()(texts);
  const int32_t start = hub_ ? token_of(hub_->config, "decoder_start_token_id", blueprint().vocabulary)
                             : static_cast<int32_t>(run_->task.data.start_token);
  const Tensor ids = texts.ids.like(texts.ids.shape());
  const auto from = texts.ids.data<int32_t>(), to = ids.data<int32_t>();
  std::copy(from.begin(), from.end() - 1, to.begin() + 1);
  const auto starts = texts.placement.sequences().query_starts.data<int32_t>();
  for (const int32_t first : starts.first(starts.size() - 1)) to[first] = start;
  return model()(texts, {ids, texts.placement, {}});
}

Encoding TextModel::encode(const TextInput& input, Specials specials, size_t longest, OffsetUnit unit) const {
  Encoding encoding =
      frame_.read(input, *tokenizer_, {.specials = specials, .unit = unit, .longest = longest});
  if (!segments_) std::ranges::fill(encoding.segments, 0);
  for (const int32_t id : encoding.ids) {
    require(id < blueprint().vocabulary, Code::bad_token,
            "token {} has the id {}, expected an id below {}, the vocabulary of the model",
            quote(tokenizer_->bytes(id)), id, blueprint().vocabulary);
  }
  return encoding;
}

void TextModel::check_length(const Encoding& encoding) const {
  require(encoding.size() > 0, "the text has no tokens, expected at least one");
  require(static_cast<int64_t>(encoding.size()) <= longest_, Code::context_too_long,
          "the text is too long: got {} tokens, expected at most {}", encoding.size(), longest_);
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
