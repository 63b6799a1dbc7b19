// locus tag: finds the labeled spans of every text (token classification).
#include <fmt/format.h>

#include <memory>

#include "locus/apply/result_json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct TagRequest : TextRequest {
  SpanUnit offsets;
};

std::string part_of(const std::string& text, TextSpan bytes) {
  return text.substr(bytes.begin, bytes.end - bytes.begin);
}

std::string lines_of(const std::string& text, const std::vector<TaggedSpan>& spans,
                     const TagRequest& request) {
  std::vector<TextSpan> places;
  for (const TaggedSpan& span : spans) places.push_back(span.bytes);
  request.offsets.convert(text, places);
  std::string lines;
  for (size_t i = 0; i < spans.size(); ++i) {
    lines += fmt::format("{:.4f}\t{}\t{}\t{}\t{}\n", spans[i].score, column(spans[i].label), places[i].begin,
                         places[i].end, one_line(part_of(text, spans[i].bytes)));
  }
  return lines + "\n";
}

void run(const TagRequest& request) {
  Records records(request.source("tag"));
  const Tagger tagger(request.folder, request.weights, request.device);
  note_model(tagger.model().trained());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const std::vector<std::vector<TaggedSpan>> found = tagger.tag(texts_of(chunk), reading);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      const std::string& text = chunk[i].text;
      lines.push_back(request.json ? tagged_json(text, found[i], request.offsets) + "\n"
                                   : lines_of(text, found[i], request));
    }
    return lines;
  });
}

}  // namespace

void add_tag(CLI::App& program) {
  Command command(program, "tag", "Find labeled spans such as names (token classification)");
  command.footer(
      "Input: one text per line, or JSON Lines {\"text\"}.\n"
      "Output: one line per span with score, label, start, end and the span's text, separated by tabs; an "
      "empty\n"
      "line follows each text. With --json, one object per text: {\"text\", \"spans\"}.\n\n"
      "Examples:\n"
      "  locus tag models/names \"Ada Lovelace lived in London.\"\n"
      "  locus tag models/names --file news.txt --json --offsets bytes > spans.jsonl");
  auto request = std::make_shared<TagRequest>();
  add_text_options(command, *request, "Texts");
  add_offsets(command, request->offsets, "Unit of start and end");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
