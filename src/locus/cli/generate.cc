// locus generate: what a model writes behind a prompt, or for a source.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "locus/apply/writer.h"
#include "locus/base/fields.h"
#include "locus/base/json.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

struct Request : TextRequest {
  std::vector<std::string> stops;
  OptionValues sampling;  // those given
  int64_t max_tokens = 0, beams = 0;
  std::optional<float> length_penalty;
  uint64_t seed = 0;
  bool read_specials = false;
};

// A penalty on what occurred is as well one of beams.
bool samples(const Request& request) {
  return std::ranges::any_of(request.sampling,
                             [](const auto& option) { return option.first != "repetition_penalty"; });
}

void check(const Request& request) {
  const auto refuse_if = [](bool wrong, const char* what) {
    if (wrong) fail(Fault::usage, "generate: {}", what);
  };
  refuse_if(request.beams > 1 && samples(request),
            "--beams and the options of sampling but --repetition-penalty exclude each other");
  refuse_if(std::ranges::count(request.stops, "") > 0, "a stop string is empty");
}

// What the folder says, with what the caller says in its place.
WriteOptions options_of(const Request& request, const Writer& writer) {
  WriteOptions options = writer.defaults();
  if (samples(request)) options.beams = 1;
  if (request.beams > 0) options.beams = request.beams;
  if (request.length_penalty) options.length_penalty = *request.length_penalty;
  options.max_tokens = request.max_tokens;
  options.seed = request.seed;
  if (request.read_specials) options.specials = Specials::are_read;
  options.stops = request.stops;
  refuse("generate", read_fields(options.sampling, request.sampling));
  return options;
}

void run(const Request& request) {
  check(request);
  RecordSource source = request.source("generate");
  source.first = "prompt";
  Records records(std::move(source));
  const Writer writer(request.folder, request.weights);
  warn(writer.warnings());
  WriteOptions options = options_of(request, writer);
  // One prompt is answered as the tokens come.
  const bool live = request.words.size() == 1 && !request.json;
  if (live) {
    options.on_text = [](size_t, std::string_view text) {
      print(text);
      flush();
      return true;
    };
  }
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<std::string> lines = writer.write(texts_of(chunk), options, reading);
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (request.json) {
        lines[i] =
            json::object({{"prompt", json::text(chunk[i].text)}, {"text", json::text(readable(lines[i]))}});
      } else {
        lines[i] = live ? "" : one_line(lines[i]);
      }
      lines[i] += '\n';
    }
    return lines;
  });
}

// The options of sampling are the fields of Sampling, under their names with dashes.
void add_sampling(Command& command, const std::shared_ptr<Request>& request) {
  for (const Field& field : fields_of(Sampling())) {
    std::string flag = "--" + std::string(field.spec.name);
    std::ranges::replace(flag, '_', '-');
    const std::string name(field.spec.name);
    command.option_to<std::string>(
        flag, [request, name](const std::string& value) { request->sampling[name] = value; },
        fmt::format("{} [{}]", field.spec.help, field.value));
  }
}

}  // namespace

void add_generate(CLI::App& program) {
  Command command(program, "generate", "Let a model write");
  command.footer(
      "Examples:\n"
      "  locus generate runs/verdict \"I HAD always thought\"\n"
      "  locus generate runs/verdict \"I HAD\" --temperature 0.8 --top-p 0.9 --seed 3 --stop .\n"
      "  locus generate runs/reverse abcde fghij --beams 4 --json\n"
      "  locus generate models/gpt2 \"The dog\" --temperature 0.8\n\n"
      "A decoder goes on behind the prompt; an encoder-decoder reads it and answers. One prompt is answered\n"
      "as the tokens come, several a line each. With --json, one object for each: {\"prompt\", \"text\"}.\n"
      "What is not given is as the folder's generation_config.json says, then as it stands in [].");
  auto request = std::make_shared<Request>();
  add_text_options(command, *request, "What to go on from, or to answer");
  command.option("--max-tokens", request->max_tokens, "New tokens at most; 0: as the folder says, or 128")
      .between(0, 1 << 24)
      .shows_default();
  add_sampling(command, request);
  command.option("--seed", request->seed, "What sampling depends on").shows_default();
  command.option("--beams", request->beams, "Beam search with so many beams; 1: none; 0: as the folder says")
      .between(0, 1024)
      .shows_default();
  command.option("--length-penalty", request->length_penalty,
                 "Beams: log probabilities are divided by the length to this power");
  command.option("--stop", request->stops, "Text that ends the answer, and is not shown; may be repeated")
      .repeated();
  command.flag("--read-specials", request->read_specials,
               "Names of special tokens in the prompt mean the tokens, as <|im_start|> of a chat");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
