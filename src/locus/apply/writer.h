// Text generation. A decoder continues a prompt; an encoder-decoder reads the prompt and generates an answer,
// for example a translation. Options come from the caller, then from the folder's generation_config.json.
#pragma once

#include <functional>
#include <utility>

#include "locus/apply/reading.h"
#include "locus/checkpoint/generation_config.h"
#include "locus/nn/generate.h"

namespace locus {

class MarkedText;

// Why an answer ended: with an end token or a stop string, at the limit on new tokens, or because a longer
// one would exceed the maximum length of the model.
enum class StopReason { stop, length, context };
std::string_view name_of(StopReason finish);  // "stop", "length", "context"

// How an answer ended.
struct AnswerEnd {
  StopReason reason = StopReason::stop;
  int64_t read = 0;     // tokens of the prompt
  int64_t written = 0;  // tokens of the answer, with the end token
};

struct WriteOptions {
  int64_t max_tokens = 0;  // most new tokens; 0: the folder's limit, or 128 if it has none
  Sampling sampling;       // Writer::defaults() has the folder's values
  int64_t beams = 1;       // above 1: beam search, which uses only the repetition penalty of `sampling`
  float length_penalty = 1;
  uint64_t seed = 0;
  // Answers to each prompt. Answer a of prompt p has the index p * answers + a, and a sampled one has the
  // seed `seed` + a.
  int64_t answers = 1;
  Specials specials = Specials::are_text;  // names of special tokens in a prompt
  // Source and target language of a multilingual encoder-decoder, by their special tokens, such as fra_Latn
  // for NLLB. `from` marks the text that is read, `to` begins the answer. Empty: the folder's default.
  std::string from, to;
  std::vector<std::string> stops;  // stop strings: they end the answer and are not part of it
  // Called with new text as soon as it is final, and with the index of its answer from 0. If it returns
  // false, the answer ends there.
  std::function<bool(size_t answer, std::string_view text)> on_text = {};
  // Called once per answer, when it is complete.
  std::function<void(size_t answer, const AnswerEnd& end)> on_finish = {};
};

class Writer {
 public:
  explicit Writer(const std::filesystem::path& folder, DType weights = DType::f32,
                  Device device = Device::cpu);
  explicit Writer(TextModel model);

  const TextModel& model() const { return model_; }
  bool is_encoder_decoder() const { return model_.blueprint().kind == ModelKind::encoder_decoder; }
  // Unsupported settings of generation_config.json, and warnings about the weights.
  const std::vector<std::string>& warnings() const { return warnings_; }
  WriteOptions defaults() const;  // the folder's options
  // Beams of a translation that does not name them: the folder's number, or 4 if it has none.
  int64_t translation_beams() const { return generation_.beams > 0 ? generation_.beams : 4; }

  // The continuation of each prompt, or the answer to it, in order. It does not depend on the other prompts.
  // With `truncate`, prompts that are too long lose their beginning; texts for an encoder lose their end.
  std::vector<std::string> write(ListView<std::string> prompts, const WriteOptions& options,
                                 const ReadOptions& reading = {}) const;
  // The answers to chats. chat(i) is what ChatTemplate::render() returns for chat i; if it throws, this chat
  // is invalid. Special tokens are those of the template, none are added. Only for decoders.
  std::vector<std::string> write_chats(size_t count, const std::function<MarkedText(size_t)>& chat,
                                       const WriteOptions& options, const ReadOptions& reading = {}) const;
  // The answers to prompts that are tokens already. Only for decoders.
  std::vector<std::string> write_tokens(ListView<std::vector<int32_t>> prompts, const WriteOptions& options,
                                        const ReadOptions& reading = {}) const;

 private:
  struct Job;
  std::vector<std::string> write_encoded(std::vector<Encoding> read, const WriteOptions& options,
                                         const ReadOptions& reading) const;
  Encoding prompt_of(const std::string& text, Specials specials, bool truncate) const;
  void set_language(Encoding& encoding, int32_t language) const;
  // The limit on new tokens after a prompt of this length, and the reason why an answer ends there.
  std::pair<int64_t, StopReason> limit_after(size_t prompt, const WriteOptions& options) const;
  void search(Job& job, size_t text) const;
  void sample(Job& job, std::span<const size_t> texts) const;

  TextModel model_;
  GenerationConfig generation_;
  std::vector<std::string> warnings_;
};

}  // namespace locus
