#include "locus/apply/writer.h"

#include <algorithm>

#include "locus/apply/token_text.h"
#include "locus/base/quote.h"
#include "locus/run/task_frame.h"
#include "locus/text/marked_text.h"
#include "locus/text/stop_text.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

// Start and end tokens of a training run.
GenerationConfig generation_of(const TextTask& task) {
  GenerationConfig generation;
  if (task.on_pairs()) generation.start_token = static_cast<int32_t>(task.data.start_token);
  generation.end_tokens = end_tokens(task);
  return generation;
}

}  // namespace

// The state of one call of write().
struct Writer::Job {
  const WriteOptions& options;
  Compute* compute;  // nullptr: the calling thread computes
  TokenRules rules;
  std::vector<Encoding> read;        // the prompts, or the texts for the encoder
  std::vector<int64_t> limits;       // most new tokens
  std::vector<StopReason> finishes;  // why each answer ends; until then, why it would end at its limit
  std::vector<TokenText> tokens;     // decodes new tokens
  std::vector<StopText> texts;
  std::vector<int64_t> counts = {};   // of tokens with text
  std::vector<int64_t> written = {};  // of all tokens

  void show(size_t text, const std::string& fresh) {
    if (options.on_text && !fresh.empty() && !options.on_text(text, fresh)) texts[text].stop();
  }
  // Returns false after the last token.
  bool add(size_t text, int32_t token, const Ids& ends) {
    const bool ended = std::ranges::count(ends, token) > 0;
    ++written[text];
    if (!ended) show(text, texts[text].add(tokens[text].add(token)));
    const bool forced = ended && rules.last >= 0 && counts[text] + 1 == limits[text];
    if ((ended && !forced) || texts[text].stopped()) finishes[text] = StopReason::stop;
    return !ended && !texts[text].stopped() && ++counts[text] < limits[text];
  }
  void finish(size_t text) {
    if (!texts[text].stopped()) show(text, texts[text].add(tokens[text].finish()));
    show(text, texts[text].finish());
    if (!options.on_finish) return;
    options.on_finish(text, {finishes[text], static_cast<int64_t>(read[text].size()), written[text]});
  }
};

Writer::Writer(const std::filesystem::path& folder, DType weights, Device device)
    : Writer(TextModel(folder, weights, device)) {}
Writer::Writer(TextModel model) : model_(std::move(model)), warnings_(model_.warnings()) {
  const std::filesystem::path& folder = model_.folder();
  model_.require_head(HeadKind::next_token, "generate text");
  generation_ = model_.hub() ? read_generation(*model_.hub()) : generation_of(model_.task());
  require(!is_encoder_decoder() || generation_.start_token >= 0,
          "'{}' has no decoder_start_token_id, expected the first token of the decoder", folder.string());
  for (const std::string& name : generation_.unsupported) {
    warnings_.push_back(
        fmt::format("'{}': generation_config.json sets {}, which is not supported", folder.string(), name));
  }
}

std::string_view name_of(StopReason finish) {
  constexpr std::string_view kNames[] = {"stop", "length", "context"};
  return kNames[static_cast<size_t>(finish)];
}

WriteOptions Writer::defaults() const {
  return {.sampling = generation_.sampling,
          .beams = std::max<int64_t>(generation_.beams, 1),
          .length_penalty = generation_.length_penalty};
}

// Replaces the language token: the one special token around the text that is not an end token.
void Writer::set_language(Encoding& encoding, int32_t language) const {
  int found = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] != Encoding::kNoText) continue;
    if (std::ranges::count(generation_.end_tokens, encoding.ids[i]) > 0) continue;
    encoding.ids[i] = language;
    ++found;
  }
  require(found == 1,
          "write: from is {}, but the tokenizer adds {} special tokens other than the end token, expected "
          "one for "
          "the language",
          quote(model_.tokenizer().bytes(language)), found);
}

