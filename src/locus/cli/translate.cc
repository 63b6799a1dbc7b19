// locus translate: what an encoder-decoder answers to every text.
#include <fmt/format.h>

#include <memory>

#include "locus/apply/writer.h"
#include "locus/base/json.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

struct Request : TextRequest {
  int64_t beams = 0, max_tokens = 0;
  std::string from, to;
};

void run(const Request& request) {
  Records records(request.source("translate"));
  const Writer writer(request.folder, request.weights);
  require(writer.reads(),
          "'{}' holds no encoder-decoder, expected one to translate; locus generate goes on "
          "behind a prompt",
          request.folder);
  warn(writer.warnings());
  WriteOptions options = writer.defaults();
  constexpr int64_t kBeams = 4;
  options.beams = request.beams > 0 ? request.beams : writer.says_beams() ? options.beams : kBeams;
  options.max_tokens = request.max_tokens;
  options.from = request.from;
  options.to = request.to;
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<std::string> lines = writer.write(texts_of(chunk), options, reading);
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines[i] = request.json ? json::object({{"text", json::text(chunk[i].text)},
                                              {"translation", json::text(readable(lines[i]))}}) +
                                    "\n"
                              : one_line(lines[i]) + "\n";
    }
    return lines;
  });
}

}  // namespace

void add_translate(CLI::App& program) {
  Command command(program, "translate", "What an encoder-decoder answers to every text");
  command.footer(
      "Every line is a text, and its translation a line. With --json, one object for each: {\"text\",\n"
      "\"translation\"}.\n\n"
      "Examples:\n"
      "  locus train configs/translate-reverse.toml --out runs/reverse\n"
      "  locus translate runs/reverse abcde fghij\n"
      "  locus translate models/opus-mt-en-de --file letter.txt --beams 6\n"
      "  locus translate models/nllb-200 --from deu_Latn --to fra_Latn \"Guten Tag!\"");
  auto request = std::make_shared<Request>();
  add_text_options(command, *request, "Texts");
  command.option("--beams", request->beams, "Beams of the search; 0: as the folder says, or 4")
      .between(0, 1024)
      .shows_default();
  command.option("--max-tokens", request->max_tokens, "New tokens at most; 0: as the folder says, or 128")
      .between(0, 1 << 24)
      .shows_default();
  command.option("--from", request->from,
                 "Language of the texts, by its token: deu_Latn of NLLB, de_DE of mBART");
  command.option("--to", request->to, "Language of the translations, likewise");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
