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

struct TokenizeRequest {
  std::vector<std::string> texts;
  bool framed = true;
};

TokenizeRequest read_tokenize(const Call& call, Fields& fields) {
  TokenizeRequest request;
  request.texts = fields.one_or_more("inputs", call.options.max_inputs);
  request.framed = fields.flag("add_special_tokens", true);
  fields.unsupported({"prompt_name"});
  return request;
}

HttpAnswer answer_tokenize(const Call& call, const TokenizeRequest& request) {
  const TextModel& model = call.heads.model();
  const std::vector<std::string>& texts = request.texts;
  const std::vector<Encoding> encodings = encode_each(texts.size(), call.reading(), [&](size_t i) {
    return request.framed ? model.encode({texts[i]}, Specials::are_text, std::numeric_limits<size_t>::max(),
                                         OffsetUnit::code_points)
                          : model.tokenizer().encoding(texts[i], {.framed = false});
  });
  std::vector<std::string> lists;
  for (const Encoding& encoding : encodings) {
    std::vector<std::string> tokens;
    for (size_t i = 0; i < encoding.size(); ++i) tokens.push_back(token_json(model.tokenizer(), encoding, i));
    lists.push_back(json::list(tokens));
  }
  return {.body = json::list(lists)};
}

std::string tokenize_result(const Call&) {
  const std::string place = schema::or_null(schema::integer());
  return schema::list(schema::list(schema::object({{"id", schema::integer()},
                                                   {"text", schema::text()},
                                                   {"special", schema::flag()},
                                                   {"start", place},
                                                   {"stop", place}})));
}

struct DetokenizeRequest {
  std::vector<std::vector<int32_t>> ids;
  bool skips = true;
};

DetokenizeRequest read_detokenize(const Call& call, Fields& fields) {
  DetokenizeRequest request;
  request.ids = read_ids(call, fields, "ids");
  request.skips = fields.flag("skip_special_tokens", true);
  return request;
}

HttpAnswer answer_detokenize(const Call& call, const DetokenizeRequest& request) {
  const Tokenizer& tokenizer = call.heads.model().tokenizer();
  std::vector<std::string> texts;
  for (const std::vector<int32_t>& ids : request.ids) {
    for (const int32_t id : ids) {
      require(id >= 0 && id < tokenizer.size(), Code::bad_token,
              "token id is {}, expected an id from 0 to {}", id, tokenizer.size() - 1);
    }
    texts.push_back(json::text(readable(request.skips ? tokenizer.decode_text(ids) : tokenizer.decode(ids))));
  }
  return {.body = json::list(texts)};
}

}  // namespace

const Handler handlers::tokenize = {answer_object<read_tokenize, answer_tokenize>, tokenize_result,
                                    schema_of<read_tokenize>};
const Handler handlers::detokenize = {answer_object<read_detokenize, answer_detokenize>,
                                      [](const Call&) { return schema::list(schema::text()); },
                                      schema_of<read_detokenize>};

}  // namespace locus::serve
