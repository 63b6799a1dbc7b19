// The answer to a completion of OpenAI's API, in one piece or as a stream of chunks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "locus/serve/call.h"
#include "locus/serve/event_stream.h"
#include "locus/serve/write_options.h"

namespace locus::serve {

struct CompletionKind {
  std::string_view id, object, chunk;  // "cmpl-", "text_completion", "text_completion"
  bool chat = false;                   // choices have messages or deltas instead of texts
};

class Completion {
 public:
  Completion(const Call& call, const CompletionKind& kind, OpenAiOptions options, std::string model);

  // Texts that begin the answers to each prompt, for "echo".
  void begin_with(std::vector<std::string> prompts) { prompts_ = std::move(prompts); }
  // Calls write() with the options, and answers.
  std::optional<HttpAnswer> answer(const std::function<std::vector<std::string>(const WriteOptions&)>& write);
  // Of an answer in one piece.
  static std::string result_schema(const CompletionKind& kind);

 private:
  std::string object(std::string_view kind, const std::vector<std::string>& choices, bool usage) const;
  std::string choice(size_t answer, const std::string& content, const std::string& finish) const;
  std::string whole_choice(size_t answer, const std::string& text) const;
  std::string usage_json() const;
  std::string prompt_of(size_t answer) const;
  void open_choice(size_t answer);
  void send_text(size_t answer, std::string_view text);
  void count(size_t answer, const AnswerEnd& end);
  void stream(const std::function<std::vector<std::string>(const WriteOptions&)>& write);

  const Call& call_;
  const CompletionKind& kind_;
  OpenAiOptions options_;
  std::string model_;
  int64_t created_;
  EventStream events_;
  std::vector<std::string> prompts_;
  std::vector<StopReason> ends_;
  std::vector<bool> open_;  // answers whose first chunk was sent
  int64_t read_ = 0, written_ = 0;
};

}  // namespace locus::serve
