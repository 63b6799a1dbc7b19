// Any bytes as a chat template: throws an Error, or writes a text within the limits.
// Seeds: *.jinja
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/text/chat_template/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kChat = R"({"messages": [{"role": "system", "content": "<s> A"}, {"role": "user",
    "content": "b\nc"}, {"role": "assistant", "content": "d", "tool_calls": [{"function": {"name": "f",
    "arguments": {"x": 1.5}}}]}], "tools": [{"type": "function", "function": {"name": "f", "parameters":
    {"type": "object", "properties": {"x": {"type": "number"}}}}}]})";
  try {
    const locus::ChatTemplate chat(source, "fuzz", {{"bos_token", "<s>"}, {"eos_token", "</s>"}});
    const locus::MarkedText text = locus::render_object(chat, kChat, "fuzz");
    if (text.size() > size_t{1} << 20) std::abort();
    size_t done = 0;
    for (const locus::TextSpan& range : text.user()) {
      if (range.begin >= range.end || range.end > text.size() || (done > 0 && range.begin <= done))
        std::abort();
      done = range.end;
    }
  } catch (const locus::Error&) {
  }
  return 0;
}