Encoding Writer::prompt_of(const std::string& text, Specials specials, bool truncate) const {
  if (is_encoder_decoder()) return model_.read({text}, truncate, specials);
  Encoding encoding = model_.encode({text}, specials);
  if (encoding.size() == 0 && generation_.start_token >= 0) {
    encoding.push(generation_.start_token, {}, 0, Encoding::kNoText);
  }
  const auto most = static_cast<size_t>(model_.longest());
  if (!truncate || encoding.size() <= most) {
    model_.check_length(encoding);
    return encoding;
  }
  // The end of a prompt matters most, so its beginning is cut. Special tokens stay.
  size_t extra = encoding.size() - most;
  Encoding shorter;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] != Encoding::kNoText && extra > 0) {
      --extra;
    } else {
      shorter.push(encoding.ids[i], encoding.offsets[i], encoding.segments[i], encoding.texts[i]);
    }
  }
  return shorter;
}

std::pair<int64_t, StopReason> Writer::limit_after(size_t prompt, const WriteOptions& options) const {
  const auto before = static_cast<int64_t>(is_encoder_decoder() ? 1 : prompt);
  constexpr int64_t kPreset = 128;
  const int64_t most = options.max_tokens > 0       ? options.max_tokens
                       : generation_.max_tokens > 0 ? generation_.max_tokens
                       : generation_.max_length > 0 ? std::max<int64_t>(generation_.max_length - before, 1)
                                                    : kPreset;
  // The last new token is never an input, so it needs no position.
  const Blueprint& b = model_.blueprint();
  const int64_t room = b.max_length - before + 1;
  if (!scheme_info(b.scheme).extrapolates && room < most) return {room, StopReason::context};
  return {most, StopReason::length};
}

void Writer::search(Job& job, size_t text) const {
  BeamOptions options = {.beams = job.options.beams,
                         .max_tokens = job.limits[text],
                         .length_penalty = job.options.length_penalty,
                         .repetition_penalty = job.options.sampling.repetition_penalty,
                         .stops_early = generation_.stops_early,
                         .end_tokens = generation_.end_tokens,
                         .rules = job.rules};
  if (job.compute != nullptr) options.run = [&](const auto& step) { job.compute->run(step); };
  const Ids& ids = job.read[text].ids;
  const Ids found = is_encoder_decoder()
                        ? beam_search(model_.model(), {generation_.start_token}, options, ids)
                        : beam_search(model_.model(), ids, options);
  for (size_t n = 0; n < found.size() && job.add(text, found[n], generation_.end_tokens); ++n) continue;
  job.finish(text);
}

void Writer::sample(Job& job, std::span<const size_t> texts) const {
  std::vector<WrittenSequence> sequences;
  for (const size_t text : texts) {
    const Ids& ids = job.read[text].ids;
    WrittenSequence sequence = {.prompt = ids, .text = {}, .options = {}};
    if (is_encoder_decoder()) sequence = {.prompt = {generation_.start_token}, .text = ids, .options = {}};
    sequence.options = {.max_tokens = job.limits[text],
                        .end_tokens = generation_.end_tokens,
                        .rules = job.rules,
                        .sampling = job.options.sampling,
                        .seed = job.options.seed + text % static_cast<size_t>(job.options.answers)};
    sequences.push_back(std::move(sequence));
  }
  const auto take = [&](size_t i, int32_t token) {
    const bool goes_on = job.add(texts[i], token, generation_.end_tokens);
    if (!goes_on) job.finish(texts[i]);
    return goes_on;
  };
  if (job.compute != nullptr) return job.compute->write(model_.model(), sequences, take);
  Generation generation(model_.model());
  for (const WrittenSequence& sequence : sequences) {
    generation.add(sequence.prompt, sequence.options, sequence.text);  // ids are indices
  }
  while (!generation.empty()) {
    for (const GeneratedToken& fresh : generation.step()) {
      if (!take(static_cast<size_t>(fresh.id), fresh.token)) generation.remove(fresh.id);
    }
  }
}

