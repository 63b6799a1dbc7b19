// locus generate: continues a prompt with a decoder, or answers a source text with an encoder-decoder.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>

#include "locus/apply/result_json.h"
#include "locus/base/fields.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/finishes.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"
#include "locus/text/chat_template/chat_template.h"

namespace locus::cli {
namespace {

struct GenerateRequest : TextRequest {
  std::vector<std::string> stops;
  OptionValues sampling;  // the options that were given
  int64_t max_tokens = 0, beams = 0;
  std::optional<float> length_penalty;
  uint64_t seed = 0;
  bool read_specials = false, chat = false;
};

std::string flag_of(std::string_view field) {
  std::string flag = fmt::format("--{}", field);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

// Whether an option asks for sampling. The repetition penalty also applies to beam search.
bool samples(const GenerateRequest& request) {
  return std::ranges::any_of(request.sampling,
                             [](const auto& option) { return option.first != "repetition_penalty"; });
}

void check(const GenerateRequest& request) {
  const auto refuse_if = [](bool wrong, const char* what) {
    if (wrong) fail(Fault::usage, "generate: {}", what);
  };
  refuse_if(request.beams > 1 && samples(request),
            "--beams cannot be combined with sampling options other than --repetition-penalty");
  refuse_if(std::ranges::count(request.stops, "") > 0, "got an empty --stop");
  refuse_if(request.chat && request.read_specials,
            "--chat cannot be combined with --read-specials: the chat template writes the special tokens");
  refuse_if(request.chat && request.reading.truncate,
            "--chat cannot be combined with --truncate: a chat without its beginning is not what the "
            "template wrote");
}

// Options that only choose among likely tokens have no effect if every token is the most likely one.
void refuse_unused(const GenerateRequest& request, const WriteOptions& options) {
  if (options.sampling.temperature > 0 || request.sampling.contains("temperature")) return;
  std::vector<std::string> unused;
  for (const char* name : {"top_k", "top_p", "min_p"}) {
    if (request.sampling.contains(name)) unused.push_back(flag_of(name));
  }
  if (unused.empty()) return;
  fail({Fault::usage, Code::none, "add --temperature, for example --temperature 0.8"},
       "generate: {} applies to sampling only, but the temperature is 0, which is greedy decoding",
       fmt::join(unused, ", "));
}

// The folder's generation settings, overridden by the command line.
WriteOptions options_of(const GenerateRequest& request, const Writer& writer) {
  WriteOptions options = writer.defaults();
  if (samples(request)) options.beams = 1;
  if (request.beams > 0) options.beams = request.beams;
  if (request.length_penalty) options.length_penalty = *request.length_penalty;
  options.max_tokens = request.max_tokens;
  options.seed = request.seed;
  if (request.read_specials) options.specials = Specials::are_tokens;
  options.stops = request.stops;
  refuse("generate", read_fields(options.sampling, request.sampling));
  refuse_unused(request, options);
  return options;
}

// The answers to the prompts of a chunk, or to its chats. `prompts` gets the texts that the model continues.
std::vector<std::string> answers(const Writer& writer, const ChatTemplate* chat,
                                 std::span<const Record> chunk, const WriteOptions& options,
                                 const ReadOptions& reading, std::vector<std::string>& prompts) {
  prompts = texts_of(chunk);
  if (chat == nullptr) return writer.write(prompts, options, reading);
  const auto render = [&](size_t i) {
    MarkedText text =
        chunk[i].is_json ? render_object(*chat, chunk[i].text, "chat") : render_message(*chat, chunk[i].text);
    prompts[i] = text.bytes();
    return text;
  };
  return writer.write_chats(chunk.size(), render, options, reading);
}

void run(const GenerateRequest& request) {
  check(request);
  RecordSource source = request.source("generate");
  source.first = "prompt";
  source.keeps_objects = request.chat;
  Records records(std::move(source));
  const Writer writer(request.folder, request.weights, request.device);
  note_model(writer);
  std::optional<ChatTemplate> chat;
  if (request.chat) chat.emplace(load_chat_template(request.folder));
  WriteOptions options = options_of(request, writer);
  const Finishes finishes(options);
  // The answer to a single prompt is streamed token by token.
  const bool live = request.words.size() == 1 && !request.json;
  if (live) {
    options.on_text = [](size_t, std::string_view text) {
      print(text);
      flush();
      return true;
    };
  }
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<std::string> prompts;
    std::vector<std::string> lines =
        answers(writer, chat ? &*chat : nullptr, chunk, options, reading, prompts);
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (request.json) {
        lines[i] = generated_json(prompts[i], lines[i], finishes.reason(i));
      } else {
        lines[i] = live ? "" : one_line(lines[i]);
      }
      lines[i] += '\n';
    }
    return lines;
  });
  finishes.note_context(writer.model().blueprint());
}

// The sampling options are the fields of Sampling, with dashes instead of underscores.
void add_sampling(Command& command, const std::shared_ptr<GenerateRequest>& request) {
  for (const Field& field : fields_of(Sampling())) {
    const std::string name(field.spec.name);
    std::string help(field.spec.help);
    help.front() = static_cast<char>(std::toupper(help.front()));
    command.option_to<std::string>(
        flag_of(name), [request, name](const std::string& value) { request->sampling[name] = value; },
        fmt::format("{} [{}]", help, field.value));
  }
}

}  // namespace

void add_generate(CLI::App& program) {
  Command command(program, "generate", "Generate text from a prompt");
  command.footer(
      "Examples:\n"
      "  locus generate runs/verdict \"I HAD always thought\"\n"
      "  locus generate runs/verdict \"I HAD\" --temperature 0.8 --top-p 0.9 --seed 3 --stop .\n"
      "  locus generate runs/reverse abcde fghij --beams 4 --json\n"
      "  locus generate models/gpt2 \"The dog\" --temperature 0.8\n"
      "  locus generate models/qwen \"Who wrote The Verdict?\" --chat\n\n"
      "A decoder continues the prompt; an encoder-decoder reads it and generates an answer. The answer to "
      "one\n"
      "prompt is streamed; several prompts give one line each. With --json, one object per prompt: "
      "{\"prompt\",\n"
      "\"text\", \"finish_reason\"}. Options you omit come from generation_config.json, then from the "
      "default\n"
      "in brackets.");
  auto request = std::make_shared<GenerateRequest>();
  add_text_options(command, *request, "Prompts");
  command
      .option("--max-tokens", request->max_tokens,
              "Maximum number of new tokens. 0: from generation_config.json, else 128")
      .between(0, 1 << 24)
      .shows_default();
  add_sampling(command, request);
  command.option("--seed", request->seed, "Seed of the random numbers for sampling").shows_default();
  command
      .option("--beams", request->beams,
              "Number of beams of beam search. 1: no beam search; 0: from generation_config.json")
      .between(0, 1024)
      .shows_default();
  command.option("--length-penalty", request->length_penalty,
                 "Beam search divides log probabilities by the length to this power");
  command.option("--stop", request->stops, "Stop string: ends the answer and is not printed; may be repeated")
      .repeated();
  command.flag("--read-specials", request->read_specials,
               "Parse names of special tokens in the prompt, such as <|im_start|>");
  command.flag("--chat", request->chat,
               "Apply the chat template of the folder: a text is the message of a user, a JSON object has "
               "\"messages\"");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
