// /generate and /translate: the objects that the commands print with --json.
#include "locus/apply/result_json.h"
#include "locus/serve/handlers.h"
#include "locus/serve/items.h"
#include "locus/serve/write_options.h"

namespace locus::serve {
namespace {

std::vector<std::string> write(const Call& call, std::span<const std::string> prompts, WriteOptions& options,
                               const ReadOptions& reading, std::vector<StopReason>& ends) {
  ends.resize(prompts.size());
  options.on_finish = [&](size_t answer, const AnswerEnd& end) { ends[answer] = end.reason; };
  return call.heads.writer().write(prompts, options, reading);
}

}  // namespace

std::optional<HttpAnswer> generate(const Call& call) {
  Items items(call);
  WriteOptions options = read_write_options(call, items.options());
  options.max_tokens = items.options().integer("max_tokens", 0, kMostCount).value_or(0);
  if (items.options().flag("read_specials", false)) options.specials = Specials::are_tokens;
  const ReadOptions reading = items.reading();
  std::vector<std::string> prompts;
  for (Fields& item : items.each()) prompts.push_back(item.text("prompt"));
  items.done();
  std::vector<StopReason> ends;
  const std::vector<std::string> texts = write(call, prompts, options, reading, ends);
  std::vector<std::string> objects;
  for (size_t i = 0; i < texts.size(); ++i) objects.push_back(generated_json(prompts[i], texts[i], ends[i]));
  return items.answer(objects);
}

std::optional<HttpAnswer> translate(const Call& call) {
  Items items(call);
  const Writer& writer = call.heads.writer();
  WriteOptions options = writer.defaults();
  Fields& given = items.options();
  options.beams = given.integer("beams", 1, kMostBeams).value_or(writer.translation_beams());
  options.max_tokens = given.integer("max_tokens", 0, kMostCount).value_or(0);
  options.from = given.text("from", "");
  options.to = given.text("to", "");
  const ReadOptions reading = items.reading();
  std::vector<std::string> texts;
  for (Fields& item : items.each()) texts.push_back(item.text("text"));
  items.done();
  std::vector<StopReason> ends;
  const std::vector<std::string> answers = write(call, texts, options, reading, ends);
  std::vector<std::string> objects;
  for (size_t i = 0; i < texts.size(); ++i) objects.push_back(translated_json(texts[i], answers[i], ends[i]));
  return items.answer(objects);
}

}  // namespace locus::serve
