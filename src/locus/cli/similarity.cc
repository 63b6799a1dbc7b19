// locus similarity: cosine similarity of text pairs, or the lines of a file most similar to a query.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "locus/apply/similarity.h"
#include "locus/base/json.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"

namespace locus::cli {
namespace {

struct Request : TextRequest {
  std::string query, prompt;
  size_t top = 10;
};

std::string line_of(const Record& record, double score) {
  return fmt::format("{:.6f}\t{}\t{}\n", score, one_line(record.text), one_line(*record.second));
}

std::string object_of(const Record& record, double score) {
  return json::object({{"text", json::text(record.text)},
                       {"text_pair", json::text(*record.second)},
                       {"score", json::number(score)}}) +
         "\n";
}

void compare_pairs(const Request& request, Records& records, const Embedder& embedder) {
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const std::vector<double> scores = similarities(embedder, inputs_of(chunk), reading, request.prompt);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back((request.json ? object_of : line_of)(chunk[i], scores[i]));
    }
    return lines;
  });
}

void find_nearest(const Request& request, Records& records, const Embedder& embedder) {
  Nearest nearest(embedder, request.query, request.top, request.reading);
  std::map<int64_t, int64_t> lines;  // text number -> line number, for the best matches so far
  int64_t seen = 0;
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    nearest.add(texts_of(chunk), reading);
    std::map<int64_t, int64_t> kept;
    for (const Nearest::Match& match : nearest.best()) {
      const int64_t place = match.number - seen;
      kept[match.number] = place < 0 ? lines.at(match.number) : chunk[static_cast<size_t>(place)].number;
    }
    lines = std::move(kept);
    seen += static_cast<int64_t>(chunk.size());
    return std::vector<std::string>();
  });
  std::string out;
  for (const Nearest::Match& match : nearest.best()) {
    const int64_t line = lines.at(match.number);
    out += request.json ? json::object({{"text", json::text(match.text)},
                                        {"line", json::number(line)},
                                        {"score", json::number(match.score)}}) +
                              "\n"
                        : fmt::format("{:.6f}\t{}\t{}\n", match.score, line, one_line(match.text));
  }
  print(out);
}

void run(const Request& request) {
  if (!request.query.empty() && !request.prompt.empty()) {
    fail(Fault::usage,
         "similarity: --prompt cannot be combined with --query, which uses the folder's prompts for queries "
         "and documents");
  }
  RecordSource source = request.source("similarity");
  source.pairs = request.query.empty();
  if (source.pairs) source.second = "text_pair";
  Records records(std::move(source));
  const Embedder embedder(request.folder, request.weights);
  warn(embedder.model().warnings());
  (request.query.empty() ? compare_pairs : find_nearest)(request, records, embedder);
}

}  // namespace

void add_similarity(CLI::App& program) {
  Command command(program, "similarity", "Compute the cosine similarity of texts");
  command.footer(
      "Pairs: two arguments, or lines with a tab between two texts, or JSON Lines {\"text\", "
      "\"text_pair\"}.\n"
      "Output: the score and the pair. With --json: {\"text\", \"text_pair\", \"score\"}.\n\n"
      "Search: with --query, every line is a text. Output: the most similar lines with score, line number "
      "and\n"
      "text. With --json: {\"text\", \"line\", \"score\"}.\n\n"
      "Examples:\n"
      "  locus similarity models/all-MiniLM-L6-v2 \"The dog ran.\" \"A puppy was running.\"\n"
      "  locus similarity models/all-MiniLM-L6-v2 --query \"running dogs\" --file sentences.txt --top 3");
  auto request = std::make_shared<Request>();
  add_text_options(command, *request, "Pairs of texts");
  command.option("--query", request->query, "Search for the lines most similar to this text");
  command.option("--prompt", request->prompt,
                 "Name of a prompt defined by the model folder, added to both texts of a pair");
  command.option("--top", request->top, "With --query: number of results to print")
      .between(1, 1 << 24)
      .shows_default();
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
