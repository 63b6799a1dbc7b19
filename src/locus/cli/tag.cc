// locus tag: the spans of every text that have a label.
#include <fmt/format.h>

#include <memory>

#include "locus/apply/tagger.h"
#include "locus/base/json.h"
#include "locus/cli/text_command.h"

namespace locus::cli {
namespace {

struct Request : TextRequest {
  std::string offsets = "characters";
};

struct Shown {
  std::string_view text;  // of the span
  TextSpan place;
};

Shown shown(const std::string& text, const TaggedSpan& span, const Request& request) {
  const TextSpan bytes = span.bytes;
  return {std::string_view(text).substr(bytes.begin, bytes.end - bytes.begin),
          request.offsets == "bytes" ? bytes : in_characters(text, bytes)};
}

std::string lines_of(const std::string& text, const std::vector<TaggedSpan>& spans, const Request& request) {
  std::string lines;
  for (const TaggedSpan& span : spans) {
    const auto [part, place] = shown(text, span, request);
    lines += fmt::format("{}\t{}\t{}\t{:.4f}\t{}\n", span.label, place.begin, place.end, span.score,
                         one_line(std::string(part)));
  }
  return lines + "\n";
}

std::string object_of(const std::string& text, const std::vector<TaggedSpan>& spans, const Request& request) {
  std::vector<std::string> items;
  for (const TaggedSpan& span : spans) {
    const auto [part, place] = shown(text, span, request);
    items.push_back(json::object({{"label", json::text(span.label)},
                                  {"score", json::number(span.score)},
                                  {"start", json::number(int64_t{place.begin})},
                                  {"end", json::number(int64_t{place.end})},
                                  {"text", json::text(part)}}));
  }
  return json::object({{"text", json::text(text)}, {"spans", json::list(items)}}) + "\n";
}

void run(const Request& request) {
  Records records(request.source("tag"));
  const Tagger tagger(request.folder);
  warn(tagger.model().warnings());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const std::vector<std::vector<TaggedSpan>> found = tagger.tag(texts_of(chunk), reading);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back((request.json ? object_of : lines_of)(chunk[i].text, found[i], request));
    }
    return lines;
  });
}

}  // namespace

void add_tag(CLI::App& program) {
  CLI::App* command = program.add_subcommand("tag", "The spans of every text that have a label");
  command->footer(
      "Every line is a text; a line for each of its spans: label, start, end, score and the span, and an "
      "empty\n"
      "line behind each text. With --json, one object for each text: {\"text\", \"spans\"}.\n\n"
      "Examples:\n"
      "  locus tag models/names \"Ada Lovelace lived in London.\"\n"
      "  locus tag models/names --file news.txt --json --offsets bytes > spans.jsonl");
  auto request = std::make_shared<Request>();
  add_text_options(*command, *request, "Texts");
  command->add_option("--offsets", request->offsets, "What starts and ends count")
      ->check(CLI::IsMember({"characters", "bytes"}))
      ->capture_default_str();
  command->callback([request] { run(*request); });
}

}  // namespace locus::cli
