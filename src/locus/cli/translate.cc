// locus translate: generates the output of an encoder-decoder for every text.
#include <fmt/format.h>

#include <memory>

#include "locus/apply/result_json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/finishes.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct TranslateRequest : TextRequest {
  int64_t beams = 0, max_tokens = 0;
  std::string from, to;
};

void run(const TranslateRequest& request) {
  Records records(request.source("translate"));
  const Writer writer(request.folder, request.weights, request.device);
  require(writer.is_encoder_decoder(),
          "'{}' is a decoder, expected an encoder-decoder; use `locus generate` to continue a prompt",
          request.folder);
  note_model(writer);
  WriteOptions options = writer.defaults();
  options.beams = request.beams > 0 ? request.beams : writer.translation_beams();
  options.max_tokens = request.max_tokens;
  options.from = request.from;
  options.to = request.to;
  const Finishes finishes(options);
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<std::string> lines = writer.write(texts_of(chunk), options, reading);
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines[i] =
          (request.json ? translated_json(chunk[i].text, lines[i], finishes.reason(i)) : one_line(lines[i])) +
          "\n";
    }
    return lines;
  });
  finishes.note_context(writer.model().blueprint());
}

}  // namespace

void add_translate(CLI::App& program) {
  Command command(program, "translate", "Translate texts with an encoder-decoder");
  command.footer(
      "Input: one text per line, or JSON Lines {\"text\"}.\n"
      "Output: one translation per line. With --json, one object per text: {\"text\", \"translation\",\n"
      "\"finish_reason\"}.\n\n"
      "Examples:\n"
      "  locus train configs/translate-reverse.toml --out runs/reverse\n"
      "  locus translate runs/reverse abcde fghij\n"
      "  locus translate models/opus-mt-en-de --file letter.txt --beams 6\n"
      "  locus translate models/nllb-200 --from deu_Latn --to fra_Latn \"Guten Tag!\"");
  auto request = std::make_shared<TranslateRequest>();
  add_text_options(command, *request, "Texts");
  command
      .option("--beams", request->beams,
              "Number of beams of beam search. 0: from generation_config.json, else 4")
      .between(0, 1024)
      .shows_default();
  command
      .option("--max-tokens", request->max_tokens,
              "Maximum number of new tokens. 0: from generation_config.json, else 128")
      .between(0, 1 << 24)
      .shows_default();
  command.option("--from", request->from,
                 "Language token of the texts, such as deu_Latn (NLLB) or de_DE (mBART)");
  command.option("--to", request->to, "Language token of the translations");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