std::vector<std::string> Writer::write(ListView<std::string> prompts, const WriteOptions& options,
                                       const ReadOptions& reading) const {
  require(is_encoder_decoder() || (options.from.empty() && options.to.empty()),
          "write: from is {} and to is {}, expected none: only encoder-decoder models have languages",
          quote(options.from), quote(options.to));
  const int32_t from = options.from.empty() ? -1 : model_.tokenizer().special(options.from);
  const auto encoded = [&](size_t i) {
    Encoding encoding = prompt_of(prompts[i], options.specials, reading.truncate);
    if (from >= 0) set_language(encoding, from);
    return encoding;
  };
  return write_encoded(encode_each(prompts.size(), reading, encoded), options, reading);
}

std::vector<std::string> Writer::write_chats(size_t count, const std::function<MarkedText(size_t)>& chat,
                                             const WriteOptions& options, const ReadOptions& reading) const {
  require(!is_encoder_decoder(), Code::wrong_head,
          "model in '{}' cannot chat: it is an encoder-decoder, expected a decoder",
          model_.folder().string());
  require(!reading.truncate, "write_chats: truncate is set, but a chat cannot be cut");
  const auto encoded = [&](size_t i) {
    return model_.read_tokens(model_.tokenizer().encode_marked(chat(i)));
  };
  return write_encoded(encode_each(count, reading, encoded), options, reading);
}

std::vector<std::string> Writer::write_tokens(ListView<Ids> prompts, const WriteOptions& options,
                                              const ReadOptions& reading) const {
  require(!is_encoder_decoder(), Code::wrong_head,
          "model in '{}' cannot continue tokens: it is an encoder-decoder, expected a decoder",
          model_.folder().string());
  const auto encoded = [&](size_t i) { return model_.read_tokens(prompts[i]); };
  return write_encoded(encode_each(prompts.size(), reading, encoded), options, reading);
}

std::vector<std::string> Writer::write_encoded(std::vector<Encoding> read, const WriteOptions& options,
                                               const ReadOptions& reading) const {
  require(options.max_tokens >= 0, "write: max_tokens is {}, expected 0 or more", options.max_tokens);
  require(options.answers >= 1 && options.answers <= 1024, "write: answers is {}, expected 1 to 1024",
          options.answers);
  Job job{options, reading.compute, generation_.rules, {}, {}, {}, {}, {}};
  for (Encoding& encoding : read) {
    job.read.insert(job.read.end(), static_cast<size_t>(options.answers), encoding);
    encoding = {};
  }
  const size_t count = job.read.size();
  // Prompts of different lengths have different limits, so sampling cannot place a forced last token.
  if (!is_encoder_decoder() && options.beams == 1) job.rules.last = -1;
  if (!options.to.empty()) job.rules.first = model_.tokenizer().special(options.to);
  for (const Encoding& encoding : job.read) {
    const auto [limit, reason] = limit_after(encoding.size(), options);
    job.limits.push_back(limit);
    job.finishes.push_back(reason);
    job.tokens.emplace_back(model_.tokenizer(), is_encoder_decoder() ? Ids() : encoding.ids);
    job.texts.emplace_back(options.stops);
  }
  job.counts.resize(count);
  job.written.resize(count);
  std::vector<size_t> sizes;  // with all new tokens: the KV cache holds them, too
  for (size_t i = 0; i < count; ++i) {
    const size_t size = job.read[i].size();
    sizes.push_back(size == 0 ? 0 : size + static_cast<size_t>(job.limits[i]));
  }
  for (const std::vector<size_t>& batch : batches_of(sizes, reading.batch_tokens)) {
    if (options.beams == 1) {
      sample(job, batch);
    } else {
      for (const size_t text : batch) search(job, text);
    }
  }
  std::vector<std::string> result;
  for (const StopText& text : job.texts) result.push_back(text.text());
  return result;
}

}  // namespace locus
