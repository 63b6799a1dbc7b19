// Any bytes as the body of a request: throws an Error, or its members are what the getters promise.
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/serve/chat_input.h"
#include "locus/serve/fields.h"
#include "locus/serve/refused.h"
#include "locus/text/readable.h"

namespace {

void expect(bool right) {
  if (!right) std::abort();
}

void read(std::string_view text) {
  namespace serve = locus::serve;
  const locus::json::Document body = serve::parse_body(text);
  serve::Fields fields(body);
  if (fields.find("messages", "{}")) locus::json::Document(serve::read_chat(fields), "chat").object();
  for (const std::string& one : fields.one_or_more("input", 64)) expect(locus::is_utf8(one));
  if (const auto count = fields.integer("n", 1, 128)) expect(*count >= 1 && *count <= 128);
  if (const auto number = fields.number("temperature", 0, 2)) expect(*number >= 0 && *number <= 2);
  fields.flag("stream", false);
  if (fields.find("parameters", "{}")) fields.object("parameters").done();
  fields.ignore({"user"});
  fields.unsupported({"tools"});
  fields.done();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    read({reinterpret_cast<const char*>(data), size});
  } catch (...) {
    const auto answer = locus::serve::refused_answer("/v1/embeddings", std::current_exception());
    expect(answer.status == 400 && locus::is_utf8(answer.body));
    locus::json::Document(answer.body, "answer").object();
  }
  return 0;
}
