// locus fill: predicts the most likely tokens for the masks of a text.
#include <fmt/format.h>

#include <memory>

#include "locus/apply/result_json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct FillRequest : TextRequest {
  size_t top = 5;
};

// Each text is printed above its predictions, except a single text given as an argument.
std::string lines_of(const std::string& whole, const std::vector<FilledMask>& masks,
                     const FillRequest& request) {
  const bool alone = request.words.size() == 1;
  std::string lines = alone ? "" : one_line(whole) + "\n";
  for (size_t m = 0; m < masks.size(); ++m) {
    for (size_t i = 0; i < masks[m].best.size(); ++i) {
      const Filling& filling = masks[m].best[i];
      const std::string text = masks[m].texts.empty() ? fmt::format("mask {}", m + 1) : masks[m].texts[i];
      lines += fmt::format("{:.4f}\t{}\t{}\n", filling.score, column(filling.token), one_line(text));
    }
  }
  return alone ? lines : lines + "\n";
}

void run(const FillRequest& request) {
  Records records(request.source("fill"));
  const Filler filler(request.folder, request.weights, request.device);
  note_model(filler.model().trained());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const std::vector<std::vector<FilledMask>> found = filler.fill(texts_of(chunk), request.top, reading);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      const std::string& text = chunk[i].text;
      lines.push_back(request.json ? filled_json(text, found[i]) + "\n" : lines_of(text, found[i], request));
    }
    return lines;
  });
}

}  // namespace

void add_fill(CLI::App& program) {
  Command command(program, "fill", "Predict the most likely tokens for each mask of a text");
  command.footer(
      "Input: texts that contain the mask token of the vocabulary, [MASK] or <mask>.\n"
      "Output: one line per prediction with its score, the token, and the filled text. If a text has "
      "several\n"
      "masks, the number of the mask replaces the filled text. If there are several texts, each one is "
      "printed\n"
      "above its predictions, and an empty line follows. With --json, one object per text: {\"text\", "
      "\"masks\"}.\n\n"
      "Examples:\n"
      "  locus train configs/masked.toml --out runs/masked\n"
      "  locus fill runs/masked \"the dog chased the b<mask>rd\"\n"
      "  locus fill models/bert-base-uncased \"The [MASK] sat.\" --top 3 --json");
  auto request = std::make_shared<FillRequest>();
  add_text_options(command, *request, "Texts with masks");
  command.option("--top", request->top, "Predictions per mask").between(1, 1 << 24).shows_default();
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
