// /generate and /translate: the objects that the commands print with --json.
#include "locus/apply/result_json.h"
#include "locus/base/json.h"
#include "locus/serve/handlers.h"
#include "locus/serve/items.h"
#include "locus/serve/write_options.h"

namespace locus::serve {
namespace {

// The schema of the reasons of name_of().
std::string reason_schema() {
  std::vector<std::string> names;
  for (const StopReason reason : {StopReason::stop, StopReason::length, StopReason::context}) {
    names.push_back(json::text(name_of(reason)));
  }
  return schema::value_of(names);
}

struct WriteRequest {
  std::vector<std::string> texts;
  WriteOptions options;
  ReadOptions reading;
};

using PrintWritten = std::string (*)(const std::string& text, const std::string& written, StopReason reason);

template <PrintWritten kPrint>
std::vector<std::string> answer_written(const Call& call, const WriteRequest& request) {
  std::vector<StopReason> ends(request.texts.size());
  WriteOptions options = request.options;
  options.on_finish = [&](size_t answer, const AnswerEnd& end) { ends[answer] = end.reason; };
  const auto written = call.heads.writer().write(request.texts, options, request.reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < written.size(); ++i) {
    objects.push_back(kPrint(request.texts[i], written[i], ends[i]));
  }
  return objects;
}

WriteRequest read_generate(const Call& call, Items& items) {
  WriteRequest request;
  for (Fields& item : items.each()) request.texts.push_back(item.text("prompt"));
  Fields& given = items.options();
  request.options = read_write_options(call, given);
  request.options.max_tokens = given.integer("max_tokens", 0, kMostCount).value_or(0);
  if (given.flag("read_specials", false)) request.options.specials = Specials::are_tokens;
  request.reading = items.reading();
  return request;
}

std::string generate_result(const Call&) {
  return results_schema(schema::object(
      {{"prompt", schema::text()}, {"text", schema::text()}, {"finish_reason", reason_schema()}}));
}

WriteRequest read_translate(const Call& call, Items& items) {
  WriteRequest request;
  for (Fields& item : items.each()) request.texts.push_back(item.text("text"));
  const Writer& writer = call.heads.writer();
  Fields& given = items.options();
  request.options = writer.defaults();
  request.options.beams = given.integer("beams", 1, kMostBeams, writer.translation_beams());
  request.options.max_tokens = given.integer("max_tokens", 0, kMostCount).value_or(0);
  request.options.from = given.text("from", "");
  request.options.to = given.text("to", "");
  request.reading = items.reading();
  return request;
}

std::string translate_result(const Call&) {
  return results_schema(schema::object(
      {{"text", schema::text()}, {"translation", schema::text()}, {"finish_reason", reason_schema()}}));
}

}  // namespace

const Handler handlers::generate = {answer_items<read_generate, answer_written<generated_json>>,
                                    generate_result, schema_of_items<read_generate>};
const Handler handlers::translate = {answer_items<read_translate, answer_written<translated_json>>,
                                     translate_result, schema_of_items<read_translate>};

}  // namespace locus::serve
