// Tokens of texts and texts of tokens, as Text Embeddings Inference.
#include "locus/base/json.h"
#include "locus/serve/handlers.h"
#include "locus/serve/inputs.h"
#include "locus/serve/refused.h"
#include "locus/text/readable.h"

namespace locus::serve {
namespace {

std::string token_json(const Tokenizer& tokenizer, const Encoding& encoding, size_t i) {
  const bool special = encoding.texts[i] == Encoding::kNoText;
  json::Members members = {{"id", json::number(int64_t{encoding.ids[i]})},
                           {"text", json::text(readable(tokenizer.bytes(encoding.ids[i])))},
                           {"special", json::boolean(special)}};
  members.emplace_back("start", special ? "null" : json::number(int64_t{encoding.offsets[i].begin}));
  members.emplace_back("stop", special ? "null" : json::number(int64_t{encoding.offsets[i].end}));
  return json::object(members);
}

}  // namespace

std::optional<HttpAnswer> tokenize(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const std::vector<std::string> texts = fields.one_or_more("inputs");
  check_count(call, "inputs", texts.size());
  const bool framed = fields.flag("add_special_tokens", true);
  const std::string prompt = fields.text("prompt_name", "");
  fields.done();
  if (!prompt.empty())
    throw Refused(kUnsupported, "'prompt_name' is not supported by this route", "prompt_name");
  const TextModel& model = call.heads.model();
  const std::vector<Encoding> encodings = encode_each(texts.size(), call.reading(), [&](size_t i) {
    return framed ? model.encode({texts[i]}, Specials::are_text, std::numeric_limits<size_t>::max(),
                                 OffsetUnit::code_points)
                  : model.tokenizer().encoding(texts[i], {.framed = false});
  });
  std::vector<std::string> lists;
  for (const Encoding& encoding : encodings) {
    std::vector<std::string> tokens;
    for (size_t i = 0; i < encoding.size(); ++i) tokens.push_back(token_json(model.tokenizer(), encoding, i));
    lists.push_back(json::list(tokens));
  }
  return HttpAnswer{.body = json::list(lists)};
}

std::optional<HttpAnswer> detokenize(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const Inputs inputs = read_inputs(call, fields, "ids");
  if (!inputs.texts.empty()) fields.refuse("ids", "a list of token ids, or a list of such lists");
  const bool skips = fields.flag("skip_special_tokens", true);
  fields.done();
  const Tokenizer& tokenizer = call.heads.model().tokenizer();
  std::vector<std::string> texts;
  for (const std::vector<int32_t>& ids : inputs.ids) {
    for (const int32_t id : ids) {
      require(id >= 0 && id < tokenizer.size(), Code::bad_token,
              "token id is {}, expected an id from 0 to {}", id, tokenizer.size() - 1);
    }
    texts.push_back(json::text(readable(skips ? tokenizer.decode_text(ids) : tokenizer.decode(ids))));
  }
  return HttpAnswer{.body = json::list(texts)};
}

}  // namespace locus::serve
