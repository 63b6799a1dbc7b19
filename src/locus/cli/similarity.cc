// locus similarity: cosine similarity of text pairs, or the texts most similar to queries.
#include <fmt/format.h>

#include <memory>

#include "locus/apply/similarity.h"
#include "locus/base/json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/search.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

struct SimilarityRequest : SearchRequest {
  std::string prompt;
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

void compare_pairs(const SimilarityRequest& request) {
  RecordSource source = request.source("similarity");
  source.pairs = true;
  source.second = "text_pair";
  Records records(std::move(source));
  const Embedder embedder(request.folder, request.weights, request.device);
  note_model(embedder.model().trained());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const std::vector<double> scores = similarities(embedder, inputs_of(chunk), reading, request.prompt);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back((request.json ? object_of : line_of)(chunk[i], scores[i]));
    }
    return lines;
  });
}

void run(const SimilarityRequest& request, bool top_given) {
  const bool searches = !request.queries.empty() || !request.index.empty();
  if (searches && !request.prompt.empty()) {
    fail(
        Fault::usage,
        "similarity: --prompt cannot be combined with --query or --index, which use the folder's prompts for "
        "queries and documents");
  }
  if (!searches && top_given) {
    fail(Fault::usage, "similarity: --top applies to searches only; add --query or --index");
  }
  if (!searches) return compare_pairs(request);
  (request.index.empty() ? search_texts : search_index)(request);
}

}  // namespace

void add_similarity(CLI::App& program) {
  Command command(program, "similarity",
                  "Compute the cosine similarity of texts, or search for similar ones");
  command.footer(
      "Pairs: two arguments, or lines with a tab between two texts, or JSON Lines {\"text\", "
      "\"text_pair\"}.\n"
      "Output: the score and the pair. With --json: {\"text\", \"text_pair\", \"score\"}.\n\n"
      "Search among texts: with --query, every line of the input is a text. Output: score, line number and "
      "text\n"
      "of the most similar lines. With --json: {\"query\", \"matches\"}.\n\n"
      "Search in an index: with --index, every text is a query. The index is a file that locus embed --out\n"
      "wrote, or any array [rows, width] of floating-point numbers. Output: score, row (from 0), and text "
      "if\n"
      "FILE.jsonl exists. With --json: {\"query\", \"matches\"}.\n\n"
      "Examples:\n"
      "  locus similarity models/all-MiniLM-L6-v2 \"The dog ran.\" \"A puppy was running.\"\n"
      "  locus similarity models/all-MiniLM-L6-v2 --query \"running dogs\" --file sentences.txt --top 3\n"
      "  locus embed models/all-MiniLM-L6-v2 --file sentences.txt --out vectors.npy\n"
      "  locus similarity models/all-MiniLM-L6-v2 --index vectors.npy --file queries.txt --json");
  auto request = std::make_shared<SimilarityRequest>();
  add_text_options(command, *request, "Pairs of texts; with --query texts to search, with --index queries");
  command
      .option("--query", request->queries, "Search for the texts most similar to this one; may be repeated")
      .repeated();
  command.option("--index", request->index, "Search in this file of vectors, .npy or .safetensors")
      .ends_in({".npy", ".safetensors"});
  command.option("--prompt", request->prompt,
                 "Name of a prompt defined by the model folder, added to both texts of a pair");
  const Option top =
      command.option("--top", request->top, "With --query or --index: number of results per query")
          .between(1, 1 << 24)
          .shows_default();
  command.callback([request, top] { run(*request, top.given()); });
}

}  // namespace locus::cli
